"""Where the law of a case stands: file, lines and columns, as other tools want them."""

import ast
import os
from functools import cache
from pathlib import Path

from dpcert.audit.frozen import frozen
from dpcert.audit.suites.outcome import CaseOutcome


@frozen
class SourcePlace:
    """A piece of a source file; lines and columns are counted from 1, the last column is the one behind the text.

    Attributes:
        file: Relative to the working directory where it lies below it, with slashes; else absolute.
        path: The file itself.
        line: The first line.
        column: The first column.
        end_line: The last line.
        end_column: Behind the last column.
    """

    file: str
    path: Path
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def below(self) -> bool:
        """Whether it lies below the working directory."""
        return not os.path.isabs(self.file)


def place_of(outcome: CaseOutcome) -> SourcePlace | None:
    """Where the mechanism of a case was written; of a case without a record, its target's file.

    None where neither is a file, as for a target of an installed package that cannot be loaded.
    """
    location = outcome.document["location"] if outcome.document is not None else {"file": None, "line": None}
    file, line = location["file"], location["line"]
    if file is None:
        place = outcome.case.place.rpartition(":")[0]
        if not (place.endswith(".py") and os.path.isfile(place)):
            return None
        file = place
    return at(os.path.abspath(file), line or 1)


def at(file: str, line: int) -> SourcePlace:
    """The line of a file, from its first character that is no space to its end; of a decorated class its own line."""
    path = Path(os.path.realpath(file))
    here = Path(os.path.realpath(os.curdir))
    name = path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()
    text = _text(path)
    lines = text.split("\n")
    number = _headings(text).get(line, line)
    shown = lines[number - 1] if number <= len(lines) else ""
    start = len(shown) - len(shown.lstrip())
    return SourcePlace(name, path, number, start + 1, number, max(start + 1, len(shown.rstrip())) + 1)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


@cache
def _headings(text: str) -> dict[int, int]:
    """The line on which a decorated class or function itself begins, by the line of its first decorator."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    kinds = (ast.ClassDef, ast.FunctionDef)
    return {
        node.decorator_list[0].lineno: node.lineno
        for node in ast.walk(tree)
        if isinstance(node, kinds) and node.decorator_list
    }
