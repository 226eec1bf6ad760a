"""The stand-in for a number that `random()` returned: what is computed from it, and asked about it, splits its draw.

It says that it is a float, as code that asks for its class expects. What needs the number itself is refused by name:
a function in C reads a float where no object can answer for it.
"""

import fractions
import operator
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from math import ceil, copysign, floor, trunc
from typing import Any, NoReturn

from dpcert.audit.outside.guards import ASKED_FOR_TYPE
from dpcert.audit.scripted.monotone import STEPS, MonotoneFunction, MonotoneSteps, TurnsBack, ends, kind_of
from dpcert.audit.scripted.tape import MOST_SEEDS, Uniform

COMPUTED = "compared with a number, moved and scaled by numbers, rounded, or passed through a function of math"
_EXACT = (int, float, bool, Fraction, Decimal)


class Unresolved:
    """A number that is known to be some k / 2^53, and what was computed from it, by monotone steps."""

    __slots__ = ("_steps", "_uniform")

    def __init__(self, uniform: Uniform, steps: MonotoneSteps = MonotoneSteps()) -> None:  # noqa: B008 - frozen
        self._uniform = uniform
        self._steps = steps

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """That of the real number, mostly float; for fractions, which would read a float, one that they know not."""
        if sys._getframe(1).f_code.co_filename == fractions.__file__:
            return Unresolved
        return type(self._steps.at(_span(self._uniform)[0]))

    def refuse(self, how: str) -> NoReturn:
        """Names what cannot be done with it."""
        self._uniform.tape.refuse(f"Expected random() to be {COMPUTED} but got it {how}")

    def resolved(self, question: MonotoneFunction) -> Any:
        """The answer, which splits the draw where it is not the same for all that the number may be."""
        return question.function(self._steps.at(self._split(question)))

    def _split(self, question: MonotoneFunction) -> int:
        """The least k that the draw may still be, once the answer is the same for all of them."""
        first, last = _span(self._uniform)
        if first == last:
            return first
        try:
            cell_ends = ends(self._steps, question, first, last, MOST_SEEDS)
        except TurnsBack:
            self.refuse(f"passed to {question.key[0]} after a function of the C library that is not monotone there")
        if cell_ends is None:
            self.refuse(f"used by `{question.key[0]}` with more than {MOST_SEEDS} answers")
        self._uniform.passed(_points(cell_ends))
        return _span(self._uniform)[0]

    def then(self, step: MonotoneFunction, *, loose: bool = False) -> Any:
        """What a monotone function makes of it; where that is an exception or infinite, just that."""
        first, last = _span(self._uniform)
        kinds = {kind_of(step.about(self._steps.at(k))) for k in (first, last)}
        if kinds != {"finite"}:
            kind = MonotoneFunction(("finite", *step.key), lambda value: kind_of(step.about(value)))
            if self.resolved(kind) != "finite":
                return step.function(self._steps.at(_span(self._uniform)[0]))
        return Unresolved(self._uniform, self._steps.then(step, loose=loose))

    def sign(self) -> int:
        """-1, 0 or 1."""
        return int(self.resolved(MonotoneFunction(("sign",), lambda value: int(value > 0) - int(value < 0))))

    def __array__(self, *_: object, **__: object) -> NoReturn:
        self.refuse("made into an array")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """numpy's functions of one number, and of one and a constant."""
        above = import_module("dpcert.audit.scripted.unresolved_numpy")  # numpy is loaded where it was used
        return above.applied(self, ufunc, method, inputs, options)

    def __getattr__(self, name: str) -> Any:
        if name in _NUMBER:
            self.refuse(f"asked for its `{name}`")
        raise AttributeError(f"'float' object has no attribute '{name}'")


@lru_cache(maxsize=4096)
def _points(ends_: tuple[int, ...]) -> tuple[Fraction, ...]:
    """The ends as numbers, the same ones each time, which are then compared at once."""
    return tuple(Fraction(k, STEPS) for k in ends_)


def _span(uniform: Uniform) -> tuple[int, int]:
    """The least and the greatest k that a draw may be."""
    low, high = uniform.low, uniform.high
    return low.numerator * STEPS // low.denominator, -(-high.numerator * STEPS // high.denominator) - 1


def constant(number: Unresolved, other: Any, how: str) -> Any:
    """`other`, a number that is known; refused where it is another draw, or no number of Python's or numpy's own."""
    if type(other) is Unresolved:
        number.refuse(f"{how} another draw")
    if type(other) in _EXACT or (type(other).__module__ == "numpy" and getattr(other, "ndim", 1) == 0):
        if getattr(getattr(other, "dtype", None), "kind", "f") not in "biuf":
            number.refuse(f"{how} a {type(other).__name__}")
        return other
    if isinstance(other, int) and type(other).__lt__ is int.__lt__ and type(other).__add__ is int.__add__:
        return int(other)
    return number.refuse(f"{how} a {type(other).__name__}")


def key_of(name: str, other: Any, *more: str) -> tuple[str, ...]:
    """What tells a function with a constant from others."""
    shown = type(other).__name__, hex(other) if type(other) is int else repr(other)
    return (name, *shown, *more)


def _compared(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Unresolved, Any], Any]:
    def compare(self: Unresolved, other: Any) -> Any:
        other = constant(self, other, "compared with")
        return self.resolved(MonotoneFunction(key_of(name, other), lambda value: function(value, other)))

    return compare


def _equal(self: Unresolved, other: Any) -> Any:
    """Whether it is a number; whether it lies above that number, on it or below is asked at once."""
    if not (type(other) is Unresolved or isinstance(other, (int, float, Fraction, Decimal))):
        self.refuse(f"compared with a {type(other).__name__}")
    other = constant(self, other, "compared with")
    place = MonotoneFunction(
        key_of("==", other), lambda value: int(value > other) - int(value < other) if other == other else 2
    )
    self.resolved(place)
    return self._steps.at(_span(self._uniform)[0]) == other


def _not_equal(self: Unresolved, other: Any) -> Any:
    return not _equal(self, other)


def _arithmetic(name: str, function: Callable[[Any, Any], Any], *, turned: bool) -> Callable[[Unresolved, Any], Any]:
    def operate(self: Unresolved, other: Any) -> Any:
        other = constant(self, other, f"used by `{name}` with")
        if name == "/" and turned:
            self.sign()  # on either side of 0 it is monotone
        step = (lambda value: function(other, value)) if turned else (lambda value: function(value, other))
        return self.then(MonotoneFunction(key_of(name, other, str(turned)), step))

    return operate


def _floor_divided(self: Unresolved, other: Any) -> Any:
    if type(other) not in (int, float) or other != 1:
        self.refuse("used by `//` with a number other than 1")
    return self.resolved(MonotoneFunction(key_of("//", other), lambda value: value // other))


def _power(self: Unresolved, other: Any) -> Any:
    other = constant(self, other, "used by `**` with")
    self.sign()  # on either side of 0 it is monotone, where it is a number
    if type(other) not in (int, float):
        self.refuse(f"used by `**` with a {type(other).__name__}")
    negative = self.sign() < 0
    if negative and not float(other).is_integer():
        self.refuse("raised to a power that is no whole number where it is negative")
    return self.then(MonotoneFunction(key_of("**", other), lambda value: value**other), loose=True)


def _absolute(self: Unresolved) -> Any:
    if self.sign() < 0:
        return self.then(MonotoneFunction(("neg",), operator.neg))
    return self.then(MonotoneFunction(("abs",), abs))


def _rounded(self: Unresolved, digits: Any = None) -> Any:
    if digits is None:
        return self.resolved(MonotoneFunction(("round",), round))
    places = operator.index(digits)
    return self.resolved(MonotoneFunction(("round", str(places)), lambda value: round(value, places)))


def _whole(name: str, function: Callable[[Any], Any]) -> Callable[[Unresolved], Any]:
    return lambda self: self.resolved(MonotoneFunction((name,), function))


def sign_of(self: Unresolved, size: Any) -> Any:
    """math.copysign(size, it)."""
    return self.resolved(MonotoneFunction(key_of("copysign", size), lambda value: copysign(size, value)))


def _refused(name: str) -> Callable[..., NoReturn]:
    if name in ("__float__", "__complex__"):
        how = "passed to a function in C (float, or one imported by name: write `import math` and math.log(...))"
    elif name in ("__str__", "__repr__", "__format__"):
        how = "written as text"
    elif name == "__hash__":
        how = "hashed"
    else:
        how = f"used by `{name}`"

    def refused(self: Unresolved, *_: object, **__: object) -> NoReturn:
        self.refuse(how)

    return refused


ASKED_FOR_TYPE[Unresolved] = lambda number: number.__class__
_NUMBER = set(dir(1 / STEPS)) - set(dir(object))
"""What a number from a real generator can do."""
for _name in sorted({n for n in _NUMBER if n.startswith("__")} | {"__hash__", "__str__", "__repr__", "__format__"}):
    setattr(Unresolved, _name, _refused(_name))
for _name in ("__reduce__", "__reduce_ex__", "__getstate__", "__sizeof__", "__dir__"):
    setattr(Unresolved, _name, _refused(_name))
for _sign, _name in (("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge")):
    setattr(Unresolved, f"__{_name}__", _compared(_sign, getattr(operator, _name)))
for _sign, _name in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv")):
    _operation = getattr(operator, _name)
    setattr(Unresolved, f"__{_name}__", _arithmetic(_sign, _operation, turned=False))
    setattr(Unresolved, f"__r{_name}__", _arithmetic(_sign, _operation, turned=True))
for _name, _method in {
    "__eq__": _equal,
    "__ne__": _not_equal,
    "__bool__": lambda self: bool(_not_equal(self, 0)),
    "__neg__": lambda self: self.then(MonotoneFunction(("neg",), operator.neg)),
    "__pos__": lambda self: self.then(MonotoneFunction(("pos",), operator.pos)),
    "__abs__": _absolute,
    "__pow__": _power,
    "__floordiv__": _floor_divided,
    "__round__": _rounded,
    "__int__": _whole("int", int),
    "__trunc__": _whole("trunc", trunc),
    "__floor__": _whole("floor", floor),
    "__ceil__": _whole("ceil", ceil),
}.items():
    setattr(Unresolved, _name, _method)
