"""What code may get at that is not looked into: Python's own modules, and other packages.

A mechanism that somebody installed is looked into with its whole package.
"""

import inspect
import sys
import sysconfig
from dis import get_instructions
from functools import lru_cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from dpcert.audit.layout import SPACE, attributes_of, is_a, is_in_python, written_in_c
from dpcert.audit.outside.states import LEAVES, OF_ITEMS_ALONE, has_identity, is_readable

OURS = "dpcert"


def leads_outside(value: Any) -> str:
    """The module of Python's that a value is, or belongs to, if it is not known to be harmless; else empty."""
    if is_a(value, ModuleType):
        module: str | None = value.__name__
    elif is_a(value, BuiltinFunctionType) and not is_a(value.__self__, (ModuleType, type)):
        return f"{type(value.__self__).__name__}.{value.__name__}"
    elif is_a(value, (BuiltinFunctionType, FunctionType, type)):
        module = value.__module__
    else:
        return ""
    return str(module) if is_outside(module) else ""


def is_read(value: Any) -> bool:
    """Whether all that methods of an object may change is seen; those of another package may keep things anywhere."""
    kind = type(value)
    if kind in LEAVES or kind in OF_ITEMS_ALONE or is_a(value, (type, ModuleType)):
        return True
    if attributes_of(value) is None:
        return False
    if written_in_c(kind) is object and is_outside(kind.__module__) and not is_of_users_class(kind):
        top = kind.__module__.partition(".")[0]
        return top in WATCHED or (top in sys.stdlib_module_names and has_identity(value))
    return is_readable(value)


def is_outside(module: str | None) -> bool:
    """Whether a module is another's, and not known to be harmless."""
    return module is not None and is_foreign(module) and module.partition(".")[0].lstrip("_") not in {OURS, *HARMLESS}


@lru_cache(maxsize=4_096)
def asks_around(code: CodeType) -> tuple[str, ...]:
    """What code names that leads anywhere, and imports from modules that are not known to be harmless."""
    imported = [step.argval for step in get_instructions(code) if step.opname == "IMPORT_NAME"]
    named = [name for name in code.co_names if name in _LEADING]
    inner = [name for part in code.co_consts if is_a(part, CodeType) for name in asks_around(part)]
    return (*filter(is_outside, imported), *named, *inner)


HARMLESS = {
    "abc", "bisect", "builtins", "cmath", "collections", "copy", "dataclasses", "decimal", "enum", "fractions",
    "functools", "heapq", "itertools", "json", "math", "numbers", "operator", "re", "statistics", "string", "struct",
    "textwrap", "types", "typing", "zlib", "numpy", "hashlib", "contextlib", "weakref",
    "scipy", "sympy", "flint", "mpmath",
}  # fmt: skip
"""Modules that change nothing of their own, and lead nowhere."""
WATCHED = {"random", "secrets", "time", "datetime", "uuid", "_random"}
"""Modules whose functions are refused where they are used; nothing else in them is changed."""
_LEADING = {
    "__import__", "import_module", "eval", "exec", "compile", "globals", "modules", "__self__", "__globals__",
    "__dict__", "__builtins__", "__subclasses__", "__base__", "__bases__", "__mro__", "methodcaller", "attrgetter",
    "_getframe", "vars", "__traceback__", "randtest", "dummy_index",
    "__sizeof__",
}  # fmt: skip
"""Names by which code gets at anything."""


def is_of_users(module: str | None) -> bool:
    """Whether a module is neither Python's, nor another package's, nor ours."""
    return not (is_foreign(module) or str(module).partition(".")[0] == OURS)


def is_of_users_class(kind: type) -> bool:
    """Whether a class is neither Python's, nor another package's, nor ours.

    Python says of a class that it makes for a user, or that comes out of a text, that it stands in a module of its own.

    >>> from dataclasses import make_dataclass
    >>> is_of_users_class(make_dataclass("Point", ["x"])), is_of_users_class(Path)
    (True, False)
    """
    module = str(kind.__module__)
    if is_of_users(module):
        return True
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names and is_in_python(kind) and not _stands(kind, module)


def _stands(kind: type, module: str) -> bool:
    """Whether a class is to be found where it says that it stands."""
    found: Any = sys.modules.get(module)
    for part in _NAME.__get__(kind).split("."):
        space = vars(found) if is_a(found, ModuleType) else SPACE.__get__(found) if is_a(found, type) else {}
        found = space.get(part)
    return found is kind


def is_of_users_space(space: dict[str, Any]) -> bool:
    """Whether functions that read a namespace are the user's: it is that of such a module, or of none at all."""
    name = str(space.get("__name__", ""))
    return is_of_users(name) or (name.partition(".")[0] != OURS and _space_of(name) is not space)


def _space_of(module: str) -> Any:
    return vars(sys.modules[module]) if is_a(sys.modules.get(module), ModuleType) else None


def is_foreign(module: str | None) -> bool:
    """Whether a module is Python's own or another package's, which are not looked into."""
    top = str(module).partition(".")[0]
    if top == "__main__" or top in _AT_HOME:
        return False
    file = getattr(sys.modules.get(str(module)), "__file__", None) or ""
    if top in sys.stdlib_module_names:
        return not file or file.startswith(_STANDARD) or "site-packages" in file
    return top.startswith("_cython_") or "site-packages" in file  # what compiled libraries share has no file


_NAME: Any = vars(type)["__qualname__"]
_STANDARD = (
    sysconfig.get_path("stdlib"),
    str(Path(inspect.__file__).parent),
    str(Path(inspect.__file__).resolve().parent),
)
"""The folders of Python's own modules: a file beside a program is the user's, whatever its name."""


_AT_HOME: set[str] = set()
"""The packages in which mechanisms were written that somebody has installed: they are the user's own."""


def look_into_home(mechanism: Any) -> str:
    """Where the installed package lies in which somebody wrote a mechanism, and counts as the user's from now on.

    Empty where it was written elsewhere, or is one of ours.
    """
    inner = inspect.unwrap(mechanism) if hasattr(type(mechanism), "__wrapped__") else mechanism
    name = str(getattr(inner, "__module__", None) or type(inner).__module__)
    top = name.partition(".")[0]
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    if "site-packages" not in file or top in {OURS, *HARMLESS}:
        return ""
    if top not in _AT_HOME:
        _AT_HOME.add(top)
        asks_around.cache_clear()
        _OF_OTHERS.clear()
    whole = getattr(sys.modules[top], "__file__", None)
    return whole if whole and Path(whole).stem != "__init__" else str(Path(whole or file).parent)


_OF_OTHERS: dict[str, ModuleType] = {}
"""Modules that were seen to be Python's own, another package's or ours, by name: there are thousands of them."""


def modules_of_users() -> list[ModuleType]:
    """All loaded modules but those of Python, of other packages and of dpcert."""
    users = []
    for name, module in list(sys.modules.items()):
        if is_a(module, ModuleType) and _OF_OTHERS.get(name) is not module:
            if is_foreign(name) or module.__name__.partition(".")[0] == OURS:
                _OF_OTHERS[name] = module
            else:
                users.append(module)
    return users
