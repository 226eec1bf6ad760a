"""Random mechanisms on awkward values as they are, published, viewed, two at once or in a row, each with its model."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from instances.awkward_mechanisms import Steps, StepsModel, plain, shown
from instances.awkward_tables import Tables, keys_of, tables
from instances.awkward_values import number
from oracles.border import OVER, Key, Model, key

from dpcert import Published, both, feeding, viewed


@dataclass(frozen=True)
class Publishing:
    """A mechanism with a `publish` of its own that reads core releases alone."""

    inner: Any
    tables: Tables

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def publish(self, core: tuple[Any, ...]) -> Any:
        return self.tables.values[self.tables.pick("published", *keys_of(core))]()


@dataclass(frozen=True)
class PublishingModel:
    inner: Any
    tables: Tables

    @property
    def start(self) -> Key:
        return self.inner.start, ()

    def kernel(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        entries = []
        for w, y, after in self.inner.kernel(state[0], x):
            core = (*state[1], y)
            beside = y if y == OVER else shown(y, self.tables.name(self.tables.pick("published", *core)))
            entries.append((w, beside, (after, core)))
        return entries


@dataclass(frozen=True)
class Look:
    """A view: an awkward value, by what is visible."""

    tables: Tables

    def __call__(self, visible: Any) -> Any:
        return self.tables.values[self.tables.pick("view", key(visible))]()


@dataclass(frozen=True)
class ViewedModel:
    inner: Any
    tables: Tables

    @property
    def start(self) -> Key:
        return self.inner.start

    def kernel(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        return [
            (w, y if y == OVER else self.tables.name(self.tables.pick("view", y)), after)
            for w, y, after in self.inner.kernel(state, x)
        ]


@dataclass(frozen=True)
class OfTwo:
    """What models of two mechanisms have in common."""

    first: Any
    second: Any

    @property
    def start(self) -> Key:
        return self.first.start, self.second.start


class BothModel(OfTwo):
    def kernel(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        entries = []
        for w, y, one in self._part(self.first, state[0], x):
            for v, z, two in self._part(self.second, state[1], x):
                entries.append((w * v, OVER if y == z == OVER else (y, z), (one, two)))
        return entries

    @staticmethod
    def _part(model: Model, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        if state == OVER:
            return [(Fraction(1), OVER, OVER)]
        return [(w, y, OVER if y == OVER else after) for w, y, after in model.kernel(state, x)]


class FedModel(OfTwo):
    """first -> second; whatever is shown in the round in which one halts is seen, and nothing after it."""

    def kernel(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        if state == OVER:
            return [(Fraction(1), OVER, OVER)]
        entries = []
        for w, y, hidden, one in self.first.whole(state[0], x):
            fed = [(Fraction(1), None, state[1])] if hidden is None else self.second.kernel(state[1], hidden)
            for v, z, two in fed:
                over = OVER in (y, z)
                entries.append((w * v, (y, z), OVER if over else (one, two)))
        return entries


KINDS = ("prefix", "markov", "steps", "seeds", "code", "publish", "viewed", "both", "feeding", "viewed both")


def instance(seed: int, horizon: int) -> tuple[str, Any, Any, Tables]:
    """A random mechanism, its model, and the tables with its inputs."""
    n = number(seed, "instance")
    kind = KINDS[n % len(KINDS)]
    own, other = tables((seed, "own")), tables((seed, "other"))
    other = Tables(other.seed, own.inputs, other.values, other.states)
    if n % len(KINDS) < 5:
        return kind, *plain(seed, n % len(KINDS), own, horizon), own
    one, two = part(seed, n // 10 % 3, own, horizon), part((seed, 2), n // 30 % 3, other, horizon)
    if kind == "publish":
        inner = plain((seed, 1), (0, 1, 2, 3)[n // 100 % 4], own, horizon)
        if isinstance(inner[0], Steps):
            inner = Steps(own, False, 3), StepsModel(own, False, 3)
        return kind, Publishing(inner[0], other), PublishingModel(inner[1], other), own
    if kind == "viewed":
        return kind, viewed(one[0], Look(other)), ViewedModel(one[1], other), own
    if kind == "feeding":
        first = Steps(own, n // 100 % 2 == 0, 3), StepsModel(own, n // 100 % 2 == 0, 3)
        second = Steps(other, n // 200 % 2 == 0, 3), StepsModel(other, n // 200 % 2 == 0, 3)
        return kind, feeding(first[0], second[0], own.alphabet, slices=False), FedModel(first[1], second[1]), own
    pair, model = both(one[0], two[0]), BothModel(one[1], two[1])
    if kind == "both":
        return kind, pair, model, own
    return kind, viewed(pair, parts_of), model, own


def part(seed: Any, kind: int, own: Tables, horizon: int) -> tuple[Any, Any]:
    """A part of a combination: any of the first three, some with a `publish`."""
    mechanism, model = plain(seed, kind, own, horizon)
    if kind < 2 and number(seed, "publishes") % 2:
        return Publishing(mechanism, own), PublishingModel(model, own)
    return mechanism, model


def parts_of(visible: Any) -> Any:
    """All that is visible of two mechanisms, in one value."""
    return (visible.core, visible.value) if isinstance(visible, Published) else visible
