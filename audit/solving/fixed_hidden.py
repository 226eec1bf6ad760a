"""The fixed-stream supremum with hidden state: whole pairs of streams, enumerated exactly within a bound."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import IDENTITY, Chain
from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.algebra.power import Order, PowerFunction
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import END, Level, Move, Pair
from dpcert.audit.solving.adaptive import lattice_of

MOST_STREAMS = 20_000
"""Pairs of streams past which only the best beginnings are gone on with, and the answer is a bracket."""
WIDTH = 20
"""Beginnings of streams are then thinned to one in so many."""

Streams = tuple[Pair, ...]


@frozen
class FixedPairs:
    """The fixed-stream supremum: the power function of every pair of streams that was tried.

    `complete` is False when some were not; then `power` is a lower bound only. `interrupted` says that an interrupt
    ended it.
    """

    curves: dict[Streams, PowerFunction]
    complete: bool
    interrupted: bool = False

    @cached_property
    def power(self) -> PowerFunction:
        """The concave hull over the fixed pairs of streams."""
        return PowerFunction(chains.hull(self._chains)[0])

    @cached_property
    def _first(self) -> dict[PowerFunction, Streams]:
        """Every distinct curve, with the first streams that have it."""
        first: dict[PowerFunction, Streams] = {}
        for pairs, curve in self.curves.items():
            first.setdefault(curve, pairs)
        return first

    @cached_property
    def _chains(self) -> list[Chain]:
        """The distinct curves as chains over common totals."""
        return chains.over_common_totals([curve.chain for curve in self._first])

    @cached_property
    def _makers(self) -> list[PowerFunction]:
        """The curves that reach their supremum somewhere between its ends: no other attains a value above nothing."""
        corners = self.power.chain.graph()
        return [
            curve for curve, chain in zip(self._first, self._chains, strict=True) if _touches(chain.graph(), corners)
        ]

    def witness(self, exp_epsilon: Fraction, order: Order) -> Streams:
        """The first pair of streams, round by round, that attains the hockey-stick value at this slope and order."""
        most = self.power.hockey_stick(exp_epsilon, order)
        if most == max(0, 1 - exp_epsilon):
            return next(iter(self._first.values()))
        return next(self._first[curve] for curve in self._makers if curve.hockey_stick(exp_epsilon, order) == most)

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
    beginnings, complete = [_Beginning((), frozenset({0}))], True
    curves: dict[Streams, PowerFunction] = {(): PowerFunction.identity()}
    with best_so_far(budget) as part:
        for level in levels:
            if sum(len(one.moves(level)) for one in beginnings) <= most_streams:
                beginnings = [one.followed(move, level) for one in beginnings for move in one.moves(level)]
                continue
            complete = False
            solver.try_all([one.pairs for one in beginnings], curves, budget)
            beginnings = _spread(beginnings, curves, level, max(1, most_streams // WIDTH))
        solver.try_all([one.pairs for one in beginnings], curves, budget)
    return FixedPairs(curves, complete and not part.stopped, part.interrupted)


def count_streams(levels: Sequence[Level], most: int) -> int:
    """The number of pairs of streams; some number above `most` where it is above that."""
    counts = Counter({frozenset({0}): 1})
    for level in levels:
        longer: Counter[frozenset[int]] = Counter()
        for live, count in counts.items():
            one = _Beginning((), live)
            for number in one.moves(level):
                longer[one.followed(number, level).live] += count
        counts = longer
        if counts.total() > most:
            break
    return counts.total()


def completed(levels: Sequence[Level], pairs: Streams) -> Streams:
    """These pairs, and where something may still be submitted after them the first that may."""
    one = _Beginning((), frozenset({0}))
    for at, level in enumerate(levels):
        if not one.live:
            break
        moves = level.moves[min(one.live)]
        number = next(i for i, move in enumerate(moves) if move.pair == pairs[at]) if at < len(pairs) else 0
        one = one.followed(number, level)
    return one.pairs


@frozen(slots=True)
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
        moves = [level.moves[position][number] for position in self.live]
        pair = moves[0].pair
        if any(move.pair != pair for move in moves):
            raise RuntimeError("positions that share their inputs must share their legal pairs")
        after = frozenset(o.after for move in moves for o in move.outcomes if o.after != END)
        return _Beginning((*self.pairs, pair), after)


def _spread(
    beginnings: Sequence[_Beginning], curves: dict[Streams, PowerFunction], level: Level, width: int
) -> list[_Beginning]:
    """About `width` beginnings one round longer: those that make up the supremum, and the best others that fit, each
    with all its moves or, where there is no room, with some that are evenly spread."""
    powers = [curves[one.pairs] for one in beginnings]
    needed = set(makers(powers))
    ranked = sorted(range(len(beginnings)), key=lambda i: (i not in needed, -powers[i].total_variation))
    most_moves = max(len(one.moves(level)) for one in beginnings)
    kept = sorted(ranked[: max(len(needed), width // most_moves)])
    each = max(1, width // len(kept))
    extensions = []
    for turn, one in enumerate(beginnings[i] for i in kept):
        moves = one.moves(level)
        count = min(each, len(moves))
        chosen = sorted({(turn + j * len(moves) // count) % len(moves) for j in range(count)})
        extensions += [one.followed(moves[j], level) for j in chosen]
    return extensions


class _Suffixes:
    """Chains of (position, rest of the streams), each solved once; rests are numbered, 0 for none left."""

    def __init__(self, levels: Sequence[Level]) -> None:
        self._levels = levels
        self._moves = [[{m.pair: m for m in moves} for moves in level.moves] for level in levels]
        self._known: dict[tuple[int, int, int], Chain] = {}
        self._rests: dict[tuple[Pair, int], int] = {}
        self._begins: list[tuple[Pair, int]] = [((), 0)]
        self._hulls = Hulls(lambda: lattice_of(levels))

    def try_all(self, streams: Sequence[Streams], curves: dict[Streams, PowerFunction], budget: Budget) -> None:
        """Leaves in `curves` the curve of each of `streams`; cut short, also of those that were there before."""
        self._known.clear()
        self._hulls.let_go()
        for pairs in streams:
            budget.check()
            curves[pairs] = PowerFunction(self._whole(pairs))
        for pairs in curves.keys() - set(streams):
            del curves[pairs]

    def _whole(self, pairs: Streams) -> Chain:
        """The chain of a whole pair of streams; while nothing tells the worlds apart, a law of positions is enough."""
        masses, over = {0: 1}, 0
        for at, pair in enumerate(pairs):
            moves = [(mass, self._moves[at][position][pair]) for position, mass in masses.items()]
            if not all(_alike(move) for _, move in moves):
                rest = self._number(pairs[at:])
                live = [(mass, mass, self._chain(at, position, rest)) for position, mass in masses.items()]
                return self._mixed([*live, (over, over, IDENTITY)])
            scale = lcm(*(move.denominator0 for _, move in moves))
            masses, over = {}, over * scale
            for mass, move in moves:
                for o in move.outcomes:
                    share = mass * o.weight0 * (scale // move.denominator0)
                    if o.after == END:
                        over += share
                    else:
                        masses[o.after] = masses.get(o.after, 0) + share
        return IDENTITY

    def _number(self, rest: Streams) -> int:
        number = 0
        for pair in reversed(rest):
            key = pair, number
            number = self._rests.setdefault(key, len(self._begins))
            if number == len(self._begins):
                self._begins.append(key)
        return number

    def _chain(self, at: int, position: int, rest: int) -> Chain:
        """The chain from a position at level `at` when the rest of the streams is fixed; after it all is over."""
        if not rest:
            return IDENTITY
        key = at, position, rest
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._released(at, position, *self._begins[rest])
        return known

    def _released(self, at: int, position: int, pair: Pair, rest: int) -> Chain:
        move = self._moves[at][position][pair]
        return self._mixed(
            [
                (
                    o.weight0 * move.denominator1,
                    o.weight1 * move.denominator0,
                    IDENTITY if o.after == END else self._chain(at + 1, o.after, rest),
                )
                for o in move.outcomes
            ]
        )

    def _mixed(self, parts: Sequence[tuple[int, int, Chain]]) -> Chain:
        """The chain of one release, from weights in both worlds and what follows."""
        of0, of1 = sum(w for w, _, _ in parts), sum(w for _, w, _ in parts)
        unit0, unit1 = lcm(*(chain.total0 for _, _, chain in parts)), lcm(*(chain.total1 for _, _, chain in parts))
        runs = [
            (w0 * (unit0 // chain.total0), w1 * (unit1 // chain.total1), chain) for w0, w1, chain in parts if w0 or w1
        ]
        common0, common1 = gcd(*(k0 for k0, _, _ in runs)), gcd(*(k1 for _, k1, _ in runs))
        scaled = [(k0 // common0, k1 // common1, chain) for k0, k1, chain in runs]
        return self._hulls.of(of0 * unit0 // common0, of1 * unit1 // common1, [scaled])[0]


def _touches(graph: Sequence[tuple[int, int]], corners: Sequence[tuple[int, int]]) -> bool:
    """Whether a graph has a vertex on the one with these corners, which lies nowhere below it, save for both ends."""
    at = 1
    for x, y in graph:
        while corners[at][0] < x:
            at += 1
        (x0, y0), (x1, y1) = corners[at - 1], corners[at]
        if (x or y) and (x, y) != corners[-1] and (y - y0) * (x1 - x0) == (y1 - y0) * (x - x0):
            return True
    return False


def _alike(move: Move) -> bool:
    """Whether every outcome has the same probability in both worlds."""
    return all(o.weight0 * move.denominator1 == o.weight1 * move.denominator0 for o in move.outcomes)


def makers(powers: Sequence[PowerFunction]) -> list[int]:
    """Numbers of some of `powers` whose supremum is that of all."""
    _, choice = chains.hull(chains.over_common_totals([power.chain for power in powers]))
    return sorted({choice.first, *(after for _, _, after in choice.switches)})
