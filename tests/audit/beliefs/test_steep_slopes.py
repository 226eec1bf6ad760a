"""Hidden games and fixed streams at steep slopes: nothing lies outside, and bounds close in relatively."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from instances.enclosed_games import game_of
from instances.modes import Modes, modes_game
from instances.random_markov import RandomMarkov
from instances.seeds import chosen
from instances.small_hidden import differences, small_hidden

from dpcert import Budget, Pmf, Release, bernoulli
from dpcert.audit.beliefs.belief_grid import BeliefGrid
from dpcert.audit.beliefs.belief_policies import BeliefLower
from dpcert.audit.beliefs.belief_refining import BeliefRefining
from dpcert.audit.beliefs.belief_root import BeliefRoot
from dpcert.audit.beliefs.difference_fixed import DifferenceStreamBounds
from dpcert.audit.beliefs.difference_play import DifferencePlay
from dpcert.audit.beliefs.difference_policies import DifferencePolicies
from dpcert.audit.beliefs.difference_refining import DifferenceRefining
from dpcert.audit.beliefs.differences import DifferenceGrid
from dpcert.audit.beliefs.directions import Graded, count_graded
from dpcert.audit.beliefs.hidden import HiddenGame
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import Game, PairedGame, closed, explore
from dpcert.audit.grids.grid import Grid
from dpcert.audit.grids.stages import stages
from dpcert.audit.grids.streams import StreamBounds
from dpcert.audit.grids.units import RelativeUnits, Units
from dpcert.audit.kernels.view import any_view_of, core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.adaptive import solve
from dpcert.audit.solving.analysis import NOTHING_KNOWN
from dpcert.audit.solving.fixed import fixed_stream
from dpcert.audit.solving.fixed_hidden import fixed_pairs

STEEP = tuple(map(Fraction, (1, 10**3, 10**7, 10**12, 10**40)))


def adaptive(game: Game[Any]) -> Any:
    """The exact curve."""
    return solve(explore(game)).power


def beliefs(seed: int) -> None:
    """One grid of beliefs on either side, with one or two orientations."""
    rng, game = random.Random(seed), modes_game(seed)
    hidden = HiddenGame.of(game)
    assert hidden is not None
    made = BeliefRefining(hidden, STEEP, Fraction(1), Budget())
    for side in (made.upper, made.lower):
        side.parts, side.step = rng.randint(1, 3), Fraction(rng.randint(100, 1000), 1000)
        assert made._refine(side)
    assert all(isinstance(one.units, RelativeUnits) for one in made.orientations)
    found = made.bracket()
    assert found.lower <= adaptive(game) <= found.upper, seed


def by_differences(seed: int) -> None:
    """The same of differences."""
    game = differences(small_hidden(seed))
    if game is not None:
        made = DifferenceRefining(game, STEEP, Fraction(1), Budget())
        found = made.run(first=random.Random(seed).randint(1, 3)).bracket
        assert found.lower <= adaptive(small_hidden(seed)) <= found.upper, seed


def hidden_streams(seed: int) -> None:
    """Fixed streams of the same; each pair of streams reaches what it is said to."""
    game, rng = differences(small_hidden(seed)), random.Random(seed)
    if game is None:
        return
    gap = Fraction(1, rng.choice((3, 100, 10_000)))
    bounds = DifferenceStreamBounds(game, STEEP, NOTHING_KNOWN, gap, Budget(), most_steps=rng.randint(1, 2))
    found, exact = bounds.run(), fixed_pairs(closed(explore(small_hidden(seed))))
    assert found is not None
    assert found.lower <= exact.power <= found.upper, seed
    for number, pairs in bounds.reached.pairs.items():
        (curve,) = [one for streams, one in exact.curves.items() if streams == pairs[: len(streams)]]
        assert bounds.reached.curves[number] <= curve, seed


def streams(seed: int) -> None:
    """Fixed streams of cores."""
    game = game_of(seed)
    bounds = StreamBounds(stages(game, Budget()), STEEP, Fraction(1, 50), Budget())
    found, exact = bounds.run(), fixed_stream(closed(explore(game)))
    assert exact.complete
    assert found is not None
    assert found.lower <= exact.power <= found.upper, seed
    assert bounds.apart() <= Fraction(1, 50), seed


KINDS: tuple[Callable[[int], None], ...] = (beliefs, by_differences, hidden_streams, streams)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(8)))
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_lies_outside(kind: Callable[[int], None], seed: int) -> None:
    kind(seed)


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_lies_outside_of_many(kind: Callable[[int], None], block: int) -> None:
    for seed in range(8 + block, 1_000, 4):
        kind(seed)


@dataclass(frozen=True)
class Rare:
    """A hidden place that is often told, and to which an input of 0 hardly ever leads."""

    rare: int
    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def step(self, state: int, x: int, draw: Callable[[Pmf[Any]], Any]) -> tuple[Release[Any, Any], int]:
        """Moves to the place, or away from it again, and tells it with a coin's chance."""
        place = draw(bernoulli(Fraction(1, 3) if x else Fraction(1, self.rare))) if not state else 1
        return Release(place * draw(bernoulli(Fraction(1, 2)))), place


@pytest.mark.in_turns
@pytest.mark.parametrize("e", [10**6, 10**9, 10**12, 10**15])
def test_bounds_on_hidden_games_close_in_at_a_steep_slope(e: int) -> None:
    """Relatively: the adaptive curve and that of fixed streams, by differences."""
    game = BeliefGame(any_view_of(Rare(10 * e)), HAMMING, 4)  # type: ignore[arg-type]
    by_difference, slopes, explored = differences(game), (Fraction(e),), explore(game)
    assert by_difference is not None
    exact, fixed = solve(explored).power.delta(slopes[0]), fixed_pairs(closed(explored)).power.delta(slopes[0])
    gap = Fraction(1, 10**9)
    found = DifferenceRefining(by_difference, slopes, gap, Budget()).run()
    assert found.gap <= gap
    assert found.bracket.lower.delta(slopes[0]) <= exact <= found.bracket.upper.delta(slopes[0])
    streams = DifferenceStreamBounds(by_difference, slopes, NOTHING_KNOWN, gap, Budget()).run()
    assert streams is not None
    assert streams.lower.delta(slopes[0]) <= fixed <= streams.upper.delta(slopes[0]) <= fixed + gap
    assert streams.upper.delta(slopes[0]) - streams.lower.delta(slopes[0]) <= gap


@pytest.mark.in_turns
def test_bounds_on_beliefs_close_in_at_a_steep_slope() -> None:
    game, e = BeliefGame(any_view_of(Rare(10**16)), HAMMING, 3), Fraction(10**12)  # type: ignore[arg-type]
    hidden = HiddenGame.of(game)
    assert hidden is not None
    found = BeliefRefining(hidden, (e,), Fraction(1, 10**4), Budget()).run()
    assert found.gap <= Fraction(1, 10**4)
    assert found.bracket.lower.delta(e) <= adaptive(game).delta(e) <= found.bracket.upper.delta(e)


REMEMBERED = RandomMarkov((0, 1), ((1, 2), (1, 1), (2, 2)), ((1, 1, 1), (50, 7, 2), (1, 9, 31)))
"""The first input, told again in every round."""


@pytest.mark.in_turns
@pytest.mark.parametrize("e", [10**6, 10**10, 10**14])
def test_bounds_on_fixed_streams_close_in_at_a_steep_slope(e: int) -> None:
    game = PairedGame(core_of(REMEMBERED), HAMMING, 12)
    exact = fixed_stream(closed(explore(game))).power.delta(Fraction(e))
    gap = exact / 1000
    bounds = StreamBounds(stages(game, Budget()), (Fraction(e),), gap, Budget())
    found = bounds.run()
    assert found is not None
    assert bounds.apart() <= gap
    assert 0 < found.lower.delta(Fraction(e)) <= exact <= found.upper.delta(Fraction(e))


def many_outcomes(seed: int) -> Modes:
    """Two hidden states, and twenty outcomes of nearly one ratio from each, after which they are hardly told apart."""
    rng = random.Random(seed)
    rows = [tuple(2**20 + rng.randint(0, 99) for _ in range(40)) for _ in range(4)]
    return Modes(((rows[0], rows[1]), (rows[2], rows[3])), 2)


def test_vectors_lie_between_points_of_a_graded_grid() -> None:
    rng = random.Random(3)
    for _ in range(40):
        grid = Graded(rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 9))
        points, most = grid.points, rng.choice((3, 50, 2**90))
        assert len(points) == count_graded(grid.size, grid.parts, grid.octaves)
        assert (points[: grid.beliefs] >= 0).all()
        assert (abs(points).sum(axis=1) == grid.scale).all()
        vectors = [[rng.choice((1, 1, most)) * rng.randint(-most, most) for _ in range(grid.size)] for _ in range(6)]
        made, weights = grid.shares(np.array([*vectors, [0] * grid.size], dtype=object), 7)
        assert not weights[-1].any()
        assert (weights >= 0).all()
        for vector, ids, parts in zip(vectors, made, weights, strict=False):
            around = [(points[i], Fraction(w)) for i, w in zip(ids.tolist(), parts.tolist(), strict=True) if w]
            assert all((point * np.array(vector, dtype=object) >= 0).all() for point, _ in around)
            for place, size in enumerate(vector):
                met = 7 * sum(w * point[place] for point, w in around) / grid.scale
                assert abs(met - size) <= abs(size) * Fraction(1, 2**50)


def rounded_outward(floats: Iterable[Fraction], exact: Iterable[Fraction]) -> bool:
    """Whether what a policy has in floats is at least what it has in world 0, at most what it has in world 1."""
    (x, y), (x1, y1) = floats, exact
    return x1 <= x <= x1 * (1 + Fraction(1, 10**10)) and y1 * (1 - Fraction(1, 10**10)) <= y <= y1


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", range(8))
def test_all_that_is_added_up_is_counted_when_a_hidden_policy_is_played(seed: int) -> None:
    """All outcomes of a round lead to a few points of a coarse grid, so that sums are of many masses."""
    game = differences(BeliefGame(any_view_of(many_outcomes(seed)), HAMMING, 4))  # type: ignore[arg-type]
    assert game is not None
    slopes = (Fraction(1), Fraction(10**6 + 1, 10**6))
    policies = DifferencePolicies(DifferenceGrid(game, 1, lambda: None), slopes).run()
    for i in range(len(slopes)):
        played = DifferencePlay(policies, i, RelativeUnits())
        floats, exact = played.point(), DifferencePlay(policies, i, Units(400)).point()
        assert exact[1] > 0
        assert rounded_outward(floats, exact)
        assert played.slack > 3 * 20


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", range(4))
def test_all_that_is_added_up_is_counted_on_beliefs(seed: int) -> None:
    hidden = HiddenGame.of(BeliefGame(any_view_of(many_outcomes(seed)), HAMMING, 3))  # type: ignore[arg-type]
    assert hidden is not None
    grid, points = BeliefGrid(hidden, 1, Grid(Fraction(1, 1000)), 4, lambda: None), []
    for units in (RelativeUnits(), Units(400)):
        lower = BeliefLower(grid, units)
        points.append(BeliefRoot(grid, lower.run(), lower.slack, units).lower(Fraction(1)))
    assert lower.slack > 2 * 20
    assert points[1][1] > 0
    assert rounded_outward(*points)
