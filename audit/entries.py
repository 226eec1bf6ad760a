"""What is installed under an entry-point group, and what it says of itself before anything of it is loaded.

Both are read from files as they lie, since every command waits for it: `importlib.metadata`, which reads half of the
standard library, is asked only where packages lie otherwise than in folders.
"""

import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from inspect import cleandoc
from typing import Any, NamedTuple

TARGETS = "dpcert.targets"
BROKEN = "dpcert.targets.broken"
COMMANDS = "dpcert.commands"
CASES = "dpcert.cases"
"""What decides a case of a suite that names a command: a function of the case that gives a `dpcert.case/1` document."""
_OURS = f"{__name__.partition('.')[0]}."
_ABOUT = (".dist-info", ".egg-info")


class InstalledEntry(NamedTuple):
    """An entry point: a name, and `module:name` of what it stands for."""

    name: str
    value: str
    group: str

    @property
    def module(self) -> str:
        """The module in which that stands."""
        return self.value.partition("[")[0].partition(":")[0].strip()

    @property
    def attr(self) -> str:
        """Its name there."""
        return self.value.partition("[")[0].partition(":")[2].strip()

    def load(self) -> Any:
        """The thing itself; its module is imported for it."""
        found: Any = import_module(self.module)
        for part in filter(None, self.attr.split(".")):
            found = getattr(found, part)
        return found


def entries(group: str) -> dict[str, InstalledEntry]:
    """The installed entries of a group by name, sorted; any package may add to it."""
    installed = _installed(tuple((at, _changed(at)) for at in sys.path))
    return {entry.name: entry for entry in sorted(installed, key=lambda entry: entry.name) if entry.group == group}


@lru_cache(maxsize=2)
def _installed(folders: tuple[tuple[str, int], ...]) -> tuple[InstalledEntry, ...]:
    """All entries of all groups, read once for the folders of packages as they are: every audit asks for several."""
    paths = [at or os.curdir for at, _ in folders]
    finders = [finder for finder in sys.meta_path if finder is not PathFinder]
    if any(hasattr(finder, "find_distributions") for finder in finders) or any(map(_is_packed, paths)):
        return _installed_anywhere()
    by_package: dict[str, tuple[InstalledEntry, ...]] = {}
    for path in paths:
        for package, told in _packages(path):
            if package not in by_package:
                by_package[package] = tuple(_listed(told))
    return tuple(entry for listed in by_package.values() for entry in listed)


def _installed_anywhere() -> tuple[InstalledEntry, ...]:
    """All entries of all groups, wherever packages lie; of two packages of one name those of the first."""
    from importlib.metadata import distributions

    by_package: dict[str, tuple[InstalledEntry, ...]] = {}
    for package in distributions():
        name = (package.name or "").lower().replace("-", "_").replace(".", "_")
        if name not in by_package:
            by_package[name] = tuple(InstalledEntry(one.name, one.value, one.group) for one in package.entry_points)
    return tuple(entry for listed in by_package.values() for entry in listed)


def version(package: str) -> str:
    """The version of an installed package, read from the name of the folder in which it says what it is.

    Raises: importlib.metadata.PackageNotFoundError: it is not installed.

    >>> version("numpy").count(".")
    2
    """
    normal_name = package.lower().replace("-", "_").replace(".", "_")
    for folder in sys.path:
        for found, told in () if _is_packed(folder) else _packages(folder or os.curdir):
            said = os.path.basename(os.path.dirname(told))
            if found == normal_name and said.endswith(".dist-info") and said.count("-") == 2:
                return said.removesuffix(".dist-info").partition("-")[2]
    from importlib.metadata import version as installed  # where packages lie otherwise

    return installed(package)


def _is_packed(path: str) -> bool:
    """Whether what stands on the path is an archive."""
    return path.endswith(".egg") or os.path.isfile(path)


def _packages(folder: str) -> Iterator[tuple[str, str]]:
    """The packages of a folder, by normalised name, and where each tells its entries."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        low = name.lower()
        if low.endswith(_ABOUT):
            package = low.rpartition(".")[0].partition("-")[0]
            yield package.replace(".", "_"), os.path.join(folder, name, "entry_points.txt")


def _listed(file: str) -> Iterator[InstalledEntry]:
    """The entries of one package: `[group]`, then lines `name = module:name`."""
    try:
        with open(file, encoding="utf-8") as stream:
            lines = [line.strip() for line in stream]
    except (OSError, UnicodeDecodeError):
        return
    group = ""
    for line in lines:
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1]
        elif group and line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield InstalledEntry(name.strip(), value.strip(), group)


def _changed(folder: str) -> int:
    """When what a folder holds last changed; 0 where it cannot be told."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except (OSError, ValueError):
        return 0


def built_in() -> dict[str, InstalledEntry]:
    """The installed targets by name; any package may add to the entry-point group `dpcert.targets`."""
    return entries(TARGETS)


def broken() -> dict[str, InstalledEntry]:
    """The deliberate faults by name, each with its repaired twin."""
    return entries(BROKEN)


def docstring(entry: InstalledEntry) -> str | None:
    """What a class or function of ours says of itself, read from its source; None where it has to be loaded for that.

    Other packages' entries have to be: only their own code tells what it says, and whether it loads.
    """
    if not entry.module.startswith(_OURS):
        return None
    file = os.path.join(os.path.dirname(sys.modules[_OURS[:-1]].__file__ or ""), *entry.module.split(".")[1:]) + ".py"
    try:
        with open(file, encoding="utf-8") as stream:
            said = _documented(stream.read(), entry.attr)
    except OSError:
        said = None
    return _parsed(entry) if said is None else said


def _documented(source: str, name: str) -> str | None:
    """The docstring of a class or function that begins a line, as plain text; None where that is not so plain."""
    heads = (f"\ndef {name}(", f"\nclass {name}(", f"\nclass {name}:")
    at = next((place for place in map(source.find, heads) if place >= 0), None)
    if at is None:
        return None
    lines = iter(source[at + 1 :].splitlines())
    for number, line in enumerate(lines):
        if line.endswith(":") and (not number or line.startswith(")")):
            break
    opening = next(lines, "").strip()
    if not opening.startswith('"""'):
        return None
    doc_lines = [opening[3:]]
    for line in lines if '"""' not in opening[3:] else ():
        doc_lines.append(line)
        if '"""' in line:
            break
    text, closed, _ = "\n".join(doc_lines).partition('"""')
    return cleandoc(text) if closed and "\\" not in text else None


def _parsed(entry: InstalledEntry) -> str | None:
    """The docstring as Python's parser finds it."""
    import ast  # only where no line begins with it

    source = _source(entry.module)
    for node in ast.parse(source).body if source is not None else ():
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == entry.attr:
            return ast.get_docstring(node)
    return None


def _source(module: str) -> str | None:
    """The text of a module that is not run for it; None where there is no such text.

    Whoever loads modules (pytest has a loader of its own), the text stands in the file.
    """
    from importlib.util import find_spec
    from pathlib import Path

    try:
        spec = find_spec(module)
        if spec is None:
            return None
        loader: Any = spec.loader
        if hasattr(loader, "get_source"):
            text: str | None = loader.get_source(module)
            return text
        return None if spec.origin is None else Path(spec.origin).read_text(encoding="utf-8")
    except (ImportError, OSError):
        return None
