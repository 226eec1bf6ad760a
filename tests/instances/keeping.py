"""Code that keeps something from one round to the next, in ways that are equal and not the same, and tells it then."""

import itertools
import math
import random
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpcert import HALT
from dpcert.audit.scripted.unresolved_math import WRAPPED

Rng = random.Random


class Count:
    """A count, and a step up, down or none."""

    def __init__(self, rng: Rng) -> None:
        self.rng, self.count = rng, 0

    def __call__(self, x: int) -> int:
        self.count += x
        return self.count + self.rng.choice((-1, 0, 0, 1))


class Keeps(Count):
    """Something random is kept as well, and read a round later."""

    def keep(self, u: int) -> Any:
        return u

    def read(self) -> Any:
        return self.kept

    def __init__(self, rng: Rng) -> None:
        self.rng, self.count = rng, 0
        self.kept: Any = None

    def __call__(self, x: int) -> Any:
        shown = None if self.kept is None else self.read()
        self.kept = self.keep(self.rng.getrandbits(1))
        return x, shown


class EqualNumbers(Keeps):
    def keep(self, u: int) -> Any:
        return True if u else 1.0


class Zeros(Keeps):
    def keep(self, u: int) -> Any:
        return {"zero": -0.0 if u else 0.0}

    def read(self) -> Any:
        return math.copysign(1, self.kept["zero"])


class Aliases(Keeps):
    def keep(self, u: int) -> Any:
        one: list[int] = []
        return [one, one] if u else [one, []]

    def read(self) -> Any:
        self.kept[0].append(1)
        return len(self.kept[1])


class Orders(Keeps):
    def keep(self, u: int) -> Any:
        return {"a": 1, "b": 2} if u else {"b": 2, "a": 1}

    def read(self) -> Any:
        return list(self.kept)[0]  # noqa: RUF015 - plain code has no `next`


class BigInts(Keeps):
    def keep(self, u: int) -> Any:
        number = int("7" * 30)
        return [number, number if u else int("7" * 30)]

    def read(self) -> Any:
        return self.kept[0] is self.kept[1]


class Constants(Keeps):
    def constant(self) -> float:
        return 123456.5

    def keep(self, u: int) -> Any:
        return self.constant() if u else float("123456.5")

    def read(self) -> Any:
        return self.kept is self.constant()


class Liar:
    def __init__(self, u: int) -> None:
        self.u = u

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Lies(Keeps):
    def keep(self, u: int) -> Any:
        return Liar(u)

    def read(self) -> Any:
        return self.kept.u


class Attributes(Keeps):
    def keep(self, u: int) -> Any:
        number = type("Number", (int,), {})(3)
        number.u = u
        return number

    def read(self) -> Any:
        return self.kept.u


class Defaults(Keeps):
    def keep(self, u: int) -> Any:
        def more(x: int, kept: list[int] = []) -> int:  # noqa: B006 - what it is about
            kept.append(x)
            return len(kept)

        if u:
            more(0)
        return more

    def read(self) -> Any:
        return self.kept(0)


class Iterators(Keeps):
    def keep(self, u: int) -> Any:
        counting = itertools.count()
        if u:
            next(counting)
        return counting

    def read(self) -> Any:
        return next(self.kept)


class Sets(Keeps):
    """Sets that are equal, and list their members in two orders."""

    def keep(self, u: int) -> Any:
        return {0, 8} if u else {8, 0}

    def read(self) -> Any:
        return list(self.kept)


class Running(Keeps):
    def keep(self, u: int) -> Any:
        def run() -> Any:
            yield u
            yield 1 - u

        generator = run()
        next(generator)
        return generator

    def read(self) -> Any:
        return next(self.kept)


class Remembering(Keeps):
    def keep(self, u: int) -> Any:
        calls: list[int] = []
        remembering = lru_cache(calls.append)
        remembering(u)
        return remembering, calls

    def read(self) -> Any:
        self.kept[0](1)
        return len(self.kept[1])


class Generators(Keeps):
    def keep(self, u: int) -> Any:
        generator = random.Random(3)
        if u:
            generator.getstate()
        generator.setstate(random.Random(u).getstate())
        return generator

    def read(self) -> Any:
        return self.kept.getstate()[1][:2]


class OnGenerator(Keeps):
    def keep(self, u: int) -> Any:
        self.rng.kept = u  # type: ignore[attr-defined]
        return 0

    def read(self) -> Any:
        return self.rng.kept  # type: ignore[attr-defined]


class OnClass(Keeps):
    value = 0

    def __init__(self, rng: Rng) -> None:
        self.rng, self.count, self.kept = rng, 0, None
        OnClass.value = 0

    def keep(self, u: int) -> Any:
        OnClass.value = u
        return 0

    def read(self) -> Any:
        return OnClass.value


GLOBAL = [0]


class Globals(Keeps):
    def __init__(self, rng: Rng) -> None:
        self.rng, self.count, self.kept = rng, 0, None
        GLOBAL[:] = [0]

    def keep(self, u: int) -> Any:
        GLOBAL[0] = u
        return 0

    def read(self) -> Any:
        return GLOBAL[0]


class OnLibrary(Keeps):
    def keep(self, u: int) -> Any:
        Fraction.kept_by_a_test = u  # type: ignore[attr-defined]
        return 0

    def read(self) -> Any:
        kept = Fraction.kept_by_a_test  # type: ignore[attr-defined]
        del Fraction.kept_by_a_test  # type: ignore[attr-defined]
        return kept


class Unresolved(Keeps):
    """A draw that is asked about a round later."""

    def __call__(self, x: int) -> Any:
        shown = None if self.kept is None else self.kept < 0.5
        self.kept = self.rng.random()
        return x, shown


class OldDraws(Keeps):
    """The same behind an attribute that no form reads."""

    def __init__(self, rng: Rng) -> None:
        self.rng, self.count, self.kept = rng, 0, None

    def __call__(self, x: int) -> Any:
        number = self.rng.random()
        return x, number < (0.5 if x else 0.25), self.kept


class Halts(Count):
    """Ends where it drew a one, or raises."""

    halted = False

    def __call__(self, x: int) -> Any:
        self.count += x
        drawn = 2 if self.halted else self.rng.randrange(4)
        if drawn == 3:
            raise ValueError(self.count)
        self.halted = drawn == 2
        return HALT if self.halted else self.count + drawn


class Rejects(Count):
    """Draws until it likes what it drew, as often as its state says."""

    def __call__(self, x: int) -> Any:
        self.count = (self.count + x) % 2
        while (drawn := self.rng.randrange(3)) > 1:
            pass
        return drawn if self.count else self.rng.getrandbits(1)


class Late(Count):
    """What is asked about a draw depends on the state."""

    def __call__(self, x: int) -> Any:
        self.count = (self.count + x) % 3
        return self.rng.randrange(2 + self.count)


MERGED = [
    Count, EqualNumbers, Zeros, Aliases, Orders, Defaults, OnClass, Globals, Rejects, Late, OldDraws,
]  # fmt: skip
UNMERGED = [
    BigInts, Constants, Lies, Attributes, Iterators, Sets, Running, Remembering, Generators, OnGenerator, OnLibrary,
    Unresolved,
]  # fmt: skip


def take_back() -> None:
    """What code of these keeps on things of ours or of libraries stays there, and nothing is merged from then on."""
    vars(HALT).clear()
    for function in WRAPPED.values():
        vars(function).pop("told", None)
    if "kept_by_a_test" in vars(Fraction):
        del Fraction.kept_by_a_test  # type: ignore[attr-defined]
