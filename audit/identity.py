"""Canonical identity: what is the same outcome, state or input, decided by type and exact value, never by a user's ==.

Python's == calls 1, True and 1.0 one, and 0.0 and -0.0; it lets every class say what it likes, and nan differs from
itself. An observer who is shown the value can tell them apart. So what is compared inside (outcomes of laws, states in
positions, observations, inputs) is a token: `held(value)`. Of plain values the token is the value itself.
"""

import sys
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from operator import is_
from pathlib import PurePath
from types import GenericAlias
from typing import Any, Generic, TypeVar
from uuid import UUID

from dpcert.audit.errors import expected
from dpcert.audit.layout import equals_others, laid_out, written_in_c
from dpcert.audit.own_parts import MISSING, NoIdentity, bits, contents, expression, field_of, kept_besides, named

_GenericAlias: Any = type(Generic[TypeVar("_T")])  # type: ignore[index]
PLAIN: set[type] = {int, str, bytes, type(None), type(Ellipsis), type(NotImplemented)}
"""Types whose values are told apart exactly by ==, among themselves and from all others of these."""
DEEPEST = 200
"""Values within values past which one has no identity: it may hold itself."""
KINDS = "a number, string, enum member, numpy array, or a tuple, frozen set or dataclass of these"


class Mark:
    """What stands first in every token that is not the value itself, so that none equals a user's tuple."""


class Held(tuple[Any, ...]):
    """A value under its canonical identity: (Mark, type, what tells it from others of its type).

    Two are equal exactly if their values are of one type and the same in every part, floats and arrays by their bits,
    all nans of a type one.
    """

    _value: Any
    _copied: bool

    @property
    def value(self) -> Any:
        """The value; of one that can be changed in place, a new copy each time."""
        return deepcopy(self._value) if self._copied else self._value

    @property
    def changeable(self) -> bool:
        """Whether the value is one that can be changed in place."""
        return self._copied

    def __repr__(self) -> str:
        return repr(self._value)


def as_is(kind: type) -> type:
    """Registers a type of ours whose == is canonical already: its values are their own tokens."""
    PLAIN.add(kind)
    return kind


def held(value: Any, name: str = "value", *, copying: bool = False) -> Any:
    """The token of a value: equal tokens mean the same value, whatever == says of the values.

    Args:
        value: Anything with a canonical form: built-in numbers, strings, containers, enums, dataclasses field by field
            (also those that do not compare), numpy's numbers and arrays, and a few types of the standard library.
        name: What the value is, for the error.
        copying: Whether lists, dicts, sets and arrays are taken as well, copied as they are now.
    Raises: ArgumentError: a value that cannot be hashed, or one without a canonical form, such as an object that is
        told apart by where it stands in memory.

    >>> held(3), held(1) == held(True), held(float("nan")) == held(float("nan")), held((1, 0.0)) == held((1, -0.0))
    (3, False, True, False)
    """
    kind = type(value)
    if kind in PLAIN or kind is Held or (kind is tuple and PLAIN.issuperset(map(type, value))):
        return value
    try:
        if not copying:
            hash(value)
    except TypeError:
        raise expected(f"a hashable {name}", **{name: value}) from None
    try:
        return _held(value, 0)
    except (NoIdentity, RecursionError) as error:
        inside = f"no {error}" if isinstance(error, NoIdentity) else "not nested so deeply"
        article = "an" if name[:1] in "aeiou" else "a"
        raise expected(
            f"{article} {name} with an identity by type and value ({KINDS}; {inside})", **{name: value}
        ) from None


def value_of(token: Any) -> Any:
    """The value that a token stands for.

    >>> value_of(held(0.5)), value_of(held("a"))
    (0.5, 'a')
    """
    return token.value if type(token) is Held else _OPENED[type(token)](token) if type(token) in _OPENED else token


def values_of(tokens: Iterable[Any]) -> tuple[Any, ...]:
    """The values that tokens stand for, in order."""
    listed = tuple(tokens)
    return listed if PLAIN.issuperset(map(type, listed)) else tuple(map(value_of, listed))


def parts_of(token: Any) -> tuple[Any, ...]:
    """The tokens of a tuple's items, from the tuple's own token."""
    return token[2:] if type(token) is Held else token


def same(one: Any, other: Any) -> bool:
    """Whether two values are one under canonical identity.

    >>> same((1, "a"), (1, "a")), same((1,), (True,)), same((0.0,), (-0.0,)), same((1,), (1, 2)), same(1, True)
    (True, False, False, False, False)
    >>> same(((1,),), ((True,),)), same([1], [1]), same((float("nan"),), (float("nan"),))
    (False, True, True)
    """
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(map(_same, one, other))
    return _same(one, other)


def _same(one: Any, other: Any) -> bool:
    """The same, without a look into tuples one by one."""
    kind = type(one)
    if kind is type(other) and (kind in PLAIN or kind is bool):
        return bool(one == other)
    return bool(held(one, copying=True) == held(other, copying=True))


_CLOSED: dict[type, Callable[[Any], Any]] = {}
_OPENED: dict[type, Callable[[Any], Any]] = {}


def structural(kind: type, close: Callable[[Any], Any], opened: Callable[[Any], Any]) -> None:
    """Registers a type of ours whose token is one of the same type with tokens inside."""
    _CLOSED[kind], _OPENED[kind] = close, opened


def without_identity(kind: type, refuse: Callable[[Any], Any]) -> None:
    """Registers a type of ours whose values cannot be compared: `refuse` raises what there is to say."""
    _FORMS[kind] = lambda value, _: refuse(value)


def _held(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in PLAIN or kind is Held:
        return value  # a tuple of ours may hold tokens already
    if kind is bool:
        return _TRUE if value else _FALSE
    if depth > DEEPEST:
        raise RecursionError
    if kind is tuple:
        if PLAIN.issuperset(map(type, value)):
            return value
        parts = [
            v if (of := type(v)) in PLAIN or (of is tuple and PLAIN.issuperset(map(type, v))) else _held(v, depth + 1)
            for v in value
        ]
        return value if all(map(is_, parts, value)) else _token(value, kind, parts)
    if kind in _CLOSED:
        return _CLOSED[kind](value)
    form = _form_of(kind)
    return form(value, depth)


def _token(value: Any, kind: type, parts: Iterable[Any], *, changeable: bool = False) -> Held:
    """The token of a value made of these tokens; a copy is kept of what can be changed in place."""
    token = Held((Mark, kind, *parts))
    copied = changeable
    for part in token:
        if type(part) is Held and part._copied:
            copied = True
    token._copied = copied
    try:
        token._value = deepcopy(value) if copied else value
    except Exception as error:  # noqa: BLE001 - how a foreign object is copied may raise anything
        raise NoIdentity(f"{named(kind)}, which cannot be copied ({type(error).__name__})") from None
    return token


Form = Callable[[Any, int], Any]


def _exactly(*parts: Callable[[Any], Any]) -> Form:
    """A type whose values are these parts and nothing else."""
    return lambda value, depth: _token(value, type(value), [_held(part(value), depth + 1) for part in parts])


def _items(value: Any, depth: int) -> Any:
    """A sequence, item by item."""
    listed = [_held(v, depth + 1) for v in value]
    return _token(value, type(value), listed, changeable=type(value) is not tuple)


def _members(value: Any, depth: int) -> Any:
    """A set; in which order it lists its members is no part of it."""
    members = frozenset(_held(v, depth + 1) for v in value)
    made = _token(value, type(value), [members], changeable=type(value) is set)
    return _copied_with(made, members)


def _entries(value: Any, depth: int) -> Any:
    """A dictionary, entry by entry in its order, which shows when it is printed; and what it keeps besides."""
    listed = [_held(part, depth + 1) for entry in value.items() for part in entry]
    kept = _kept(value, (), depth)  # as one part more, for else it would be an entry
    return _token(value, type(value), [*listed, tuple(kept)] if kept else listed, changeable=True)


def _filled(value: Any, depth: int) -> Any:
    """A dictionary with what it is filled by."""
    made, factory = _entries(value, depth), value.default_factory
    if factory is None:
        return made
    if type(factory) is not type or factory.__module__ not in ("builtins", "collections"):
        raise NoIdentity("default factory but a built-in type")
    return _token(value, type(value), [_form_of(type)(factory, depth + 1), *made[2:]], changeable=True)


def _copied_with(made: Held, members: Iterable[Any]) -> Held:
    if not made._copied and any(type(part) is Held and part._copied for part in members):
        made._copied, made._value = True, deepcopy(made._value)
    return made


def _number(value: Any, _: int) -> Any:
    """A binary floating-point number by its bits; all nans are one."""
    return _token(value, type(value), [bits(value)])


def _complex(value: Any, _: int) -> Any:
    return _token(value, type(value), [bits(value.real), bits(value.imag)])


def _decimal(value: Any, _: int) -> Any:
    """A decimal with its sign and exponent, which it shows."""
    sign, digits, exponent = Decimal.as_tuple(value)
    return _token(value, type(value), [sign, digits, exponent])


def _reduced(value: Any, depth: int) -> Any:
    """A date or a time of the standard library, by what it is made from."""
    made, arguments, *rest = value.__reduce_ex__(4)
    if any(part is not None for part in rest):
        raise NoIdentity(named(type(value)))
    return _token(value, type(value), [made.__name__, *(_held(a, depth + 1) for a in arguments)])


def _parametrised(value: Any, depth: int) -> Any:
    """A class with its parameters, as in `list[int]`."""
    if isinstance(value, _GenericAlias) and type(value) is not _GenericAlias:
        raise NoIdentity(named(type(value)))
    starred = type(value) is GenericAlias and value.__unpacked__
    return _token(value, type(value), [_held(part, depth + 1) for part in (starred, value.__origin__, *value.__args__)])


_FALSE, _TRUE = (_token(value, bool, [int(value)]) for value in (False, True))
_FORMS: dict[type, Form] = {
    float: _number,
    complex: _complex,
    Fraction: _exactly(lambda v: v.numerator, lambda v: v.denominator),
    Decimal: _decimal,
    list: _items,
    deque: lambda v, depth: _token(v, deque, [v.maxlen, *(_held(x, depth + 1) for x in v)], changeable=True),
    set: _members,
    frozenset: _members,
    dict: _entries,
    OrderedDict: _entries,
    Counter: _entries,
    defaultdict: _filled,
    bytearray: lambda v, _: _token(v, bytearray, [bytes(v)], changeable=True),
    array: lambda v, _: _token(v, array, [v.typecode, v.tobytes()], changeable=True),
    range: _exactly(lambda v: v.start, lambda v: v.stop, lambda v: v.step),
    **dict.fromkeys((GenericAlias, _GenericAlias), _parametrised),
    UUID: _exactly(lambda v: v.int, lambda v: v.is_safe),
    **dict.fromkeys((date, datetime, time, timedelta, timezone), _reduced),
}


def _form_of(kind: type) -> Form:
    if equals_others(kind):
        raise NoIdentity(f"{named(kind)}, a class that says itself what it equals")
    form = _FORMS.get(kind)
    if form is None:
        form = _FORMS[kind] = _found_form(kind)
    return form


def _found_form(kind: type) -> Form:
    """The form of a type that is met for the first time."""
    if issubclass(kind, type):
        return lambda value, _: _token(value, kind, [value.__module__, value.__qualname__, id(value)])
    base, part = next((b for b in _BUILT_IN if issubclass(kind, b)), object), written_in_c(kind)
    if issubclass(kind, Enum) and part in (object, base):
        return _enumerated
    if part is base is object and is_dataclass(kind):
        return _dataclass
    if part is base is object and hasattr(kind, "__attrs_attrs__"):
        return _attrs
    if issubclass(kind, PurePath) and kind.__module__.partition(".")[0] == "pathlib":
        return _exactly(str)
    if str(kind.__module__).partition(".")[0] == "sympy" and hasattr(kind, "free_symbols"):
        return _symbolic
    if str(kind.__module__).partition(".")[0] == "numpy":
        return _numpy(kind)
    if base is not object and part in (base, object):
        return _derived(base)
    also = "" if part in (object, kind) else f", which is of {named(part)} as well"
    raise NoIdentity(f"{named(kind)}{also}")


_OF_ENUMERATIONS = ("_value_", "_name_", "__objclass__", "_sort_order_", "_inverted_")
"""What a member of an enumeration has from Python."""
_BUILT_IN: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    str: str.__str__,
    bytes: lambda v: bytes.__getitem__(v, slice(None)),
    float: float.__pos__,
    Fraction: lambda v: Fraction(int(v._numerator), int(v._denominator)),
    tuple: lambda v: tuple(tuple.__iter__(v)),
    frozenset: lambda v: frozenset(frozenset.__iter__(v)),
}
"""Built-in types that can be subclassed, and how their own part of a value is read past what the subclass says."""


def _derived(base: type) -> Form:
    """A subclass of a built-in type: its type, the built-in value, and what it keeps besides."""

    def form(value: Any, depth: int) -> Any:
        own = _held(_BUILT_IN[base](value), depth + 1)
        return _token(value, type(value), [own, *_kept(value, (), depth)], changeable=hasattr(value, "__dict__"))

    return form


def _enumerated(value: Any, depth: int) -> Any:
    """A member of an enumeration by name, value and what it is of a built-in type, and what it keeps besides."""
    kind, own = type(value), value._value_
    inside = "" if isinstance(own, kind) else _held(own, depth + 1)
    mixed = [_held(read(value), depth + 1) for base, read in _BUILT_IN.items() if issubclass(kind, base)]
    return _token(value, kind, [value._name_, inside, *mixed, *_kept(value, _OF_ENUMERATIONS, depth)])


def _dataclass(value: Any, depth: int) -> Any:
    """A dataclass, field by field, whether or not a field compares; then what it keeps besides."""
    names = [f.name for f in fields(value)]
    parts = [_held(field_of(value, name), depth + 1) for name in names]
    frozen = type(value).__dataclass_params__.frozen
    return _token(value, type(value), [*parts, *_kept(value, names, depth)], changeable=not frozen)


def _attrs(value: Any, depth: int) -> Any:
    names = [a.name for a in type(value).__attrs_attrs__]
    parts = [_held(field_of(value, name), depth + 1) for name in names]
    return _token(value, type(value), [*parts, *_kept(value, names, depth)], changeable=True)


PLAIN.add(type(MISSING))


def _kept(value: Any, known: Iterable[str], depth: int) -> list[Any]:
    """Slots and attributes beside the known ones, each after its name."""
    return [item for name, part in kept_besides(value, set(known)) for item in (name, _held(part, depth + 1))]


def _symbolic(value: Any, _: int) -> Any:
    return _token(value, type(value), expression(value))


def _numpy(kind: type) -> Form:
    """Numbers and arrays of numpy by type, shape and bits."""
    numpy: Any = sys.modules["numpy"]
    if issubclass(kind, numpy.generic):
        return lambda value, _: _token(value, kind, [value.dtype.str, contents(value)])
    if kind is numpy.ndarray:
        return _array
    if issubclass(kind, numpy.dtype):
        return _exactly(str, lambda v: repr(v.metadata))
    raise NoIdentity(named(kind))


def _array(value: Any, depth: int) -> Any:
    listed = [_held(v, depth + 1) for v in value.ravel().tolist()] if value.dtype.kind == "O" else [contents(value)]
    parts = [value.dtype.str, value.shape, *laid_out(value), *listed]
    return _token(value, type(value), parts, changeable=True)
