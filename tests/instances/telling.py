"""Code that tells states apart by what no list of contents names: all of it has to be run as it is."""

import decimal
import math
import operator
import string
from abc import ABC
from dataclasses import dataclass, fields
from decimal import getcontext as settings
from fractions import Fraction
from functools import cached_property
from typing import Any

from instances.keeping import Keeps

from dpcert import HALT


class LibraryNan(Keeps):
    def keep(self, u: int) -> Any:
        return [math.nan if u else float("nan")]

    def read(self) -> Any:
        return self.kept.count(math.nan)


class OwnNan(Keeps):
    def __init__(self, rng: Any) -> None:
        super().__init__(rng)
        self.number = float("nan")

    def keep(self, u: int) -> Any:
        return [self.number if u else float("nan")]

    def read(self) -> Any:
        return self.kept.count(self.number)


class NameOfFunction(Keeps):
    def keep(self, u: int) -> Any:
        def made() -> None:
            """Nothing."""

        made.__module__ = "one" if u else "other"
        return made

    def read(self) -> Any:
        return self.kept.__module__


class ByFormat(NameOfFunction):
    def read(self) -> Any:
        return f"{self.kept.__module__}"


class ByText(NameOfFunction):
    def read(self) -> Any:
        return getattr(self.kept, "__mod" + "ule__")


class Asked(ABC):  # noqa: B024 - its hook is what it is about
    """Whose subclasses are remembered."""

    told: Any = 0

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        return bool(Asked.told)


class Remembered(Keeps):
    def keep(self, u: int) -> Any:
        made = type("Made", (), {})
        Asked.told = u
        isinstance(made(), Asked)
        Asked.told = 0
        return made

    def read(self) -> Any:
        return isinstance(self.kept(), Asked)


class Matched(Keeps):
    def keep(self, u: int) -> Any:
        made: Any = type("Made", (), {})
        made.__match_args__ = ("one",) if u else ("other",)
        value = made()
        value.one, value.other = 1, 2
        return made, value

    def read(self) -> Any:
        made, value = self.kept
        match value:
            case made(1):
                return 1
        return 0


class FieldsOf(Keeps):
    def keep(self, u: int) -> Any:
        @dataclass
        class Made:
            one: int = 0

        Made.__dataclass_fields__["one"].name = "one" if u else "other"  # type: ignore[attr-defined]
        return Made

    def read(self) -> Any:
        return fields(self.kept)[0].name


class OnProperty(Keeps):
    @cached_property
    def once(self) -> int:
        return 0

    def keep(self, u: int) -> Any:
        type(self).once.told = u  # type: ignore[attr-defined]
        return 0

    def read(self) -> Any:
        return type(self).once.told  # type: ignore[attr-defined]


class OnHalt(Keeps):
    def keep(self, u: int) -> Any:
        HALT.told = u  # type: ignore[attr-defined]
        return HALT

    def read(self) -> Any:
        return self.kept.told


class Settings(Keeps):
    def keep(self, u: int) -> Any:
        settings().prec = 20 + u
        return 0

    def read(self) -> Any:
        told, settings().prec = settings().prec, 28
        return told


class Getter(NameOfFunction):
    def read(self) -> Any:
        return operator.attrgetter("__module__")(self.kept)


class LibraryText(Keeps):
    def keep(self, u: int) -> Any:
        return string.digits if u else "".join(list(string.digits))

    def read(self) -> Any:
        return self.kept is string.digits


class Changed(Keeps):
    def keep(self, u: int) -> Any:
        number = Fraction(1, 3)
        kept = {number: 1}
        number._numerator = 2 if u else 1  # type: ignore[attr-defined]
        return kept

    def read(self) -> Any:
        return Fraction(1, 3) in self.kept


class ImportedInside(Keeps):
    def keep(self, u: int) -> Any:
        import statistics

        statistics.told = u  # type: ignore[attr-defined]
        return 0

    def read(self) -> Any:
        import statistics

        return statistics.told  # type: ignore[attr-defined]


class OnDigits(Keeps):
    def keep(self, u: int) -> Any:
        return str(5) if u else chr(53) + ""

    def read(self) -> Any:
        return self.kept is str(5)


class Precise(Keeps):
    def keep(self, u: int) -> Any:
        return decimal.Decimal(u)

    def read(self) -> Any:
        return str(self.kept)


class ByAddress(Keeps):
    """Two objects in the order of what their texts say, turned round or not."""

    def keep(self, u: int) -> Any:
        pair = sorted((Asked.__new__(Thing), Asked.__new__(Thing)), key=str)
        return pair[::-1] if u else pair

    def read(self) -> Any:
        return str(self.kept[0]) < str(self.kept[1])


class Thing(Asked):
    """Nothing but an object."""


class ByError(Keeps):
    def keep(self, u: int) -> Any:
        return [Keeps.read] if u else [Keeps.keep]

    def read(self) -> Any:
        try:
            [0].index(self.kept[0])
        except ValueError as error:
            return len(error.args[0])
        return 0


class ByJump(Keeps):
    def keep(self, u: int) -> Any:
        return math.pi if u else float("3.141592653589793")

    def read(self) -> Any:
        return self.kept is (math.pi or None)


class BoundMethod(ByJump):
    def read(self) -> Any:
        return self.kept.hex == math.pi.hex


class HeldMethod(Keeps):
    def keep(self, u: int) -> Any:
        held = staticmethod(len)
        held.told = u  # type: ignore[attr-defined]
        return held

    def read(self) -> Any:
        return self.kept.told


class MadeAnew(Keeps):
    def keep(self, u: int) -> Any:
        self.rng.__init__(self.rng._tape)  # type: ignore[misc]
        return u

    def read(self) -> Any:
        return self.kept


class OnMath(Keeps):
    def keep(self, u: int) -> Any:
        math.log.told = u  # type: ignore[attr-defined]
        return 0

    def read(self) -> Any:
        return math.log.told  # type: ignore[attr-defined]


class ByViews(Keeps):
    def keep(self, u: int) -> Any:
        return {0: 0, 8: 0}.keys() | (() if u else (8,))

    def read(self) -> Any:
        return list(self.kept)


TELLING = [
    LibraryNan, OwnNan, NameOfFunction, ByFormat, ByText, Remembered, Matched, FieldsOf, OnProperty, OnHalt, Settings,
    Getter, LibraryText, Changed, ImportedInside, OnDigits, Precise, ByAddress, ByError, ByJump, BoundMethod,
    HeldMethod, MadeAnew, OnMath, ByViews,
]  # fmt: skip
