"""Whether a curve lies nowhere above another one: what floats and integers say together is what the curves say."""

from fractions import Fraction
from random import Random

import pytest
from instances.seeds import chosen

from dpcert import PowerFunction, dp_power
from dpcert.audit.algebra import dominance
from dpcert.audit.algebra.chain import Chain, ordered
from dpcert.audit.algebra.dominance import Compared

TINY = 10**330
"""One in so many is 0 as a float."""


def curve(rng: Random, scale: int) -> Chain:
    """A few atoms, some of one world alone; over totals that floats hold, or with atoms that they lose."""
    count = rng.randint(1, 6)
    sides = [[rng.choice((0, 1, 2, 3, 5)) * rng.choice((1, scale)) for _ in range(count)] for _ in range(2)]
    sides = [[*side, 1 + rng.randint(0, 3)] for side in sides]
    return ordered(*sides, *map(sum, sides))


def nudged(rng: Random, chain: Chain, by: int) -> Chain:
    """The same curve with a part of an atom moved to another one, too small for a float to see where `by` is large."""
    sides = [[mass * by for mass in side] for side in (chain.mass0, chain.mass1)]
    side = rng.choice(sides)
    full = [i for i, mass in enumerate(side) if mass]
    side[rng.choice(full)] -= 1
    side[rng.randrange(len(side))] += 1
    return ordered(*sides, chain.total0 * by, chain.total1 * by)


def check(one: Chain, two: Chain) -> bool:
    below = PowerFunction(one) <= PowerFunction(two)
    assert Compared(one).nowhere_above(Compared(two)) is below
    assert Compared(one).below_one_of([Compared(two)]) is below
    return below


@pytest.mark.parametrize("scale", [1, 10**9, TINY])
def test_random_curves_both_ways(scale: int) -> None:
    below = 0
    for seed in chosen(range(400)):
        rng = Random(seed)
        one, two = curve(rng, scale), curve(rng, scale)
        below += check(one, two) + check(two, one)
        assert check(one, one)
    assert below > 0


@pytest.mark.parametrize("by", [10**6, 10**25, TINY])
def test_curves_that_differ_by_less_than_floats_tell(by: int) -> None:
    below = above = 0
    for seed in chosen(range(200)):
        rng = Random(seed)
        one = curve(rng, 3)
        other = nudged(rng, one, by)
        for said in (check(one, other), check(other, one)):
            below, above = below + said, above + (not said)
    assert below > 0
    assert above > 0


def test_of_many_it_is_asked_of_each() -> None:
    """What only several of them bound together lies below none."""
    for seed in chosen(range(100)):
        rng = Random(seed)
        one, others = curve(rng, 4), [curve(rng, 4) for _ in range(rng.randint(0, 6))]
        expected = any(PowerFunction(one) <= PowerFunction(other) for other in others)
        assert Compared(one).below_one_of([Compared(other) for other in others]) is expected
    corners = [("1/10", "1/2"), ("1/2", "9/10"), ("3/10", "17/25")]
    low, high, inner = (
        PowerFunction.from_vertices(
            [(Fraction(0), Fraction(0)), (Fraction(x), Fraction(y)), (Fraction(1), Fraction(1))]
        )
        for x, y in corners
    )
    assert not Compared(inner.chain).below_one_of([Compared(low.chain), Compared(high.chain)])


def test_more_edges_than_are_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    long, longer = dp_power(2).tensor_power(70), dp_power(2).tensor_power(71)
    for few in (1, 2, 32):
        monkeypatch.setattr(dominance, "FEW_EDGES", few)
        assert check(long.chain, longer.chain)
        assert not check(longer.chain, long.chain)
        assert not check(long.chain, nudged(Random(few), long.chain, 10**40)) or not check(
            nudged(Random(few), long.chain, 10**40), long.chain
        )
