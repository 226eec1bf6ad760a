"""The action, the GitLab component and the hook: they keep to their schemas, and their scripts run suites."""

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml
from instances.ready_files import (
    FAILING,
    PASSING,
    ROOT,
    STATUSES,
    UNDECIDED,
    Done,
    documents,
    environment,
    executed,
    gitlab_variables,
    outputs,
    recording_python,
    runner,
    step_environment,
    validated,
    with_inputs,
)
from instances.seeds import spread
from instances.suites import repository

import dpcert
from dpcert.audit.commands.cli import run as command

ACTION = ROOT / "action.yml"
COMPONENT = ROOT / "templates" / "dpcert.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
HOSTILE = "odd $(touch pwned) `touch pwned`; touch pwned \" ' name.toml"
"""A file that a script which pastes it into itself would run."""
SHELLS = [("bash", "-eo", "pipefail"), ("sh", "-e")]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder that a job works in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def action_step(name: str) -> dict[str, Any]:
    """A step of the action."""
    (action,) = documents(ACTION)
    (step,) = [step for step in action["runs"]["steps"] if step["id"] == name]
    return dict(step)


def action_values(**given: str) -> dict[str, str]:
    """What the action's expressions stand for: its inputs, given or by default."""
    (action,) = documents(ACTION)
    defaults = {name: value["default"] for name, value in action["inputs"].items()}
    values = {f"inputs.{name}": value for name, value in (defaults | given).items()}
    return values | {"github.action_path": str(ROOT)}


def ran(work: Path, **inputs: str) -> tuple[Done, dict[str, str]]:
    """The action's step that runs a suite, and what GitHub had set for it."""
    step = action_step("suite")
    settings = environment(**runner(work), **step_environment(step, action_values(**inputs)))
    return executed(step["run"], work, settings), settings


@pytest.mark.in_turns(few=True)
@pytest.mark.real("services")
def test_the_action_keeps_to_the_schema_of_github() -> None:
    done = validated("github-actions", ACTION)
    assert done.returncode == 0, done.stdout


@pytest.mark.real("services")
@pytest.mark.in_turns
def test_a_broken_action_does_not(tmp_path: Path) -> None:
    broken = tmp_path / "action.yml"
    broken.write_text(ACTION.read_text(encoding="utf-8").replace("shell: bash", "shall: bash"), encoding="utf-8")
    assert validated("github-actions", broken).returncode == 1


def test_no_script_of_the_action_has_an_expression_pasted_into_it() -> None:
    (action,) = documents(ACTION)
    steps = action["runs"]["steps"]
    assert [step["shell"] for step in steps] == ["bash"] * len(steps)
    assert [step["id"] for step in steps if "${{" in step["run"]] == []
    passed = {value for step in steps for value in step["env"].values()}
    assert {f"${{{{ inputs.{name} }}}}" for name in action["inputs"]} <= passed


@pytest.mark.in_turns(few=True)
@pytest.mark.real("services")
@pytest.mark.parametrize(("suite", "status"), spread([*STATUSES.items()], 4))
def test_the_action_ends_as_the_suite_does(work: Path, suite: str, status: int) -> None:
    repository(work, suite)
    done, settings = ran(work)
    assert done.returncode == status, done.stderr
    given = outputs(settings)
    assert set(given) == (set() if status == 2 else {"sarif", "junit"})
    if status == 2:
        assert done.stderr.startswith("dpcert: Expected")
        return
    assert json.loads(Path(given["sarif"]).read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert ET.parse(given["junit"]).getroot().findall(".//testcase")
    assert "dpcert" in Path(settings["GITHUB_STEP_SUMMARY"]).read_text(encoding="utf-8")
    assert ("::error" in done.stdout) == (status == 1)


@pytest.mark.real("services")
@pytest.mark.in_turns
def test_the_action_holds_a_suite_against_its_baseline(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(work, PASSING)
    monkeypatch.chdir(work)
    update = ["audit", "--suite", "dpcert.toml", "--baseline", "dpcert.lock", "--update-baseline", "--quiet"]
    assert command(update) == 0
    assert ran(work, baseline="dpcert.lock")[0].returncode == 0
    lock = work / "dpcert.lock"
    lock.write_text(lock.read_text(encoding="utf-8").replace("flip", "gone"), encoding="utf-8")
    assert ran(work, baseline="dpcert.lock")[0].returncode == 1


@pytest.mark.real("services")
@pytest.mark.in_turns
def test_the_action_run_twice_keeps_both_results(work: Path) -> None:
    repository(work, PASSING)
    first = outputs(ran(work)[1])
    second = outputs(ran(work)[1])
    assert first["sarif"] != second["sarif"]
    assert Path(first["sarif"]).is_file()


@pytest.mark.real("services")
@pytest.mark.in_turns
def test_the_name_of_a_suite_is_no_command(work: Path) -> None:
    repository(work, PASSING).rename(work / HOSTILE)
    done, _ = ran(work, suite=HOSTILE, jobs="1")
    assert done.returncode == 0, done.stderr
    assert not (work / "pwned").exists()
    assert ran(work, suite=HOSTILE, jobs="1; touch pwned", baseline="$(touch pwned)")[0].returncode == 2
    assert not (work / "pwned").exists()


@pytest.mark.real("services")
@pytest.mark.parametrize(
    ("version", "wanted"), [("", str(ROOT)), ("0.1.0", "dpcert==0.1.0"), ("1; touch pwned", "dpcert==1; touch pwned")]
)
def test_the_action_installs_its_checkout_or_a_version(work: Path, version: str, wanted: str) -> None:
    """A stand-in for Python keeps what pip is asked for: a test downloads nothing."""
    place = recording_python(work)
    step = action_step("install")
    settings = environment(**step_environment(step, action_values(version=version)))
    settings["PATH"] = os.pathsep.join((str(place), settings["PATH"]))
    assert executed(step["run"], work, settings).returncode == 0
    asked = (place / "asked").read_text(encoding="utf-8").splitlines()
    assert asked[:3] == ["-m", "pip", "install"]
    assert asked[-1] == wanted
    assert not (work / "pwned").exists()


def component(**given: object) -> dict[str, Any]:
    """The body of the component, its inputs given or by default."""
    header, body = documents(COMPONENT)
    inputs = {name: value["default"] for name, value in header["spec"]["inputs"].items()}
    made: dict[str, Any] = with_inputs(body, inputs | given)
    return made


def script(job: dict[str, Any], part: str = "script") -> str:
    """The lines of a job as one script."""
    return "\n".join(job[part]) + "\n"


@pytest.mark.real("services")
@pytest.mark.in_turns
def test_the_component_keeps_to_the_schema_of_gitlab(tmp_path: Path) -> None:
    """Its header is none of the schema's, which knows of one document."""
    body = tmp_path / "body.yml"
    body.write_text(yaml.safe_dump(component()), encoding="utf-8")
    done = validated("gitlab-ci", body)
    assert done.returncode == 0, done.stdout
    body.write_text(yaml.safe_dump(component() | {"more": {"script": 3}}), encoding="utf-8")
    assert validated("gitlab-ci", body).returncode == 1


def test_every_input_of_the_component_is_used_and_none_stands_in_a_script() -> None:
    header, body = documents(COMPONENT)
    assert set(header) == {"spec"}
    text = yaml.safe_dump(body)
    assert [name for name in header["spec"]["inputs"] if f"$[[ inputs.{name} ]]" not in text] == []
    job = body["dpcert"]
    assert "$[[" not in script(job) + script(job, "before_script")
    assert dict(gitlab_variables(job)).keys() == job["variables"].keys()


@pytest.mark.real("services")
def test_the_component_installs_the_version_that_it_comes_with(work: Path) -> None:
    job = component()["dpcert"]
    place = recording_python(work)
    settings = environment(**dict(gitlab_variables(job)))
    settings["PATH"] = os.pathsep.join((str(place), settings["PATH"]))
    assert executed(script(job, "before_script"), work, settings, SHELLS[1]).returncode == 0
    assert (place / "asked").read_text(encoding="utf-8").splitlines()[-1] == f"dpcert=={dpcert.__version__}"


@pytest.mark.in_turns(few=True)
@pytest.mark.real("services")
@pytest.mark.parametrize(
    ("shell", "suite"),
    spread([(shell, suite) for shell in SHELLS for suite in (PASSING, FAILING, UNDECIDED)], 6),
)
def test_the_component_ends_as_the_suite_does(work: Path, suite: str, shell: tuple[str, ...]) -> None:
    repository(work, suite)
    job = component()["dpcert"]
    done = executed(script(job), work, environment(**dict(gitlab_variables(job))), shell)
    assert done.returncode == STATUSES[suite], done.stderr
    assert ET.parse(work / job["artifacts"]["reports"]["junit"]).getroot().findall(".//testcase")
    assert job["artifacts"]["when"] == "always"


@pytest.mark.real("services")
@pytest.mark.in_turns
@pytest.mark.parametrize("shell", SHELLS, ids=["bash", "sh"])
def test_an_input_of_the_component_is_no_command(work: Path, shell: tuple[str, ...]) -> None:
    repository(work, PASSING).rename(work / HOSTILE)
    job = component(suite=HOSTILE, baseline=f"{HOSTILE}.lock")["dpcert"]
    settings = environment(**dict(gitlab_variables(job)))
    done = executed(script(job), work, settings, shell)
    assert (done.returncode, "which is no file" in done.stderr) == (2, True), done.stderr
    done = executed(script(job), work, settings | {"DPCERT_BASELINE": ""}, shell)
    assert done.returncode == 0, done.stderr
    assert not (work / "pwned").exists()


def pre_commit(work: Path, *arguments: str) -> Done:
    """pre-commit itself; what it keeps between runs stands beside the folder."""
    settings = environment(PRE_COMMIT_HOME=work.parent / "pre-commit", PRE_COMMIT_COLOR="never")
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        cwd=work,
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def hooked(work: Path) -> Path:
    """A git repository with the hook, its language `system`: an environment of its own would have to be downloaded."""
    if shutil.which("git") is None:
        pytest.skip("needs git, which is not installed here")
    hooks = [{**hook, "language": "system"} for hook in documents(HOOKS)[0]]
    configuration = yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]})
    (work / ".pre-commit-config.yaml").write_text(configuration, encoding="utf-8")
    (work / "notes.md").write_text("Notes.\n", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=work, env=environment(), check=True)
    return work


def added(work: Path) -> None:
    """All files, as git is to commit them."""
    subprocess.run(["git", "add", "--all"], cwd=work, env=environment(), check=True)


@pytest.mark.real("services")
def test_the_manifest_of_hooks_is_one(work: Path) -> None:
    done = pre_commit(work, "validate-manifest", str(HOOKS))
    assert done.returncode == 0, done.stdout
    (hook,) = documents(HOOKS)[0]
    assert (hook["id"], hook["language"], hook["pass_filenames"]) == ("dpcert", "python", False)


@pytest.mark.real("services")
@pytest.mark.in_turns
@pytest.mark.parametrize("suite", [PASSING, FAILING], ids=["passing", "failing"])
def test_the_hook_ends_as_the_suite_does(hooked: Path, suite: str) -> None:
    repository(hooked, suite)
    added(hooked)
    done = pre_commit(hooked, "run", "--all-files")
    assert done.returncode == STATUSES[suite], done.stdout + done.stderr
    assert ("Failed" if STATUSES[suite] else "Passed") in done.stdout
    assert ("1 case: 1 " in done.stdout) == bool(STATUSES[suite])


@pytest.mark.real("services")
@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("changed", "runs"), [("primitives/flip.py", True), ("dpcert.toml", True), ("notes.md", False)]
)
def test_the_hook_runs_when_python_or_the_suite_changes(hooked: Path, changed: str, runs: bool) -> None:
    repository(hooked, PASSING)
    added(hooked)
    done = pre_commit(hooked, "run", "--files", changed)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("Passed" in done.stdout, "Skipped" in done.stdout) == (runs, not runs)
