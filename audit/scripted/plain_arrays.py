"""What plain code may do with arrays of numpy: what depends on their numbers alone, and never on where they lie.

Elements are computed one by one where every one is exact or correctly rounded; sums are numpy's own, whose order is
that of the places in the array. Products of matrices are left to libraries that may look at addresses, and powers (but
squares) and exponentials to loops of which nobody says that they round alike; they are not plain.
"""

import sys
from dis import Instruction, get_instructions
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from dpcert.audit.scripted.plain_calls import is_left_alone, without_names
from dpcert.audit.scripted.unknown import Unknown

CALLED = {
    "abs", "absolute", "add", "all", "any", "append", "arange", "argmax", "argmin", "array", "array_equal", "asarray",
    "ceil", "clip", "concatenate", "copy", "cumsum", "divide", "floor", "full", "max", "maximum", "mean", "min",
    "minimum", "multiply", "ones", "ones_like", "rint", "round", "sign", "sqrt", "subtract", "sum", "where", "zeros",
    "zeros_like",
}  # fmt: skip
"""Functions of numpy that code may call, at once where it names them."""
NAMED = {"bool_", "e", "float64", "inf", "int64", "pi"}
"""Types and numbers of numpy that code may name."""
OF_ARRAYS = frozenset({
    "T", "all", "any", "argmax", "argmin", "astype", "clip", "copy", "cumsum", "fill", "imag", "item", "max", "mean",
    "min", "ndim", "real", "round", "shape", "size", "sum", "tolist",
})  # fmt: skip
"""What code may name of arrays and of their numbers."""
BANNED_NAMES = {"sort", "_asdict", "_fields", "_field_defaults", "pow"}
"""What leads to texts or to orders of equal numbers, and a function of powers."""
BANNED_OPERATIONS = {"@", "@=", "**", "**="}
"""Operations whose loops may go otherwise at other addresses; squares, which are products of elements, do not."""
_ASKED = "geterr", "geterrcall", "get_printoptions"
"""Functions of numpy that say what it calls of others."""
SCALARS = {"bool", "bool_", "float64", "int64"}
"""Types of numbers of numpy that may be kept, by name."""
_KINDS = {"bool", "float64", "int64"}
"""Types of items of arrays that may be kept, by name."""


def loaded() -> Any:
    """numpy, where it was loaded."""
    return sys.modules.get("numpy")


def is_numpy(value: Any) -> bool:
    """Whether it is numpy itself."""
    return type(value) is ModuleType and value is loaded()


def is_number(value: Any) -> bool:
    """Whether it is a number of numpy that may be kept. Raises: Unknown: it is none that equals itself."""
    numpy = loaded()
    if numpy is None or not any(type(value) is getattr(numpy, name) for name in SCALARS - {"bool"}):
        return False
    if value != value:
        raise Unknown("it holds a number that is none")
    return True


def is_array(value: Any) -> bool:
    """Whether it is an array that may be kept: it has its memory to itself, and in the usual order.

    Raises: Unknown: it is an array of another kind.
    """
    numpy = loaded()
    if numpy is None or type(value) is not numpy.ndarray:
        return False
    kind = next((one for one in map(numpy.dtype, sorted(_KINDS)) if value.dtype is one), None)
    if kind is None:
        raise Unknown(f"an array has items of {value.dtype}")
    flags, steps = value.flags, value.itemsize
    for length, stride in zip(reversed(value.shape), reversed(value.strides), strict=True):
        if stride != steps and value.size:
            raise Unknown("an array lies in memory in an unusual order")
        steps *= length
    if value.base is not None or not (flags.owndata and flags.aligned and flags.writeable and flags.c_contiguous):
        raise Unknown("an array has no memory of its own, or is read only")
    if kind == numpy.float64 and bool(numpy.isnan(value).any()):
        raise Unknown("it holds a number that is none")
    return True


def unchanged() -> None:
    """Raises: Unknown: what code may name of numpy is not numpy's."""
    numpy = loaded()
    for name in CALLED:
        value = vars(numpy).get(name)
        if not _is_genuine(numpy, name, value):
            raise Unknown(f"numpy.{name} was changed")
    if not all(_is_genuine(numpy, name, vars(numpy).get(name)) for name in _ASKED):
        raise Unknown("what numpy says of its settings was changed")
    if any(numpy.get_printoptions().get(option) is not None for option in ("formatter", "override_repr")):
        raise Unknown("numpy calls something where arrays are written (numpy.set_printoptions)")
    if numpy.geterrcall() is not None or {"call", "log"} & set(numpy.geterr().values()):
        raise Unknown("numpy calls something where numbers are too large (numpy.seterrcall)")


def _is_genuine(numpy: Any, name: str, value: Any) -> bool:
    """Whether a function stands in numpy, or in one of its parts, under its own name."""
    kind = type(value)
    if kind is numpy.ufunc:
        return bool(value.__name__ == {"abs": "absolute"}.get(name, name))
    if kind is FunctionType:
        home = sys.modules.get(value.__globals__.get("__name__", ""))
        return home is not None and home.__name__.startswith("numpy.") and vars(home).get(value.__name__) is value
    is_written_in_c = kind is BuiltinFunctionType or kind is type(numpy.zeros_like)
    return is_written_in_c and (value.__module__, value.__name__) == ("numpy", name)


def is_named_well(steps: list[Instruction], i: int) -> bool:
    """Whether what follows a step that gives numpy is a name that code may use, and is called where it is one."""
    following = steps[i + 1]
    if following.is_jump_target:
        return False
    if following.opname == "LOAD_METHOD":  # which is written where the call follows at once, and nowhere else
        return following.argval in NAMED or following.argval in CALLED
    if following.opname != "LOAD_ATTR":
        return False
    is_called = bool((steps[i].arg or 0) & 1) and following.argval in CALLED
    return following.argval in NAMED or (is_called and is_left_alone(steps, i + 1))


@lru_cache(maxsize=4096)
def unusual_with_arrays(code: CodeType, pythons: frozenset[str], numpys: frozenset[str]) -> str:
    """What code does that is not plain where arrays may be met, in words; empty where there is nothing.

    Args:
        code: It, without the code inside it; its texts are looked at elsewhere.
        pythons, numpys: The globals that are Python's own, and those that stand for numpy.
    """
    if code.co_flags & 8:
        return "it takes any names, which are texts"
    before: Instruction | None = None
    steps = list(get_instructions(code))
    named = without_names(steps, pythons)
    for i, step in enumerate(steps):
        if step.opname == "LOAD_GLOBAL" and step.argval == "dict" and i not in named:
            return "it names dict, where there are arrays"
        of_numpy = before is not None and before.opname == "LOAD_GLOBAL" and before.argval in numpys
        why = "" if _is_square(steps, i) else _step(code, step, of_numpy=of_numpy)
        if why:
            return f"{why}, where there are arrays"
        before = step
    return ""


def _is_square(steps: list[Instruction], i: int) -> bool:
    """Whether a step takes a square, whatever of: numpy multiplies, and in a number alone there is no address."""
    step, before = steps[i], steps[i - 1]
    return (
        step.opname == "BINARY_OP"
        and step.argrepr in ("**", "**=")
        and not step.is_jump_target
        and before.opname == "LOAD_CONST"
        and type(before.argval) is int
        and before.argval == 2
    )


def _step(code: CodeType, step: Instruction, *, of_numpy: bool) -> str:
    """What is unusual about a step."""
    name = step.argval
    if step.opname == "KW_NAMES" and "where" in code.co_consts[step.arg or 0]:
        return "it names where"
    if step.opname == "BINARY_OP" and step.argrepr in BANNED_OPERATIONS:
        return f"it has an operation {step.argrepr}"
    if step.opname == "LOAD_GLOBAL" and name in BANNED_NAMES:
        return f"it names {name}"
    if step.opname.endswith(("_ATTR", "_METHOD")) and not of_numpy and not _is_plain_name(name):
        return f"it names {name}"
    return ""


def _is_plain_name(name: str) -> bool:
    """Whether it is a user's own name, or one of arrays that code may use."""
    numpy = loaded()
    met = numpy.ndarray, numpy.int64, numpy.float64, numpy.bool_, numpy.object_
    if name in BANNED_NAMES:
        return False
    return name in OF_ARRAYS or name == "__init__" or not any(hasattr(one, name) for one in met)
