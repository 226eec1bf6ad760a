"""Code that says and keeps texts, beside numpy and without it, and code that makes them where they say an address."""

from fractions import Fraction
from typing import Any

import numpy as np
from instances.keeping import Count, Keeps


class Says(Count):
    """Whether the count is high, in words."""

    def __call__(self, x: int) -> str:
        return "high" if super().__call__(x) > 2 else "low"


class Shows(Count):
    """The count itself, in words."""

    def __call__(self, x: int) -> str:
        return f"n={super().__call__(x):d}"


class Modes(Count):
    """Keeps a text, which a draw may change."""

    def __init__(self, rng: Any) -> None:
        super().__init__(rng)
        self.mode = "calm"

    def __call__(self, x: int) -> str:
        if x and self.rng.random() < 0.25:
            self.mode = "busy" if self.mode == "calm" else "calm"
        return self.mode


class Writes(Count):
    """The last two things that happened, as one text."""

    log = ""

    def __call__(self, x: int) -> str:
        self.log = (self.log + "ab"[(x + self.rng.randrange(2)) % 2])[-2:]
        return self.log


class SaysByNumpy(Count):
    def __call__(self, x: int) -> str:
        self.count += x
        noise: Any = self.rng
        return "high" if self.count + noise.integers(-1, 2) > 1 else "low"


class ShowsByNumpy(Count):
    def __call__(self, x: int) -> str:
        self.count += x
        noise: Any = self.rng
        return f"{self.count + noise.choice([-1, 0, 1], p=[0.25, 0.5, 0.25]):+03d}"


class Weighs(Count):
    """Keeps numbers drawn by numpy beside a text."""

    kept: Any = (0, "begun")

    def __call__(self, x: int) -> Any:
        noise: Any = self.rng
        told = self.kept[0] + x, self.kept[1]
        drawn = noise.integers(0, 2, size=2)
        self.kept = drawn.tolist()[0], "even" if drawn[1] else "odd"
        return told


SAYING = [Says, Shows, Modes, Writes]
"""Texts of a `random.Random`."""
SAYING_BY_NUMPY = [SaysByNumpy, ShowsByNumpy, Weighs]
"""Texts of a generator of numpy's, where code does not name numpy."""


class Thing:
    """Nothing but an object."""


class Formats(Keeps):
    """Makes a text of an object, where a format says nothing of what it is."""

    def text(self, thing: Any) -> Any:
        raise NotImplementedError

    def keep(self, u: int) -> Any:
        pair = Thing(), Thing()
        return pair if (self.text(pair[0]) > self.text(pair[1])) == bool(u) else (pair[1], pair[0])

    def read(self) -> Any:
        return self.text(self.kept[0]) > self.text(self.kept[1])


class Bare(Formats):
    def text(self, thing: Any) -> Any:
        return f"{thing}"


class Converted(Formats):
    def text(self, thing: Any) -> Any:
        return f"{thing!r:>60}"


class BySay(Formats):
    def text(self, thing: Any) -> Any:
        return f"{thing!s:s}"


class ByWidth(Formats):
    """The format is another value, which may be an empty text."""

    width = ""

    def text(self, thing: Any) -> Any:
        return f"{thing:{self.width}}"


class ByEither(Formats):
    """One of two formats, of which one is empty."""

    def text(self, thing: Any) -> Any:
        return f"{thing:{'' if self.count == 0 else 'd'}}"


class AnyText(Formats):
    """A number becomes a text by which others can be formatted."""

    def text(self, thing: Any) -> Any:
        return (f"{37:c}" + "s") % thing


class Percent(Formats):
    def text(self, thing: Any) -> Any:
        return (f"{0.5:%}"[-1] + "s") % thing


class Local(Keeps):
    """A number as the place writes it."""

    def keep(self, u: int) -> Any:
        return f"{u:n}"


NOT_SAYING = [Bare, Converted, BySay, ByWidth, ByEither, AnyText, Percent, Local]
"""Texts that say more than a number."""


class OfArray(Keeps):
    """Two objects in the order of what their texts say, which numpy makes of them."""

    def texts(self, pair: list[Any]) -> Any:
        raise NotImplementedError

    def keep(self, u: int) -> Any:
        pair = [Thing(), Thing()]
        texts = self.texts(pair)
        return pair if bool(texts[0] > texts[1]) == bool(u) else pair[::-1]

    def read(self) -> Any:
        texts = self.texts(self.kept)
        return bool(texts[0] > texts[1])

    def one(self) -> Any:
        noise: Any = self.rng
        return noise.integers(1, 2, size=1)


class Cast(OfArray):
    def texts(self, pair: list[Any]) -> Any:
        return [(self.one() * [(thing,)]).astype("U90")[0][0] for thing in pair]


class Summed(OfArray):
    """A sum told of which type it shall be."""

    def texts(self, pair: list[Any]) -> Any:
        return [(self.one() * [Fraction(1), Fraction(1)]).sum(0, "U90") + f"{1:d}" for _ in pair]


class Chosen(OfArray):
    """An array of texts, into which an object is put."""

    def texts(self, pair: list[Any]) -> Any:
        told = []
        for thing in pair:
            noise: Any = self.rng
            texts = noise.choice(["a" * 90, "b" * 90], size=1)
            texts[0] = thing
            told.append(texts[0])
        return told


class Permuted(OfArray):
    def texts(self, pair: list[Any]) -> Any:
        told = []
        for thing in pair:
            noise: Any = self.rng
            texts = noise.permutation(["a" * 90])
            texts[0] = thing
            told.append(texts[0])
        return told


class Filled(Chosen):
    def texts(self, pair: list[Any]) -> Any:
        told = []
        for thing in pair:
            noise: Any = self.rng
            texts = noise.choice(("a" * 90, 1) if self.count == 0 else 2, size=1)
            texts.fill(thing)
            told.append(texts[0])
        return told


class Names(OfArray):
    """Names numpy beside a text."""

    def texts(self, pair: list[Any]) -> Any:
        return np.array(pair, "U90")


class NamesElsewhere(OfArray):
    """A function that it calls does."""

    def texts(self, pair: list[Any]) -> Any:
        return cast(pair, "U90")


def cast(pair: list[Any], kind: Any) -> Any:
    return np.array(pair, kind)


NOT_SAYING_BY_NUMPY = [Cast, Summed, Chosen, Permuted, Filled, Names, NamesElsewhere]
"""Texts that may get into arrays of numpy."""
