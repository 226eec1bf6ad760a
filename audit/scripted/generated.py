"""What Python writes into dataclasses and named tuples, known where a class made anew has the same, never by name."""

import builtins
import dataclasses
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import FunctionType, MappingProxyType
from typing import Any, NamedTuple

from dpcert.audit.outside.watching import TypeGuard
from dpcert.audit.scripted.readable import SPACE, globals_read


class Pair(NamedTuple):
    """Named as its items are."""

    one: int


ITEM = type(Pair.one)
"""Of which type the names of a named tuple's items are."""
IN_DATACLASSES = {
    "__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__setattr__", "__delattr__",
    "__getstate__", "__setstate__",
}  # fmt: skip
"""Functions that Python writes into dataclasses."""
IN_TUPLES = {"__new__", "_make", "_replace", "__repr__", "_asdict", "__getnewargs__"}
"""Functions that Python writes into named tuples."""
KEPT = {"__dataclass_params__", "__dataclass_fields__", "__match_args__", "__slots__", "__orig_bases__"}
"""Names by which it keeps how it wrote them, and that plain code has no way to read."""
NO_FACTORY: Any = vars(dataclasses)["_HAS_DEFAULT_FACTORY"]
"""What stands for an argument that is made anew where it is not given."""
_STATE = [vars(dataclasses).get(name) for name in ("_dataclass_getstate", "_dataclass_setstate")]
_REPLACE = dataclasses.replace, dataclasses.replace.__code__
_EMPTY = object()


def is_replace(function: FunctionType) -> bool:
    """Whether it is `dataclasses.replace`, as it was when this was read."""
    return function is _REPLACE[0] and function.__code__ is _REPLACE[1] and not vars(function)


def is_named_tuple(kind: Any) -> bool:
    """Whether it is a class of tuples, and of nothing else, that says of itself that its items have names."""
    return kind.__mro__ == (kind, tuple, object) and type(SPACE.__get__(kind).get("_fields")) is tuple


def fields_are_known(kind: Any) -> bool:
    """Whether the fields of a dataclass, where it is one, are as Python writes them, by which `replace` goes."""
    fields = SPACE.__get__(kind).get("__dataclass_fields__", {})
    return type(fields) is dict and all(
        type(field) is dataclasses.Field and field.name == name and not name.startswith("__")
        for name, field in fields.items()
    )


def written(kind: Any) -> dict[str, list[Any]]:
    """What of a class Python wrote, by its names: of each the values of the user's that it keeps."""
    space = SPACE.__get__(kind)
    if is_named_tuple(kind):
        names, made = IN_TUPLES, _named_tuple
    elif "__dataclass_fields__" in space:
        names, made = IN_DATACLASSES, _dataclass
    else:
        return {}
    found: dict[str, list[Any]] = {}
    for name in sorted(names & space.keys()):
        if any(space[name] is one for one in _STATE):
            found[name] = []
            continue
        hangs = _hanging(space[name], made(kind).get(name, _EMPTY))
        if hangs is not None:
            found[name] = hangs
    return found | {name: [] for name, value in space.items() if _is_item(kind, name, value)}


def _is_item(kind: Any, name: str, value: Any) -> bool:
    """Whether it is the name of an item of a named tuple, under that very name."""
    fields = SPACE.__get__(kind).get("_fields", ())
    return type(value) is ITEM and name in fields and value.__reduce__()[1][0] == fields.index(name)


@lru_cache(maxsize=256)
def _dataclass(kind: Any) -> Mapping[str, Any]:
    """The names of a dataclass of the same fields, made anew; none where it cannot be made."""
    space = SPACE.__get__(kind)
    fields = [f for f in space["__dataclass_fields__"].values() if f._field_type is vars(dataclasses)["_FIELD"]]
    params = space["__dataclass_params__"]
    options = {name: getattr(params, name) for name in ("init", "repr", "eq", "order", "unsafe_hash", "frozen")}
    after = any("__post_init__" in SPACE.__get__(k) for k in kind.__mro__)
    try:
        anew = dataclasses.make_dataclass(
            kind.__name__,
            [(f.name, object, _field(f)) for f in fields],
            namespace={"__post_init__": None} if after else None,
            **options,
        )
    except (AttributeError, TypeError, ValueError):
        return {}
    return MappingProxyType(dict(vars(anew)))


def _field(field: Any) -> Any:
    """The same field once more."""
    options = {name: getattr(field, name) for name in ("init", "repr", "hash", "compare", "kw_only")}
    if field.default_factory is not dataclasses.MISSING:
        return dataclasses.field(default_factory=field.default_factory, **options)
    if field.default is not dataclasses.MISSING:
        return dataclasses.field(default=field.default, **options)
    return dataclasses.field(**options)


@lru_cache(maxsize=256)
def _named_tuple(kind: Any) -> Mapping[str, Any]:
    """The names of a named tuple of the same items, made anew; none where it cannot be made."""
    try:
        anew: Any = namedtuple(kind.__name__, SPACE.__get__(kind)["_fields"])  # type: ignore[misc]
    except (TypeError, ValueError):
        return {}
    return MappingProxyType(dict(vars(anew)))


def _hanging(value: Any, anew: Any) -> list[Any] | None:
    """The values of the user's that hang on what Python wrote; None where it wrote something else."""
    if value is None and anew is None:
        return []
    if type(value) is type(anew) in (classmethod, staticmethod):
        value, anew = value.__func__, anew.__func__
    if type(value) is not FunctionType or type(anew) is not FunctionType:
        return None
    if (value.__code__, vars(value).keys()) != (anew.__code__, vars(anew).keys()) or not _reads_pythons_own(
        value, anew
    ):
        return None
    hangs = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    for name, one, other in _cells(value, anew):
        if name in ("user_function", "repr_running"):
            inside = _hanging(one, other) if name == "user_function" else [] if type(one) is set else None
            if inside is None:
                return None
            hangs += inside
        elif name == "cls" or name.startswith("_dflt_"):
            hangs.append(one)
        elif one is not other and not (type(one) is type(other) in (int, tuple, str) and one == other):
            return None
    if "__wrapped__" in vars(value) and _hanging(vars(value)["__wrapped__"], vars(anew)["__wrapped__"]) is None:
        return None
    return [hang for hang in hangs if hang is not NO_FACTORY]


def _cells(value: FunctionType, anew: FunctionType) -> Iterator[tuple[str, Any, Any]]:
    """The name and the contents of each cell of two functions of one code."""
    inside: Callable[[Any], Any] = lambda cell: cell.cell_contents  # noqa: E731 - once each
    names = value.__code__.co_freevars
    yield from zip(names, map(inside, value.__closure__ or ()), map(inside, anew.__closure__ or ()), strict=True)


def _reads_pythons_own(function: Any, anew: Any) -> bool:
    """Whether the globals that it reads are those of Python, as they are for what was made anew."""
    if function.__globals__ is anew.__globals__:
        return True
    for name in globals_read(function.__code__):
        own, other = (f.__globals__.get(name, f.__builtins__.get(name, _EMPTY)) for f in (function, anew))
        usual = other if name == "_tuple_new" else vars(builtins).get(name, _EMPTY)
        if own is not usual and not (name == "type" and own is TypeGuard):
            return False
    return type(function.__globals__) is dict
