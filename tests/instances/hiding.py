"""Code that finds out what was kept by what no list of contents names: layouts, texts of errors, odd classes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from instances.keeping import Keeps


class Once(Keeps):
    """Keeps what a method says, and reads it a round later."""

    def store(self, u: int) -> None:
        raise NotImplementedError

    def keep(self, u: int) -> Any:
        self.store(u)
        return 0


class Layout(Once):
    """How many places of a dictionary are used up, as a loop over it tells that takes out and puts in."""

    def store(self, u: int) -> None:
        self.table = {0: 0, 1: 0}
        for key in (7, 8, 9) if u else ():
            self.table[key] = 0
            self.table.pop(key)

    def listed(self) -> Any:
        return self.table

    def read(self) -> Any:
        seen = []
        for key in self.listed():
            seen.append(key)
            if len(seen) == 2:
                break
            self.table.pop(0)
            self.table[2] = 0
        return seen[-1]


class LayoutOfValues(Layout):
    """The same by what the dictionary holds."""

    def listed(self) -> Any:
        return self.table.values()


class Holes(Layout):
    """As many places are used up, and others of them are empty."""

    def store(self, u: int) -> None:
        self.table = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}
        self.table.pop(1 if u else 4)
        kept = self.table.pop(4 if u else 1)
        self.table.update({0: kept * 0})

    def read(self) -> Any:
        seen = []
        for key in self.table:
            seen.append(key)
            if len(seen) == 2:
                break
            self.table.pop(0)
            self.table[9] = 0
        return seen[-1]


class Renaming(Layout):
    """Every key of a table grows by ten, in the table itself."""

    def read(self) -> Any:
        moved = 0
        for key in self.table:
            if key < 10:
                self.table[key + 10] = self.table.pop(key)
                moved += 1
            if moved == 2:
                break
        return 0 in self.table or 1 in self.table


HIDING: list[Callable[..., Any]] = [Layout, LayoutOfValues, Holes, Renaming]
"""What is told apart by its form."""


class Cell:
    """Nothing but an object."""


class ByTexts(Once):
    """Two objects in the order of what their texts say, turned round or not."""

    def text(self, thing: Any) -> Any:
        raise NotImplementedError

    def store(self, u: int) -> None:
        self.pair = [Cell(), Cell()]
        if (self.text(self.pair[0]) > self.text(self.pair[1])) != bool(u):
            self.pair.reverse()

    def read(self) -> Any:
        return self.text(self.pair[0]) > self.text(self.pair[1])


class OfError(ByTexts):
    """The text of an error that is never raised, since another one is on the way."""

    def text(self, thing: Any) -> Any:
        told: Any = 0
        try:
            raise ValueError(told := f"{thing}", [][0])
        except IndexError:
            return told


class OfAppend(ByTexts):
    """The same by a method."""

    def text(self, thing: Any) -> Any:
        told: list[Any] = []
        try:
            raise RuntimeError(told.append(f"{thing}"), 1 // 0)
        except ZeroDivisionError:
            return told[0]


class Compares(ByTexts):
    """Compares such texts before anything is raised."""

    def text(self, thing: Any) -> Any:
        return thing is None

    def read(self) -> Any:
        try:
            raise ValueError(f"{self.pair[0]}" > f"{self.pair[1]}" or [][0])
        except IndexError:
            return 0


class OfNames(tuple):
    """A tuple that says what its fields are."""

    _fields = ("%s",)


class OfDefaults(tuple):
    _fields = ()
    _field_defaults = {"%s": 0}  # noqa: RUF012 - what it is about


class ByNamesOfItems(ByTexts):
    def text(self, thing: Any) -> Any:
        return OfNames._fields[0] % thing


class ByDefaults(ByTexts):
    def text(self, thing: Any) -> Any:
        return list(OfDefaults._field_defaults)[0] % thing  # noqa: RUF015 - plain code has no `next`


DICT, POW = dict, pow


class ByAlias(ByTexts):
    """Makes texts of names by another name of `dict`."""

    def text(self, thing: Any) -> Any:
        texts = np.full(1, list(DICT(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=0))[0])  # noqa: RUF015
        texts.fill(thing)
        return texts[0]


class Powers(Once):
    def store(self, u: int) -> None:
        self.array = POW(np.zeros(2), 2) + u

    def read(self) -> Any:
        return self.array[0]


class ByTypes(ByTexts):
    """Texts that a function of numpy holds."""

    def text(self, thing: Any) -> Any:
        (named := np.add)(0, 0)
        texts = np.full(1, named.types[0] * 20)
        texts.fill(thing)
        return texts[0]


class OnSum(Once):
    """A function of numpy becomes a value where it is called, and keeps something."""

    def store(self, u: int) -> None:
        (named := np.sum)(np.zeros(1))
        named.told = u  # type: ignore[attr-defined]

    def read(self) -> Any:
        (named := np.sum)(np.zeros(1))
        return named.told  # type: ignore[attr-defined]


class OfTuple(OnSum):
    """The same in a tuple."""

    def store(self, u: int) -> None:
        (named := (np.sum, 0))[0](np.zeros(1))
        named[0].told = u  # type: ignore[attr-defined]

    def read(self) -> Any:
        return (named := (np.sum, 0))[0](named[0].told)  # type: ignore[attr-defined]


class Key:
    """Stands for a number, and keeps something where no plain code can look."""

    def __add__(self, u: int) -> int:
        self.keeper().told = u
        return 0

    def __neg__(self) -> Any:
        return self.keeper().told

    def keeper(self) -> Any:
        return self.__reduce_ex__(2)[0]


PARTS = Fraction(1)
PARTS._numerator = Key()  # type: ignore[attr-defined]


class OfParts(Once):
    def store(self, u: int) -> None:
        self.told = PARTS.numerator + u

    def read(self) -> Any:
        return -PARTS.numerator


class Says:
    """What a field is said to be."""

    name, init, default = "__reduce_ex__", True, None
    _field_type: Any = None


@dataclass(init=False)
class Tool:
    def __init__(self, **more: Any) -> None:
        self.more: Any = more


TOOL = Tool()
TOOL.more = 0
TOOL.__dataclass_fields__ = {"one": Says()}  # type: ignore[misc]


class OfItself(Once):
    """An object says of itself what its fields are."""

    def keeper(self) -> Any:
        return replace(TOOL).more["__reduce_ex__"](2)[0]

    def store(self, u: int) -> None:
        self.keeper().told = u

    def read(self) -> Any:
        return self.keeper().told


class Asked:
    """Is true, and could note that it was asked."""

    def __bool__(self) -> bool:
        return True


class Name(str):
    """Equal to a text."""

    __slots__ = ()


def odd(part: str, value: Any) -> Any:
    """Keeps a point one of whose fields says something odd of itself."""

    @dataclass
    class Odd:
        one: Any = 0

    setattr(Odd.__dataclass_fields__["one"], part, value)  # type: ignore[attr-defined]

    class OfOdd(Keeps):
        def keep(self, u: int) -> Any:
            return replace(Odd(u))

        def read(self) -> Any:
            return self.kept.one

    OfOdd.__qualname__ = f"OfOdd.{part}"
    return OfOdd


class Pair(NamedTuple):
    """Whose `_replace` goes by texts that are none."""

    one: int
    other: Any


(lambda function: function.__closure__[function.__code__.co_freevars.index("field_names")])(
    Pair._replace
).cell_contents = (Name("one"), "other")


class OfCells(Keeps):
    def keep(self, u: int) -> Any:
        return Pair(0, 0)._replace(other=u)

    def read(self) -> Any:
        return self.kept.other


@dataclass
class Typed:
    """Whose `==` looks its names up in another module."""

    one: Any = 0
    __module__ = "types"


class OfTyped(Keeps):
    def keep(self, u: int) -> Any:
        return Typed(u)

    def read(self) -> Any:
        return self.kept == Typed(1)


class Empty:
    __dataclass_fields__: Any = {}  # noqa: RUF012 - what it is about


class Stolen:
    """Reads its attributes as another class does."""

    __slots__ = ()
    __dict__ = vars(Cell)["__dict__"]


class OfEmpty(Once):
    def store(self, u: int) -> None:
        self.thing: Any = Empty()
        self.number = u

    def read(self) -> Any:
        return self.number


class OfStolen(OfEmpty):
    def store(self, u: int) -> None:
        self.thing = Stolen()
        self.number = u


SHARED = vars(TOOL)


class OfAttributes(OfEmpty):
    """Goes through the attributes of an object as a dictionary."""

    def store(self, u: int) -> None:
        self.thing = SHARED
        self.number = u


HIDDEN: list[Callable[..., Any]] = [
    OfError, OfAppend, Compares, ByNamesOfItems, ByDefaults, ByAlias, Powers, ByTypes, OnSum, OfTuple, OfParts,
    OfItself,
    odd("init", Asked()), odd("name", Name("one")), odd("compare", Asked()), odd("_field_type", Asked()), OfCells,
    OfEmpty, OfStolen, OfAttributes,
]  # fmt: skip
"""What is not plain."""
