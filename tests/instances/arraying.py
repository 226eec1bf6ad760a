"""Code that keeps arrays of numpy and their numbers, and tells them apart; and what it may not do with them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from instances.keeping import Keeps


@dataclass
class Model:
    """Weights, and how often they were moved."""

    weights: Any
    moved: Any = 0


class OfKeep(Keeps):
    """Keeps what a function makes of a draw, and tells what another one says of it."""

    def make(self, u: int) -> Any:
        raise NotImplementedError

    def tell(self, kept: Any) -> Any:
        raise NotImplementedError

    def keep(self, u: int) -> Any:
        return self.make(u)

    def read(self) -> Any:
        return self.tell(self.kept)


def keeping(name: str, make: Callable[[int], Any], tell: Callable[[Any], Any]) -> Any:
    """A class that keeps what `make` makes, and reads it by `tell`."""
    space = {"make": lambda _, u: make(u), "tell": lambda _, kept: tell(kept), "__module__": __name__}
    return type(name, (OfKeep,), space)


def first(kept: Any) -> Any:
    return kept[0]


def sign(kept: Any) -> Any:
    return math.copysign(1, kept[0])


def kind(kept: Any) -> Any:
    return isinstance(kept[0], float), isinstance(kept[0], int), kept.ndim, len(kept), kept.size


def moved(kept: Any) -> Any:
    kept[0][0] += 1
    return int(kept[1][0])


def rebound(kept: Any) -> Any:
    kept[0] = kept[0] + 1
    return int(kept[1][0])


def alias(u: int) -> Any:
    array = np.zeros(2)
    return [array, array if u else np.zeros(2)]


def in_model(u: int) -> Any:
    array = np.array([u, 1])
    return Model(array), Model(array if u else np.array([u, 1]))


def same_model(kept: Any) -> Any:
    kept[0].weights[1] = 5
    return int(kept[1].weights[1]), kept[0].moved == kept[1].moved


def shaped(u: int) -> Any:
    array = np.zeros(2)
    if u:
        array.shape = (1, 2)
    return array


def wrapped(kept: Any) -> Any:
    return int((kept + 1)[0]), bool((kept > 0).any())


def summed(kept: Any) -> Any:
    return float(np.sum(kept)), float(kept.mean()), int(np.argmax(kept)), float(np.clip(kept, 0, 1).max())


def squared(kept: Any) -> Any:
    kept **= 2
    return kept


ARRAYING = [
    keeping("Numbers", lambda u: np.array([u, 1]), lambda kept: int(kept[0])),
    keeping("Signs", lambda u: np.zeros(2) * (-1 if u else 1), sign),
    keeping("Kinds", lambda u: np.ones(1) if u else np.ones(1, dtype=np.int64), kind),
    keeping("Truths", lambda u: np.ones(1, dtype=bool) if u else np.ones(1, int), lambda kept: kept[0] + kept[0] > 1),
    keeping("Dimensions", lambda u: np.ones((1, 1)) if u else np.ones(1), kind),
    keeping("Alone", lambda u: np.array(1) if u else np.int64(1), lambda kept: np.zeros(2)[kept : kept + 1].size),
    keeping("Moved", alias, moved),
    keeping("Rebound", alias, rebound),
    keeping("InModel", in_model, same_model),
    keeping("Shaped", shaped, lambda kept: kept.shape),
    keeping("Wrapped", lambda u: np.array([2**63 - 1 - u]), wrapped),
    keeping("Summed", lambda u: np.array([0.1, 0.2, 0.3 + u]), summed),
    keeping("Squares", lambda u: np.array([0.1 + u, 3.0]), lambda kept: float((kept**2).sum())),
    keeping("Squared", lambda u: squared(np.array([u, 2**40])), lambda kept: int(kept[1] ** 2)),
    keeping("OneNumber", lambda u: np.float64(u) if u else float(u), lambda kept: kept * 2 + 1),
    keeping("Whole", lambda u: np.int64(1) if u else 1, lambda kept: kept * 4611686018427387904 * 2 < 0),
]  # fmt: skip
"""Plain arrays, and numbers of theirs."""
MEMORY: list[Any] = []


class Thing:
    """Nothing but an object."""


def by_text(u: int) -> Any:
    pair = [Thing(), Thing()]
    return pair[::-1] if u else pair


def lengthened(kept: Any) -> Any:
    kept.resize(5)
    return 0


class Shuffled(Keeps):
    """Tells two objects apart by the texts that numpy makes of them."""

    def __call__(self, x: int) -> Any:
        pair = [Thing(), Thing()]
        texts = self.rng.choice(pair, size=1).astype("U60")  # type: ignore[call-arg]
        return x + self.rng.integers(2), bool(texts[0] > "a")  # type: ignore[attr-defined]


def named_inside(u: int) -> Any:
    if isinstance(u, (kind_of := dict)):
        return u
    return [np.zeros(1), len(kind_of(a=u))]


def cubed(kept: Any) -> Any:
    kept **= 3
    return kept


def on_function(u: int) -> Any:
    np.sum.told = u  # type: ignore[attr-defined]
    return u


NOT_ARRAYING = [
    keeping("View", lambda u: np.zeros(3)[u:], len),
    keeping("Backwards", lambda u: np.zeros(3)[::-1] if u else np.zeros(3), first),
    keeping("Turned", lambda _: np.zeros((2, 3)).T, first),
    keeping("Objects", lambda u: np.array([Thing(), u], dtype=object), first),
    keeping("OfLists", lambda u: np.array([10**30, u]), first),
    keeping("Texts", lambda _: np.array(["a", "b"]), len),
    keeping("Narrow", lambda u: np.zeros(2, dtype=np.int32) + u, first),
    keeping("Nan", lambda _: np.array([0.0, 1e308]) * 10 * 0, first),
    keeping("NumberNan", lambda _: np.float64("nan"), lambda _: 0),
    keeping("ReadOnly", lambda _: np.array([1.0]).imag, first),
    keeping("Unset", lambda _: np.empty(3), first),
    keeping("UnsetParts", lambda _: np.add(np.zeros(3), 1, where=np.array([False, True, True])), first),
    keeping("ByText", by_text, lambda kept: np.array(kept).astype("U60")[0] > np.array(kept).astype("U60")[1]),
    keeping("ByItem", by_text, lambda kept: np.full(1, "a" * 60).fill(kept[0])),
    keeping("Resized", lambda _: np.zeros(3), lengthened),
    keeping("Product", lambda _: np.zeros(3) @ np.zeros(3), lambda _: 0),
    keeping("Power", lambda _: np.zeros(3) ** 3, first),
    keeping("PowerOfEither", lambda u: np.zeros(3) ** (2 if u else 3), first),
    keeping("PowerOfOther", lambda u: np.zeros(3) ** (3 if u else 2), first),
    keeping("PowerOfTwo", lambda u: 2 ** np.array([0.5, u]), first),
    keeping("Root", lambda _: np.ones(3) ** 0.5, first),
    keeping("PowerInPlace", lambda u: cubed(np.ones(3) + u), first),
    keeping("PowerByName", lambda _: pow(np.zeros(3), 2), first),
    keeping("Exponential", lambda _: np.exp(np.zeros(3)), first),
    keeping("Dot", lambda _: np.dot(np.zeros(3), np.zeros(3)), lambda _: 0),
    keeping("OnFunction", on_function, lambda _: np.sum.told),  # type: ignore[attr-defined]
    keeping("KeptFunction", lambda u: [np.sum, u], first),
    keeping("KeptLibrary", lambda u: [np, u], lambda kept: kept[1]),
    keeping("Chance", lambda _: np.random.random(), lambda _: 0),
    keeping("Settings", lambda _: np.errstate(all="raise"), lambda _: 0),
    keeping("AsKey", lambda u: {np.int64(u): 1}, lambda kept: 1 in kept),
    keeping("Address", lambda _: np.zeros(3), lambda kept: kept.ctypes.data % 64),
    keeping("Flags", lambda _: np.zeros(3), lambda kept: kept.flags.owndata),
    keeping("Sorted", lambda _: np.zeros(3), lambda kept: kept.sort()),
    keeping("AnyNames", lambda u: [np.zeros(u), (lambda **names: sorted(names))(a=1)], lambda kept: kept[1][0]),
    keeping("DictAsValue", lambda u: [np.zeros(1), [len(kind(a=u)) for kind in [dict]]], lambda _: 0),
    keeping("DictNamedInside", named_inside, lambda _: 0),
    keeping("DictOfNames", lambda u: sorted(dict(a=np.int64(u))), first),  # noqa: C408 - what it is about
    Shuffled,
]  # fmt: skip
"""What depends on where arrays lie, on what numpy keeps, or on more than is looked at."""
