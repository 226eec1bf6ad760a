"""A clip that follows gradients: as long as ever, found where it should be, sound as an exact game, faults caught."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import log
from typing import Any, ClassVar

import numpy as np
import pytest

from dpcert import Draw, PowerFunction, Release
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget
from dpcert.audit.errors import ArgumentError
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.analysis import analyse
from dpcert.mechanisms.aggregators.core import as_floats
from dpcert.mechanisms.learning.clipped_steps import ClippedSteps
from dpcert.mechanisms.learning.optimisers import Descent
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.models.adaptive_clip import AdaptiveClip, ClippedModel, named_clip
from dpcert.mechanisms.models.logistic import Logistic
from dpcert.mechanisms.noise.integer_laws import two_sided_geometric

CLIP = AdaptiveClip(Fraction(1, 4))
UPDATES = Updates(2, Fraction(1), Fraction(1), 3)
LAW = two_sided_geometric(Fraction(3, 2), first=-5, last=5)
SIZES = (-1.0, 0.1, 0.25)
"""Gradients of events."""


def test_what_enters_the_sums_has_a_norm_of_at_most_one_whatever_the_clip() -> None:
    dice = np.random.default_rng(1)
    for weight in (-99.0, -3.0, 0.0, 2.5, 99.0):
        rows = CLIP.shares(dice.normal(size=(200, 3)) * 10.0 ** dice.integers(-6, 7, size=(200, 1)), CLIP.at(weight))
        assert np.linalg.norm(rows, axis=1).max() <= 1 + 1e-12
    assert CLIP.shares(np.zeros((1, 2)), 0.25).tolist() == [[0, 0, 0.28]]


def test_the_clip_goes_to_the_quantile_and_steps_are_those_of_gradients_clipped_there() -> None:
    dice, clip = np.random.default_rng(2), AdaptiveClip(Fraction(10), Fraction(3, 4))
    steps, lengths = ClippedSteps(Descent(), clip, bits=0), dice.permutation(np.linspace(1, 3, 401))
    moved, memory = np.zeros(2), (np.zeros(2),)
    for t in range(1, 1_500):
        weight = -float(moved[1])
        rows = clip.shares(lengths[:, None], clip.at(weight))
        before = moved.copy()
        steps.move(moved, memory, rows.mean(axis=0), t)
        assert moved[0] - before[0] == pytest.approx(np.minimum(lengths, clip.at(weight)).mean())
    assert clip.at(-float(moved[1])) == pytest.approx(2.5, abs=0.05)


def test_a_model_with_such_a_clip_answers_as_the_model_does() -> None:
    dice = np.random.default_rng(3)
    plain, x, y = Logistic(4), dice.normal(size=(9, 4)), dice.integers(0, 2, size=9)
    model = ClippedModel(plain, CLIP)
    weights = np.append(dice.normal(size=5), log(2))
    assert (model.features, model.classes, model.dimension, model.initial.tolist()) == (4, 2, 6, [0.0] * 6)
    assert model.predict(weights, x).tolist() == plain.predict(weights[:-1], x).tolist()
    assert (model.chances(weights, x) == plain.chances(weights[:-1], x)).all()
    assert (model.losses(weights, x, y) == plain.losses(weights[:-1], x, y)).all()
    rows = plain.gradients(weights[:-1], x, y)
    lengths = np.linalg.norm(rows, axis=1)[:, None]
    assert model.gradients(weights, x, y)[:, :-1] * 0.5 / 0.96 == pytest.approx(rows * np.minimum(1, 0.5 / lengths))


@dataclass(frozen=True)
class Clipped:
    """Bins of two events at fixed times; the clip is doubled or halved by the sign of what was released.

    Args:
        fault: "own" clips by the larger gradient of the bin itself.
    """

    fault: str = ""
    alphabet: ClassVar[tuple[float, ...]] = SIZES
    initial: ClassVar[tuple[int, Any, int]] = (0, None, 0)

    def row_law(self, waiting: float, x: float, moved: int) -> Pmf[int]:
        """Of the first component of the row of a bin."""
        return LAW.map(lambda k: k + self.update((waiting, x), moved))

    @cache  # noqa: B019 - two of them, while tests run
    def update(self, events: tuple[float, ...], moved: int) -> int:
        """Of a bin, its first component."""
        rows = np.array(events)[:, None]
        clip = CLIP.at(moved * log(2)) if not self.fault else float(np.abs(rows).max())
        return int(UPDATES.of(CLIP.shares(rows, clip))[0])

    def step(self, state: Any, x: float, draw: Draw) -> tuple[Release[Any, None], Any]:
        """One event."""
        t, waiting, moved = state
        if t % 2 == 0:
            return Release(None), (t + 1, x, moved)
        row = draw(self.row_law(waiting, x, moved))
        return Release(row), (t + 1, None, 1 if row > 0 else -1)


def bound() -> PowerFunction:
    """Of a row that is moved by as much as an edit may move it, in whole units."""
    most = int(UPDATES.edit_change(2))
    return PowerFunction.from_laws(LAW, LAW.map(lambda k: k + most))


def test_as_an_exact_game_it_keeps_to_the_bound_of_a_clip_of_one_and_clips_by_ones_own_bin_do_not() -> None:
    def played(mechanism: Clipped) -> PowerFunction:
        game: Any = BeliefGame(view_of(mechanism), HAMMING, 4)  # type: ignore[arg-type]
        return analyse(game, Budget()).adaptive.lower

    moves = [
        abs(Clipped().update(a, moved) - Clipped().update(b, moved))
        for moved in (-1, 0, 1)
        for a, b in product(product(SIZES, repeat=2), repeat=2)
        if (a[0] == b[0]) != (a[1] == b[1])
    ]
    assert max(moves) <= UPDATES.edit_change(2)
    assert played(Clipped()) <= bound()
    assert not played(Clipped("own")) <= bound()


def test_models_follow_from_rows_and_names_are_read() -> None:
    steps = ClippedSteps(Descent(), CLIP, bits=3)
    assert steps.name == "ClippedSteps(Descent(0; False; 0; 1; ; 24); adaptive=1/4:1/2; 1/16; 3)"
    assert (steps.vectors, as_floats(np.array([1])).tolist()) == (1, [1.0])
    assert named_clip("adaptive") == AdaptiveClip(Fraction(1))
    assert named_clip("adaptive=0.1") == AdaptiveClip(Fraction(1, 10))
    assert named_clip("2") == 2
    for text in ("adaptive=", "adaptive=0", "adaptive=x", "adapt", "adaptive=-1"):
        with pytest.raises(ArgumentError, match="Expected "):
            named_clip(text)
