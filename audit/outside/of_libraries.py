"""What code may keep in libraries: what stands there under the names that code has, and what sets anything there.

Libraries whose modules are known to be harmless change nothing by themselves; somebody's code may change what it names.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from dis import get_instructions
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

from dpcert.audit.layout import SPACE, attributes_of, is_a, is_in_python, members_of, written_in_c
from dpcert.audit.outside.beyond import OURS, WATCHED, is_of_users, is_of_users_class, is_of_users_space, is_outside
from dpcert.audit.outside.code_names import asked_of
from dpcert.audit.outside.guards import original, place_of
from dpcert.audit.outside.put_there import function_of
from dpcert.audit.outside.states import CONTAINERS, LEAVES, is_readable

Place = tuple[str, Any]
"""What stands under which name."""
_IMMUTABLE = 1 << 8
"""The flag of a class whose attributes nobody can set."""
_SETS = re.compile(r"(set|reset|enable|disable|init|use)_\w+|seterr")
"""What a function is called that sets something."""
_BY_SETTINGS = {"numpy.set_printoptions", "numpy.seterr"}
"""Those that change what is in `settings`."""


@dataclass(eq=False, repr=False)
class NamesOfCode:
    """What code has names for.

    Attributes:
        names: All names.
        asked: Those of code that is asked.
        stored: Those of attributes that it sets.
    """

    names: frozenset[str]
    asked: frozenset[str]
    stored: frozenset[str]


def named_by(codes: Iterable[CodeType], making: Iterable[CodeType]) -> NamesOfCode:
    """The names of code that is asked, and of what makes things."""
    asked, listed = _names(codes), [*codes, *making]
    names = asked | _names(making)
    return NamesOfCode(names, asked, names if "setattr" in names else _all(map(_stored, listed)))


def _names(codes: Iterable[CodeType]) -> frozenset[str]:
    return _all(map(asked_of, codes))


def _all(parts: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset[str]().union(*parts)


@lru_cache(maxsize=4_096)
def _stored(code: CodeType) -> frozenset[str]:
    own = {str(s.argval) for s in get_instructions(code) if s.opname in ("STORE_ATTR", "DELETE_ATTR")}
    return frozenset(own.union(*(_stored(part) for part in code.co_consts if is_a(part, CodeType))))


@dataclass(eq=False, repr=False)
class Libraries:
    """What was found in them.

    Attributes:
        found: Places to look into.
        setting: Functions that set, or draw from, what nobody can look at.
    """

    named: NamesOfCode
    found: list[Place] = field(default_factory=list)
    setting: list[str] = field(default_factory=list)
    _met: set[int] = field(default_factory=set)

    def follow(self, name: str, thing: Any) -> None:
        """All that code has a name for, from something of a library's on."""
        pending = [(name, thing)]
        while pending:
            at, part = pending.pop()
            if place_of(part) not in self._met:
                self._met.add(place_of(part))
                pending.extend(self._inside(at, part))

    def _inside(self, at: str, thing: Any) -> Iterator[Place]:
        """What stands in it under names of the code's, and is to be followed."""
        for space in _spaces(thing, self.named.names):
            for name in self.named.names & space.keys():
                value, place = original(space[name]), f"{at}.{name}"
                if _SETS.fullmatch(name) and name in self.named.asked and _sets(place, value):
                    self.setting.append(place)
                if is_a(value, ModuleType):
                    if is_of_library(value.__name__):
                        yield value.__name__, value
                elif not is_a(value, _BOUND):
                    yield from self._of_value(place, value)

    def _of_value(self, place: str, value: Any) -> Iterator[Place]:
        kind = type(value)
        if kind in LEAVES or is_a(value, (dict, *CONTAINERS)) or is_users(value):
            self.found.append((place, value))
        elif is_a(value, type):
            if is_of_library(value.__module__):
                self.found.append((place, value))
                yield place, value
        else:
            if _holds(value) or _sets_by_class(kind, self.named.stored):
                self.found.append((place, value))
            yield place, value


def is_of_library(module: str | None) -> bool:
    """Whether a module is one of Python's, of another package or of ours that counts as harmless."""
    top = str(module).partition(".")[0]
    return not is_of_users(module) and (top in WATCHED or not is_outside(module))


def is_users(part: Any) -> bool:
    """Whether a function, class or object that stands in a module or class of others is the user's."""
    part = original(function_of(part))
    if is_a(part, FunctionType):
        return is_of_users_space(part.__globals__)
    kind = part if is_a(part, type) else type(part)
    return is_of_users_class(kind) and (str(kind.__module__) in sys.modules or is_in_python(kind))


def _sets(place: str, value: Any) -> bool:
    """Whether a function of a library's sets what nobody can look at."""
    top = place.partition(".")[0]
    function = function_of(value)
    known = place in _BY_SETTINGS or top == OURS or top in WATCHED or is_users(value)
    return callable(function) and not is_a(function, type) and not known


def _holds(value: Any) -> bool:
    """Whether an object has a part written in C of which it can be read how it is now."""
    part = written_in_c(type(value))
    if part is object or callable(value) or hasattr(part, "__get__"):
        return False
    return is_readable(value)


def _spaces(thing: Any, names: frozenset[str]) -> Iterator[dict[str, Any]]:
    """Where attributes of something stand, also those of its class; of slots those that have such a name."""
    if is_a(thing, ModuleType):
        yield vars(thing)
        return
    kind = thing if is_a(thing, type) else type(thing)
    if thing is not kind:
        yield attributes_of(thing) or {}
        slots = {n: member for base in kind.__mro__ for n, member in members_of(base).items() if n in names}
        yield {n: member.__get__(thing) for n, member in slots.items() if hasattr(thing, n)}
    for base in kind.__mro__:
        if not base.__flags__ & _IMMUTABLE and not is_of_users_class(base):
            yield SPACE.__get__(base)


def _sets_by_class(kind: type, stored: frozenset[str]) -> bool:
    """Whether one of some attributes is set by what the class says, and stands under another name."""
    found = (SPACE.__get__(base).get(name) for base in kind.__mro__ for name in stored)
    return any(hasattr(type(one), "__set__") for one in found)


_BOUND = (BuiltinFunctionType, MethodType, MethodWrapperType)
"""What nobody can put anything on, or holds an object that has names of its own."""
