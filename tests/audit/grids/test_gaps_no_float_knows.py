"""What bounds may be apart is any rational that a user names: what no float knows ends in bounds, and in no fault."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from instances.modes import TWO_MODES
from instances.small_hidden import differences, small_hidden

from dpcert import Budget
from dpcert.audit.beliefs.belief_refining import BeliefRefining
from dpcert.audit.beliefs.difference_fixed import DifferenceStreamBounds
from dpcert.audit.beliefs.difference_refining import DifferenceRefining
from dpcert.audit.beliefs.differences import DifferenceGame
from dpcert.audit.beliefs.hidden import HiddenGame
from dpcert.audit.budget import Stopped
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import PairedGame
from dpcert.audit.grids.refining import Refinement, Refining
from dpcert.audit.grids.stages import stages
from dpcert.audit.grids.streams import StreamBounds
from dpcert.audit.kernels.view import any_view_of, core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.analysis import NOTHING_KNOWN
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

GAME = PairedGame(core_of(TwoRoundRepeated(Fraction(1, 10))), HAMMING, 1)
ASKED = (Fraction(1), Fraction(2))
TINY, HUGE = Fraction(1, 10**400), Fraction(10**400)


def after(grids: int) -> Budget:
    """A budget that ends once so many grids were tried."""
    said: list[str] = []

    def progress(text: str) -> None:
        said.extend([text] if "apart" in text else [])
        if len(said) > grids:
            raise Stopped("it was enough")

    return Budget(progress=progress)


def hidden_game() -> HiddenGame:
    hidden = HiddenGame.of(BeliefGame(any_view_of(TWO_MODES), HAMMING, 2))  # type: ignore[arg-type]
    assert hidden is not None
    return hidden


def parted() -> DifferenceGame:
    """A game whose streams part once."""
    return next(game for seed in range(9) if (game := differences(small_hidden(seed))) is not None)


MADE: dict[str, tuple[int, Callable[[Fraction, Budget], Any]]] = {
    "states": (6, lambda gap, budget: Refining(stages(GAME, Budget()), ASKED, (), gap, budget)),
    "streams": (3, lambda gap, budget: StreamBounds(stages(GAME, Budget()), ASKED, gap, budget)),
    "beliefs": (3, lambda gap, budget: BeliefRefining(hidden_game(), ASKED, gap, budget)),
    "differences": (2, lambda gap, budget: DifferenceRefining(parted(), ASKED, gap, budget)),
    "streams of differences": (
        2,
        lambda gap, budget: DifferenceStreamBounds(parted(), ASKED, NOTHING_KNOWN, gap, budget, most_steps=4),
    ),
}
"""Games of every kind, each with grids enough for one to be made finer."""


@pytest.mark.parametrize("gap", [TINY, HUGE])
@pytest.mark.parametrize(("grids", "made"), MADE.values(), ids=MADE)
def test_every_kind_of_game_ends_in_bounds(grids: int, made: Callable[[Fraction, Budget], Any], gap: Fraction) -> None:
    refining = made(gap, after(grids))
    known = refining.run()
    bracket = known.bracket if isinstance(known, Refinement) else known
    if gap == HUGE and bracket is None:
        assert not refining.reached.pairs  # nothing is as far apart, so nothing was tried
        return
    assert all(bracket.lower.delta(e) <= bracket.upper.delta(e) for e in ASKED)
