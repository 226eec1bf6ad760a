"""Items that occur once each, named by how many rounds ago they were new, so that equal situations look equal."""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cache, lru_cache, partial
from operator import is_
from typing import Any

from dpcert.audit.errors import MechanismError
from dpcert.audit.identity import PLAIN as CANONICAL
from dpcert.audit.identity import as_is, held, same, value_of
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.release import Over
from dpcert.audit.own_parts import kept_besides

PLAIN = (int, str, bytes, Fraction, Enum, type(None))
UNTAGGED = frozenset({int, bool, str, bytes, Fraction, type(None)})
"""The same, as types that are looked up at once."""


MARK = int.from_bytes(b"dpcert.audit.relations.tags")
"""What tells the hash of an item from that of a pair of a number and a bool."""


@dataclass
class Refusals:
    """How often items were asked for what they have not: code may have caught what was raised."""

    count: int = 0

    def raised(self, text: str) -> MechanismError:
        """One more, to be raised."""
        self.count += 1
        return MechanismError(text)


REFUSALS = Refusals()
"""Those of this process."""


class Tag:
    """One event of a stream, to be compared with other events and kept, never looked into.

    What a mechanism would do with an event that has a value of its own (`x == 1`, `x < y`, `x[0]`) would show nothing
    here, or something else; so it raises. Events may be compared with None, which stands for no event. It holds nothing
    that code written in C could read, and is one object however often it is made.

    Args:
        age: Rounds since it was new.
        other: Tells it from another item that was new in the same round.
    """

    __slots__ = ("_age", "_hash", "_other")

    def __new__(cls, age: int = 0, other: bool = False) -> "Tag":
        """The item of that age."""
        known = _KNOWN.get((age, other))
        return _made(cls, age, other) if known is None else known

    def __reduce__(self) -> tuple[Any, ...]:
        return Tag, (_AGE(self), _OTHER(self))

    def __repr__(self) -> str:
        age, other = _AGE(self), bool(_OTHER(self))
        return f"#{age}" + "'" * other

    def __hash__(self) -> int:
        return _HASH(self)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or type(other) is Tag:
            return False
        raise REFUSALS.raised(f"Expected items to be compared with items or None alone but got {label(other)}")

    def __ne__(self, other: object) -> bool:
        return not self == other

    def named(self, round_: int) -> int:
        """The round in which it was new, seen from round `round_`, or minus it for the other one: a name that stays.

        >>> Tag().named(7), Tag(2, other=True).named(9)
        (7, -7)
        """
        age: int = _AGE(self)
        return age - round_ if _OTHER(self) else round_ - age


_KNOWN: dict[tuple[int, bool], Tag] = {}
_PARTS = {name: vars(Tag)[name] for name in Tag.__slots__}
_AGE, _OTHER, _HASH = (_PARTS[name].__get__ for name in ("_age", "_other", "_hash"))
for _part in _PARTS:
    delattr(Tag, _part)  # nobody else reads or changes it


def _made(kind: type[Tag], age: int, other: bool) -> Tag:
    """An item that there was not."""
    tag = _KNOWN[age, other] = object.__new__(kind)
    for name, value in (("_age", age), ("_other", other), ("_hash", hash((age, other, MARK)))):
        _PARTS[name].__set__(tag, value)
    return tag


def _looked_into(operation: str) -> Any:
    def refused(*_: object) -> Any:
        raise REFUSALS.raised(f"Expected items to be compared for equality and kept but got {operation} of one")

    return refused


_BETWEEN_TWO = {
    "add",
    "and",
    "divmod",
    "floordiv",
    "lshift",
    "mod",
    "mul",
    "or",
    "pow",
    "rshift",
    "sub",
    "truediv",
    "xor",
}
_OF_ONE = {"bool", "abs", "bytes", "ceil", "complex", "float", "floor", "index", "int", "invert", "neg", "pos", "round"}
_OF_PARTS = {"lt", "le", "gt", "ge", "getitem", "setitem", "delitem", "contains", "iter", "len", "matmul", "trunc"}
_OPERATIONS = _BETWEEN_TWO | {f"r{name}" for name in _BETWEEN_TWO} | _OF_ONE | _OF_PARTS
for _operation in _OPERATIONS:
    setattr(Tag, f"__{_operation}__", _looked_into(f"__{_operation}__"))

as_is(Tag)
NEW, OTHER = Tag(), Tag(other=True)


@cache
def _older(tag: Tag) -> Tag:
    """The item a round later."""
    return Tag(_AGE(tag) + 1, _OTHER(tag))


def aged(value: Any) -> Any:
    """A state a round later: every item in it a round older, all else as it was. No two items become one.

    Raises: MechanismError: a state that cannot be looked through.

    >>> aged((3, NEW, frozenset({OTHER})))
    (3, #1, frozenset({#1'}))
    """
    kind = type(value)
    if kind in UNTAGGED:
        return value
    if kind is Tag:
        return _older(value)
    if kind is tuple:
        parts = [
            part if type(part) in UNTAGGED else _older(part) if type(part) is Tag else aged(part) for part in value
        ]
        return value if all(map(is_, parts, value)) else tuple(parts)
    if kind is Over or (isinstance(value, PLAIN) and (isinstance(value, Enum) or not [*kept_besides(value, ())])):
        return value
    if type(value) is frozenset:
        return frozenset(map(aged, value))
    other = part_by_part(value, aged)
    if other is not None:
        return other
    shape = "numbers, strings, None, tuples, frozensets and dataclasses of these"
    raise MechanismError(f"Expected a state of {shape}, so that items can be followed, but got {label(value)}")


def part_by_part(value: Any, change: Callable[[Any], Any]) -> Any:
    """A named tuple or a dataclass with every part changed; None for anything else.

    Raises: MechanismError: one that is more than what it is made from, so that what is made anew is another.

    >>> part_by_part((0, NEW), str), part_by_part(3, str)
    (None, None)
    """
    make: Callable[..., Any]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        parts, make = dict(zip(value._fields, value, strict=True)), type(value)
    elif is_dataclass(value) and not isinstance(value, type) and all(field.init for field in fields(value)):
        parts, make = {field.name: getattr(value, field.name) for field in fields(value)}, partial(replace, value)
    else:
        return None
    if type(value) not in CANONICAL and not same(make(**parts), value):
        wanted = f"a state with nothing to {type(value).__name__} but what it is made from, so that items can be"
        raise MechanismError(f"Expected {wanted} followed, but got {label(value)}")
    return make(**{name: change(part) for name, part in parts.items()})


@lru_cache(maxsize=1 << 16)
def aged_token(token: Any) -> Any:
    """The same of the value that a token stands for, as a token; remembered, since few are met only once."""
    return held(aged(value_of(token)), "state")
