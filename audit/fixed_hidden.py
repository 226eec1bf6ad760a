"""The fixed-stream supremum with hidden state: whole pairs of streams, enumerated exactly within a bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from dpcert.audit import chain as chains
from dpcert.audit.budget import Budget, OutOfBudget
from dpcert.audit.chain import IDENTITY, Chain
from dpcert.audit.game import END, Level, Move, Pair
from dpcert.audit.power import Order, PowerFunction, makers, supremum

MOST_STREAMS = 20_000
"""Pairs of streams past which only the best beginnings are gone on with, and the answer is a bracket."""
WIDTH = 20
"""Beginnings of streams are then thinned to one in so many."""

Streams = tuple[Pair, ...]


@dataclass(frozen=True)
class FixedPairs:
    """The fixed-stream supremum: the power function of every pair of streams that was tried.

    `complete` is False when some were not; then `power` is a lower bound only.
    """

    curves: dict[Streams, PowerFunction]
    complete: bool
    interrupted: bool = False

    @cached_property
    def power(self) -> PowerFunction:
        """The concave hull over the fixed pairs of streams."""
        return supremum(dict.fromkeys(self.curves.values()))

    def witness(self, exp_epsilon: Fraction, order: Order) -> Streams:
        """A pair of streams, round by round, that attains the hockey-stick value at this slope and order."""
        return max(self.curves, key=lambda pairs: self.curves[pairs].hockey_stick(exp_epsilon, order))

    def streams(self, pairs: Streams) -> Streams:
        """A pair of streams with this power function: itself."""
        return pairs


def fixed_pairs(levels: Sequence[Level], budget: Budget | None = None, most_streams: int = MOST_STREAMS) -> FixedPairs:
    """The supremum over fixed pairs of streams, by enumeration; positions that share a future are solved once.

    Past `most_streams` the beginnings that make up the supremum so far are all gone on with, and the best others, so
    that more rounds never give a lower bound that is lower. What is given up after fewer rounds counts as it is.

    Source: paper.tex, defn:power_mech (the non-adaptive part).
    """
    budget = budget or Budget()
    solver = _Suffixes(levels)
    begun, complete, interrupted = [_Beginning((), frozenset({0}))], True, False
    curves: dict[Streams, PowerFunction] = {(): PowerFunction.identity()}
    try:
        for level in levels:
            if sum(len(one.moves(level)) for one in begun) <= most_streams:
                begun = [one.followed(move, level) for one in begun for move in one.moves(level)]
                continue
            complete = False
            solver.try_all([one.pairs for one in begun], curves, budget)
            begun = _spread(begun, curves, level, max(1, most_streams // WIDTH))
        solver.try_all([one.pairs for one in begun], curves, budget)
    except OutOfBudget:
        complete = False
    except KeyboardInterrupt:
        complete, interrupted = False, True
    return FixedPairs(curves, complete, interrupted)


@dataclass(frozen=True, slots=True)
class _Beginning:
    """The first rounds of a pair of streams, and the positions that they can lead to, none where all is over."""

    pairs: Streams
    live: frozenset[int]

    def moves(self, level: Level) -> Sequence[int | None]:
        """Numbers of the legal moves; None, nothing more to submit, where all is over."""
        return range(len(level.moves[min(self.live)])) if self.live else (None,)

    def followed(self, number: int | None, level: Level) -> "_Beginning":
        """One round more."""
        if number is None:
            return self
        taken = [level.moves[position][number] for position in self.live]
        pair = taken[0].pair
        if any(move.pair != pair for move in taken):
            raise RuntimeError("positions that share their inputs must share their legal pairs")
        after = frozenset(o.after for move in taken for o in move.outcomes if o.after != END)
        return _Beginning((*self.pairs, pair), after)


def _spread(
    begun: Sequence[_Beginning], curves: dict[Streams, PowerFunction], level: Level, width: int
) -> list[_Beginning]:
    """About `width` beginnings one round longer: those that make up the supremum, and the best others that fit, each
    with all its moves or, where there is no room, with some that are evenly spread."""
    powers = [curves[one.pairs] for one in begun]
    needed = set(makers(powers))
    ranked = sorted(range(len(begun)), key=lambda i: (i not in needed, -powers[i].total_variation))
    most_moves = max(len(one.moves(level)) for one in begun)
    kept = sorted(ranked[: max(len(needed), width // most_moves)])
    each = max(1, width // len(kept))
    made = []
    for turn, one in enumerate(begun[i] for i in kept):
        moves = one.moves(level)
        count = min(each, len(moves))
        chosen = sorted({(turn + j * len(moves) // count) % len(moves) for j in range(count)})
        made += [one.followed(moves[j], level) for j in chosen]
    return made


class _Suffixes:
    """Chains of (position, rest of the streams), each solved once."""

    def __init__(self, levels: Sequence[Level]) -> None:
        self._levels = levels
        self._moves = [[{m.pair: m for m in moves} for moves in level.moves] for level in levels]
        self._known: dict[tuple[int, int, Streams], Chain] = {}

    def try_all(self, streams: Sequence[Streams], curves: dict[Streams, PowerFunction], budget: Budget) -> None:
        """Leaves in `curves` the curve of each of `streams`; cut short, also of those that were there before."""
        self._known.clear()
        for pairs in streams:
            budget.check()
            curves[pairs] = PowerFunction(self.chain(0, 0, pairs))
        for pairs in curves.keys() - set(streams):
            del curves[pairs]

    def chain(self, at: int, position: int, rest: Streams) -> Chain:
        """The chain from a position at level `at` when the rest of the streams is fixed; after it all is over."""
        if not rest:
            return IDENTITY
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
