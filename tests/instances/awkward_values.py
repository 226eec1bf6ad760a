"""Awkward values: equal across types, unequal to themselves, hashed alike; makers of them, by number.

Makers, for a value that can be changed is made anew wherever it stands.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum
from fractions import Fraction
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from oracles.border import Key, key


class Level(IntEnum):
    ZERO = 0
    ONE = 1


class Word(StrEnum):
    ONE = "1"
    A = "a"


class Bits(IntFlag):
    A = 1
    B = 2


class Marks(Flag):
    A = 1
    B = 2


class Odd(Enum):
    NAN = float("nan")
    ONE = 1
    TRUE = "1"


@dataclass(frozen=True)
class Noted:
    a: Any
    note: Any = field(default=0, compare=False)


@dataclass(eq=False)
class Loose:
    a: Any


@dataclass(frozen=True, slots=True)
class Slotted:
    a: Any


class Number(int):
    pass


class Text(str):
    __slots__ = ()


class Row(tuple[Any, ...]):
    __slots__ = ()


class Real(float):
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Point(NamedTuple):
    x: Any
    y: Any = 0


Maker = Callable[[], Any]
PLAIN: list[Maker] = [
    lambda: 0, lambda: 1, lambda: True, lambda: False, lambda: 0.0, lambda: -0.0, lambda: 1.0, lambda: float("nan"),
    lambda: float("inf") - float("inf"), lambda: Fraction(1), lambda: Fraction(0), lambda: Decimal("1"),
    lambda: Decimal("1.0"), lambda: Decimal("0"), lambda: Decimal("-0"), lambda: Decimal("nan"), lambda: np.int64(1),
    lambda: np.int32(1), lambda: np.float64(1), lambda: np.float32(1), lambda: np.float64("nan"), lambda: np.bool_(1),
    lambda: np.float64(-0.0), lambda: np.complex128(complex(0.0, float("nan"))), lambda: complex(1), lambda: "1",
    lambda: b"1", lambda: np.str_("1"), lambda: np.bytes_(b"1"),
    lambda: Level.ONE, lambda: Level.ZERO, lambda: Word.ONE, lambda: Word.A, lambda: "a", lambda: Bits.A,
    lambda: Bits.A | Bits.B, lambda: Bits(0), lambda: Marks.A | Marks.B, lambda: Marks.A, lambda: Odd.NAN,
    lambda: Odd.ONE, lambda: Odd.TRUE, lambda: Number(1), lambda: Text("1"), lambda: Real(1), lambda: Real(2),
    lambda: Real("nan"), lambda: 10**30, lambda: float(10**30), lambda: range(0), lambda: range(3, 1), lambda: "",
]  # fmt: skip


def both_in_a_set(one: Any, other: Any) -> Any:
    """A set of two, or of one where Python itself cannot compare them (a numpy number beside an equal Decimal)."""
    try:
        return frozenset([one, other])
    except TypeError:
        return frozenset([one])


def nested(inner: Maker, other: Maker) -> list[Maker]:
    """Containers of two values."""
    return [
        lambda: (inner(),), lambda: (inner(), other()), lambda: Row((inner(), other())),
        lambda: Point(inner(), other()),
        lambda: Point(inner()), lambda: frozenset([inner()]), lambda: both_in_a_set(inner(), other()),
        lambda: ((inner(),), other()), lambda: Noted(inner(), other()), lambda: Noted(1, inner()),
        lambda: Noted(1.0, inner()), lambda: Loose(inner()), lambda: Slotted(inner()), lambda: Slotted((other(),)),
        lambda: (frozenset([(inner(),)]), Noted(other())),
    ]  # fmt: skip


LISTED: list[Callable[[list[Any]], Any]] = [
    lambda kept: kept,
    lambda kept: dict(enumerate(kept)),
    lambda kept: np.array([float(len(repr(key(v)))) for v in kept]),
    tuple,
]


def number(*parts: Any) -> int:
    """A whole number that looks random and is a function of its parts."""
    return int.from_bytes(sha256(repr(parts).encode()).digest()[:8], "big")


def value(seed: Any, *, deep: bool = True) -> Maker:
    """A maker of one awkward value."""
    n = number(seed, "value")
    inner = PLAIN[n % len(PLAIN)]
    if not deep or n // 101 % 3:
        return inner
    choices = nested(inner, PLAIN[n // 103 % len(PLAIN)])
    return choices[n // 107 % len(choices)]


def distinct(seed: Any, count: int) -> list[Maker]:
    """Makers of values that differ, often in type alone."""
    found: dict[Key, Maker] = {}
    n = 0
    while len(found) < count:
        maker = value((seed, n // 2 if n % 2 else 0, n))
        found.setdefault(key(maker()), maker)
        n += 1
    return list(found.values())
