"""What plain code calls of Python's own libraries, and these of each other, as it was when this was read.

Trusted is what was changed before. Of numpy, which may be loaded later, it is looked at where functions come from.
"""

import builtins
import collections
import dataclasses
import fractions
import math
import random
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from dpcert.audit.kernels.code_words import code_words
from dpcert.audit.kernels.release import HALT
from dpcert.audit.outside.guards import original, place_of
from dpcert.audit.scripted.readable import attributes_named, globals_read, is_users_class, is_users_function
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.unresolved_math import WRAPPED

Places = list[tuple[Mapping[str, Any], str, Any, Any]]
"""Where something stands under a name, what that is, and its code."""


def _looked_up(function: FunctionType) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The names that a function looks up: its globals, and what it may ask of modules among them."""
    code, space = function.__code__, function.__globals__
    for name in globals_read(code):
        home = space if name in space else vars(builtins)
        yield home, name
        if type(home.get(name)) is ModuleType:
            yield from ((vars(home[name]), part) for part in attributes_named(code) if part in vars(home[name]))


def _code_of(value: Any) -> Any:
    return value.__code__ if type(value) is FunctionType else None


def reached(functions: Iterable[Any]) -> tuple[Places, list[FunctionType]]:
    """What functions look up, and what those look up that are found there; and all these functions."""
    places: Places = []
    met: dict[int, FunctionType] = {}
    waiting = list(functions)
    while waiting:
        function = waiting.pop()
        if type(function) is not FunctionType or place_of(function) in met:
            continue
        met[place_of(function)] = function
        for space, name in _looked_up(function):
            if space is vars(math):  # which is looked at as a whole
                continue
            value = original(space.get(name))
            places.append((space, name, value, _code_of(value)))
            waiting.append(value)
    return places, list(met.values())


_ROOTS = (dataclasses.replace, collections.namedtuple, *vars(fractions.Fraction).values())
_DRAWN = ("choice", "randint", "randrange", "sample", "shuffle", "getrandbits", "random")
_PLACES = [
    *reached(_ROOTS)[0],
    *((vars(random.Random), name, v, _code_of(v)) for name, v in vars(random.Random).items() if name in _DRAWN),
    *reached(vars(random.Random)[name] for name in ("choice", "randint", "randrange", "sample", "shuffle"))[0],
]
_BEFORE = {id(owner): dict(vars(owner)) for owner in (math, fractions.Fraction, type(HALT))}
"""What can be changed of those, as it was when this was read."""
_FUNCTIONS = [(f, f.__code__) for f in reached(_ROOTS)[1]]


def _are_unchanged(places: Places, functions: Iterable[tuple[FunctionType, Any]]) -> None:
    """Raises: Unknown: something else stands under a name, or a function has other code."""
    for space, name, value, code in places:
        now = original(space.get(name))
        if now is not value or _code_of(now) is not code:
            raise Unknown(f"{name} of {space.get('__name__', 'a library')} was changed")
    for function, code in functions:
        if function.__code__ is not code:
            raise Unknown(f"{function.__qualname__} was changed")


def _libraries_are_unchanged() -> None:
    """Raises: Unknown: something that libraries hold is not what it was."""
    for owner in (math, fractions.Fraction, type(HALT)):
        before, now = _BEFORE[id(owner)], vars(owner)
        if now.keys() != before.keys() or not all(
            now[name] is value or (owner is math and now[name] is WRAPPED.get(name)) for name, value in before.items()
        ):
            raise Unknown(f"{owner.__name__} was changed")
    if any(vars(function).keys() != {"__wrapped__"} for function in WRAPPED.values()):
        raise Unknown("something is kept on a function of math")
    if vars(HALT):
        raise Unknown("something is kept on HALT")


def nothing_was_changed() -> None:
    """Raises: Unknown: a function that plain code calls without naming it is not what it was, or somebody looks on."""
    _libraries_are_unchanged()
    _are_unchanged(_PLACES, _FUNCTIONS)
    if _is_users(sys.getprofile()) or _is_users(sys.gettrace()):
        raise Unknown("its steps are followed by a function (sys.setprofile, sys.settrace)")


def _is_users(hook: Any) -> bool:
    """Whether what follows the steps of code is anybody's, not a tool's."""
    if hook is None:
        return False
    hook = getattr(hook, "__func__", hook)
    if type(hook) is FunctionType:
        return is_users_function(hook)
    return is_users_class(type(hook)) or type(hook).__module__ in ("builtins", "functools")


@lru_cache(maxsize=1)
def _of_numpy(numpy: Any) -> tuple[Places, list[tuple[FunctionType, Any]]]:
    """What functions of numpy look up. Raises: Unknown: one of them is none of numpy's or of Python's."""
    methods = sys.modules.get("numpy._core._methods")
    roots = [getattr(value, "__wrapped__", value) for value in vars(numpy).values()]
    roots = [root for root in roots if type(root) is FunctionType] + list(vars(methods).values() if methods else ())
    roots = [root for root in roots if type(root) is FunctionType and root.__name__ in _NUMPYS]
    places, functions = reached(roots)
    homes = str(Path(numpy.__file__).parent), str(Path(dataclasses.__file__).parent), "<frozen ", "<__array_function__"
    for function in functions:
        if not function.__code__.co_filename.startswith(homes):
            raise Unknown(f"{function.__qualname__} was put into numpy")
    return places, [(function, function.__code__) for function in functions]


_NUMPYS = {
    "_all", "_amax", "_amin", "_any", "_clip", "_count_reduce_items", "_mean", "_sum", "all", "any", "append",
    "argmax", "argmin", "array2string", "array_equal", "array_repr", "array_str", "clip",
    "copy", "cumsum", "full", "max", "mean", "min", "ones", "ones_like", "round", "sum", "zeros_like",
}  # fmt: skip
"""Functions of numpy that are written in Python, and that plain code calls by its own names, by methods or where texts
of arrays go into errors."""


def numpy_is_unchanged(numpy: Any) -> None:
    """Raises: Unknown: a function that numpy calls is none of its own, or not what it was."""
    _are_unchanged(*_of_numpy(numpy))


def numpy_words() -> tuple[str, ...]:
    """What stands under each name that numpy's functions look up, in words. Raises: Unknown: something not numpy's."""
    places, _ = _of_numpy(import_module("numpy"))
    return tuple(sorted(f"{space.get('__name__')}.{name} {_in_words(value)}" for space, name, value, _ in places))


def _in_words(value: Any) -> str:
    """A function by its name and all that its code does, anything else by its type, name and what it is bound to."""
    code = getattr(value, "__code__", None)
    does = "" if code is None else sha256("\n".join(code_words(code)).encode()).hexdigest()
    own = getattr(value, "__self__", None)
    named = f"{getattr(value, '__module__', '')} {getattr(value, '__qualname__', getattr(value, '__name__', ''))}"
    return f"{type(value).__name__} {named} {type(own).__name__} {getattr(own, '__name__', '')} {does}"
