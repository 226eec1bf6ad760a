"""What a value is made of, read past what its class says: fields, slots, attributes; the bits of numbers and arrays."""

import sys
from collections.abc import Container, Iterator
from functools import cache
from typing import Any

from dpcert.audit.errors import ArgumentError
from dpcert.audit.layout import SPACE, attributes_of, slots_of


class NoIdentity(ArgumentError):
    """A value that has no canonical form."""


class _Missing:
    """In place of a field that was not set."""


MISSING = _Missing()


def named(kind: type) -> str:
    """A class by its full name; one of Python's own by its last part."""
    return f"{kind.__module__}.{kind.__qualname__}" if kind.__module__ != "builtins" else kind.__qualname__


def field_of(value: Any, name: str) -> Any:
    """What a value has under a name; MISSING where that is nothing."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return MISSING


def kept_besides(value: Any, known: Container[str]) -> Iterator[tuple[str, Any]]:
    """The slots and attributes of a value beside the known ones, by name; what a cached property remembers as well.

    Raises: NoIdentity: its class hides them.
    """
    kind, own = type(value), attributes_of(value)
    if own is None:
        raise NoIdentity(f"{named(kind)}, which hides its attributes")
    for one in kind.__mro__:
        for name in _slots(one):
            if name not in known:
                yield name, _in_slot(value, SPACE.__get__(one)[name])
    for name in sorted(own):
        if name not in known:
            yield name, own[name]


@cache
def _slots(kind: type) -> tuple[str, ...]:
    slots = slots_of(kind)
    if slots is None:
        raise NoIdentity(f"{named(kind)}, whose slots are others than it says")
    return slots


def _in_slot(value: Any, slot: Any) -> Any:
    try:
        return slot.__get__(value)  # a class below may have something else under its name
    except AttributeError:
        return MISSING


def bits(number: Any) -> str:
    """A binary floating-point number by its bits; all nans are one."""
    return "nan" if number != number else number.hex()


def expression(value: Any) -> list[str]:
    """An expression of sympy's as it is written, with what undefined functions are said to be.

    Raises: NoIdentity: it has something inside that is more than what is written of it.
    """
    sympy: Any = sys.modules["sympy"]
    nodes = list(sympy.preorder_traversal(value))
    if any(isinstance(node, (sympy.Wild, sympy.Poly)) for node in nodes):
        raise NoIdentity("sympy.Wild or sympy.Poly")
    return [sympy.srepr(value), *(str(sorted(getattr(type(node), "_kwargs", None) or {})) for node in nodes)]


def contents(value: Any) -> Any:
    """The bytes of numpy's numbers, all nans alike; of extended ones, whose bytes have gaps, how they are written."""
    kind = value.dtype.kind
    if kind not in "biufcmMSU":
        raise NoIdentity(f"numpy.{value.dtype.name}")
    if kind not in "fc":
        return value.tobytes()
    if value.dtype.itemsize > (8 if kind == "f" else 16):
        return tuple(map(repr, value.ravel()))
    width = value.dtype.itemsize // (1 if kind == "f" else 2)
    numpy: Any = sys.modules["numpy"]
    parts = numpy.array(value, order="C").reshape(-1).view(f"{value.dtype.byteorder}f{width}".replace("|", ""))
    parts = numpy.where(numpy.isnan(parts), numpy.array(numpy.nan, parts.dtype), parts)
    return parts.tobytes()
