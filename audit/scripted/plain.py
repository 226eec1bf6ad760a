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
from dpcert.audit.scripted.readable import SPACE, Origin, globals_read, origin_of_class, origin_of_function
from dpcert.audit.scripted.unknown import Unknown

FUNCTIONS = {
    name: vars(builtins)[name]
    for name in (
        "abs", "all", "any", "bool", "bytes", "chr", "dict", "divmod", "enumerate", "filter", "float", "int",
        "isinstance", "len", "list", "map", "max", "min", "ord", "pow", "property", "range", "reversed", "round",
        "sorted", "staticmethod", "str", "sum", "super", "tuple", "zip",
    )
}  # fmt: skip
"""Python's own functions and classes that code may name."""
OF_MATH = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "comb", "copysign", "cos", "cosh",
    "degrees", "dist", "e", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "factorial", "floor", "fmod", "frexp",
    "fsum", "gamma", "gcd", "hypot", "inf", "isclose", "isfinite", "isinf", "isnan", "isqrt", "lcm", "ldexp",
    "lgamma", "log", "log10", "log1p", "log2", "modf", "nextafter", "perm", "pi", "pow", "prod", "radians",
    "remainder", "sin", "sinh", "sqrt", "tan", "tanh", "tau", "trunc", "ulp",
}  # fmt: skip
"""What code may name of `math`: functions of numbers, and numbers that equal themselves."""
METHODS = {
    "append", "appendleft", "as_integer_ratio", "bit_count", "bit_length", "capitalize", "casefold", "center",
    "clear", "conjugate", "copy", "count", "decode", "denominator", "difference", "encode", "endswith",
    "expandtabs", "extend", "extendleft", "find", "from_bytes", "fromhex", "fromkeys", "get", "hex", "imag",
    "index", "indices", "insert", "intersection", "is_integer", "isalnum", "isalpha", "isascii", "isdecimal",
    "isdigit", "isdisjoint", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "issubset",
    "issuperset", "istitle", "isupper", "items", "join", "keys", "limit_denominator", "ljust", "lower", "lstrip",
    "maxlen", "numerator", "partition", "pop", "popitem", "popleft", "real", "remove", "removeprefix",
    "removesuffix", "replace", "reverse", "rfind", "rindex", "rjust", "rotate", "rpartition", "rsplit", "rstrip",
    "setdefault", "sort", "split", "splitlines", "start", "startswith", "step", "stop", "strip", "swapcase",
    "symmetric_difference", "title", "to_bytes", "union", "update", "upper", "values", "zfill",
}  # fmt: skip
"""What code may name of plain values."""
OF_CLASSES = {"__init__", "__call__"}
"""Names of Python's own that a class may define; `super().__init__` may be named as well."""
KEPT_BY_PYTHON = {
    "__module__", "__doc__", "__dict__", "__weakref__", "__qualname__", "__annotations__", "__firstlineno__",
    "__static_attributes__",
}  # fmt: skip
"""Names in a class that Python keeps, and that plain code has no way to read."""
BANNED_STEPS = ("MATCH_", "IMPORT_", "LOAD_BUILD_CLASS", "BUILD_SET", "SET_ADD", "SET_UPDATE", "LOAD_CLASSDEREF")
"""Steps of code that lead to what is not looked at: patterns, modules, classes made in a run, orders of sets."""
_MET: tuple[Any, ...] = (
    int, float, complex, Fraction, str, bytes, tuple, list, dict, deque, range, frozenset, slice, type({}.keys()),
    FunctionType, MethodType, property, staticmethod, classmethod, BuiltinFunctionType, GeneratorType, CellType, type,
    super, math,
)  # fmt: skip
"""Whose attributes code may meet without having made them."""
_KEYS = {int, str, bytes, bool, float, type(None)}
_GENERATORS = "dpcert.audit.scripted.generators"


def only_plain(roots: Iterable[Any], generator: Any) -> None:
    """Looks at all that can be reached from some values.

    Raises: Unknown: something is not so plain that all of it is known.
    """
    looker = _Looker(generator)
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
        if value is None or kind in (bool, int, str, bytes, range, Fraction) or value is self.generator:
            return
        if value is HALT and not vars(value):
            return
        if place_of(value) in self.seen:
            return
        self.seen[place_of(value)] = value
        if kind is float:
            if value != value:
                raise Unknown("it holds a number that is none")
        elif kind in (tuple, list, deque):
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
        elif kind is MethodType:
            self._all([value.__self__] if value.__self__ is self.generator else [value.__func__, value.__self__])
        elif kind is CellType:
            self._cell(value)
        elif kind is property:
            self._all([value.fget, value.fset, value.fdel])
        elif kind is staticmethod or kind is classmethod:
            self.look(value.__func__)
        elif kind is type or value is Fraction:
            self._class(value)
        elif kind is BuiltinFunctionType or kind is ModuleType:
            if not _is_known(value):
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
        if any(kind is known for known in FUNCTIONS.values()) or kind in (object, deque, Fraction) or _is_error(kind):
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
            self.look(original(value))

    def _function(self, function: FunctionType) -> None:
        origin = origin_of_function(function)
        if origin is Origin.OURS:
            self._ours(function)
            return
        if origin is not Origin.USERS:
            raise Unknown(f"it leads to {function.__qualname__}")
        self._code(function.__code__)
        for name in globals_read(function.__code__):
            if name in function.__globals__:
                self.look(original(function.__globals__[name]))
            elif not (name in FUNCTIONS and vars(builtins)[name] is FUNCTIONS[name]) and not _is_error(
                vars(builtins).get(name)
            ):
                raise Unknown(f"it names {name}")
        self._all(function.__closure__ or ())
        self._all([function.__defaults__, function.__kwdefaults__, vars(function)])

    def _ours(self, function: FunctionType) -> None:
        """A guard before something, which is what is looked at."""
        inner = original(function)
        inner = vars(function).get("__wrapped__") if inner is function else inner
        if inner is None:
            raise Unknown(f"it leads to {function.__qualname__}")
        self.look(inner)

    def _code(self, code: CodeType) -> None:
        why = unusual(code)
        if why:
            raise Unknown(why)
        for name in _attributes(code):
            if name.startswith("_") and hasattr(self.generator, name) and name != "__init__":
                raise Unknown(f"it names {name}")


def _is_key(key: Any) -> bool:
    return type(key) in _KEYS or (type(key) is tuple and all(map(_is_key, key)))


def _is_error(value: Any) -> bool:
    """Whether it is one of Python's own exceptions."""
    return type(value) is type and issubclass(value, BaseException) and vars(builtins).get(value.__name__) is value


def _is_known(value: Any) -> bool:
    """Whether a function or module is one that code may name."""
    if value is math or any(value is known for known in FUNCTIONS.values()):
        return True
    return any(value is original(vars(math).get(name)) for name in OF_MATH)


@cache
def unusual(code: CodeType) -> str:
    """What code does, or names, that plain code does not, in words; empty where there is nothing."""
    before: Any = None
    for step in get_instructions(code):
        if step.opname.startswith(BANNED_STEPS):
            return f"it has a step {step.opname}"
        if step.opname == "IS_OP" and not (before.opname == "LOAD_CONST" and _is_single(before.argval)):
            return "it asks which object something is"
        if step.opname.endswith(("_ATTR", "_METHOD")) and not _is_plain_name(step.argval):
            return f"it names {step.argval}"
        before = step
    for part in code.co_consts:
        why = (
            unusual(part) if isinstance(part, CodeType) else "" if _is_constant(part) else "it has an unusual constant"
        )
        if why:
            return why
    return ""


def _attributes(code: CodeType) -> set[str]:
    own = {str(step.argval) for step in get_instructions(code) if step.opname.endswith(("_ATTR", "_METHOD"))}
    return own.union(*(_attributes(part) for part in code.co_consts if isinstance(part, CodeType)))


def _is_single(value: Any) -> bool:
    """Whether there is one object alone of this value."""
    return value is None or value is True or value is False


def _is_constant(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return all(map(_is_constant, value))
    return value is None or type(value) in (int, float, str, bytes, bool)


def _is_plain_name(name: str) -> bool:
    """Whether an attribute of this name is a user's own, or one of plain values that code may name."""
    if name in METHODS or name in OF_MATH or name == "__init__":
        return True
    return not name.startswith("__") and not any(hasattr(met, name) for met in _MET)
