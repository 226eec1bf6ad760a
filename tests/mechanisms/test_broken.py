"""Twelve deliberate faults: each fails exactly the condition or rungs that it should, and its repaired twin none."""

from typing import Any

import pytest

from dpcert import Verdict, examine
from dpcert.audit.kernels.targets import broken, find

RUNGS = ("SCALAR", "VECTOR", "CONTEXT_STABLE", "FUTURE_STABLE", "CONTEXT_DOMINATED")
FAULTS: dict[str, set[str]] = {
    "reused-noise": {"FRESH_RANDOMNESS"},
    "correlated-seeds": {"FRESH_RANDOMNESS"},
    "private-halt": {"FRESH_RANDOMNESS"},
    "future-release": {"PREFIX_DEPENDENCE"},
    "hidden-counter": {"DETERMINISTIC_MAP"},
    "wall-clock": {"DETERMINISTIC_MAP"},
    "peeking-value": {"POST_PROCESSING"},
    "earlier-scale": set(RUNGS[:3]),
    "later-scale": {"STABLE_COST", *RUNGS},
    "clipped-core": {"STABLE_COST", *RUNGS},
    "asymmetric-noise": {"SCALAR"},
    "plane-noise": {"SCALAR"},
}


def audited(name: str) -> dict[str, Any]:
    return examine(find(name, {}).mechanism).document


def refuted(record: dict[str, Any]) -> set[str]:
    """The conditions and rungs that are REFUTED."""
    lines = [(entry["item"], entry) for entry in record["checklist"]]
    lines += [(rung["rung"], rung) for entry in record["checklist"] for rung in entry["rungs"]]
    return {name for name, line in lines if line["verdict"] == Verdict.REFUTED}


def test_every_fault_is_listed_with_its_repaired_twin() -> None:
    assert set(broken()) == {*FAULTS, *(f"{name}-repaired" for name in FAULTS)}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_fails_what_it_should_and_nothing_else(name: str) -> None:
    record = audited(name)
    assert refuted(record) == FAULTS[name]
    for entry in record["checklist"]:
        if entry["verdict"] == Verdict.REFUTED:
            assert entry["witness"]
        if entry["verdict"] == Verdict.UNDECIDED:
            assert entry["item"] == "STABLE_COST" or name == "hidden-counter"


@pytest.mark.parametrize("name", FAULTS)
def test_the_repaired_twin_passes(name: str) -> None:
    record = audited(f"{name}-repaired")
    assert {entry["verdict"] for entry in record["checklist"]} == {"HOLDS"}
    assert record["lifts"]["curve"]["verdict"] == "HOLDS"


def test_what_is_no_mechanism_gets_no_verdict_on_its_curve() -> None:
    for name in ("future-release", "hidden-counter", "wall-clock"):
        record = audited(name)
        assert (
            record["verdict"]
            == record["lifts"]["curve"]["verdict"]
            == record["lifts"]["pure"]["verdict"]
            == "UNDECIDED"
        )


def test_the_witness_of_a_release_that_reads_the_future_can_be_run_by_hand() -> None:
    mechanism: Any = find("future-release", {}).mechanism
    witness = next(e for e in audited("future-release")["checklist"] if e["item"] == "PREFIX_DEPENDENCE")["witness"]
    seeds = tuple(map(int, witness["seeds"]))
    one, two = (tuple(map(int, stream)) for stream in witness["streams"])
    t = witness["round"]
    assert one[:t] == two[:t]
    outputs = [mechanism.respond(seeds, stream)[t - 1] for stream in (one, two)]
    assert list(map(str, outputs)) == witness["outputs"]
    assert outputs[0] != outputs[1]
