"""Random mechanisms of every protocol on awkward values, each beside the model that brute force plays.

A mechanism finds everything in tables that a number decides; it looks values up by the oracle's key, so that what ==
says of them decides nothing.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from instances.awkward_values import LISTED, Maker, distinct, number
from oracles.border import OVER, Key, Model, key

from dpcert import HALT, Draw, Pmf, Published, Release, both, feeding, scripted, viewed


@dataclass(frozen=True)
class Tables:
    """Everything that decides a random mechanism."""

    seed: Any
    inputs: tuple[Maker, ...]
    values: tuple[Maker, ...]
    states: tuple[Maker, ...]

    def weights(self, *where: Any) -> list[tuple[int, Fraction]]:
        """A law on numbers of values."""
        n = number(self.seed, *where)
        size = 1 + n % 3
        parts = [1 + n // 11**i % 3 for i in range(1, size + 1)]
        picks = [n // 13**i % len(self.values) for i in range(1, size + 1)]
        return [(i, Fraction(w, sum(parts))) for i, w in zip(picks, parts, strict=True)]

    def law(self, *where: Any) -> Pmf[Any]:
        return Pmf([(self.values[i](), w) for i, w in self.weights(*where)])

    def keys(self, *where: Any) -> list[tuple[Key, Fraction]]:
        return [(self.name(i), w) for i, w in self.weights(*where)]

    def name(self, i: int) -> Key:
        return key(self.values[i]())

    def pick(self, *where: Any) -> int:
        return number(self.seed, *where) % len(self.values)

    def state(self, *where: Any) -> Maker:
        return self.states[number(self.seed, *where) % len(self.states)]

    @property
    def alphabet(self) -> tuple[Any, ...]:
        return tuple(make() for make in self.inputs)


def tables(seed: Any) -> Tables:
    """Random tables on few values."""
    n = number(seed, "sizes")
    return Tables(
        seed,
        tuple(distinct((seed, "x"), 2 + n % 2)),
        tuple(distinct((seed, "y"), 2 + n // 2 % 4)),
        tuple(distinct((seed, "s"), 1 + n // 8 % 3)),
    )


def keys_of(values: tuple[Any, ...]) -> tuple[Key, ...]:
    return tuple(map(key, values))


@dataclass(frozen=True)
class OfTables:
    """What mechanisms and models have in common."""

    tables: Tables

    @property
    def alphabet(self) -> tuple[Any, ...]:
        return self.tables.alphabet


class Prefix(OfTables):
    def law(self, prefix: tuple[Any, ...]) -> Pmf[Any]:
        return self.tables.law("law", *keys_of(prefix))


@dataclass(frozen=True)
class PrefixModel:
    tables: Tables
    start: Key = ()

    def kernel(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        after = (*state, x)
        return [(w, y, after) for y, w in self.tables.keys("law", *after)]


class Markov(OfTables):
    @property
    def initial(self) -> Any:
        return self.tables.states[0]()

    def advance(self, state: Any, x: Any) -> Any:
        return self.tables.state("after", key(state), key(x))()

    def law(self, state: Any) -> Pmf[Any]:
        return self.tables.law("law", key(state))


@dataclass(frozen=True)
class MarkovModel:
    tables: Tables

    @property
    def start(self) -> Key:
        return key(self.tables.states[0]())

    def kernel(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        after = key(self.tables.state("after", state, x)())
        return [(w, y, after) for y, w in self.tables.keys("law", after)]


@dataclass(frozen=True)
class Steps(OfTables):
    """Hidden state; `beside` makes some releases Published, `halts` ends some runs."""

    beside: bool = False
    halts: int = 0

    @property
    def initial(self) -> Any:
        return self.tables.states[0]()

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
        own = self.tables
        at = (key(state), key(x))
        at = (*at, key(draw(own.law("draw", *at))))
        if number(own.seed, "twice", *at) % 2:
            at = (*at, key(draw(own.law("again", *at))))
        hidden = None if number(own.seed, "feeds", *at) % 3 == 0 else own.values[own.pick("hidden", *at)]()
        after = own.state("after", *at)()
        if self.halts and number(own.seed, "halt", *at) % self.halts == 0:
            return Release(HALT, hidden), after
        core = own.values[own.pick("visible", *at)]()
        if not self.beside or number(own.seed, "silent", *at) % 3 == 0:
            return Release(core, hidden), after
        return Release(Published(core, own.values[own.pick("beside", *at)]()), hidden), after


@dataclass(frozen=True)
class StepsModel:
    tables: Tables
    beside: bool = False
    halts: int = 0

    @property
    def start(self) -> Key:
        return key(self.tables.states[0]())

    def kernel(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        return [(w, visible, after) for w, visible, _, after in self.whole(state, x)]

    def whole(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key, Key]]:
        """(probability, visible, hidden, state after)."""
        own, entries = self.tables, []
        for y, w in own.keys("draw", state, x):
            at: Key = (state, x, y)
            more = own.keys("again", *at) if number(own.seed, "twice", *at) % 2 else [((), Fraction(1))]
            for z, v in more:
                entries.append((w * v, *self._entry((*at, z) if z else at)))
        return entries

    def _entry(self, at: Key) -> tuple[Key, Key, Key]:
        own = self.tables
        hidden = None if number(own.seed, "feeds", *at) % 3 == 0 else own.name(own.pick("hidden", *at))
        after = key(own.state("after", *at)())
        if self.halts and number(own.seed, "halt", *at) % self.halts == 0:
            return OVER, hidden, after
        core = own.name(own.pick("visible", *at))
        beside = self.beside and number(own.seed, "silent", *at) % 3
        return (shown(core, own.name(own.pick("beside", *at))) if beside else core), hidden, after


def shown(core: Key, beside: Key) -> Key:
    """What is seen of Published(core, beside)."""
    return ("dpcert.audit.kernels.release.Published", "core", core, "value", beside)


class Seeds(OfTables):
    """Code under explicit seeds, which need not be independent."""

    def seeds(self, horizon: int) -> Pmf[tuple[Any, ...]]:
        own = self.tables
        return Pmf([(tuple(own.values[i]() for i in row), w) for row, w in rows(own, horizon)])

    def respond(self, seeds: tuple[Any, ...], stream: tuple[Any, ...]) -> tuple[Any, ...]:
        at = [(*keys_of(seeds[: t + 1]), *keys_of(stream[: t + 1])) for t in range(len(stream))]
        return tuple(self._out(where) for where in at)

    def _out(self, where: Any) -> Any:
        own = self.tables
        released = own.values[own.pick("out", *where)]()
        beside = number(own.seed, "publishes", *where) % 3 == 0
        return Published(released, own.values[own.pick("beside", *where)]()) if beside else released


def rows(own: Tables, horizon: int) -> list[tuple[tuple[int, ...], Fraction]]:
    """A joint law of numbers of values: one a round."""
    laws: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    for t in range(horizon):
        joint = number(own.seed, "joint") % 2
        laws = [
            ((*row, i), w * v)
            for row, w in laws
            for i, v in own.weights("seed", t, *(map(own.name, row) if joint else ()))
        ]
    return laws


@dataclass(frozen=True)
class SeedsModel:
    tables: Tables
    horizon: int
    start: Key = ()

    def kernel(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        own = self.tables
        if state == ():
            chosen = [(tuple(map(own.name, row)), w) for row, w in rows(own, self.horizon)]
            return [(w, self._out(row, (x,)), (row, (x,))) for row, w in chosen]
        row, stream = state
        stream = (*stream, x)
        return [(Fraction(1), self._out(row, stream), (row, stream))]

    def _out(self, row: Key, stream: Key) -> Key:
        own, where = self.tables, (*row[: len(stream)], *stream)
        released = own.name(own.pick("out", *where))
        beside = number(own.seed, "publishes", *where) % 3 == 0
        return shown(released, own.name(own.pick("beside", *where))) if beside else released


@dataclass
class Code:
    """Everyday code: it keeps a list, and releases it, or what it makes of it, again and again."""

    rng: Any
    tables: Tables
    form: int
    kept: list[Any] = field(default_factory=list)
    again: Any = None

    def __call__(self, x: Any) -> Any:
        own = self.tables
        drawn = self.rng.randrange(2 + number(own.seed, "sides") % 2)
        self.kept.append(own.values[own.pick("kept", drawn, key(x))]())
        made = LISTED[self.form](self.kept)
        if isinstance(made, dict):
            self.again = made if self.again is None else self.again
            self.again.update(made)
            return self.again
        return made


@dataclass(frozen=True)
class CodeModel:
    tables: Tables
    form: int
    start: Key = ()

    def kernel(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        own, entries = self.tables, []
        sides = 2 + number(own.seed, "sides") % 2
        for drawn in range(sides):
            kept = (*state, own.pick("kept", drawn, x))
            entries.append((Fraction(1, sides), key(LISTED[self.form]([own.values[i]() for i in kept])), kept))
        return entries


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
class BothModel:
    first: Any
    second: Any

    @property
    def start(self) -> Key:
        return self.first.start, self.second.start

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


@dataclass(frozen=True)
class FedModel:
    """first -> second; whatever is shown in the round in which one halts is seen, and nothing after it."""

    first: StepsModel
    second: StepsModel

    @property
    def start(self) -> Key:
        return self.first.start, self.second.start

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


def plain(seed: Any, kind: int, own: Tables, horizon: int) -> tuple[Any, Any]:
    """A mechanism of one of the protocols, and its model."""
    n = number(seed, "plain")
    if kind == 0:
        return Prefix(own), PrefixModel(own)
    if kind == 1:
        return Markov(own), MarkovModel(own)
    if kind == 2:
        beside, halts = n % 3 == 0, n // 3 % 4
        return Steps(own, beside, halts), StepsModel(own, beside, halts)
    if kind == 3:
        return Seeds(own), SeedsModel(own, horizon)
    form = n % len(LISTED)
    return scripted(lambda rng: Code(rng, own, form), alphabet=own.alphabet), CodeModel(own, form)


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
