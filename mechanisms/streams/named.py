"""Streams by their names."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from dpcert.audit.errors import expected, one_line
from dpcert.mechanisms.streams import river_streams, sklearn_streams
from dpcert.mechanisms.streams.labelled import LabelledEvents, check_stream_size


@dataclass(frozen=True)
class NamedStream:
    """A stream that can be asked for.

    Attributes:
        features, classes: Of its events.
        make: So many events, in the order of a seed.
        package: What it is made of.
        rows: How many a file has; None where every event is new.
    """

    features: int
    classes: int
    make: Callable[[int, int], LabelledEvents]
    package: str
    rows: int | None = None


STREAMS = {
    "sea": NamedStream(3, 2, river_streams.sea, "river.datasets.synth"),
    "hyperplane": NamedStream(10, 2, river_streams.hyperplane, "river.datasets.synth"),
    "led": NamedStream(24, 10, river_streams.led, "river.datasets.synth"),
    "phishing": NamedStream(9, 2, river_streams.phishing, "river.datasets", 1250),
    "bananas": NamedStream(2, 2, river_streams.bananas, "river.datasets", 5300),
    "segments": NamedStream(18, 7, river_streams.segments, "river.datasets", 2310),
    "digits": NamedStream(64, 10, sklearn_streams.digits, "sklearn.datasets", 1797),
    "breast-cancer": NamedStream(30, 2, sklearn_streams.breast_cancer, "sklearn.datasets", 569),
}
"""The first three are generators whose concept drifts; files come again, in a new order in each pass."""


def stream_named(name: str) -> NamedStream:
    """The stream of that name. Raises: ArgumentError: there is none."""
    if name not in STREAMS:
        raise expected(f"a stream of {', '.join(STREAMS)}", stream=one_line(name))
    return STREAMS[name]


@lru_cache(maxsize=2)
def labelled(name: str, events: int, seed: int) -> LabelledEvents:
    """So many events of a stream, in the order of a seed.

    Raises: ArgumentError: no such stream, or a length out of range. DpcertError: a package is missing.
    """
    made = stream_named(name)
    check_stream_size(events, made.features)
    return made.make(events, seed)
