"""Whether a run has touched anything that the next one can read: which objects stand where, looked at after each run.

Where everything that can hold something holds the very objects that it held, all that code can reach is what it was:
what these are made of is looked at as well, down to values that nobody can change. To put an equal object in the place
of another one counts as a change.
"""

import math
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import repeat
from types import CellType, FunctionType, MemberDescriptorType
from typing import Any

from dpcert.audit.kernels.release import HALT
from dpcert.audit.layout import SPACE
from dpcert.audit.outside.guards import place_of
from dpcert.audit.scripted.form_kinds import member_of_set
from dpcert.audit.scripted.layouts import layout
from dpcert.audit.scripted.plain_arrays import is_array
from dpcert.audit.scripted.readable import functions_of, globals_read, is_users_class
from dpcert.audit.scripted.traversal import Traversal
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.unresolved_math import WRAPPED

_Look = Callable[[], tuple[Any, ...]]
_NOTHING = object()
CHANGED = "a run changes what its code can reach"
"""Why runs are not shared where one may be met by another."""


class Untouched:
    """All that one way through what code can reach has met, and what each of it held then.

    What was met is kept, so that nothing else comes to stand where it does.
    """

    def __init__(self, traversal: Traversal) -> None:
        """Takes what a form has met."""
        libraries = math, Fraction, type(HALT)
        self._kept = [*traversal.kept, *(value for owner in libraries for value in vars(owner).values())]
        self._kept += [v for kind in traversal.kept if type(kind) is type for v in SPACE.__get__(kind).values()]
        self._looks = [look for value in traversal.kept for look in _looks(value, traversal.attributes)]
        self._looks += [partial(_in_space, owner) for owner in libraries]
        self._looks += [partial(_on_functions, WRAPPED.values())]
        self._held = [look() for look in self._looks]

    def check(self) -> None:
        """Raises: Unknown: a run left something behind that the next one can read."""
        if not self.holds():
            raise Unknown(CHANGED)

    def holds(self) -> bool:
        """Whether all of it holds what it held; what can no longer be looked at does not, for it could."""
        try:
            return all(look() == held for look, held in zip(self._looks, self._held, strict=True))
        except (Unknown, RecursionError):
            return False


def _looks(value: Any, attributes: Container[int]) -> Iterator[_Look]:
    """What says which objects stand in a value, of each kind that plain values are of."""
    kind = type(value)
    if kind is list or kind is deque:
        yield lambda: tuple(map(id, value))
    elif kind is dict:
        yield lambda: _entries(value, laid_out=place_of(value) not in attributes)
    elif kind is set:
        yield lambda: tuple(sorted(repr(member_of_set(member)) for member in value))
    elif kind is CellType:
        yield lambda: (id(_inside(value)),)
    elif kind is FunctionType:
        yield from _of_function(value)
    elif kind is Fraction:
        yield lambda: (id(value._numerator), id(value._denominator))
    elif is_array(value):
        yield lambda: (value.shape, value.strides, value.tobytes())
    elif value is HALT:
        yield lambda: (len(vars(value)),)
    elif kind is type:
        if is_users_class(value):
            yield partial(_in_space, value)
            yield partial(_on_functions, [part for v in SPACE.__get__(value).values() for part in functions_of(v)])
    elif is_users_class(kind):
        yield from _of_slots(value)


def _in_space(owner: Any) -> tuple[Any, ...]:
    """Which objects stand in a class or a module, under which names."""
    space = SPACE.__get__(owner) if isinstance(owner, type) else vars(owner)
    return (*space, *map(id, space.values()))


def _on_functions(functions: Iterable[Any]) -> tuple[Any, ...]:
    """What is kept on functions."""
    return tuple((len(vars(one)), id(one.__code__), id(one.__defaults__), id(one.__kwdefaults__)) for one in functions)


def _entries(value: dict[Any, Any], *, laid_out: bool) -> tuple[Any, ...]:
    entries = tuple((id(key), id(item)) for key, item in value.items())
    return (*entries, layout(value)) if laid_out else entries


def _inside(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _NOTHING


def _of_function(function: FunctionType) -> Iterator[_Look]:
    """What is kept on it, and what each name that it reads stands for, or that nothing does."""
    space, names = function.__globals__, globals_read(function.__code__)
    yield lambda: (len(vars(function)), id(function.__code__), id(function.__defaults__), id(function.__kwdefaults__))
    yield lambda: tuple(map(id, map(space.get, names, repeat(_NOTHING))))


def _of_slots(value: Any) -> Iterator[_Look]:
    """What stands in the slots of an object; its attributes are a dictionary of their own."""
    slots = [
        slot
        for base in type(value).__mro__[:-1]
        for slot in SPACE.__get__(base).values()
        if type(slot) is MemberDescriptorType
    ]
    if slots:
        yield lambda: tuple(id(_in_slot(slot, value)) for slot in slots)


def _in_slot(slot: Any, value: Any) -> Any:
    try:
        return slot.__get__(value)
    except AttributeError:
        return _NOTHING
