"""Streams of river: generators whose concept drifts, which never end, and files that are inside the package."""

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from dpcert.mechanisms.streams.labelled import LabelledEvents, collected, repeated
from dpcert.mechanisms.streams.optional import needed

SEA_VARIANTS = (0, 1, 2, 3)
"""Concepts of `sea`, one for each quarter of the horizon."""
HYPERPLANE_CHANGE = 1e-3
"""How far the plane of `hyperplane` turns in an event."""
LED_NOISE = 0.1
"""The share of lamps of `led` that are wrong."""


def sea(events: int, seed: int) -> LabelledEvents:
    """Three numbers, two of them with a sum below a bound, which changes at each quarter; every tenth is wrong."""
    synth = needed("river.datasets.synth")
    quarter = -(-events // len(SEA_VARIANTS))
    parts = (
        islice(synth.SEA(variant=variant, noise=0.1, seed=seed * 10 + variant), quarter) for variant in SEA_VARIANTS
    )
    return collected(_rows(chain.from_iterable(parts), lambda v: v / 5 - 1), events, 2)


def hyperplane(events: int, seed: int) -> LabelledEvents:
    """Ten numbers, and which side of a plane they are on, which turns all the time. Every twentieth is wrong."""
    made = needed("river.datasets.synth").Hyperplane(
        seed=seed, n_features=10, n_drift_features=5, mag_change=HYPERPLANE_CHANGE
    )
    return collected(_rows(iter(made), lambda v: 2 * v - 1), events, 2)


def led(events: int, seed: int) -> LabelledEvents:
    """Seven lamps of a digit and seventeen others; halfway three of the seven change places with others."""
    synth = needed("river.datasets.synth")
    parts = [
        islice(
            synth.LEDDrift(seed=seed, noise_percentage=LED_NOISE, irrelevant_features=True, n_drift_features=drifting),
            -(-events // 2),
        )
        for drifting in (0, 3)
    ]
    return collected(_rows(chain(*parts), lambda v: 2 * v - 1), events, 10)


def phishing(events: int, seed: int) -> LabelledEvents:
    """1,250 web pages, nine numbers from 0 to 1 each, and whether they are forged."""
    return _file("Phishing", events, seed, 2, lambda v: 2 * v - 1)


def bananas(events: int, seed: int) -> LabelledEvents:
    """5,300 points of two shapes that no line parts."""
    return _file("Bananas", events, seed, 2, lambda v: v / 3)


def segments(events: int, seed: int) -> LabelledEvents:
    """2,310 pieces of outdoor pictures, eighteen numbers each, of seven kinds."""
    return _file("ImageSegments", events, seed, 7, lambda v: np.arcsinh(v) / 6)


def _rows(pairs: Iterator[tuple[dict[Any, Any], Any]], scaled: Callable[[Any], Any]) -> Iterator[tuple[Any, int]]:
    for x, y in pairs:
        yield scaled(np.array(list(x.values()), dtype=np.float64)), int(y)


def _file(name: str, events: int, seed: int, classes: int, scale: Callable[[Any], Any]) -> LabelledEvents:
    """A file of river's, its labels numbered in their order."""
    pairs = list(getattr(needed("river.datasets"), name)())
    known = sorted({y for _, y in pairs})
    x = scale(np.array([list(x.values()) for x, _ in pairs], dtype=np.float64))
    return repeated(x, np.array([known.index(y) for _, y in pairs], dtype=np.int64), classes, events, seed)
