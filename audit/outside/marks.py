"""Marks: what tells the value at a place from another one, taken before and after; and which of them differ."""

import operator
from abc import ABCMeta
from importlib import import_module
from types import ModuleType
from typing import Any

from dpcert.audit.identity import held
from dpcert.audit.layout import SPACE, is_a
from dpcert.audit.outside.guards import TypeGuard, place_of
from dpcert.audit.outside.states import CONTAINERS, LEAVES, HiddenState, Kept, contents, state_of

_SIZED = frozenset((list, dict, set))


class Names:
    """What stands in a module's namespace, and how many there are inside; a guard counts as the source behind it."""

    def __init__(self, space: dict[str, Any], sources: dict[int, int]) -> None:
        self._module, self._sources = space.get("__name__", "a module"), sources
        self._names, self._values = tuple(space), tuple(space.values())  # kept: nothing else comes to stand there
        self._sizes = [len(value) if type(value) in _SIZED else None for value in self._values]

    def by_name(self) -> dict[str, Any]:
        """The place of each value, and how many there are inside."""
        return {
            f"{self._module}.{name}": (self._sources.get(place_of(value), place_of(value)), size)
            for name, value, size in zip(self._names, self._values, self._sizes, strict=True)
            if not is_a(value, ModuleType) and not name.startswith("__") and value is not TypeGuard
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Names):
            return False
        same = self._names == other._names and self._sizes == other._sizes
        return (same and all(map(operator.is_, self._values, other._values))) or self.by_name() == other.by_name()

    __hash__ = None  # type: ignore[assignment]


def mark_of(value: Any) -> Any:
    """What tells a value from another one at the same place; of what is looked into, its kind and what it holds."""
    kind = type(value)
    if kind in LEAVES:
        return kind, held(value)
    if issubclass(kind, (dict, *CONTAINERS)):
        return kind, Kept(value), contents(value)
    if issubclass(kind, type):
        return kind, Kept(value), *_of_class(value)
    try:
        return kind, state_of(value)
    except HiddenState:
        return kind, Kept(value)


def _of_class(kind: type) -> tuple[Any, ...]:
    """What a class says of itself, and which others count as its own."""
    own = SPACE.__get__(kind)
    others = registered(kind) if is_a(kind, ABCMeta) else ()
    told = (reader.__get__(kind) for reader in _NAMES)
    annotations = own.get("__annotations__", {})
    return (
        contents(annotations if is_a(annotations, dict) else ()),
        Kept(*told, *map(own.get, _SAID), *others),
        *_of_record(own),
    )


def _of_record(own: Any) -> tuple[Any, ...]:
    """What a dataclass says of its fields."""
    parts = (own.get("__dataclass_params__"), *dict(own.get("__dataclass_fields__") or {}).values())
    slots = ((getattr(part, name, None) for name in getattr(type(part), "__slots__", ())) for part in parts)
    return tuple(Kept(*inside) for inside in slots)


_NAMES = [vars(type)[name] for name in ("__name__", "__qualname__")]
_SAID = ("__doc__", "__module__", "__match_args__", "__orig_bases__", "__parameters__", "__abstractmethods__")
"""What a class says of itself, beside what stands in it under names of the user's."""


def registered(kind: Any) -> list[Any]:
    """Which classes count as subclasses of an abstract one because they were registered, by where they stand."""
    references, *_ = _KEPT_APART._get_dump(kind)
    return sorted((one for one in (reference() for reference in references) if one is not None), key=place_of)


_KEPT_APART: Any = import_module("_abc")
"""Where Python keeps them."""


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of places whose value is another one, or that came or went, in order."""
    for name in before.keys() | after.keys():
        one, other = (marks.get(name) for marks in (before, after))
        if is_a(one or other, Names) and one != other:  # a place with a mark of its own keeps that
            before, after = _spread_out(one) | before, _spread_out(other) | after
    names = [name for name in dict.fromkeys([*before, *after]) if before.get(name, _NONE) != after.get(name, _NONE)]
    return [name for name in names if not is_a(before.get(name, after.get(name)), Names)]


def _spread_out(names: Names | None) -> dict[str, Any]:
    return {} if names is None else names.by_name()


_NONE = object()
