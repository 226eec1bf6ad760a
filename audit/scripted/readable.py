"""Whose functions and classes are the user's, and which names code reads."""

import sys
from dis import get_instructions
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from dpcert.audit.layout import is_in_python

_MODULE: Any = vars(type)["__module__"]
_NAME: Any = vars(type)["__qualname__"]
_OURS = "dpcert.audit"


def _is_users_module(name: object) -> bool:
    """Whether what stands in a module of this name is the user's, and written in Python."""
    if name is None or name == "__main__":
        return True  # what was executed from a text has no module
    if not isinstance(name, str) or f"{name}.".startswith(f"{_OURS}.") or name == "builtins":
        return False
    if name.partition(".")[0] in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is None or (str(file).endswith(".py") and "site-packages" not in str(file))


def is_users_function(function: FunctionType) -> bool:
    """Whether a function is the user's, by the namespace that it reads."""
    space = function.__globals__
    name = space.get("__name__")
    return _is_users_module(name) or vars(sys.modules.get(str(name), sys)) is not space


def is_users_class(kind: type) -> bool:
    """Whether a class is the user's; one that does not stand where it says was made by a library for them."""
    if not kind.__flags__ & (1 << 9):  # a part of the interpreter, or of a compiled module
        return False
    module = _MODULE.__get__(kind)
    if not _is_users_module(module):
        stands: Any = sys.modules.get(str(module))
        for part in _NAME.__get__(kind).split("."):
            stands = vars(stands).get(part) if hasattr(stands, "__dict__") else None
        if stands is kind:
            return False
    return is_in_python(kind)


def functions_of(part: Any) -> list[FunctionType]:
    """The functions that an attribute of a class is, or leads to: also those that Python has written."""
    parts = (part.fget, part.fset, part.fdel) if type(part) is property else (getattr(part, "__func__", part),)
    return [one for one in parts if type(one) is FunctionType]


@lru_cache(maxsize=4096)
def globals_read(code: CodeType) -> tuple[str, ...]:
    """The names of its namespace that code reads or writes, and the code inside it, in order."""
    names = [str(s.argval) for s in get_instructions(code) if s.opname.endswith(("_GLOBAL", "_NAME", "_CLASSDEREF"))]
    inner = [name for part in code.co_consts if isinstance(part, CodeType) for name in globals_read(part)]
    return tuple(dict.fromkeys((*names, *inner)))


@lru_cache(maxsize=4096)
def attributes_named(code: CodeType) -> frozenset[str]:
    """The attributes that code reads or writes, and the code inside it."""
    own = {str(s.argval) for s in get_instructions(code) if s.opname.endswith(("_ATTR", "_METHOD", "_FROM"))}
    return frozenset(own.union(*(attributes_named(part) for part in code.co_consts if isinstance(part, CodeType))))
