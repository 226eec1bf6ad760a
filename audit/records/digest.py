"""Where a result comes from: the digest of the source, the location of the target, the versions that ran."""

import hashlib
import inspect
import os
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from dpcert.audit.entries import version
from dpcert.audit.errors import one_line
from dpcert.audit.kernels.label import all_parameters, in_full

if TYPE_CHECKING:
    from dpcert.audit.records.contract import LocationDocument, ProvenanceDocument, SubjectDocument

MOST_CODE = 20_000
"""Characters of the user's code that a record holds."""
MOST_DEFINITIONS = 64
"""Definitions whose places are remembered, so that a file is not parsed anew for each record."""
MOST_ABOUT = 300
"""Characters of a docstring's first paragraph that a record holds."""
NOT_READ = (OSError, TypeError, SyntaxError, IndexError)
"""What Python says of source that it cannot find."""
LIBRARIES = ("dpcert", "numpy", "python-flint", "matplotlib")


def source(mechanism: object, arguments: Mapping[str, Any] | None = None) -> str:
    """SHA-256 over the file in which a user wrote the mechanism, and its parameters; `arguments` are a factory's."""
    path = _file(mechanism)
    content = b"" if path is None else path.read_bytes()
    known = all_parameters(mechanism, arguments or {})
    parameters = "\n".join(f"{name}={in_full(value)}" for name, value in known.items())
    parts = "".join(f"\0{name}={_part(value)}" for name, value in known.items() if _part(value))
    return _sha256(content + b"\0" + (parameters + parts).encode())


def _part(value: object) -> str:
    """What a parameter that is a mechanism or a function itself is made of; nothing for any other."""
    if inspect.isfunction(value):
        held = [cell.cell_contents for cell in value.__closure__ or ()]
        return "\n".join([_text(value), *map(in_full, (*held, *(value.__defaults__ or ())))])
    return source(value) if is_dataclass(value) and hasattr(value, "alphabet") else ""


def _text(function: FunctionType) -> str:
    """The source text of a function; its code where there is none to read."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = function.__code__
        return in_full((code.co_code.hex(), code.co_names, code.co_consts))


def location(mechanism: object) -> "LocationDocument":
    """File, relative to the working directory, and line of what a user wrote; null where unknown."""
    path = _file(mechanism)
    if path is None:
        return {"file": None, "line": None}
    try:
        line = _place(_written(mechanism))[1] + 1
    except NOT_READ:
        line = None
    return {"file": os.path.relpath(path.resolve()), "line": line}


def subject(mechanism: object) -> "SubjectDocument":
    """What a user wrote, for whoever reads the report: the first paragraph of its docstring, and its code."""
    code = textwrap.dedent(_code(mechanism)) if _file(mechanism) is not None else ""
    return {"about": _about(_written(mechanism)), "code": code[:MOST_CODE], "cut": len(code) > MOST_CODE}


def _about(definition: object) -> str:
    """The first paragraph of a docstring on one line; nothing of one that dataclasses make up."""
    documented = inspect.cleandoc(getattr(definition, "__doc__", None) or "")
    first = " ".join(documented.partition("\n\n")[0].split())
    made_up = first.startswith(f"{getattr(definition, '__name__', '')}(")
    return "" if made_up else one_line(first, MOST_ABOUT)


def _code(mechanism: object) -> str:
    """What a user wrote; nothing where it cannot be read."""
    try:
        lines, first = _place(inspect.unwrap(_written(mechanism)))
        return "".join(inspect.getblock(lines[first:]))
    except NOT_READ:
        return ""


class Definition:
    """A class or function of a user's as itself, whatever it says of what it equals."""

    def __init__(self, it: Any) -> None:
        self.it = it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Definition) and self.it is other.it

    def __hash__(self) -> int:
        return id(self.it)


def _place(it: Any) -> tuple[Sequence[str], int]:
    """The lines of a definition's file, and which of them is its first. Raises: one of NOT_READ: it is not there."""
    file = Path(inspect.getfile(it)).stat()
    return _parsed(Definition(it), file.st_size, file.st_mtime_ns)


@lru_cache(maxsize=MOST_DEFINITIONS)
def _parsed(definition: Definition, size: int, changed: int) -> tuple[Sequence[str], int]:
    """The same of a file that is this large, and was changed then: Python parses all of it to find a class."""
    del size, changed
    return inspect.findsource(definition.it)


def provenance(seconds: float) -> "ProvenanceDocument":
    """Who computed it, when, with what and how long; the only part of a record that changes between runs."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "command": sys.argv[1:] if Path(sys.argv[0]).name == "dpcert" else [],
        "python": sys.version.split()[0],
        "platform": _platform(),
        "versions": dict(_versions()),
    }


@cache
def _platform() -> str:
    """What `platform.platform` says; on Linux without starting a program to learn the kind of processor, which it does.

    A system without glibc says no more than its kernel here.
    """
    libc = os.confstr("CS_GNU_LIBC_VERSION") if sys.platform == "linux" else None
    if libc is not None:
        kernel = os.uname()
        return f"{kernel.sysname}-{kernel.release}-{kernel.machine}-with-{libc.replace(' ', '')}"
    from platform import platform

    return platform()


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    return tuple((name, version(name)) for name in LIBRARIES)


def _file(mechanism: object) -> Path | None:
    try:
        path = Path(inspect.getfile(_written(mechanism)))
    except (OSError, TypeError):
        return None
    return path if path.is_file() else None  # what is typed in, or run from standard input, has none


def _written(mechanism: Any) -> Any:
    """The class or function that a user wrote: a mechanism made from another thing names it as `__wrapped__`."""
    inner = inspect.unwrap(mechanism)
    while isinstance(inner, partial):
        inner = inspect.unwrap(inner.func)
    return inner if issubclass(type(inner), type) or inspect.isroutine(inner) else type(inner)


def _sha256(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()
