"""Games of few hidden states between bounds: nothing lies outside, and the bounds close in."""

import random
from fractions import Fraction

import pytest
from instances.modes import TWO_MODES, modes_game

from dpcert import examine
from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.beliefs.belief_grid import BeliefGrid
from dpcert.audit.beliefs.belief_policies import BeliefLower
from dpcert.audit.beliefs.belief_refining import BeliefRefining
from dpcert.audit.beliefs.belief_root import BeliefRoot
from dpcert.audit.beliefs.belief_upper import BeliefUpper
from dpcert.audit.beliefs.hidden import HiddenGame
from dpcert.audit.beliefs.simplex import Simplex
from dpcert.audit.budget import Budget
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import explore
from dpcert.audit.grids.grid import Grid
from dpcert.audit.grids.root import above, below
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.adaptive import solve

SLOPES = tuple(map(Fraction, ("1", "3/2", "2", "5", "2/3", "1/2", "1/5")))
QUICK, ALL = 25, 2_000


def once(game: BeliefGame, parts: int, step: Fraction, half: int) -> Bracket:
    """Bounds from one grid."""
    hidden = HiddenGame.of(game)
    assert hidden is not None
    grid = BeliefGrid(hidden, parts, Grid(step), half, lambda: None)
    upper, lower = BeliefUpper(grid), BeliefLower(grid)
    bounds = upper.run()
    over, under = BeliefRoot(grid, bounds, upper.slack), BeliefRoot(grid, lower.run(), lower.slack, lower.units)
    return Bracket(below(under.lower(s) for s in SLOPES), above(over.upper(s) for s in SLOPES))


def around(seed: int) -> None:
    rng = random.Random(-seed)
    game = modes_game(seed)
    found = once(game, rng.randint(1, 3), Fraction(rng.randint(20, 500), 1000), rng.choice((1, 3, 12)))
    exact = solve(explore(modes_game(seed))).power
    assert found.lower <= exact <= found.upper, seed


@pytest.mark.in_turns
def test_nothing_lies_outside() -> None:
    for seed in range(QUICK):
        around(seed)


@pytest.mark.thorough
def test_nothing_lies_outside_of_many() -> None:
    for seed in range(QUICK, ALL):
        around(seed)


def test_bounds_close_in() -> None:
    game = BeliefGame(any_view_of(TWO_MODES), HAMMING, 3)  # type: ignore[arg-type]
    hidden = HiddenGame.of(game)
    assert hidden is not None
    found = BeliefRefining(hidden, (Fraction(1), Fraction(2)), Fraction(1, 2000), Budget()).run()
    exact = solve(explore(game)).power
    assert found.bracket.lower <= exact <= found.bracket.upper
    assert found.gap <= Fraction(1, 2000)


@pytest.mark.parametrize("seed", [17, 75, 112])
def test_what_a_node_never_shows_is_paid_for_beside_it(seed: int) -> None:
    """Bets on what world 0 shows of no belief at a node, made where it is believed otherwise, once were free."""
    around(seed)


def test_masses_lie_between_points() -> None:
    rng = random.Random(1)
    for _ in range(200):
        simplex = Simplex(rng.randint(1, 4), rng.randint(1, 6))
        masses = [rng.randint(0, 50) for _ in range(simplex.size)]
        masses[0] += not any(masses)
        around_ = simplex.between(masses)
        assert sum(w for _, w in around_) == 1
        for i, mass in enumerate(masses):
            met = sum(w * int(simplex.points[p][i]) for p, w in around_)
            assert met == Fraction(mass * simplex.parts, sum(masses))


def test_an_audit_of_hidden_state_is_enclosed() -> None:
    modes = TWO_MODES
    exact = examine(modes, horizon=3, exp_epsilons=(1,), tier="exact")["adaptive"]["delta"][0]
    record = examine(modes, horizon=3, exp_epsilons=(1,), tier="enclosed", gap=Fraction(1, 20))
    found = record["adaptive"]["delta"][0]
    assert record["adaptive"]["tier"] == "enclosed"
    assert Fraction(found["lower"]) <= Fraction(exact["lower"]) <= Fraction(found["upper"])
