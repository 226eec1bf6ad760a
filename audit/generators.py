"""A `random.Random` that draws from a tape: the documented subset of its calls, every other refused by name."""

import random
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from numbers import Rational, Real
from typing import Any, NoReturn, SupportsIndex

from dpcert.audit.errors import one_line
from dpcert.audit.law_names import instead_of
from dpcert.audit.outside import ASKED_FOR_TYPE
from dpcert.audit.tape import Tape, Uniform

STEPS = 2**53
"""What `random()` returns is a whole multiple of 1 / STEPS, each as likely as any other."""


class Unresolved:
    """A number that `random()` returned: compared with exact numbers by <, <=, > and >=, and nothing else."""

    __slots__ = ("_uniform",)
    __array_ufunc__ = None  # numpy's scalars leave comparisons to this class

    def __init__(self, uniform: Uniform) -> None:
        self._uniform = uniform

    def __array__(self, *_: object, **__: object) -> NoReturn:
        self.refuse("put into an array")

    @property  # type: ignore[misc]  # what isinstance, match, singledispatch and many a library look at
    def __class__(self) -> Any:
        frame = sys._getframe(1)
        while frame.f_globals.get("__name__") == "abc" and frame.f_back is not None:
            frame = frame.f_back
        if frame.f_globals.get("__name__") != "fractions" or frame.f_code.co_name != "_richcmp":
            self.refuse("asked for its type")
        return Unresolved  # a Fraction leaves the comparison to this class

    def refuse(self, how: str) -> NoReturn:
        """Names what cannot be done with it."""
        self._uniform.tape.refuse(f"Expected random() to be compared with a number by <, <=, > or >= but got it {how}")

    def __lt__(self, other: object) -> bool:
        scaled = self._scaled(other)
        return scaled is not None and self._less_than(ceil(scaled))

    def __le__(self, other: object) -> bool:
        scaled = self._scaled(other)
        return scaled is not None and self._less_than(floor(scaled) + 1)

    def __gt__(self, other: object) -> bool:
        scaled = self._scaled(other)
        return scaled is not None and not self._less_than(floor(scaled) + 1)

    def __ge__(self, other: object) -> bool:
        scaled = self._scaled(other)
        return scaled is not None and not self._less_than(ceil(scaled))

    def _less_than(self, steps: int) -> bool:
        return self._uniform.passed((Fraction(steps, STEPS),)) == 0

    def _scaled(self, other: Any) -> Fraction | None:
        """`other` in steps; None where it is not a number, which no comparison holds for."""
        narrow = getattr(getattr(other, "dtype", None), "itemsize", 8) != 8 and not isinstance(other, Rational)
        if narrow or not isinstance(other, Rational | Real | Decimal):
            self.refuse(f"compared with a {type(other).__name__}")
        try:
            return _rational(other) * STEPS
        except OverflowError:  # an infinity
            return Fraction(-STEPS if str(other).startswith("-") else 2 * STEPS)
        except ValueError:
            return None

    def __getattr__(self, name: str) -> Any:
        if name in _NUMBER:
            self.refuse(f"asked for its `{name}`")
        raise AttributeError(f"'{_FLOAT}' object has no attribute '{name}'")


_NUMBER = set(dir(1 / STEPS)) - set(dir(object))
"""What a number from a real generator can do."""


_FLOAT = type(1 / STEPS).__name__


def _rational(number: Any) -> Fraction:
    """The rational that a finite number is; OverflowError for infinities, ValueError for what is no number."""
    if isinstance(number, Rational):
        return Fraction(int(number.numerator), int(number.denominator))
    return Fraction(*map(int, number.as_integer_ratio()))


def _refused(name: str) -> Callable[..., NoReturn]:
    def refused(self: Unresolved, *_: object) -> NoReturn:
        self.refuse(f"used by `{name}`")

    return refused


ASKED_FOR_TYPE[Unresolved] = lambda number: number.refuse("asked for its type")


for _name in sorted({n for n in _NUMBER if n.startswith("__")} | {"__eq__", "__ne__", "__hash__", "__str__"}):
    setattr(Unresolved, _name, _refused(_name))
for _name in ("__repr__", "__format__", "__reduce_ex__"):
    setattr(Unresolved, _name, _refused(_name))


class ScriptedRandom(random.Random):
    """The generator that code is given. Where CPython rejects and tries again it is exactly uniform, and so is this."""

    _tape: Tape

    def __new__(cls, tape: Tape) -> "ScriptedRandom":
        del tape
        return super().__new__(cls)

    def __init__(self, tape: Tape) -> None:
        self._tape = tape  # not seeded: what gets past this class is random, and is found out

    def random(self) -> Any:
        """A whole multiple of 2^-53, known only by what it is compared with."""
        return Unresolved(self._tape.uniform())

    def _randbelow(self, n: int) -> int:
        """What randrange, randint, choice and shuffle draw from."""
        return self._tape.below(n)

    def getrandbits(self, k: SupportsIndex, /) -> int:
        """A whole number of k bits."""
        bits = int(k.__index__())
        if bits < 0:
            raise ValueError("number of bits must be non-negative")
        return self._tape.below(1 << min(bits, 64))

    def choices(
        self,
        population: Any,
        weights: Any = None,
        *,
        cum_weights: Any = None,
        k: int = 1,
    ) -> list[Any]:
        """k elements with replacement; weights are read exactly, and the law is the ideal one."""
        count = len(population)
        if weights is None and cum_weights is None:
            if not count and k > 0:
                raise IndexError("list index out of range")
            return [population[self._tape.below(count)] for _ in range(k)]
        if weights is not None and cum_weights is not None:
            raise TypeError("Cannot specify both weights and cumulative weights")
        shares = weights_read(weights) if cum_weights is None else _differences(weights_read(cum_weights))
        if len(shares) != count:
            raise ValueError("The number of weights does not match the population")
        if sum(shares) <= 0:
            raise ValueError("Total of weights must be greater than zero")
        if min(shares) < 0:
            self._tape.refuse("Expected weights of at least 0 but got choices() with a negative one")
        return [population[self._tape.pick(shares)] for _ in range(k)]

    def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:
        """k elements without replacement, in the order of selection."""
        if counts is not None or not isinstance(population, Sequence) or not 0 <= k <= len(population):
            return super().sample(population, k, counts=counts)  # repeats its elements and asks again, or raises
        pool = list(population)
        return [pool.pop(self._tape.below(len(pool))) for _ in range(k)]


def _differences(sums: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(after - before for before, after in pairwise((Fraction(0), *sums)))


def weights_read(weights: Any) -> tuple[Fraction, ...]:
    """Weights as the rationals that they are.

    >>> weights_read([1, 0.5, Fraction(1, 3)])
    (Fraction(1, 1), Fraction(1, 2), Fraction(1, 3))
    """
    read = []
    for weight in weights:
        if not isinstance(weight, Real):
            raise TypeError(f"weights are numbers, not {one_line(repr(weight), 60)}")
        try:
            read.append(_rational(weight))
        except (OverflowError, ValueError):
            raise ValueError("Total of weights must be finite") from None
    return tuple(read)


SUPPORTED = ("choice", "choices", "getrandbits", "randint", "random", "randrange", "sample", "shuffle")
"""The calls of a `random.Random` that code may make."""


def unsupported(call: str, known: Sequence[str]) -> str:
    """One line for a call that is not in the subset, with the law to draw from instead."""
    return f"Expected a supported call ({', '.join(known)}){instead_of(call)} but got {call}"


def _unsupported(name: str) -> Callable[..., NoReturn]:
    def call(self: ScriptedRandom, *_: object, **__: object) -> NoReturn:
        self._tape.refuse(unsupported(f"random.Random.{name}", SUPPORTED))

    return call


for _name in dir(random.Random):
    if not _name.startswith("_") and _name not in SUPPORTED and callable(getattr(random.Random, _name)):
        setattr(ScriptedRandom, _name, _unsupported(_name))
