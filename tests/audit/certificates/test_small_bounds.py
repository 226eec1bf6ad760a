"""Curves of certificates of games that are written down as levels: on or above the truth, near it, and checked."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from instances.exact_curves import exact_chains
from instances.seeds import chosen
from instances.small_games import mirrored, one_of_two, random_levels

from dpcert import PowerFunction
from dpcert.audit.algebra.chain import Chain, ordered
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.certificates import certificate as certificates
from dpcert.audit.certificates import reach as reaching
from dpcert.audit.certificates.bounding import Bounding, mirrors
from dpcert.audit.certificates.certificate import _near, bounds_of
from dpcert.audit.certificates.heights import Heights, Ray
from dpcert.audit.certificates.lines import Lines
from dpcert.audit.certificates.loose import loose_bounds, room
from dpcert.audit.certificates.outward import Outward
from dpcert.audit.certificates.play_lines import narrowed
from dpcert.audit.certificates.reach import RequestedRays
from dpcert.audit.certificates.unsolved import unsolved
from dpcert.audit.games.paired import END, Exploration, Level, Move, Outcome
from dpcert.audit.solving.adaptive import ChainCollector, Solution, solve
from dpcert.audit.solving.fixed_hidden import fixed_pairs
from dpcert.verify_certificate import Curve, holds

SLOPES = Fraction(1), Fraction(3, 2), Fraction(4)
SEEDS = chosen(range(16))
RAYS: list[Ray] = [(1, 1), (1, 5), (5, 1), (2, 3), (3, 2), (1, 50), (50, 1)]


def solved(seed: int, rounds: int = 3) -> Solution:
    return solve(Exploration(random_levels(seed, rounds)))


def curve_of(chain: Chain) -> Curve:
    return Curve(0, [int(m) for m in chain.mass0], [int(m) for m in chain.mass1])


def follows(values: Sequence[Any], curves: Sequence[Chain]) -> bool:
    """Whether the checker finds that every curve bounds what each option leads to."""
    read = [curve_of(curve) for curve in curves]
    for value, curve in zip(values, read, strict=True):
        for d0, d1, runs in value.options:
            parts = [(k0 * d1, k1 * d0, read[v]) for v, k0, k1 in runs]
            if not holds(curve, parts, d0 * d1):
                return False
    return True


def excess(above: Chain, chain: Chain, ray: Ray) -> Fraction:
    one, two = Heights(above), Heights(chain)
    return Fraction(one.of(ray), one.unit) - Fraction(two.of(ray), two.unit)


@pytest.mark.parametrize("seed", SEEDS)
def test_exact_curves_are_the_truth_at_the_slopes_that_count(seed: int) -> None:
    solution = solved(seed)
    bounds, chains = bounds_of(solution, SLOPES, None), exact_chains(solution)
    curves = [bounds.of(number) for number in range(len(solution.values))]
    assert follows(solution.values, curves)
    for rays, curve, chain in zip(bounds.rays, curves, chains, strict=True):
        assert rays is not None
        assert all(excess(curve, chain, ray) == 0 for ray in rays)
        assert all(excess(curve, chain, ray) >= 0 for ray in RAYS)
    root = solution.value_of[0][0]
    for e in SLOPES:
        for order in ORDERS:
            assert PowerFunction(curves[root]).hockey_stick(e, order) == solution.power.hockey_stick(e, order)


@pytest.mark.parametrize("times", [(100, 10, 1), (1,), (10**9, 1)])
@pytest.mark.parametrize("gap", [Fraction(1, 3), Fraction(1, 1000)])
@pytest.mark.parametrize("seed", SEEDS)
def test_thinned_curves_follow_from_one_another_and_end_within_the_gap(
    seed: int, gap: Fraction, times: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "OVERDRAWN", times)
    solution = solved(seed)
    outward, chains = Outward.of_gap(gap, 3, max(SLOPES)), exact_chains(solution)
    for bounds in (bounds_of(solution, SLOPES, outward), loose_bounds(unsolved(solution.levels), SLOPES, outward)):
        curves = [bounds.of(number) for number in range(len(bounds.values))]
        assert follows(bounds.values, curves)
        root = bounds.of(solution.value_of[0][0]) if bounds.values is solution.values else curves[-1]
        assert all(excess(root, chains[solution.value_of[0][0]], ray) >= 0 for ray in RAYS)
        for e in SLOPES:
            for order in ORDERS:
                truth = solution.power.hockey_stick(e, order)
                assert truth <= PowerFunction(root).hockey_stick(e, order) <= truth + gap


@pytest.mark.parametrize(("seed", "gap"), [(6, Fraction(1, 20)), (9, Fraction(1, 3)), (17, Fraction(1, 3))])
def test_an_exact_curve_stands_only_on_exact_ones(seed: int, gap: Fraction) -> None:
    """Of three moves some lead to curves that were thinned, and the exact one is below what these add up to."""
    solution = solve(Exploration(random_levels(seed, 3, pairs=3)))
    bounds = bounds_of(solution, SLOPES, Outward.of_gap(gap, 3, max(SLOPES)))
    curves = [bounds.of(number) for number in range(len(solution.values))]
    assert follows(solution.values, curves)
    kinds = {one is two for one, two in zip(curves[1:], bounds.exact[1:], strict=True)}
    assert kinds == {True, False}


def test_the_mirror_of_a_curve_that_was_thinned_is_no_exact_one() -> None:
    levels = random_levels(102, 3, pairs=3)
    solution = solve(Exploration(one_of_two(levels, mirrored(levels))))
    bounds = bounds_of(solution, SLOPES, Outward.of_gap(Fraction(1, 3), 4, max(SLOPES)))
    assert follows(solution.values, [bounds.of(number) for number in range(len(solution.values))])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mirrored_game_has_mirrored_curves(seed: int) -> None:
    levels = random_levels(seed, 2)
    solution = solve(Exploration(one_of_two(levels, mirrored(levels))))
    twins = mirrors(solution.values)
    halves = [numbers[: len(numbers) // 2] for numbers in solution.value_of[1:]]
    others = [numbers[len(numbers) // 2 :] for numbers in solution.value_of[1:]]
    for mine, theirs in zip(halves, others, strict=True):
        assert [twins[number] for number in mine] == list(theirs)
        assert [twins[number] for number in theirs] == list(mine)
    assert twins[0] == 0
    for outward in (None, Outward.of_gap(Fraction(1, 50), 3, max(SLOPES))):
        bounds = bounds_of(solution, SLOPES, outward)
        curves = [bounds.of(number) for number in range(len(solution.values))]
        assert all(curves[one] == curves[two].reversed() for one, two in twins.items() if one != two)
        assert follows(solution.values, curves)
    bounds = loose_bounds(unsolved(solution.levels), SLOPES, Outward.of_gap(Fraction(1, 50), 3, max(SLOPES)))
    assert follows(bounds.values, [bounds.of(number) for number in range(len(bounds.values))])


def test_where_no_exact_curves_are_held_no_more_is_spent_than_the_gap_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    solution, given = solved(2), []
    plain = certificates.LeftOver
    monkeypatch.setattr(certificates, "LeftOver", lambda *what: given.append(what[3]) or plain(*what))
    outward = Outward.of_gap(Fraction(1, 50), 3, max(SLOPES))
    bounds_of(solution, SLOPES, outward)
    assert given[0] == {ray: 100 * most for ray, most in room(SLOPES, outward).items()}  # as long as it comes out near
    given.clear()
    monkeypatch.setattr(certificates, "MOST_SEGMENTS_AT_ONCE", 0)
    bounds_of(solution, SLOPES, outward)
    assert given == [room(SLOPES, outward)]


def test_as_many_segments_are_held_at_once_as_are_allowed() -> None:
    solution = solved(2)
    bounds = bounds_of(solution, SLOPES, None)
    plain = Bounding(solution.values, bounds.hulls, bounds.mirror)
    curves = list(plain.all(10**9))
    assert curves == [PowerFunction(chain).chain for chain in curves]
    assert len(curves) == len(solution.values)
    count = sum(map(len, curves))
    assert Bounding(solution.values, bounds.hulls, bounds.mirror).all(count) == curves
    few = Bounding(solution.values, bounds.hulls, bounds.mirror)
    assert few.all(count - 1) == []
    assert not few.chains
    assert [PowerFunction(curve) for curve in curves] == [PowerFunction(chain) for chain in exact_chains(solution)]


def test_of_two_curves_alike_in_length_the_exact_one_is_taken() -> None:
    """Where the exact curve is no longer than a thinned one, and all that it is made of is exact."""
    solution = solved(2)
    outward = Outward.of_gap(Fraction(1, 10**9), 3, max(SLOPES))
    bounds = bounds_of(solution, SLOPES, outward)
    assert any(one is two for one, two in zip(bounds.all(10**9)[1:], bounds.exact[1:], strict=True))
    for one, two in zip(bounds.chains, bounds.exact, strict=True):
        assert one is two or len(one) < len(two) or all(excess(one, two, ray) >= 0 for ray in RAYS)


def test_a_bound_is_near_enough_if_it_exceeds_delta_by_the_gap_at_most() -> None:
    power = PowerFunction.from_segments([(Fraction(1, 4), Fraction(3, 4)), (Fraction(3, 4), Fraction(1, 4))])
    above = PowerFunction.from_segments([(Fraction(1, 8), Fraction(7, 8)), (Fraction(7, 8), Fraction(1, 8))])
    slopes = (Fraction(1), Fraction(2))  # of 1/2 and 1/4 it makes 3/4 and 5/8
    assert _near(above, power, slopes, Outward(5, 1))
    assert not _near(above, power, slopes, Outward(6, 1))
    assert _near(power, power, slopes, Outward(10**9, 1))
    assert not _near(above, power, (Fraction(2),), Outward(6, 1))
    assert _near(above, power, (Fraction(1),), Outward(8, 1))  # by exactly the gap


def test_the_root_may_exceed_the_truth_by_the_gap_at_either_order() -> None:
    assert Outward.of_gap(Fraction(3, 7), 1, Fraction(1)).within == 5
    outward = Outward.of_gap(Fraction(1, 7), 3, Fraction(4))
    assert outward.within == 14
    assert outward.grid == 512  # the least power of two above 2 * 3 * 14 * (4 + 1)
    assert Outward.of_gap(Fraction(2), 1, Fraction(3)).grid == 16  # and of 8 not 8 itself
    assert Outward.of_gap(Fraction(2), 1, Fraction(5, 2)).grid == 8
    assert room((Fraction(1), Fraction(3, 2)), outward) == dict.fromkeys([(1, 1), (3, 2), (2, 3)], Fraction(1, 14))


# --- slopes that count


@pytest.mark.parametrize("seed", SEEDS)
def test_slopes_are_those_that_every_outcome_leads_to_in_lowest_terms(seed: int) -> None:
    solution = solved(seed)
    reach = RequestedRays.of(solution, (Fraction(2),), mirrors(solution.values))
    root = solution.value_of[0][0]
    assert reach.rays[root] == {(1, 2), (2, 1)} if root else True
    for number, value in enumerate(solution.values):
        here = reach.rays[number]
        assert here is not None
        for d0, d1, runs in value.options:
            for v, k0, k1 in runs:
                if v and k0 and k1:
                    after = {Fraction(a * k0 * d1, b * k1 * d0) for a, b in here}
                    assert {(one.numerator, one.denominator) for one in after} <= (reach.rays[v] or set())


def test_past_a_number_of_slopes_all_count(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solved(2)
    mirror = mirrors(solution.values)
    every = RequestedRays.of(solution, SLOPES, mirror).rays
    most = max(len(rays or ()) for rays in every)
    monkeypatch.setattr(reaching, "MOST_RAYS", most)
    assert RequestedRays.of(solution, SLOPES, mirror).rays == every
    monkeypatch.setattr(reaching, "MOST_RAYS", most - 1)
    fewer = RequestedRays.of(solution, SLOPES, mirror).rays
    assert None in fewer
    assert all(some is None or some == rays for some, rays in zip(fewer, every, strict=True))
    bounds = bounds_of(solution, SLOPES, None)
    assert follows(solution.values, [bounds.of(number) for number in range(len(solution.values))])


@pytest.mark.parametrize("seed", SEEDS)
def test_slopes_of_a_value_count_for_its_mirror_with_the_worlds_swapped(seed: int) -> None:
    levels = random_levels(seed, 2)
    solution = solve(Exploration(one_of_two(levels, mirrored(levels))))
    twins = mirrors(solution.values)
    rays = RequestedRays.of(solution, (Fraction(2),), twins).rays
    for number, twin in twins.items():
        if 0 < twin < number:
            assert {(b, a) for a, b in rays[number] or ()} <= (rays[twin] or set())


def test_where_some_of_two_count_everywhere_all_do(monkeypatch: pytest.MonkeyPatch) -> None:
    some: set[Ray] = {(1, 1), (1, 2)}
    assert reaching._both(some, {(1, 2), (2, 1)}) == {(1, 1), (1, 2), (2, 1)}
    assert reaching._both(None, some) is reaching._both(some, None) is reaching._both(None, None) is None
    monkeypatch.setattr(reaching, "MOST_RAYS", 2)
    assert reaching._both(some, {(1, 2)}) == some
    assert reaching._both(some, {(2, 1)}) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_shares_of_what_may_be_lost_add_up_to_one_at_most_along_every_way(seed: int) -> None:
    levels = random_levels(seed, 3, quiet=seed % 2)  # in silence a value is that of the next round as well
    solution = solve(Exploration(one_of_two(levels, mirrored(levels)) if seed % 3 else levels))
    twins = mirrors(solution.values)
    shares = RequestedRays.of(solution, SLOPES, twins).shares
    assert all(0 < share <= 1 for share in shares)
    assert sum(max(shares[v] for v in numbers) for numbers in solution.value_of[:-1] if any(numbers)) <= 1
    assert all(shares[one] == shares[two] for one, two in twins.items())


# --- heights and lines


def test_the_height_of_a_chain_is_that_of_its_highest_corner() -> None:
    chain = ordered([0, 1, 2, 3], [4, 3, 2, 1], 6, 10)
    corners = [(Fraction(x, 6), Fraction(y, 10)) for x, y in chain.graph()]
    heights = Heights(chain)
    assert heights.unit == 60
    for a in range(5):
        for b in range(5):
            assert Fraction(heights.of((a, b)), 60) == max(0, *(b * y - a * x for x, y in corners))
    assert heights.slopes([0, 1, 3]) == [(18, 10), (6, 30)]  # the first edge goes straight up


def test_a_line_says_which_one_uses_it_last_and_how_many_are_in_use_at_once() -> None:
    lines = Lines()
    one = lines.add({"one": lines.wholes([7, 10**20])})
    two = lines.add({"two": one}, [one])
    lines.add({"note": lines.rational(Fraction(3, 4))}, kept=False)
    three = lines.add({"three": "\u00e9"}, [two])
    lines.add({"four": three}, [one, three], kept=False)
    assert (one, two, three) == (2, 3, 5)
    assert [*lines.documents()][2] == {"note": "3/4"}
    assert lines.written({"kind": "x"}).splitlines() == [
        '{"kind":"x","digits":21,"live":3,"lines":6}',
        '{"one":"7 100000000000000000000","last":6}',
        '{"two":2,"last":5}',
        '{"note":"3/4"}',
        '{"three":"\\u00e9","last":6}',
        '{"four":5}',
    ]


def test_of_short_numbers_one_digit_is_stated() -> None:
    lines = Lines()
    lines.add({"one": lines.wholes([0, 7, 9])})
    assert lines.written({}).startswith('{"digits":1,')
    assert Lines().written({}).startswith('{"digits":1,"live":0,"lines":1}')


def test_a_line_that_no_other_uses_is_in_use_until_it_was_read() -> None:
    lines = Lines()
    for _ in range(3):
        lines.add({"x": 1})
    assert '"live":1,' in lines.written({})
    used = Lines()
    first = [used.add({"x": 1}) for _ in range(3)]
    used.add({"all": first}, first, kept=False)
    assert '"live":3,' in used.written({})


# --- streams that are submitted alone


@pytest.mark.parametrize("seed", SEEDS)
def test_the_game_of_two_streams_alone_has_their_curve(seed: int) -> None:
    levels = random_levels(seed, 3)
    for pairs, curve in fixed_pairs(levels).curves.items():
        only = narrowed(levels, pairs)
        assert all(len(moves) == 1 for level in only for moves in level.moves)
        assert [moves[0].pair for level in only for moves in level.moves[:1]] == list(pairs)
        assert solve(Exploration(only)).power == curve
        positions = [set(level.positions) for level in levels]
        assert all(set(level.positions) <= all_of for level, all_of in zip(only, positions, strict=False))


def test_streams_that_are_over_early_leave_no_rounds() -> None:
    over = Move((0, 1), (Outcome("a", 1, 2, END), Outcome("b", 2, 1, END)), 3, 3)
    first, after = Level((0,), ((over,),)), random_levels(0, 1)[0]
    assert narrowed((first, after), ((0, 1), (0, 0))) == (first,)
    assert narrowed((first, after), ((0, 1),)) == (first,)
    gathered = ChainCollector(10)
    solve(Exploration(narrowed((first, after), ((0, 1),))), collector=gathered)
    assert gathered.whole(1) is not None


def test_positions_of_the_streams_submitted_alone_come_in_the_order_in_which_they_are_met() -> None:
    """Outcomes lead to the third and then to the second position of the next round, and to the third once more."""
    both = Move((0, 1), (Outcome("a", 1, 1, 2), Outcome("b", 1, 1, 1), Outcome("c", 1, 1, 2)), 3, 3)
    on = Move((0, 0), (Outcome("a", 1, 1, 0),), 1, 1)
    end = Move((1, 0), (Outcome("a", 1, 1, END),), 1, 1)
    levels = (
        Level(("start",), ((both, end),)),
        Level(("x", "y", "z"), ((end,), (on, end), (on,))),
        Level(("last", "never"), ((end,), (end,))),
    )
    first, second, third = narrowed(levels, ((0, 1), (0, 0), (1, 0)))
    assert (first.positions, second.positions, third.positions) == (("start",), ("z", "y"), ("last",))
    assert [outcome.after for outcome in first.moves[0][0].outcomes] == [0, 1, 0]
    assert [move.outcomes[0].after for (move,) in second.moves] == [0, 0]
    assert third.moves == ((end,),)
