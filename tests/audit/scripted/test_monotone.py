"""Where answers about a number of `random()` change, though a function of the C library is a bit off near an end."""

from fractions import Fraction
from random import Random

import pytest

from dpcert.audit.scripted.monotone import NEAR, STEPS, MonotoneFunction, MonotoneSteps, TurnsBack, ends

SAME = MonotoneFunction(("same",), lambda value: value)


def question(end: int, wrong: int) -> MonotoneFunction:
    """Whether k is at least `end`, answered wrongly of one k."""
    return MonotoneFunction((str(end), str(wrong)), lambda u: (int(u * STEPS) >= end) != (int(u * STEPS) == wrong))


def changes(end: int, wrong: int) -> tuple[int, ...]:
    """All k at which the answer is another than at k - 1, by asking of every one around the end."""
    around = range(end - 2 * NEAR, end + 2 * NEAR)
    answers = [question(end, wrong).about(Fraction(k, STEPS)) for k in around]
    return tuple(k for k, before, now in zip(around[1:], answers, answers[1:], strict=False) if before != now)


@pytest.mark.parametrize("seed", range(6))
def test_a_wrong_answer_near_an_end_is_met_on_either_side(seed: int) -> None:
    end, noticed = Random(seed).randrange(10**6, STEPS - 10**6), 0
    for wrong in range(end - NEAR, end + NEAR):
        try:
            found = ends(MonotoneSteps((SAME,), loose=True), question(end, wrong), 0, STEPS - 1, 10)
        except TurnsBack:
            noticed += 1
        else:
            assert found == changes(end, wrong)
    assert noticed > NEAR


def test_what_is_wrong_of_one_number_alone_is_not_looked_for_where_no_step_is_loose() -> None:
    found = ends(MonotoneSteps((SAME,)), question(STEPS // 2, STEPS // 2 + 2), 0, STEPS - 1, 10)
    assert found == (STEPS // 2,)  # the wrong one is not met: such steps are taken to be monotone
