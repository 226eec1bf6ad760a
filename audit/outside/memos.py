"""Caches of `functools` that the user's code has: whether what one keeps says no more than what it is asked.

A cache hands out again what its function returned for arguments that equal these. That is no memory of a mechanism's
where it was never asked, also for what it had already, while anything stood otherwise than in the beginning, where no
two calls have arguments that equal each other and are not the same, and where nothing that it hands out can be changed.
So a note is taken of each call while a mechanism is audited. What stands otherwise for a moment where nobody can look
(an exception that is handled, what lies outside) is a reason to take none.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, is_dataclass
from dis import get_instructions
from enum import Enum
from fractions import Fraction
from functools import _lru_cache_wrapper, cached_property, lru_cache, partial
from gc import get_referents
from types import CodeType, FunctionType
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.identity import held
from dpcert.audit.layout import is_a
from dpcert.audit.outside.beyond import is_of_users_class, is_of_users_space
from dpcert.audit.outside.code_names import OF_DATACLASSES, asked_of, asks_which_object, imported_by, makes_up_names
from dpcert.audit.outside.guards import Undo, standing_for
from dpcert.audit.outside.reach import Reach
from dpcert.audit.outside.watching import unasked

MOST_ANSWERS = 2_000
"""Answers of one cache past which it counts as any other memory: for each it is looked at what stands otherwise."""
MOST_ASKED = 5_000
"""Calls of one cache past which the same holds: at each it is looked at what stands otherwise."""
_UNCHANGING = {int, bool, float, complex, str, bytes, type(None), Fraction}
"""Types of which nothing can be changed in place."""
_TOLD = {
    "cache_info", "cache_clear", "cache_parameters", "__wrapped__", "__doc__", "__defaults__", "__kwdefaults__",
    "__annotations__", "__code__", "__dict__", "__closure__", "__globals__", "vars", "dir", "lock",
}  # fmt: skip
"""Names under which code asks a cache for anything but an answer, a function for what it keeps beside attributes, and
what a cached property keeps for whether it is being worked out."""
_KEPT_BY_FUNCTIONS = {"__name__", "__qualname__", "__module__"}
"""What else a function keeps so, that is often asked for of classes; code may not change it, nor name it in a text."""
_TAKING = {
    "LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "IMPORT_FROM",
    "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR",
}  # fmt: skip
"""What takes a value of a name, or changes what has it."""
_OR_CALLING = {"LOAD_GLOBAL", "LOAD_ATTR"} if sys.version_info >= (3, 12) else {"LOAD_GLOBAL"}
"""Of those, what is for a call at once where its argument is odd."""
_CERTAIN = (None, True, False, ...)
"""What there is once, so that code may ask whether something is it."""


_NOTHING = object()
"""In place of an answer that was given before calls were noted."""


class _Changeable(Exception):
    """A value that may be another one at another time."""


@dataclass(eq=False)
class NotedCache:
    """A cache, and what it was asked while a mechanism was audited.

    Attributes:
        cache: The cache.
        mechanism: The mechanism: as an argument it is itself.
        moved: The places that stand otherwise than in the beginning.
        places: The names of the places at which calls are noted.
        memory: Whether it may be a memory.
    """

    cache: Any
    mechanism: object
    moved: Callable[[], Sequence[str]]
    places: set[str] = field(default_factory=set)
    memory: bool = False
    _known: dict[Any, tuple[Any, Any, Any]] = field(default_factory=dict)
    _looks: int = 0

    def begin(self) -> None:
        """Notes what was asked before: it is kept in every process alike."""
        keys: dict[Any, Any] = next((one for one in get_referents(self.cache) if self._is_store(one)), {})
        for key in list(keys):
            asked = key if type(key) is tuple else (key,)
            try:
                self._known[asked, ()] = self._told((asked, ())), _NOTHING, None
            except _Changeable:
                self.memory = True
        self.memory |= len(keys) != self.cache.cache_info().currsize

    def _is_store(self, value: Any) -> bool:
        """Whether something that a cache holds is where it keeps its answers, and neither attributes nor empty."""
        return type(value) is dict and value is not vars(self.cache) and bool(value)

    def asked(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What the cache answers."""
        if self.memory:
            return self.cache(*arguments, **named)
        with unasked():
            new = self._new(arguments, named)
        answer = self.cache(*arguments, **named)
        if new is not None and not self.memory:
            with unasked():
                self._note(*new, answer)
        return answer

    def _new(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any] | None:
        """What the cache takes for the same and what that is, where it was not asked for yet; None where it was, or is
        not known."""
        try:
            token = self._told((arguments, tuple(named.items())))
            key = arguments, tuple(named.items())
            known = self._known.get(key)
            self._looks += 1
            self.memory |= self._looks > MOST_ASKED or bool(self.moved())  # in a live run this call may be the first
            if known is None:
                self.memory |= len(self._known) >= MOST_ANSWERS
                return key, token
            self.memory |= known[0] != token
            return (key, token) if known[1] is _NOTHING else None
        except _Changeable:
            self.memory = True
        return None

    def _note(self, key: Any, token: Any, answer: Any) -> None:
        """What was answered, and whether anything stands otherwise by now."""
        try:
            known = token, answer, self._told(answer)
            within = self._known.get(key)  # noted inside this call, which asked for the same or for what equals it
            if within is not None and within[1] is not _NOTHING:
                self.memory |= (within[0], within[2]) != (known[0], known[2])
            self._known[key] = known
        except _Changeable:
            self.memory = True
        most = self.cache.cache_parameters()["maxsize"]
        self.memory |= (most is not None and len(self._known) > most) or bool(self.moved())

    def is_memory(self, reached: Reach) -> bool:
        """Whether what it keeps may say more than what it is asked."""
        if not self.memory:
            everywhere = {name for name, value in reached.values.items() if value is self.cache}
            self.memory = not everywhere <= self.places or not all(map(self._stands, self._known.values()))
        return self.memory

    def _stands(self, known: tuple[Any, Any, Any]) -> bool:
        """Whether an answer is what it was."""
        try:
            return known[1] is _NOTHING or bool(self._told(known[1]) == known[2])
        except _Changeable:
            return False

    def _told(self, value: Any) -> Any:
        """What tells a value from all others, also from those that equal it. Raises: _Changeable: that is not known."""
        kind = type(value)
        if kind in _UNCHANGING:
            return kind, held(value)
        if kind is tuple or (issubclass(kind, tuple) and _is_but_a_tuple(kind)):
            return kind, tuple(map(self._told, tuple.__iter__(value)))
        if kind is frozenset:
            return kind, frozenset(map(self._told, value))
        if kind is Pmf:
            weights, total = value.token_weights()
            return kind, tuple(weights.items()), total
        if (value is self.mechanism or is_a(value, Enum)) and self._compares_as_python_does(value):
            return kind, id(value)
        raise _Changeable

    def _compares_as_python_does(self, value: Any) -> bool:
        """Whether no code of the user's runs where a value is looked up: what that does in between goes unnoted."""
        kind = type(value)
        own = (getattr(kind, name) for name in ("__hash__", "__eq__"))
        if all(not is_a(one, FunctionType) or not is_of_users_space(one.__globals__) for one in own):
            return True
        if not is_dataclass(value) or not all(
            _is_of_dataclasses(getattr(kind, name)) for name in ("__hash__", "__eq__")
        ):
            return False
        parts = (getattr(value, part.name) for part in fields(value) if part.compare)
        return all(part is not value and self._told(part) is not None for part in parts)


def _is_but_a_tuple(kind: type) -> bool:
    """Whether values of a class are compared as tuples are, and hold nothing beside."""
    own = all(getattr(kind, name) is getattr(tuple, name) for name in ("__eq__", "__hash__"))
    return own and kind.__dictoffset__ == 0


def _is_of_dataclasses(function: Any) -> bool:
    return is_a(function, FunctionType) and function.__code__.co_qualname.startswith(OF_DATACLASSES)


@contextmanager
def noted_caches(
    mechanism: object, places: Reach, moved: Callable[[], Sequence[str]]
) -> Iterator[dict[int, NotedCache]]:
    """Notes what caches of the user's are asked inside, by their ids: those that stand in modules and classes alone.

    Args:
        mechanism: The mechanism.
        places: All that it can reach.
        moved: The places that stand otherwise than in the beginning.
    """
    caches: dict[int, NotedCache] = {}
    codes = (*places.code, *places.making)
    if places.unseen or any(map(_looks_at_caches, codes)) or not all(map(_is_loaded, codes)):
        yield caches
        return
    undo: Undo = []
    locks = {f"{name}.lock" for name, value in places.values.items() if type(value) is cached_property}
    for cache in {id(value): value for value in places.values.values() if type(value) is _lru_cache_wrapper}.values():
        function = cache.__wrapped__
        if not (is_a(function, FunctionType) and is_of_users_space(function.__globals__)):
            continue
        if not _is_only_called(cache, places):
            continue
        noted = NotedCache(cache, mechanism, lambda: [name for name in moved() if name not in locks])
        noted.begin()
        stand_in = _stand_in_for(noted)
        back = standing_for(cache, stand_in)
        if back is None:
            continue
        caches[id(cache)] = noted
        undo.append(back)
        noted.places |= {
            f"{space.get('__name__', '')}.{name}" for space, name in places.globals if space.get(name) is cache
        }
        for kind in (value for value in places.values.values() if is_a(value, type) and is_of_users_class(value)):
            for name in [name for name, value in vars(kind).items() if value is cache]:
                with suppress(Exception):  # its class may let nothing be set
                    setattr(kind, name, stand_in)
                    undo.append(partial(setattr, kind, name, cache))
                    noted.places.add(f"{kind.__name__}.{name}")
    try:
        yield caches
    finally:
        for back in reversed(undo):
            back()


def _stand_in_for(noted: NotedCache) -> FunctionType:
    def asked(*arguments: Any, **named: Any) -> Any:
        return noted.asked(arguments, named)

    for name in ("__name__", "__qualname__", "__doc__"):
        setattr(asked, name, getattr(noted.cache, name, None))
    asked.__dict__ = noted.cache.__dict__  # what is put on one is put on the other
    return asked  # type: ignore[return-value]


def _is_only_called(cache: Any, places: Reach) -> bool:
    """Whether a cache stands in modules and classes alone, and code does nothing with it there but call it."""
    spaces = [(space, name) for space, name in places.globals if space.get(name) is cache]
    spaces += [
        (vars(kind), name) for kind in places.values.values() if is_a(kind, type)
        for name, value in vars(kind).items() if value is cache
    ]  # fmt: skip
    stands = {f"{space.get('__name__') or space.get('__qualname__')}.{name}" for space, name in spaces}
    stands |= {f"{kind.__name__}.{name}" for kind in places.values.values() if is_a(kind, type) for _, name in spaces}
    names = {name for _, name in spaces}
    elsewhere = any(value is cache and name not in stands for name, value in places.values.items())
    return not elsewhere and all(names.isdisjoint(_taken_as_values(code)) for code in (*places.code, *places.making))


@lru_cache(maxsize=4_096)
def _taken_as_values(code: CodeType) -> frozenset[str]:
    """The names under which code takes anything without calling it at once, and all its texts."""
    own = {
        step.argval
        for step in get_instructions(code)
        if step.opname in _TAKING and not (step.opname in _OR_CALLING and (step.arg or 0) & 1)
    }
    own |= {constant for constant in code.co_consts if isinstance(constant, str)}
    return frozenset(own).union(*(_taken_as_values(part) for part in code.co_consts if isinstance(part, CodeType)))


def _is_loaded(code: CodeType) -> bool:
    """Whether all that code imports was read before: nobody knows what else does with what it is handed."""
    return all(name in sys.modules for name in imported_by(code))


@lru_cache(maxsize=4_096)
def _looks_at_caches(code: CodeType) -> bool:
    """Whether code asks a cache for more than answers, or which object one is; or handles what is raised."""
    if code.co_qualname.startswith(OF_DATACLASSES):
        return False  # of values of its own class alone
    texts = {constant for constant in code.co_consts if isinstance(constant, str)}
    if makes_up_names(code) or not _TOLD.isdisjoint({*asked_of(code), *texts}) or texts & _KEPT_BY_FUNCTIONS:
        return True
    handles = any(step.opname == "PUSH_EXC_INFO" for step in get_instructions(code))  # that is read with no name
    return (
        handles
        or asks_which_object(code, _CERTAIN)
        or any(_looks_at_caches(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    )
