"""What floats say of beginnings of streams is what whole numbers say, also where bounds meet what was reached."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from instances.hidden_state import random_interactive
from instances.same_curve import RELATIONS
from instances.seeds import chosen

from dpcert import PowerFunction, supremum
from dpcert.audit.algebra.chain import ordered
from dpcert.audit.algebra.dominance import ShareSteps
from dpcert.audit.budget import Budget
from dpcert.audit.games.folding import folded, folded_from
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import Exploration, Level, explore
from dpcert.audit.kernels.view import view_of
from dpcert.audit.solving import pruning
from dpcert.audit.solving.adaptive import ChainCollector, chains_of, solve
from dpcert.audit.solving.beginnings import Beginning, Bounds, edges, start, worth
from dpcert.audit.solving.fixed_search import _by_number
from dpcert.audit.solving.pruning import Pruning

ALL = 10**9


def levels_of(seed: int) -> tuple[Level, ...]:
    mechanism, _ = random_interactive(80_000 + seed, 2, 2 + seed % 2, 2, allow_halt=seed % 2 == 0)
    return explore(game_of(view_of(mechanism), RELATIONS[seed % len(RELATIONS)][0], 3)).levels


def by_rounds(bounds: Bounds, most: int = 40) -> list[list[Beginning]]:
    """Some beginnings of every length."""
    rounds = [[start()]]
    for at in range(len(bounds.levels)):
        rounds.append([bounds.followed(one, move, at) for one in rounds[-1] for move in bounds.moves(one, at)][:most])
    return rounds[1:]


def check(seed: int) -> tuple[int, int]:
    """How many bounds lie above, and how many do not, of what several curves were reached."""
    game = folded(levels_of(seed))
    values = chains_of(game, Budget(), ALL)
    assert values is not None
    bounds, held = Bounds(game, values), Pruning(Bounds(game, values))
    rounds = by_rounds(bounds)
    wholes = [PowerFunction(bounds.chain(one)) for one in rounds[-1]]
    counts = [0, 0]
    for reached in (supremum(wholes), wholes[0], supremum(wholes[:2]), PowerFunction(values[0][0])):
        for beginnings in rounds:
            exact = [not PowerFunction(bounds.chain(one)) <= reached for one in beginnings]
            assert held.above(beginnings, reached) == exact
            counts = [counts[0] + sum(exact), counts[1] + len(exact) - sum(exact)]
    return counts[0], counts[1]


def test_floats_say_what_whole_numbers_say() -> None:
    above, not_above = zip(*map(check, chosen(range(12))), strict=True)
    assert sum(above) > 0
    assert sum(not_above) > 0


def test_all_that_is_added_up_counts_towards_the_error() -> None:
    """Every segment and every history may be off by a rounding or two; floats are off by less than a quarter of it."""
    game = folded(levels_of(3))
    values = chains_of(game, Budget(), ALL)
    assert values is not None
    bounds = Bounds(game, values)
    for beginnings in by_rounds(bounds, 8):
        held, reached = Pruning(bounds), PowerFunction(bounds.chain(beginnings[0]))
        excess, error, counts = held._excess(beginnings, held._edges_of(reached))
        slopes = list(edges(reached.chain))
        for row, one in enumerate(beginnings):
            segments = [len(bounds.chain_at(one.round, position)) for position, *_ in one.live]
            steps = sum(segments) + len(segments) + len(one.over) + 1
            assert steps * 2.0**-51 <= error[row, 0] <= (steps + 20) * 2.0**-50
            for edge, (c0, c1) in enumerate(slopes):
                exact = (bounds.support(one, (c0, c1)) - worth(reached.chain, (c0, c1))) / (c0 + c1)
                assert abs(Fraction(excess[row, edge]) - exact) * 4 <= error[row, 0]
                assert all(0 <= counts[row][at, edge] <= most for at, most in enumerate(segments))
        looked = sum(len(one.live) + len(one.over) + len(slopes) for one in beginnings)
        held.above(beginnings, reached)
        held.above(beginnings, reached)
        assert held.looked_at == 2 * looked


@pytest.mark.thorough
def test_floats_say_what_whole_numbers_say_at_length() -> None:
    for seed in range(12, 100):
        check(seed)


def test_nothing_but_whole_numbers_decides_where_floats_are_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a large error all is in doubt, and with guesses that are wrong the exact count is still found."""
    monkeypatch.setattr(pruning, "ROUNDING", 1.0)
    plain = pruning.ShareSteps.worth
    monkeypatch.setattr(
        pruning.ShareSteps, "worth", lambda self, k0, k1: (np.zeros(k0.shape, dtype=np.int64), plain(self, k0, k1)[1])
    )
    assert sum(map(sum, map(check, range(2)))) > 0


@pytest.mark.parametrize("seed", range(6))
def test_the_most_of_first_segments_is_that_of_whole_numbers(seed: int) -> None:
    """Also where the first segment has no mass in world 0, or the last none in world 1."""
    rng = Random(seed)
    masses = [(rng.randrange(4), rng.randrange(4)) for _ in range(5)] + [(0, seed % 2), (seed % 3, 0), (1, 1)]
    zeros, ones = zip(*masses, strict=True)
    chain = ordered(list(zeros), list(ones), sum(zeros), sum(ones))
    asked = [(0, 1), (1, 0), (1, 1), (1, 3), (3, 1), (7, 2), (0, 0)]
    steps = ShareSteps.of(chain.mass0, chain.mass1, chain.total0, chain.total1)
    count, most = steps.worth(*(np.array(side, dtype=float) for side in zip(*asked, strict=True)))
    corners = [(x / chain.total0, y / chain.total1) for x, y in chain.graph()]
    for (k0, k1), at, worth_here in zip(asked, count, most, strict=True):
        assert worth_here == pytest.approx(max(0, *(k1 * y - k0 * x for x, y in corners)))
        assert 0 <= at <= len(chain)


def test_one_beginning_alone_is_held_against_what_was_reached() -> None:
    game = folded(levels_of(1))
    values = chains_of(game, Budget(), ALL)
    assert values is not None
    bounds = Bounds(game, values)
    one = by_rounds(bounds, 1)[0]
    whole = PowerFunction(bounds.chain(one[0]))
    assert Pruning(bounds).above(one, whole) == [False]
    assert Pruning(bounds).above(one, PowerFunction.identity()) == [whole != PowerFunction.identity()]


def test_every_edge_of_a_curve_has_its_slope_and_worth() -> None:
    curve = PowerFunction.from_vertices([(0, 0), (0, Fraction(1, 5)), (Fraction(1, 4), Fraction(3, 4)), (1, 1)])
    slopes = list(edges(curve.chain))
    assert slopes == [(11, 5), (1, 3)]
    corners = [(0, Fraction(1, 5)), (Fraction(1, 4), Fraction(3, 4)), (Fraction(1), Fraction(1))]
    for (c0, c1), ends in zip(slopes, pairwise(corners), strict=True):
        assert {c1 * y - c0 * x for x, y in ends} == {worth(curve.chain, (c0, c1))}


def test_chains_gathered_on_the_way_are_those_of_the_folded_game() -> None:
    for seed in range(4):
        levels, gathered = levels_of(seed), ChainCollector(ALL)
        solve(Exploration(levels), collector=gathered)
        game, numbers = folded_from(levels)
        values, known = gathered.whole(len(levels)), chains_of(game, Budget(), ALL)
        assert values is not None
        assert known is not None
        for mine, of_game, named in zip(values, known, numbers, strict=True):
            chosen_ones = _by_number(mine, named)
            assert [PowerFunction(one) for one in chosen_ones] == [PowerFunction(one) for one in of_game]
        few = ChainCollector(gathered.segments - 1)
        solve(Exploration(levels), collector=few)
        assert few.whole(len(levels)) is None
