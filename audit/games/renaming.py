"""Whether a mechanism does with events what it does with events of other names: else items show nothing of it.

In the neighbour-preserving game an event is an item without a value. Code that looks one up, or asks for its type, is
answered otherwise than on the values that it will be given, and nothing is raised. So every step is made on values of
the alphabet too, in the place of items, each of them in that of each item: it has to lead to the same, renamed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held, value_of
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.release import OVER
from dpcert.audit.relations.tags import Tag

_Names = Mapping[Tag, Any]


@frozen
class Renaming:
    """Steps of a mechanism on items and on values.

    Attributes:
        name: Of the mechanism.
        values: Those of its alphabet.
        step: The kernel of a step from a state on an input, both tokens, before items grow older.
    """

    name: str
    values: tuple[Any, ...]
    step: Callable[[Any, Any], Kernel]
    _seen: set[tuple[Any, Any]] = field(default_factory=set)

    def check(self, state: Any, x: Any, found: Kernel) -> None:
        """Looks whether a step leads to the same where items are values.

        Args:
            state: Three states as tokens.
            x: What a branch is handed.
            found: The step's kernel on items.
        Raises: MechanismError: it does not.
        """
        if state is OVER or (state, x) in self._seen:
            return
        self._seen.add((state, x))
        for names in self._all_names(list(_items((*map(value_of, state), x)))):
            other = self.step(tuple(held(renamed(value_of(part), names), "state") for part in state), renamed(x, names))
            if _told(found, names) != _told(other, {}):
                said = ", ".join(f"{tag!r} is {label(value)}" for tag, value in names.items())
                raise MechanismError(
                    f"Expected {self.name} to do with every event what it does with any other one, to keep it and to"
                    f" compare it with events, but it does otherwise where {said}"
                )

    def _all_names(self, items: list[Tag]) -> Iterator[_Names]:
        """Values for items, no two alike, so that each of them is given each value that it can have.

        Where there are more items than values, those that are left have words for names.
        """
        count, most = len(items), len(self.values)
        for turn in range(max(count, most) if items else 0):
            turned = [items[(turn + i) % count] for i in range(count)] if count >= most else items
            shift = 0 if count >= most else turn
            values = [self.values[(shift + i) % most] for i in range(min(count, most))]
            others = [f"another event {item!r}" for item in turned[len(values) :]]
            yield dict(zip(turned, (*values, *others), strict=True))


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
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*(renamed(part, names) for part in value))
    if is_dataclass(value) and not isinstance(value, type) and all(one.init for one in fields(value)):
        return replace(value, **{one.name: renamed(getattr(value, one.name), names) for one in fields(value)})
    return value


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
