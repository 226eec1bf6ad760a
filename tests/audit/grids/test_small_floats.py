"""Hidden games in which floats lose what is told: bounds hold all the same, also where a slope multiplies it later."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from dpcert import HALT, Budget, Pmf, Release, examine
from dpcert.audit.beliefs.belief_refining import BeliefRefining
from dpcert.audit.beliefs.difference_fixed import DifferenceStreamBounds
from dpcert.audit.beliefs.difference_refining import DifferenceRefining
from dpcert.audit.beliefs.differences import DifferenceGame
from dpcert.audit.beliefs.hidden import HiddenGame
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import explore
from dpcert.audit.grids.root import below
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.audit.solving.adaptive import solve
from dpcert.audit.solving.analysis import NOTHING_KNOWN

F = Fraction
Draw = Callable[[Pmf[Any]], Any]
MILLIONTH = F(1, 10**6)


@dataclass(frozen=True)
class HardlyEver:
    """All ends in round 1, but with a chance of `chance`: then the hidden place is the input, and is told."""

    chance: Fraction
    alphabet: tuple[int, ...] = (0, 1)
    initial: int = -1

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        """Ends, or goes on."""
        if state >= 0:
            return Release(state), state
        goes_on = draw(Pmf({0: 1 - self.chance, 1: self.chance}))
        return (Release(0), x) if goes_on else (Release(HALT), 0)


@dataclass(frozen=True)
class Waning:
    """In round `first` an input leads to one of two places, which go on together, each round with a small chance."""

    bits: tuple[int, int]
    first: int = 1
    alphabet: tuple[int, ...] = (0, 1)

    @property
    def initial(self) -> int:
        """Rounds until the input counts, below 0."""
        return -self.first

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        """Says whether it goes on."""
        if state < 0:
            return Release("waits"), state + 1 if state < -1 else 2 - x
        goes_on = F(1, 2 ** self.bits[state - 1]) if state else F(0)
        return (Release("on"), state) if draw(Pmf({0: 1 - goes_on, 1: goes_on})) else (Release("ends"), 0)


def game_of(mechanism: Any, rounds: int, relation: Any = HAMMING) -> BeliefGame:
    return BeliefGame(any_view_of(mechanism), relation, rounds)


def hidden(game: BeliefGame) -> HiddenGame:
    found = HiddenGame.of(game)
    assert found is not None
    return found


def differences(game: BeliefGame) -> DifferenceGame:
    found = DifferenceGame.of(hidden(game))
    assert found is not None
    return found


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("bits", [1070, 1080, 1100])
@pytest.mark.parametrize("relation", [HAMMING, ChallengeAt(HAMMING, 1)])
def test_what_round_1_hardly_ever_tells(bits: int, relation: Any) -> None:
    game = game_of(HardlyEver(F(1, 3 * 2**bits)), 2, relation)
    exact = solve(explore(game)).power
    for e in (F(1), F(2), F(10**12)):
        bracket = DifferenceRefining(differences(game), (e,), MILLIONTH, Budget()).run().bracket
        assert bracket.lower <= exact <= bracket.upper
        streams = DifferenceStreamBounds(differences(game), (e,), NOTHING_KNOWN, MILLIONTH, Budget()).run()
        assert streams.lower <= exact <= streams.upper


def test_such_an_audit_refutes_nothing() -> None:
    record = examine(HardlyEver(F(1, 3 * 2**1080)), horizon=2, exp_epsilons=(2,), tier="enclosed")
    assert record["verdict"] != "REFUTED"
    assert record["adaptive"]["total_variation"] != "0"


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.in_turns
def test_what_was_lost_is_multiplied_by_a_slope_where_streams_part(first: int) -> None:
    game = game_of(Waning((115, 141), first), 8 + first, ChallengeAt(HAMMING, first))
    exact, e = solve(explore(game)).power, F(2**200)
    assert exact.hockey_stick(e, "1-0") > F(1, 2**1000)
    assert exact <= DifferenceRefining(differences(game), (e,), MILLIONTH, Budget()).run().bracket.upper
    for gap in (MILLIONTH, F(1, 2**1000)):
        bounds = DifferenceStreamBounds(differences(game), (e,), NOTHING_KNOWN, gap, Budget(), most_steps=2)
        assert exact <= bounds.run().upper


@pytest.mark.parametrize("power", [183, 184, 186])
def test_masses_of_a_policy_that_floats_lose(power: int) -> None:
    game = game_of(Waning((112, 135)), 9, ChallengeAt(HAMMING, 1))
    refining = BeliefRefining(hidden(game), (F(2**power),), MILLIONTH, Budget())
    refining.lower.parts, refining.lower.step = 1, F(1, 4)
    refining._refine(refining.lower)
    assert below(refining.points) <= solve(explore(game)).power


@dataclass(frozen=True)
class Coarse:
    """Two hidden places with laws in millionths and thirds."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        """Says something, and moves."""
        a, third = MILLIONTH, F(1, 3)
        laws = (
            ({(0, 0): a, (0, 1): a, (2, 1): 1 - 2 * a}, {(1, 1): third, (2, 0): 2 * third}),
            ({(0, 0): third / 2, (0, 1): third / 2, (1, 0): third, (2, 1): third}, {(1, 1): F(1, 2), (2, 0): F(1, 2)}),
        )
        shown, after = draw(Pmf(laws[state][x]))
        return Release(shown), after


@pytest.mark.parametrize(("e", "gap"), [(10**12, F(1)), (10**10, F(1, 100)), (10**9, F(1, 1000))])
def test_units_at_slopes_that_a_wide_gap_makes_flat(e: int, gap: Fraction) -> None:
    record = examine(Coarse(), horizon=2, exp_epsilons=(e,), tier="enclosed", gap=gap)
    (row,) = record["adaptive"]["delta"]
    exact = solve(explore(game_of(Coarse(), 2))).power.delta(e)
    assert F(row["lower"]) <= exact <= F(row["upper"])
