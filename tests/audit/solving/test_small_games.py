"""Games written down as levels, small enough to follow every line of play: each step of the solver by itself."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import gcd
from typing import Any

import pytest
from instances.same_curve import assert_same_curve
from instances.seeds import chosen
from instances.small_games import Played, many_positions, mirrored, one_of_two, random_levels

from dpcert import Budget, PowerFunction
from dpcert.audit.algebra.chain import IDENTITY, Chain
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.budget import Stopped
from dpcert.audit.games.paired import END, Exploration, Level, Move, Outcome
from dpcert.audit.solving.adaptive import PERFECT, ChainCollector, Solver, chains_of, segments_by_round, solve
from dpcert.audit.solving.strategy import Search, Strategy

SEEDS = chosen(range(12))
ALL = 10**9


@pytest.mark.parametrize("seed", SEEDS)
def test_the_value_of_every_position_is_that_of_the_best_line_of_play(seed: int) -> None:
    levels, collector = many_positions(seed), ChainCollector(ALL)
    solution = solve(Exploration(levels), collector=collector)
    chains = collector.whole(len(levels))
    assert chains is not None
    assert chains == chains_of(levels, Budget(), ALL)
    for at, level in enumerate(levels):
        for position in level.positions:
            power = PowerFunction(chains[at][position])
            assert_same_curve(power, lambda e, at=at, position=position: Played(levels).most(e, at, position))
    assert PowerFunction(chains[0][0]) == solution.power
    assert solution.positions == sum(map(len, chains))


@pytest.mark.parametrize("seed", SEEDS)
def test_rounds_that_were_not_explored_count_as_nothing_or_as_all(seed: int) -> None:
    whole = many_positions(seed)
    part = Exploration(whole[:2], beyond=len(whole[2].positions))
    lower, upper = solve(part).power, solve(part, beyond=PERFECT).power
    assert_same_curve(lower, Played(whole[:2]).most)
    assert_same_curve(upper, Played(whole[:2], perfect=True).most)
    assert lower <= solve(Exploration(whole)).power <= upper


@pytest.mark.parametrize("seed", SEEDS)
def test_segments_are_counted_round_by_round_from_the_last(seed: int) -> None:
    levels = many_positions(seed)
    chains = chains_of(levels, Budget(), ALL)
    assert chains is not None
    wanted = [sum(map(len, set(of_level))) for of_level in reversed(chains)]
    for rounds in (1, 2, 3):
        assert segments_by_round(levels, rounds, ALL, Budget()) == wanted[:rounds]
    for count, total in enumerate(accumulate(wanted), 1):  # one round more than what is allowed, and no further
        assert segments_by_round(levels, 3, total, Budget()) == wanted[: count + 1]
        assert segments_by_round(levels, 3, total - 1, Budget()) == wanted[:count]


def test_chains_are_kept_up_to_a_number_of_segments() -> None:
    levels = many_positions(0)
    chains = chains_of(levels, Budget(), ALL)
    assert chains is not None
    held = sum(len(chain) for of_level in chains for chain in of_level)
    assert chains_of(levels, Budget(), held) == chains
    assert chains_of(levels, Budget(), held - 1) is None
    exact, few = ChainCollector(held), ChainCollector(held - 1)
    assert exact.segments == 0
    solve(Exploration(levels), collector=exact)
    solve(Exploration(levels), collector=few)
    assert exact.whole(3) == chains
    assert few.whole(3) is None
    assert not few.levels
    assert exact.whole(4) is None


def test_as_many_segments_may_be_held_as_are_allowed_and_no_more() -> None:
    levels = random_levels(3, 2)
    chains = solved_with_chains(levels)
    one = len(chains[0][0])
    held = 1 + sum(len(chain) for chain in {*chains[1]} - {IDENTITY})  # nothing left is a chain of one
    with pytest.raises(Stopped, match="MOST_HELD_SEGMENTS"):
        solve(Exploration(levels), most_held=held + one - 1)
    assert solve(Exploration(levels), most_held=held + one).root == chains[0][0]


def solved_with_chains(levels: Sequence[Level]) -> tuple[tuple[Chain, ...], ...]:
    chains = chains_of(levels, Budget(), ALL)
    assert chains is not None
    return chains


@pytest.mark.parametrize("seed", SEEDS)
def test_what_has_the_worlds_swapped_is_solved_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    levels, work = many_positions(seed), []
    plain = Solver._solved
    monkeypatch.setattr(Solver, "_solved", lambda self, options: work.append(options) or plain(self, options))
    alone = chains_of(levels, Budget(), ALL)
    count = len(work)
    both = chains_of(one_of_two(levels, mirrored(levels)), Budget(), ALL)
    assert len(work) == 2 * count + 1
    assert alone is not None
    assert both is not None
    for mine, joined in zip(alone, both[1:], strict=True):
        assert [PowerFunction(chain) for chain in joined[: len(mine)]] == [PowerFunction(chain) for chain in mine]
        swapped = [PowerFunction(chain).reversed() for chain in mine]
        assert [PowerFunction(chain) for chain in joined[len(mine) :]] == swapped


def test_what_is_its_own_mirror_leads_to_mirrors(monkeypatch: pytest.MonkeyPatch) -> None:
    work: list[Any] = []
    plain = Solver._solved
    monkeypatch.setattr(Solver, "_solved", lambda self, options: work.append(options) or plain(self, options))
    levels = many_positions(2)
    symmetric = one_of_two(levels, mirrored(levels))
    leak = Move((0, 1), (Outcome("on", 1, 3, 0), Outcome("over", 2, 0, END)), 3, 3)
    leaking = Level((0,), ((leak,),)), *symmetric
    power = solve(Exploration(leaking)).power
    count = len(work)
    both = solve(Exploration(one_of_two(leaking, mirrored(leaking))))
    assert len(work) == 2 * count + 1
    half = Fraction(1, 2)
    assert both.power == PowerFunction.from_segments(
        [(half * p0, half * p1) for one in (power, power.reversed()) for p0, p1 in one.segments]
    )


# --- adversaries that are read off


def worth_of_strategy(levels: Sequence[Level], strategy: Strategy) -> Fraction:
    """P_first(S) - exp_epsilon P_second(S), by following a policy graph on the game that it was made for."""
    won = [Fraction(0), Fraction(0)]
    own = strategy.nodes[0].slope
    e = strategy.exp_epsilon
    assert own == ((e.denominator, -e.numerator) if strategy.order == "0-1" else (-e.numerator, e.denominator))
    lines = [(0, 0, 0, (Fraction(1), Fraction(1)))]
    while lines:
        number, round_, position, atom = lines.pop()
        node = strategy.nodes[number]
        move = next(move for move in levels[node.round - 1].moves[position] if move.pair == node.pair)
        assert (node.round, node.position) == (round_ + 1, position)
        assert node.slope[0] * own[1] * atom[1] == node.slope[1] * own[0] * atom[0]  # what the slope says of a history
        assert gcd(*node.slope) == 1
        for branch, o in zip(node.branches, move.outcomes, strict=True):
            assert branch.observation == o.observation
            assert branch.probability0 == Fraction(o.weight0, move.denominator0)
            assert branch.probability1 == Fraction(o.weight1, move.denominator1)
            after = atom[0] * branch.probability0, atom[1] * branch.probability1
            if branch.after is not None:
                lines.append((branch.after, node.round, o.after, after))
            elif branch.in_event:
                won = [won[0] + after[0], won[1] + after[1]]
    first, second = won if strategy.order == "0-1" else reversed(won)
    return first - strategy.exp_epsilon * second


@pytest.mark.parametrize("pairs", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_an_adversary_attains_what_the_best_line_of_play_is_worth(seed: int, pairs: int) -> None:
    levels = many_positions(seed) if pairs == 2 else random_levels(seed, pairs=1)
    solution = solve(Exploration(levels))
    search = Search(solution)
    for e in (Fraction(1, 2), Fraction(1), Fraction(7, 4)):
        for order in ORDERS:
            found = search.strategy(e, order, 100)
            assert found is not None
            if order == "1-0":
                assert found.delta == Played(levels).most(e)
            if not found.nodes:
                assert found.delta == max(Fraction(0), 1 - e)
                continue
            assert worth_of_strategy(levels, found) == found.delta
            assert search.strategy(e, order, len(found.nodes)) == found
            assert search.strategy(e, order, len(found.nodes) - 1) is None


def test_an_adversary_for_whom_nothing_pays_stops_at_once() -> None:
    leak = Move((0, 1), (Outcome("a", 1, 2, END), Outcome("b", 5, 4, END)), 6, 6)
    search = Search(solve(Exploration((Level((0,), ((leak,),)),))))
    for order, largest in (("1-0", Fraction(2)), ("0-1", Fraction(5, 4))):
        for e, plays in ((largest, False), (largest + 1, False), (largest - Fraction(1, 9), True)):
            found = search.strategy(e, order, 9)  # type: ignore[arg-type]
            assert found is not None
            assert (len(found.nodes), found.delta > 0) == (int(plays), plays)
    for order, least in (("1-0", Fraction(4, 5)), ("0-1", Fraction(1, 2))):  # below, all that is seen is bet on
        for e, plays in ((least, False), (least / 2, False), (least + Fraction(1, 9), True)):
            found = search.strategy(e, order, 9)  # type: ignore[arg-type]
            assert found is not None
            assert len(found.nodes) == int(plays)
            assert (found.delta > 1 - e) is plays
