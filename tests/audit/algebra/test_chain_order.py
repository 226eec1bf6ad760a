"""The order of two chains against their values, corner by corner, by fractions."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.rational import decimal


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


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(1, 10**5), "0.00001"),
        (Fraction(9, 10**6), "9e-6"),
        (Fraction(10**8), "100000000"),
        (Fraction(10**9), "1e9"),
    ],
)
def test_a_decimal_has_an_exponent_only_past_five_zeros(value: Fraction, shown: str) -> None:
    assert decimal(value) == shown
