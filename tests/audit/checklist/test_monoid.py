"""A declared pair by itself: sums of inputs and how many they take, what is tried of them, and what is past a limit."""

from collections.abc import Callable
from typing import Any

import pytest

from dpcert import Budget
from dpcert.audit.checklist import monoid
from dpcert.audit.checklist.hints import Hints, InvariantPair
from dpcert.audit.checklist.monoid import DeclaredPair, Fault, Unchecked, _Sums, check_again, check_pair

Plus = Callable[[Any, Any], Any]


def pair(plus: Plus = lambda u, v: u + v, distance: Plus = lambda u, v: abs(u - v)) -> DeclaredPair:
    return DeclaredPair(Hints(InvariantPair(distance, plus), lambda t: (t,), None), Budget())


def test_sums_have_the_least_number_of_inputs_that_they_take() -> None:
    sums = _Sums(pair(), (1, 2, 5), 2)
    assert sums.lengths == {0: 0, 1: 1, 2: 1, 5: 1, 3: 2, 4: 2, 6: 2, 7: 2, 10: 2}
    assert sums.complete
    assert [sums.below(0), sums.below(1), sums.below(3), sums.below(1, 2), sums.below(0, 5)] == [
        True,
        True,
        False,
        False,
        True,
    ]
    around = _Sums(pair(lambda u, v: (u + v) % 3), (1,), 9)
    assert around.lengths == {0: 0, 1: 1, 2: 2}
    assert around.below(2, 2, 2, 2)  # no sum of more inputs is another one
    none = _Sums(pair(), (), 3)
    assert none.lengths == {0: 0}
    assert none.below(0)


def test_past_a_number_of_comparisons_sums_are_not_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monoid, "MOST_COMPARISONS", 6 * 4**2)
    assert _Sums(pair(), (1,), 3).complete
    assert not _Sums(pair(), (1,), 4).complete


@pytest.mark.parametrize("literal", [True, False])
def test_a_pair_that_common_inputs_do_not_change_is_accepted_and_no_other(
    literal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monoid, "MOST_QUADRUPLES", 10**6 if literal else 0)
    for letters, most in (((1, 2), 2), ((1, 2), 1), ((1, 2), 0), ((3,), 3)):
        check_pair(pair(), letters, most)
        check_pair(pair(lambda u, v: (u + v) % 5, lambda u, v: min((u - v) % 5, (v - u) % 5)), letters, most)
    squares = pair(distance=lambda u, v: abs(u * u - v * v))
    with pytest.raises(Fault, match="common inputs change the distance"):
        check_pair(squares, (1, 2), 1)
    with pytest.raises(Fault, match="is no monoid"):
        check_pair(pair(lambda u, v: u - v), (1, 2), 1)
    with pytest.raises(Fault, match="with the other brackets"):
        check_pair(pair(lambda u, v: max(u, v) if 0 in (u, v) else (u * u + v) % 7), (1, 2), 1)
    spoilt = pair(distance=lambda u, v: 9 if (u, v) == (4, 2) else abs(u - v))
    with pytest.raises(Fault, match="common inputs change the distance"):
        check_pair(spoilt, (1, 2), 2)


def test_what_takes_too_many_comparisons_is_left_unchecked_and_seen_faults_are_faults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(monoid, "MOST_QUADRUPLES", 3**4)
    monkeypatch.setattr(monoid, "MOST_COMPARISONS", 60)
    with pytest.raises(Unchecked, match="MOST_COMPARISONS"):
        check_pair(pair(), (1, 2), 2)
    with pytest.raises(Fault, match="common inputs change the distance"):
        check_pair(pair(distance=lambda u, v: abs(u * u - v * v)), (1, 2), 2)


def test_as_many_quadruples_are_tried_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    monkeypatch.setattr(monoid, "_literally", lambda *_: tried.append("all"))
    monkeypatch.setattr(monoid, "_by_letters", lambda *_: tried.append("letters"))
    for most in (3**4, 3**4 - 1):  # sums 0, 1 and 2
        monkeypatch.setattr(monoid, "MOST_QUADRUPLES", most)
        check_pair(pair(), (1,), 2)
    assert tried == ["all", "letters"]


def test_a_pair_that_changes_its_answers_is_refused() -> None:
    asked: list[int] = []

    def sums(u: int, v: int) -> int:
        asked.append(1)
        return u + v + (len(asked) > 1)

    steady = pair()
    steady.plus(1, 2), steady.distance(1, 2)
    check_again(steady, [(1,)], [(1,)])
    changing = pair(sums)
    changing.plus(1, 2)
    changing.plus(1, 2)  # is remembered
    assert len(asked) == 1
    with pytest.raises(Fault, match=r"aggregate\(1, 2\) changed between two askings: 3, then 4"):
        check_again(changing, [], [])
    with pytest.raises(Fault, match="index_set changed"):
        check_again(steady, [(1,)], [(2,)])
