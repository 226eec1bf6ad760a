"""Calls on the workers of a real Dask scheduler, some of which are killed while they are at one."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from instances import calls
from instances.cluster import Cluster, cluster

from dpcert.audit.budget import Budget
from dpcert.audit.commands.search import TableSearch, answered
from dpcert.audit.errors import ArgumentError
from dpcert.audit.search.climb import Shape
from dpcert.audit.workers import scheduler
from dpcert.audit.workers.workers import THIS_PROCESS, Workers
from dpcert.mechanisms.learning.calibration import Wish
from dpcert.mechanisms.learning.objective import named_objective
from dpcert.mechanisms.learning.per_user import UserEvents
from dpcert.mechanisms.learning.plan import SgdQuestion, sgd_planned
from dpcert.mechanisms.learning.rates import named_schedule
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.training.setting import SgdSetting
from dpcert.mechanisms.training.sweep import runs, tasks
from dpcert.proofs_checked.verify import check

pytestmark = [pytest.mark.real("workers"), pytest.mark.in_turns(together="cluster of calls")]
CLAIMS = ("defn:power/best_packing", "defn:power/identity_is_least")


@pytest.fixture(scope="module")
def three_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster"), workers=3) as made:
        yield made


def test_a_call_whose_worker_is_killed_is_tried_again(three_workers: Cluster, tmp_path: Path) -> None:
    work = Workers(scheduler=three_workers.address).calls(calls.worker_killed_once)
    found = {reply.number: reply.answer for reply in work.replies([(str(tmp_path), number) for number in range(20)])}
    assert found == {number: number**2 for number in range(20)}
    assert sum(worker.poll() is not None for worker in three_workers.workers) == 1


def test_a_call_that_kills_every_process_is_lost_and_no_worker_is(three_workers: Cluster) -> None:
    before = [worker.poll() for worker in three_workers.workers]
    found = {
        reply.number: reply
        for reply in Workers(scheduler=three_workers.address).calls(calls.always_killed).replies(range(5))
    }
    assert {number: reply.answer for number, reply in found.items()} == {0: 0, 1: 1, 2: 2, 3: None, 4: 4}
    assert "lost" in found[3].lost
    assert [worker.poll() for worker in three_workers.workers] == before


def test_when_the_time_is_over_no_more_calls_are_begun(three_workers: Cluster) -> None:
    done: list[int] = []
    work = Workers(scheduler=three_workers.address).calls(calls.square, over=lambda: "over" if done else "")
    found = []
    for reply in work.replies(range(40)):
        done.append(reply.number)
        found.append(reply)
    assert sorted(reply.number for reply in found) == list(range(40))
    assert all(reply.lost == "over" for reply in found if not reply.begun)
    assert 0 < sum(reply.begun for reply in found) < 40


def test_claims_are_decided_alike(three_workers: Cluster) -> None:
    here, _ = check(CLAIMS, THIS_PROCESS, lambda _: None)
    there, _ = check(CLAIMS, Workers(scheduler=three_workers.address), lambda _: None)
    assert [line.document() for line in there] == [line.document() for line in here]


def test_learning_runs_are_made_alike(three_workers: Cluster) -> None:
    setting = SgdSetting("phishing", Wish(Fraction(16), Fraction(1, 1000), 300))
    listed = tasks([setting], ("batches", "no-privacy"), 2, 9)
    here = {(run.method, run.seed): run.measures.right.tolist() for run in runs(listed, THIS_PROCESS, lambda _: None)}
    there = runs(listed, Workers(scheduler=three_workers.address), lambda _: None)
    assert {(run.method, run.seed): run.measures.right.tolist() for run in there} == here


def test_a_search_finds_the_same(three_workers: Cluster) -> None:
    asked = TableSearch(Shape(2, 2, 2), Fraction(2), Fraction(1, 20), seed=3, restarts=4)
    here, there = (answered(asked, Budget(), by) for by in (THIS_PROCESS, Workers(scheduler=three_workers.address)))
    assert here == there


def test_splits_are_tried_alike(three_workers: Cluster) -> None:
    updates = Updates(1, Fraction(1), named_schedule("1"))
    promise = SgdQuestion(
        Fraction(8), Fraction(1, 1000), 300, None, updates, "tree", "plain", UserEvents(1), named_objective("noise")
    )
    splits = (Fraction(1, 4), Fraction(1, 2))
    here, there = (sgd_planned(promise, splits, by) for by in (THIS_PROCESS, Workers(scheduler=three_workers.address)))
    assert here.swept == there.swept != ()


def test_a_worker_with_another_version_is_refused(three_workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.workers.order.version", lambda _: "0.0.0")
    with pytest.raises(ArgumentError, match=r"Expected dpcert 0\.0\.0 on every worker but got"):
        list(Workers(scheduler=three_workers.address).calls(calls.square).replies(range(2)))


def test_a_worker_with_other_files_is_refused(three_workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.workers.order.files_of_ours", lambda: "others")
    with pytest.raises(ArgumentError, match=r"Expected the same files of dpcert \S+ on every worker but got others"):
        list(Workers(scheduler=three_workers.address).calls(calls.square).replies(range(2)))


def test_a_scheduler_without_workers_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "WORKER_PATIENCE", 1)
    with cluster(tmp_path, workers=0) as none, pytest.raises(ArgumentError, match="Expected a worker of the scheduler"):
        list(Workers(scheduler=none.address).calls(calls.square).replies(range(2)))
