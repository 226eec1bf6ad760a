"""One import package in three linked folders, and nothing but `dpcert` on anybody's import path."""

import ast
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from instances.seeds import spread
from instances.sources import nodes, tree

Run = Callable[..., CompletedProcess[str]]

LAYERS = ("audit", "mechanisms", "proofs_checked")
WHERE_PRESENT = {"gmpy2", "pytest"}
"""Never required: gmpy2 is faster where it is there, and only pytest itself loads a plugin of pytest."""


def modules(clone: Path) -> Iterator[tuple[str, Path]]:
    """Every module of the package, as its name in the clone and its place."""
    for folder in ("src/dpcert", *LAYERS):
        paths = (clone / folder).glob("*.py") if folder.startswith("src") else (clone / folder).rglob("*.py")
        for path in sorted(paths):
            yield path.relative_to(clone).as_posix(), path.resolve()


def imported(path: Path) -> Iterator[str]:
    """The absolute names that a module imports, wherever in it; a relative import keeps its dots."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def distribution(requirement: str) -> str:
    """The normalised name in a requirement: "python-flint>=0.6" is "python-flint"."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement, maxsplit=1)[0]).lower()


@pytest.mark.parametrize("layer", LAYERS)
def test_the_link_is_relative_and_leads_to_the_folder(clone: Path, layer: str) -> None:
    link = clone / "src" / "dpcert" / layer
    assert link.is_symlink()
    assert os.readlink(link) == f"../../{layer}"
    assert link.resolve() == clone / layer
    assert (clone / layer).is_dir()
    assert not (clone / layer).is_symlink()


@pytest.mark.real("users")
@pytest.mark.parametrize("layer", LAYERS)
def test_the_bare_name_in_the_clone_says_what_to_write(clone: Path, clone_scripts: Path, run: Run, layer: str) -> None:
    done = run(clone_scripts / "python", "-c", f"import {layer}", cwd=clone, status=1)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert f"`import {layer}`" in last
    assert last.endswith(f"write `dpcert.{layer}`")


@pytest.mark.real("users")
@pytest.mark.parametrize("installation", spread(["wheel", "editable", "clone"], 3))
def test_the_bare_names_are_unknown_elsewhere(
    installation: str, run: Run, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    scripts: Path = request.getfixturevalue(f"{installation}_scripts")
    code = f"import dpcert, importlib.util; print([n for n in {(*LAYERS, 'reports')} if importlib.util.find_spec(n)])"
    assert run(scripts / "python", "-c", code, cwd=tmp_path).stdout.strip() == "[]"


@pytest.mark.real("users")
@pytest.mark.in_turns
def test_an_editable_install_puts_src_alone_on_the_path(
    editable_scripts: Path, snapshot: Path, run: Run, tmp_path: Path
) -> None:
    code = "import sys; print(*sys.path, sep='\\n')"
    path = run(editable_scripts / "python", "-c", code, cwd=tmp_path).stdout.splitlines()
    entries = [Path(entry).resolve() for entry in path if entry]
    assert [entry for entry in entries if entry == snapshot or snapshot in entry.parents] == [snapshot / "src"]


@pytest.mark.real("users")
def test_the_environment_of_the_clone_has_src_alone_on_the_path(
    clone_scripts: Path, clone: Path, run: Run, tmp_path: Path
) -> None:
    code = "import sys; print(*sys.path, sep='\\n')"
    path = run(clone_scripts / "python", "-c", code, cwd=tmp_path).stdout.splitlines()
    entries = {Path(entry).resolve() for entry in path if entry}
    ours = {entry for entry in entries if entry == clone or clone in entry.parents}
    assert {entry for entry in ours if "site-packages" not in entry.parts} == {clone / "src"}


@pytest.mark.real("users")
@pytest.mark.in_turns
def test_an_editable_install_gives_the_same_command(editable_scripts: Path, run: Run, tmp_path: Path) -> None:
    run(editable_scripts / "dpcert", "audit", "two-round", "--quiet", cwd=tmp_path, status=1)


def test_every_module_has_a_docstring(clone: Path) -> None:
    assert [name for name, path in modules(clone) if not ast.get_docstring(tree(path))] == []


def test_no_module_reaches_out_of_the_package(clone: Path) -> None:
    """Not into tests, nor beside the clone: only the standard library, dpcert, and declared dependencies."""
    project = tomllib.loads((clone / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: listed for name, listed in project["optional-dependencies"].items() if name not in ("docs", "test")}
    declared = {distribution(each) for listed in (project["dependencies"], *extras.values()) for each in listed}
    installed = packages_distributions()

    def known(top: str) -> bool:
        if top in sys.stdlib_module_names or top in {"dpcert", *WHERE_PRESENT}:
            return True
        return any(distribution(name) in declared for name in installed.get(top, ()))

    found = {(name, target) for name, path in modules(clone) for target in imported(path)}
    assert len(found) > len(LAYERS)
    assert sorted((name, target) for name, target in found if not known(target.partition(".")[0])) == []


def test_no_module_names_a_folder_beside_the_clone(clone: Path) -> None:
    texts = [
        (name, node.value)
        for name, path in modules(clone)
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert texts
    assert [(name, text) for name, text in texts if "../" in text or "shared/" in text] == []
