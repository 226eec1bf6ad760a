"""Functions of `math` that know what stands for a number of `random()`, while code runs that may call them."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from dpcert.audit.scripted.monotone import MonotoneFunction
from dpcert.audit.scripted.unresolved import Unresolved, constant, key_of, sign_of

LOOSE = ("log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "sqrt", "cbrt", "atan", "tanh")
"""Monotone functions, rounded to within a last bit or so."""
STEPPED = ("isnan", "isinf", "isfinite")


def _loose(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def of_draw(number: Unresolved, *base: Any) -> Any:
        given = [constant(number, b, f"used by math.{name} with") for b in base]
        key = (f"math.{name}", *(part for b in given for part in key_of("", b)))
        return number.then(MonotoneFunction(key, lambda value: function(value, *given)), loose=True)

    return of_draw


def _stepped(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda number: number.resolved(MonotoneFunction((f"math.{name}",), function))


OF_DRAWS: dict[str, Callable[..., Any]] = {
    **{name: _loose(name, getattr(math, name)) for name in LOOSE},
    **{name: _stepped(name, getattr(math, name)) for name in STEPPED},
    "fabs": abs,
    "pow": lambda number, power: number**power,
}


def _wrapped(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    of_draw = OF_DRAWS.get(name)

    @wraps(function)
    def called(*arguments: Any) -> Any:
        if of_draw is not None and arguments and type(arguments[0]) is Unresolved:
            return of_draw(*arguments)
        if name == "copysign" and len(arguments) == 2 and type(arguments[1]) is Unresolved:
            return sign_of(arguments[1], arguments[0])
        return function(*arguments)

    return called


_ORIGINAL = {name: getattr(math, name) for name in (*OF_DRAWS, "copysign")}
WRAPPED = {name: _wrapped(name, function) for name, function in _ORIGINAL.items()}


@contextmanager
def math_of_draws() -> Iterator[None]:
    """`math.log` and its like take what `random()` returned, by these names."""
    names = vars(math)
    before = {name: names[name] for name in WRAPPED}
    names.update(WRAPPED)
    try:
        yield
    finally:
        names.update(before)
