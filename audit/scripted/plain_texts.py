"""Texts in plain code: of which values they may be made, and what keeps them away from numpy.

The text of an object says where it stands, unless it was told a format: then it is that of a number or of a text, or
there is none. numpy makes texts of objects where it is told a type of texts, or where an object is put among texts.
"""

import re
from collections.abc import Sequence
from dis import Instruction, get_instructions
from functools import lru_cache
from types import CodeType
from typing import Any

_FORMAT = re.compile(r"(?:[^{}%]?[<>=^])?[-+ ]?#?0?[0-9]{0,3}[,_]?(?:\.[0-9]{1,3})?[bdeEfFgGosxX]?")
"""Formats that numbers and texts alone have: no `c`, by which a number becomes any text, and no settings of a place."""
APART = {"T", "copy", "imag", "item", "ndim", "real", "shape", "size", "tolist"}
"""What code may name of arrays where there are texts: none of it takes a type, or puts in more than one thing."""
_TAKES_TEXTS = {"choice", "permutation"}
"""Draws of numpy's that make arrays of what they are given."""
_LITERAL = {"LOAD_CONST", "BUILD_LIST", "BUILD_TUPLE", "LIST_EXTEND", "KW_NAMES"}
"""Steps that make a value of constants."""


def is_formatted(steps: Sequence[Instruction], i: int) -> bool:
    """Whether a step makes a text by a format that is a constant, and one of numbers and texts alone."""
    before = steps[i - 1]
    return (
        steps[i].opname == "FORMAT_VALUE"
        and steps[i].arg == 4
        and not steps[i].is_jump_target
        and before.opname == "LOAD_CONST"
        and type(before.argval) is str
        and before.argval != ""
        and _FORMAT.fullmatch(before.argval) is not None
    )


def has_text(value: Any) -> bool:
    """Whether a constant is a text, or holds one."""
    if type(value) is tuple or type(value) is frozenset:
        return any(map(has_text, value))
    return type(value) is str or type(value) is bytes


@lru_cache(maxsize=4096)
def loads_text(code: CodeType, left_out: frozenset[int]) -> bool:
    """Whether code loads a text, or what holds one, elsewhere than at some places."""
    return any(
        step.opname.endswith("_CONST") and i not in left_out and has_text(step.argval)
        for i, step in enumerate(get_instructions(code))
    )


@lru_cache(maxsize=4096)
def leads_to_numpy(code: CodeType, of_arrays: frozenset[str]) -> str:
    """What code does by which a text may get into an array, in words; empty where there is nothing.

    Args:
        code: It, without the code inside it, which does not name numpy.
        of_arrays: What it may name of arrays.
    """
    steps = list(get_instructions(code))
    for i, step in enumerate(steps):
        if not step.opname.endswith(("_ATTR", "_METHOD")):
            continue
        if step.argval in of_arrays - APART or (step.argval in _TAKES_TEXTS and not _is_of_constants(steps, i)):
            return f"it names {step.argval}, where there are arrays and texts"
    return ""


def _is_of_constants(steps: Sequence[Instruction], begin: int) -> bool:
    """Whether a method that a step loads is called with constants that hold no text."""
    if steps[begin].opname != "LOAD_METHOD":
        return False
    for step in steps[begin + 1 :]:
        if step.is_jump_target:
            return False
        if step.opname == "PRECALL":
            return True
        if step.opname not in _LITERAL or (step.opname == "LOAD_CONST" and has_text(step.argval)):
            return False
    return False
