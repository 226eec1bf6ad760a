"""What each curve of a certificate may lose: all of them together no more than the root may, and little less."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd
from typing import Any

import pytest
from instances.exact_curves import exact_chains
from instances.seeds import chosen
from instances.small_games import mirrored, one_of_two, random_levels

from dpcert.audit.algebra.chain import Chain
from dpcert.audit.certificates import tolerances as told
from dpcert.audit.certificates.bounding import mirrors
from dpcert.audit.certificates.heights import Heights, Ray
from dpcert.audit.certificates.tolerances import TOLERANCE_UNIT, LeftOver, Tolerances, _after, _depths
from dpcert.audit.certificates.unsolved import Options
from dpcert.audit.games.paired import END, Exploration, Level, Move, Outcome
from dpcert.audit.solving.adaptive import Option, Solution, solve

RAYS: list[Ray] = [(1, 1), (1, 3), (3, 1), (3, 2)]
SMALL, LARGE = Fraction(1, 10**6), Fraction(1, 50)


def height(chain: Chain, ray: Ray) -> Fraction:
    heights = Heights(chain)
    return Fraction(heights.of(ray), heights.unit)


def lowest(a: Fraction, b: Fraction) -> Ray:
    common = a.denominator * b.denominator
    p, q = int(a * common), int(b * common)
    return p // gcd(p, q), q // gcd(p, q)


def worst(
    values: Sequence[Any], mirror: Mapping[int, int], own: Tolerances, number: int, a: Fraction, b: Fraction
) -> Any:
    """The highest bound on a value at a slope if every curve loses all that it may."""
    if number == 0 or not a or not b:
        return max(b - a, Fraction(0))
    if mirror.get(number, number) < number:
        return worst(values, mirror, own, mirror[number], b, a) + b - a
    most = own.at[number].get(lowest(a, b), own.everywhere[number])
    here = [
        sum((worst(values, mirror, own, v, a * k0 / d0, b * k1 / d1) for v, k0, k1 in runs), Fraction(0))
        for d0, d1, runs in values[number].options
    ]
    return max(here) + min(a, b) * Fraction(most, TOLERANCE_UNIT)


def spent(solution: Solution, room: Fraction, curves: Sequence[Chain]) -> dict[Ray, Fraction]:
    """By slope, what is lost at the root if all curves lose what they may, in parts of what it may lose."""
    mirror, root = mirrors(solution.values), solution.value_of[0][0]
    own = LeftOver(solution.values, root, mirror, dict.fromkeys(RAYS, room), curves).tolerances()
    assert all(most >= 0 for at in own.at for most in at.values())
    truth = exact_chains(solution)[root]
    return {
        (a, b): (worst(solution.values, mirror, own, root, Fraction(a), Fraction(b)) - height(truth, (a, b)))
        / (min(a, b) * room)
        for a, b in RAYS
    }


@pytest.mark.parametrize("room", [SMALL, LARGE])
@pytest.mark.parametrize("seed", chosen(range(20)))
def test_all_curves_together_lose_no_more_than_the_root_may(seed: int, room: Fraction) -> None:
    solution = solve(Exploration(random_levels(seed, 3)))
    if solution.value_of[0][0]:
        for curves in (exact_chains(solution), []):
            assert all(0 < part <= 1 for part in spent(solution, room, curves).values())


@pytest.mark.parametrize("seed", chosen(range(12)))
def test_a_value_and_its_mirror_have_the_less_of_what_comes_to_both(seed: int) -> None:
    levels = random_levels(seed, 2)
    solution = solve(Exploration(one_of_two(levels, mirrored(levels))))
    if solution.value_of[0][0]:
        for curves in (exact_chains(solution), []):
            assert all(0 < part <= 1 for part in spent(solution, SMALL, curves).values())


def test_where_more_slopes_are_asked_for_than_pay_all_are_asked_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = random_levels(3, 2)
    for game in (random_levels(3, 3), one_of_two(levels, mirrored(levels))):
        solution = solve(Exploration(game))
        plain = spent(solution, SMALL, exact_chains(solution))
        with monkeypatch.context() as patched:
            patched.setattr(told, "MOST_SLOPES_ASKED", 0)
            alike = spent(solution, SMALL, exact_chains(solution))
        assert all(0 < part <= 1 for part in alike.values())
        assert alike != plain


LEAK = Move((0, 1), (Outcome("on", 2, 3, 0), Outcome("over", 3, 2, END)), 5, 5)
LAST = Move((0, 1), (Outcome("on", 2, 3, END), Outcome("over", 3, 2, END)), 5, 5)
CHAIN = solve(Exploration((Level((0,), ((LEAK,),)), Level((0,), ((LEAK,),)), Level((0,), ((LAST,),)))))


def test_without_a_choice_all_is_spent() -> None:
    """Three rounds of one move: what is left over goes on with the outcome that goes on, to the last round."""
    for part in spent(CHAIN, SMALL, exact_chains(CHAIN)).values():
        assert 1 - Fraction(1, 10**6) < part <= 1
    for part in spent(CHAIN, SMALL, []).values():  # without curves each loses the same, whatever its chance
        assert part < 1


def test_each_curve_keeps_one_share_of_as_many_as_rounds_are_left() -> None:
    own = LeftOver(CHAIN.values, 3, {0: 0}, {(1, 1): SMALL}, exact_chains(CHAIN)).tolerances()
    most = int(SMALL * TOLERANCE_UNIT)
    assert own.at[3] == {(1, 1): most // 3}
    (ray,) = own.at[2]
    assert ray == (2, 3)
    assert abs(own.at[2][ray] * Fraction(2, 5) - Fraction(most, 3)) < most // 10**6  # by the chance that it goes on
    assert own.at[1].keys() == {(4, 9)}
    without = LeftOver(CHAIN.values, 3, {0: 0}, {(1, 1): SMALL, (2, 1): SMALL / 2}, []).tolerances()
    assert without.everywhere == [0, *[most // 2 // 3] * 3]
    assert without.at == [{}] * 4
    anyway = own.everywhere[1:]
    assert anyway == [told.TOLERATED_ANYWAY] * 3
    large = LeftOver(CHAIN.values, 3, {0: 0}, {(1, 1): Fraction(1, 2)}, exact_chains(CHAIN)).tolerances()
    assert large.everywhere[1:] == [TOLERANCE_UNIT // 6] * 3
    assert large.at[3] == {}  # as much as every curve may lose anyway
    anyway_at_all = {(1, 1): Fraction(3 * told.TOLERATED_ANYWAY, TOLERANCE_UNIT)}
    assert LeftOver(CHAIN.values, 3, {0: 0}, anyway_at_all, exact_chains(CHAIN)).tolerances().at[3] == {}


@pytest.mark.parametrize("seed", chosen(range(20)))
def test_what_comes_to_a_move_goes_to_its_outcomes_by_their_weights(seed: int) -> None:
    """And what a worse move misses more than the best one: all of that, but for rounding."""
    solution = solve(Exploration(random_levels(seed, 3)))
    chains = exact_chains(solution)
    for number in range(1, len(solution.values)):
        for ray in RAYS[:2]:
            for option in solution.values[number].options:
                left = LeftOver(solution.values, number, {}, {ray: SMALL}, chains)
                left._everywhere = [1 << 400] * len(chains)
                left._at = [{} for _ in chains]
                most, best = TOLERANCE_UNIT // 100, missed(chains[number], ray)
                left._pass_to(option, ray, most, int(best * TOLERANCE_UNIT) + 1)
                outcomes = [one for one in plainly_after(option, ray) if one[0]]
                mean = sum((missed(chains[v], there) * w for v, there, w in plainly_after(option, ray)), Fraction(0))
                whole = most + max(Fraction(0), (mean - best) * TOLERANCE_UNIT)
                given = sum((left._at[v][there] * w for v, there, w in outcomes), Fraction(0))
                assert len(outcomes) == sum(map(len, left._at))
                assert not outcomes or whole * (1 - Fraction(1, 10**6)) <= given <= whole
                shares = [left._at[v][there] ** 2 * w for v, there, w in outcomes]  # each is as one over a root
                assert not shares or max(shares) <= min(shares) * (1 + Fraction(1, 10**6))


def missed(chain: Chain, ray: Ray) -> Fraction:
    """R: what adversaries must miss."""
    return (ray[1] - height(chain, ray)) / min(ray)


def plainly_after(option: Option, ray: Ray) -> list[tuple[int, Ray, Fraction]]:
    """Value, slope and weight, min(a p, b q) / min(a, b), of each outcome that is possible in both worlds."""
    d0, d1, runs = option
    made = []
    for v, k0, k1 in runs:
        a, b = Fraction(ray[0] * k0, d0), Fraction(ray[1] * k1, d1)
        if a and b:
            made.append((v, lowest(a, b), min(a, b) / min(ray)))
    return made


def test_what_comes_to_a_value_goes_to_those_after_it_less_its_own_share() -> None:
    left = LeftOver(CHAIN.values, 3, {0: 0}, {(1, 1): SMALL}, exact_chains(CHAIN))
    left._everywhere[3] = 3_000
    left._at[3] = {}
    left._pass_on(3)
    assert left._everywhere == [0, left._everywhere[1], 2_000, 3_000]
    left._pass_on(2)
    assert left._everywhere[1] == 1_000
    assert left._everywhere[0] == 0


def test_what_comes_to_a_value_comes_to_its_mirror_with_the_worlds_swapped() -> None:
    left = LeftOver(CHAIN.values, 3, {0: 0, 3: 2, 2: 3}, {(1, 1): SMALL}, exact_chains(CHAIN))
    left._everywhere[3], left._at[3] = 7, {(2, 5): 3}
    left._pass_on(3)
    assert left._everywhere[2] == 7
    assert left._at[2] == {(5, 2): 3}
    left._everywhere[3], left._at[3] = 9, {(2, 5): 4}
    left._pass_on(3)
    assert left._everywhere[2] == 7
    assert left._at[2] == {(5, 2): 3}


def test_outcomes_have_slopes_in_lowest_terms_and_their_weights() -> None:
    option: Option = (10, 4, ((1, 4, 2), (2, 6, 1), (0, 0, 1)))
    assert list(_after(option, (3, 5))) == [(1, (12, 25), 48), (2, (36, 25), 50)]
    weights = [Fraction(weight, 3 * 10 * 4) for _, _, weight in _after(option, (3, 5))]
    assert weights == [weight for _, _, weight in plainly_after(option, (3, 5))]


def test_a_value_is_worth_as_many_rounds_as_its_longest_way() -> None:
    leaf: Option = (2, 2, ((0, 1, 1), (0, 2, 1)))
    one: Option = (2, 2, ((1, 1, 1), (0, 1, 1)))
    two: Option = (2, 2, ((2, 1, 1), (1, 1, 1)))
    assert _depths([Options(()), Options((leaf,)), Options((one,)), Options((leaf, two)), Options((leaf,))]) == [
        0,
        1,
        2,
        3,
        1,
    ]


def test_what_is_missed_is_counted_in_whole_parts() -> None:
    chains = exact_chains(CHAIN)
    left = LeftOver(CHAIN.values, 3, {}, {(1, 1): SMALL}, chains)
    for ray in RAYS:
        assert left._missed(0, ray) == TOLERANCE_UNIT
        for number in (1, 2, 3):
            exact = missed(chains[number], ray) * TOLERANCE_UNIT
            assert left._missed(number, ray) == exact.numerator // exact.denominator
            assert left._missed(number, ray) == exact.numerator // exact.denominator  # once more, from what is kept


def test_of_two_that_ask_the_less_is_kept() -> None:
    left = LeftOver(CHAIN.values, 3, {}, {(1, 1): SMALL}, exact_chains(CHAIN))
    for most in (50, 70, 20, 30):
        left._ask(1, (5, 7), most)
    left._ask(1, (7, 5), left._everywhere[1])
    assert left._at[1] == {(5, 7): 20}
