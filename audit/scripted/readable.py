"""Which code reads no more than what can be followed from it, and which libraries keep nothing of their own."""

import builtins
import struct
import sys
from dis import get_instructions
from enum import Enum
from functools import lru_cache
from types import CodeType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

STATELESS = {
    "abc", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "decimal", "enum", "fractions",
    "functools", "heapq", "itertools", "json", "math", "numbers", "numpy", "operator", "random", "re", "statistics",
    "string", "struct", "textwrap", "types", "typing", "zlib",
}  # fmt: skip
"""Libraries whose functions remember nothing that an answer depends on, apart from what `SETTINGS` names; that nothing
was drawn from `random` is seen otherwise."""
SETTINGS = {
    "getcontext", "setcontext", "localcontext", "DefaultContext", "BasicContext", "ExtendedContext", "seterr",
    "seterrcall", "errstate", "geterr", "set_printoptions", "printoptions", "setbufsize", "set_string_function",
    "register", "update_abstractmethods", "cache_info", "cache_clear", "cache_parameters",
}  # fmt: skip
"""Names by which code reads or changes what a library keeps."""
BUILTINS = {
    "id",
    "globals",
    "locals",
    "eval",
    "exec",
    "compile",
    "open",
    "input",
    "breakpoint",
    "memoryview",
    "__import__",
}
"""Functions of Python's own by which code gets at what is in no form."""
LEADING = {
    "__globals__", "__builtins__", "__subclasses__", "__self__", "__weakref__", "__sizeof__", "__reduce__",
    "__reduce_ex__", "__getstate__", "__code__", "__closure__", "__doc__", "__annotations__", "__dataclass_fields__",
    "__dataclass_params__", "__match_args__", "__abstractmethods__", "__orig_bases__", "__parameters__",
    "__traceback__", "__context__", "__cause__", "__array_interface__", "ctypes", "getsizeof", "getrefcount",
    "_getframe", "gi_frame", "cr_frame", "ag_frame", "f_locals", "f_back", "f_globals", "tb_frame", "methodcaller",
    "attrgetter",
}  # fmt: skip
"""Attributes by which code gets at addresses, sizes, frames and all else that is in no form."""
KNOWN_ATTRIBUTES = {
    "__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__annotations__", "__dataclass_fields__",
    "__dataclass_params__", "__match_args__", "__abstractmethods__", "_abc_impl", "__orig_bases__", "__parameters__",
    "__slotnames__", "__static_attributes__", "__firstlineno__",
}  # fmt: skip
"""Attributes of a class that Python keeps for itself, and that no code reads which may be followed."""
OF_MODULES = {
    "__builtins__", "__loader__", "__spec__", "__cached__", "__file__", "__doc__", "__package__", "__path__",
    "__annotations__", "__warningregistry__",
}  # fmt: skip
"""Names of a module that Python keeps for itself."""
_OURS = "dpcert.audit"
MODULE: Any = vars(type)["__module__"]
NAME: Any = vars(type)["__qualname__"]
SPACE: Any = vars(type)["__dict__"]
"""A class's own module, name and attributes; a metaclass may answer otherwise."""


class Origin(Enum):
    """Whose code a module's is."""

    USERS = "the user's"
    LIBRARY = "a library that keeps nothing"
    OURS = "ours"
    UNKNOWN = "of which nothing is known"


def origin_of(name: object, module: ModuleType | None = None) -> Origin:
    """Whose code stands in a module of this name; `module` itself, where that is what is asked about."""
    if name is None or name == "__main__":
        return Origin.USERS  # what was executed from a text has no module
    if not isinstance(name, str) or name.startswith("numpy.random"):
        return Origin.UNKNOWN
    if name == _OURS or name.startswith(f"{_OURS}."):
        return Origin.OURS
    top = name.partition(".")[0]
    if top in STATELESS or (top.lstrip("_") in STATELESS and top in sys.stdlib_module_names):
        return Origin.LIBRARY
    if name == "builtins" and module is None:
        return Origin.LIBRARY
    if top in sys.stdlib_module_names:
        return Origin.UNKNOWN
    file = getattr(module if module is not None else sys.modules.get(name), "__file__", None)
    written = file is None or (str(file).endswith(".py") and "site-packages" not in str(file))
    return Origin.USERS if written else Origin.UNKNOWN


def origin_of_function(function: FunctionType) -> Origin:
    """Whose code a function is, by the namespace that it reads."""
    space = function.__globals__
    name = space.get("__name__")
    origin = origin_of(name)
    if origin is not Origin.USERS and vars(sys.modules.get(str(name), builtins)) is not space:
        return Origin.USERS
    return origin if origin is not Origin.USERS or _usual(function) else Origin.UNKNOWN


def origin_of_class(kind: type) -> Origin:
    """Whose class it is; one that does not stand where it says is a user's, made by a library for them."""
    module = MODULE.__get__(kind)
    origin = origin_of(module)
    if not is_made(kind):
        return Origin.UNKNOWN if origin is Origin.USERS else origin
    if origin is not Origin.USERS:
        stands: Any = sys.modules.get(str(module))
        for part in NAME.__get__(kind).split("."):
            stands = vars(stands).get(part) if hasattr(stands, "__dict__") else None
        if stands is kind or origin is Origin.UNKNOWN:
            return origin
    return Origin.USERS if _is_in_python(kind) else Origin.UNKNOWN


def is_made(kind: type) -> bool:
    """Whether a class was made while the program ran, and is no part of the interpreter or of a compiled module."""
    return kind.__flags__ & (1 << 9) != 0


def is_changeable(kind: type) -> bool:
    """Whether a class's attributes can be changed."""
    return is_made(kind) and kind.__flags__ & (1 << 8) == 0


def _is_in_python(kind: type) -> bool:
    """Whether a class was made by a class statement: its objects have no room for anything but slots and attributes."""
    space, base = SPACE.__get__(kind), kind.__base__
    if base is None or kind.__itemsize__ != base.__itemsize__:
        return False
    if "__slots__" not in space and not any("__dict__" in SPACE.__get__(k) for k in kind.__mro__):
        return False
    slots = sum(type(v) is MemberDescriptorType and v.__objclass__ is kind for v in space.values())
    address = struct.calcsize("P")  # what a slot takes
    room = kind.__basicsize__ - base.__basicsize__ - address * (slots + ("__weakref__" in space))
    return room in (0, address * ("__dict__" in space))


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


@lru_cache(maxsize=4096)
def unreadable(code: CodeType) -> str:
    """Why code may read what cannot be followed from it, in words; empty where it does not."""
    for step in get_instructions(code):
        named = step.argval
        if step.opname == "IMPORT_NAME" and (origin_of(named) is not Origin.LIBRARY or named == "builtins"):
            return f"it imports {named}"
        if step.opname.startswith(("LOAD_", "STORE_", "DELETE_", "IMPORT_")) and _leads(step.opname, named):
            return f"it names {named}"
    inner = (unreadable(part) for part in code.co_consts if isinstance(part, CodeType))
    return next(filter(None, inner), "")


def _leads(opname: str, named: Any) -> bool:
    """Whether a name that is read or written leads beyond what can be followed."""
    if not isinstance(named, str) or opname.endswith(("_CONST", "_FAST", "_DEREF", "_CLOSURE", "_CLASSDEREF")):
        return False
    if opname.endswith(("_ATTR", "_METHOD", "_FROM")):
        return named in SETTINGS or named in LEADING or (opname == "IMPORT_FROM" and named == "random")
    return named in SETTINGS or named in BUILTINS


def _usual(function: Any) -> bool:
    """Whether a function's builtins are Python's own, or none."""
    space = function.__builtins__
    return space is vars(builtins) or not space
