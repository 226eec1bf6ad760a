"""Games of few hidden states between bounds: nothing lies outside, and the bounds close in."""

import random
from dataclasses import dataclass
from fractions import Fraction

import pytest

from dpcert import Release, examine
from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget
from dpcert.audit.enclosed.belief_grid import BeliefGrid
from dpcert.audit.enclosed.belief_policies import BeliefLower
from dpcert.audit.enclosed.belief_refining import BeliefRefining
from dpcert.audit.enclosed.belief_root import BeliefRoot
from dpcert.audit.enclosed.beliefs import BeliefUpper
from dpcert.audit.enclosed.grid import Grid
from dpcert.audit.enclosed.hidden import HiddenGame
from dpcert.audit.enclosed.root import above, below
from dpcert.audit.enclosed.simplex import Simplex
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.relations.adjacency import ANY, HAMMING, ZERO_OUT, Adjacency, ChallengeAt
from dpcert.audit.relations.hops import Hops
from dpcert.audit.solving.adaptive import solve

SLOPES = tuple(map(Fraction, ("1", "3/2", "2", "5", "2/3", "1/2", "1/5")))
QUICK, ALL = 12, 2_000


@dataclass(frozen=True)
class Modes:
    """Joint laws of output and next state by state and input, as tables of weights."""

    tables: tuple[tuple[tuple[int, ...], ...], ...]
    states: int
    initial: int = 0
    alphabet: tuple[int, ...] = (0, 1)

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        row = self.tables[state][x]
        drawn = draw(Pmf({i: Fraction(w, sum(row)) for i, w in enumerate(row)}))
        return Release(drawn // self.states, None), drawn % self.states


def random_modes(rng: random.Random) -> Modes:
    """One to four hidden states, two outputs; some things never happen, or hardly ever."""
    states, usual = rng.choice((1, 2, 2, 3, 3, 4)), rng.choice(((0, 1, 1, 2, 3), (0, 0, 1, 1, 40), (0, 1, 2**70)))
    table = tuple(
        tuple(
            tuple(max(w, int(i == 0)) for i, w in enumerate(rng.choice(usual) for _ in range(2 * states)))
            for _ in range(2)
        )
        for _ in range(states)
    )
    return Modes(table, states)


def game_of(seed: int) -> BeliefGame:
    """A random game of few rounds."""
    rng = random.Random(seed)
    rounds = rng.randint(1, 4)
    relation: Adjacency = rng.choice(
        [HAMMING, ANY, ChallengeAt(HAMMING, 1), type(ZERO_OUT)(null=0), Hops(HAMMING, 2, rounds)]
    )
    return BeliefGame(any_view_of(random_modes(rng)), relation, rounds)  # type: ignore[arg-type]


def once(game: BeliefGame, parts: int, step: Fraction, half: int) -> Bracket:
    """Bounds from one grid."""
    hidden = HiddenGame.of(game)
    assert hidden is not None
    grid = BeliefGrid(hidden, parts, Grid(step), half, lambda: None)
    upper, lower = BeliefUpper(grid), BeliefLower(grid)
    bounds = upper.run()
    over, under = BeliefRoot(grid, bounds, upper.slack), BeliefRoot(grid, lower.run(), units=lower.units)
    return Bracket(below(under.lower(s) for s in SLOPES), above(over.upper(s) for s in SLOPES))


def around(seed: int) -> None:
    rng = random.Random(-seed)
    game = game_of(seed)
    found = once(game, rng.randint(1, 3), Fraction(rng.randint(20, 500), 1000), rng.choice((1, 3, 12)))
    exact = solve(explore(game_of(seed))).power
    assert found.lower <= exact <= found.upper, seed


@pytest.mark.in_turns
def test_nothing_lies_outside() -> None:
    for seed in range(QUICK):
        around(seed)


@pytest.mark.thorough
def test_nothing_lies_outside_of_many() -> None:
    for seed in range(QUICK, ALL):
        around(seed)


TWO_MODES = Modes((((3, 1, 1, 3), (1, 3, 3, 1)), ((1, 2, 3, 2), (2, 2, 1, 3))), 2)


def test_bounds_close_in() -> None:
    game = BeliefGame(any_view_of(TWO_MODES), HAMMING, 3)  # type: ignore[arg-type]
    hidden = HiddenGame.of(game)
    assert hidden is not None
    found = BeliefRefining(hidden, (Fraction(1), Fraction(2)), Fraction(1, 2000), Budget()).run()
    exact = solve(explore(game)).power
    assert found.bracket.lower <= exact <= found.bracket.upper
    assert found.gap <= Fraction(1, 2000)


def test_what_a_node_never_shows_is_paid_for_beside_it() -> None:
    """Bets on what world 0 shows of no belief at a node, made where it is believed otherwise, once were free."""
    for seed in (21, 28, 43, 54, 59):
        rng = random.Random(seed)
        rounds, relation = rng.randint(2, 4), rng.choice([HAMMING, ANY])
        table = tuple(tuple((0, 40, 1, 1) if rng.random() < 0.5 else (1, 0, 0, 40) for _ in "01") for _ in "01")
        game = BeliefGame(any_view_of(Modes(table, 2)), relation, rounds)  # type: ignore[arg-type]
        found = once(game, 1, Fraction(1, 10), 12)
        exact = solve(explore(game)).power
        assert found.lower <= exact <= found.upper, seed


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
