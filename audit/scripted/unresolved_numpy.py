"""numpy's functions of a number that `random()` returned."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dpcert.audit.scripted.monotone import MonotoneFunction
from dpcert.audit.scripted.unresolved import Unresolved, constant, key_of

STEPPED = {"floor", "ceil", "trunc", "rint", "sign"}
"""Functions whose answers are few."""
LOOSE = {"log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "sqrt", "cbrt", "arctan", "tanh"}
"""Monotone functions, rounded to within a last bit or so."""
PLAIN = {"negative", "positive"}
PAIRS = {"add", "subtract", "multiply", "divide"}
COMPARED = {"less", "less_equal", "greater", "greater_equal"}


def applied(number: Unresolved, ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What a function of numpy makes of the number, with numpy's own types."""
    name = ufunc.__name__
    if method != "__call__" or options:
        number.refuse(f"passed to numpy.{name} with options")
    if len(inputs) == 1:
        if name in ("absolute", "fabs"):
            ufunc = np.negative if number.sign() < 0 else np.positive
            name = ufunc.__name__
        question = MonotoneFunction((f"numpy.{name}",), _quiet(ufunc))
        if name in STEPPED:
            return number.resolved(question)
        if name in LOOSE | PLAIN:
            return number.then(question, loose=name in LOOSE)
    if len(inputs) == 2 and name in PAIRS | COMPARED:
        return _of_two(number, ufunc, inputs)
    return number.refuse(f"passed to numpy.{name}")


def _of_two(number: Unresolved, ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """The number and a constant, in this order or turned round."""
    name, turned = ufunc.__name__, type(inputs[1]) is Unresolved
    other = constant(number, inputs[0] if turned else inputs[1], f"used by numpy.{name} with")
    if turned and name == "divide":
        number.sign()  # on either side of 0 it is monotone
    function = _quiet(ufunc)
    step = (lambda value: function(other, value)) if turned else (lambda value: function(value, other))
    question = MonotoneFunction(key_of(f"numpy.{name}", other, str(turned)), step)
    return number.resolved(question) if name in COMPARED else number.then(question)


def _quiet(ufunc: Any) -> Callable[..., Any]:
    """The function without the warnings for numbers that are looked at and may never be drawn."""

    def computed(*numbers: Any) -> Any:
        with np.errstate(all="ignore"):
            return ufunc(*numbers)

    return computed
