"""The border to the user's code: what it raises and returns becomes one line with the user's file and line."""

import inspect
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpcert.audit.errors import DpcertError, MechanismError, OutOfBudget, one_line
from dpcert.audit.limits import asking
from dpcert.audit.outside import watched


def name_of(mechanism: object) -> str:
    """The name a report gives to a mechanism: its class, on one line."""
    return one_line(type(mechanism).__name__)


_AUDIT = Path(__file__).resolve().parent


@contextmanager
def answering(member: str, function: object = None) -> Iterator[None]:
    """Turns whatever the user's `Class.member` raises into one line with the user's file and line.

    Where none of the user's frames is left, the line is where `function` stands. That the budget ended is no fault of
    theirs, and passes.
    """
    try:
        with watched(member), asking():
            yield
    except OutOfBudget:
        raise
    except MechanismError as error:
        if error.placed:
            raise
        raise _placed(str(error), error, function) from error
    except (Exception, SystemExit) as error:
        raise _placed(f"{member} raised {_described(error)}", error, function) from error


def _placed(text: str, error: BaseException, function: object) -> MechanismError:
    placed = MechanismError(f"{text}{place_of(error) or stands(function)}")
    placed.placed = True
    return placed


def _described(error: BaseException) -> str:
    text = one_line(str(error))
    if isinstance(error, DpcertError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place_of(error: BaseException) -> str:
    """` (file:line)` of the innermost frame that is neither ours nor a library's; empty if there is none."""
    own = [f for f in traceback.extract_tb(error.__traceback__) if not (_ours(f.filename) or _library(f.filename))]
    return f" ({shown_path(own[-1].filename)}:{own[-1].lineno})" if own else ""


def stands(function: object) -> str:
    """` (file:line)` of a function's definition, or of a class's `__init__`; empty where it is not known."""
    function = inspect.unwrap(function) if callable(function) else function
    code = getattr(function, "__code__", None) or getattr(getattr(function, "__init__", None), "__code__", None)
    return "" if code is None else f" ({shown_path(code.co_filename)}:{code.co_firstlineno})"


def shown_path(filename: str) -> str:
    """A path relative to the working directory where it lies below it."""
    path = Path(filename)
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except ValueError:
        return str(path)


def _ours(filename: str) -> bool:
    return _AUDIT in Path(filename).resolve().parents


def _library(filename: str) -> bool:
    compiled = filename.startswith("<") or filename.endswith(".pyx")
    return compiled or "site-packages" in filename or str(Path(traceback.__file__).parent) in filename
