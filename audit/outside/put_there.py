"""What users have put where Python keeps its own: names that all code reads, and what stands behind them."""

import builtins
from types import ModuleType
from typing import Any

from dpcert.audit.outside.guards import original

_OF_PYTHON = dict(vars(builtins))
"""Names that all code reads, as they were before any user's code was read."""


def builtin_of_users(name: str) -> tuple[Any, ...]:
    """What a name that code does not give a meaning stands for in all modules, where that is not Python's; else none.

    >>> builtin_of_users("len"), builtin_of_users("no_such_name")
    ((), ())
    """
    if name not in vars(builtins):
        return ()
    value = original(vars(builtins)[name])
    same = isinstance(value, ModuleType) or (name in _OF_PYTHON and value is original(_OF_PYTHON[name]))
    return () if same else (value,)


def function_of(part: Any) -> Any:
    """The function of a property, or of a static or class method; anything else itself."""
    if isinstance(part, (staticmethod, classmethod)):
        return part.__func__
    return part.fget if isinstance(part, property) else part
