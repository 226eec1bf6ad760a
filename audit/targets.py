"""Mechanisms by target string: a built-in name, `package.module:Name`, or `path/to/file.py:Name`."""

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_origin, get_type_hints

from dpcert.audit.answering import answering, place_of
from dpcert.audit.errors import ArgumentError, TargetError, expected, one_line
from dpcert.audit.rational import parse

GROUP = "dpcert.targets"
BROKEN = "dpcert.targets.broken"


@dataclass(frozen=True)
class Target:
    """A mechanism with the name that a report gives it."""

    name: str
    mechanism: object


def built_in() -> dict[str, EntryPoint]:
    """The installed targets by name; any package may add to the entry-point group `dpcert.targets`."""
    return _entries(GROUP)


def broken() -> dict[str, EntryPoint]:
    """The deliberate faults by name, each with its repaired twin."""
    return _entries(BROKEN)


def _entries(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}


def built_in_name(mechanism: object) -> str | None:
    """The name under which the mechanism's class is installed, if it is."""
    kind = type(mechanism)
    value = f"{kind.__module__}:{kind.__qualname__}"
    return next((name for name, entry in (built_in() | broken()).items() if entry.value == value), None)


def find(target: str, parameters: Mapping[str, str]) -> Target:
    """The mechanism that `target` names, built with `parameters` where it takes any.

    Raises: TargetError: nothing there, it does not import, or the parameters do not fit.
    """
    made = _object(target)
    if isinstance(made, type) or (callable(made) and not hasattr(made, "law")):
        return Target(target, _built(made, target, parameters))
    if parameters:
        raise TargetError(
            f"Expected no --param for {one_line(target)}, which is an instance, but got {_listed(parameters)}"
        )
    return Target(target, made)


def relation(adjacency: str | None) -> Any:
    """What `--adjacency` names: the name of a relation of ours, or the user's by file.py:Name or package.module:Name.

    A class is called without arguments. A file that the target was read from is not read again.
    """
    if adjacency is None or not (":" in adjacency or adjacency.endswith(".py")):
        return adjacency
    made = _object(adjacency, again=False)
    if not isinstance(made, type) and (hasattr(made, "legal") or not callable(made)):
        return made
    return _built(made, adjacency, {})


def _object(target: str, *, again: bool = True) -> Any:
    place, colon, name = target.rpartition(":")
    if not colon:
        entries = built_in()
        if target in entries or target in broken():
            entries = broken() | entries
            return _loaded(entries[target])
        raise TargetError(_unknown(target, list(entries)))
    if not name or not place:
        raise TargetError(f"Expected file.py:Name or package.module:Name but got target={one_line(target)!r}")
    module = _from_file(Path(place), again) if place.endswith(".py") else _from_module(place)
    try:
        return getattr(module, name)
    except AttributeError:
        raise TargetError(
            f"Expected a name defined in {one_line(place)} but got {one_line(name)!r}{_hint(name, _public(module))}"
        ) from None


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        raise TargetError(
            f"The target {entry.name} does not load: {type(error).__name__}: {one_line(str(error))}"
        ) from error


def _unknown(target: str, known: list[str]) -> str:
    if target.endswith(".py"):
        names = _classes(Path(target))
        listed = f"; it defines {', '.join(names)}" if names else ""
        return f"Expected file.py:Name but got target={one_line(target)!r} without a name{listed}"
    hint = _hint(target, known) or f"; built in: {', '.join(known)}"
    return f"Expected a built-in target, package.module:Name or file.py:Name but got target={one_line(target)!r}{hint}"


def _hint(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _public(module: ModuleType) -> list[str]:
    return [name for name in vars(module) if not name.startswith("_")]


def _classes(path: Path) -> list[str]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return []
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def _from_file(path: Path, again: bool) -> ModuleType:
    """The module in a file; its folder goes to the end of the import path, so that nothing of ours is shadowed."""
    if not path.is_file():
        raise TargetError(f"Expected a Python file but got path={one_line(str(path))!r}, which is no file")
    _append_to_path(str(path.resolve().parent))
    name = f"dpcert_target_{path.stem}"
    before = sys.modules.get(name)
    if before is not None and not again and Path(before.__file__ or "").resolve() == path.resolve():
        return before
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"Expected a Python file but got path={one_line(str(path))!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise TargetError(_import_failure(str(path), error)) from error
    return module


def _append_to_path(folder: str) -> None:
    """At the end, so that nothing installed is shadowed."""
    if folder not in sys.path:
        sys.path.append(folder)


def _from_module(name: str) -> ModuleType:
    _append_to_path(str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise TargetError(_import_failure(name, error)) from error


def _import_failure(place: str, error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        what, where = error.msg, f" ({one_line(str(error.filename))}:{error.lineno})"
    else:
        what, where = str(error), place_of(error)
    return f"{one_line(place)} does not import: {type(error).__name__}: {one_line(what)}{where}"


def _built(factory: Any, target: str, parameters: Mapping[str, str]) -> object:
    accepted = _parameters(factory)
    unknown = [name for name in parameters if accepted is not None and name not in accepted]
    if unknown:
        known = ", ".join(accepted or {}) or "none"
        raise TargetError(
            f"Expected a parameter of {one_line(target)} ({known}) but got {_listed(unknown)}"
            f"{_hint(unknown[0], list(accepted or {}))}"
        )
    missing = [
        name for name, p in (accepted or {}).items() if p.default is inspect.Parameter.empty and name not in parameters
    ]
    if missing:
        raise TargetError(f"Expected --param for {_listed(missing)}: {one_line(target)} needs {_needs(missing)}")
    hints = _hints(factory)
    values = {name: converted(text, hints.get(name), name) for name, text in parameters.items()}
    if str(getattr(factory, "__module__", "")).startswith(f"{__name__.partition('.')[0]}."):
        return factory(**values)  # a mechanism of ours says itself, in one line, what it expected
    with answering(one_line(getattr(factory, "__name__", target))):
        return factory(**values)


def _needs(missing: list[str]) -> str:
    return "this parameter" if len(missing) == 1 else "these parameters"


def _listed(names: Any) -> str:
    return ", ".join(one_line(str(name)) for name in names)


def _parameters(factory: Any) -> dict[str, inspect.Parameter] | None:
    """The parameters that can be given by name; None where anything goes or nothing is known."""
    try:
        listed = inspect.signature(factory).parameters
    except (TypeError, ValueError):
        return None
    kinds = {p.kind for p in listed.values()}
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return None
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name: p for name, p in listed.items() if p.kind in by_name}


def _hints(factory: Any) -> dict[str, Any]:
    try:
        return get_type_hints(vars(factory).get("__init__", factory) if isinstance(factory, type) else factory)
    except Exception:  # noqa: BLE001 - annotations are the user's and may not resolve; the text is then read by its looks
        return {}


def converted(text: str, hint: Any, name: str) -> Any:
    """The value of `--param name=text` for a parameter annotated with `hint`.

    Tuples are written with commas, tuples of tuples with semicolons between the rows.

    >>> converted("1/2,1/3", tuple[Fraction, ...], "first")
    (Fraction(1, 2), Fraction(1, 3))
    """
    if get_origin(hint) is tuple:
        inner = (get_args(hint) or (None,))[0]
        separator = ";" if get_origin(inner) is tuple else ","
        return tuple(converted(part, inner, name) for part in text.split(separator) if part.strip())
    if hint is str:
        return text
    if hint is bool:
        if text.lower() not in {"true", "false"}:
            raise expected("true or false", **{name: text})
        return text.lower() == "true"
    if hint is int or hint is Fraction:
        number = parse(text, name)
        if hint is Fraction:
            return number
        if number.denominator != 1:
            raise expected("a whole number", **{name: text})
        return int(number)
    return _by_looks(text, name)


def _by_looks(text: str, name: str) -> Any:
    try:
        number = parse(text, name)
    except ArgumentError:
        if "/" in text and text.replace("/", "").isdigit():
            raise
        return text
    return int(number) if number.denominator == 1 and "/" not in text and "." not in text else number
