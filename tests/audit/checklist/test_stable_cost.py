"""Of which questions STABLE_COST is decided, on which rounds, and what is left where the ladder is not climbed."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from instances.random_core import random_core

from dpcert import Budget
from dpcert.audit.checklist import conditions
from dpcert.audit.checklist.conditions import Entry, _levels, _stable_cost
from dpcert.audit.checklist.subject import Subject, subject_of
from dpcert.audit.errors import Stopped
from dpcert.audit.examine import examination
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.records.assembled import AuditFacts
from dpcert.audit.relations.adjacency import HAMMING, ZeroOut
from dpcert.mechanisms.interval_sums import IntervalSums
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound

SURE = Finding(Verdict.HOLDS, Method.EXHAUSTIVE, "", "")
USUAL: dict[str, Any] = {"hops": 1, "challenge_round": None, "epsilons": (), "deltas": (), "exp_epsilons": (1,)}
FORM: Any = IntervalSums()
PLAIN: Any = RandomizedResponse()


@cache
def facts(mechanism: Any, rounds: int) -> AuditFacts:
    return examination(mechanism, horizon=rounds, **USUAL).facts


def subject(mechanism: Any, rounds: int) -> Subject:
    return subject_of(mechanism, any_view_of(mechanism), HAMMING, rounds, Budget())


def cost(mechanism: Any, budget: Budget | None = None, **changes: Any) -> Entry:
    """STABLE_COST of two rounds where the analysis came to something else."""
    found, known = facts(mechanism, 2), subject(mechanism, 2)
    findings = dict.fromkeys(Item, SURE) | {item: changes.pop(item.value) for item in Item if item.value in changes}
    question = replace(found.request.question, **changes.pop("question", {}))
    analysis = replace(found.analysis, **changes)
    return _stable_cost(known, findings, question, analysis, "here", budget or Budget(), None, None)


def test_a_stable_cost_holds_by_the_strongest_rung() -> None:
    found = cost(PLAIN)
    assert (found.finding.verdict, found.rung) == (Verdict.HOLDS, "SCALAR")
    assert found.finding.detail.startswith("SCALAR: ")
    assert len(found.rungs) == 5
    refuted = cost(TwoRound())
    assert (refuted.finding.verdict, refuted.rung) == (Verdict.REFUTED, None)
    assert refuted.finding.witness == refuted.rungs[0].finding.witness


@pytest.mark.parametrize(
    "asked", [{"hops": 2}, {"challenge_round": 1}, {"adjacency": "any"}, {"adjacency": ZeroOut(null=0)}]
)
def test_it_is_decided_of_streams_that_may_differ_in_any_one_round(asked: dict[str, Any]) -> None:
    record = examination(PLAIN, horizon=2, **(USUAL | asked)).record.document
    (entry,) = [one for one in record["checklist"] if one["item"] == "STABLE_COST"]
    assert (entry["verdict"], entry["rung"], entry["rungs"]) == ("UNDECIDED", None, [])
    assert "decided for neighbours (hamming, unit-hamming) that may differ in any one round" in entry["detail"]


@pytest.mark.parametrize("item", [Item.PREFIX_DEPENDENCE, Item.FRESH_RANDOMNESS, Item.DETERMINISTIC_MAP])
@pytest.mark.parametrize("verdict", [Verdict.REFUTED, Verdict.UNDECIDED])
def test_there_is_a_core_where_each_of_the_first_three_holds(item: Item, verdict: Verdict) -> None:
    found = cost(PLAIN, **{item.value: replace(SURE, verdict=verdict)})
    assert found.finding.verdict is Verdict.UNDECIDED
    assert found.finding.detail == f"there is no core to examine without {item.value}"
    assert cost(PLAIN, **{Item.POST_PROCESSING.value: replace(SURE, verdict=verdict)}).rung == "SCALAR"


def test_what_holds_by_form_holds_where_no_ladder_is_climbed(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = {"VECTOR", "CONTEXT_STABLE", "FUTURE_STABLE"}
    for mechanism, by_form in ((FORM, True), (PLAIN, False)):
        stopped = cost(mechanism, stopped="it was enough")
        assert (stopped.finding.verdict is Verdict.HOLDS) is by_form
        assert {rung.name for rung in stopped.rungs} == (forms if by_form else set())
        assert by_form or stopped.finding.detail == conditions.TOO_LARGE
        with monkeypatch.context() as small:
            small.setattr(conditions, "MOST_POSITIONS", 1)
            large = cost(mechanism)
        assert {rung.name for rung in large.rungs} == (forms if by_form else set())
        with monkeypatch.context() as ended:
            ended.setattr(conditions, "ladder", _ends)
            cut = cost(mechanism)
        assert {rung.name for rung in cut.rungs} == (forms if by_form else set())
        assert by_form or cut.finding.detail == "the ladder was cut short: it was enough"


def _ends(*_: Any) -> Any:
    raise Stopped("it was enough")


def test_a_core_that_is_not_what_was_played_is_analysed_by_itself() -> None:
    """Its fixed-stream curve is what CONTEXT_DOMINATED is held against."""
    core: Any = random_core(1, 2, 2, 2)
    found, known = examination(core, horizon=2, **USUAL).facts, subject(core, 2)
    findings = dict.fromkeys(Item, SURE)
    alike = _stable_cost(known, findings, found.request.question, found.analysis, "here", Budget(), None, None)
    other = replace(known, played=any_view_of(PLAIN))  # type: ignore[arg-type]
    wrong = facts(PLAIN, 2).analysis
    assert _stable_cost(other, findings, found.request.question, wrong, "here", Budget(), None, None) == alike
    assert _stable_cost(known, findings, found.request.question, wrong, "here", Budget(), None, None) != alike


# --- rounds


def levels(rounds: int = 2, budget: Budget | None = None, **changes: Any) -> Any:
    core = subject(PLAIN, 2).core
    assert core is not None
    return _levels(core, HAMMING, rounds, replace(facts(PLAIN, 2).analysis, **changes), budget or Budget())


def test_the_ladder_is_climbed_of_as_many_positions_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = facts(PLAIN, 2).analysis
    positions = analysis.solution.positions
    assert levels() == analysis.solution.levels
    for most, climbed in ((positions, True), (positions - 1, False)):
        monkeypatch.setattr(conditions, "MOST_POSITIONS", most)
        assert (levels() is not None) is climbed
        assert (levels(stopped="it was enough", enclosed="near") is not None) is climbed


def test_rounds_of_an_enclosed_game_are_explored_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    assert levels(stopped="it was enough") is None
    anew = levels(3, stopped="it was enough", enclosed="near")
    core = subject(PLAIN, 2).core
    assert core is not None
    assert anew == explore(PairedGame(core, HAMMING, 3)).levels
    monkeypatch.setattr(conditions, "MOST_ROUNDS_ANEW", 3)
    assert levels(3, stopped="it was enough", enclosed="near") == anew
    assert levels(4, stopped="it was enough", enclosed="near") is None
    positions = sum(len(level.positions) for level in anew)
    for most, climbed in ((positions, True), (positions - 1, False)):
        budget = Budget(max_positions=most)
        assert (levels(3, budget, stopped="it was enough", enclosed="near") is not None) is climbed
