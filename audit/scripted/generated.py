"""What Python writes into dataclasses and named tuples, known where a class made anew has the same, never by name."""

import builtins
import collections
import dataclasses
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import FunctionType, MappingProxyType
from typing import Any, NamedTuple

from dpcert.audit.layout import SPACE
from dpcert.audit.outside.guards import TypeGuard
from dpcert.audit.scripted.readable import globals_read


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
OPTIONS = ("init", "repr", "eq", "order", "unsafe_hash", "frozen")
"""What a dataclass was told to have written."""
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
    space = SPACE.__get__(kind)
    fields, defaults = space.get("_fields"), space.get("_field_defaults")
    return (
        kind.__mro__ == (kind, tuple, object)
        and type(fields) is tuple
        and type(defaults) is dict
        and all(type(name) is str for name in (*fields, *defaults))
        and set(defaults) <= set(fields)
        and all(_is_item(kind, name, space.get(name)) for name in fields)
        and _hanging(space.get("__new__"), _named_tuple(kind.__name__, fields).get("__new__", _EMPTY)) is not None
    )


def fields_are_known(kind: Any) -> bool:
    """Whether the fields of a dataclass, where it is one, are as Python writes them, by which `replace` goes."""
    space = SPACE.__get__(kind)
    if "__dataclass_fields__" not in space:
        return True
    fields, params = space["__dataclass_fields__"], space.get("__dataclass_params__")
    return (
        type(fields) is dict
        and type(params) is vars(dataclasses)["_DataclassParams"]
        and all(type(getattr(params, name, None)) is bool for name in OPTIONS)
        and all(type(name) is str and _is_field(name, field) for name, field in fields.items())
    )


def _is_field(name: str, field: Any) -> bool:
    """Whether a field says of itself nothing but what Python writes there."""
    said = {part: getattr(field, part, _EMPTY) for part in dataclasses.Field.__slots__}
    return (
        type(field) is dataclasses.Field
        and type(said["name"]) is str
        and said["name"] == name
        and not name.startswith("__")
        and all(type(said[part]) is bool for part in ("init", "repr", "compare"))
        and (type(said["kw_only"]) is bool or said["kw_only"] is dataclasses.MISSING)
        and (said["hash"] is None or type(said["hash"]) is bool)
        and any(said["_field_type"] is vars(dataclasses)[kind] for kind in ("_FIELD", "_FIELD_CLASSVAR"))
        and not any(said[part] is _EMPTY for part in ("default", "default_factory"))
    )


def has_init_variable(kind: Any) -> bool:
    """Whether a dataclass has an argument that is no field."""
    fields = SPACE.__get__(kind).get("__dataclass_fields__")
    known = vars(dataclasses)["_FIELD_INITVAR"]
    return type(fields) is dict and any(getattr(field, "_field_type", None) is known for field in fields.values())


def written(kind: Any) -> dict[str, list[Any]]:
    """What of a class Python wrote, by its names: of each the values of the user's that it keeps."""
    space = SPACE.__get__(kind)
    anew: Mapping[str, Any]
    if is_named_tuple(kind):
        names, anew = IN_TUPLES, _named_tuple(kind.__name__, space["_fields"])
    elif "__dataclass_fields__" in space and fields_are_known(kind):
        names, anew = IN_DATACLASSES, _dataclass(kind)
    else:
        return {}
    found: dict[str, list[Any]] = {}
    for name in sorted(names & space.keys()):
        if any(space[name] is one for one in _STATE):
            found[name] = []
            continue
        hangs = _hanging(space[name], anew.get(name, _EMPTY))
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
    options = {name: getattr(params, name) for name in OPTIONS}
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
def _named_tuple(name: str, fields: tuple[str, ...]) -> Mapping[str, Any]:
    """The names of a named tuple of the same items, made anew; none where it cannot be made."""
    try:
        anew: Any = namedtuple(name, fields)  # type: ignore[misc]
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
        elif not _alike(one, other):
            return None
    if "__wrapped__" in vars(value) and _hanging(vars(value)["__wrapped__"], vars(anew)["__wrapped__"]) is None:
        return None
    return [hang for hang in hangs if hang is not NO_FACTORY]


def _alike(one: Any, other: Any) -> bool:
    """Whether two values are the same, or numbers, texts and tuples of these that cannot be told apart."""
    if one is other:
        return True
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(map(_alike, one, other))
    return type(one) is type(other) and type(one) in (int, str) and bool(one == other)


def _cells(value: FunctionType, anew: FunctionType) -> Iterator[tuple[str, Any, Any]]:
    """The name and the contents of each cell of two functions of one code."""
    inside: Callable[[Any], Any] = lambda cell: cell.cell_contents  # noqa: E731 - once each
    names = value.__code__.co_freevars
    yield from zip(names, map(inside, value.__closure__ or ()), map(inside, anew.__closure__ or ()), strict=True)


def _reads_pythons_own(function: Any, anew: Any) -> bool:
    """Whether the globals that it reads are those of Python, as they are for what was made anew."""
    if any(function.__globals__ is anew.__globals__ is vars(home) for home in (dataclasses, collections)):
        return True
    for name in globals_read(function.__code__):
        own, other = (f.__globals__.get(name, f.__builtins__.get(name, _EMPTY)) for f in (function, anew))
        usual = other if name == "_tuple_new" else vars(builtins).get(name, _EMPTY)
        if own is not usual and not (name == "type" and own is TypeGuard):
            return False
    return type(function.__globals__) is dict
