"""Both idioms: the checks of scikit-learn and river, the same run as the pipeline's, copies that only predict."""

import copy
import pickle
import warnings
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from river import checks, datasets, evaluate, metrics
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from dpcert.audit.errors import ArgumentError, DpcertError
from dpcert.mechanisms.idioms.learner import Learner, SgdParameters
from dpcert.mechanisms.idioms.river_online import ContinualSgdOnline
from dpcert.mechanisms.idioms.scikit_learn import ContinualSgdClassifier
from dpcert.mechanisms.learning.calibration import Wish
from dpcert.mechanisms.learning.rates import named_schedule
from dpcert.mechanisms.live.lease_tables import LeaseError
from dpcert.mechanisms.models.adaptive_clip import named_clip
from dpcert.mechanisms.streams.named import labelled
from dpcert.mechanisms.training.setting import SgdSetting

ASKED: dict[str, Any] = {"epsilon": 16, "delta": 1e-3, "horizon": 700, "calibration": "sharp"}
EVENTS = labelled("phishing", 700, 1)
NAMES = list(next(iter(datasets.Phishing()))[0])
RIVER_CHECKS = (
    *("check_learn_one", "check_pickling", "check_emerging_features", "check_disappearing_features"),
    *("check_radically_disappearing_features", "check_predict_one_pure", "check_no_state_aliasing_with_input"),
    *("check_clone_is_independent", "check_predict_proba_one", "check_bounded_memory_growth"),
)
"""Those of every classifier but one that compares copies which learn on, and one of labels found in the stream."""


def sure() -> ContinualSgdClassifier:
    return ContinualSgdClassifier(**ASKED)


@pytest.mark.in_turns
def test_scikit_learns_own_checks() -> None:
    """All of them, on a promise so strict that no bin leaves within their few events, so that nothing is random."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = check_estimator(ContinualSgdClassifier(epsilon=1, horizon=2_000, calibration="paper"), on_fail=None)
    assert [one["check_name"] for one in done if one["status"] == "failed"] == []
    assert len([one for one in done if one["status"] == "passed"]) > 45


def test_it_learns_in_order_whatever_the_pieces_and_answers_by_the_public_model() -> None:
    model = sure()
    for first in range(0, 700, 100):
        model.partial_fit(EVENTS.x[first : first + 100], EVENTS.y[first : first + 100], classes=[0, 1])
    assert model.released_ > 5
    assert model.weights_.shape == (10,)
    chances = model.predict_proba(EVENTS.x)
    scores = EVENTS.x @ model.weights_[:-1] + model.weights_[-1]
    assert chances[:, 1] == pytest.approx(1 / (1 + np.exp(-scores)))
    assert model.predict(EVENTS.x).tolist() == (scores > 0).astype(int).tolist()
    assert model.score(EVENTS.x, EVENTS.y) > 0.55
    assert clone(model).get_params() == model.get_params()
    named = sure().fit(EVENTS.x[:300], np.where(EVENTS.y[:300], "forged", "true"))
    assert set(named.predict(EVENTS.x)) <= {"forged", "true"}


@pytest.mark.parametrize("clip", [1, "adaptive"])
def test_optimisers_and_schedules_of_a_run_stand_behind_the_same_sums(clip: Any) -> None:
    """As `run sgd` puts them there, with the noise of the sums alone."""
    rates = named_schedule("1/2,1/4@3")
    asked = {"optimiser": "momentum=1/2", "clip": clip, "learning_rate": rates.name}
    learner = Learner(SgdParameters(**ASKED, **asked), 9, 2)
    wish, norm = Wish(Fraction(16), Fraction(1, 1000), 700), named_clip(str(clip))
    setting = SgdSetting("phishing", wish, clip=norm, rate=rates, optimiser="momentum=1/2")
    assert learner.run._sums._core == setting.optimised(learner.calibration.core)
    assert learner.run._updates == setting.updates
    plain = Learner(SgdParameters(**ASKED, clip=clip), 9, 2)
    assert plain.calibration.sigma == learner.calibration.sigma


def test_a_copy_predicts_and_does_not_learn_on() -> None:
    model = sure().partial_fit(EVENTS.x[:500], EVENTS.y[:500], classes=[0, 1])
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.weights_.tolist() == model.weights_.tolist()
        assert other.released_ == model.released_ > 0
        assert other.predict(EVENTS.x).tolist() == model.predict(EVENTS.x).tolist()
        with pytest.raises(DpcertError, match="a copy of it, which only predicts"):
            other.partial_fit(EVENTS.x[:5], EVENTS.y[:5])
    model.partial_fit(EVENTS.x[500:600], EVENTS.y[500:600])


def test_a_folder_keeps_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    model = ContinualSgdClassifier(**ASKED, folder=str(tmp_path / "run"))
    model.partial_fit(EVENTS.x[:400], EVENTS.y[:400], classes=[0, 1])
    with pytest.raises(LeaseError, match="in use"):
        clone(model).partial_fit(EVENTS.x[:1], EVENTS.y[:1], classes=[0, 1])
    weights, released = model.weights_, model.released_
    model.close()
    again = clone(model).partial_fit(EVENTS.x[400:401], EVENTS.y[400:401], classes=[0, 1])
    assert again.released_ >= released > 0
    if again.released_ == released:
        assert again.weights_.tolist() == weights.tolist()


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        (EVENTS.x[:3], [0, 1, 2], "labels of the classes but got y=2"),
        (EVENTS.x[:3, :4], [0, 1, 1], "9 features"),
        ([[np.nan] * 9], [0], "NaN"),
        ([[np.inf] * 9], [0], "infinity"),
        ([[1e9] * 9], [0], "at most 1000000 in size"),
        ([["a"] * 9], [0], "could not convert"),
        (np.zeros((0, 9)), [], "0 sample"),
        (np.zeros((701, 9)), [0] * 701, "at most 700 events, the horizon"),
    ],
)
def test_events_that_are_not_what_the_model_takes_are_refused_whole(x: Any, y: Any, why: str) -> None:
    model = sure().partial_fit(EVENTS.x[:5], EVENTS.y[:5], classes=[0, 1])
    with pytest.raises(ValueError, match=why):
        model.partial_fit(x, y)
    assert model._live.run.rounds == 5


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"learning_rate": 0}, "a step size above 0"),
        ({"learning_rate": -0.5}, "a step size above 0"),
        ({"learning_rate": float("nan")}, "a finite number"),
        ({"epsilon": "big"}, "a finite number but got epsilon='big'"),
        ({"epsilon": float("inf")}, "a finite number"),
        ({"horizon": 10}, "before which no bin leaves"),
        ({"horizon": 700.5}, "a horizon that is a whole number"),
        ({"calibration": "loose"}, "a calibration of"),
        ({"model": "forest"}, "logistic or softmax"),
        ({"learning_rate": "fast"}, "learning_rate='fast'"),
        ({"optimiser": "lion"}, "needs its own audit"),
    ],
)
def test_parameters_that_cannot_be(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        ContinualSgdClassifier(**{**ASKED, **change}).fit(EVENTS.x[:9], EVENTS.y[:9])
    with pytest.raises(ArgumentError, match=why):
        ContinualSgdOnline(NAMES, [False, True], **{**ASKED, **change})


def test_calls_out_of_order() -> None:
    with pytest.raises(NotFittedError):
        sure().predict(EVENTS.x)
    with pytest.raises(ArgumentError, match="all classes at the first call"):
        sure().partial_fit(EVENTS.x[:5], EVENTS.y[:5])
    with pytest.raises(ArgumentError, match="the classes of the first call"):
        sure().partial_fit(EVENTS.x[:5], EVENTS.y[:5], classes=[0, 1]).partial_fit(
            EVENTS.x[:5], EVENTS.y[:5], classes=[0, 2]
        )


def online() -> ContinualSgdOnline:
    return ContinualSgdOnline(NAMES, [False, True], **ASKED)


def test_river_runs_it_on_its_own_stream() -> None:
    model = online()
    accuracy = evaluate.progressive_val_score(datasets.Phishing().take(700), model, metrics.Accuracy())
    assert accuracy.get() > 0.5
    assert model._live is not None
    assert (model._live.run.rounds, model._live.run.released > 5) == (700, True)
    with pytest.raises(ArgumentError, match="at most 700 events, the horizon, but got event=701"):
        model.learn_one({}, True)


@pytest.mark.in_turns
@pytest.mark.parametrize("check", RIVER_CHECKS)
def test_rivers_own_checks(check: str) -> None:
    class Some(datasets.base.Dataset):  # type: ignore[misc]  # as the checks want one
        def __init__(self) -> None:
            super().__init__(task=datasets.base.BINARY_CLF, n_features=9)

        def __iter__(self) -> Any:
            return iter([*datasets.Phishing().take(60)])

    made = getattr(checks, check, None) or getattr(checks.clf, check, None) or getattr(checks.common, check)
    partial(made, online())(Some())


def test_events_of_river_that_the_model_does_not_take() -> None:
    model = online()
    with pytest.raises(ArgumentError, match="a label of the classes but got y='maybe'"):
        model.learn_one({}, "maybe")
    with pytest.raises(ArgumentError, match="finite and at most"):
        model.learn_one({"https": float("nan")}, True)
    with pytest.raises(ArgumentError, match="features that are numbers"):
        model.learn_one({"https": "yes"}, True)
    assert model._live is not None
    assert model._live.run.rounds == 0
    model.learn_one({"https": 1.0, "unheard of": 3}, True)
    assert sum(model.predict_proba_one({}).values()) == pytest.approx(1)
    other = copy.deepcopy(model)
    assert other.predict_one({"https": 1.0}) == model.predict_one({"https": 1.0})
    with pytest.raises(DpcertError, match="only predicts"):
        other.learn_one({}, True)
