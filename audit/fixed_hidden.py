"""The fixed-stream supremum with hidden state: whole pairs of streams, enumerated exactly within a bound."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from dpcert.audit import chain as chains
from dpcert.audit.budget import Budget, OutOfBudget
from dpcert.audit.chain import IDENTITY, Chain
from dpcert.audit.game import END, Level, Move, Pair
from dpcert.audit.power import Order, PowerFunction, supremum

MOST_STREAMS = 20_000
"""Pairs of streams past which only the first so many are tried, and the answer is a bracket."""

Streams = tuple[Pair, ...]


@dataclass(frozen=True)
class FixedPairs:
    """The fixed-stream supremum: the power function of every pair of streams that was tried.

    `complete` is False when some were not; then `power` is a lower bound only.
    """

    curves: dict[Streams, PowerFunction]
    complete: bool

    @cached_property
    def power(self) -> PowerFunction:
        """The concave hull over the fixed pairs of streams."""
        return supremum(dict.fromkeys(self.curves.values()))

    def witness(self, exp_epsilon: Fraction, order: Order) -> Streams:
        """A pair of streams, round by round, that attains the hockey-stick value at this slope and order."""
        return max(self.curves, key=lambda pairs: self.curves[pairs].hockey_stick(exp_epsilon, order))


def fixed_pairs(levels: Sequence[Level], budget: Budget | None = None, most_streams: int = MOST_STREAMS) -> FixedPairs:
    """The supremum over fixed pairs of streams, by enumeration; positions that share a future are solved once.

    Source: paper.tex, defn:power_mech (the non-adaptive part).
    """
    budget = budget or Budget()
    solver = _Suffixes(levels)
    curves: dict[Streams, PowerFunction] = {}
    for pairs in _streams(levels, 0, frozenset({0})):
        if len(curves) == most_streams:
            return FixedPairs(curves, complete=False)
        try:
            budget.check()
            curves[pairs] = PowerFunction(solver.chain(0, 0, pairs))
        except (OutOfBudget, KeyboardInterrupt):
            return FixedPairs(curves or {(): PowerFunction.identity()}, complete=False)
    return FixedPairs(curves, complete=True)


def _streams(levels: Sequence[Level], at: int, live: frozenset[int]) -> Iterator[Streams]:
    """Legal pairs of streams from a set of positions that one history of inputs can lead to."""
    if at == len(levels) or not live:
        yield ()
        return
    level = levels[at]
    for number, move in enumerate(level.moves[min(live)]):
        taken = [level.moves[position][number] for position in live]
        if any(other.pair != move.pair for other in taken):
            raise RuntimeError("positions that share their inputs must share their legal pairs")
        after = frozenset(o.after for other in taken for o in other.outcomes if o.after != END)
        for rest in _streams(levels, at + 1, after):
            yield (move.pair, *rest)


class _Suffixes:
    """Chains of (position, rest of the streams), each solved once."""

    def __init__(self, levels: Sequence[Level]) -> None:
        self._levels = levels
        self._moves = [[{m.pair: m for m in moves} for moves in level.moves] for level in levels]
        self._known: dict[tuple[int, int, Streams], Chain] = {}

    def chain(self, at: int, position: int, rest: Streams) -> Chain:
        """The chain from a position at level `at` when the rest of the streams is fixed."""
        key = at, position, rest
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._released(at, self._moves[at][position][rest[0]], rest[1:])
        return known

    def _released(self, at: int, move: Move, rest: Streams) -> Chain:
        after = [IDENTITY if o.after == END else self.chain(at + 1, o.after, rest) for o in move.outcomes]
        total0 = move.denominator0 * lcm(*(chain.total0 for chain in after))
        total1 = move.denominator1 * lcm(*(chain.total1 for chain in after))
        runs = [
            (
                o.weight0 * (total0 // (move.denominator0 * chain.total0)),
                o.weight1 * (total1 // (move.denominator1 * chain.total1)),
                chain,
            )
            for o, chain in zip(move.outcomes, after, strict=True)
        ]
        return chains.release(runs, total0, total1)
