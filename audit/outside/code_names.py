"""What code names, imports and stores, by its own account: nothing of it is run."""

import bisect
import heapq
import operator
from collections import deque
from dis import Instruction, get_instructions
from functools import lru_cache, partial
from itertools import dropwhile, pairwise
from types import CodeType
from typing import Any


def names_of(code: CodeType) -> list[str]:
    """Every name that code and the code inside it reads from somewhere else."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= dict.fromkeys(names_of(constant))
    return list(names)


@lru_cache(maxsize=4_096)
def asked_of(code: CodeType) -> tuple[str, ...]:
    """The same, and texts by which it may ask for attributes."""
    names = names_of(code)
    if _BY_TEXT.isdisjoint(names):
        return tuple(names)
    parts = deque([code])
    while parts:
        for constant in parts.popleft().co_consts:
            if isinstance(constant, CodeType):
                parts.append(constant)
            elif isinstance(constant, str):
                names.append(constant)
    return tuple(dict.fromkeys(names))


@lru_cache(maxsize=4_096)
def imported_by(code: CodeType) -> tuple[str, ...]:
    """The modules that code imports when it runs, with the packages in which they stand."""
    named = [step.argval for step in get_instructions(code) if step.opname == "IMPORT_NAME"]
    whole = [".".join(name.split(".")[: n + 1]) for name in named for n in range(name.count(".") + 1)]
    return (*whole, *(name for part in code.co_consts if isinstance(part, CodeType) for name in imported_by(part)))


@lru_cache(maxsize=4_096)
def taken_from(code: CodeType) -> tuple[tuple[str, str], ...]:
    """(module, name) of what code imports out of modules when it runs; the name is empty where it is the module."""
    found, module = list[tuple[str, str]](), ""
    for step in get_instructions(code):
        if step.opname == "IMPORT_NAME":
            module = step.argval
            found.append((module, ""))
        elif step.opname == "IMPORT_FROM":
            found.append((module, step.argval))
    return (*found, *(one for part in code.co_consts if isinstance(part, CodeType) for one in taken_from(part)))


@lru_cache(maxsize=4_096)
def makes_up_names(code: CodeType) -> bool:
    """Whether code may ask for attributes by names that do not stand in it: `getattr`, but of a name and a text."""
    steps = [step for step in get_instructions(code) if step.opname not in _BETWEEN]
    asking = (n for n, step in enumerate(steps) if step.argval == "getattr" and step.opname != "LOAD_CONST")
    if any(not _asks_by_a_text(steps[n + 1 :]) for n in asking):
        return True
    return any(makes_up_names(part) for part in code.co_consts if isinstance(part, CodeType))


def _asks_by_a_text(steps: list[Instruction]) -> bool:
    """Whether it is called at once: of a name, or of what is read off one, by a text, perhaps with something else."""
    rest = [step for step in steps[:1] if step.opname in _OF_A_NAME]
    after = list(dropwhile(lambda step: step.opname == "LOAD_ATTR", steps[1:])) if rest else []
    by_a_text = bool(after) and after[0].opname == "LOAD_CONST" and isinstance(after[0].argval, str)
    instead = [step for step in after[1:2] if step.opname == "LOAD_CONST" or step.opname in _OF_A_NAME]
    return by_a_text and [step.opname for step in after[1 + len(instead) :][:1]] == ["CALL"]


@lru_cache(maxsize=4_096)
def stores(code: CodeType) -> bool:
    """Whether code looks as if it changed something that is not its own: by what it does, or by what it calls."""
    for step in get_instructions(code):
        if step.opname in _STORING or (
            step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in code.co_freevars
        ):
            return True
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return not CHANGING.isdisjoint(asked_of(code)) or makes_up_names(code) or any(map(stores, inner))


@lru_cache(maxsize=4_096)
def in_place(code: CodeType) -> frozenset[str]:
    """The signs by which code may change what others have: `s |= more` changes a set for all who have it."""
    own = {step.argrepr for step in get_instructions(code) if step.opname == "BINARY_OP" and step.argrepr[-1:] == "="}
    return frozenset(own.union(*(in_place(part) for part in code.co_consts if isinstance(part, CodeType))))


IN_PLACE: dict[type, frozenset[str]] = {
    list: frozenset(("+=", "*=")), deque: frozenset(("+=", "*=")), set: frozenset(("|=", "&=", "-=", "^=")),
    dict: frozenset(("|=",)),
}  # fmt: skip
"""The signs that change a container of Python's."""


@lru_cache(maxsize=4_096)
def asks_which_object(code: CodeType, but: tuple[Any, ...]) -> bool:
    """Whether code asks of anything but certain constants whether it is that very object; inner code is not read."""
    steps = [step for step in get_instructions(code) if step.opname not in ("CACHE", "EXTENDED_ARG")]
    return any(
        step.opname == "IS_OP" and not (before.opname == "LOAD_CONST" and any(before.argval is one for one in but))
        for before, step in pairwise(steps)
    )


OF_DATACLASSES = "__create_fn__."
"""How the names of functions begin that `dataclasses` writes."""
_BY_TEXT = {"getattr", "hasattr", "setattr", "delattr"}
_BETWEEN = {"CACHE", "EXTENDED_ARG", "PRECALL", "PUSH_NULL", "RESUME"}
_OF_A_NAME = {"LOAD_FAST", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"}
_STORING = {
    "STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_SUBSCR", "DELETE_SUBSCR", "IMPORT_NAME",
    "YIELD_VALUE",
}  # fmt: skip
_IN_PLACE_METHODS = {
    "__iadd__", "__iand__", "__iconcat__", "__ifloordiv__", "__ilshift__", "__imatmul__", "__imod__", "__imul__",
    "__ior__", "__ipow__", "__irshift__", "__isub__", "__itruediv__", "__ixor__",
}  # fmt: skip
_READING = {
    "copy", "count", "index", "get", "items", "keys", "values", "fromkeys", "difference", "intersection", "isdisjoint",
    "issubset", "issuperset", "symmetric_difference", "union", "maxlen", "func", "args", "keywords",
    "__class__", "__name__", "__doc__", "__len__", "__contains__", "__iter__", "__reversed__", "__getitem__", "__eq__",
    "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__add__", "__mul__", "__rmul__", "__and__", "__or__",
    "__sub__", "__xor__", "__rand__", "__ror__", "__rsub__", "__rxor__", "__repr__", "__str__", "__format__",
    "__sizeof__", "__getattribute__", "__call__", "__copy__", "__class_getitem__", "__module__", "__dir__", "__new__",
    "__subclasshook__", "__init_subclass__", "__getstate__", "__reduce__", "__reduce_ex__", "__vectorcalloffset__",
}  # fmt: skip
"""What reads a container or a partial call, and leaves it as it is."""
CHANGING = {
    *(name for kind in (list, dict, set, deque, partial) for name in dir(kind) if name not in _READING),
    *(name for name in dir(operator) if name in ("setitem", "delitem") or f"__{name}__" in _IN_PLACE_METHODS),
    *_IN_PLACE_METHODS, *(name for name in dir(heapq) if "heap" in name), *(n for n in dir(bisect) if "insort" in n),
    "next", "setattr", "delattr", "vars", "globals", "locals", "exec", "eval", "__import__", "import_module", "send",
    "write", "open", "super", "subtract", "move_to_end", "__next__", "seed", "shuffle", "setstate", "fill", "put",
    "itemset", "resize", "setflags", "cache_clear", "reduce", "update_wrapper", "wraps",
}  # fmt: skip
