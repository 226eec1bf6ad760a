"""Random mechanisms for the conditions of Checklist 1: secret cores, code under seeds, published values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any, ClassVar, TypeAlias

from instances.hidden_state import Draw, RandomInteractive, random_interactive, random_law

from dpcert import HALT, Pmf, Published, Release, from_weights, point, uniform

Stream: TypeAlias = tuple[Any, ...]
BITS = (0, 1)
LETTERS: list[Any] = ["a", "b"]

# ---------------------------------------------------------------- hidden state


@dataclass(frozen=True)
class SecretCore:
    """A core with a state that hides it: (inputs, a label drawn anew), one table of laws for every label.

    `halts` are input prefixes after which it halts for sure; the label before shuffles which draw gives which output.
    """

    laws: dict[Stream, Pmf[Any]]
    labels: int
    alphabet: ClassVar[tuple[int, ...]] = BITS
    initial: ClassVar[tuple[Any, ...]] = ((), 0)

    def step(self, state: tuple[Stream, int], x: int, draw: Draw) -> tuple[Release[Any, None], tuple[Stream, int]]:
        """Draws a label that says nothing, before or after the release, as the label before has it."""
        inputs, mark = (*state[0], x), state[1]
        if mark % 2:
            label = draw(uniform(range(self.labels)))
            return Release(draw(self.laws[inputs])), (inputs, label)
        visible = draw(self.laws[inputs])
        return Release(visible), (inputs, draw(uniform(range(self.labels))))


def random_secret_core(seed: int, horizon: int) -> SecretCore:
    """Some prefixes halt for sure, and in the last round any release may be HALT."""
    rng = Random(seed)
    laws: dict[Stream, Pmf[Any]] = {}
    for t in range(1, horizon + 1):
        for prefix in product(BITS, repeat=t):
            over = t > 1 and laws[prefix[:-1]] == point(HALT)
            outputs = [*LETTERS, HALT] if t == horizon and rng.randrange(3) == 0 else LETTERS
            laws[prefix] = point(HALT) if over or rng.randrange(12) == 0 else random_law(rng, outputs)
    return SecretCore(laws, rng.choice((1, 2, 3)))


@dataclass(frozen=True)
class Masked:
    """Answers under a mask bit of law `mask`, kept in the state; `renewed` says after which inputs it is drawn anew."""

    mask: Pmf[int]
    noise: Pmf[int]
    renewed: frozenset[int]
    alphabet: ClassVar[tuple[int, ...]] = BITS
    initial: ClassVar[None] = None

    def step(self, state: int | None, x: int, draw: Draw) -> tuple[Release[int, None], int | None]:
        """x, the mask and noise, added modulo 2."""
        mask = draw(self.mask) if state is None else state
        visible = x ^ mask ^ draw(self.noise)
        return Release(visible), None if x in self.renewed else mask


def random_masked(seed: int) -> Masked:
    """Often a core: where the mask is renewed or sure, or where the noise drowns it."""
    rng = Random(seed)
    coins = [point(0), from_weights({0: 1, 1: 1}), from_weights({0: 3, 1: 1})]
    renewed = frozenset(x for x in BITS if rng.randrange(2))
    return Masked(rng.choice(coins), rng.choice(coins), renewed)


def random_hidden(seed: int, horizon: int) -> Any:
    """One of the three kinds."""
    kind = seed % 4
    if kind == 0:
        return random_secret_core(seed, horizon)
    if kind == 1:
        return random_masked(seed)
    return random_interactive(seed, 2, 2 + seed % 2, 2, allow_halt=seed % 8 >= 4)[0]


# ---------------------------------------------------------------- code under seeds


@dataclass(frozen=True)
class Table:
    """Code by a table: (seeds, stream) -> outputs."""

    law: Pmf[Stream]
    answers: dict[tuple[Stream, Stream], Stream]
    alphabet: ClassVar[tuple[int, ...]] = BITS
    horizon: ClassVar[int] = 2

    def seeds(self, horizon: int) -> Pmf[Stream]:
        """The joint law of both seeds."""
        assert horizon == 2
        return self.law

    def respond(self, seeds: Stream, stream: Stream) -> Stream:
        """The entry."""
        return self.answers[seeds, stream]


def random_table(seed: int) -> Table:
    """Each output reads its own past and seed, or everything; seeds are independent, or anything."""
    rng = Random(seed)
    causal, own, independent = rng.randrange(4) > 0, rng.randrange(3) > 0, rng.randrange(3) > 0
    single: list[Pmf[Any]] = [random_law(rng, [0, 1]) for _ in range(2)]
    law = single[0].product(single[1]) if independent else random_law(rng, list(product(BITS, repeat=2)))
    past, entries = rng.randrange(2) > 0, dict[Any, str]()

    def output(seeds: Stream, stream: Stream, t: int) -> str:
        read = seeds[t] if own else seeds[: t + 1] if past else seeds
        key = (t, read, stream[: t + 1] if causal else stream)
        return entries.setdefault(key, rng.choice(LETTERS))

    streams = [s for rounds in (1, 2) for s in product(BITS, repeat=rounds)]
    answers = {
        (seeds, stream): tuple(output(seeds, stream, t) for t in range(len(stream)))
        for seeds in product(BITS, repeat=2)
        for stream in streams
    }
    return Table(law, answers)


@dataclass(frozen=True)
class TableCore:
    """The PrefixCore with the laws of the last outputs of a table."""

    table: Table
    alphabet: ClassVar[tuple[int, ...]] = BITS
    horizon: ClassVar[int] = 2

    def law(self, prefix: Stream) -> Pmf[Any]:
        """The law of the output that answers the last input."""
        return self.table.law.map(lambda seeds: self.table.answers[seeds, prefix][-1])


@dataclass(frozen=True, eq=False)
class TableLive:
    """The table as a mechanism with hidden state: seeds drawn in round 1."""

    table: Table
    alphabet: ClassVar[tuple[int, ...]] = BITS
    initial: ClassVar[tuple[Any, ...]] = (None, ())

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[Any, None], Any]:
        """The last output."""
        seeds, inputs = state
        seeds = draw(self.table.law) if seeds is None else seeds
        stream = (*inputs, x)
        return Release(self.table.answers[seeds, stream][-1]), (seeds, stream)


# ---------------------------------------------------------------- published values

Value: TypeAlias = Callable[[Stream, int, Any], Any]
"""What is published, from the core releases so far, the input and the hidden state."""
VALUES: tuple[Value, ...] = (
    lambda core, _, __: len(core),
    lambda core, _, __: core[-1],
    lambda core, _, __: core.count(0) % 2,
    lambda _, x, __: x,
    lambda core, x, __: (core[-1], x if len(core) == 2 else None),
    lambda _, __, hidden: hidden,
    lambda core, x, hidden: x * hidden if core[-1] == 0 else 0,
    lambda core, x, _: core[0] * x,
)


@dataclass(frozen=True)
class WithValue:
    """A mechanism that publishes a value beside each release, or now and then nothing."""

    inner: RandomInteractive
    value: Value
    silent: int | None
    alphabet: ClassVar[tuple[int, ...]] = BITS

    @property
    def initial(self) -> Any:
        """The inner state, and no releases."""
        return self.inner.initial, ()

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[Any, None], Any]:
        """The inner release, with its value beside it."""
        release, after = self.inner.step(state[0], x, draw)
        core = (*state[1], release.visible)
        plain = release.visible is HALT or (len(core) > 1 and release.visible == self.silent)
        return Release(core[-1] if plain else Published(core[-1], self.value(core, x, after))), (after, core)


def random_with_value(seed: int) -> WithValue:
    """The inner mechanism and the value are drawn apart; constant and noiseless ones are among them."""
    rng = Random(seed)
    inner, _ = random_interactive(rng.randrange(10**6), 2, 2, 2, allow_halt=seed % 3 == 0)
    return WithValue(inner, rng.choice(VALUES), rng.choice((None, None, 0)))


@dataclass
class Publishing:
    """The same values by way of a `publish` of its own, which remembers what the last step left behind."""

    inner: RandomInteractive
    value: Value
    left: list[Any] = field(default_factory=lambda: [0, 0])
    alphabet: ClassVar[tuple[int, ...]] = BITS

    @property
    def initial(self) -> Any:
        """The inner state."""
        return self.inner.initial

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Any, Any]:
        """The inner step; leaves input and state behind."""
        release, after = self.inner.step(state, x, draw)
        self.left[:] = [x, after]
        return release, after

    def publish(self, core: Stream) -> Any:
        """The value."""
        return self.value(core, *self.left)


def random_publishing(seed: int) -> Publishing:
    """Values that read the core, or what was left behind."""
    rng = Random(seed)
    inner, _ = random_interactive(rng.randrange(10**6), 2, 2, 2, allow_halt=seed % 3 == 0)
    return Publishing(inner, rng.choice(VALUES))


@dataclass
class PublishingCore:
    """A PrefixCore whose `publish` reads the core, or the inputs that its law left behind."""

    laws: dict[Stream, Pmf[int]]
    value: Value
    left: list[Any] = field(default_factory=lambda: [0])
    alphabet: ClassVar[tuple[int, ...]] = BITS

    def law(self, prefix: Stream) -> Pmf[int]:
        """The law of the table."""
        self.left[0] = prefix[-1]
        return self.laws[prefix]

    def publish(self, core: Stream) -> Any:
        """The value; there is no hidden state to read."""
        return self.value(core, self.left[0], 0)


def random_publishing_core(seed: int) -> PublishingCore:
    """Two rounds of random laws."""
    rng = Random(seed)
    prefixes = [p for t in (1, 2) for p in product(BITS, repeat=t)]
    return PublishingCore({p: random_law(rng, [0, 1]) for p in prefixes}, rng.choice(VALUES))
