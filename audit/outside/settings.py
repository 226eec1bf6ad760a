"""Marks of what there is once in a process, and code may change wherever it stands."""

import decimal
import os
import sys
from contextvars import copy_context
from typing import Any

from dpcert.audit.outside.states import Kept, of_context


def settings() -> dict[str, Any]:
    """Marks of the environment, of context variables, and of how libraries calculate and print, by name."""
    decimals = of_context(decimal.getcontext())  # a context variable from now on
    context = copy_context()
    marks: dict[str, Any] = {
        "the context of decimal": decimals,
        "os.environ": tuple(_variables().items()),
        "sys.getrecursionlimit()": sys.getrecursionlimit(),
        "a context variable": frozenset((variable, Kept(context[variable])) for variable in context),
    }
    if "numpy" in sys.modules:
        marks["numpy.geterr()"] = tuple(sys.modules["numpy"].geterr().items())
        marks["numpy.get_printoptions()"] = repr(sys.modules["numpy"].get_printoptions())
    for library, holder in (("flint", "ctx"), ("mpmath", "mp")):
        precise = getattr(sys.modules.get(library), holder, None)
        marks[f"{library}.{holder}.prec"] = _USUAL_BITS if precise is None else precise.prec
    return marks


def _variables() -> dict[Any, Any]:
    """The environment, as bytes where it is Python's own mapping, which decodes each variable each time."""
    return dict(os.environ._data if type(os.environ) is os._Environ else os.environ)  # type: ignore[attr-defined]


_USUAL_BITS = 53
"""The precision with which such a library begins, once it is loaded."""
