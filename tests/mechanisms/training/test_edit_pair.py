"""Edit-neighbouring live runs that share recorded randomness: at most two adjacent bins differ, and no time does."""

import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.learning.calibration import Calibration, Wish, sharp_calibration
from dpcert.mechanisms.learning.pipeline import ContinualSgd
from dpcert.mechanisms.learning.recorded import RecordedRandomness
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.live.session import Bin
from dpcert.mechanisms.matrices.participations import Once
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.training.edit_pair import TwoReleases, two_runs, without

UPDATES, START = Updates(2, Fraction(1), Fraction(1, 4), 16), np.zeros(2)
WISH = Wish(Fraction(16), Fraction(1, 100), 400)
SHARP = sharp_calibration(WISH, UPDATES)
TOY = Calibration(
    "toy",
    WISH,
    RandBinToy(level=4),
    TreeSums(99, 2, UPDATES.largest),
    Fraction(50),
    16,
    Fraction(1),
    (),
    Fraction(1),
    Once(),
)  # type: ignore[arg-type]


def towards(model: np.ndarray, events: Any) -> np.ndarray:
    """The gradients of |w - e|^2 / 2 of events that are numbers."""
    return model[None] - np.array([[e % 7 / 4, e % 5 / 8] for e in events])


def pair_of(made: Calibration, at: int, seed: int, branch: int, *, inserted: bool) -> tuple[Any, list[TwoReleases]]:
    pairs = without(at)
    turned = (lambda t: pairs(t)[::-1]) if inserted else pairs
    return turned, two_runs(made, UPDATES, towards, START, turned, 300, seed, branch)


@pytest.mark.in_turns
@pytest.mark.parametrize("made", [TOY, SHARP], ids=["toy", "sharp"])
def test_at_most_two_adjacent_bins_differ_and_nothing_of_the_timing(made: Calibration) -> None:
    most = 0
    for _ in range(12):
        at, seed, branch, inserted = (
            random.randrange(290),
            random.randrange(2**32),
            random.randrange(2),
            random.random() < 0.5,
        )
        pairs, found = pair_of(made, at, seed, branch, inserted=inserted)
        streams = [[pairs(t)[side] for t in range(1, 301)] for side in (0, 1)]
        for side in (0, 1):  # each stream's bins are its own events, in order, each once
            binned = [event for one in found for event in one.events[side]]
            assert binned == streams[side][: len(binned)]
        differing = [number for number, one in enumerate(found) if one.differ]
        assert len(differing) <= 2, (at, seed)
        assert all(b == a + 1 for a, b in pairwise(differing)), (at, seed)
        most = max(most, len(differing))
        apart = [len(one.events[0]) - len(one.events[1]) for one in found]
        assert sum(map(abs, apart)) <= 1, (at, seed)
        before = [one.distance for one in found[: differing[0]]] if differing else [one.distance for one in found]
        assert not any(before)
    assert most == 2


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("branch", [0, 1])
@pytest.mark.parametrize("made", [TOY, SHARP], ids=["toy", "sharp"])
def test_either_run_is_the_pipeline_itself(made: Calibration, branch: int) -> None:
    """The mechanism's own side is, event by event and bit by bit, what `ContinualSgd` does with the same draws."""
    pairs, found = pair_of(made, 100, 8, branch, inserted=False)
    recorded, bins = RecordedRandomness(8), list[Bin]()
    run = ContinualSgd(
        made.randbin, made.core, recorded.noise(made.sigma), UPDATES, towards, START,
        draw=recorded.draw, observe=bins.append,
    )  # fmt: skip
    recorded.follow(run)
    models = [out for t in range(1, 301) if (out := run.push(pairs(t)[branch])) is not None]
    assert [(out.round, out.model.tolist()) for out in models] == [
        (one.round, one.models[branch].tolist()) for one in found
    ]
    assert [out.events for out in bins] == [one.events[branch] for one in found]
    assert len(found) > 2


def test_streams_that_are_no_edit_neighbours_and_no_rounds_are_refused() -> None:
    with pytest.raises(ArgumentError, match="events of edit neighbours"):
        two_runs(TOY, UPDATES, towards, START, lambda t: (t, 1000 + t), 50, 1)
    with pytest.raises(ArgumentError, match="at least 1 round"):
        two_runs(TOY, UPDATES, towards, START, without(3), 0, 1)
