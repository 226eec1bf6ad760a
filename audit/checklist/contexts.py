"""One-round power functions of a core by challenge and context: what every rung of the ladder is decided on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget, Stopped
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import END, Level, Move
from dpcert.audit.limits import look

MOST_FACTS = 4_000_000
"""Numbers of curves held, over all rounds of all distinct futures, past which the ladder is not climbed."""

Inputs = tuple[Any, ...]


@frozen(slots=True)
class Context:
    """Two histories that differ in one round: the inputs before it, the challenge, the common inputs after it."""

    before: Inputs
    challenge: tuple[Any, Any]
    after: Inputs

    @property
    def round(self) -> int:
        """The round of the challenge."""
        return len(self.before) + 1

    def histories(self) -> tuple[Inputs, Inputs]:
        """The whole history in world 0 and in world 1."""
        x0, x1 = ((*self.before, x, *self.after) for x in self.challenge)
        return x0, x1


@dataclass(eq=False, repr=False)
class Curves:
    """Distinct one-round power functions, numbered; 0 is the identity."""

    powers: list[PowerFunction] = field(default_factory=lambda: [PowerFunction.identity()])
    _numbers: dict[Any, int] = field(default_factory=dict)
    _of_weights: dict[Any, int] = field(default_factory=dict)
    _of_laws: dict[tuple[Pmf[Any], Pmf[Any]], int] = field(default_factory=dict)

    def of_move(self, move: Move) -> int:
        """The number of the curve of a move's release."""
        weights = tuple((o.weight0, o.weight1) for o in move.outcomes)
        key = move.denominator0, move.denominator1, weights
        if key not in self._of_weights:
            look()
            zeros, ones = [a for a, _ in weights], [b for _, b in weights]
            power = PowerFunction(chains.ordered(zeros, ones, move.denominator0, move.denominator1))
            self._of_weights[key] = self.number(power)
        return self._of_weights[key]

    def of_laws(self, law0: Pmf[Any], law1: Pmf[Any]) -> int:
        """The number of Pow(law0‖law1)."""
        if (law0, law1) not in self._of_laws:
            look()
            self._of_laws[law0, law1] = self.number(PowerFunction.from_laws(law0, law1))
        return self._of_laws[law0, law1]

    def number(self, power: PowerFunction) -> int:
        """The number of a curve."""
        if power == self.powers[0]:
            return 0
        known = self._numbers.setdefault(power.segments, len(self.powers))
        if known == len(self.powers):
            self.powers.append(power)
        return known


@frozen(eq=False, slots=True)
class Future:
    """The numbers of all curves that common inputs can bring about in one round, and the same of the rounds after it.

    Equal futures are one object.
    """

    here: tuple[int, ...]
    later: "Future | None"

    def rounds(self) -> "Iterator[Future]":
        """This round and every later one."""
        at: Future | None = self
        while at is not None:
            yield at
            at = at.later


@dataclass(eq=False, repr=False)
class _Futures:
    """All futures met, each once: complete, or more than MOST_FACTS and Stopped."""

    budget: Budget
    _known: dict[tuple[tuple[int, ...], Future | None], Future] = field(default_factory=dict)
    _merged: dict[tuple[Future, ...], Future] = field(default_factory=dict)
    _facts: int = 0

    def of(self, here: tuple[int, ...], later: Future | None) -> Future:
        future = self._known.get((here, later))
        if future is None:
            self._facts += len(here)
            if self._facts > MOST_FACTS:
                raise Stopped(f"more than {MOST_FACTS} curves by context to hold (MOST_FACTS)")
            future = self._known[here, later] = Future(here, later)
        return future

    def merged(self, options: Sequence[Future]) -> Future:
        """Round by round, the curves of all options."""
        layers: list[tuple[tuple[Future, ...], tuple[int, ...]]] = []
        layer = tuple(dict.fromkeys(options))
        while len(layer) > 1 and layer not in self._merged:
            self.budget.check()
            layers.append((layer, tuple(dict.fromkeys(curve for option in layer for curve in option.here))))
            layer = tuple(dict.fromkeys(option.later for option in layer if option.later is not None))
        future = (self._merged[layer] if len(layer) > 1 else layer[0]) if layer else None
        for key, here in reversed(layers):
            future = self._merged[key] = self.of(here, future)
        if future is None:
            raise expected("at least one future", options=len(options))
        return future


@frozen
class _Continuations:
    """The levels of a game, and what can follow each position once its challenge is past (None before that)."""

    levels: Sequence[Level]
    curves: Curves
    futures: list[list[Future | None]]

    def way(self, move: Move, at: int, rounds: int, curve: int) -> Inputs:
        """The first common inputs that bring `curve` about `rounds` rounds after a move of level `at`."""
        inputs: Inputs = ()
        for left in range(rounds, 0, -1):
            at += 1
            moves = self.levels[at].moves[move.outcomes[0].after]
            move = next(m for m in moves if self._leads(m, at, left - 1, curve))
            inputs = (*inputs, move.pair[0])
        return inputs

    def _leads(self, move: Move, at: int, rounds: int, curve: int) -> bool:
        if not rounds:
            return self.curves.of_move(move) == curve
        after = move.outcomes[0].after
        future = None if after == END else self.futures[at + 1][after]
        return future is not None and any(
            curve in later.here for i, later in enumerate(future.rounds(), 1) if i == rounds
        )


@frozen
class Challenge:
    """A challenge (i, a, a') under one history before it, and the curves of every round from i on."""

    before: Inputs
    pair: tuple[Any, Any]
    future: Future
    _move: Move
    _continuations: _Continuations

    def context(self, round_: int, curve: int) -> Context:
        """The first context of this challenge that gives `curve` in `round_`."""
        at = len(self.before)
        return Context(self.before, self.pair, self._continuations.way(self._move, at, round_ - at - 1, curve))


def challenges(levels: Sequence[Level], curves: Curves, budget: Budget) -> list[Challenge]:
    """Every challenge from every reachable state of a Hamming game on a core, with all that can follow it.

    States stand for the histories that lead to them; the first one is shown.
    Raises: Stopped: more curves than MOST_FACTS, or no time left.
    """
    futures = _Futures(budget)
    game = _Continuations(levels, curves, _followed(levels, curves, futures))
    pairs = []
    histories: dict[int, Inputs] = {0: ()}
    for at, level in enumerate(levels):
        following: dict[int, Inputs] = {}
        for position, before in histories.items():
            for move in level.moves[position]:
                budget.check()
                x0, x1 = move.pair
                if x0 != x1:
                    future = _after(move, curves, futures, game.futures[at + 1])
                    pairs.append(Challenge(before, (x0, x1), future, move, game))
                elif at + 1 < len(levels):
                    following.setdefault(move.outcomes[0].after, (*before, x0))
        histories = following
    return pairs


def _followed(levels: Sequence[Level], curves: Curves, futures: _Futures) -> list[list[Future | None]]:
    """For every level, the futures of each position once its challenge is past (those before it get none)."""
    rows: list[list[Future | None]] = [[]]
    for level in reversed(levels):
        row: list[Future | None] = []
        for moves in level.moves:
            futures.budget.check()
            past = all(move.pair[0] == move.pair[1] for move in moves)
            row.append(futures.merged([_after(m, curves, futures, rows[-1]) for m in moves]) if past else None)
        rows.append(row)
    return rows[::-1]


def _after(move: Move, curves: Curves, futures: _Futures, later: Sequence[Future | None]) -> Future:
    """The curve of a move now, then the futures of the position that follows."""
    after = move.outcomes[0].after
    return futures.of((curves.of_move(move),), None if after == END else later[after])
