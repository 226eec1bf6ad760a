"""The order of two chains against their values, corner by corner, by fractions."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain


def random_chain(rng: Random, total: int) -> Chain:
    """Masses that sum to a total in either world."""
    zeros, ones = ([rng.randrange(4) for _ in range(rng.randrange(1, 5))] for _ in range(2))
    size = max(len(zeros), len(ones))
    zeros, ones = ([*m, *[0] * (size - len(m)), total - sum(m)] for m in (zeros, ones))
    return chains.ordered(zeros, ones, total, total)


def value(chain: Chain, x: int) -> Fraction:
    """Height above x."""
    corners = list(chain.graph())
    for (x0, y0), (x1, y1) in pairwise(corners):
        if x0 <= x <= x1 and x0 < x1:
            return y0 + Fraction((y1 - y0) * (x - x0), x1 - x0)
    raise AssertionError(x)


def test_a_chain_is_below_another_where_it_is_at_every_point() -> None:
    rng, answers = Random(1), [0, 0]
    for _ in range(300):
        one, two = random_chain(rng, 12), random_chain(rng, 12)
        expected = all(value(one, x) <= value(two, x) for x in range(13) if x) and one.graph()[0] <= two.graph()[0]
        answers[chains.below(one, two)] += 1
        if one.mass0[0] and two.mass0[0]:
            assert chains.below(one, two) is expected
        assert chains.below(one, one)
    assert min(answers) > 20


@pytest.mark.parametrize(("total0", "total1"), [(8, 8), (1000, 8), (8, 1000), (2**70, 3)])
def test_keys_are_ratios_rounded_down_and_that_of_infinity_is_above_all(total0: int, total1: int) -> None:
    """At as many bits as tell ratios of totals of one size apart, more where world 0's is longer."""
    masses = [(1, total1), (total0, 1), (total0 // 2, total1 // 2), (0, 1)]
    shift, keys = chains.ratio_keys([a for a, _ in masses], [b for _, b in masses], total0, total1)
    assert shift == chains.KEY_BITS + max(0, total0.bit_length() - total1.bit_length())
    assert keys[:3] == [Fraction(b * 2**shift, a).__floor__() for a, b in masses[:3]]
    assert keys[3] > max(keys[:3])


def test_an_option_is_held_up_to_the_slope_of_its_switch() -> None:
    choice = chains.HullChoice(0, ((1, 3, 1), (1, 2, 2)))
    assert [choice.at(p, q) for p, q in ((4, 1), (3, 1), (5, 2), (2, 1), (1, 1))] == [0, 0, 1, 1, 2]
