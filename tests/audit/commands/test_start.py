"""What a command reads before it answers: modules are counted, and no seconds are measured."""

import ast
import importlib
import pickle
import platform
import subprocess
import sys
from importlib.metadata import EntryPoint, PackageNotFoundError, version
from pathlib import Path

import click
import pytest

import dpcert
from dpcert.audit import entries
from dpcert.audit.commands import cli
from dpcert.audit.commands.interrupts import Interrupts, _end, reading
from dpcert.audit.commands.unread import Unread, loaded
from dpcert.audit.records import digest

HEAVY = {"flint", "jinja2", "jsonschema", "matplotlib", "mpmath", "numpy", "rich", "scipy", "sympy"}
LIGHT = [
    "--help",
    "--version",
    "list",
    "completion bash",
    "explain stable-cost",
    "audit --help",
    "report --help",
    "new --help",
    "plan --help",
    "plan randbin --help",
    "run randbin --help",
    "claims --help",
    "claims check --help",
]
MOST_OF_OURS = 40
"""Modules of ours that such a command reads at most; an audit reads over 100."""
READ = "import atexit, sys; atexit.register(lambda: print('\\n', *sys.modules, file=sys.stderr))\n"


def modules_after(code: str, *arguments: str) -> set[str]:
    """Names of the modules that a program of its own has read when it ends."""
    command = [sys.executable, "-c", READ + code, *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    return set(done.stderr.splitlines()[-1].split())


COMMAND = "from dpcert.audit.commands.cli import main; main(sys.argv[1:])"


@pytest.mark.real("start-up")
@pytest.mark.in_turns
@pytest.mark.parametrize("arguments", LIGHT)
def test_what_computes_nothing_reads_nothing_heavy(arguments: str) -> None:
    found = modules_after(COMMAND, *arguments.split())
    assert {name for name in found if name.partition(".")[0] in HEAVY} == set()
    assert 5 < sum(name.partition(".")[0] == "dpcert" for name in found) <= MOST_OF_OURS


UNREAD = ("enclosed.analysis", "enclosed.refining", "sampled.estimate", "render.page", "scripted.code", "examine_npp")


@pytest.mark.in_turns(few=True)
@pytest.mark.real("start-up")
def test_a_small_audit_on_a_pipe_reads_its_own_tier_and_its_own_text_alone() -> None:
    found = modules_after(COMMAND, "audit", "two-round", "--exit-zero")
    assert {"dpcert.audit.solving.adaptive", "dpcert.audit.render.text"} <= found
    assert found & (HEAVY | {"sqlite3", "importlib.metadata", "tomllib"}) == {"flint"}
    assert found & {f"dpcert.audit.{name}" for name in UNREAD} == set()


def test_versions_are_those_that_python_finds() -> None:
    for package in digest.LIBRARIES:
        assert entries.version(package) == version(package)
    with pytest.raises(PackageNotFoundError):
        entries.version("no-such-package-at-all")


def test_the_platform_is_the_one_that_python_names() -> None:
    assert digest._platform() == platform.platform()
    assert digest.provenance(0.0)["python"] == platform.python_version()


# --- public names


@pytest.mark.in_turns(few=True)
@pytest.mark.real("start-up")
def test_names_come_when_they_are_asked_for() -> None:
    """The package alone reads next to nothing, one name what it needs, and a star all of them."""
    code = (
        "import dpcert; print(*sys.modules); assert 'Pmf' not in vars(dpcert)\n"
        "from dpcert import Pmf, laws; print(*sys.modules); assert 'Pmf' in vars(dpcert)\n"
        "from dpcert import *; print(*sys.modules); assert set(dpcert.__all__) <= set(globals())\n"
    )
    done = subprocess.run([sys.executable, "-c", f"import sys; {code}"], capture_output=True, text=True, check=True)
    alone, one, star = (set(line.split()) for line in done.stdout.splitlines())
    assert {name for name in alone if name.partition(".")[0] in {"dpcert", *HEAVY}} == {
        "dpcert",
        "dpcert._start",
        "dpcert.audit",
        "dpcert.audit.commands",
        "dpcert.audit.commands.interrupts",
    }
    assert "dpcert.audit.examine" not in one
    assert "dpcert.audit.examine" in star


def test_every_public_name_resolves_and_is_listed() -> None:
    assert len(set(dpcert.__all__)) == len(dpcert.__all__)
    assert set(dpcert.__all__) <= set(dir(dpcert))
    assert all(getattr(dpcert, name) is not None for name in dpcert.__all__)
    assert set(dpcert.__all__) == {"laws", *dpcert._MODULE_OF}


def test_type_checkers_see_what_python_gives() -> None:
    """The imports that only type checkers follow are the ones that are made later, name by name."""
    tree = ast.parse(Path(str(dpcert.__file__)).read_text(encoding="utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen == {"laws": "dpcert", **dpcert._MODULE_OF}


def test_an_unknown_name_is_an_attribute_error_with_a_hint() -> None:
    with pytest.raises(AttributeError, match="module 'dpcert' has no attribute 'Pfm'") as raised:
        dpcert.Pfm  # noqa: B018 - asked for, to see what it raises
    assert (raised.value.name, raised.value.obj) == ("Pfm", dpcert)
    with pytest.raises(ImportError, match="cannot import name 'Pfm' from 'dpcert'"):
        exec("from dpcert import Pfm")


def test_public_objects_pickle_as_before() -> None:
    for kept in (dpcert.Pmf, dpcert.examine, dpcert.bernoulli(1), dpcert.HAMMING, dpcert.Budget()):
        again = pickle.loads(pickle.dumps(kept))
        assert type(again) is type(kept)
    assert dpcert.Pmf.__module__ == "dpcert.audit.algebra.pmf"


# --- commands


def all_commands() -> list[EntryPoint]:
    installed = [entry for entry in entries.entries(entries.COMMANDS).values() if entry.module.startswith("dpcert.")]
    return [*cli.OWN.values(), *installed]


@pytest.mark.parametrize("entry", all_commands(), ids=lambda entry: entry.name)
def test_a_command_is_listed_with_the_help_that_it_has(entry: EntryPoint) -> None:
    command = entry.load()
    assert isinstance(command, click.Command)
    assert command.name == entry.name
    assert not command.hidden
    assert entries.docstring(entry)
    assert Unread(entry).get_short_help_str(200) == command.get_short_help_str(200)


@pytest.mark.parametrize("group", [entries.TARGETS, entries.BROKEN])
def test_a_target_is_listed_with_the_docstring_that_it_has(group: str) -> None:
    for entry in entries.entries(group).values():
        said = entries.docstring(entry)
        first = (entry.load().__doc__ or "").strip().split("\n")[0]
        assert said is None or said.split("\n")[0] == first
        assert said is not None or group == entries.BROKEN  # where a second name of a class is loaded


@pytest.mark.parametrize(
    "value",
    [
        "dpcert.audit.no_such_module:name",
        "dpcert.audit.budget:no_such_name",
        "dpcert.audit.relations.adjacency:HAMMING",
    ],
)
def test_what_no_source_tells_has_to_be_loaded(value: str) -> None:
    assert entries.docstring(EntryPoint("one", value, entries.TARGETS)) is None


def test_another_packages_command_is_asked_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = 'import click\n@click.command(short_help="Said.")\ndef hello():\n    """Not said."""\n'
    (tmp_path / "hello_command.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    entry = EntryPoint("hello", "hello_command:hello", entries.COMMANDS)
    assert Unread(entry).get_short_help_str() == "Said."
    missing = EntryPoint("gone", "no_such_module_at_all:gone", entries.COMMANDS)
    assert "The command gone does not load: ModuleNotFoundError" in Unread(missing).get_short_help_str(200)
    with pytest.raises(dpcert.DpcertError, match="does not load"):
        loaded(missing)([], standalone_mode=False)


def test_reading_takes_over_from_our_handler_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupts = importlib.import_module("dpcert.audit.commands.interrupts")
    ours, theirs = Interrupts().handle, print
    handler: object = None

    def put(_: int, new: object) -> None:
        nonlocal handler
        handler = new

    monkeypatch.setattr(interrupts.signal, "getsignal", lambda _: handler)
    monkeypatch.setattr(interrupts.signal, "signal", put)
    for before, during in ((ours, _end), (theirs, theirs), (None, None)):
        handler = before
        with reading():
            assert handler == during
        assert handler == before
