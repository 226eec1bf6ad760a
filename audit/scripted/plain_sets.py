"""Sets in plain code: what is in them, and never in which order they list it.

The order of a set is that of hashes, of texts another one in each process and of objects that of their addresses, and
of what it once held. So where there are sets nothing is gone through but a `range`, and nothing may go through what it
is handed: there are no lists, which `+=` lengthens by any set, and what is not known by name is not plain.
"""

import builtins
from collections.abc import Sequence
from dis import Instruction, get_instructions
from functools import lru_cache
from types import CodeType
from typing import Any

from dpcert.audit.scripted.plain_calls import HANDLED, RAISED, end_of_call, is_left_alone

MAKING = {"BUILD_SET", "SET_ADD", "SET_UPDATE"}
"""Steps that make a set, or put something into one."""
CLASSES = {"frozenset", "set"}
CALLED = {
    "abs", "bool", "divmod", "float", "frozenset", "int", "isinstance", "len", "pow", "range", "round", "set", "super",
}  # fmt: skip
"""Python's own functions and classes that code with sets may name."""
_OF_TWO = {"max", "min"}
"""Functions that go through what they are handed, unless they are handed two things or more."""
OF_SETS = {
    "add", "clear", "copy", "difference", "difference_update", "discard", "intersection", "intersection_update",
    "isdisjoint", "issubset", "issuperset", "remove", "symmetric_difference", "symmetric_difference_update", "union",
    "update",
}  # fmt: skip
"""What code may name of sets: not `pop`, which takes what comes first."""
_OF_OTHERS = {
    "capitalize", "casefold", "count", "endswith", "find", "get", "index", "isalpha", "isdigit", "islower", "isupper",
    "lower", "lstrip", "removeprefix", "removesuffix", "replace", "rfind", "rstrip", "setdefault", "startswith",
    "strip", "swapcase", "upper", "zfill",
}  # fmt: skip
"""What it may name of texts, tuples and dictionaries: nothing that goes through what it is handed, or makes a list."""
_GOING_THROUGH = {"choices", "dist", "fsum", "permutation", "prod", "sample", "shuffle"}
"""Draws and functions of `math` that go through what they are handed."""
_DICTIONARIES = {"BUILD_MAP", "BUILD_CONST_KEY_MAP", "MAP_ADD"}
_STEPS = MAKING | _DICTIONARIES | {
    "BINARY_OP", "BINARY_SUBSCR", "BUILD_STRING", "BUILD_TUPLE", "CALL", "CHECK_EXC_MATCH", "COMPARE_OP",
    "CONTAINS_OP", "COPY", "COPY_FREE_VARS", "DELETE_FAST", "DELETE_SUBSCR", "EXTENDED_ARG", "FORMAT_VALUE", "FOR_ITER",
    "GET_ITER", "JUMP_BACKWARD", "JUMP_FORWARD", "JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP", "KW_NAMES",
    "LOAD_ATTR", "LOAD_CLOSURE", "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_METHOD", "MAKE_CELL",
    "MAKE_FUNCTION", "NOP", "POP_EXCEPT", "POP_TOP", "PRECALL", "PUSH_EXC_INFO", "PUSH_NULL", "RAISE_VARARGS",
    "RERAISE", "RESUME", "RETURN_GENERATOR", "RETURN_VALUE", "STORE_ATTR", "STORE_DEREF", "STORE_FAST", "STORE_GLOBAL",
    "STORE_SUBSCR", "SWAP", "UNARY_INVERT", "UNARY_NEGATIVE", "UNARY_NOT", "UNARY_POSITIVE", "YIELD_VALUE",
    *(f"POP_JUMP_{way}_IF_{what}" for way in ("BACKWARD", "FORWARD") for what in ("FALSE", "NONE", "NOT_NONE", "TRUE")),
}  # fmt: skip
"""Steps that go through nothing, but for GET_ITER, which is looked at."""
ERRORS = HANDLED | RAISED | {"AssertionError", "BaseException", "Exception", "TypeError"}
"""Python's own errors that code with sets may name: others, as SyntaxError, go through what they are made of."""


@lru_cache(maxsize=4096)
def makes_sets(code: CodeType, pythons: frozenset[str]) -> bool:
    """Whether code, without the code inside it, makes a set, or names their classes."""
    return any(
        step.opname in MAKING or (step.opname == "LOAD_GLOBAL" and step.argval in CLASSES & pythons)
        for step in get_instructions(code)
    )


@lru_cache(maxsize=4096)
def makes_dictionaries(code: CodeType) -> bool:
    """Whether code, without the code inside it, makes a dictionary."""
    return bool(code.co_flags & 8) or any(step.opname in _DICTIONARIES for step in get_instructions(code))


def is_called_with_sets(value: Any) -> bool:
    """Whether a function or class of Python's own may be a value where there are sets."""
    return any(value is vars(builtins)[name] for name in CALLED | ERRORS)


@lru_cache(maxsize=4096)
def unusual_with_sets(code: CodeType, pythons: frozenset[str], known: frozenset[str], *, dictionaries: bool) -> str:
    """What code does that is not plain where there are sets, in words; empty where there is nothing.

    Args:
        code: It, without the code inside it.
        pythons: The globals that are Python's own.
        known: Names of `math` and of parts of numbers, which code may use.
        dictionaries: Whether there are any, into which a set of pairs can be put in its order.
    """
    steps = list(get_instructions(code))
    ranges = _ranges(steps, pythons)
    for i, step in enumerate(steps):
        why = _step(steps, i, pythons, known)
        if step.opname == "GET_ITER" and i not in ranges:
            why = "it goes through something that is no range"
        if dictionaries and (step.argval == "update" or (step.opname == "BINARY_OP" and step.argrepr == "|=")):
            why = "it puts something into what may be a dictionary"
        if why:
            return f"{why}, where there are sets"
    return ""


def _step(steps: Sequence[Instruction], i: int, pythons: frozenset[str], known: frozenset[str]) -> str:
    """What is unusual about a step."""
    step = steps[i]
    if step.opname not in _STEPS:
        return f"it has a step {step.opname}"
    if step.opname == "LOAD_GLOBAL" and step.argval in pythons and not _is_plain_global(steps, i):
        return f"it names {step.argval}"
    if step.opname.endswith(("_ATTR", "_METHOD")) and not _is_plain_name(step.argval, known):
        return f"it names {step.argval}"
    return ""


def _is_plain_global(steps: Sequence[Instruction], i: int) -> bool:
    """Whether a name of Python's own stands for an error, or for what goes through nothing that it is handed."""
    name = steps[i].argval
    if name in CALLED or name in ERRORS:
        return True
    end = end_of_call(steps, i) if name in _OF_TWO and (steps[i].arg or 0) & 1 else None
    if end is None or steps[end - 1].opname == "KW_NAMES":
        return False
    return (steps[end].arg or 0) >= 2 and is_left_alone(steps, i)


def _is_plain_name(name: str, known: frozenset[str]) -> bool:
    """Whether an attribute of this name goes through nothing: a user's own, of sets, of numbers or of `math`."""
    if name in _GOING_THROUGH:
        return False
    if name in OF_SETS or name in _OF_OTHERS or name in known or name in ("__init__", "__call__"):
        return True
    met = BaseException, BaseExceptionGroup, str, bytes, list, tuple, dict, set, frozenset, range
    return not any(hasattr(one, name) for one in met)


def _ranges(steps: Sequence[Instruction], pythons: frozenset[str]) -> set[int]:
    """The places where a range is gone through that was made at once before."""
    places = set()
    for i, step in enumerate(steps):
        if (step.opname, step.argval) != ("LOAD_GLOBAL", "range") or "range" not in pythons or not (step.arg or 0) & 1:
            continue
        end = end_of_call(steps, i)
        if end is None or [one.opname for one in steps[end + 1 : end + 3]] != ["CALL", "GET_ITER"]:
            continue
        if not any(one.is_jump_target for one in steps[end + 1 : end + 3]):
            places.add(end + 2)
    return places
