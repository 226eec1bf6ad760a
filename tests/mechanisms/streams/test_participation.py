"""Users who stay away, come twice, or react to what was released."""

from fractions import Fraction

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.models.logistic import Logistic
from dpcert.mechanisms.streams.labelled import LabelledEvents
from dpcert.mechanisms.streams.participation import LOOKED_AHEAD, Habits, Users

EVENTS = LabelledEvents(np.linspace(-1, 1, 2_000)[:, None], (np.arange(2_000) >= 1_000).astype(np.int64), 2)
RIGHT, WRONG = np.array([1.0, 0.0]), np.array([-1.0, 0.0])


def came(habits: Habits, weights: np.ndarray, rounds: int, seed: int = 1) -> tuple[list[int], Users]:
    users = Users(EVENTS, habits, Logistic(1), seed)
    return [users.coming(weights) for _ in range(rounds)], users


def test_without_habits_each_event_comes_once_in_order() -> None:
    order, users = came(Habits(), RIGHT, 2_050)
    assert order == [*range(2_000), *range(50)]
    assert (users.deleted, users.inserted) == (0, 0)
    assert Habits().steady
    assert not Habits().reacting


def test_churn_deletes_and_inserts_at_its_rate_whatever_the_model() -> None:
    habits = Habits(churn=Fraction(1, 10))
    order, users = came(habits, RIGHT, 1_500)
    assert order == came(habits, WRONG, 1_500)[0]
    steps = np.diff(order)
    assert min(steps) == 0
    assert (steps == 0).sum() in (users.inserted, users.inserted - 1)
    assert sum(steps[steps > 0] - 1) + order[0] == users.deleted
    assert 100 < users.deleted < 220
    assert 100 < users.inserted < 220
    assert order != came(habits, RIGHT, 1_500, seed=2)[0]


def test_who_is_got_wrong_stays_away_and_who_is_got_right_comes_again() -> None:
    habits = Habits(feedback=Fraction(1, 2))
    assert habits.reacting
    _, pleased = came(habits, RIGHT, 900)
    _, annoyed = came(habits, WRONG, 900)
    assert (pleased.deleted, annoyed.inserted) == (0, 0)
    assert pleased.inserted > 200
    assert annoyed.deleted > 600


def test_users_look_at_the_model_that_is_public_now() -> None:
    """Against each event's own prediction, the model changed at random rounds."""
    dice = np.random.default_rng(3)
    users, weights = Users(EVENTS, Habits(), Logistic(1), 1), RIGHT
    for _ in range(3 * LOOKED_AHEAD):
        if dice.random() < 0.05:
            weights = dice.normal(size=2)
            users.released()
        at = users.coming(weights)
        assert users.is_right(weights, at) == bool(
            Logistic(1).predict(weights, EVENTS.x[at : at + 1])[0] == EVENTS.y[at]
        )


@pytest.mark.parametrize("chances", [{"churn": Fraction(-1)}, {"feedback": Fraction(2, 3)}])
def test_chances_out_of_range_are_refused(chances: dict[str, Fraction]) -> None:
    with pytest.raises(ArgumentError, match="chances from 0 to 1/2"):
        Habits(**chances)
