"""Whether a mechanism does with events what it does with events of other names: else items show nothing of it.

In the neighbour-preserving game an event is an item without a value. Code that looks one up, or asks for its type, is
answered otherwise than on the values that it will be given, and nothing is raised. So every step is made on values of
the alphabet too, in the place of items, each of them in that of each item: it has to lead to the same, renamed. Where
the step on items was seen to ask them for something, or code may do on values what it does not on items, that is done
in all ways.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations
from math import perm
from typing import Any

from dpcert.audit.errors import MechanismError, Stopped
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held, value_of
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.release import OVER
from dpcert.audit.outside.unasked import is_worked_out
from dpcert.audit.relations.looks import Looks
from dpcert.audit.relations.tags import PLAIN, Tag, part_by_part

MOST_NAMINGS = 2_000
"""Ways for events to have values of the alphabet, past which a step that looks them up is not tried in all."""
_Names = Mapping[Tag, Any]


@frozen
class Renaming:
    """Steps of a mechanism on items and on values.

    Attributes:
        name: Of the mechanism.
        values: Those of its alphabet.
        step: The kernel of a step from a state on an input, both tokens, before items grow older.
        looks: What items are asked for in steps.
        unasked: Whether code may tell of which type they are, or the like, which no item notes.
    """

    name: str
    values: tuple[Any, ...]
    step: Callable[[Any, Any], Kernel]
    looks: Looks
    unasked: bool = False
    _seen: set[tuple[Any, Any]] = field(default_factory=set)

    def checked(self, state: Any, x: Any) -> Kernel:
        """A step's kernel on items, if where items are values it leads to the same.

        Args:
            state: Three states as tokens.
            x: What a branch is handed.
        Raises: MechanismError: it does not. Stopped: that takes too many steps.
        """
        self.looks.found, self.looks.wanted = False, True
        found = self.step(state, x)
        self.looks.wanted = False  # where there are values in the place of items
        self._check(state, x, found, looked=self.looks.found or self.unasked)
        return found

    def _check(self, state: Any, x: Any, found: Kernel, *, looked: bool) -> None:
        if state is OVER or (state, x) in self._seen:
            return
        self._seen.add((state, x))
        states = tuple(map(value_of, state))
        looked = looked or any(map(is_worked_out, _kinds(states)))
        for names in self._all_names(list(_items((*states, x))), looked=looked):
            other = self.step(tuple(held(renamed(value_of(part), names), "state") for part in state), renamed(x, names))
            if _told(found, names) != _told(other, {}):
                said = ", ".join(f"{tag!r} is {label(value)}" for tag, value in names.items())
                raise MechanismError(
                    f"Expected {self.name} to do with every event what it does with any other one, to keep it and to"
                    f" compare it with events, but it does otherwise where {said}"
                )

    def _all_names(self, items: Sequence[Tag], *, looked: bool) -> Iterator[_Names]:
        """Values for items, no two alike; where there are more items than values, those that are left have words.

        Code that asked items for nothing does not tell values of one type apart that do not equal each other: then
        each item has each value once.
        Else all ways are tried, for a table may be of several values at once.

        Raises: Stopped: they are too many.
        """
        longer, shorter = (items, self.values) if len(items) >= len(self.values) else (self.values, items)
        chosen: Iterable[Sequence[Any]] = ([*longer[at:], *longer[:at]] for at in range(len(longer)))
        if looked or not self._distinct:
            self._check_ways(perm(len(longer), len(shorter)), len(items))
            chosen = permutations(longer, len(shorter))
        for part in chosen:
            names = dict(zip(*((part, shorter) if longer is items else (shorter, part)), strict=False))
            yield {item: names.get(item, f"another event {item!r}") for item in items}

    @cached_property
    def _distinct(self) -> bool:
        """Whether == tells all values apart, as it tells items, and all are of one type."""
        try:
            equal = any(one == other for one, other in combinations(self.values, 2))
            return not equal and all(one == one for one in self.values) and len(set(map(type, self.values))) == 1
        except Exception:  # noqa: BLE001 - how values of somebody's class compare may raise anything
            return False

    def _check_ways(self, ways: int, items: int) -> None:
        if ways > MOST_NAMINGS:
            raise Stopped(
                f"{items} events that {self.name} looks up can have values of its alphabet in more than "
                f"{MOST_NAMINGS:,} ways (MOST_NAMINGS); of a smaller alphabet they are fewer"
            )


def renamed(value: Any, names: _Names) -> Any:
    """A value with items inside under other names.

    Args:
        value: Numbers, texts, items, and tuples, frozensets and dataclasses of these; all else stays as it is.
        names: The names of items; others keep theirs.

    >>> renamed((3, Tag(), frozenset({Tag(1)})), {Tag(): "a"})
    (3, 'a', frozenset({#1}))
    """
    kind = type(value)
    if kind is Tag:
        return names.get(value, value)
    if kind is tuple:
        return tuple(renamed(part, names) for part in value)
    if kind is frozenset:
        return frozenset(renamed(part, names) for part in value)
    other = part_by_part(value, lambda part: renamed(part, names))
    return value if other is None else other


def _kinds(value: Any) -> set[type]:
    """The types of what a value is made of that is made of parts, but for Python's own."""
    found = set[type]()

    def look(part: Any) -> Any:
        if isinstance(part, PLAIN):
            return part
        if type(part) in (tuple, frozenset):
            for inner in part:
                look(inner)
        else:
            found.add(type(part))
            part_by_part(part, look)
        return part

    look(value)
    return found


class _Noted(dict[Tag, None]):
    """Items that are asked for, each of which keeps its name."""

    def get(self, tag: Any, default: Any = None) -> Any:
        """What it is called, which is noted."""
        self[tag] = None
        return default


def _items(value: Any) -> dict[Tag, None]:
    """The items inside a value, each once."""
    found = _Noted()
    renamed(value, found)
    return found


def _told(kernel: Kernel, names: _Names) -> dict[Any, Fraction]:
    """What a step leads to with which probability, renamed."""
    law: dict[Any, Fraction] = {}
    entries: Any = kernel.entries
    for visible, after, weight in entries:
        shown = held(renamed(value_of(visible), names), "visible output")
        states = after if after is OVER else tuple(held(renamed(value_of(part), names), "state") for part in after)
        law[shown, states] = law.get((shown, states), Fraction(0)) + Fraction(weight, kernel.denominator)
    return law
