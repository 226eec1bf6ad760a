"""Which code is so plain that nothing is left unseen of what it keeps: its states alone are merged.

Python has more ways to tell two objects apart than a list of what they hold can name: identity of what a library keeps,
caches behind classes, names of functions, flags of texts. So this names what code may use, not what it must not: plain
values in lists, tuples and dictionaries, attributes of plain classes, plain functions, some of Python's own, some of
`math`, and the generator. Everything else is run as it is, through all that it may draw.
"""

import builtins
import math
from collections import deque
from collections.abc import Iterable
from dis import get_instructions
from fractions import Fraction
from functools import cache
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any

from dpcert.audit.kernels.release import HALT
from dpcert.audit.outside.watching import original, place_of
from dpcert.audit.scripted.readable import (
    SPACE,
    Origin,
    attributes_named,
    globals_read,
    origin_of_class,
    origin_of_function,
)
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.unresolved_math import WRAPPED

FUNCTIONS = {
    name: vars(builtins)[name]
    for name in (
        "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "int", "isinstance", "len",
        "list", "map", "max", "min", "pow", "range", "reversed", "round", "sorted", "sum", "tuple", "zip",
    )
}  # fmt: skip
"""Python's own functions and classes that code may name: none whose answers rest on where something stands."""
OF_MATH = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "comb", "copysign", "cos", "cosh",
    "degrees", "dist", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "factorial", "floor", "fmod", "fsum",
    "gamma", "gcd", "hypot", "isclose", "isfinite", "isinf", "isnan", "isqrt", "lcm", "ldexp", "lgamma", "log",
    "log10", "log1p", "log2", "nextafter", "perm", "pow", "prod", "radians", "remainder", "sin", "sinh", "sqrt",
    "tan", "tanh", "trunc", "ulp",
}  # fmt: skip
"""Functions of numbers that code may call of `math`, which itself holds no other number that code could meet."""
METHODS = {
    "append", "appendleft", "capitalize", "casefold", "clear", "copy", "count", "endswith", "extend", "extendleft",
    "find", "get", "index", "insert", "isalpha", "isdigit", "islower", "isupper", "join", "lower", "lstrip", "pop",
    "popleft", "remove", "removeprefix", "removesuffix", "replace", "reverse", "rfind", "rotate", "rstrip",
    "setdefault", "sort", "split", "startswith", "strip", "swapcase", "update", "upper", "values", "zfill",
}  # fmt: skip
"""What code may name of texts, lists, tuples, deques and dictionaries. Nothing of numbers: it would tell them apart."""
PARTS = {"denominator", "imag", "maxlen", "numerator", "real", "start", "step", "stop"}
"""Numbers that plain values are made of, by which code may name what is its own."""
DRAWS = {
    "choice", "choices", "getrandbits", "integers", "randint", "random", "randrange", "sample", "shuffle",
    "uniform",
}  # fmt: skip
"""What code may name of the generator."""
OF_CLASSES = {"__init__", "__call__"}
"""Names of Python's own that a class may define; code may name none of them."""
KEPT_BY_PYTHON = {
    "__module__", "__doc__", "__dict__", "__weakref__", "__qualname__", "__annotations__", "__firstlineno__",
    "__static_attributes__",
}  # fmt: skip
"""Names in a class that Python keeps, and that plain code has no way to read."""
BANNED_STEPS = (
    "MATCH_", "IMPORT_", "LOAD_BUILD_CLASS", "BUILD_SET", "SET_ADD", "SET_UPDATE", "LOAD_CLASSDEREF", "IS_OP",
    "FORMAT_", "CONVERT_", "BUILD_STRING", "BEFORE_WITH", "LOAD_NAME", "STORE_NAME", "SEND", "GET_AWAITABLE",
)  # fmt: skip
"""Steps of code that lead to what is not looked at: patterns, modules, classes made in a run, orders of sets, which
object something is, texts of objects."""
_MET: tuple[Any, ...] = (
    int, float, complex, Fraction, str, bytes, tuple, list, dict, deque, range, frozenset, slice, type({}.keys()),
    FunctionType, MethodType, property, staticmethod, classmethod, BuiltinFunctionType, GeneratorType, CellType, type,
    super, math, type(HALT),
)  # fmt: skip
"""Whose attributes code may meet without having made them."""
_PLAIN = (bool, int, range, Fraction)
_KEYS = (int, str, bytes, bool, float, type(None))
_BEFORE = {id(owner): dict(vars(owner)) for owner in (math, Fraction, type(HALT))}
"""What can be changed of those, as it was when this was read."""


def only_plain(roots: Iterable[Any], generator: Any) -> None:
    """Looks at all that can be reached from some values.

    Raises: Unknown: something is not so plain that all of it is known.
    """
    looker = _Looker(generator)
    _unchanged()
    try:
        for root in roots:
            looker.look(root)
    except RecursionError:
        raise Unknown("it is nested too deeply") from None


class _Looker:
    """Looks at everything once."""

    def __init__(self, generator: Any) -> None:
        self.generator = generator
        self.seen: dict[int, Any] = {}

    def look(self, value: Any) -> None:
        """Raises: Unknown: it is nothing plain."""
        kind = type(value)
        if kind is str or kind is bytes:
            if not _is_constant(value):
                raise Unknown("it holds a text by which others can be formatted")
            return
        if value is None or value is self.generator or value is HALT or _among(kind, _PLAIN):
            return
        if place_of(value) in self.seen:
            return
        self.seen[place_of(value)] = value
        if kind is float:
            if value != value:
                raise Unknown("it holds a number that is none")
        elif _among(kind, (tuple, list, deque)):
            self._all(value)
        elif kind is dict:
            self._dictionary(value)
        else:
            self._other(kind, value)

    def _all(self, values: Iterable[Any]) -> None:
        for value in values:
            self.look(value)

    def _dictionary(self, value: dict[Any, Any]) -> None:
        for key, item in value.items():
            if not _is_key(key):
                raise Unknown(f"a key is a {type(key).__name__}")
            self.look(key)
            self.look(item)

    def _other(self, kind: type, value: Any) -> None:
        if kind is FunctionType:
            self._function(value)
        elif kind is CellType:
            self._cell(value)
        elif kind is type or value is Fraction:
            self._class(value)
        elif kind is BuiltinFunctionType or kind is ModuleType:
            if value is not math and not _among(value, FUNCTIONS.values()):
                raise Unknown(f"it leads to {getattr(value, '__name__', 'a function')}")
        else:
            self._object(kind, value)

    def _cell(self, value: CellType) -> None:
        try:
            inside = value.cell_contents
        except ValueError:
            return
        self.look(inside)

    def _object(self, kind: type, value: Any) -> None:
        """An object of a plain class; what it holds is in its own dictionary."""
        if type(kind) is not type or origin_of_class(kind) is not Origin.USERS:
            raise Unknown(f"it holds a {kind.__name__}")
        self.look(kind)
        reader = next((SPACE.__get__(k)["__dict__"] for k in kind.__mro__ if "__dict__" in SPACE.__get__(k)), None)
        if reader is None:
            raise Unknown(f"a {kind.__name__} has slots")
        self._dictionary(reader.__get__(value))

    def _class(self, kind: Any) -> None:
        """One of Python's own that code may name, or a plain one of the user's."""
        if _among(kind, (*FUNCTIONS.values(), object, deque, Fraction)) or _is_error(kind):
            return
        if origin_of_class(kind) is not Origin.USERS or any(
            origin_of_class(k) is not Origin.USERS for k in kind.__mro__[:-1]
        ):
            raise Unknown(f"it leads to {kind.__name__}")
        self._all(kind.__bases__)
        for name, value in SPACE.__get__(kind).items():
            if name in KEPT_BY_PYTHON:
                continue
            if name.startswith("__") and name not in OF_CLASSES:
                raise Unknown(f"{kind.__name__} has {name}")
            self._all([value.fget, value.fset, value.fdel] if type(value) is property else [original(value)])

    def _function(self, function: FunctionType) -> None:
        space, own = function.__globals__, getattr(function, "__builtins__", None)
        if type(space) is not dict or own is not vars(builtins) or vars(function):
            raise Unknown(f"{function.__qualname__} is no plain function")
        if origin_of_function(function) is not Origin.USERS:
            raise Unknown(f"it leads to {function.__qualname__}")
        self._code(function.__code__)
        for name in globals_read(function.__code__):
            if name in space:
                self.look(original(space[name]))
            elif not _among(vars(builtins).get(name), FUNCTIONS.values()) and not _is_error(vars(builtins).get(name)):
                raise Unknown(f"it names {name}")
        self._all(function.__closure__ or ())
        self._all([function.__defaults__, function.__kwdefaults__])

    def _code(self, code: CodeType) -> None:
        why = unusual(code)
        if why:
            raise Unknown(why)
        for name in attributes_named(code):
            if name not in DRAWS and hasattr(self.generator, name):
                raise Unknown(f"it names {name}")


def _among(value: Any, known: Iterable[Any]) -> bool:
    """Whether it is one of these very objects: a user's == is not asked."""
    return any(value is one for one in known)


def _is_key(key: Any) -> bool:
    return _among(type(key), _KEYS) or (type(key) is tuple and all(map(_is_key, key)))


def _is_error(value: Any) -> bool:
    """Whether it is one of Python's own exceptions."""
    return type(value) is type and issubclass(value, BaseException) and vars(builtins).get(value.__name__) is value


def _unchanged() -> None:
    """Raises: Unknown: something that libraries hold is not what it was."""
    for owner in (math, Fraction, type(HALT)):
        before, now = _BEFORE[id(owner)], vars(owner)
        if now.keys() != before.keys() or not all(
            now[name] is value or (owner is math and now[name] is WRAPPED.get(name)) for name, value in before.items()
        ):
            raise Unknown(f"{owner.__name__} was changed")
    if any(vars(function).keys() != {"__wrapped__"} for function in WRAPPED.values()):
        raise Unknown("something is kept on a function of math")
    if vars(HALT):
        raise Unknown("something is kept on HALT")


@cache
def unusual(code: CodeType) -> str:
    """What code does, or names, that plain code does not, in words; empty where there is nothing."""
    if code.co_exceptiontable:
        return "it catches errors"
    for step in get_instructions(code):
        if step.opname.startswith(BANNED_STEPS):
            return f"it has a step {step.opname}"
        if step.opname.endswith(("_ATTR", "_METHOD")) and not _is_plain_name(step.argval):
            return f"it names {step.argval}"
    if not all(isinstance(part, CodeType) or _is_constant(part) for part in code.co_consts):
        return "it has an unusual constant"
    inner = (unusual(part) for part in code.co_consts if isinstance(part, CodeType))
    return next(filter(None, inner), "")


def _is_constant(value: Any) -> bool:
    """Whether a constant is plain, and no text by which others could be formatted."""
    if type(value) is tuple or type(value) is frozenset:
        return all(map(_is_constant, value))
    if type(value) is str or type(value) is bytes:
        return not {"%", 37} & set(value)
    return value is None or _among(type(value), (int, float, bool))


def _is_plain_name(name: str) -> bool:
    """Whether an attribute of this name is a user's own, one of plain values, or a function of math."""
    if name in METHODS or name in OF_MATH or name in PARTS:
        return True
    return not name.startswith("__") and not any(hasattr(met, name) for met in _MET)
