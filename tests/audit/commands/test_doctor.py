"""`dpcert doctor`: a line a finding, a fault for each thing that is broken, and no traceback."""

import importlib.metadata
import sys
import tomllib
from fractions import Fraction
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, PackageNotFoundError
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement

import dpcert
from dpcert.audit import entries
from dpcert.audit.algebra.enclosure import Enclosure
from dpcert.audit.commands import doctor, installation
from dpcert.audit.commands.cli import run
from dpcert.audit.commands.installation import DoctorLine, Severity
from dpcert.audit.examine import examine
from dpcert.audit.records.record import Record

ROOT = Path(__file__).parents[3]
RAISES = "raise RuntimeError('imported, and should not be')\n"


def report(capfd: pytest.CaptureFixture[str], status: int = 0) -> str:
    """What the command prints, every line of which begins with a level."""
    assert run(["doctor"]) == status
    out = capfd.readouterr().out
    assert {line[:6] for line in out.splitlines()} <= {"ok    ", "note  ", "fault "}
    assert out.count("\nfault ") == out.count("fault ")
    assert ("\nfault " in out) == (status == 1)
    return out


def imported_from(folder: Path) -> Path:
    """The file of the `dpcert` that `python -m dpcert` imports in a folder, which is first on its path."""
    spec = PathFinder.find_spec("dpcert", [str(folder), *sys.path])
    assert spec is not None
    return Path(str(spec.origin))


def faults(check: doctor.Check) -> list[str]:
    """The faults of one check."""
    return [line.text for line in doctor.checked(check) if line.level is Severity.FAULT]


def test_this_installation_is_well(capfd: pytest.CaptureFixture[str]) -> None:
    out = report(capfd)
    for line in (
        "ok    two-round: fixed streams reach 9/100, adaptive adversaries 991/10000\n",
        "ok    e^1 lies in its enclosure\n",
        "ok    a record reads back through its schema\n",
        "ok    a page renders\n",
    ):
        assert line in out
    for name in ("dpcert ", "python-flint ", "click ", "jsonschema "):
        assert f"ok    {name}" in out


def test_every_optional_part_is_named_once(capfd: pytest.CaptureFixture[str]) -> None:
    out = report(capfd)
    for name in (*installation.BACKENDS, *installation.PEERS, *installation.BROWSER):
        assert out.count(f" {name} found\n") + out.count(f"note  {_kind(name)} {name} not found (") == 1


def _kind(name: str) -> str:
    return "backend" if name in installation.BACKENDS else "peer" if name in installation.PEERS else "browser"


def test_optional_parts_are_found_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("gmpy2", "opendp", "jax_privacy"):
        (tmp_path / f"{name}.py").write_text(RAISES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    out = report(capfd)
    assert "ok    backend gmpy2 found\n" in out
    assert "ok    peer opendp found\n" in out
    assert "ok    peer jax_privacy found\n" in out


def test_a_module_made_by_hand_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "audit", ModuleType("audit"))
    assert faults(installation.modules_like_ours) == []


def test_the_browser_is_looked_for_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    lines = {line.text: line.level for line in installation.optional_parts() if "chrom" in line.text}
    assert lines == {
        "browser chromium not found (only browser tests need it)": Severity.NOTE,
        "browser chromedriver not found (only browser tests need it)": Severity.NOTE,
    }
    (tmp_path / "chromium").write_text("", encoding="utf-8")
    (tmp_path / "chromium").chmod(0o755)
    assert DoctorLine(Severity.OK, "browser chromium found") in list(installation.optional_parts())


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("found", "words"),
    [("8.0.9", "Expected click of at least 8.1 but got version=8.0.9"), (None, "click of at least 8.1 but it is not")],
)
def test_a_dependency_that_is_old_or_missing(
    found: str | None, words: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name != "click":
            return real(name)
        if found is None:
            raise PackageNotFoundError(name)
        return found

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert words in report(capfd, status=1)


@pytest.mark.parametrize(("found", "well"), [("8.10.0", True), ("8.1rc1", False), ("9.0b2", True)])
def test_versions_compare_as_versions(found: str, well: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _: found)
    line = installation._dependency(Requirement("click>=8.1"))
    assert line.level is (Severity.OK if well else Severity.FAULT)


def test_every_dependency_that_is_declared_is_looked_up_and_no_extra_is() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = [Requirement(line).name for line in tomllib.loads(text)["project"]["dependencies"]]
    assert [line.text.partition(" ")[0] for line in installation.versions()] == ["dpcert", *declared]


@pytest.mark.in_turns
@pytest.mark.parametrize("name", installation.LIKE_OURS)
def test_a_module_like_ours_is_a_note(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / f"{name}.py").write_text(RAISES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, name, raising=False)  # pytest keeps a `tests` of its own
    assert f"note  import {name} finds {name}.py; dpcert is not affected" in report(capfd)


@pytest.mark.in_turns
def test_no_module_like_ours_is_no_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """On the path that the installed command has, without what pytest adds, and audits of modules in this folder."""
    added = {*sys.path} & {"", str(ROOT)} | {place for place in sys.path if place.startswith(str(ROOT / "tests"))}
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in added])
    for name in installation.LIKE_OURS:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.chdir(tmp_path)
    assert "is not affected" not in report(capfd)


@pytest.mark.in_turns
@pytest.mark.parametrize("name", ["dpcert.py", "dpcert/__init__.py"])
def test_another_dpcert_in_this_folder_is_a_fault(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(RAISES, encoding="utf-8")
    out = report(capfd, status=1)
    assert out.count("\nfault ") == 1
    assert f"fault Expected one dpcert but got another in {name}, " in out
    # It is one indeed: Python takes it, and not ours.
    assert imported_from(tmp_path) == tmp_path / name


def test_a_folder_called_dpcert_without_a_module_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dpcert").mkdir()
    monkeypatch.chdir(tmp_path)
    assert "but got another" not in report(capfd)
    assert imported_from(tmp_path) == Path(str(dpcert.__file__))


def test_another_dpcert_further_down_the_path_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dpcert.py").write_text(RAISES, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert "note  another dpcert is installed in " in report(capfd)


@pytest.mark.in_turns
@pytest.mark.parametrize("code", ["raise SystemExit(0)", "import no_such_module", "print('loud'); 1 / 0"])
def test_a_target_that_does_not_load_is_a_fault(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken_target.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    installed = entries.built_in()
    broken = EntryPoint("broken", "broken_target:Name", entries.TARGETS)
    monkeypatch.setattr(entries, "built_in", lambda: {**installed, "broken": broken})
    out = report(capfd, status=1)
    assert "fault the target broken (broken_target:Name) does not load: " in out
    assert f"ok    {len(installed)} of {len(installed) + 1} installed targets load" in out


def test_a_solver_that_errs_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    right = examine

    def wrong(*arguments: Any, **named: Any) -> Record:
        document = dict(right(*arguments, **named).document)
        return Record(document | {"adaptive": document["adaptive"] | {"total_variation": "9/100"}})

    assert faults(doctor.self_test_of_the_solver) == []
    monkeypatch.setattr(doctor, "examine", wrong)
    (fault,) = faults(doctor.self_test_of_the_solver)
    assert fault.endswith("but got fixed_stream=9/100, adaptive=9/100")


@pytest.mark.parametrize(
    "wrong",
    [
        Enclosure(Fraction(2), Fraction(3)),
        Enclosure(Fraction(2), None),
        Enclosure(Fraction(2718281828, 10**9), Fraction(2718281828, 10**9) + Fraction(1, 10**31)),
    ],
)
def test_an_enclosure_that_errs_is_a_fault(wrong: Enclosure, monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults(doctor.self_test_of_enclosures) == []
    monkeypatch.setattr(doctor, "exponential", lambda _: wrong)
    assert len(faults(doctor.self_test_of_enclosures)) == 1


def test_a_record_that_changes_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults(doctor.self_test_of_records) == []
    monkeypatch.setattr(doctor, "read", lambda _: Record({}))
    assert faults(doctor.self_test_of_records) == ["a record reads back changed"]


def test_a_page_without_its_number_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults(doctor.self_test_of_pages) == []
    monkeypatch.setattr("dpcert.audit.render.page.page", lambda _: "<html></html>")
    assert len(faults(doctor.self_test_of_pages)) == 1


def test_whatever_is_raised_is_a_fault_and_the_report_goes_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> Record:
        raise RuntimeError("no such\nluck")

    monkeypatch.setattr(doctor, "examine", broken)
    out = report(capfd, status=1)
    assert "fault self test of the solver: RuntimeError: no such luck\n" in out
    assert "ok    e^1 lies in its enclosure\n" in out
    assert out.count("\nfault ") == 3


@pytest.mark.in_turns
def test_a_folder_that_is_gone_gives_a_report_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run(["doctor"]) in (0, 1)
    out, err = capfd.readouterr()
    assert "ok    e^1 lies in its enclosure\n" in out
    assert "Traceback" not in err
