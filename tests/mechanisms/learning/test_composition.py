"""The whole pipeline as an exact game, at toy size, beyond what the ledger decides of it on every run."""

from fractions import Fraction
from typing import Any, ClassVar

import pytest

from dpcert import Draw, PowerFunction, Release
from dpcert.audit.budget import Budget
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.kernels.feeding import feeding
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.analysis import analyse
from dpcert.mechanisms.learning.toy_step import ToyStep
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.proofs_checked.cases.toy_pipeline import buffering, played
from dpcert.proofs_checked.claims.thm_main_pipeline_overview import IN_TIME, STEEP, one_bin, two_bins

NOISY = RandBinToy()


class Pairs:
    """Bins of two events each, at fixed times: no edit is hidden, and nothing stands beside the sums."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[None, Any], int]:
        """One event."""
        del x, draw
        return Release(None, (2, 2) if state == 1 else None), 1 - state


def test_behind_fixed_bins_the_bound_is_attained_and_a_tenth_less_is_too_little() -> None:
    most = STEEP.moved(NOISY.level)
    assert most == 10 < STEEP.updates.edit_change(NOISY.level) < 12
    game: Any = BeliefGame(view_of(feeding(Pairs(), STEEP, (0, 1))), HAMMING, 2)  # type: ignore[arg-type]
    exact = analyse(game, Budget()).adaptive.lower
    assert exact == STEEP.profile(most)
    assert not exact <= STEEP.profile(most * 9 // 10)


@pytest.mark.in_turns
def test_how_close_the_game_comes_to_its_bound_behind_a_randbin() -> None:
    """In 7 rounds a bin leaves if its load is the least of three: a third of the bound, at every e^epsilon."""
    exact, bound = played(IN_TIME, STEEP, 7), one_bin(Fraction(1))(buffering(IN_TIME, 7), STEEP)
    shares = [exact.delta(Fraction(e)) / bound.delta(Fraction(e)) for e in (1, 4, 512)]
    assert shares == [Fraction(1, 3)] * 3
    assert exact <= bound
    assert not exact <= one_bin(Fraction(9, 10))(buffering(IN_TIME, 7), STEEP)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("randbin", "step", "rounds"),
    [
        (NOISY, ToyStep(1, Fraction(3), 2), 8),
        (NOISY, ToyStep(1, Fraction(3), 1), 9),
        (RandBinToy(exp_epsilon=Fraction(3), noise="triangular", error=2), ToyStep(1, Fraction(2), 2), 8),
    ],
)
def test_other_pipelines_keep_to_theirs(randbin: RandBinToy, step: ToyStep, rounds: int) -> None:
    assert PowerFunction.identity() < played(randbin, step, rounds) <= two_bins(buffering(randbin, rounds), step)
