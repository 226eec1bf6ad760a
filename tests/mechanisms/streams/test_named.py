"""Streams of other packages: their rows, scales, orders and drifts; a package that is missing."""

import sys

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError, DpcertError
from dpcert.mechanisms.models.named import usual_model
from dpcert.mechanisms.streams.labelled import check_stream_size
from dpcert.mechanisms.streams.named import STREAMS, labelled
from dpcert.mechanisms.streams.optional import needed


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_has_what_it_says_and_a_seed_is_an_order(name: str) -> None:
    stream = STREAMS[name]
    events, again, other = stream.make(600, 1), stream.make(600, 1), stream.make(600, 2)
    assert (len(events), events.features, events.classes) == (600, stream.features, stream.classes)
    assert np.isfinite(events.x).all()
    assert np.abs(events.x).max() <= 1.5
    assert set(events.y.tolist()) == set(range(stream.classes))
    assert (events.x.tobytes(), events.y.tobytes()) == (again.x.tobytes(), again.y.tobytes())
    assert events.x.tobytes() != other.x.tobytes()
    assert events.passes == (1 if events.distinct is None else -(-600 // events.distinct))


def test_a_file_is_gone_through_row_by_row_in_each_pass() -> None:
    events = labelled("breast-cancer", 569 * 2 + 10, 3)
    assert (events.distinct, events.passes) == (569, 3)
    passes = [sorted(map(bytes, events.x[a : a + 569])) for a in (0, 569)]
    assert passes[0] == passes[1]
    assert events.x[:569].tobytes() != events.x[569:1138].tobytes()


@pytest.mark.in_turns
@pytest.mark.parametrize("name", ["sea", "hyperplane", "led"])
def test_concepts_drift(name: str) -> None:
    """A model of the first part is worse on the last than one of the last part itself."""
    events = labelled(name, 8_000, 1)
    model = usual_model(events.features, events.classes)

    def learned(rows: slice) -> np.ndarray:
        weights = model.initial
        for _ in range(400):
            weights = weights - 2 * model.gradients(weights, events.x[rows], events.y[rows]).mean(axis=0)
        return weights

    last = slice(6_000, 8_000)
    accuracies = [
        (model.predict(learned(rows), events.x[last]) == events.y[last]).mean() for rows in (slice(0, 2_000), last)
    ]
    assert accuracies[0] < accuracies[1] - 0.02


@pytest.mark.parametrize(("module", "package"), [("sklearn.datasets", "scikit-learn"), ("river.datasets", "river")])
def test_a_package_that_is_missing_is_one_line(module: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DpcertError) as raised:
        needed(module)
    assert str(raised.value) == (f"Expected the package {package} but it is not installed: pip install 'dpcert[learn]'")


def test_streams_that_cannot_be() -> None:
    with pytest.raises(ArgumentError, match=r"a stream of sea, hyperplane, led, .* but got stream='rivers'"):
        labelled("rivers", 10, 1)
    with pytest.raises(ArgumentError, match="a stream of at least 1 event but got events=0"):
        labelled("sea", 0, 1)
    with pytest.raises(ArgumentError, match="at most 4194304 events of 64 features"):
        check_stream_size(10**7, 64)
