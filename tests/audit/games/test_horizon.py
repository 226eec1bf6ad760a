"""How many rounds: what was asked, what the mechanism has, what is explored; and a question's points."""

from fractions import Fraction
from typing import Any

import pytest

from dpcert import examine
from dpcert.audit.algebra.slope import slope
from dpcert.audit.errors import ArgumentError
from dpcert.audit.games.horizon import DEFAULT_ROUNDS, EVERY, Horizon, horizon_of
from dpcert.mechanisms.randomized_response import RandomizedResponse


@pytest.mark.parametrize(
    ("asked", "own", "explored", "every", "named"),
    [
        (None, None, DEFAULT_ROUNDS, False, False),
        (None, 5, 5, False, True),
        (2, None, 2, False, True),
        (2, 5, 2, False, True),
        (EVERY, None, DEFAULT_ROUNDS, True, True),
        (EVERY, 5, 5, False, True),  # all that it has is every horizon
    ],
)
def test_what_is_explored(asked: Any, own: int | None, explored: int, every: bool, named: bool) -> None:
    made = horizon_of(asked, own)
    assert (made.rounds, made.every, made.named, made.question, made.own) == (explored, every, named, asked, own)


@pytest.mark.parametrize(
    ("asked", "own", "says"),
    [
        (0, None, "Expected a horizon of at least 1 round but got horizon=0"),
        (True, None, "Expected a horizon of at least 1 round but got horizon=True"),
        (2, 1, "Expected a horizon of at most 1 round, all the mechanism has, but got horizon=2"),
        (9, 5, "Expected a horizon of at most 5 rounds, all the mechanism has, but got horizon=9"),
        ("all", None, "Expected a whole number of rounds or inf but got horizon='all'"),
        (2.0, None, "Expected a whole number of rounds or inf but got horizon=2.0"),
    ],
)
def test_what_cannot_be_explored(asked: Any, own: int | None, says: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        horizon_of(asked, own)
    assert str(raised.value) == says


def test_other_rounds_of_the_same_question() -> None:
    first = horizon_of(200, None)
    fewer = first.exploring(3, every=True)
    assert fewer == Horizon(3, None, 200, every=True)
    assert fewer.exploring(200).every
    assert (fewer.in_words, fewer.exploring(1).in_words) == ("3 rounds", "1 round")
    with pytest.raises(ArgumentError, match="at most 2 rounds"):
        horizon_of(None, 2).exploring(3)


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ({"exp_epsilons": [Fraction(1, 2)]}, "Expected e^epsilon of at least 1 but got exp_epsilon=1/2"),
        ({"exp_epsilons": [2.0]}, "a float is not exact"),
        ({"epsilons": [-1]}, "Expected at least 0 and at most 10000 but got epsilon=-1"),
        ({"epsilons": [10**4 + 1]}, "epsilon=10001"),
        ({"deltas": [2]}, "Expected at least 0 and at most 1 but got delta=2"),
    ],
)
def test_points_out_of_range_are_refused(points: dict[str, Any], says: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        examine(RandomizedResponse(), horizon=1, **points)
    assert says in str(raised.value)


def test_points_are_distinct_and_ascend() -> None:
    record = examine(RandomizedResponse(), horizon=1, exp_epsilons=[3, Fraction(3, 2), 3])
    assert [one["exp_epsilon"] for one in record["adaptive"]["delta"]] == ["3/2", "3"]


def test_a_slope_is_refused_under_the_name_that_the_user_knows() -> None:
    with pytest.raises(ArgumentError, match=r"^Expected e\^epsilon of at least 1 but got require_delta='1/2:0'$"):
        slope(Fraction(1, 2), require_delta="1/2:0")
