"""The value that a text on the command line stands for, given what a parameter is annotated with."""

import math
import re
import types
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from enum import EnumMeta
from fractions import Fraction
from numbers import Integral, Number, Rational, Real
from typing import Annotated, Any, ClassVar, Final, Literal, NewType, TypeVar, Union, get_args, get_origin

from dpcert.audit.algebra.rational import written
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.kernels.label import label

NUMBER = complex
"""Stands for any number, as it looks."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMERIC = re.compile(
    r"[+-]*\d[\d_]*(\.[\d_]*)?([eE][+-]*\d*)?(\s*/\s*[+-]*\d*)?|[+-]*\.\d+([eE][+-]?\d*)?|[+-]?0[xXbBoO][\da-fA-F_]+"
)
"""What looks like a number, so that it is no text either where it is none."""
_CONTAINERS: tuple[tuple[Any, Callable[[Iterable[Any]], Any]], ...] = (
    (tuple, tuple), (list, list), (set, set), (frozenset, frozenset),
    (Sequence, tuple), (Collection, tuple), (Iterable, tuple), (AbstractSet, frozenset),
)  # fmt: skip


def converted(text: str, hint: Any, name: str) -> Any:
    """The value of `--param name=text` for a parameter annotated with `hint`; by its looks where that is None.

    Tuples, lists and sets are written with commas, tuples of tuples with semicolons between the rows; members of an
    enum by name or value; None as `None`.

    Raises: ArgumentError: the text is no such value, or there is no way to write one.

    >>> converted("1/2,1/3", tuple[Fraction, ...], "first")
    (Fraction(1, 2), Fraction(1, 3))
    >>> converted("None", int | None, "bound"), converted("up", Literal["up", "down"], "rounding")
    (None, 'up')
    """
    hint = _plain(hint)
    if any(hint is open_to_all for open_to_all in (None, Any, object)):
        return _by_looks(text, name)
    if get_origin(hint) in (Union, types.UnionType):
        return _one_of(text, get_args(hint), name)
    if get_origin(hint) is Literal:
        return _chosen(text, {_spelled(value): value for value in get_args(hint)}, name)
    if isinstance(hint, EnumMeta):
        members: dict[str, Any] = dict(hint.__members__)
        by_value = {_spelled(member.value): member for member in members.values()}
        return _chosen(text, by_value | members, name)
    origin = get_origin(hint) or hint
    container = next((make for kind, make in _CONTAINERS if kind is origin), None)
    if container is not None:
        return _container(text, hint, name, container)
    reader = next((read for kind, read in _READERS if kind is hint), None)
    if reader is None:
        what = f"{name} to be set in the mechanism's file, for no text stands for a value of type {_named(hint)},"
        raise expected(what, **{name: text})
    return reader(text, name)


def _plain(hint: Any) -> Any:
    """The type itself, without what is wrapped around it."""
    while True:
        if get_origin(hint) in (Annotated, Final, ClassVar):
            hint = get_args(hint)[0]
        elif isinstance(hint, NewType):
            hint = hint.__supertype__
        elif isinstance(hint, TypeVar):
            hint = Union[hint.__constraints__] if hint.__constraints__ else hint.__bound__  # noqa: UP007 - at run time
        else:
            return hint


def _one_of(text: str, hints: Sequence[Any], name: str) -> Any:
    """The first of the types that the text fits; a plain text is the last that is tried."""
    for hint in sorted(hints, key=lambda hint: (hint is str, hint is not type(None))):
        try:
            return converted(text, hint, name)
        except ArgumentError:
            continue
    raise expected(" or ".join(map(_named, hints)), **{name: text})


def _spelled(value: object) -> str:
    return value if isinstance(value, str) else label(value)


def _chosen(text: str, known: dict[str, Any], name: str) -> Any:
    if text not in known:
        raise expected(f"one of {one_line(', '.join(known), 150)}", **{name: text})
    return known[text]


def _container(text: str, hint: Any, name: str, make: Callable[[Iterable[Any]], Any]) -> Any:
    kind, inner = get_origin(hint) or hint, get_args(hint)
    rows = kind is tuple and any(get_origin(_plain(one)) is tuple for one in inner)
    parts = [part.strip(" ") for part in text.split(";" if rows else ",")]
    if parts[-1] == "":  # nothing at all, or what ends with a comma, as a tuple of one does
        parts.pop()
    if any(part == "" for part in parts):
        raise expected(f"values with a {'semicolon' if rows else 'comma'} between two", **{name: text})
    if kind is tuple and get_origin(hint) is tuple and inner[-1:] != (Ellipsis,):
        if len(parts) != len(inner):
            raise expected(f"{len(inner)} values", **{name: text})
        each: Sequence[Any] = inner
    else:
        each = [inner[0] if inner else None] * len(parts)
    return make(converted(part, one, name) for part, one in zip(parts, each, strict=True))


def _truth(text: str, name: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise expected("true or false", **{name: text})
    return text.lower() == "true"


def _whole(text: str, name: str) -> int:
    if not _WHOLE.fullmatch(text.strip(" ")):
        written(text, name)  # a number with a fault of its own is told that first
        raise expected("a whole number, in digits", **{name: text})
    return int(written(text, name))


def _float(text: str, name: str) -> float:
    number = written(text, name)
    value = _nearest(number)
    if not math.isfinite(value):
        raise expected("a number that a float can hold", **{name: text})
    return value


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _decimal(text: str, name: str) -> Decimal:
    if "/" in text:
        raise expected("a decimal", **{name: text})
    written(text, name)
    return Decimal(text.strip(" "))


def _none(text: str, name: str) -> None:
    if text.strip(" ") != "None":
        raise expected("None", **{name: text})


def _text(text: str, _name: str) -> str:
    return text


def _number(text: str, name: str) -> int | Fraction:
    """An int where it is written as one, else a Fraction."""
    number = written(text, name)
    return int(number) if number.denominator == 1 and "/" not in text and "." not in text else number


def _by_looks(text: str, name: str) -> Any:
    """A number where the text looks like one, and otherwise the text."""
    try:
        return _number(text, name)
    except ArgumentError:
        if _NUMERIC.fullmatch(text.strip(" ")):
            raise
        return text


def _named(hint: Any) -> str:
    if hint is type(None):
        return "None"
    return one_line(hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint), 60)


_READERS: tuple[tuple[Any, Callable[[str, str], Any]], ...] = (
    (str, _text), (bool, _truth), (int, _whole), (Fraction, written), (float, _float), (Decimal, _decimal),
    (type(None), _none), (NUMBER, _number), (Rational, _number), (Real, _number), (Number, _number), (Integral, _whole),
)  # fmt: skip
