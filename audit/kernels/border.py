"""The border to the user's code: what it raises and returns becomes one line with the user's file and line."""

import inspect
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpcert.audit.errors import DpcertError, MechanismError, one_line
from dpcert.audit.frozen import frozen
from dpcert.audit.limits import asking
from dpcert.audit.outside.watching import watched


def name_of(mechanism: object) -> str:
    """The name a report gives to a mechanism: its class, on one line."""
    return one_line(_NAME.__get__(type(mechanism)))


_PACKAGE = __name__.partition(".")[0]
_NAME: Any = vars(type)["__name__"]
"""A class's own name; a metaclass may answer otherwise, or not at all."""
_MISSING = object()


@contextmanager
def answering(member: str, *functions: object) -> Iterator[None]:
    """Turns whatever the user's `Class.member` raises into one line with the user's file and line.

    Where none of the user's frames is left, the line is where the first of `functions` stands that is known. That the
    budget ended is no fault of theirs, and passes, as interrupts do.
    """
    try:
        with watched(member), asking():
            yield
    except MechanismError as error:
        if error.placed:
            raise
        raise placed(str(error), error, *functions) from error
    except BaseException as error:
        if passes(error):
            raise
        what = f": {error}" if isinstance(error, DpcertError) else f" raised {described(error)}"
        raise placed(f"{member}{what}", error, *functions) from error


def passes(error: BaseException) -> bool:
    """Whether it is none of the user's errors: an interrupt, a signal of ours, or the end of a generator of ours."""
    ours = type(error).__module__.startswith(f"{_PACKAGE}.") and not isinstance(error, Exception)
    return ours or isinstance(error, KeyboardInterrupt) or (isinstance(error, GeneratorExit) and not place_of(error))


def placed(text: str, error: BaseException, *functions: object) -> MechanismError:
    """The error of a text with a place behind it: of the user's innermost frame, else where one of `functions` is."""
    stood = place_of(error) or next((where for where in map(stands, functions) if where), "")
    made = MechanismError(f"{text}{stood}")
    made.placed = stood != ""
    return made


@contextmanager
def placing(mechanism: object) -> Iterator[None]:
    """An error about the mechanism that names no place names where its class stands."""
    try:
        yield
    except MechanismError as error:
        if error.placed:
            raise
        raise placed(str(error), error, type(mechanism)) from error


def member(mechanism: object, name: str, default: Any = None) -> Any:
    """An optional attribute of the user's; what is there and fails, with whatever error, is not taken to be missing.

    Raises: MechanismError: it is there and cannot be read.
    """
    definition = static(mechanism, name)
    with answering(f"{name_of(mechanism)}.{name}", definition, type(mechanism)):
        try:
            return getattr(mechanism, name)
        except AttributeError as error:
            if definition is not _MISSING or error.name not in (None, name):  # the same name: it was handed on
                raise
    return default


def has(mechanism: object, name: str) -> bool:
    """Whether an attribute of the user's is there. Raises: MechanismError: it is, and cannot be read."""
    return member(mechanism, name, _MISSING) is not _MISSING


def static(mechanism: object, name: str) -> object:
    """What stands under a name, found without running anything of the user's; an object of its own for nothing."""
    try:
        return inspect.getattr_static(mechanism, name, _MISSING)
    except Exception:  # noqa: BLE001 - an object may have no usable dictionary; then the attribute itself tells
        return _MISSING


def has_statically(mechanism: object, name: str) -> bool:
    """Whether something stands under a name, found without running anything of the user's."""
    return static(mechanism, name) is not _MISSING


def described(error: BaseException) -> str:
    """Kind and text of an error, on one line, whatever its own methods do."""
    try:
        text = one_line(str(error))
    except Exception:  # noqa: BLE001 - the text of a user's error may fail in any way, and the error matters more
        text = ""
    if isinstance(error, DpcertError):
        return text
    kind = name_of(error)
    return f"{kind}: {text}" if text else kind


@frozen(slots=True)
class Frame:
    """Where code of the user's was: file, line, and `Class.function`."""

    filename: str
    line: int
    name: str


def frame_of(error: BaseException) -> Frame | None:
    """The innermost frame that is neither ours nor a library's, of the error or else of what it was raised from."""
    innermost, at = None, traceback.walk_tb(error.__traceback__)
    for frame, line in at:
        code = frame.f_code
        ours = str(frame.f_globals.get("__name__")).startswith(f"{_PACKAGE}.")
        if not (ours or _library(code.co_filename)):
            innermost = Frame(code.co_filename, line, code.co_qualname)
    cause = error.__cause__
    return innermost if innermost is not None or cause is None else frame_of(cause)


def place_of(error: BaseException) -> str:
    """` (file:line)` of the innermost frame that is neither ours nor a library's; empty if there is none."""
    frame = frame_of(error)
    return "" if frame is None else f" ({shown_path(frame.filename)}:{frame.line})"


def stands(definition: object) -> str:
    """` (file:line)` of the definition of a function, a property, a method or a class; empty where it is not known."""
    for name in ("func", "fget", "__func__", "__wrapped__"):
        inner = static(definition, name)
        if inner is not _MISSING and not isinstance(definition, type):
            return stands(getattr(definition, name))
    code = getattr(definition, "__code__", None)
    if code is not None and not isinstance(definition, type):
        if str(getattr(definition, "__module__", "")).startswith(f"{_PACKAGE}."):
            return ""
        return f" ({shown_path(code.co_filename)}:{code.co_firstlineno})"
    if not isinstance(definition, type):
        return ""
    try:
        return f" ({shown_path(inspect.getfile(definition))}:{inspect.getsourcelines(definition)[1]})"
    except (OSError, TypeError):
        return ""


def shown_path(filename: str) -> str:
    """A path relative to the working directory where it lies below it."""
    path = Path(filename)
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except (ValueError, OSError):  # elsewhere, or the folder is gone
        return str(path)


def _library(filename: str) -> bool:
    compiled = filename.startswith("<") or filename.endswith(".pyx")
    return compiled or "site-packages" in filename or str(Path(traceback.__file__).parent) in filename
