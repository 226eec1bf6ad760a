"""Files for services that run suites: their schemas, and their scripts run as the service runs them; no network."""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
SCRIPTS = sysconfig.get_path("scripts")
GITHUB_BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
"""What `shell: bash` of a step is."""
EXPRESSION = re.compile(r"\$\{\{ *([\w.]+) *\}\}")
INPUT = re.compile(r"\$\[\[ *inputs\.(\w+) *\]\]")
PASSING = """
[audit.flip]
target = "primitives/flip.py:Flip"
horizon = 2
certified = true
"""
FAILING = """
[audit.leak]
target = "primitives/leak.py:Leak"
horizon = 2
no_gap = true
"""
UNDECIDED = """
[audit.bounded]
target = "two-round-repeated"
horizon = 30
max_positions = 5
claim = "eps=0.01,delta=0.3"
"""
STATUSES = {PASSING: 0, FAILING: 1, "nothing = 1": 2, UNDECIDED: 3}
"""Suite -> the exit status of it."""
Done = subprocess.CompletedProcess[str]


def documents(file: Path) -> list[Any]:
    """The YAML documents of a file."""
    return list(yaml.safe_load_all(file.read_text(encoding="utf-8")))


def validated(schema: str, file: Path) -> Done:
    """A file held against a schema that check-jsonschema carries along."""
    transform = ("--data-transform", "gitlab-ci") if schema == "gitlab-ci" else ()
    command = ("-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *transform, file)
    return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, check=False)


def environment(**given: object) -> dict[str, str]:
    """The environment of a job: `dpcert` and `python` are those of these tests, and nothing else of theirs stays."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GIT", "DPCERT"))}
    kept["PATH"] = os.pathsep.join((SCRIPTS, kept["PATH"]))
    return kept | {name: str(value) for name, value in given.items()}


def executed(script: str, folder: Path, settings: Mapping[str, str], shell: tuple[str, ...] = GITHUB_BASH) -> Done:
    """A script, run from a file within a folder."""
    file = folder.parent / f"{folder.name}-script.sh"
    file.write_text(script, encoding="utf-8")
    return subprocess.run([*shell, str(file)], cwd=folder, env=settings, capture_output=True, text=True, check=False)


def runner(folder: Path) -> dict[str, str]:
    """What GitHub's runner sets for a step; its files stand beside the folder of the work."""
    place = folder.parent / f"{folder.name}-runner"
    place.mkdir(exist_ok=True)
    for name in ("summary", "output"):
        (place / name).write_text("", encoding="utf-8")
    return {
        "GITHUB_STEP_SUMMARY": str(place / "summary"),
        "GITHUB_OUTPUT": str(place / "output"),
        "RUNNER_TEMP": str(place),
    }


def outputs(settings: Mapping[str, str]) -> dict[str, str]:
    """What a step gave out."""
    lines = Path(settings["GITHUB_OUTPUT"]).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def step_environment(step: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, str]:
    """The `env` of a step, expressions replaced by their values."""
    return {name: EXPRESSION.sub(lambda found: values[found[1]], text) for name, text in step.get("env", {}).items()}


def with_inputs(node: Any, inputs: Mapping[str, Any]) -> Any:
    """A component's body as GitLab makes it of its inputs."""
    if isinstance(node, dict):
        return {key: with_inputs(value, inputs) for key, value in node.items()}
    if isinstance(node, list):
        return [with_inputs(value, inputs) for value in node]
    if not isinstance(node, str):
        return node
    return INPUT.sub(lambda found: str(inputs[found[1]]), node)


def gitlab_variables(job: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The variables of a job, none of which is expanded."""
    for name, variable in job.get("variables", {}).items():
        if variable["expand"] is False:
            yield name, variable["value"]


def recording_python(folder: Path) -> Path:
    """A folder with a `python` that installs nothing and keeps its arguments, a line each, in `asked` beside it."""
    place = folder.parent / f"{folder.name}-bin"
    place.mkdir()
    command = place / "python"
    command.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{place}/asked'\n", encoding="utf-8")
    command.chmod(0o755)
    return place
