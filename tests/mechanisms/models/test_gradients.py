"""Gradients of every model against differences of its losses, event by event; chances, predictions, bad events."""

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.models.hidden_layer import HiddenLayer
from dpcert.mechanisms.models.logistic import Logistic
from dpcert.mechanisms.models.model import Model, checked_features, checked_labels
from dpcert.mechanisms.models.named import model_of, usual_model
from dpcert.mechanisms.models.softmax import Softmax

MODELS = [Logistic(3), Softmax(3, 4), HiddenLayer(3, 4, 5)]


def case(model: Model, seed: int, size: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    dice = np.random.default_rng(seed)
    weights = dice.normal(size=model.dimension)
    return weights, dice.normal(size=(size, model.features)), dice.integers(model.classes, size=size)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("seed", range(5))
def test_a_row_is_the_derivative_of_its_own_events_loss(model: Model, seed: int) -> None:
    weights, x, y = case(model, seed)
    step = 1e-6
    for at in range(model.dimension):
        moved = np.eye(model.dimension)[at] * step
        by_difference = (model.losses(weights + moved, x, y) - model.losses(weights - moved, x, y)) / (2 * step)
        assert model.gradients(weights, x, y)[:, at] == pytest.approx(by_difference, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_row_is_of_its_event_alone(model: Model) -> None:
    weights, x, y = case(model, 9)
    alone = [model.gradients(weights, x[i : i + 1], y[i : i + 1])[0] for i in range(len(x))]
    assert model.gradients(weights, x, y) == pytest.approx(np.array(alone))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_chances_are_those_of_the_losses_and_the_likeliest_label_is_predicted(model: Model) -> None:
    weights, x, _ = case(model, 3, 40)
    chances = model.chances(weights, x)
    assert chances.sum(axis=1) == pytest.approx(np.ones(40))
    assert model.predict(weights, x).tolist() == chances.argmax(axis=1).tolist()
    for label in range(model.classes):
        assert -np.log(chances[:, label]) == pytest.approx(model.losses(weights, x, np.full(40, label)))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_the_largest_weights_and_features_give_finite_numbers(model: Model) -> None:
    """Noise may make weights of any size: nothing then may be NaN, or the bin would wait for ever."""
    weights, x, y = case(model, 4)
    for size in (1e3, 1e12, 1e200):
        assert np.isfinite(model.gradients(weights * size, x * 1e6, y)).all()
        assert np.isfinite(model.losses(weights * size, x * 1e6, y)).all()


def test_the_start_is_public_and_a_network_can_leave_it() -> None:
    model = HiddenLayer(3, 4, 5)
    assert model.initial.tolist() == HiddenLayer(3, 4, 5).initial.tolist()
    _, x, y = case(model, 1)
    assert np.abs(model.gradients(model.initial, x, y)).max() > 0
    assert not Softmax(3, 4).initial.any()


@pytest.mark.parametrize(
    ("x", "why"),
    [
        ([["a", 1, 2]], "features that are numbers"),
        ([[1, 2]], "3 features of each event"),
        ([1, 2, 3], "3 features of each event"),
        ([[1, 2, 3], [1, float("nan"), 2]], "finite and at most 1000000 in size but got event=1"),
        ([[float("inf"), 0, 2]], "finite and at most 1000000 in size but got event=0"),
        ([[1e7, 0, 2]], "finite and at most 1000000 in size"),
        ([[None, 0, 2]], "finite and at most 1000000 in size"),
    ],
)
def test_events_that_a_model_does_not_take(x: object, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        checked_features(Softmax(3, 4), x)


@pytest.mark.parametrize("y", [[4], [-1], [0.5], ["1"], [[1]], [1 << 70], [None]])
def test_labels_that_a_model_does_not_know(y: list[object]) -> None:
    with pytest.raises(ArgumentError, match="labels that are whole numbers from 0 to 3"):
        checked_labels(Softmax(3, 4), y)
    assert checked_labels(Softmax(3, 4), [True, 0]).tolist() == [1, 0]
    assert checked_labels(Softmax(3, 4), []).tolist() == []


def test_models_by_name() -> None:
    assert (model_of("logistic", 3, 2), usual_model(3, 2), usual_model(3, 4)) == (
        Logistic(3),
        Logistic(3),
        Softmax(3, 4),
    )
    assert model_of("hidden-layer", 3, 2) == HiddenLayer(3, 2)
    for name, features, classes, why in (
        ("perceptron", 3, 2, "logistic or softmax or hidden-layer but got model='perceptron'"),
        ("logistic", 3, 3, "two classes for logistic regression"),
        ("softmax", 0, 3, "at least 1 feature"),
        ("softmax", 3, 1, "from 2 to 65536 classes"),
    ):
        with pytest.raises(ArgumentError, match=why):
            model_of(name, features, classes)
    with pytest.raises(ArgumentError, match="at least 1 unit"):
        HiddenLayer(3, 2, 0)
