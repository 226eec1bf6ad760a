"""Which steps plain code may take, and which names it may use: all others are none that are known."""

import builtins
import math
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from dis import Instruction, get_instructions
from fractions import Fraction
from functools import lru_cache
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GeneratorType,
    MemberDescriptorType,
    MethodType,
)
from typing import Any

from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.release import HALT
from dpcert.audit.scripted.generated import ITEM
from dpcert.audit.scripted.layouts import LAYOUTS_KNOWN
from dpcert.audit.scripted.plain_arrays import is_named_well
from dpcert.audit.scripted.plain_calls import HANDLED, catches_more, raised_at_once
from dpcert.audit.scripted.plain_sets import OF_SETS
from dpcert.audit.scripted.plain_texts import is_formatted

FUNCTIONS = {
    name: vars(builtins)[name]
    for name in (
        "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "int", "isinstance",
        "len", "list", "map", "max", "min", "pow", "range", "reversed", "round", "set", "sorted", "sum", "tuple", "zip",
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
"""What code may name of texts, lists, tuples, deques and dictionaries, beside `OF_SETS`. Nothing of numbers: it would
tell them apart."""
PARTS = {"denominator", "imag", "maxlen", "numerator", "real", "start", "step", "stop"}
"""Numbers that plain values are made of, by which code may name what is its own."""
BANNED_STEPS = (
    "MATCH_", "IMPORT_", "LOAD_BUILD_CLASS", "LOAD_CLASSDEREF", "IS_OP",
    "FORMAT_SIMPLE", "FORMAT_WITH", "CONVERT_", "BEFORE_WITH", "LOAD_NAME", "STORE_NAME", "SEND", "GET_AWAITABLE",
)  # fmt: skip
"""Steps of code that lead to what is not looked at: patterns, modules, classes made in a run, which object
something is, texts of objects."""
_TEXTS = " (a text of values is plain with a format, as in {x:d}, or in a ValueError that is raised at once)"
PATTERNS_KNOWN = sys.version_info[:2] == (3, 11)
"""Whether it is known how this Python writes down calls: on any other, plain code has none of `super` or numpy."""
_MET: tuple[Any, ...] = (
    int, float, complex, Fraction, str, bytes, tuple, list, dict, deque, range, set, frozenset, slice, type({}.keys()),
    FunctionType, MethodType, property, staticmethod, classmethod, BuiltinFunctionType, GeneratorType, CellType, type,
    super, math, type(HALT), MemberDescriptorType, ITEM,
)  # fmt: skip
"""Whose attributes code may meet without having made them."""


@frozen(slots=True)
class GlobalNames:
    """What the globals that code names stand for.

    Attributes:
        pythons: Those that are Python's own.
        numpys: Those that are numpy.
        errors: Those that are exceptions of the user's.
        with_texts: Whether texts of anything may go into errors, since these are no outcomes.
    """

    pythons: frozenset[str]
    numpys: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()
    with_texts: bool = False


@lru_cache(maxsize=4096)
def unusual(code: CodeType, names: GlobalNames) -> str:
    """What code does, or names, that plain code does not, in words; empty where there is nothing."""
    steps = list(get_instructions(code))
    if code.co_exceptiontable and not (
        PATTERNS_KNOWN and not catches_more(steps, HANDLED & names.pythons | names.errors)
    ):
        return "it catches errors"
    raised = raised_steps(code, names) if names.with_texts else frozenset()
    for i in range(len(steps)):
        why = _step(steps, i, names, is_raised=i in raised)
        if why:
            return why
    if not all(isinstance(part, CodeType) or is_constant(part) for part in code.co_consts):
        return "it has an unusual constant (a text with %, say)"
    inner = (unusual(part, names) for part in code.co_consts if isinstance(part, CodeType))
    return next(filter(None, inner), "")


@lru_cache(maxsize=4096)
def raised_steps(code: CodeType, names: GlobalNames) -> frozenset[int]:
    """The places of the steps that make what is handed to an error which is raised at once."""
    return frozenset(raised_at_once(list(get_instructions(code)), names.pythons) if PATTERNS_KNOWN else ())


def _step(steps: list[Instruction], i: int, names: GlobalNames, *, is_raised: bool) -> str:
    """What is unusual about a step."""
    step = steps[i]
    if step.opname == "FORMAT_VALUE" and not is_raised and not is_formatted(steps, i):
        return f"it has a step FORMAT_VALUE{_TEXTS}"
    if step.opname.startswith(BANNED_STEPS):
        return f"it has a step {step.opname}"
    if not LAYOUTS_KNOWN and (step.opname == "DELETE_SUBSCR" or step.argval in ("pop", "clear")):
        return "it takes something out of what may be a dictionary"
    if step.argval == "__class__" and step.opname != "LOAD_CLOSURE":
        return "it names __class__"
    if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") and (
        step.argval in vars(builtins) or step.argval in names.errors
    ):
        return f"it gives {step.argval} another meaning"
    if step.opname == "LOAD_GLOBAL" and step.argval == "super":
        return "" if _is_super(steps, i, names) else "it names super"
    if step.opname.endswith("_GLOBAL") and step.argval in names.numpys:
        is_known = PATTERNS_KNOWN and step.opname == "LOAD_GLOBAL" and is_named_well(steps, i)
        return "" if is_known else f"it names {step.argval} {steps[i + 1].argval}"
    if step.opname.endswith(("_ATTR", "_METHOD")) and not _is_plain_name(step.argval):
        begun = step.argval in ("__init__", "__call__") and i >= 3 and _is_super(steps, i - 3, names)
        of_numpy = i > 0 and steps[i - 1].opname == "LOAD_GLOBAL" and steps[i - 1].argval in names.numpys
        return "" if begun or of_numpy else f"it names {step.argval}"
    return ""


def _is_super(steps: list[Instruction], i: int, names: GlobalNames) -> bool:
    """Whether `super()` is called there, and a method of it asked for at once."""
    here = steps[i : i + 4]
    kinds = [step.opname for step in here]
    return (
        PATTERNS_KNOWN
        and kinds == ["LOAD_GLOBAL", "PRECALL", "CALL", "LOAD_METHOD"]
        and (here[0].argval, here[1].arg) == ("super", 0)
        and "super" in names.pythons
        and straight(here[1:])
    )


def nested(code: CodeType) -> Iterator[CodeType]:
    """Code, and the code inside it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from nested(part)


def straight(steps: Iterable[Instruction]) -> bool:
    """Whether no jump leads to any of these steps."""
    return not any(step.is_jump_target for step in steps)


def is_constant(value: Any) -> bool:
    """Whether a constant is plain, and no text by which others could be formatted."""
    if type(value) is tuple or type(value) is frozenset:
        return all(map(is_constant, value))
    if type(value) is str or type(value) is bytes:
        return not {"%", 37} & set(value)
    return value is None or (any(type(value) is one for one in (int, float, bool)) and value == value)


def _is_plain_name(name: str) -> bool:
    """Whether an attribute of this name is a user's own, one of plain values, or a function of math."""
    if name in METHODS or name in OF_SETS or name in OF_MATH or name in PARTS:
        return True
    return not name.startswith("__") and not any(hasattr(met, name) for met in _MET)
