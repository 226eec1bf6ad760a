"""How an object is now that has a part written in C: what says it, by the kind of that part; and what never changes.

An object of whose kind neither is known, such as a matrix of a compiled library, cannot be read: nobody would see what
code leaves in it.
"""

import _random
import decimal
import gc
import io
import operator
import re
import sys
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import ContextVar, Token
from decimal import Decimal
from fractions import Fraction
from functools import _lru_cache_wrapper, lru_cache, partial
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CellType,
    ClassMethodDescriptorType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    GenericAlias,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    SimpleNamespace,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.identity import PLAIN, Held, held, same
from dpcert.audit.layout import NO_ATTRIBUTES, attributes_of, is_a, written_in_c

LEAVES = frozenset((*PLAIN, bool, float, complex, Fraction, Decimal, Pmf, Held))
"""Kinds of values that have nothing inside that may change."""
CONTAINERS = (list, tuple, set, frozenset, deque)
OF_ITEMS_ALONE = {dict, defaultdict, MethodType, *CONTAINERS}
"""Classes whose values have no attributes."""
State = Callable[[Any], Any]


def is_looked_into(item: Any) -> bool:
    """Whether an item has anything inside that may change; what has not stands in the mark of its container."""
    return type(item) not in LEAVES


class Kept:
    """What stood at some places: the same things, or numbers and texts that are the same.

    They are kept, so that nothing else comes to stand where they do.
    """

    def __init__(self, *items: Any) -> None:
        self._items = items

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kept) or len(self._items) != len(other._items):
            return False
        if all(map(operator.is_, self._items, other._items)):
            return True
        return all(one is two or _alike(one, two) for one, two in zip(self._items, other._items, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(map(type, self._items)))


def _alike(one: Any, other: Any) -> bool:
    """Whether two items that cannot change are the same; others are where they are one."""
    return not is_looked_into(one) and not is_looked_into(other) and same(one, other)


def contents(container: Any) -> Kept:
    """What a container held, whatever its class says of that."""
    return Kept(*items_of(container), *(values_of(container) if is_a(container, dict) else ()))


def items_of(container: Any) -> list[Any]:
    """What a built-in container, or one made from that, gives when it is gone through; of a dictionary its keys."""
    return list(_built_in(container).__iter__(container))


def values_of(container: dict[Any, Any]) -> list[Any]:
    """What a dictionary has under its keys, in their order."""
    return list(_built_in(container).values(container))


def _built_in(container: Any) -> Any:
    """The class of Python's by which it keeps what it holds: a class made from that may list less."""
    return next(kind for kind in type(container).__mro__ if kind in _KEEPING)


_KEEPING = {dict, OrderedDict, *CONTAINERS}


class HiddenState(Exception):
    """An object whose state nobody can read."""


def state_of(value: Any) -> Any:
    """What tells an object from how it was before, and from others; what stands in its attributes and slots left out.

    Raises: HiddenState: nothing does.

    >>> import itertools
    >>> numbers = itertools.count()
    >>> before = state_of(numbers)
    >>> next(numbers), state_of(numbers) == before
    (0, False)
    """
    part = written_in_c(type(value))
    if part is object and attributes_of(value) is not NO_ATTRIBUTES:
        return Kept(value)
    read = _reader(part)
    try:
        return held(value, copying=True) if read is None else read(value)
    except Exception:  # noqa: BLE001 - a foreign object may raise anything
        if part is object:
            return Kept(value)
        with suppress(Exception):
            return memoryview(value).tobytes()
        raise HiddenState from None


def has_identity(value: Any) -> bool:
    """Whether a value is told from others by what it is made of alone."""
    try:
        held(value, copying=True)
    except Exception:  # noqa: BLE001 - a foreign object may raise anything
        return False
    return True


def is_readable(value: Any) -> bool:
    """Whether all that may change in an object shows, in its state or in its attributes and slots.

    >>> import zlib
    >>> is_readable(re.compile("a")), is_readable(zlib.compressobj())
    (True, False)
    """
    try:
        state_of(value)
    except HiddenState:
        return False
    return True


def held_by(value: Any) -> Iterable[Any]:
    """What an object with a part written in C holds there, as far as it may change itself."""
    part = written_in_c(type(value))
    if part in _FRAMES:
        return _held_in_frame(value, _FRAMES[part](value))
    goes_on = hasattr(part, "__next__") and not issubclass(part, io.IOBase)
    if part in _HOLDING or goes_on or _is(part, "numpy", "ufunc") or _is(part, "_queue", "SimpleQueue"):
        return _referents(value, type(value), attributes_of(value))
    if part is weakref.ReferenceType:  # Python tells of no callback of one that is gone
        return weakref.ReferenceType.__call__(value), _CALLBACK.__get__(value)
    if part is ContextVar:
        return (_in_context(value),)
    if part is memoryview:
        return (value.obj,)
    if _is(part, "numpy", "ndarray"):
        return _held_in_array(value, part)
    return _beside(value) if _is_type_of_arrays(part) else ()


def _held_in_array(array: Any, part: Any) -> Iterable[Any]:
    """The objects in an array, of what it is a part, and what its type says beside."""
    inside = part.tolist(part.ravel(array)) if array.dtype.hasobject else ()
    return *inside, array.base, *_beside(array.dtype)


def _beside(dtype: Any) -> list[Any]:
    """What a type of arrays says beside: the dictionary, of which it hands out a new view each time."""
    return [] if dtype.metadata is None else gc.get_referents(dtype.metadata)


def _is_type_of_arrays(part: type) -> bool:
    return any(_is(kind, "numpy", "dtype") for kind in part.__mro__)


def _referents(value: Any, *known: Any) -> list[Any]:
    """What a value refers to, as Python's collector of garbage sees it."""
    return [one for one in gc.get_referents(value) if not any(one is other for other in known)]


def _held_in_frame(value: Any, frame: FrameType | None) -> Iterable[Any]:
    """What a frame that waits holds: its function, what names stand for, and what waits on its stack of values."""
    if frame is None:
        return ()
    return _referents(value, frame, frame.f_locals, frame.f_globals, frame.f_builtins, frame.f_code)


@lru_cache(maxsize=4096)
def _reader(part: type) -> State | None:
    """What reads the states of objects of which this kind is the part that is written in C, if anything does."""
    if part in _READERS:
        return _READERS[part]
    if part in LEAVES or part is object:
        return None
    names = {(kind.__module__.partition(".")[0], kind.__name__) for kind in part.__mro__}
    if part in _UNCHANGING or part in _IN_ATTRIBUTES or names & _NAMED:
        return Kept
    return next((read for is_one, read in _OF_KINDS if is_one(part)), None)


def _of_error(value: Any) -> Any:
    written = getattr(value, "characters_written", None) if isinstance(value, OSError) else None
    return Kept(value, *value.args, value.__cause__, value.__context__, written)


def _of_code(value: Any) -> Any:
    parts = value.__code__, value.__defaults__, value.__kwdefaults__
    names = value.__name__, value.__qualname__, value.__module__, value.__doc__
    return Kept(value, *parts, *names), contents(value.__annotations__)


def _of_frame(value: Any, frame: FrameType | None) -> Any:
    """How far a generator is, what its names stand for, and what else it has at hand."""
    if frame is None:
        return Kept(value)
    names = frame.f_locals
    return frame.f_lasti, *names, Kept(value, *names.values(), *_held_in_frame(value, frame))


def _of_iterator(value: Any) -> Any:
    """How far a built-in iterator is, and over what: that is handed out in containers made anew."""
    _, given, *at = value.__reduce__()
    return tuple(map(_gone_through, given)), tuple(map(_gone_through, at)), operator.length_hint(value)


def _gone_through(part: Any) -> Any:
    if type(part) in PLAIN or is_a(part, range):
        return part
    if type(part) is tuple:
        return tuple(map(_gone_through, part))
    if is_a(part, (dict, *CONTAINERS)):
        return contents(part)
    return Kept(part), state_of(part)


def _how_far(iterator: Any) -> Any:
    """How far an iterator of Python's is; where that cannot be read, what no other state is equal to."""
    try:
        return _of_iterator(iterator)
    except Exception:  # noqa: BLE001 - whatever cannot be read
        return object()


def flags_of(context: decimal.Context) -> Any:
    """What calculations leave in a context of decimal numbers."""
    return tuple(signal for signal, met in context.flags.items() if met)


def of_context(context: decimal.Context) -> Any:
    """What a context of decimal numbers says of rounding; what calculations leave in it is no setting."""
    return (
        (context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp),
        tuple(signal for signal, trapped in context.traps.items() if trapped),
    )


def _of_file(value: Any) -> Any:
    """How far a file has been read; one that has no places, such as a terminal, cannot be read back."""
    with suppress(OSError, ValueError):
        return Kept(value, value.tell())
    return Kept(value)


def _of_array(value: Any) -> Any:
    """An array of numpy's by its bits, or by what it holds, and how it lies."""
    kind = sys.modules["numpy"].ndarray
    inside = contents(kind.tolist(kind.ravel(value))) if value.dtype.hasobject else kind.tobytes(value)
    return value.dtype.str, _fields(value.dtype), value.shape, value.strides, value.flags.num, inside


def _fields(dtype: Any) -> Any:
    """The names of an array's columns, which can be changed, and of those within."""
    return dtype.names and [(name, _fields(dtype.fields[name][0])) for name in dtype.names]


def _told(state: Any) -> Any:
    """What a generator of numpy's says of itself: in full, as it would not be printed."""
    return held(state, copying=True)


def _in_context(variable: ContextVar[Any]) -> Any:
    """What a context variable stands for, if it does for anything: its default also where nothing was set."""
    try:
        return variable.get()
    except LookupError:
        return None


_CALLBACK: Any = vars(weakref.ReferenceType)["__callback__"]
_FRAMES: dict[type, Callable[[Any], FrameType | None]] = {
    GeneratorType: lambda v: v.gi_frame,
    CoroutineType: lambda v: v.cr_frame,
    AsyncGeneratorType: lambda v: v.ag_frame,
}
"""What a frame waits in, and how it is had."""
_READERS: dict[type, State] = {
    FunctionType: _of_code,
    property: lambda v: Kept(v, v.fget, v.fset, v.fdel, v.__doc__),
    CellType: lambda v: Kept(v, v.cell_contents),
    **dict.fromkeys(_FRAMES, lambda v: _of_frame(v, _FRAMES[type(v)](v))),
    _lru_cache_wrapper: lambda v: Kept(v, *v.cache_info()),
    _random.Random: lambda v: _random.Random.getstate(v),
    decimal.Context: of_context,
    ContextVar: lambda v: Kept(v, _in_context(v)),
    weakref.ReferenceType: lambda v: Kept(v, weakref.ReferenceType.__call__(v)),
    io.StringIO: lambda v: (io.StringIO.getvalue(v), io.StringIO.tell(v)),
    io.BytesIO: lambda v: (io.BytesIO.getvalue(v), io.BytesIO.tell(v)),
}
"""How the states of some types are read."""
_OF_KINDS: tuple[tuple[Callable[[type], bool], State], ...] = (
    (lambda part: issubclass(part, BaseException), _of_error),
    (lambda part: issubclass(part, io.IOBase), _of_file),
    (lambda part: hasattr(part, "__next__"), _how_far),
    (lambda part: hasattr(part, "hexdigest") and hasattr(part, "copy"), lambda v: v.copy().hexdigest()),
    (lambda part: _is(part, "_queue", "SimpleQueue"), lambda v: Kept(v, v.qsize())),
    (lambda part: _is(part, "_thread", "lock"), lambda v: Kept(v, v.locked())),
    (lambda part: _is(part, "_thread", "RLock"), lambda v: Kept(v, repr(v))),
    (lambda part: _is(part, "numpy", "ndarray"), _of_array),
    (lambda part: _is(part, "_struct", "Struct"), lambda v: Kept(v, v.format)),
    (_is_type_of_arrays, lambda v: (Kept(v), _fields(v))),
    (lambda part: hasattr(part, "bit_generator"), lambda v: _told(v.bit_generator.state)),
    (lambda part: hasattr(part, "get_state") and hasattr(part, "tomaxint"), lambda v: _told(v.get_state(legacy=False))),
    (lambda part: part.__module__.startswith("numpy.random.") and hasattr(part, "state"), lambda v: _told(v.state)),
)
"""How those of others are, that are known by what they can do, or are loaded late."""


def _is(part: type, module: str, name: str) -> bool:
    return part.__module__.partition(".")[0] == module and part.__name__ == name


_IN_ATTRIBUTES = {ModuleType, staticmethod, classmethod, partial, SimpleNamespace, type, *CONTAINERS, dict}
"""Classes whose values hold nothing but attributes, or what has places of its own."""
_HOLDING = {
    operator.itemgetter, operator.attrgetter, operator.methodcaller, slice, super, MappingProxyType, MethodType,
    BuiltinFunctionType, MethodWrapperType, type({}.keys()), type({}.values()), type({}.items()), CellType,
    GenericAlias, UnionType, Token,
}  # fmt: skip
"""Classes whose values hold others, which are looked into."""
_UNCHANGING = _HOLDING | {
    WrapperDescriptorType, MethodDescriptorType, ClassMethodDescriptorType, GetSetDescriptorType, MemberDescriptorType,
    CodeType, re.Pattern, re.Match,
}  # fmt: skip
"""Classes whose values are what they were made."""
_NAMED = {
    ("_collections", "_tuplegetter"), ("_json", "Scanner"), ("_json", "make_encoder"),
    ("_abc", "_abc_data"), ("numpy", "ufunc"), ("numpy", "_ArrayFunctionDispatcher"),
    ("numpy", "finfo"), ("numpy", "iinfo"), ("flint", "fmpz"), ("flint", "fmpq"), ("flint", "arb"), ("flint", "acb"),
    ("flint", "arf"), ("flint", "nmod"),
}  # fmt: skip
"""More of them, by module and name: they have no other, or are loaded late."""
