"""Small laws that were made before are given again; what is kept is bounded, and never taken for another."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from dpcert import ArgumentError, Pmf, bernoulli, from_weights, point
from dpcert.audit.algebra import common_laws


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """What is kept of weights: nothing yet, and nothing of coins."""
    laws: dict[Any, Any] = {}
    monkeypatch.setattr(common_laws, "_KEPT", laws)
    monkeypatch.setattr(common_laws, "_COINS", {})
    return laws


def test_the_law_of_equal_weights_is_one() -> None:
    assert from_weights({"ab": 1, 2: 3}) is from_weights({"".join(["a", "b"]): 1, 2: 3})
    assert from_weights({0: 2}) is from_weights({0: 2})
    assert bernoulli(Fraction(1, 3)) is bernoulli(Fraction(2, 6))


def test_laws_of_many_outcomes_are_not_taken_for_one_another(
    kept: dict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common_laws, "MOST_KEPT_OUTCOMES", 2)
    laws = [from_weights({0: 1, 1: 2, 2: weight}) for weight in (1, 2)]
    assert [law.probability(2) for law in laws] == [Fraction(1, 4), Fraction(2, 5)]
    assert not kept
    assert from_weights({0: 1, 1: 2}) is from_weights({0: 1, 1: 2})
    assert len(kept) == 1


def test_no_more_laws_are_kept_than_so_many(kept: dict[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common_laws, "MOST_KEPT_LAWS", 2)
    sizes = []
    for weight in (1, 2, 3, 4):
        from_weights({0: 1, 1: weight})
        sizes.append(len(kept))
    assert sizes == [1, 2, 1, 2]
    first, second, third = (bernoulli(Fraction(1, n)) for n in (3, 4, 5))
    assert first is bernoulli(Fraction(1, 3))
    assert second is bernoulli(Fraction(1, 4))
    assert third is not bernoulli(Fraction(1, 5))
    assert third == bernoulli(Fraction(1, 5))


@pytest.mark.parametrize("weights", [{0: True, 1: 1}, {0: 0, 1: 1}, {(0,): 1}])
def test_what_is_not_plain_is_not_kept(weights: dict[Any, int], kept: dict[Any, Any]) -> None:
    if any(type(weight) is bool for weight in weights.values()):
        with pytest.raises(ArgumentError):
            from_weights(weights)
    else:
        assert from_weights(weights) == point(next(y for y, weight in weights.items() if weight))
    assert not kept


def test_a_coin_that_always_falls_on_one_side_is_one() -> None:
    assert bernoulli(0) == point(0)
    assert bernoulli(1) == point(1)
    for p in (Fraction(-1, 2), Fraction(3, 2), 2, -1):
        with pytest.raises(ArgumentError, match="a probability in"):
            bernoulli(p)


def test_outcomes_that_are_their_own_tokens_are_known_to_be() -> None:
    for law in (from_weights({0: 1, 1: 1}), Pmf({0: Fraction(1, 2), "a": Fraction(1, 2)}), bernoulli(Fraction(1, 2))):
        assert law._plain is True


def test_a_law_is_no_equal_of_what_is_none() -> None:
    assert (bernoulli(Fraction(1, 2)) == 3) is False
    assert bernoulli(Fraction(1, 2)).__eq__(3) is NotImplemented


def test_a_mixture_is_made_of_whole_numbers_unless_something_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares of 0 are among those that are right."""
    parts = [(Fraction(0), point(5)), (Fraction(1, 2), point(0)), (Fraction(1, 2), bernoulli(Fraction(1, 2)))]
    expected = Pmf({0: Fraction(3, 4), 1: Fraction(1, 4)})
    items: Callable[..., Any] = Pmf.items
    asked: list[int] = []
    monkeypatch.setattr(Pmf, "items", lambda law: asked.append(1) or items(law))  # type: ignore[func-returns-value]
    assert Pmf.mix(parts) == expected
    assert not asked
    for wrong in ([(Fraction(3, 2), point(0)), (Fraction(-1, 2), point(1))], [(Fraction(1, 2), point(0))]):
        with pytest.raises(ArgumentError):
            Pmf.mix(wrong)
