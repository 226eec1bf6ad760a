"""`dpcert claims`: what it prints and writes, and its exit status."""

import json
from pathlib import Path

import pytest
from instances.claims import HOLDS, REFUTED, Stage, even

from dpcert.audit.commands.cli import run
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.ledger import Claim, claim, found

GOOD = {"lem:even/is_even": "HOLDS", "lem:odd/is_even": "REFUTED", "lem:child/is_even": "HOLDS"}
CHILD = even("lem:child", ("lem:odd",), row=None, subject=2, mutant=3)


@pytest.fixture
def ours(stage: Stage) -> None:
    stage(HOLDS, REFUTED, CHILD, expected=GOOD)


@pytest.mark.usefixtures("ours")
def test_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["claims", "check", "--jobs", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "   1  HOLDS                      lem:even/is_even",
        "   1  REFUTED                    lem:odd/is_even",
        "   -  HOLDS / REFUTED            lem:child/is_even",
        "3 claims, 3 with the expected verdict",
    ]


def test_a_changed_expectation_exits_with_1(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage(HOLDS, REFUTED, expected={"lem:even/is_even": "HOLDS", "lem:odd/is_even": "HOLDS"})
    assert run(["claims", "check", "--jobs", "1"]) == 1
    out = capsys.readouterr().out
    assert "lem:odd/is_even   (expected HOLDS)\n        3 mod 2 is 1.\n2 claims, 1 with the expected verdict" in out
    assert run(["claims", "check", "--jobs", "1", "lem:even"]) == 0
    assert run(["claims", "show", "lem:odd"]) == 1


def test_a_stale_expectation_exits_with_1(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage(HOLDS, expected=GOOD)
    assert run(["claims", "check", "--jobs", "1"]) == 1
    out = capsys.readouterr().out
    assert "      expected.json names a claim that is not in the ledger: lem:odd/is_even\n" in out


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["1"], ["lem:even/is_even", "lem:odd/is_even"]),
        (["lem:child"], ["lem:child/is_even"]),
        (["lem:odd/is_even", "lem:even"], ["lem:even/is_even", "lem:odd/is_even"]),
        (["is_even"], ["lem:even/is_even", "lem:odd/is_even", "lem:child/is_even"]),
    ],
)
def test_claims_by_id_label_row_or_function(names: list[str], ids: list[str], tmp_path: Path) -> None:
    assert run(["claims", "check", "--jobs", "1", "--quiet", "--json", str(tmp_path / "out.json"), *names]) == 0
    assert [c["id"] for c in json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["claims"]] == ids


@pytest.mark.usefixtures("ours")
def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["claims", "check", "--jobs", "1", "--json", "-"]) == 0
    first, _, child = json.loads(capsys.readouterr().out)["claims"]
    assert first == {
        "id": "lem:even/is_even", "label": "lem:even", "row": 1, "statement": "The number is even.",
        "verdict": "HOLDS", "transitive": "HOLDS", "expected": "HOLDS", "method": "EXHAUSTIVE", "proof": None,
        "scope": "a number", "detail": "2 mod 2 is 0.", "witness": {"number": 2},
    }  # fmt: skip
    assert (child["row"], child["verdict"], child["transitive"]) == (None, "HOLDS", "REFUTED")


@pytest.mark.usefixtures("ours")
def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["claims", "check", "--jobs", "1", "--markdown", "-"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "| row | claim | verdict | transitive | method | says |",
        "|---|---|---|---|---|---|",
        "| 1 | `lem:even/is_even` | HOLDS | HOLDS | EXHAUSTIVE | The number is even. |",
        "| 1 | `lem:odd/is_even` | REFUTED | REFUTED | EXHAUSTIVE | The number is even. |",
        "| - | `lem:child/is_even` | HOLDS | REFUTED | EXHAUSTIVE | The number is even. |",
    ]


@pytest.mark.usefixtures("ours")
def test_list_and_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["claims", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[2] == "   -  lem:child/is_even  The number is even."
    assert run(["claims", "show", "lem:odd"]) == 0
    out = capsys.readouterr().out
    for name, value in {"claim": "lem:odd/is_even", "row": "1", "says": "The number is even.", "verdict": "REFUTED",
                        "method": "EXHAUSTIVE", "scope": "a number", "detail": "3 mod 2 is 1."}.items():  # fmt: skip
        assert f"{name:12}{value}\n" in out
    assert '"number": 3' in out


def counted(label: str, asked: list[str], uses: tuple[str, ...] = ()) -> Claim:
    """A claim that holds, and keeps account of the checks run."""

    @claim(label, row=None, method=Method.EXHAUSTIVE, scope="a number", uses=uses, subject=2, mutant=3)
    def is_even(subject: int) -> Finding:
        """The number is even."""
        asked.append(label)
        return found(subject % 2 == 0, f"{subject} mod 2 is {subject % 2}.")

    return is_even


def test_show_runs_that_claim_alone(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []
    family = [counted("lem:a", asked), counted("lem:b", asked, ("lem:a",)), counted("lem:c", asked, ("lem:b",))]
    pinned = {"lem:a/is_even": "CONDITIONAL", "lem:b/is_even": "HOLDS", "lem:c/is_even": "HOLDS"}
    stage(*family, expected=pinned)
    assert run(["claims", "show", "lem:c"]) == 0
    assert asked == ["lem:c"] * 2  # about its subject, and about its mutant
    out = capsys.readouterr().out
    assert "verdict     HOLDS\n" in out
    assert "transitive  CONDITIONAL, with the verdicts that expected.json pins for 2 claims that it rests on" in out
    assert "`dpcert claims check lem:c/is_even` runs all" in out
    assert run(["claims", "show", "lem:a"]) == 1  # what was found is compared, not what is pinned
    assert "transitive  HOLDS\n" in capsys.readouterr().out
    asked.clear()
    assert run(["claims", "check", "--jobs", "1", "lem:c"]) == 0
    assert sorted(asked) == ["lem:a", "lem:a", "lem:b", "lem:b", "lem:c", "lem:c"]


def test_show_does_not_make_up_what_nobody_pinned(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage(HOLDS, even("lem:new", ("lem:even",), subject=2, mutant=3), expected={"lem:new/is_even": "HOLDS"})
    assert run(["claims", "show", "lem:new"]) == 0
    assert (
        "transitive  UNDECIDED, with the verdicts that expected.json pins for 1 claim that" in capsys.readouterr().out
    )


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize("command", [["check", "--jobs", "1"], ["show"]])
@pytest.mark.parametrize("name", ["lem:none", "2", "lem:even/other", "two\nlines"])
def test_a_bad_name_exits_with_2_in_one_line(command: list[str], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["claims", *command, name]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    shown = repr(" ".join(name.split()))
    assert captured.err == f"dpcert: Expected the id, label or row of a claim but got name={shown}\n"


@pytest.mark.in_turns
def test_two_processes_give_what_one_gives(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for jobs in ("1", "2"):
        assert run(["claims", "check", "--jobs", jobs, "--json", "-", "24", "defn:hop-neighboring"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert len(json.loads(outputs[0])["claims"]) == 2
