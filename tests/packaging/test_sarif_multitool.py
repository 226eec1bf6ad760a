"""Our SARIF as code scanning takes it: checked by its own tool, by the published schema and the rules of GitHub."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from instances.suites import repository

from dpcert.audit.commands.cli import run

TOOL = Path(__file__).parents[2] / ".tools/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"
pytestmark = [
    pytest.mark.real("programs"),
    pytest.mark.skipif(not os.access(TOOL, os.X_OK), reason=f"needs `make multitool` (npm): no {TOOL.name}"),
]


def faults(folder: Path, log: dict[str, Any]) -> list[str]:
    """The rules that a log breaks."""
    (folder / "log.sarif").write_text(json.dumps(log), encoding="utf-8")
    (folder / "found.sarif").unlink(missing_ok=True)
    options = ("--rule-kind", "Sarif;Ghas", "--level", "Error;Warning", "--output", "found.sarif")
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}  # no ICU on small machines
    command = [str(TOOL), "validate", "log.sarif", *options]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (folder / "found.sarif").is_file(), done.stdout + done.stderr
    (found,) = json.loads((folder / "found.sarif").read_text(encoding="utf-8"))["runs"]
    return [result["ruleId"] for result in found["results"]]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The log of a suite with something of each kind: failed, undecided, an error."""
    text = repository(tmp_path).read_text(encoding="utf-8")
    missing = "[audit.missing]\ntarget = 'primitives/flip.py:Nobody'\n"
    (tmp_path / "dpcert.toml").write_text(text + missing, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["audit", "--suite", "dpcert.toml", "--sarif", "ours.sarif", "--quiet"]) == 1
    made: dict[str, Any] = json.loads((tmp_path / "ours.sarif").read_text(encoding="utf-8"))
    assert {result["level"] for result in made["runs"][0]["results"]} == {"error", "warning", "note"}
    return made


@pytest.mark.in_turns
def test_it_is_valid(tmp_path: Path, log: dict[str, Any]) -> None:
    assert faults(tmp_path, log) == []


def _of_first(log: dict[str, Any]) -> Any:
    return log["runs"][0]["results"][0]


@pytest.mark.in_turns
@pytest.mark.parametrize(
    "spoil",
    [
        lambda log: log.update(version="2.1.9"),
        lambda log: _of_first(log).pop("message"),
        lambda log: _of_first(log).update(locations=[]),
        lambda log: _of_first(log)["locations"][0]["physicalLocation"]["region"].update(startLine=0),
        lambda log: _of_first(log).update(ruleIndex=99),
    ],
)
def test_the_tool_sees_what_is_wrong(tmp_path: Path, log: dict[str, Any], spoil: Callable[[Any], None]) -> None:
    spoil(log)
    assert faults(tmp_path, log)
