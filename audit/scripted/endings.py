"""Whether a value that nobody can read any more ends without doing anything, or runs code of the user's."""

from collections import deque
from collections.abc import Iterator
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any
from weakref import getweakrefcount

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.identity import Held
from dpcert.audit.layout import SPACE, attributes_of, members_of, written_in_c
from dpcert.audit.outside.states import LEAVES
from dpcert.audit.scripted.unresolved import Unresolved

_SILENT = LEAVES - {Pmf, Held} | {range, Unresolved, ModuleType}
"""Types whose values hold nothing of anybody's."""


def ends_in_silence(value: Any) -> bool:
    """Whether no code runs and nothing else is told when the last name of a value is gone.

    >>> ends_in_silence([1, {"a": (2, 3)}]), ends_in_silence(iter("ab"))
    (True, False)
    """
    met: dict[int, Any] = {}
    open_ = [value]
    while open_:
        one = open_.pop()
        if type(one) in _SILENT or id(one) in met:
            continue
        met[id(one)] = one
        inside = None if getweakrefcount(one) else _held_by(one)
        if inside is None:
            return False
        open_.extend(inside)
    return True


def _held_by(value: Any) -> list[Any] | None:
    """What a value holds; None if something may be done as it ends."""
    kind = type(value)
    if kind in (list, tuple, set, frozenset, deque):
        return list(value)
    if kind is dict:
        return [*value.keys(), *value.values()]
    if kind is CellType:
        return _in_cell(value)
    if kind is FunctionType:
        return [value.__defaults__, value.__kwdefaults__, vars(value), *(value.__closure__ or ())]
    if kind is MethodType:
        return [value.__func__, value.__self__]
    if kind is BuiltinFunctionType:
        return [value.__self__]
    if kind.__module__ == "numpy":
        return [] if hasattr(value, "dtype") and not value.dtype.hasobject and _owns(value) else None
    if "_tape" in getattr(value, "__dict__", ()) and kind.__module__.startswith("dpcert."):
        return []
    if isinstance(value, type) or written_in_c(kind) is not object:
        return None
    if any("__del__" in SPACE.__get__(base) for base in kind.__mro__):
        return None
    return [attributes_of(value), *_in_slots(value)]


def _owns(array: Any) -> bool:
    """Whether numbers of numpy's lie in memory of its own, or in that of another array that does."""
    base = getattr(array, "base", None)
    return base is None or (type(base) is type(array) and _owns(base))


def _in_cell(cell: CellType) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _in_slots(value: Any) -> Iterator[Any]:
    for base in type(value).__mro__:
        for slot in members_of(base).values():
            try:
                yield slot.__get__(value)
            except AttributeError:
                continue
