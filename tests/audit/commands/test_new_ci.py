"""`dpcert new --ci`: the files keep to the schemas of their services, run as they stand, and overwrite nothing."""

import json
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from instances.ready_files import FAILING, PASSING, STATUSES, documents, environment, executed, runner, validated
from instances.suites import repository

import dpcert
from dpcert.audit.commands.cli import run
from dpcert.audit.commands.ready import SERVICES

SCHEMAS = {"github": "github-workflows", "gitlab": "gitlab-ci"}
INSTALL = f'python -m pip install "dpcert=={dpcert.__version__}"'


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user, which is the current one."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(params=sorted(SERVICES))
def service(request: pytest.FixtureRequest) -> str:
    """Each service."""
    chosen: str = request.param
    return chosen


def job_of(service: str) -> Any:
    """The file of a service, just written, as read."""
    assert run(["new", "--ci", service]) == 0
    return documents(SERVICES[service][0])[0]


def steps(service: str) -> dict[str, str]:
    """The scripts of the file just written: `install` and `suite`."""
    made = job_of(service)
    if service == "gitlab":
        return {"install": "\n".join(made["dpcert"]["before_script"]), "suite": "\n".join(made["dpcert"]["script"])}
    return {step["id"]: step["run"] for step in made["jobs"]["dpcert"]["steps"] if "run" in step}


def files(work: Path) -> set[str]:
    """All files below a folder."""
    return {path.relative_to(work).as_posix() for path in work.rglob("*") if path.is_file()}


def test_it_says_what_it_wrote_and_the_command_it_prints_holds(
    service: str, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["new", "--ci", service]) == 0
    job = SERVICES[service][0].as_posix()
    first, command = capfd.readouterr().out.splitlines()
    assert first == f"Wrote {job} and dpcert.toml. Next:"
    assert files(work) == {job, "dpcert.toml"}
    assert shlex.split(command) == ["dpcert", "audit", "--suite", "dpcert.toml"]
    assert run(shlex.split(command)[1:]) == 0
    assert "2 cases: 2 as expected" in capfd.readouterr().out


def test_the_control_of_the_new_suite_is_one(work: Path) -> None:
    assert run(["new", "--ci", "gitlab"]) == 0
    suite = work / "dpcert.toml"
    suite.write_text(suite.read_text(encoding="utf-8").replace('"two-round"', '"binary-tree"'), encoding="utf-8")
    assert run(["audit", "--suite", "dpcert.toml", "--quiet"]) == 1


@pytest.mark.real("services")
@pytest.mark.in_turns
@pytest.mark.usefixtures("work")
def test_the_file_keeps_to_the_schema_of_its_service(service: str) -> None:
    job_of(service)
    job = SERVICES[service][0]
    done = validated(SCHEMAS[service], job)
    assert done.returncode == 0, done.stdout
    key = {"github": "runs-on:", "gitlab": "script:"}[service]
    job.write_text(job.read_text(encoding="utf-8").replace(key, f"no-{key}"), encoding="utf-8")
    assert validated(SCHEMAS[service], job).returncode == 1


@pytest.mark.real("services")
@pytest.mark.in_turns
@pytest.mark.parametrize("suite", [PASSING, FAILING], ids=["passing", "failing"])
def test_the_scripts_run_as_the_service_runs_them(service: str, work: Path, suite: str) -> None:
    repository(work, suite)
    written = steps(service)
    assert written["install"] == INSTALL  # not run: a test downloads nothing
    settings = environment(**runner(work))
    done = executed(written["suite"], work, settings)
    assert done.returncode == STATUSES[suite], done.stderr
    assert ET.parse(work / "dpcert-junit.xml").getroot().findall(".//testcase")
    if service == "github":
        assert json.loads((work / "dpcert.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
        assert Path(settings["GITHUB_STEP_SUMMARY"]).read_text(encoding="utf-8")
        assert ("::error" in done.stdout) == bool(STATUSES[suite])


def test_what_is_kept_is_what_was_written(work: Path) -> None:
    repository(work, PASSING)
    kept = job_of("github")["jobs"]["dpcert"]["steps"][-1]
    assert kept["if"] == "always()"
    assert kept["with"]["path"].split() == ["dpcert-junit.xml", "dpcert.sarif"]


def test_a_suite_that_is_there_stays(service: str, work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = repository(work, PASSING).read_text(encoding="utf-8")
    assert run(["new", "--ci", service]) == 0
    job = SERVICES[service][0].as_posix()
    assert capfd.readouterr().out.splitlines()[0] == f"Wrote {job}; the suite is dpcert.toml. Next:"
    assert (work / "dpcert.toml").read_text(encoding="utf-8") == before


@pytest.mark.real("services")
@pytest.mark.in_turns
def test_a_suite_in_the_project_file_is_the_one_that_runs(
    service: str, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    repository(work).unlink()
    nested = PASSING.replace("[audit.", "[tool.dpcert.audit.")
    (work / "pyproject.toml").write_text(nested, encoding="utf-8")
    script = steps(service)["suite"]
    assert "the suite is pyproject.toml" in capfd.readouterr().out
    assert not (work / "dpcert.toml").exists()
    assert executed(script, work, environment(**runner(work))).returncode == 0


@pytest.mark.parametrize("text", ["[project]\nname = 'x'\n", "no TOML", "tool = 3\n"])
def test_a_project_file_without_a_suite_is_none(work: Path, text: str) -> None:
    (work / "pyproject.toml").write_text(text, encoding="utf-8")
    assert run(["new", "--ci", "gitlab"]) == 0
    assert (work / "dpcert.toml").is_file()
    assert (work / "pyproject.toml").read_text(encoding="utf-8") == text


def test_nothing_is_overwritten_and_nothing_else_is_written(
    service: str, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    job = SERVICES[service][0]
    job.parent.mkdir(parents=True, exist_ok=True)
    job.write_text("mine\n", encoding="utf-8")
    assert run(["new", "--ci", service]) == 2
    out, err = capfd.readouterr()
    assert (out, err) == ("", f"dpcert: Expected a new file but got name={job.as_posix()}, which exists\n")
    assert job.read_text(encoding="utf-8") == "mine\n"
    assert files(work) == {job.as_posix()}


def test_a_link_that_leads_nowhere_is_there_too(work: Path) -> None:
    Path(".gitlab-ci.yml").symlink_to("elsewhere.yml")
    assert run(["new", "--ci", "gitlab"]) == 2
    assert files(work) == set()


def test_a_file_in_place_of_the_folder_is_one_line(work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path(".github").write_text("a file\n", encoding="utf-8")
    assert run(["new", "--ci", "github"]) == 2
    err = capfd.readouterr().err
    assert err.startswith("dpcert: Expected a writable file but got name=.github/workflows/dpcert.yml (")
    assert err.count("\n") == 1
    assert files(work) == {".github"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Expected NAME.py or --ci SERVICE but got neither"),
        (["tree.py", "--ci", "github"], "Expected NAME.py or --ci SERVICE but got name=tree.py and ci=github"),
        (["--ci", "gitlab", "--kind", "prefix"], "Expected --kind with NAME.py but got kind=prefix and ci=gitlab"),
        (["--ci", "elsewhere"], "'elsewhere' is not one of 'github', 'gitlab'"),
        (["--kind", "prefix"], "but got neither"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_no_file(
    arguments: list[str], said: str, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["new", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert files(work) == set()
