"""A `random.Random` that draws from a tape: the documented subset of its calls, every other refused by name."""

import _random
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from numbers import Rational, Real
from typing import Any, NoReturn, SupportsIndex

from dpcert.audit.errors import one_line
from dpcert.audit.scripted.law_names import instead_of
from dpcert.audit.scripted.monotone import STEPS
from dpcert.audit.scripted.tape import Tape
from dpcert.audit.scripted.unresolved import Unresolved


def number(tape: Tape) -> Any:
    """What `random()` returns: what stands for a whole multiple of 2^-53 or, where floats are wanted, one."""
    if tape.ended:
        return tape.any_below(STEPS) / STEPS
    uniform = tape.uniform()
    tape.numbers.add(uniform.key)
    return uniform.low.numerator / uniform.low.denominator if tape.real else Unresolved(uniform)


def keeps_something(generator: Any) -> bool:
    """Whether code has put anything on the generator that it was given."""
    own = {"_tape", "_before"} if isinstance(generator, random.Random) else {"_tape", "_before", "_bits"}
    return bool(vars(generator).keys() - own)


def _rational(number: Any) -> Fraction:
    """The rational that a finite number is; OverflowError for infinities, ValueError for what is no number."""
    if isinstance(number, Rational):
        return Fraction(int(number.numerator), int(number.denominator))
    return Fraction(*map(int, number.as_integer_ratio()))


class ScriptedRandom(random.Random):
    """The generator that code is given. Where CPython rejects and tries again it is exactly uniform, and so is this."""

    _tape: Tape
    _before: tuple[int, ...]

    def __new__(cls, tape: Tape) -> "ScriptedRandom":
        del tape
        return super().__new__(cls)

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._before = _random.Random.getstate(self)

    def _untouched(self) -> bool:
        """Whether nothing was drawn past this class, by a function of its base class."""
        return _random.Random.getstate(self) == self._before

    def random(self) -> Any:
        """A whole multiple of 2^-53, known only by what it is compared with."""
        return number(self._tape.once())

    def _randbelow(self, n: int) -> int:
        """What randrange, randint, choice and shuffle draw from."""
        return self._tape.once().below(n)

    def getrandbits(self, k: SupportsIndex, /) -> int:
        """A whole number of k bits."""
        bits = int(k.__index__())
        if bits < 0:
            raise ValueError("number of bits must be non-negative")
        return self._tape.once().below(1 << min(bits, 64))

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
    rationals = []
    for weight in weights:
        if not isinstance(weight, Real):
            raise TypeError(f"weights are numbers, not {one_line(repr(weight), 60)}")
        try:
            rationals.append(_rational(weight))
        except (OverflowError, ValueError):
            raise ValueError("Total of weights must be finite") from None
    return tuple(rationals)


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
