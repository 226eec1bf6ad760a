"""The pytest plugin as a wheel installs it: what is required holds or is told; reports and baselines; at no cost."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from instances.suites import FLIP, repository

pytestmark = pytest.mark.real("users")

Run = Callable[..., CompletedProcess[str]]
TESTS = """
import audit

import pytest
from primitives.flip import Flip
from primitives.leak import Leak


def test_flip(dpcert):
    found = dpcert.audit(Flip(), horizon=3).require_certified().require_no_gap()
    found.require_delta(exp_epsilon=3, delta=0).require_claim(epsilon="1.1").require_claim(rho=1).require_claim(mu=3)
    assert found.record["adaptive"]["total_variation"] == "1/2"
    assert repr(found.record) == "<Record of primitives.flip:Flip: NO GAP over 3 rounds>"


@pytest.mark.parametrize("horizon", [1, 2])
def test_target(dpcert, horizon):
    dpcert.audit("primitives/flip.py:Flip", params={"lie": "1/3"}, horizon=horizon).require_certified()


def test_leak(dpcert):
    dpcert.audit(Leak(), horizon=2).require_no_gap()


def test_claim(dpcert):
    dpcert.audit(Flip(), horizon=2).require_claim(epsilon=1, delta="0.001")


def test_undecided(dpcert):
    dpcert.audit("two-round-repeated", horizon=30, max_positions=5).require_claim(epsilon="0.01", delta="0.3")


def test_unnamed(dpcert):
    dpcert.audit(Leak()).require_no_gap()


def test_float(dpcert):
    dpcert.audit(Flip(), horizon=2).require_delta(exp_epsilon=2, delta=0.1)


def test_raises(dpcert):
    dpcert.audit(object(), horizon=2)
"""
PASSING = {"test_flip", "test_target[1]", "test_target[2]"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with tests of its primitives, and with a package of its own named audit."""
    repository(tmp_path)
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "test_privacy.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "conftest.py").write_text("", encoding="utf-8")  # whose folder is on the import path
    return tmp_path


def outcomes(text: str) -> dict[str, str]:
    """What each test came to, by `-rA`."""
    return {name: word for word, name in re.findall(r"^(PASSED|FAILED|ERROR) test_privacy.py::(\S+)", text, flags=re.M)}


@pytest.mark.in_turns
def test_what_is_required_holds_or_is_told(project: Path, wheel_scripts: Path, run: Run) -> None:
    done = run(wheel_scripts / "python", "-m", "pytest", "-rA", "-p", "no:cacheprovider", cwd=project, status=1)
    found = outcomes(done.stdout)
    assert {name for name, word in found.items() if word == "PASSED"} == PASSING
    assert len(found) == 9
    told = re.sub(r"^E +(dpcert\S+: )?", "", done.stdout, flags=re.M)
    for line in (
        "Expected no gap between adaptive adversaries and fixed streams of primitives.leak:Leak (every adversary over",
        "but failed: At e^epsilon = 1 adaptive adversaries reach delta 991/10000, fixed streams 9/100.",
        "An adversary reaches delta 991/10000 at e^eps = 1 (order 0-1):",
        "round 2, node 1: submits 0; sees",
        "The law stands at primitives/leak.py:10.",
        "Expected (1, 1/1000)-DP of primitives.flip:Flip",
        "The law stands at primitives/flip.py:9.",
        "but undecided: Open: delta lies between about 0.0954176 and 1.",
        "Expected a horizon with what is required: primitives.leak:Leak names none of its own but got horizon=None",
        "Expected an exact rational, an int or a Fraction (a float is not exact: write Fraction(1, 10), not 0.1)",
        "Expected a mechanism",
    ):
        assert line in told
    assert "asserting.py" not in re.sub(r"^E.*", "", done.stdout, flags=re.M)  # no line of ours in a traceback


@pytest.mark.in_turns
def test_a_report_is_the_same_under_xdist(project: Path, wheel_scripts: Path, run: Run) -> None:
    reports, found = [], []
    for jobs in ("0", "2"):
        some = ("-k", "flip or leak or undecided")  # held, refuted and open, each page with its figures
        command = (
            "-m",
            "pytest",
            "-q",
            "-rA",
            "-p",
            "no:cacheprovider",
            "-n",
            jobs,
            "--dpcert-report",
            f"report{jobs}",
            *some,
        )
        done = run(wheel_scripts / "python", *command, cwd=project, status=1)
        assert f"3 audits: report{jobs}/index.html" in done.stdout
        found.append(outcomes(done.stdout))
        folder = project / f"report{jobs}"
        lines = [json.loads(line) for line in (folder / "audits.jsonl").read_text(encoding="utf-8").splitlines()]
        for line in lines[1:]:
            line["record"].pop("provenance")
        reports.append((sorted(path.name for path in folder.iterdir()), lines))
        pages = re.findall(r'href="\./([^"]+\.html)"', (folder / "index.html").read_text(encoding="utf-8"))
        assert len(set(pages)) == 3
        assert all((folder / page).is_file() for page in pages)
    assert reports[0] == reports[1]
    assert found[0] == found[1]  # collected alike, at any number of processes
    assert {name for name, word in found[0].items() if word == "PASSED"} == {"test_flip"}


@pytest.mark.in_turns
def test_a_baseline_fails_the_test_that_got_worse(project: Path, wheel_scripts: Path, run: Run) -> None:
    alone = (wheel_scripts / "python", "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider")
    pytest_ = (*alone, "-n", "2")
    only = ("-k", "test_flip or test_target", "--dpcert-baseline", "lock")
    assert "which is no file; --dpcert-update-baseline makes one" in run(*alone, *only, cwd=project, status=4).stderr
    run(*pytest_, *only, "--dpcert-update-baseline", cwd=project)
    run(*alone, *only, cwd=project)  # what two processes wrote holds in one, and below in two
    text = FLIP.replace("prefix[-1] else self.lie", "prefix[-1] else self.lie * Fraction(9, 10)")
    (project / "primitives" / "flip.py").write_text(text, encoding="utf-8")
    claims = TESTS.replace(".require_delta(exp_epsilon=3, delta=0)", "").replace('.require_claim(epsilon="1.1")', "")
    (project / "test_privacy.py").write_text(claims, encoding="utf-8")
    before = (project / "lock").read_text(encoding="utf-8")
    done = run(*pytest_, *only, "--dpcert-update-baseline", cwd=project, status=1)
    assert set(outcomes(done.stdout).values()) == {"FAILED"}
    assert "than in lock, and " in done.stdout
    assert (project / "lock").read_text(encoding="utf-8") == before


@pytest.mark.in_turns
def test_a_report_that_cannot_be_written_fails_the_run_in_one_line(
    project: Path, wheel_scripts: Path, run: Run
) -> None:
    command = ("-m", "pytest", "-q", "-k", "test_target", "--dpcert-report", "test_privacy.py/report")
    done = run(wheel_scripts / "python", *command, cwd=project, status=4)
    assert "Expected a place for the report and the baseline but got" in done.stdout
    assert "INTERNALERROR" not in done.stdout + done.stderr


@pytest.mark.in_turns(few=True)
def test_where_no_test_asks_nothing_of_ours_is_read(project: Path, wheel_scripts: Path, run: Run) -> None:
    code = (
        "import sys, pytest\n"
        "class Seen:\n"
        "    def pytest_sessionfinish(self):\n"
        "        print('read:', sorted(name for name in sys.modules if name.startswith(('dpcert', 'numpy'))))\n"
        "pytest.main(['--collect-only', '-q', '-p', 'no:cacheprovider', 'test_none.py'], plugins=[Seen()])\n"
    )
    (project / "test_none.py").write_text("def test_none(): pass\n", encoding="utf-8")
    done = run(wheel_scripts / "python", "-c", code, cwd=project)
    read = re.search(r"read: \[(.*)\]", done.stdout)
    assert read is not None
    small = {"dpcert", "dpcert._pytest", "dpcert._start", "dpcert.audit", "dpcert.audit.commands"}
    assert {name.strip("' ") for name in read[1].split(",")} <= small | {"dpcert.audit.commands.interrupts"}
    assert sys.version_info >= (3, 11)
