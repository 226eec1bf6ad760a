"""Mechanisms by target string: a built-in name, `package.module:Name`, or `path/to/file.py:Name`."""

import ast
import importlib
import importlib.util
import os
import sys
from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from dpcert.audit.entries import InstalledEntry, broken, built_in
from dpcert.audit.errors import TargetError, one_line
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.border import answering, described, has, name_of, passes, place_of
from dpcert.audit.kernels.parameters import listed, read, whole
from dpcert.audit.kernels.protocol_kind import spoken
from dpcert.audit.outside.staying import staying

_APPENDED: list[str] = []


@frozen
class Target:
    """A mechanism with the name that a report gives it, and the parameters that its class or factory was given."""

    name: str
    mechanism: Any
    parameters: Mapping[str, Any] = field(default_factory=dict)


def built_in_name(mechanism: object) -> str | None:
    """The name under which the mechanism's class is installed, if it is."""
    kind = type(mechanism)
    value = f"{kind.__module__}:{kind.__qualname__}"
    return next((name for name, entry in (built_in() | broken()).items() if entry.value == value), None)


@staying()
def find(target: str, parameters: Mapping[str, str]) -> Target:
    """The mechanism that `target` names, built with `parameters` where it takes any.

    Raises: TargetError: nothing there, it does not import, or the parameters do not fit.
    """
    target_object = _object(target)
    if issubclass(type(target_object), type) or (callable(target_object) and not spoken(target_object)):
        return Target(target, *_built(target_object, target, parameters))
    if parameters:
        raise TargetError(
            f"Expected no --param for {one_line(target)}, which is an instance, but got {listed(parameters)}"
        )
    return Target(target, target_object)


@staying()
def named(target: str) -> Any:
    """What `target` names, as it stands there: nothing is built.

    Raises: TargetError: nothing there, or it does not import.
    """
    return _object(target)


@staying()
def relation(adjacency: str | None) -> Any:
    """What `--adjacency` names: the name of a relation of ours, or the user's by file.py:Name or package.module:Name.

    A class is called without arguments. A file that the target was read from is not read again.
    """
    if adjacency is None or not (":" in adjacency or adjacency.endswith(".py")):
        return adjacency
    made = _object(adjacency, again=False)
    if not isinstance(made, type) and (has(made, "legal") or not callable(made)):
        return made
    return _built(made, adjacency, {})[0]


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
    with answering(f"{one_line(place)}.__getattr__"):
        try:
            return getattr(module, name)
        except AttributeError:
            pass
    raise TargetError(
        f"Expected a name defined in {one_line(place)} but got {one_line(name)!r}{_hint(name, _public(module))}"
    )


def _loaded(entry: InstalledEntry) -> Any:
    try:
        return entry.load()
    except BaseException as error:
        if passes(error):
            raise
        raise TargetError(f"The target {entry.name} does not load: {described(error)}{place_of(error)}") from error


def _unknown(target: str, built_ins: list[str]) -> str:
    if target.endswith(".py"):
        names = _classes(Path(target))
        listed = f"; it defines {', '.join(names)}" if names else ""
        return f"Expected file.py:Name but got target={one_line(target)!r} without a name{listed}"
    hint = _hint(target, built_ins) or f"; built in: {', '.join(built_ins)}"
    return f"Expected a built-in target, package.module:Name or file.py:Name but got target={one_line(target)!r}{hint}"


def _hint(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

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


class _AsWritten(SourceFileLoader):
    """Reads a file as it stands: bytecode that is kept is told from that of an edit by whole seconds and its size."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file's text."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def _from_file(path: Path, again: bool) -> ModuleType:
    """The module in a file; its folder goes to the end of the import path, so that nothing of ours is shadowed."""
    if not _is_file(path):
        raise TargetError(f"Expected a Python file but got path={one_line(str(path))!r}, which is no file")
    append_to_path(str(path.resolve().parent))
    name = f"dpcert_target_{path.stem}"
    before = sys.modules.get(name)
    if before is not None and not again and Path(before.__file__ or "").resolve() == path.resolve():
        return before
    spec = importlib.util.spec_from_file_location(name, path, loader=_AsWritten(name, str(path)))
    if spec is None or spec.loader is None:
        raise TargetError(f"Expected a Python file but got path={one_line(str(path))!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        sys.modules.pop(name, None)
        if passes(error):
            raise
        raise TargetError(_import_failure(str(path), error)) from error
    return module


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # where `Path.is_file` raises of a name too long, or of a folder without access


def append_to_path(folder: str) -> None:
    """At the end of the import path, so that nothing installed is shadowed."""
    if folder not in sys.path:
        sys.path.append(folder)
        _APPENDED.append(folder)


def appended() -> tuple[str, ...]:
    """The folders that were put at the end of the import path, in order: another interpreter needs them as well."""
    return tuple(_APPENDED)


def _from_module(name: str) -> ModuleType:
    append_to_path(str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except BaseException as error:
        if passes(error):
            raise
        raise TargetError(_import_failure(name, error)) from error


def _import_failure(place: str, error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        kind = name_of(error)
        what, where = f"{kind}: {one_line(str(error.msg))}", f" ({one_line(str(error.filename))}:{error.lineno})"
    else:
        what, where = described(error), place_of(error)
    return f"{one_line(place)} does not import: {what}{where}"


def _built(factory: Any, target: str, parameters: Mapping[str, str]) -> tuple[Any, dict[str, Any]]:
    """What a class or factory gives, and all its parameters with their values."""
    values = read(factory, target, parameters)
    shown = {field.name for field in fields(factory)} if is_dataclass(factory) else set()  # with their defaults
    arguments = {name: value for name, value in whole(factory, values).items() if name in values or name not in shown}
    if str(getattr(factory, "__module__", "")).startswith(f"{__name__.partition('.')[0]}."):
        return factory(**values), arguments  # a mechanism of ours says itself, in one line, what it expected
    with answering(one_line(str(getattr(factory, "__name__", target))), factory):
        return factory(**values), arguments
