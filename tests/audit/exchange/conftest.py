"""Outcomes of a small suite: one that passes, one that fails, one that is undecided, one with an error, one not run."""

import contextlib
from pathlib import Path

import pytest
from instances.suites import repository

from dpcert.audit.exchange.checks import CheckedCase, checked
from dpcert.audit.suites.baseline import Change
from dpcert.audit.suites.case import Case
from dpcert.audit.suites.deciding import decided
from dpcert.audit.suites.expanding import suite
from dpcert.audit.suites.findings import key
from dpcert.audit.suites.outcome import CaseOutcome


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("suite")


@pytest.fixture(scope="session")
def _outcomes(folder: Path) -> list[CaseOutcome]:
    repository(folder)
    with contextlib.chdir(folder):
        cases = suite("dpcert.toml").cases
        missing = Case("not there <&>\x1b", "primitives/flip.py:Nobody", "primitives/flip.py:Nobody")
        outcomes = [decided(case) for case in (*cases, missing)]
    never = Case("never", "two-round", "two-round")
    return [*outcomes, CaseOutcome(never, error="interrupted before it began", run=False)]


@pytest.fixture
def cases(_outcomes: list[CaseOutcome], folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[CheckedCase]:
    """With the folder of the suite as the working directory."""
    monkeypatch.chdir(folder)
    change = Change(key(_outcomes[1].case, "delta at e^eps=1"), "1/4", "1/3")
    return [checked(one, [change] if number == 1 else []) for number, one in enumerate(_outcomes)]
