"""Random mechanisms of every protocol on awkward values, each beside the model that brute force plays."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from instances.awkward_tables import OfTables, Tables, keys_of
from instances.awkward_values import LISTED, number
from oracles.border import OVER, Key, key

from dpcert import HALT, Draw, Pmf, Published, Release, scripted


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
