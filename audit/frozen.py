"""Frozen values: what `dataclass(frozen=True)` makes, at a fifth of the time.

A process makes more than a hundred kinds of values at its start. `dataclasses` compiles six functions for each, and
that was a quarter of a small audit. Here one is compiled, `__init__`; the others are closures over the names.
"""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, cast, dataclass_transform, overload


class _Factory:
    """In place of an argument that was not given, where a function makes it."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()
T = TypeVar("T")


@overload
def frozen(kind: type[T], /) -> type[T]: ...


@overload
def frozen(*, slots: bool = False, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    kind: type[T] | None = None, /, *, slots: bool = False, eq: bool = True, repr: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """Makes a class a frozen dataclass, for `dataclasses` and for whoever inherits from it.

    Args:
        kind: the class.
        slots: whether its values keep attributes in slots, and no others.
        eq: whether values are equal by what they hold; otherwise by being the same.
        repr: whether values show what they hold.

    Returns:
        The class; with `slots` another of its name.

    Raises:
        TypeError: what `dataclass` would say of it.

    Source:
        the documentation of Python's `dataclasses`; no statement of the paper.

    >>> @frozen
    ... class Place:
    ...     '''Where.'''
    ...     row: int
    ...     column: int = 0
    >>> Place(2), Place(2) == Place(2, 0)
    (Place(row=2, column=0), True)
    >>> Place(2).row = 3
    Traceback (most recent call last):
    dataclasses.FrozenInstanceError: cannot assign to field 'row'
    """

    def make(kind: type[T]) -> type[T]:
        inherits = any("__dataclass_fields__" in vars(base) for base in kind.__mro__[1:])
        if inherits or any(
            isinstance(one, Field) and (not one.init or one.kw_only is True) for one in vars(kind).values()
        ):
            return dataclass(frozen=True, slots=slots, eq=eq, repr=repr)(kind)
        return _made(kind, slots, eq, repr)

    return make if kind is None else make(kind)


def _made(kind: type[T], slots: bool, eq: bool, repr: bool) -> type[T]:
    made: Any = dataclass(init=False, repr=False, eq=False, slots=slots)(kind)
    told = made.__dataclass_params__
    told.init, told.repr, told.eq, told.frozen = True, repr, eq, True
    held = fields(made)
    own = dict(_closures(made, held, slots, eq, repr))
    for name, function in own.items():
        if vars(made).get(name) is None:  # Python itself puts `__hash__ = None` beside an `__eq__`
            function.__name__, function.__qualname__ = name, f"{made.__qualname__}.{name}"
            setattr(made, name, function)
    return cast("type[T]", made)


def _closures(
    made: Any, held: tuple[Field[Any], ...], slots: bool, eq: bool, repr: bool
) -> Iterator[tuple[str, Callable[..., Any]]]:
    """What a frozen dataclass has, under its names."""
    init, hashed = _compiled(made, held)
    yield "__init__", init
    yield from _refusals(made, frozenset(one.name for one in held))
    if eq:
        yield "__eq__", _eq(_values([one.name for one in held if one.compare]))
        yield "__hash__", hashed
    if repr:
        yield "__repr__", _repr([one.name for one in held if one.repr])
    if slots:
        yield from _states([one.name for one in held])


def _compiled(made: Any, held: tuple[Field[Any], ...]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`__init__`, which sets each attribute past the refusal of the class, and `__hash__`."""
    known: dict[str, Any] = {"__set": object.__setattr__, "__factory": _FACTORY, "__name__": made.__module__}
    heads, lines = ["__self"], []
    for one in held:
        name, value = one.name, one.name
        if one.default is not MISSING:
            known[f"__default_{name}"] = one.default
            heads.append(f"{name}=__default_{name}")
        elif one.default_factory is not MISSING:
            known[f"__make_{name}"] = one.default_factory
            heads.append(f"{name}=__factory")
            value = f"__make_{name}() if {name} is __factory else {name}"
        else:
            heads.append(name)
        lines.append(f" __set(__self, {name!r}, {value})")
    if hasattr(made, "__post_init__"):
        lines.append(" __self.__post_init__()")
    values = "".join(f"__self.{one.name}," for one in held if (one.compare if one.hash is None else one.hash))
    lines = [
        f"def __init__({', '.join(heads)}):",
        *(lines or [" pass"]),
        f"def __hash__(__self): return hash(({values}))",
    ]
    exec("\n".join(lines), known)
    init: Callable[..., Any] = known["__init__"]
    init.__annotations__ = {**{one.name: one.type for one in held}, "return": None}
    return init, known["__hash__"]


def _refusals(made: Any, names: frozenset[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    def assign(self: Any, name: str, value: Any) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    yield "__setattr__", assign
    yield "__delattr__", delete


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What a value holds under these names, always a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _eq(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, object], bool]:
    def equal(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _repr(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def shown(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return shown


def _states(names: list[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """How values without a `__dict__` are copied and pickled."""

    def kept(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def take(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    yield "__getstate__", kept
    yield "__setstate__", take
