"""Chains of a few segments against their graphs, point by point: order, hulls, bends, and what counts as long."""

from fractions import Fraction
from itertools import pairwise
from math import log
from random import Random

import pytest
from instances.seeds import chosen

from dpcert import PowerFunction
from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra import hulls
from dpcert.audit.algebra.chain import IDENTITY, Chain
from dpcert.audit.algebra.gap import _bends
from dpcert.audit.algebra.hulls import _are_long
from dpcert.audit.algebra.lattice import Lattice
from dpcert.audit.algebra.long_chain import UNIT, Lengthened, lengthened
from dpcert.audit.algebra.merged_runs import running_error

TOTAL = 12
POINTS = range(2 * TOTAL + 1)


def random_chain(rng: Random) -> Chain:
    """Up to four segments over totals of 12, the first or the last perhaps along an axis."""
    cuts = [sorted(rng.choices(range(TOTAL + 1), k=3)) for _ in range(2)]
    sides = [[b - a for a, b in zip([0, *cut], [*cut, TOTAL], strict=True)] for cut in cuts]
    return chains.ordered(*sides, TOTAL, TOTAL)


def height(chain: Chain, x: Fraction) -> Fraction:
    """The curve at x, of 12; the top where it goes straight up."""
    at = y = Fraction(0)
    for a, b in zip(chain.mass0, chain.mass1, strict=True):
        if a and at + a > x:
            return y + Fraction(b, a) * (x - at)
        at, y = at + a, y + b
    return y


@pytest.mark.parametrize("seed", chosen(range(32)))
def test_one_chain_is_below_another_where_it_is_at_every_point(seed: int) -> None:
    rng = Random(seed)
    for _ in range(6):
        one, two = random_chain(rng), random_chain(rng)
        corners = {Fraction(x) for chain in (one, two) for x, _ in chain.vertices()}
        for lower, upper in ((one, two), (two, one), (one, one)):
            below = all(height(lower, x) <= height(upper, x) for x in corners)
            assert chains.below(lower, upper) is below


@pytest.mark.parametrize("seed", chosen(range(32)))
def test_a_hull_is_the_least_chain_above_all_and_each_stretch_has_who_attains_it(seed: int) -> None:
    rng = Random(100 + seed)
    options = [random_chain(rng) for _ in range(rng.randint(1, 3))]
    found, choice = chains.hull(options)
    assert (sum(found.mass0), sum(found.mass1), found.total0, found.total1) == (TOTAL,) * 4
    atoms = list(zip(found.mass0, found.mass1, strict=True))
    assert (0, 0) not in atoms
    assert all(b * c > d * a for (a, b), (c, d) in pairwise(atoms))
    corners = [corner for option in options for corner in option.vertices()]
    for dx, dy in [(1, 0), (0, 1), (1, 1), (1, 3), (3, 1), (2, 3), *((a, b) for a, b in atoms if a and b)]:
        most = max(y * dx - x * dy for x, y in corners)
        assert max(y * dx - x * dy for x, y in found.vertices()) == most
        if dx and dy:
            assert max(y * dx - x * dy for x, y in options[choice.at(dy, dx)].vertices()) == most


def test_privacy_profiles_bend_at_the_ratios_of_both_orders() -> None:
    one = PowerFunction.from_segments(
        [(0, Fraction(1, 8)), (Fraction(1, 8), Fraction(1, 2)), (Fraction(7, 8), Fraction(3, 8))]
    )
    two = PowerFunction.from_segments([(Fraction(1, 2), 1), (Fraction(1, 2), 0)])
    assert _bends(one, two, None) == {Fraction(1), Fraction(4), Fraction(7, 3), Fraction(2)}
    assert _bends(PowerFunction.identity(), PowerFunction.identity(), None) == {Fraction(1)}


def test_options_are_long_from_so_many_segments_on(monkeypatch: pytest.MonkeyPatch) -> None:
    three = chains.ordered([1, 1, 1], [3, 2, 1], 3, 6)
    options = [[(1, 1, three)], [(1, 1, three), (1, 1, IDENTITY)]]
    for most, long in ((6, True), (7, True), (8, False)):
        monkeypatch.setattr(hulls, "LONG", most)
        assert _are_long(options) is long
    assert not _are_long([])


def test_keys_are_logarithms_of_the_likelihood_ratios() -> None:
    chain = chains.ordered([0, 1, 2, 4], [5, 9, 4, 0], 7, 18)
    lattice = Lattice.of_levels([[Fraction(9 * 7, 18), Fraction(4 * 7, 2 * 18)]])
    long = lengthened(chain, Lengthened(lambda: lattice).lattice)
    assert list(long.keys) == pytest.approx([log(9 * 7 / 18), log(2 * 7 / 18)])


def test_a_running_sum_may_be_off_by_as_many_roundings_as_it_has_places() -> None:
    errors = [running_error(count) for count in (0, 1, 100, 10**6, 10**9)]
    assert errors == sorted(errors)
    assert all(error >= 8 * UNIT for error in errors)
    for count in (1, 1_000, 10**5):
        values = [1 / (3 + n % 7) for n in range(min(count, 2_000))]
        off = abs(Fraction(sum(values)) - sum(map(Fraction, values)))
        assert off <= sum(map(Fraction, values)) * Fraction(UNIT) * count
