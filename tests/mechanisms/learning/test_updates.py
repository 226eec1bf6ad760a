"""A bin's update and what an edit moves it by: never more than is said, and as much on bins that are written out."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.learning.rates import named_schedule
from dpcert.mechanisms.learning.updates import Updates, gradients_of
from dpcert.mechanisms.matrices.dyadic import finite
from dpcert.mechanisms.models.logistic import Logistic
from dpcert.mechanisms.models.model import checked_features

UPDATES = Updates(3, Fraction(3, 2), Fraction(1, 10), 20)


def moved(first: np.ndarray, second: np.ndarray, updates: Updates = UPDATES) -> int:
    """The squared distance of two bins' updates."""
    return sum(int(v) ** 2 for v in updates.of(first) - updates.of(second))


@pytest.mark.parametrize("level", [2, 5, 16])
def test_an_edit_moves_a_bin_by_at_most_what_is_said(level: int) -> None:
    dice, bound = np.random.default_rng(level), UPDATES.edit_change(level) ** 2
    for _ in range(100):
        size = int(dice.integers(level, 2 * level + 1))
        rows = dice.normal(size=(size, 3)) * 10.0 ** dice.integers(-2, 3)
        other = rows.copy()
        other[dice.integers(size)] = dice.normal(size=3) * 100
        assert moved(rows, other) <= bound
        assert moved(rows, rows[1:]) <= bound if size > level else True


@pytest.mark.parametrize("level", [2, 5, 16])
def test_two_g_over_u_is_attained_in_both_bins(level: int) -> None:
    """Claims 99: one of U events becomes its opposite; one event comes to U - 1 that are all its opposite."""
    updates = Updates(1, Fraction(1), Fraction(1), 20)
    plain = updates.any_change / level
    first = moved(np.array([[1.0]] * level), np.array([[1.0]] * (level - 1) + [[-1.0]]), updates)
    second = moved(np.array([[-1.0]] * (level - 1)), np.array([[-1.0]] * (level - 1) + [[1.0]]), updates)
    for found in (first, second):
        assert (plain * Fraction(999, 1000)) ** 2 < found <= updates.edit_change(level) ** 2
        assert found > updates.edit_change(level * 2) ** 2  # a bound for larger bins would not do


def test_rounding_may_add_a_unit_a_component_and_that_is_charged() -> None:
    updates = Updates(1, Fraction(1), Fraction(1), 3)
    pairs = [(Fraction(a, 8), Fraction(b, 8)) for a in range(-8, 9) for b in range(-8, 9)]
    rows = {pair: updates.of(np.array([[float(pair[0])], [float(pair[1])]])) for pair in pairs}
    excess = max(
        abs(int(rows[p][0]) - int(rows[q][0])) - abs(sum(p) - sum(q)) * 4 for p in pairs for q in pairs if p[0] == q[0]
    )
    assert 0 < excess < 1


def test_no_update_is_longer_than_the_clip_norm_times_the_rate_and_no_gradient_is_none() -> None:
    dice = np.random.default_rng(1)
    for _ in range(50):
        update = UPDATES.of(dice.normal(size=(int(dice.integers(1, 9)), 3)) * 1e3)
        assert sum(int(v) ** 2 for v in update) <= (UPDATES.any_change / 2) ** 2
        assert max(map(abs, update.tolist())) <= UPDATES.largest
    assert UPDATES.of(np.zeros((4, 3))).tolist() == [0, 0, 0]  # claims 100: the factor of a zero gradient is 1


def test_a_schedule_is_charged_by_its_largest_step_and_attains_it_there() -> None:
    """Claims 99, with step sizes that change: in units, the bins of a large step move by as much as is charged."""
    eta = named_schedule("1/4,1@3,1/8@5")
    updates, one = Updates(1, Fraction(1), eta, 20), np.array([[1.0]] * 4)
    other = np.array([[1.0]] * 3 + [[-1.0]])
    moves = [abs(int((updates.of(one, k) - updates.of(other, k))[0])) for k in range(1, 8)]
    assert moves == [2**17, 2**17, 2**19, 2**19, 2**16, 2**16, 2**16]
    assert updates.any_change / 4 == max(moves) < updates.edit_change(4) < max(moves) + 2
    assert updates.largest == 2**20
    assert named_schedule(eta.name) == eta
    plain = Updates(1, Fraction(1), Fraction(1, 4), 20)
    assert (plain.of(other, 9) == updates.of(other, 1)).all()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0", "a step size above 0 but got rate=0"),
        ("0.1,0@9", "a step size above 0 but got rate=0"),
        ("0.1,0.2", "a learning rate, and more as RATE@BIN after commas"),
        ("0.1@3", "a learning rate, and more as RATE@BIN after commas"),
        ("0.1,0.2@x", "a learning rate, and more as RATE@BIN after commas"),
        ("0.1,0.2@5,0.3@5", "starts that rise from bin 1 on"),
        ("fast", "learning_rate='fast'"),
    ],
)
def test_what_is_no_schedule_is_refused(text: str, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        named_schedule(text)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Updates(0, Fraction(1), Fraction(1)), "at least one component, and a clip above 0"),
        (lambda: Updates(1, Fraction(0), Fraction(1)), "at least one component, and a clip above 0"),
        (lambda: Updates(1, Fraction(1), Fraction(0)), "a step size above 0 but got rate=0"),
        (lambda: Updates(1, Fraction(1), Fraction(-1, 2)), "a step size above 0 but got rate=-1/2"),
        (lambda: Updates(1, Fraction(1), Fraction(1, 99), 3), "a step size whose product is at least 2\\^-3"),
        (lambda: UPDATES.of(np.zeros((2, 4))), "a gradient of 3 components for each event"),
        (lambda: UPDATES.of(np.zeros((0, 3))), "a gradient of 3 components for each event"),
        (lambda: UPDATES.of(np.array([[0.0, float("nan"), 1.0]])), "finite components but got example=1"),
        (lambda: gradients_of(lambda *_: "no", np.zeros(2), [1]), "gradients of numbers"),  # type: ignore[arg-type,return-value]
        (lambda: gradients_of(lambda *_: np.ones((1, 2)) * 1j, np.zeros(2), [1]), "gradients of numbers"),
        (lambda: finite(np.ones(2) * 1j, "initial"), "real entries but got initial='an array of complex128'"),
        (lambda: checked_features(Logistic(2), np.ones((1, 2)) * 1j), "features that are numbers"),
        (lambda: gradients_of(lambda *_: np.zeros((2, 2)), np.zeros(2), [1]), "a gradient for each of 1 events"),
    ],
)
def test_what_is_no_update_is_refused(make: object, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        make()  # type: ignore[operator]


def test_a_users_function_cannot_change_the_model() -> None:
    model = np.zeros(2)

    def spoil(given: np.ndarray, events: object) -> np.ndarray:  # noqa: ARG001 - as of others
        given += 1
        return given[None]

    assert gradients_of(spoil, model, [Random(1)]).tolist() == [[1.0, 1.0]]
    assert model.tolist() == [0.0, 0.0]
