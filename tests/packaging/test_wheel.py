"""The wheel, built through the sdist and used in an environment that never saw the clone."""

import configparser
import json
import tarfile
import tomllib
from collections.abc import Callable
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.real("users")

Run = Callable[..., CompletedProcess[str]]

LAYERS = ("audit", "mechanisms", "proofs_checked")
DATA = (
    "py.typed", "audit/*/schemas/*.json", "audit/render/templates/*.j2", "proofs_checked/*.json",
    "proofs_checked/coq/*.v", "proofs_checked/templates/*.j2",
)  # fmt: skip
BUILT_IN = {"two-round", "two-round-repeated", "randomized-response", "interval-sums", "binary-tree"}


@pytest.fixture(scope="module")
def project(snapshot: Path) -> dict[str, Any]:
    """The [project] table of pyproject.toml."""
    project: dict[str, Any] = tomllib.loads((snapshot / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


@pytest.fixture(scope="module")
def files(wheel: Path) -> dict[str, bytes]:
    """The wheel's files, by name."""
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


@pytest.fixture(scope="module")
def about(project: dict[str, Any]) -> str:
    """The name of the wheel's metadata folder."""
    return f"dpcert-{project['version']}.dist-info"


@pytest.fixture(scope="module")
def metadata(files: dict[str, bytes], about: str) -> Message:
    """The wheel's METADATA."""
    return HeaderParser().parsestr(files[f"{about}/METADATA"].decode())


def packaged(snapshot: Path) -> dict[str, bytes]:
    """What the wheel has to hold, by its name there: every module, and the package data."""
    face = snapshot / "src" / "dpcert"
    modules = {f"dpcert/{path.name}": path for path in face.glob("*.py")}
    for layer in LAYERS:
        modules |= {
            f"dpcert/{path.relative_to(snapshot).as_posix()}": path for path in (snapshot / layer).rglob("*.py")
        }
    data = {f"dpcert/{path.relative_to(face).as_posix()}": path for pattern in DATA for path in face.glob(pattern)}
    return {name: path.read_bytes() for name, path in (modules | data).items()}


def test_the_source_tree_has_modules_in_every_layer_and_every_kind_of_data(snapshot: Path) -> None:
    names = set(packaged(snapshot))
    assert all(f"dpcert/{layer}/__init__.py" in names for layer in LAYERS)
    assert {"dpcert/py.typed", "dpcert/audit/records/schemas/audit-1.json"} <= names
    assert any(name.endswith(".j2") for name in names)


def test_the_wheel_holds_exactly_the_modules_and_their_data(files: dict[str, bytes], snapshot: Path) -> None:
    packed = {name: content for name, content in files.items() if name.startswith("dpcert/")}
    expected = packaged(snapshot)
    assert set(packed) == set(expected)
    assert [name for name in expected if packed[name] != expected[name]] == []


def test_the_sdist_holds_the_same_files_with_the_links_resolved(sdist: Path, snapshot: Path) -> None:
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    assert [member.name for member in members if member.issym() or member.islnk()] == []
    inside = {member.name.partition("/")[2] for member in members if member.isfile()}
    assert {f"src/{name}" for name in packaged(snapshot)} <= inside
    assert "pyproject.toml" in inside


def test_the_top_level_is_dpcert_alone(files: dict[str, bytes], about: str) -> None:
    assert {name.partition("/")[0] for name in files} == {"dpcert", about}
    assert files[f"{about}/top_level.txt"].decode().split() == ["dpcert"]


def test_the_wheel_holds_no_tests_and_no_reports(files: dict[str, bytes]) -> None:
    parts = {part for name in files for part in name.split("/")}
    assert not parts & {"tests", "reports", "docs", "conftest.py"}
    assert [part for part in parts if part.startswith("test_")] == []


def test_the_wheel_declares_the_entry_points_of_pyproject(
    files: dict[str, bytes], about: str, project: dict[str, Any]
) -> None:
    declared = configparser.ConfigParser(delimiters="=")
    declared.read_string(files[f"{about}/entry_points.txt"].decode())
    groups = {group: dict(declared[group]) for group in declared.sections()}
    assert groups == {"console_scripts": project["scripts"], **project["entry-points"]}
    assert groups["console_scripts"] == {"dpcert": "dpcert.audit.commands.cli:main"}
    assert set(groups["dpcert.targets"]) >= BUILT_IN


def test_the_wheel_carries_the_licence(files: dict[str, bytes], about: str, metadata: Message, snapshot: Path) -> None:
    assert metadata.get_all("License-File") == ["LICENSE"]
    carried = [content for name, content in files.items() if name.startswith(about) and name.endswith("/LICENSE")]
    assert carried == [(snapshot / "LICENSE").read_bytes()]


def test_the_metadata_names_version_python_and_readme(metadata: Message, project: dict[str, Any]) -> None:
    assert metadata["Version"] == project["version"]
    assert metadata["Requires-Python"] == project["requires-python"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert str(metadata.get_payload()).strip()


def test_every_layer_comes_from_the_fresh_environment(wheel_scripts: Path, run: Run, tmp_path: Path) -> None:
    code = "import dpcert, dpcert.audit, dpcert.mechanisms, dpcert.proofs_checked, sys\n"
    code += (
        "print(*(sys.modules[name].__file__ for name in sys.modules if name.partition('.')[0] == 'dpcert'), sep='\\n')"
    )
    places = run(wheel_scripts / "python", "-c", code, cwd=tmp_path).stdout.splitlines()
    assert len(places) > len(LAYERS)
    fresh = wheel_scripts.parent.resolve()
    assert [place for place in places if fresh not in Path(place).resolve().parents] == []


def test_the_installed_command_lists_five_targets_that_load(wheel_scripts: Path, run: Run, tmp_path: Path) -> None:
    lines = run(wheel_scripts / "dpcert", "list", cwd=tmp_path).stdout.splitlines()
    assert {line.split()[0] for line in lines} >= BUILT_IN
    assert [line for line in lines if "does not load" in line] == []


@pytest.mark.in_turns
def test_the_installed_command_refutes_the_two_round_mechanism(wheel_scripts: Path, run: Run, tmp_path: Path) -> None:
    done = run(wheel_scripts / "dpcert", "audit", "two-round", "--json", "-", cwd=tmp_path, status=1)
    record = json.loads(done.stdout)
    assert record["adaptive"]["total_variation"] == "991/10000"
    assert record["fixed_stream"]["total_variation"] == "9/100"
    assert record["verdict"] == "REFUTED"


def test_the_installed_command_finds_its_schema_and_its_templates(
    wheel_scripts: Path, run: Run, tmp_path: Path
) -> None:
    dpcert = wheel_scripts / "dpcert"
    run(dpcert, "audit", "two-round", "--quiet", "--json", "r.json", "--html", "audit.html", cwd=tmp_path, status=1)
    run(dpcert, "report", "r.json", "-o", "report.html", cwd=tmp_path)
    for page in ("audit.html", "report.html"):
        assert "991/10000" in (tmp_path / page).read_text(encoding="utf-8")


@pytest.mark.in_turns
def test_the_module_is_the_command_line_too(
    wheel_scripts: Path, run: Run, tmp_path: Path, project: dict[str, Any]
) -> None:
    done = run(wheel_scripts / "python", "-m", "dpcert", "--version", cwd=tmp_path)
    assert done.stdout == f"dpcert, version {project['version']}\n"
    run(wheel_scripts / "python", "-m", "dpcert", "audit", "two-round", "--quiet", cwd=tmp_path, status=1)
