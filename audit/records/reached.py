"""The digest of all that a mechanism is by its code and by the values that its code can reach; or that there is none.

Two mechanisms of one digest are the same code on the same values, out of the same files. There is none where code leads
to what cannot be looked into, or where a value has no text of its own that is the same in every process.
"""

import hashlib
import sys
from collections import deque
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GenericAlias,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import ArgumentError
from dpcert.audit.identity import PLAIN, Held, held
from dpcert.audit.kernels.code_words import code_words
from dpcert.audit.kernels.label import exactly, in_full
from dpcert.audit.outside.code_names import taken_from
from dpcert.audit.outside.reach import reach

_OURS = "dpcert"
_KNOWN = {_OURS, "numpy", "scipy", "sympy", "flint", "mpmath"}
"""Packages whose versions are part of what a cached audit is known by."""
_BY_NAME = (
    BuiltinFunctionType, MethodType, MethodWrapperType, WrapperDescriptorType, MethodDescriptorType,
    GetSetDescriptorType, MemberDescriptorType,
)  # fmt: skip
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_WITH_PLACES = (partial, property, staticmethod, classmethod)
"""Types all of whose parts have places of their own."""
_PRIMITIVES = "dpcert.mechanisms."


class Unreadable(Exception):
    """Something is reached that has no text of its own."""


def reached(mechanism: object) -> str | None:
    """The digest; None where there is none. Nothing of the mechanism is called."""
    places = reach(mechanism)
    if not places.complete or places.looks_outside or any(map(_may_import, (*places.code, *places.making))):
        return None
    kinds = {value for value in places.values.values() if isinstance(value, type)}
    try:
        lines = [f"{name}\t{_told(value, kinds)}" for name, value in places.values.items()]
        lines += [f"{module.__name__}\t{_file(module)}" for module in places.modules]
    except Exception:  # noqa: BLE001 - Unreadable, or what a foreign object raises when it is looked into
        return None
    return hashlib.sha256("\n".join(sorted(lines)).encode(errors="surrogatepass")).hexdigest()


def _may_import(code: CodeType) -> bool:
    """Whether code imports something when it runs that is not there yet, or that may not be there at all."""
    return any(not _is_there(module, name) for module, name in taken_from(code))


def _is_there(module: str, name: str) -> bool:
    top, loaded = module.partition(".")[0], sys.modules.get(module)
    known = top == _OURS or top in _KNOWN or top in sys.stdlib_module_names
    return known or (loaded is not None and (not name or name in vars(loaded)))


def _file(module: ModuleType) -> str:
    """The digest of the file that a user's module was read from: what code finds there by a name made up on the way."""
    try:
        return hashlib.sha256(Path(module.__file__ or "").read_bytes()).hexdigest()
    except (OSError, TypeError, ValueError):
        raise Unreadable(module.__name__) from None


def _told(value: Any, kinds: set[type]) -> str:
    """A value as text that is the same in every process; its class must be among those that were looked into.

    Raises: Unreadable: there is no such text.
    """
    if isinstance(value, FunctionType):
        _check_package(value.__module__)
        return f"function {value.__module__}.{value.__qualname__} {' '.join(code_words(value.__code__))}"
    if isinstance(value, type):
        return _class(value)
    if isinstance(value, ModuleType):
        _check_package(value.__name__)
        return f"module {value.__name__}"
    kind = type(value)
    if isinstance(value, _BY_NAME):
        return f"{kind.__name__} {getattr(value, '__module__', '')}.{value.__qualname__}"
    if _is_of(kind, _OURS):
        whole = kind in PLAIN or kind in (Pmf, Held) or kind.__module__.startswith(_PRIMITIVES)
    else:
        whole = kind in kinds or _outside(kind)
    if not whole:
        raise Unreadable(kind.__qualname__)  # not every part of it is a place, or none of its code
    try:
        return exactly(held(value, copying=True))
    except ArgumentError:
        return _in_parts(value)


def _in_parts(value: Any) -> str:
    """What has no identity as a whole: its type, and of a container those items that have no places of their own."""
    kind = type(value)
    if isinstance(value, GenericAlias):
        return repr(value)
    if kind in _CONTAINERS:
        items = [part for entry in value.items() for part in entry] if kind is dict else list(value)
        told = [_item(item) for item in items]
        return f"{kind.__name__} of {' '.join(sorted(told) if kind in (set, frozenset) else told)}"
    if kind in _WITH_PLACES:
        return kind.__name__
    if _is_of(kind, _OURS) or _outside(kind) or any(_outside(base) and not _is_plain(base) for base in kind.__mro__):
        raise Unreadable(kind.__qualname__)
    return f"object {kind.__module__}.{kind.__qualname__}"


def _item(item: Any) -> str:
    try:
        return exactly(held(item, copying=True))
    except ArgumentError:
        return "a place"


def _class(kind: type) -> str:
    for base in kind.__mro__:
        _check_package(base.__module__)
    bases = [f"{base.__module__}.{base.__qualname__}" for base in kind.__mro__]
    declared = [f"{f.name}: {f.type} {f.init} {f.compare}" for f in fields(kind)] if is_dataclass(kind) else []
    shape = (*bases, repr(getattr(kind, "__dataclass_params__", None)), *declared, in_full(kind.__doc__))
    return f"class {' '.join(shape)}"


def _is_of(kind: type, package: str) -> bool:
    return str(kind.__module__).partition(".")[0] == package


def _is_plain(base: type) -> bool:
    """Whether a class of Python's adds nothing to an object that its attributes do not show."""
    return base is object or base.__module__ in ("abc", "typing", "enum")


def _outside(kind: type) -> bool:
    top = str(kind.__module__).partition(".")[0]
    return top in sys.stdlib_module_names or top in _KNOWN or _in_packages(kind.__module__)


def _check_package(module: object) -> None:
    """Raises: Unreadable: it is of an installed package whose version is not looked at."""
    if str(module).partition(".")[0] not in _KNOWN and _in_packages(module):
        raise Unreadable(str(module))


def _in_packages(module: object) -> bool:
    return "site-packages" in (getattr(sys.modules.get(str(module)), "__file__", None) or "")
