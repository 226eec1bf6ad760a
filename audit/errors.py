"""Errors that reach users: one line each, what was expected and what came under which name."""

import os
from fractions import Fraction
from pathlib import Path

_AUDIT = tuple({f"{folder}{os.sep}" for folder in (Path(__file__).parent, Path(__file__).resolve().parent)})
"""The folder of our own code, as it was loaded and where it lies."""
INTERRUPTED = "interrupted"
_MOST_SHOWN = 10_000
"""Bits of a number past which Python does not write it out (4,300 digits are 14,284 bits)."""


def is_of_audit(file: str) -> bool:
    """Whether a file is of our own code, whose lines are never a user's.

    >>> is_of_audit(__file__), is_of_audit("/home/me/dpcert/audit/mine.py")
    (True, False)
    """
    return file.startswith(_AUDIT)


class DpcertError(Exception):
    """Anything dpcert refuses; its text is one line for a user.

    Source: none; ours.

    >>> issubclass(ArgumentError, DpcertError)
    True
    """


class ArgumentError(DpcertError, ValueError):
    """An argument outside its domain; a ValueError as well.

    Source: none; ours.

    >>> isinstance(expected("a positive number", x=0), ValueError)
    True
    """


class TargetError(DpcertError):
    """A target string that names no usable mechanism.

    Source: none; ours.

    >>> from dpcert.audit.kernels.targets import find
    >>> find("no-such-target", {})
    Traceback (most recent call last):
    dpcert.audit.errors.TargetError: Expected ...
    """


class MechanismError(DpcertError):
    """The user's mechanism raised, or answered with something that is not a law; names its file and line.

    Source: none; ours.

    >>> from dpcert import Session
    >>> Session("no mechanism")
    Traceback (most recent call last):
    dpcert.audit.errors.MechanismError: Expected a mechanism ...
    """

    placed: bool = False
    """Whether file and line were looked for; the innermost place, which is looked for first, stays."""


class OutputError(DpcertError):
    """A result that could not be written where it was asked for."""


class ReplayError(Exception):
    """An extracted adversary did not give the number that the solver claims: a fault of dpcert, never of a user."""


class Stopped(BaseException):
    """The end of the work in hand: a bound on it was met, or an interrupt came; `reason` says which, in words.

    No Exception, so that a user's code that catches all of those does not catch it.

    >>> Stopped("--max-seconds 1 was reached").reason
    '--max-seconds 1 was reached'
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Interrupted(Stopped, KeyboardInterrupt):
    """The end of the work by an interrupt: what the command makes of one, where Python has a KeyboardInterrupt."""

    def __init__(self) -> None:
        super().__init__(INTERRUPTED)


def expected(what: str, **values: object) -> ArgumentError:
    """The error "Expected WHAT but got name=value".

    >>> str(expected("a whole number of at least 1", horizon=0))
    'Expected a whole number of at least 1 but got horizon=0'
    """
    came = ", ".join(f"{name}={short(value)}" for name, value in values.items())
    return ArgumentError(f"Expected {what} but got {came}")


def one_line(text: str, limit: int = 300) -> str:
    """`text` on one line, control characters escaped, cut at `limit` characters.

    >>> one_line("two\\nlines")
    'two lines'
    """
    start = text[: limit + 1]  # a longer one is cut in any case
    flat = "".join(c if c.isprintable() else " " if c.isspace() else repr(c)[1:-1] for c in start)
    return flat if len(flat) <= limit else flat[: limit - 3] + "..."


def short(value: object) -> str:
    """On one line, whatever it is; a number too long to be read is told by its size."""
    try:
        if type(value) in (int, Fraction) and _bits(value) > _MOST_SHOWN:  # type: ignore[arg-type]  # as just seen
            return f"<{type(value).__name__} of {_bits(value)} bits>"  # type: ignore[arg-type]
        return one_line(str(value) if isinstance(value, Fraction) else repr(value), 120)
    except Exception:  # noqa: BLE001 - a foreign repr may raise anything, and the error in hand matters more
        return f"<{type(value).__name__}>"


def _bits(value: int | Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())
