"""Laws and power functions where something just begins to hold: orders, ends of domains, numbers as shown."""

from fractions import Fraction
from typing import Any

import pytest

from dpcert import ArgumentError, Pmf, PowerFunction, bernoulli, dp_power
from dpcert.audit.algebra import tensor_power
from dpcert.audit.algebra.chain import IDENTITY, over_common_totals
from dpcert.audit.algebra.least import least
from dpcert.audit.algebra.rational import parse

LOW, HIGH = dp_power(2), dp_power(3)
CROSSED = PowerFunction.from_vertices([(0, 0), (0, Fraction(1, 20)), (1, 1)])


def test_power_functions_are_ordered_point_by_point() -> None:
    assert [LOW <= HIGH, LOW < HIGH, HIGH >= LOW, HIGH > LOW] == [True] * 4
    assert [HIGH <= LOW, HIGH < LOW, LOW >= HIGH, LOW > HIGH] == [False] * 4
    assert [dp_power(2) >= LOW, dp_power(2) > LOW, dp_power(2) <= LOW, dp_power(2) < LOW] == [True, False, True, False]
    assert [LOW <= CROSSED, LOW < CROSSED, LOW >= CROSSED, LOW > CROSSED] == [False] * 4
    other: Any = 3
    for compare in (lambda: other > LOW, lambda: other >= LOW, lambda: other < LOW, lambda: other <= LOW):
        with pytest.raises(TypeError):
            compare()
    assert other != LOW
    assert bernoulli(Fraction(1, 2)) != other


def test_one_hop_after_another_has_the_curve_of_curves() -> None:
    for first, then in ((LOW, HIGH), (HIGH, LOW), (CROSSED, LOW), (LOW, CROSSED), (PowerFunction.identity(), HIGH)):
        both = first.then(then)
        for alpha in (Fraction(n, 24) for n in range(25)):
            assert both(alpha) == then(first(alpha))
    flat = PowerFunction.from_vertices([(0, 0), (Fraction(1, 2), 1), (1, 1)])
    assert flat._preimage(Fraction(1)) == Fraction(1, 2)
    assert flat._preimage(Fraction(1, 2)) == Fraction(1, 4)
    assert flat._preimage(Fraction(0)) == 0
    assert CROSSED._preimage(Fraction(1, 20)) == 0


def test_a_law_has_an_outcome_for_every_number_below_its_denominator() -> None:
    law = Pmf({"a": Fraction(1, 4), "b": Fraction(3, 4)})
    assert [law.outcome_at(k) for k in range(4)].count("b") == 3
    for number in (-1, 4):
        with pytest.raises(ArgumentError):
            law.outcome_at(number)


def test_shares_of_a_mixture_sum_to_one_and_may_be_nothing() -> None:
    parts = [(Fraction(0), bernoulli(Fraction(1, 2))), (Fraction(1), bernoulli(Fraction(1, 4)))]
    assert Pmf.mix(parts) == bernoulli(Fraction(1, 4))
    half = Fraction(1, 2)
    for shares in ((half, half, half), (Fraction(3, 2), -half), (half,)):
        with pytest.raises(ArgumentError):
            Pmf.mix([(share, bernoulli(half)) for share in shares])


@pytest.mark.parametrize("above", [-3, 0, 5])
def test_the_least_number_is_found_wherever_it_is(above: int) -> None:
    asked: list[int] = []
    for wanted in range(above + 1, above + 40):
        asked.clear()
        assert least(lambda k, w=wanted: asked.append(k) or k >= w, above=above) == wanted  # type: ignore[func-returns-value, misc]
        assert max(asked) <= above + 2 * (wanted - above)
        assert min(asked) > above
        assert len(asked) <= 2 * (wanted - above).bit_length()


def test_a_rational_is_parsed_of_any_length_and_as_an_option_may_hold_it() -> None:
    assert parse("0.25", "delta") == Fraction(1, 4)
    assert parse("-2/7", "delta") == Fraction(-2, 7)
    assert parse("1/1" + "0" * 5_000, "delta") == Fraction(1, 10**5000)
    for text in ("1/0", "", "x"):
        with pytest.raises(ArgumentError):
            parse(text, "delta")


def test_powers_of_a_chain_are_its_products() -> None:
    chain = PowerFunction.from_segments(
        [(0, Fraction(1, 8)), (Fraction(1, 2), Fraction(3, 4)), (Fraction(1, 2), Fraction(1, 8))]
    )
    product = PowerFunction(IDENTITY)
    for n in range(5):
        power = PowerFunction(tensor_power.tensor_power(chain.chain, n))
        assert power == product
        product = product.tensor(chain)
    mine, theirs = over_common_totals([LOW.chain, HIGH.chain])
    assert (mine.total0, mine.total1) == (theirs.total0, theirs.total1)
