"""One-round power functions of a core by challenge and context: what every rung of the ladder is decided on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dpcert.audit import chain as chains
from dpcert.audit.game import END, Level, Move
from dpcert.audit.limits import look
from dpcert.audit.pmf import Pmf
from dpcert.audit.power import PowerFunction

MOST_CURVES = 64
"""Curves kept per position and round; more are counted as one fact, that there are too many to hold."""

Inputs = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
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


Futures = tuple[dict[int, Inputs], ...]
"""Per round from here on: every curve, by number, that common inputs can bring about, with the shortest such inputs."""


@dataclass
class Curves:
    """Distinct one-round power functions, numbered; 0 is the identity."""

    listed: list[PowerFunction] = field(default_factory=lambda: [PowerFunction.identity()])
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
        if power == self.listed[0]:
            return 0
        known = self._numbers.setdefault(power.segments, len(self.listed))
        if known == len(self.listed):
            self.listed.append(power)
        return known


@dataclass(frozen=True)
class Challenge:
    """A challenge (i, a, a') under one history before it, and the curves of every round from i on."""

    before: Inputs
    pair: tuple[Any, Any]
    futures: Futures

    def context(self, round_: int, curve: int) -> Context:
        """The shortest context of this challenge that gives `curve` in `round_`."""
        return Context(self.before, self.pair, self.futures[round_ - len(self.before) - 1][curve][1:])


def challenges(levels: Sequence[Level], curves: Curves) -> list[Challenge]:
    """Every challenge from every reachable state of a Hamming game on a core, with all that can follow it.

    States stand for the histories that lead to them; the shortest, first one is shown.
    """
    futures = _futures(levels, curves)
    found = []
    reached: dict[int, Inputs] = {0: ()}
    for at, level in enumerate(levels):
        following: dict[int, Inputs] = {}
        for position, before in reached.items():
            for move in level.moves[position]:
                x0, x1 = move.pair
                if x0 != x1:
                    found.append(Challenge(before, (x0, x1), _after(move, curves, futures[at + 1], x0)))
                elif at + 1 < len(levels):
                    following.setdefault(move.outcomes[0].after, (*before, x0))
        reached = following
    return found


def _futures(levels: Sequence[Level], curves: Curves) -> list[list[Futures]]:
    """For every level, the futures of each position once its challenge is past (those before it get none)."""
    made: list[list[Futures]] = [[]]
    for level in reversed(levels):
        later = made[-1]
        row: list[Futures] = []
        for moves in level.moves:
            past = all(move.pair[0] == move.pair[1] for move in moves)
            row.append(_merged([_after(m, curves, later, m.pair[0]) for m in moves]) if past else ())
        made.append(row)
    return made[::-1]


def _after(move: Move, curves: Curves, later: Sequence[Futures], x: Any) -> Futures:
    """The curve of a move now, then the futures of the position that follows, each reached through input x."""
    after = move.outcomes[0].after
    rest = () if after == END else later[after]
    look()
    return {curves.of_move(move): (x,)}, *({c: (x, *path) for c, path in here.items()} for here in rest)


def _merged(options: Sequence[Futures]) -> Futures:
    """Round by round, the curves of all options; the first way to each is kept."""
    rounds = max(len(option) for option in options)
    made: list[dict[int, Inputs]] = []
    for t in range(rounds):
        curves: dict[int, Inputs] = {}
        for option in options:
            for curve, path in option[t].items() if t < len(option) else ():
                if len(curves) < MOST_CURVES:
                    curves.setdefault(curve, path)
        made.append(curves)
    return tuple(made)
