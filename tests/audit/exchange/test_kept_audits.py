"""A kept audit says what a new one would; what is kept, for how long, and for whom."""

import contextlib
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from instances.hidden_state import random_interactive
from instances.kept_audits import Audits, anew, lasting
from instances.random_core import random_core
from instances.seeds import chosen

from dpcert import _pytest, examine
from dpcert.audit.errors import MechanismError
from dpcert.audit.examine import examination
from dpcert.audit.exchange import asserting, kept
from dpcert.audit.exchange.asserting import NotShown
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.mechanisms.broken.correlated_seeds import CorrelatedSeeds
from dpcert.mechanisms.broken.hidden_counter import HiddenCounter
from dpcert.mechanisms.broken.wall_clock import WallClock
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.two_round import TwoRound


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(16)))
def test_random_mechanisms_say_the_same_with_and_without(seed: int, audits: Audits) -> None:
    mechanism = random_core(seed, 2, 2, 2) if seed % 2 else random_interactive(seed, 2, 2, 2, seed % 4 == 0)[0]
    due = anew(mechanism, horizon=2)
    said: list[list[str]] = []
    for run in (audits, audits, audits.new_run(), audits.new_run()):
        found = run.audit(mechanism, horizon=2)
        assert lasting(found.record) == due
        said.append([tried(lambda found=found: found.require_no_gap()), tried(found.require_certified)])
        said[-1].append(tried(lambda found=found: found.require_delta(exp_epsilon=2, delta="1/3")))
        said[-1].append(tried(lambda found=found: found.require_claim(epsilon=3, delta="1/5")))
        said[-1] += [f"{check.name} {check.result} {check.detail} {check.witness}" for check in found.checks]
        taken = run.run.taken
    assert said[0] == said[1] == said[2] == said[3]
    assert taken == 1, "or nothing here is about what is kept"


def tried(require: Callable[[], object]) -> str:
    try:
        require()
    except NotShown as error:
        return str(error)
    return ""


def test_what_holds_is_not_decided_again(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    audits.audit(TwoRound()).require_delta(exp_epsilon=1, delta="991/10000").require_claim(epsilon=2, delta="1/10")
    later = audits.new_run()
    monkeypatch.setattr("dpcert.audit.exchange.asserting.examination", None)
    found = later.audit(TwoRound()).require_claim(epsilon=2, delta="1/10").require_delta(exp_epsilon=1, delta="0.0991")
    assert [check.result.value for check in found.checks] == ["passed", "passed"]
    assert found.record["requirements"] == []
    assert found.record["headline"]["badge"] == "GAP"
    monkeypatch.undo()
    with pytest.raises(NotShown, match="Exceeded by 91/10000: an adversary reaches delta 991/10000"):
        later.audit(TwoRound()).require_delta(exp_epsilon=1, delta="0.09")
    with pytest.raises(NotShown, match="no gap"):
        audits.new_run().audit(TwoRound()).require_no_gap()


def test_the_adversary_of_a_failure_is_that_of_the_same_audit(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a slope that no record has, and at one that it has; nothing is audited once more for it."""
    count = 0

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        return examination(*arguments, **options)

    monkeypatch.setattr(asserting, "examination", counted)
    audit = audits.new_run().audit(TwoRound())
    for exp_epsilon in ("5/4", "1"):
        with pytest.raises(NotShown, match="An adversary reaches delta") as failure:
            audit.require_delta(exp_epsilon=exp_epsilon, delta=0)
        (reached,) = re.findall(r"An adversary reaches delta (\S+) at e\^eps = (\S+) ", str(failure.value))
        record = examine(TwoRound(), exp_epsilons=[Fraction(exp_epsilon)])
        assert reached == (record["adaptive"]["delta"][0]["lower"], exp_epsilon)
    assert count == 1


class Relation:
    """Hamming, in the user's own words."""

    name, initial = "mine", False

    def legal(self, state: Any, round_: int, alphabet: Any) -> Any:
        return HAMMING.legal(state, round_, alphabet)


@pytest.mark.parametrize(
    ("mechanism", "asked"),
    [
        (TwoRound(), {"max_seconds": 60}), (TwoRound(), {"adjacency": Relation()}), (TwoRound(), {"max_positions": 2}),
        (TwoRound(), {"adjacency": ChallengeAt(HAMMING, 1)}), (RandBinToy(), {"game": "npp", "horizon": 2}),
        ("randomized-response", {"horizon": "inf"}), (CorrelatedSeeds(), {"horizon": 2}), (WallClock(), {"horizon": 2}),
        (HiddenCounter(), {"horizon": 2}), (TwoRound(), {"exp_epsilons": iter((Fraction(1),))}),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, (str, dict)) else str(value)[:30],
)  # fmt: skip
def test_what_is_not_kept(mechanism: Any, asked: dict[str, Any], audits: Audits) -> None:
    audits.audit(mechanism, **asked)
    assert audits.run.records == {}
    assert not audits.folder.exists()


OUTSIDE = {
    "random": "import random\ndef f(): return random.random() * 0",
    "environment": "import os\ndef f(): return len(os.environ) * 0",
    "a file": "def f():\n    with open('data', 'w'): return 0",
    "the time": "import time\ndef f(): return int(time.time() * 0)",
    "a generator": "g = (0 for _ in iter(int, 1))\ndef f(): return next(g)",
    "eval": "def f(): return eval('0')",
}


@pytest.mark.in_turns
@pytest.mark.parametrize("what", OUTSIDE)
def test_code_that_leads_outside_is_not_kept(what: str, project: Path, audits: Audits) -> None:
    law = "        return bernoulli(Fraction(1 + f(), 2))"
    head = f"from fractions import Fraction\nfrom dpcert import bernoulli\n{OUTSIDE[what]}\n"
    text = f"{head}class Mine:\n    alphabet = (0, 1)\n    def law(self, prefix):\n{law}\n"
    (project / "outside.py").write_text(text, encoding="utf-8")
    with contextlib.suppress(MechanismError):
        audits.audit("outside.py:Mine", horizon=1)
    assert audits.run.records == {}


def test_quick_audits_are_not_kept(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST_KEPT", 10**6)
    audits.audit(TwoRound())
    assert audits.run.records == {}


def test_the_oldest_go_where_there_are_too_many(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_KEPT", 2)
    for exp_epsilon in (2, 3, 4):
        audits.audit(TwoRound(), exp_epsilons=(Fraction(exp_epsilon),))
    assert len(list(audits.folder.iterdir())) == 2


def test_what_a_test_changes_in_its_record_changes_no_other(audits: Audits) -> None:
    due = anew(TwoRound())
    for run in (audits, audits, audits.new_run(), audits.new_run()):
        record: Any = run.audit(TwoRound()).record
        assert lasting(record) == due
        record.document["adaptive"]["delta"].clear()


def test_without_pytest_s_cache_nothing_is_written(tmp_path: Path) -> None:
    assert _pytest._folder(SimpleNamespace()) is None  # type: ignore[arg-type]

    def mkdir(name: str) -> Path:
        (tmp_path / "file").touch()
        (tmp_path / "file" / name).mkdir()
        return tmp_path

    assert _pytest._folder(SimpleNamespace(cache=SimpleNamespace(mkdir=mkdir))) is None  # type: ignore[arg-type]


TESTS = """
import pytest
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound

@pytest.mark.parametrize("horizon", [1, 2])
def test_response(dpcert, horizon):
    dpcert.audit(RandomizedResponse(), horizon=horizon).require_certified()

def test_two_rounds(dpcert):
    dpcert.audit(TwoRound()).require_no_gap()
"""


CONFTEST = """
from fractions import Fraction
from dpcert import _pytest, examine
from dpcert.audit.errors import ArgumentError, MechanismError
from dpcert.audit.examine import examination
from dpcert.audit.exchange import asserting, kept, known_audit
kept.LEAST_KEPT, kept.PART_OF_AUDIT, kept.BYTES_A_MILLISECOND = 0, Fraction(1, 10**6), 10**9
known_audit.PART_OF_AUDIT = kept.PART_OF_AUDIT
"""


@pytest.mark.real("users")
@pytest.mark.in_turns
def test_runs_of_pytest_share_what_is_kept_until_it_is_cleared(tmp_path: Path) -> None:
    (tmp_path / "test_privacy.py").write_text(textwrap.dedent(TESTS), encoding="utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")

    def ran(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:hypothesispytest", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert "1 failed, 2 passed" in done.stdout, done.stdout + done.stderr
        return next((line for line in done.stdout.splitlines() if "from pytest's cache" in line), "")

    taken = "3 of 3 audits were taken from pytest's cache; --cache-clear makes them anew"
    assert ran("--dpcert-report", "first") == ""
    assert ran("-n", "2", "--dpcert-report", "second") == taken
    assert ran("--cache-clear") == ""
    reports = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("first", "second")]
    assert len(reports[0]) == 5
    for report in reports:
        report["index.html"] = re.sub(rb"20\d\d-\d\d-\d\dT[0-9:+]*", b"TIME", report["index.html"])
    assert reports[0] == reports[1]
