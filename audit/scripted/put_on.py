"""What code may have put on what is not its own: attributes of libraries' modules, classes and functions, as they are.

What libraries keep there themselves is of other kinds mostly; where it is not, it is compared as well.
"""

import sys
from abc import ABCMeta
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from operator import is_
from types import CodeType, FunctionType
from typing import Any

from dpcert.audit.layout import SPACE
from dpcert.audit.outside.guards import place_of
from dpcert.audit.outside.marks import registered
from dpcert.audit.outside.put_there import builtin_of_users
from dpcert.audit.outside.states import LEAVES
from dpcert.audit.scripted.readable import functions_of, is_users_class, is_users_function

_LOOKED_AT = LEAVES | {range, list, dict, set, deque, OrderedDict, Counter, defaultdict, bytearray, array}
_UNCHANGING = 1 << 8
"""The flag of a class whose attributes nobody can set."""
Put = list[tuple[str, Any]]
"""What stands under which name."""


def put_on_module(module: Any) -> Put:
    """What may have been put on a library's module."""
    return [(n, v) for n, v in vars(module).items() if type(v) in LEAVES or (n[:1] != "_" and _may_be_users(v))]


def put_on_class(kind: Any) -> Put:
    """What may have been put on a library's class, and which classes were registered with an abstract one."""
    if kind.__flags__ & _UNCHANGING:
        return []
    put: Put = [(n, v) for n, v in SPACE.__get__(kind).items() if _may_be_put(n, v)]
    if isinstance(kind, ABCMeta):
        put.append(("registered", repr(list(map(place_of, registered(kind))))))
    return put


def put_on_builtins(codes: Iterable[CodeType], space: dict[str, Any]) -> Put:
    """What was put where all code finds what it gives no meaning, of the names that code has."""
    names = sorted({n for code in codes for n in code.co_names if n not in space})
    return [(name, value) for name in names for value in builtin_of_users(name)]


def _may_be_put(name: str, value: Any) -> bool:
    """Whether what stands in a class may have been put there; what Python itself makes of classes is left out."""
    return type(value) in LEAVES or (not (name[:2] == name[-2:] == "__") and _may_be_users(value))


def _may_be_users(value: Any) -> bool:
    kind = type(value)
    if kind in _LOOKED_AT or ("numpy" in sys.modules and kind is sys.modules["numpy"].ndarray):
        return True
    part: Any = value if kind is FunctionType or isinstance(value, type) else kind
    return _is_users(part)


@lru_cache(maxsize=8192)
def _is_users(part: Any) -> bool:
    """Whether a function or a class is the user's: there are hundreds of others in a library."""
    return is_users_function(part) if type(part) is FunctionType else is_users_class(part)


_MET: dict[type, tuple[int, list[list[Any]]]] = {}
"""What each class was made of when it was looked at last, and how many times it had changed by then."""


def changes_of(kind: type) -> int:
    """How many times a class, its bases and the functions in them were found changed: the same number, the same class.

    Args:
        kind: One of ours, which code is handed.
    """
    found = [_standing_in(base) for base in kind.__mro__ if not base.__flags__ & _UNCHANGING]
    changes, known = _MET.setdefault(kind, (0, found))
    if not all(len(a) == len(b) and all(map(is_, a, b)) for a, b in zip(known, found, strict=True)):
        changes += 1
        _MET[kind] = changes, found
    return changes


def _standing_in(kind: type) -> list[Any]:
    """The very objects that a class is made of, by name, with what functions have by default and what is on them."""
    space = SPACE.__get__(kind)
    met = [*space, *space.values()]
    for value in space.values():
        for function in (value,) if type(value) is FunctionType else functions_of(value):
            met += function.__code__, function.__defaults__
            met += (function.__kwdefaults__ or {}).values()
            met += chain.from_iterable(vars(function).items())
    return met
