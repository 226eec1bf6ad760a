"""A repository outside this one, from the wheel: one constant that changes fails one case, in every output alike."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from instances.suites import FLIP, repository

pytestmark = pytest.mark.real("users")

Run = Callable[..., CompletedProcess[str]]
OUTPUTS = ("--json", "out.jsonl", "--junit", "junit.xml", "--sarif", "out.sarif", "--markdown", "summary.md")
TESTS = """
from primitives.flip import Flip
from fractions import Fraction


def test_quarter(dpcert):
    dpcert.audit(Flip(), horizon=2).require_delta(exp_epsilon=3, delta=0)


def test_third(dpcert):
    dpcert.audit(Flip(Fraction(1, 3)), horizon=2).require_delta(exp_epsilon=3, delta=0)
"""
SAME = {"leak", "bounded"}
"""Cases that are not as they should be before and after."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """With a package of its own whose name is that of a folder of ours."""
    repository(tmp_path)
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "__init__.py").write_text("LIE = '1/4'\n", encoding="utf-8")
    flip = FLIP.replace("from fractions import Fraction\n", "from fractions import Fraction\n\nimport audit\n")
    flip = flip.replace("Fraction(1, 4)", "Fraction(audit.LIE)")
    (tmp_path / "primitives" / "flip.py").write_text(flip, encoding="utf-8")
    (tmp_path / "test_privacy.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "conftest.py").write_text("", encoding="utf-8")
    text = (tmp_path / "dpcert.toml").read_text(encoding="utf-8")
    own = '[audit.own]\ntarget = "primitives/flip.py:Flip"\ndelta = "3:0"\n'
    (tmp_path / "dpcert.toml").write_text(text + own, encoding="utf-8")
    return tmp_path


def failing(folder: Path) -> list[set[str]]:
    """The cases that are not as they should be, by each output."""
    lines = [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    suites = ET.parse(folder / "junit.xml").getroot()
    results = json.loads((folder / "out.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    return [
        {line["case"] for line in lines if line["result"] != "passed"},
        {str(s.get("name")) for s in suites if s.get("failures") != "0" or s.get("errors") != "0"},
        {r["message"]["text"].partition(":")[0] for r in results if r["level"] != "note"},
        set(re.findall(r"^### \S+ (\S+)", summary, flags=re.M)),
    ]


@pytest.mark.in_turns
def test_one_constant_fails_one_case(project: Path, wheel_scripts: Path, run: Run) -> None:
    command = (wheel_scripts / "dpcert", "audit", "--suite", "dpcert.toml", "--jobs", "2", "--quiet", *OUTPUTS)
    run(*command, "--baseline", "dpcert.lock", "--update-baseline", cwd=project, status=1)
    assert failing(project) == [SAME] * 4
    run(wheel_scripts / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=project)
    (project / "audit" / "__init__.py").write_text("LIE = '1/5'\n", encoding="utf-8")
    run(*command, cwd=project, status=1)
    assert failing(project) == [SAME | {"own"}] * 4
    tested = run(wheel_scripts / "python", "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", cwd=project, status=1)
    assert re.findall(r"^FAILED test_privacy.py::(\w+)", tested.stdout, flags=re.M) == ["test_quarter"]
    run(*command, "--baseline", "dpcert.lock", "--only", "own", cwd=project, status=1)
    summary = (project / "summary.md").read_text(encoding="utf-8")
    assert "delta at e^eps=3**: from 0 to 1/5 (= 0.2)" in summary.replace("\\", "")
    lock = (project / "dpcert.lock").read_text(encoding="utf-8")
    assert str(project) not in lock
    assert "\r" not in lock
