"""Where results go: every output and every way in which it cannot be written, found before the work where it can be."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest

import dpcert
from dpcert.audit.commands import output
from dpcert.audit.commands.cli import run
from dpcert.audit.commands.output import place, places
from dpcert.audit.errors import OutputError

for _name in ("audit.commands.doctor", "audit.exchange.asserting", "audit.suites.deciding", "mechanisms.probe.probed"):
    import_module(f"dpcert.{_name}")  # these bind the work by name: before it is replaced, or they keep what stands in
assert dpcert.examine
TINY = ("--inputs", "2", "--outputs", "2", "--horizon", "2", "--exp-epsilon", "2", "--restarts", "1", "--seconds", "1")
PLAN = ("plan", "randbin", "--epsilon", "4", "--delta", "1/1000", "--horizon", "10")
MATRIX = ("matrix", "tree.json", "--sigma", "2", "--clip", "1")
COMMANDS: dict[str, Callable[[str], list[str]]] = {
    "audit json": lambda path: ["audit", "randomized-response", "--json", path],
    "audit html": lambda path: ["audit", "randomized-response", "--html", path],
    "audit registry": lambda path: ["audit", "randomized-response", "--registry", path],
    "audit quiet": lambda path: ["audit", "randomized-response", "--quiet", "--json", path],
    "search json": lambda path: ["search", *TINY, "--json", path],
    "plan json": lambda path: [*PLAN, "--json", path],
    "plan html": lambda path: [*PLAN, "--html", path],
    "gaussian json": lambda path: ["gaussian", "--mu", "1", "--json", path],
    "matrix json": lambda path: [*MATRIX, "--json", path],
    "matrix html": lambda path: [*MATRIX, "--html", path],
    "probe json": lambda path: ["probe", "noisy.py:Noisy", "--json", path],
    "probe html": lambda path: ["probe", "noisy.py:Noisy", "--html", path],
    "report": lambda path: ["report", "kept.json", "-o", path],
    "report registry": lambda path: ["report", "kept.json", "-o", "new.html", "--registry", path],
    "claims json": lambda path: ["claims", "check", "1", "--json", path],
    "claims markdown": lambda path: ["claims", "check", "1", "--markdown", path],
    "tables": lambda path: ["tables", "--write", path],
    "run": lambda path: ["run", "randbin", "events.txt", "-o", path, "--param", "epsilon=4"],
    "run with a lease": lambda path: ["run", "randbin", "events.txt", "-o", path, "--lease", "new.lease"],
}
EARLY = {
    "a folder": ("folder", "Is a directory"),
    "no such folder": ("nowhere/file", "No such file or directory"),
    "a file for a folder": ("kept.json/file", "Not a directory"),
    "too long": ("x" * 300, "File name too long"),
    "no name": ("a\0b", "null byte"),
    "a loop of links": ("loop", "Too many levels"),
}
"""What can be seen before the work: a path, and what is said of it."""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "kept.json").write_text("kept", encoding="utf-8")
    (tmp_path / "events.txt").write_text("a\n", encoding="utf-8")
    noisy = "def step(rng):\n    return lambda x: x + rng.normal()\n\nNoisy = step\n"
    (tmp_path / "noisy.py").write_text(noisy, encoding="utf-8")
    (tmp_path / "tree.json").write_text('{"strategy": "binary-tree", "rounds": 4}', encoding="utf-8")


def listed() -> list[str]:
    """All files, in order."""
    return sorted(str(path) for path in Path().rglob("*"))


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(("command", "failure"), [*product(COMMANDS, EARLY)])
def test_what_cannot_be_written_is_refused_before_the_work(
    command: str, failure: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, said = EARLY[failure]
    if command == "tables" and failure in ("a folder", "no such folder"):
        pytest.skip("a folder is what it writes to, and makes")
    for name in ("examine.examine", "commands.search.answered"):
        monkeypatch.setattr(f"dpcert.audit.{name}", unreachable)
    monkeypatch.setattr("dpcert.mechanisms.design.plan.planned", unreachable)
    monkeypatch.setattr("dpcert.mechanisms.accounting.document.account", unreachable)
    monkeypatch.setattr("dpcert.mechanisms.matrix_audit.audited.audited", unreachable)
    monkeypatch.setattr("dpcert.mechanisms.probe.probed.probed", unreachable)
    monkeypatch.setattr("dpcert.proofs_checked.cli.check", unreachable)
    before = listed()
    assert run(COMMANDS[command](path)) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("dpcert: Expected ")
    assert err.count("\n") == 1
    assert said in err or failure == "no name" or command == "tables", err
    assert listed() == before
    assert Path("kept.json").read_text(encoding="utf-8") == "kept"


def unreachable(*_: object, **__: object) -> None:
    """Stands for the work."""
    raise AssertionError("work was done")


SLOW = ("claims json", "claims markdown", "plan html")
FULL = [
    pytest.param(name, marks=pytest.mark.thorough) if name in SLOW else name
    for name in COMMANDS
    if name not in ("report", "report registry", "tables", "run with a lease")
]


@pytest.mark.in_turns
@pytest.mark.parametrize("command", FULL)
def test_a_full_disk_is_told_behind_the_result(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    if command == "run":
        Path("events.txt").write_text("a\n" * 3000, encoding="utf-8")
    assert run(COMMANDS[command]("/dev/full")) == 2
    out, err = capfd.readouterr()
    assert (out == "") == (command in ("audit quiet", "run"))
    assert err.count("\n") == 1
    assert "No space left on device" in err


def test_a_folder_that_takes_nothing_new(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(output, "_try", refused)
    assert run(["audit", "two-round", "--json", "new.json"]) == 2
    assert "Permission denied" in capfd.readouterr().err
    assert not Path("new.json").exists()


def test_a_file_that_may_not_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output.os, "access", lambda *_: False)
    with pytest.raises(OutputError, match=r"Permission denied"):
        place("kept.json")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("same", "same"), ("same", "./same"), ("same", "folder/../same"), ("kept.json", "link"),
        ("link", "kept.json"), ("kept.json", "hard"), ("new", "dangling"), ("-", "-"),
    ],
)  # fmt: skip
def test_two_outputs_in_one_place_are_refused(one: str, two: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("link").symlink_to("kept.json")
    Path("hard").hardlink_to("kept.json")
    Path("dangling").symlink_to("new")
    assert run(["audit", "two-round", "--json", one, "--html", two]) == 2
    assert "json" in capfd.readouterr().err
    assert Path("kept.json").read_text(encoding="utf-8") == "kept"


def test_places_that_throw_everything_away_are_no_one_place() -> None:
    assert set(places(json=os.devnull, html=os.devnull)) == {"json", "html"}


def test_an_output_over_what_is_read_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    Path("mine.py").write_text("x = 1\n", encoding="utf-8")
    assert run(["audit", "mine.py:Mine", "--json", "mine.py"]) == 2
    assert run(["report", "kept.json", "-o", "./kept.json"]) == 2
    assert capfd.readouterr().err.count("another file for what is written") == 2
    assert Path("mine.py").read_text(encoding="utf-8") == "x = 1\n"


def test_an_audit_that_fails_leaves_files_as_they_were(capfd: pytest.CaptureFixture[str]) -> None:
    before = listed()
    assert run(["audit", "two-round", "--horizon", "9", "--json", "kept.json", "--html", "new.html"]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert listed() == before
    assert Path("kept.json").read_text(encoding="utf-8") == "kept"


def test_a_write_that_is_cut_off_leaves_the_old_file_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt()):
        monkeypatch.setattr(output.os, "replace", raising(error))
        before = listed()
        with pytest.raises((OutputError, KeyboardInterrupt)):
            place("kept.json").write("new")
        assert Path("kept.json").read_text(encoding="utf-8") == "kept"
        assert listed() == before


def raising(error: BaseException) -> Callable[..., None]:
    """A function that raises."""

    def fail(*_: object) -> None:
        raise error

    return fail


def test_a_file_keeps_its_permissions_and_a_link_its_file() -> None:
    os.chmod("kept.json", 0o640)
    Path("link").symlink_to("kept.json")
    place("link").write("new")
    assert Path("link").is_symlink()
    assert Path("kept.json").read_text(encoding="utf-8") == "new"
    assert Path("kept.json").stat().st_mode & 0o777 == 0o640
    mask = os.umask(0o027)
    place("fresh").write("new")
    os.umask(mask)
    assert Path("fresh").stat().st_mode & 0o777 == 0o640


def audited(*options: str, shell: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, with its standard output turned elsewhere."""
    command = " ".join([sys.executable, "-m", "dpcert", "audit", "randomized-response", "--horizon", "1", *options])
    environment = os.environ | {"PYTHONPATH": str(Path(dpcert.__file__).parents[1])}
    return subprocess.run(
        f"{command} {shell}", shell=True, capture_output=True, text=True, check=False, env=environment
    )


@pytest.mark.real("pipes")
@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("shell", "options", "said"),
    [
        (">&-", (), "closed"),
        (">&-", ("--json", "-", "--quiet"), "closed"),
        ("> /dev/full", ("--json", "record.json"), "No space left"),
        pytest.param("> /dev/full", ("--json", "-"), "No space left", marks=pytest.mark.thorough),
        pytest.param("1< /dev/null", (), "open for reading", marks=pytest.mark.thorough),
        pytest.param(">&- 2>&-", ("--quiet", "--json", "record.json"), "", marks=pytest.mark.thorough),
    ],
)
def test_a_standard_output_that_takes_nothing(shell: str, options: tuple[str, ...], said: str) -> None:
    ended = audited(*options, shell=shell)
    if said:
        assert ended.returncode == 2
        assert ended.stderr.startswith("dpcert: Expected a standard output that can be written")
        assert ended.stderr.count("\n") == 1
        assert said in ended.stderr
    else:  # nothing was to be said
        assert (ended.returncode, ended.stderr) == (0, "")
    if "record.json" in options:
        assert json.loads(Path("record.json").read_text(encoding="utf-8"))["target"] == "randomized-response"
