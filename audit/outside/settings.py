"""Marks of what there is once in a process, and code may change wherever it stands."""

import decimal
import os
import random
import sys
from contextvars import copy_context
from typing import Any

from dpcert.audit.limits import OWN_VARIABLES
from dpcert.audit.outside.states import Kept, of_context, state_of


def settings() -> dict[str, Any]:
    """Marks of the environment, of context variables, and of how libraries calculate and print, by name."""
    decimals = of_context(decimal.getcontext())  # a context variable from now on
    context = copy_context()
    marks: dict[str, Any] = {
        "the context of decimal": decimals,
        "os.environ": tuple(_variables().items()),
        "sys.getrecursionlimit()": sys.getrecursionlimit(),
        "a context variable": frozenset(
            (variable, Kept(context[variable])) for variable in context if variable not in OWN_VARIABLES
        ),
    }
    if "numpy" in sys.modules:
        marks["numpy.geterr()"] = tuple(sys.modules["numpy"].geterr().items())
        marks["numpy.get_printoptions()"] = repr(sys.modules["numpy"].get_printoptions())
    for (library, holder), usual in _USUAL.items():
        found = getattr(sys.modules.get(library), holder, None)
        marks |= {f"{library}.{holder}.{name}": getattr(found, name, before) for name, before in usual.items()}
    return marks


def _variables() -> dict[Any, Any]:
    """The environment, as bytes where it is Python's own mapping, which decodes each variable each time."""
    return dict(os.environ._data if type(os.environ) is os._Environ else os.environ)  # type: ignore[attr-defined]


def drawn() -> dict[str, Any]:
    """Marks of the generators from which libraries draw that were handed none, by name."""
    return {name: state_of(generator) for name, generator in generators().items()}


def generators() -> dict[str, Any]:
    """The generators from which libraries draw that were handed none, by name."""
    found = {"random": getattr(random, "_inst", None)}
    if "numpy.random" in sys.modules:
        found["numpy.random"] = getattr(sys.modules["numpy.random"].mtrand, "_rand", None)
    return {name: generator for name, generator in found.items() if generator is not None}


_USUAL: dict[tuple[str, str], dict[str, Any]] = {
    ("flint", "ctx"): {"prec": 53, "cap": 10, "pretty": True, "unicode": False},
    ("mpmath", "mp"): {"prec": 53, "pretty": False, "trap_complex": False},
    ("mpmath", "iv"): {"prec": 53, "pretty": False},
}
"""How such a library begins, once it is loaded."""
