"""Guards in front of sources of randomness and state from outside, also where the user's modules have them."""

import builtins
import importlib
import io
import os
import random
import sys
import threading
import time
import uuid
from collections.abc import Callable
from datetime import date, datetime
from functools import partial, wraps
from types import FunctionType, ModuleType
from typing import Any
from weakref import WeakSet

from dpcert.audit.outside.asked import ASKED, WATCH, asker, refuse
from dpcert.audit.outside.sources import CLOCKS, EVENTS, OTHERS, draws, is_device, is_unsteady_hash

_SEEDED: "WeakSet[random.Random]" = WeakSet()
"""Generators that were given a seed: what they draw is a function of it."""
_STANDING: dict[int, tuple[Any, FunctionType]] = {}
"""id of a value that calls others, and of the first of these -> (the value, what stands for it)."""
place_of = id
"""Where a value stands, asked of Python itself: `id` may have a guard before it."""
_GUARDS: dict[int, tuple[Any, Any, str]] = {}
"""id of a source -> (the source, its guard, its name where every call of it counts)."""
Undo = list[Callable[[], None]]
"""Ways back, to be taken in reverse order."""


def renamed(space: dict[str, Any], name: str) -> Callable[[], None]:
    """Puts the guard where the user's code holds the source itself; gives the way back."""
    if name == "type" and name not in space:
        space[name] = TypeGuard
        return lambda: space.pop(name, None)
    source = space.get(name)
    guard = _guard_of(source) or _stand_in_of(source)
    if guard is None:
        if only_profiled(source):
            WATCH.profiled = True
        return lambda: None
    space[name] = guard

    def back() -> None:
        if space.get(name) is guard:
            space[name] = source

    return back


ASKED_FOR_TYPE: dict[type, Callable[[Any], Any]] = {}
"""Types of ours whose values pass for others', and what one answers when the user's code asks it for its type."""


class _Typing(type):
    """Answers as `type` does, and as it would of what a value of ours stands for."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        if len(given) == 1 and type(given[0]) in ASKED_FOR_TYPE:
            return ASKED_FOR_TYPE[type(given[0])](given[0])
        return type(*given, **named)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, type)

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return issubclass(subclass, type)


class TypeGuard(type, metaclass=_Typing):
    """Stands for `type` in the user's modules while their code is watched."""


def _guard_of(value: Any) -> Any:
    """The guard of a source; None of all else."""
    known = _GUARDS.get(place_of(value))
    return known[1] if known is not None and known[0] is value else None


def _stand_in_of(value: Any) -> Any:
    """What stands for a value; None for all that nothing does for."""
    known = _STANDING.get(place_of(value))
    return known[1] if known is not None and known[0] is value else None


def standing_for(value: Any, stand_in: FunctionType) -> Callable[[], None] | None:
    """Lets a function stand for a value that calls another one, wherever `renamed` meets it; gives the way back, None
    where one does already."""
    places = place_of(value), place_of(value.__wrapped__)
    if any(place in _STANDING for place in places):
        return None
    _STANDING.update(dict.fromkeys(places, (value, stand_in)))

    def back() -> None:
        for place in places:
            del _STANDING[place]

    return back


def inside_partial(value: Any) -> Callable[[], None]:
    """Puts the guard into a partial call of a source, which no profile sees; gives the way back."""
    guard = _guard_of(value.func) if isinstance(value, partial) else None
    if guard is None:
        return lambda: None
    source, *rest = value.func, value.args, value.keywords, vars(value) or None
    value.__setstate__((guard, *rest))
    return lambda: value.__setstate__((source, *rest))


def only_profiled(value: Any) -> bool:
    """Whether a value is a source, or gives one, that no guard can stand in front of."""
    if value is date or value is datetime or (isinstance(value, ModuleType) and value.__name__ == "datetime"):
        return True
    if _guard_of(value) is not None:
        return True
    holder = getattr(value, "__self__", None) if callable(value) else None
    if any(holder is kind for kind in (date, datetime)):
        return True
    return any(draws(v) or isinstance(v, io.IOBase) for v in (value, holder))


def original(value: Any) -> Any:
    """What stood in a place before a guard did, or something that stands for it."""
    guarded = getattr(value, "__wrapped__", None) if isinstance(value, FunctionType) else None
    if guarded is None:
        return value
    known = _GUARDS.get(place_of(guarded)) or _STANDING.get(place_of(guarded))
    return known[0] if known is not None and known[1] is value else value


def guarded_sources() -> dict[int, int]:
    """id of a guard, or of a stand-in -> id of what it stands in front of, as `original` tells it of one value."""
    both = (*_GUARDS.values(), *_STANDING.values())
    return {place_of(guard): place_of(source) for source, guard, *_ in both}


def source_of(function: Any) -> str:
    """The name of a source all of whose calls count; empty for all else."""
    entry = _GUARDS.get(place_of(function))
    return entry[2] if entry is not None and entry[0] is function else ""


def is_seeded(generator: Any) -> bool:
    """Whether a generator of Python's was given a seed."""
    return isinstance(generator, random.Random) and generator in _SEEDED


def installed() -> Undo:
    """Puts a guard in front of every source that allows it; gives the ways back."""
    undo: Undo = []
    _guard_chance(undo)
    _guard_system(undo)
    _guard_objects(undo)
    _guard_loaded(undo)
    if not WATCH.hooked:  # a hook is for the rest of the process
        WATCH.hooked = True
        sys.addaudithook(_event)
    _remember_seeds(undo)
    return undo


def _guard(
    undo: Undo,
    space: Any,
    *names: str,
    direct: bool = False,
    check: Callable[..., bool] | None = None,
    prefix: str = "",
) -> None:
    """Puts guards in front of what a module or class holds under some names, where it does; notes the ways back."""
    for name in names:
        original = getattr(space, name, None)
        if original is None:
            continue
        entry = _GUARDS.get(id(original))
        whole = f"{prefix or getattr(space, '__name__', '').removeprefix('builtins')}.{name}".lstrip(".")
        if entry is None or entry[0] is not original:
            entry = original, _guarded(whole, original, direct, check), "" if check else whole
            _GUARDS[id(original)] = entry
        own = name in vars(space)
        setattr(space, name, entry[1])
        undo.append(partial(setattr, space, name, original) if own else partial(delattr, space, name))


def _functions(module: ModuleType) -> list[str]:
    """The public functions of a module, its classes left out."""
    public = [(name, getattr(module, name)) for name in dict.fromkeys(module.__all__)]
    return [name for name, value in public if callable(value) and not isinstance(value, type)]


def _guard_chance(undo: Undo) -> None:
    """Random numbers: Python's own generator, and the system's entropy."""
    _guard(undo, random, *_functions(random))
    _guard(undo, random.Random, "random", "getrandbits", check=_is_unseeded)
    _guard(undo, random, "_urandom")
    _guard(undo, uuid, "uuid1", "uuid4", "getnode")


def _guard_system(undo: Undo) -> None:
    """What tells processes, threads, machines and moments apart."""
    for space in (os, sys.modules[os.name if os.name == "nt" else "posix"]):
        _guard(undo, space, "urandom", "getrandom")
        _guard(undo, space, "getpid", "getppid", "times", "getloadavg", "stat", "lstat", "_exit", "abort", direct=True)
    _guard(undo, os.path, "getmtime", "getatime", "getctime")
    _guard(undo, type(os.environ), "__getitem__", "__iter__", "__setitem__", prefix="os.environ")
    _guard(undo, threading.Thread, "start", prefix="threading.Thread")
    _guard(undo, threading, "get_ident", "get_native_id", "current_thread", direct=True)
    _guard(undo, time, *CLOCKS, direct=True)


def _guard_objects(undo: Undo) -> None:
    """Where objects stand, and hashes that differ between processes."""
    _guard(undo, builtins, "hash", direct=True, check=is_unsteady_hash)
    _guard(undo, builtins, "id", direct=True)


def _guard_loaded(undo: Undo) -> None:
    """Sources of modules that are loaded already, and of numpy, which code may load in the middle of a question."""
    for module, name in OTHERS:
        if module in sys.modules:
            _guard(undo, sys.modules[module], name)
    numpy = importlib.import_module("numpy.random")  # without a seed, default_rng asks for the system's entropy
    _guard(undo, numpy, *(name for name in _functions(numpy) if name != "default_rng"))


def _remember_seeds(undo: Undo) -> None:
    """Notes which generators are given a seed."""
    seed, restore = random.Random.seed, random.Random.setstate

    @wraps(seed)
    def remembered(self: random.Random, a: Any = None, version: int = 2) -> None:
        (_SEEDED.discard if a is None else _SEEDED.add)(self)
        seed(self, a, version)

    @wraps(restore)
    def restored(self: random.Random, state: Any) -> None:
        _SEEDED.discard(self)  # of whom the state was is not known
        restore(self, state)

    random.Random.seed = remembered  # type: ignore[method-assign]
    random.Random.setstate = restored  # type: ignore[method-assign]
    undo += [partial(setattr, random.Random, "seed", seed), partial(setattr, random.Random, "setstate", restore)]


def _guarded(
    name: str, original: Callable[..., Any], direct: bool, check: Callable[..., bool] | None
) -> Callable[..., Any]:
    """The source, refused where the user's code calls it: `direct`, from its own lines and not through a library."""

    @wraps(original)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if ASKED.members and (check is None or check(*args, **kwargs)):
            through = asker(sys._getframe(1), direct, hashing=name in ("hash", "id"))
            if through is not None:
                refuse(through or name)
        return original(*args, **kwargs)

    return guarded


def _is_unseeded(self: Any, *_: object) -> bool:
    return self not in _SEEDED


def _event(name: str, details: tuple[Any, ...]) -> None:
    """Sees files however they are opened, other processes, and what else Python announces."""
    if not (WATCH.watching and ASKED.members) or (name != "open" and name not in EVENTS):
        return
    if name == "open" and not is_device(*details):
        WATCH.files += 1
        return
    through = asker(sys._getframe(1), direct=False)
    if through is not None:
        refuse(EVENTS.get(name) or through or "open")
