"""What is installed under an entry-point group, and what it says of itself before anything of it is loaded."""

import ast
import os
import sys
from functools import lru_cache
from importlib.abc import InspectLoader
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

TARGETS = "dpcert.targets"
BROKEN = "dpcert.targets.broken"
COMMANDS = "dpcert.commands"
CASES = "dpcert.cases"
"""What decides a case of a suite that names a command: a function of the case that gives a `dpcert.case/1` document."""
_OURS = f"{__name__.partition('.')[0]}."


def entries(group: str) -> dict[str, EntryPoint]:
    """The installed entries of a group by name, sorted; any package may add to it."""
    installed = _installed(tuple((at, _changed(at)) for at in sys.path))
    return {entry.name: entry for entry in sorted(installed.select(group=group), key=lambda entry: entry.name)}


@lru_cache(maxsize=2)
def _installed(_folders: tuple[tuple[str, int], ...]) -> Any:
    """All entries of all groups, read once for the folders of packages as they are: every audit asks for several."""
    return entry_points()


def _changed(folder: str) -> int:
    """When what a folder holds last changed; 0 where it cannot be told."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except (OSError, ValueError):
        return 0


def built_in() -> dict[str, EntryPoint]:
    """The installed targets by name; any package may add to the entry-point group `dpcert.targets`."""
    return entries(TARGETS)


def broken() -> dict[str, EntryPoint]:
    """The deliberate faults by name, each with its repaired twin."""
    return entries(BROKEN)


def docstring(entry: EntryPoint) -> str | None:
    """What a class or function of ours says of itself, read from its source; None where it has to be loaded for that.

    Other packages' entries have to be: only their own code tells what it says, and whether it loads.
    """
    if not entry.module.startswith(_OURS):
        return None
    source = _source(entry.module)
    for node in ast.parse(source).body if source is not None else ():
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == entry.attr:
            return ast.get_docstring(node)
    return None


def _source(module: str) -> str | None:
    """The text of a module that is not run for it; None where there is no such text.

    Whoever loads modules (pytest has a loader of its own), the text stands in the file.
    """
    try:
        spec = find_spec(module)
        if spec is None:
            return None
        if isinstance(spec.loader, InspectLoader):
            return spec.loader.get_source(module)
        return None if spec.origin is None else Path(spec.origin).read_text(encoding="utf-8")
    except (ImportError, OSError):
        return None
