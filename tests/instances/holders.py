"""Where code may keep a count that no variable shows: what is made, how it is counted on, and how it is read."""

import collections
import decimal
import enum
import functools
import io
import itertools
import random
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np


class Window(collections.deque[int]):
    """One that has attributes as well."""


class Bytes(bytearray):
    """The same."""


class Cells(array):  # type: ignore[type-arg]
    """The same."""


class Tally(np.ndarray):  # type: ignore[type-arg]
    """The same."""


class Ids(itertools.count):  # type: ignore[type-arg]
    """The same."""


class Shuffler(random.Random):
    """The same."""


class Log(io.StringIO):
    """The same."""


class Refused(Exception):
    """The same."""


class Named(dict[str, int]):
    """A dictionary with an attribute."""

    times: int = 0


@dataclass
class Answer(dict[str, int]):
    """A dictionary with a field."""

    version: int = 1


@dataclass
class Page(list[int]):
    """A list with a field."""

    number: int = 0


PAIRS: list[int] = []


class Pair(NamedTuple):
    """What its methods read keeps a count."""

    limit: int

    def tick(self) -> None:
        PAIRS.append(1)

    @property
    def ticks(self) -> int:
        return len(PAIRS)


@dataclass(slots=True)
class Attempts:
    """The same, with slots."""

    limit: int = 2
    log: ClassVar[list[int]] = []

    def tick(self) -> None:
        self.log.append(1)


@dataclass(eq=False)
class Item:
    """What stands in containers."""

    kept: ClassVar[list[int]] = []
    seen: list[int] = field(default_factory=list)

    def tick(self) -> None:
        self.seen.append(1)


class Mode(enum.Enum):
    """Its member counts."""

    EXACT = 1

    @property
    def count(self) -> int:
        return int(getattr(self, "times", 0))


class Remembering:
    """What a property remembers is a list."""

    @functools.cached_property
    def log(self) -> list[int]:
        return []


def _on(name: str) -> Callable[[Any], None]:
    def tick(holder: Any) -> None:
        setattr(holder, name, getattr(holder, name, 0) + 1)

    return tick


def _emptied(kept: list[int], made: Any) -> Any:
    kept.clear()
    return made


def _exact() -> Mode:
    Mode.EXACT.times = 0  # type: ignore[attr-defined]
    return Mode.EXACT


def _drawn(holder: random.Random) -> None:
    holder.setstate((holder.getstate()[0], (*holder.getstate()[1][:-1], holder.getstate()[1][-1] - 1), None))


Holder = tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], int]]
HOLDERS: dict[str, Holder] = {
    "a deque's items": (Window, lambda h: h.append(1), len),
    "a bytearray's": (Bytes, lambda h: h.append(1), len),
    "an array's": (lambda: Cells("i"), lambda h: h.append(1), len),
    "an array of numpy's": (lambda: np.zeros(1).view(Tally), lambda h: h.__iadd__(1), lambda h: int(h[0])),
    "a text's": (Log, lambda h: h.write("1"), lambda h: len(h.getvalue())),
    "an error's arguments": (lambda: Refused(0), lambda h: setattr(h, "args", (h.args[0] + 1,)), lambda h: h.args[0]),
    "an iterator's": (Ids, next, lambda h: int(repr(h).strip("Ids()"))),
    "a generator's": (lambda: Shuffler(1), _drawn, lambda h: 624 - h.getstate()[1][-1]),
    "a dictionary's attribute": (Named, _on("times"), lambda h: h.times),
    "an ordered one's": (collections.OrderedDict, _on("times"), lambda h: getattr(h, "times", 0)),
    "a dataclass's entries": (Answer, lambda h: h.__setitem__(str(len(h)), 1), len),
    "a dataclass's items": (Page, lambda h: h.append(1), len),
    "a named tuple's methods": (lambda: _emptied(PAIRS, Pair(2)), lambda h: h.tick(), lambda h: h.ticks),
    "a slotted class": (lambda: _emptied(Attempts.log, Attempts()), lambda h: h.tick(), lambda h: len(h.log)),
    "an item's class": (
        lambda: _emptied(Item.kept, collections.deque([Item()])), lambda h: h[0].tick(), lambda h: len(h[0].seen),
    ),
    "a member's attribute": (_exact, _on("times"), lambda h: h.count),
    "a remembered list": (Remembering, lambda h: h.log.append(1), lambda h: len(h.log)),
    "a context's": (lambda: decimal.Context(prec=1), _on("prec"), lambda h: h.prec - 1),
}  # fmt: skip
"""By where it is kept: each is 0 in the beginning."""
