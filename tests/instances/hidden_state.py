"""Random small mechanisms with hidden state, for comparing a solver with the brute-force oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, TypeAlias

import dpcert
from dpcert import Pmf, from_weights, point

Draw: TypeAlias = Callable[[Pmf[Any]], Any]
Answer: TypeAlias = tuple[Any, int]  # visible output, next hidden state

START = -1  # the state before the first round; the later ones are 0, 1, ...


@dataclass(frozen=True)
class PlainRelease:
    """Stands in for dpcert.Release while the package has none."""

    visible: Any
    hidden: Any = None


Release: Any = getattr(dpcert, "Release", PlainRelease)
HALT: Any = getattr(dpcert, "HALT", "halt")


@dataclass(frozen=True)
class Joint:
    """One draw of (visible output, next state)."""

    law: Pmf[Answer]

    def answer(self, draw: Draw) -> Answer:
        """A visible output and the next state."""
        visible, state = draw(self.law)
        return visible, state


@dataclass(frozen=True)
class Independent:
    """Two draws in a row with fixed laws."""

    visible: Pmf[Any]
    state: Pmf[int]

    def answer(self, draw: Draw) -> Answer:
        """A visible output and the next state."""
        visible = draw(self.visible)
        return visible, draw(self.state)


@dataclass(frozen=True)
class StateFirst:
    """A draw of the next state, then one of the visible output whose law depends on it."""

    state: Pmf[int]
    visible: tuple[Pmf[Any], ...]

    def answer(self, draw: Draw) -> Answer:
        """A visible output and the next state."""
        state = draw(self.state)
        return draw(self.visible[state]), state


@dataclass(frozen=True)
class MaybeSecond:
    """A draw that is the whole answer, or (when it is 0) is followed by a second draw of the answer."""

    first: Pmf[int]
    settled: tuple[Answer, ...]
    second: Pmf[Answer]

    def answer(self, draw: Draw) -> Answer:
        """A visible output and the next state."""
        number = draw(self.first)
        if number > 0:
            return self.settled[number - 1]
        visible, state = draw(self.second)
        return visible, state


Row: TypeAlias = Joint | Independent | StateFirst | MaybeSecond


@dataclass(frozen=True)
class RandomInteractive:
    """Table mechanism: `rows[state][x]` answers input x in a hidden state drawn from `start` at first."""

    alphabet: tuple[int, ...]
    start: Pmf[int]
    rows: tuple[tuple[Row, ...], ...]

    @property
    def initial(self) -> int:
        """The state before the first round."""
        return START

    def step(self, state: int, x: int, draw: Draw) -> tuple[Any, int]:
        """The release and the next state; the first step also draws the hidden state it starts from."""
        now = draw(self.start) if state == START else state
        visible, after = self.rows[now][x].answer(draw)
        return Release(visible=visible, hidden=(now, after)), after


def random_law(rng: Random, outcomes: list[Any]) -> Pmf[Any]:
    """A law with small integer weights, so that ties and zeros are common."""
    weights = [rng.choice((0, 1, 1, 2, 3)) for _ in outcomes]
    if sum(weights) == 0:
        return point(rng.choice(outcomes))
    return from_weights(dict(zip(outcomes, weights, strict=True)))


def random_row(rng: Random, states: list[int], visibles: list[Any]) -> Row:
    """A random answer in one or two stages."""
    answers = list(product(visibles, states))
    kind = rng.randrange(4)
    if kind == 0:
        return Joint(random_law(rng, answers))
    if kind == 1:
        return Independent(random_law(rng, visibles), random_law(rng, states))
    if kind == 2:
        return StateFirst(random_law(rng, states), tuple(random_law(rng, visibles) for _ in states))
    settled = (rng.choice(answers), rng.choice(answers))
    return MaybeSecond(random_law(rng, [0, 1, 2]), settled, random_law(rng, answers))


def random_rows(rng: Random, inputs: int, states: list[int], visibles: list[Any]) -> tuple[tuple[Row, ...], ...]:
    """A random row for every state and input; now and then an earlier one again."""
    made: list[Row] = []
    for _ in range(len(states) * inputs):
        again = bool(made) and rng.randrange(6) == 0
        made.append(rng.choice(made) if again else random_row(rng, states, visibles))
    return tuple(tuple(made[state * inputs : (state + 1) * inputs]) for state in states)


def random_interactive(
    seed: int, inputs: int, states: int, visibles: int, allow_halt: bool
) -> tuple[RandomInteractive, tuple[int, ...]]:
    """A mechanism fixed by `seed`, and its alphabet 0..inputs-1.

    Visible outputs are 0..visibles-1, and HALT when `allow_halt`.  Hidden states are 0..states-1.
    """
    rng = Random(seed)
    hidden = list(range(states))
    seen = [*range(visibles), *([HALT] if allow_halt else [])]
    start = random_law(rng, hidden)
    mechanism = RandomInteractive(tuple(range(inputs)), start, random_rows(rng, inputs, hidden, seen))
    return mechanism, mechanism.alphabet
