"""Measured runs: accuracy, waiting and delays against plain loops; baselines; sweeps over processes; calibrations."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.audit.workers.workers import THIS_PROCESS, Workers
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.learning.calibration import Wish
from dpcert.mechanisms.learning.pipeline import ContinualSgd
from dpcert.mechanisms.learning.recorded import RecordedRandomness
from dpcert.mechanisms.live.session import Bin
from dpcert.mechanisms.matrices.participations import Once
from dpcert.mechanisms.streams.named import labelled
from dpcert.mechanisms.streams.participation import Habits
from dpcert.mechanisms.training.baselines import hamming_batches, open_batches
from dpcert.mechanisms.training.measured import MOST_TRACED, Measures, thinned
from dpcert.mechanisms.training.setting import CALIBRATIONS, SgdSetting, calibrated, first_release
from dpcert.mechanisms.training.summary import summaries
from dpcert.mechanisms.training.sweep import runs, tasks
from dpcert.mechanisms.training.trained import RowGradients, trained

SETTING = SgdSetting("phishing", Wish(Fraction(16), Fraction(1, 1000), 700))
REACTING = SgdSetting("phishing", SETTING.wish, habits=Habits(feedback=Fraction(1, 4)))
METHODS = ("sharp", "batches", "no-privacy")


def by_hand(seed: int, simulate: int) -> tuple[list[bool], list[Bin], list[int]]:
    """The same run event by event: what was foretold, what left, what waited at the end of each round."""
    made, events = calibrated("sharp", SETTING.wish, SETTING.updates, "tree"), labelled("phishing", 700, seed)
    recorded, bins = RecordedRandomness(simulate), list[Bin]()
    learner = SETTING.learner
    run = ContinualSgd(
        made.randbin, made.core, recorded.noise(made.sigma), SETTING.updates, RowGradients(learner, events),
        learner.initial, draw=recorded.draw, observe=bins.append,
    )  # fmt: skip
    recorded.follow(run)
    right, waiting = [], []
    for at in range(700):
        right.append(bool(learner.predict(run.model, events.x[at : at + 1])[0] == events.y[at]))
        run.push(at)
        waiting.append(run.backlog)
    return right, bins, waiting


def test_what_is_measured_is_what_a_plain_loop_sees() -> None:
    right, bins, waiting = by_hand(2, 5)
    found = trained(SETTING, "sharp", 2, simulate=5).measures
    assert found.right.tolist() == right
    assert found.left == [(out.round, len(out.events)) for out in bins]
    assert len(bins) > 5
    assert found.most_waiting == max(waiting)
    assert all(waiting[t - 1] == q for t, q in found.waiting() if t)
    delays = [delay for out in bins for delay in out.inclusion_delay]
    assert found.delay() == (pytest.approx(np.mean(delays)), max(delays))
    assert sum(events for _, _, events in found.histogram()) == len(delays)
    for low, high, events in found.histogram():
        assert events == sum(low <= d < high for d in delays)
    assert found.accuracy == np.mean(right)
    ends = [0, *(int(end) for end, _ in found.windows())]
    assert [share for _, share in found.windows()] == [pytest.approx(np.mean(right[a:b])) for a, b in pairwise(ends)]
    assert ends[-1] == 700
    assert found.last is not None
    assert found.trajectory()[-1][1:] == found.last[:4].tolist()


@pytest.mark.in_turns
def test_seeds_are_of_the_order_alone_and_noise_is_new_each_time() -> None:
    first, again = (trained(SETTING, "sharp", 1).measures.last for _ in range(2))
    assert first is not None
    assert again is not None
    assert first.tolist() != again.tolist()
    one, two = (trained(SETTING, "no-privacy", 1).measures.last for _ in range(2))
    assert one.tolist() == two.tolist()  # type: ignore[union-attr]
    assert trained(SETTING, "sharp", 1, simulate=3).simulated


@pytest.mark.in_turns
def test_users_who_react_are_foretold_by_the_model_that_they_saw() -> None:
    run = trained(REACTING, "no-privacy", 1)
    assert run.deleted > 0 < run.inserted
    assert len(run.measures.right) == 700
    assert trained(REACTING, "sharp", 1).deleted > 0


@pytest.mark.in_turns
def test_batches_keep_the_promise_under_hamming_changes_and_no_more() -> None:
    made = hamming_batches(SETTING, 20)
    mu = made.core.shift(SETTING.updates.edit_change(20), Once()) / made.sigma
    spent = GaussianProduct(GaussianShift.of_mu(mu)).delta_at(SETTING.wish.epsilon).finite()
    assert spent.upper <= made.proven <= SETTING.wish.delta
    more = GaussianProduct(GaussianShift.of_mu(mu * Fraction(101, 100))).delta_at(SETTING.wish.epsilon).finite()
    assert more.lower > SETTING.wish.delta
    assert open_batches(SETTING, 20).proven == 1
    run = trained(SETTING, "batches", 1)
    levels = [calibrated(name, SETTING.wish, SETTING.updates, "tree").randbin.level for name in CALIBRATIONS]
    assert run.level == min(levels)
    assert trained(replace(SETTING, batch=35), "batches", 1).measures.left[1] == (70, 35)
    assert run.measures.left == [(n, run.level) for n in range(run.level, 701, run.level)]


def test_an_event_less_moves_every_later_batch() -> None:
    """Why batches at fixed times are no participation privacy."""
    whole, rest = list(range(100)), [*range(30), *range(31, 101)]
    batches = [[events[a : a + 10] for a in range(0, 100, 10)] for events in (whole, rest)]
    assert [a != b for a, b in zip(*batches, strict=True)] == [False] * 3 + [True] * 7


@pytest.mark.in_turns
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_sweep_gives_every_run_once_whatever_the_processes(jobs: int) -> None:
    settings = [SETTING, SgdSetting("phishing", Wish(Fraction(20), Fraction(1, 1000), 700))]
    said: list[str] = []
    made = list(runs(tasks(settings, METHODS, 2, 9), Workers(jobs), said.append))
    found = summaries(made, settings, METHODS)
    assert [(one.setting, one.method) for one in found] == [(s, m) for s in settings for m in METHODS]
    assert [[run.seed for run in one.runs] for one in found] == [[1, 2]] * 6
    spread = found[0].accuracy
    assert spread.least <= spread.middle <= spread.largest
    assert {run.measures.accuracy for run in found[0].runs} == {spread.least, spread.largest}
    assert said[0].startswith("Calibrating sharp at ε = 16, 700 events")
    alone = trained(SETTING, "sharp", 2, simulate=9).measures.accuracy
    assert found[0].runs[1].measures.accuracy == alone


@pytest.mark.in_turns
def test_a_promise_that_cannot_be_kept_stops_all_before_any_runs() -> None:
    settings = [SETTING, SgdSetting("phishing", Wish(Fraction(16), Fraction(1, 1000), 10))]
    with pytest.raises(ArgumentError, match=r"a horizon of at least \d+ events, before which no bin leaves \(sharp\)"):
        next(runs(tasks(settings, METHODS, 1, 9), THIS_PROCESS, lambda _: None))


@pytest.mark.in_turns
def test_no_bin_leaves_before_the_first_release_and_one_may_then() -> None:
    made = calibrated("sharp", SETTING.wish, SETTING.updates, "tree")
    firsts = [trained(SETTING, "sharp", 1, simulate=seed).measures.left[0][0] for seed in range(30)]
    assert first_release(made) <= min(firsts)
    assert min(firsts) < first_release(made) + made.randbin.level


@pytest.mark.in_turns
def test_cores_and_names() -> None:
    for core in ("band=8", "square-root"):
        setting = SgdSetting("phishing", SETTING.wish, core=core)
        assert len(trained(setting, "no-privacy", 1).measures.left) > 5
    with pytest.raises(ArgumentError, match="but got core='bush'"):
        SgdSetting("phishing", SETTING.wish, core="bush")
    with pytest.raises(ArgumentError, match="a calibration of paper, sharp, gaussian but got calibration='loose'"):
        calibrated("loose", SETTING.wish, SETTING.updates, "tree")
    with pytest.raises(ArgumentError, match="paper, sharp, gaussian, batches, no-privacy but got method='loose'"):
        trained(SETTING, "loose", 1)


def test_points_are_thinned_with_both_ends() -> None:
    assert thinned(list(range(50))) == list(range(50))
    few = thinned(list(range(10_000)))
    assert (len(few), few[0], few[-1]) == (MOST_TRACED, 0, 9_999)
    assert Measures(np.zeros(3, dtype=bool)).delay() == (0.0, 0)
