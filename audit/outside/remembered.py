"""What cached properties remember: whether it may be another value when it is asked for at another time."""

from collections import deque
from collections.abc import Iterable
from dis import get_instructions
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from dpcert.audit.layout import is_a
from dpcert.audit.outside.code_names import CHANGING, asked_of, in_place
from dpcert.audit.outside.reach import Reach, reach

_SETTING = {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR"}
_ITEMS = {"STORE_SUBSCR", "DELETE_SUBSCR"}
_ANY = {"setattr", "delattr", "vars", "globals", "exec", "eval", "__setattr__", "__delattr__", "__dict__"}
"""Names by which code may set anything."""
_CHANGEABLE = (list, dict, set, deque, bytearray)


def settled(places: Reach) -> set[str]:
    """Of what is remembered, by its place, what was the same whenever it was asked for: its property reads nothing that
    any code may set for a while, as far as names tell."""
    codes = places.code  # what makes values is run as they are made
    names = set[str]().union(*map(_set_by, codes))
    by_items = any(_changes_items(code) for code in codes)
    return {
        place
        for place, remembered in places.remembered.items()
        if not _may_differ(remembered.func, place, names, places, by_items=by_items)
    }


def _may_differ(function: Any, place: str, names: set[str], places: Reach, *, by_items: bool) -> bool:
    """Whether what a property works out depends on what code may set."""
    if not is_a(function, FunctionType):
        return True
    own = reach(function)
    read = set[str]().union(asked_of(function.__code__), *map(asked_of, own.code))
    if not _ANY.isdisjoint(names) or not read.isdisjoint(names):
        return True
    holder = place.rpartition(".")[0]
    held: Iterable[Any] = (*own.values.values(), *(places.values.get(f"{holder}.{name}") for name in read))
    return by_items and any(is_a(value, _CHANGEABLE) or _is_array(value) for value in held)


def _is_array(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "numpy" and hasattr(value, "setflags")


@lru_cache(maxsize=4_096)
def _set_by(code: CodeType) -> frozenset[str]:
    """The names that code sets or deletes, of globals and attributes, and those by which it may set any."""
    own = {step.argval for step in get_instructions(code) if step.opname in _SETTING} | _ANY & {*asked_of(code)}
    return frozenset(own).union(*(_set_by(part) for part in code.co_consts if isinstance(part, CodeType)))


@lru_cache(maxsize=4_096)
def _changes_items(code: CodeType) -> bool:
    """Whether code has a sign or a name by which it may change what a container holds."""
    if any(step.opname in _ITEMS for step in get_instructions(code)) or in_place(code):
        return True
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return not CHANGING.isdisjoint(asked_of(code)) or any(map(_changes_items, inner))
