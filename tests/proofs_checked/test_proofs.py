"""Theorems of the Coq development: what the ledger says of them, when they are stale, and Coq's own word."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from instances.claims import Stage, even
from instances.coq import STATEMENTS, CoqError, answered, assumptions, compiled, coqc, statements

from dpcert.audit.commands.cli import run
from dpcert.proofs_checked import proofs
from dpcert.proofs_checked.discovery import ledger
from dpcert.proofs_checked.proofs import changed, digest, pinned, proof_words, required, sources, theorems

README = STATEMENTS.with_name("README.md")
NEEDS_COQ = pytest.mark.skipif(coqc() is None, reason="there is no coqc (Debian's package coq; `make coq`)")
LIFT, GOOD = "Lift.context_stable_lift", {"lem:even/is_even": "HOLDS"}


@pytest.fixture
def touched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums.v, on which all the others rest, has another comment at its end than Coq read."""
    texts = sources() | {"Sums.v": sources()["Sums.v"] + "(* *)\n"}
    monkeypatch.setattr(proofs, "sources", lambda: texts)


def test_files_are_those_that_coq_read() -> None:
    read = {file: digest(text) for file, text in sources().items()}
    assert read == pinned(), "run `make proofs`, look at what it says, then `tests/proofs.py --write`"
    assert len(sources()) > 15


def test_no_theorem_assumes_anything() -> None:
    assert {entry.assumptions for entry in theorems().values()} == {"none"}
    assert set(assumptions(STATEMENTS.read_text(encoding="utf-8")).values()) == {"none"}


def test_nothing_is_left_open_or_assumed_in_the_files() -> None:
    words = re.compile(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|bypass_check|Unset Guard Checking|Abort)\b")
    assert [(file, found[0]) for file, text in sources().items() if (found := words.search(text))] == []


def test_theorems_are_in_their_files() -> None:
    for entry in theorems().values():
        pattern = rf"^(Theorem|Corollary|Lemma|Example) {entry.name.partition('.')[2]}\b"
        assert re.search(pattern, sources()[entry.file], re.MULTILINE), entry.name


def test_claims_name_theorems_that_are_there() -> None:
    named = {name for entry in ledger().values() for name in entry.theorems}
    assert named <= set(theorems())
    rows = {entry.row for entry in ledger().values() if entry.theorems}
    assert rows >= {26, 30, 64, 65, 69, 70, 71, 73, 107}


def test_the_readme_maps_theorems_to_labels_and_claims() -> None:
    claims = {name: [e.id for e in ledger().values() if name in e.theorems] for name in theorems()}
    lines = [
        f"| `{name}` | `{entry.label}` | {', '.join(f'`{one}`' for one in claims[name]) or '-'} | {entry.says} |"
        for name, entry in theorems().items()
    ]
    assert "\n".join(lines) in README.read_text(encoding="utf-8")
    files = set(re.findall(r"^\| `(\w+\.v)` ", README.read_text(encoding="utf-8"), re.MULTILINE))
    assert files == set(sources())


def test_a_file_comes_after_what_it_requires() -> None:
    texts = {"A.v": "From Dpcert Require Import B C.\n", "B.v": "From Dpcert Require Import C.\n", "C.v": ""}
    assert required("A.v", texts) == ["C.v", "B.v", "A.v"]
    assert required("D.v", texts) == []


@pytest.mark.usefixtures("touched")
def test_a_changed_file_makes_all_theorems_that_rest_on_it_stale() -> None:
    assert changed(theorems()[LIFT]) == ["Sums.v"]
    assert proof_words([LIFT]) == f"STALE ({LIFT})"
    assert all(changed(entry) == ["Sums.v"] for entry in theorems().values())


def test_words_of_a_proof() -> None:
    assert proof_words(()) == ""
    assert proof_words([LIFT, "PureLift.pure_lift"]) == f"PROVED ({LIFT}, PureLift.pure_lift)"
    assert proof_words([LIFT, "Lift.no_such_lift"]) == f"STALE ({LIFT}, Lift.no_such_lift)"


def test_the_commands_say_what_is_proved(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage(even(subject=2, mutant=3, theorems=(LIFT,)), expected=GOOD)
    assert run(["claims", "list"]) == 0
    assert capsys.readouterr().out == f"   1  lem:even/is_even  The number is even.  PROVED ({LIFT})\n"
    assert run(["claims", "show", "1"]) == 0
    out = capsys.readouterr().out
    assert f"method      EXHAUSTIVE, PROVED ({LIFT})\n" in out
    assert f"proved      {LIFT}: {theorems()[LIFT].says}\n            scope: " in out
    assert "; axioms: none\n" in out
    assert run(["claims", "check", "--jobs", "1", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["claims"][0]["proof"] == f"PROVED ({LIFT})"
    assert run(["claims", "check", "--jobs", "1", "--markdown", "-"]) == 0
    assert f"| EXHAUSTIVE, PROVED ({LIFT}) |" in capsys.readouterr().out


@pytest.mark.usefixtures("touched")
def test_a_stale_proof_is_not_as_expected(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage(even(subject=2, mutant=3, theorems=(LIFT,)), expected=GOOD)
    assert run(["claims", "check", "--jobs", "1"]) == 1
    assert f"(the proof is not that which Coq read: STALE ({LIFT}))" in capsys.readouterr().out
    assert run(["claims", "show", "1"]) == 1
    assert "stale: Coq has not read Sums.v as it is\n" in capsys.readouterr().out


def test_a_proof_is_no_check_of_its_own(stage: Stage) -> None:
    stage(even(subject=2, mutant=4, theorems=(LIFT,)), expected=GOOD)
    assert run(["claims", "check", "--jobs", "1", "--quiet"]) == 1


@pytest.mark.real("programs")
def test_without_coq_the_proofs_are_skipped_with_the_reason() -> None:
    command = [sys.executable, str(Path(__file__).parents[1] / "proofs.py")]
    done = subprocess.run(command, env={"PATH": ""}, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("proofs: skipped, there is no coqc ")


@pytest.mark.real("programs")
@NEEDS_COQ
def test_what_coq_refuses_and_what_it_finds_assumed(tmp_path: Path) -> None:
    texts = {"Fine.v": "Theorem fine : 0 = 0. Proof. reflexivity. Qed.\n",
             "Wrong.v": "Theorem wrong : 0 = 1. Proof. reflexivity. Qed.\n",
             "Open.v": "From Dpcert Require Import Fine.\nAxiom taken : 0 = 1.\nTheorem opened : 0 = 1 /\\ 0 = 0.\n"
                       "Proof. exact (conj taken fine). Qed.\n"}  # fmt: skip
    compiled(tmp_path, ["Open.v"], texts)
    with pytest.raises(CoqError, match=r"^Wrong\.v: "):
        compiled(tmp_path, ["Wrong.v"], texts)
    shown = "From Coq Require Import String.\nFrom Dpcert Require Import Fine Open.\n"
    shown += "".join(
        f'Check "{n}"%string.\nCheck @{n}.\nPrint Assumptions {n}.\n' for n in ("Fine.fine", "Open.opened")
    )
    assert assumptions(answered(tmp_path, "Shown.v", shown)) == {
        "Fine.fine": "none",
        "Open.opened": "Axioms:\ntaken : 0 = 1",
    }


@pytest.mark.real("programs")
@NEEDS_COQ
@pytest.mark.thorough
def test_coq_accepts_every_file_and_says_what_is_pinned(tmp_path: Path) -> None:
    said = statements(tmp_path)
    assert said == STATEMENTS.read_text(encoding="utf-8")
    assert assumptions(said) == {name: entry.assumptions for name, entry in theorems().items()}
