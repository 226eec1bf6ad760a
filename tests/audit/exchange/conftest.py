"""Outcomes of a small suite: one passes, one fails, one is undecided, one has an error, one is not run; kept audits."""

import contextlib
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from instances.kept_audits import CORE, HELPING, Audits
from instances.suites import repository

from dpcert.audit.exchange import kept, known_audit
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


@pytest.fixture
def _every_audit_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST_KEPT", 0)
    for place in (kept, known_audit):
        monkeypatch.setattr(place, "PART_OF_AUDIT", Fraction(1, 10**6))
    monkeypatch.setattr(kept, "BYTES_A_MILLISECOND", 10**9)


@pytest.fixture
def audits(tmp_path: Path, _every_audit_is_kept: None) -> Audits:
    return Audits(tmp_path / "kept")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "core.py").write_text(CORE, encoding="utf-8")
    (tmp_path / "helping.py").write_text(HELPING, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "helping", raising=False)
    return tmp_path
