"""The whole pipeline as an exact game, at toy size: RandBin, a bin's rounded update, a tree of sums with noise."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest

from dpcert import Draw, PowerFunction, Release
from dpcert.audit.algebra.pmf import Pmf, from_weights
from dpcert.audit.budget import Budget
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.kernels.feeding import feeding
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.relations.edits import EDIT
from dpcert.audit.solving.analysis import analyse
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.randbin.toy import RandBinToy

TOY = RandBinToy()


@dataclass(frozen=True)
class ToyStep:
    """Takes a bin of bits, and releases the tree's node of updates, plus noise: what the pipeline does in a round.

    Gradients are 1 or -1 by the bit, and turn round when the last release was positive: they look at the model.

    Args:
        bits: Fractional bits of an update.
        half: The noise is triangular on -half..half.
    """

    bits: int
    half: int
    initial: ClassVar[tuple[int, tuple[int, ...], int]] = (0, (0, 0, 0), 0)

    @property
    def law(self) -> Pmf[int]:
        """Of the noise."""
        return from_weights({k: self.half + 1 - abs(k) for k in range(-self.half, self.half + 1)})

    @property
    def updates(self) -> Updates:
        """One component, eta = 1, and G just above the gradients' size."""
        return Updates(1, Fraction(17, 16), Fraction(1), self.bits)

    def step(self, state: Any, x: tuple[int, ...], draw: Draw) -> tuple[Release[int, None], Any]:
        """One bin."""
        t, nodes, last = state
        turn = -1 if last > 0 else 1
        update = self.updates.of(np.array([[turn * (2.0 * bit - 1)] for bit in x]))
        core = TreeSums(4, 1, self.updates.largest)
        memory = np.array(nodes)[:, None]
        row = int(core.measure((memory,), t + 1, update)[0]) + draw(self.law)
        return Release(row), (t + 1, tuple(memory[:, 0].tolist()), row)

    def profile(self, shift: int) -> PowerFunction:
        """Of one row that is moved by so much."""
        return PowerFunction.from_laws(self.law, self.law.map(lambda k: k + shift))


@cache
def played(horizon: int, second: ToyStep) -> PowerFunction:
    found = analyse(BeliefGame(view_of(feeding(TOY, second, (0, 1))), EDIT, horizon), Budget())
    assert found.adaptive.exact
    return found.adaptive.lower


@cache
def buffering(horizon: int) -> PowerFunction:
    return analyse(npp_game(simulated(TOY), horizon), Budget()).adaptive.lower


def moved(second: ToyStep) -> int:
    """The most that an edit moves a bin's update by, over all bins of bits."""
    update = {
        x: int(second.updates.of(np.array([[2.0 * bit - 1] for bit in x]))[0])
        for size in range(2, 5)
        for x in product((0, 1), repeat=size)
    }
    replaced = [(x, (*x[:i], 1 - x[i], *x[i + 1 :])) for x in update for i in range(len(x))]
    one_more = [(x, (*x, bit)) for x in update if len(x) < 4 for bit in (0, 1)]
    return max(abs(update[x] - update[y]) for x, y in replaced + one_more)


@pytest.mark.parametrize("horizon", [7, pytest.param(8, marks=pytest.mark.thorough)])
def test_the_whole_keeps_to_what_its_parts_add_up_to(horizon: int) -> None:
    second = ToyStep(1, 2)
    most = moved(second)
    assert most <= second.updates.edit_change(TOY.level)
    bound = buffering(horizon).tensor(second.profile(most).tensor(second.profile(2 * most)))
    assert PowerFunction.identity() < played(horizon, second) <= bound


class Pairs:
    """Bins of two events each, at fixed times: no edit is hidden, and nothing stands beside the sums."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[None, Any], int]:
        """One event."""
        del x, draw
        return Release(None, (2, 2) if state == 1 else None), 1 - state


def test_a_sensitivity_that_is_a_tenth_too_small_is_caught() -> None:
    second = ToyStep(4, 19)
    most = moved(second)
    assert most == 16 < second.updates.edit_change(TOY.level) == 18
    game = BeliefGame(view_of(feeding(Pairs(), second, (0, 1))), HAMMING, 2)
    exact = analyse(game, Budget()).adaptive.lower
    assert exact == second.profile(most)
    assert not exact <= second.profile(most * 9 // 10)
