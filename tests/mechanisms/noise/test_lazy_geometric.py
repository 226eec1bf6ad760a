"""Geometric noise drawn as far as it shows: the laws of its draws, its ends, and the values it keeps."""

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from dpcert import Pmf
from dpcert.audit.errors import ArgumentError
from dpcert.audit.kernels.draws import enumerated
from dpcert.mechanisms.noise.geometric import truncated_geometric
from dpcert.mechanisms.noise.lazy_geometric import LazyGeometric, compared_law, counted_law

HALF, THIRD, ALPHAS = Fraction(1, 2), Fraction(1, 3), [Fraction(2), Fraction(3), Fraction(7, 5)]


def law_of(forms: LazyGeometric, row: tuple[int, ...], low: int, high: int) -> dict[Any, Fraction]:
    """(answer, forms after it) with probabilities, by trying every draw."""
    weights, total = enumerated("lazy", lambda draw: forms.clipped(row, low, high, draw))
    return {outcome: Fraction(weight, total) for outcome, weight in weights.items()}


def answers(law: dict[Any, Fraction]) -> Pmf[int]:
    return Pmf([(answer, mass) for (answer, _), mass in law.items()])


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("half", [1, 2, 5])
def test_one_noise_clipped_is_the_truncated_law(alpha: Fraction, half: int) -> None:
    noise = LazyGeometric().with_noise(alpha)
    assert answers(law_of(noise, (1,), -half, half)) == truncated_geometric(alpha, 2 * half)
    assert answers(law_of(noise, (-1,), -half, half)) == truncated_geometric(alpha, 2 * half)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_an_end_hides_a_fresh_tail(alpha: Fraction) -> None:
    law = law_of(LazyGeometric().with_noise(alpha), (1,), -3, 3)
    open_ones = {answer: after.tails for answer, after in (outcome for outcome in law) if after.tails}
    assert open_ones == {-3: (((-1,), 1 / alpha),), 3: (((1,), 1 / alpha),)}
    assert {answer for answer, _ in law} == set(range(-3, 4))
    assert len(law) == 7  # one state an answer


@pytest.mark.parametrize(("r", "s"), [(HALF, HALF), (HALF, THIRD), (Fraction(4, 9), Fraction(2, 7))])
def test_two_tails_are_their_minimum_and_what_is_beyond(r: Fraction, s: Fraction) -> None:
    sign = compared_law(r, s)
    for g, h in product(range(7), repeat=2):
        least, beyond = min(g, h), abs(g - h)
        own = r if g > h else s
        rest = (1 - own) * own ** (beyond - 1) if beyond else 1
        made = sign.probability((g > h) - (g < h)) * (1 - r * s) * (r * s) ** least * rest
        assert made == (1 - r) * r**g * (1 - s) * s**h


def test_counting_stops_at_the_last_number_that_matters() -> None:
    assert counted_law(THIRD, 1) == Pmf({0: 1 - THIRD, 1: THIRD})
    for most in range(1, 6):
        law = counted_law(Fraction(2, 5), most)
        assert [sum(law.probability(k) for k in range(g, most + 1)) for g in range(most + 1)] == [
            Fraction(2, 5) ** g for g in range(most + 1)
        ]


def test_a_sum_that_is_beyond_draws_nothing() -> None:
    above = LazyGeometric((4,), (((1,), HALF), ((3,), THIRD)))
    assert law_of(above, (1,), -4, 4) == {(4, above): 1}
    assert law_of(above, (-1,), -4, 4) == {(-4, above): 1}
    assert len(law_of(above, (1,), -4, 5)) > 1


def test_what_cancels_is_gone() -> None:
    one = LazyGeometric().with_noise(Fraction(2)).with_noise(Fraction(2))
    assert len(one.tails) == 4
    assert one.combined([(1, 0)]) == one.combined([(0, 1)]) == LazyGeometric().with_noise(Fraction(2))
    assert one.combined([(0, 0)]) == LazyGeometric((0,))
    shared = LazyGeometric((1, 2), (((1, 1), HALF),))
    assert law_of(shared, (1, -1), -5, 5) == {(-1, shared): 1}
    assert LazyGeometric((1,)).with_constant(7).combined([(2, 1), (0, 1)]) == LazyGeometric((9, 7))


def test_independent_noises_in_another_order_are_the_same_value() -> None:
    one = LazyGeometric().with_noise(Fraction(2)).with_noise(Fraction(3))
    other = LazyGeometric().with_noise(Fraction(3)).with_noise(Fraction(2)).combined([(0, 1), (1, 0)])
    assert one == other
    assert hash(one) == hash(other)


def test_comparing_ends_whatever_is_drawn() -> None:
    """Large coefficients of both signs; draws by chance, and such as leave most open."""
    rng = Random(11)
    longest = 0
    for turn in range(400):
        tails = tuple(sorted(((rng.randint(-9, 9),), Fraction(1, rng.randint(2, 4))) for _ in range(5)))
        forms, drawn = LazyGeometric((0,), tails), []

        def draw(law: Pmf[Any], turn: int = turn, drawn: list[Any] = drawn) -> Any:
            drawn.append(law)
            assert len(drawn) < 100
            return law.support[-1] if turn % 2 else rng.choice(law.support)

        answer, after = forms.clipped((1,), -3, 3, draw)
        assert -3 <= answer <= 3
        assert abs(after.constants[0]) >= 3 or not after.tails
        longest = max(longest, len(drawn))
    assert longest > 6


def test_bad_arguments_are_one_line() -> None:
    forms = LazyGeometric((1, 2))
    with pytest.raises(ArgumentError, match=r"low <= high and a row of 2 entries but got low=3, high=2"):
        forms.clipped((1, 1), 3, 2, lambda law: law.support[0])
    with pytest.raises(ArgumentError, match=r"rows of 2 entries, one a form but got rows=\[\(1,\)\]"):
        forms.combined([(1,)])
    with pytest.raises(ArgumentError, match=r"an e\^epsilon above 1"):
        forms.with_noise(Fraction(1))
