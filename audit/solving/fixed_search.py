"""The fixed-stream supremum with hidden state, where there are too many pairs of streams to try them all.

What an adaptive adversary can still learn bounds every way to go on with a beginning of streams, for all slopes at
once. So streams are sought that reach the adaptive curve and, where there are none, all beginnings are followed
whose bound lies above what was reached already. Where few beginnings stand apart, as where inputs that both streams
share only shift what is seen, all are followed at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice, starmap

from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.games.folding import first_rounds, folded_from
from dpcert.audit.games.paired import Level
from dpcert.audit.limits import within
from dpcert.audit.solving.adaptive import MOST_BOUND_SEGMENTS, chains_of
from dpcert.audit.solving.beginnings import Beginning, Bounds, Slope, start
from dpcert.audit.solving.fixed_hidden import MOST_STREAMS, FixedPairs, Streams, completed, count_streams, fixed_pairs
from dpcert.audit.solving.pruning import Pruning

Values = tuple[tuple[Chain, ...], ...]
"""What adaptive adversaries make of every position, by round."""
FEW_STREAMS = 2_000
"""Pairs of streams up to which all are tried."""
FEW_APART = 200
"""Beginnings that stand apart, after every round, up to which all are followed at once."""
FEW_ATOMS_APART = 200_000
"""Atoms of beginnings, after a round, past which that is given up."""
MOST_ATOMS = 4_000_000
"""Atoms of beginnings and edges of what was reached, looked at in one search, past which it is given up."""
WIDTHS = (1, 16)
"""Beginnings gone on with at each slope, in a first and in a second attempt."""
TOGETHER = 500
"""Beginnings of one round that are held against what was reached at a time."""
MOST_SLOPES = 64
"""Slopes at which streams are sought, in each attempt."""


def fixed_supremum(levels: Sequence[Level], budget: Budget | None = None, values: Values | None = None) -> FixedPairs:
    """The supremum over fixed pairs of streams, by enumeration where they are few, else by search.

    Where that is given up, the best beginnings are gone on with; so that more rounds never reach less, fewer rounds are
    then searched as well, down to a number of them that is decided. `values` are what adaptive adversaries make of
    every position, where that is known.

    Source: paper.tex, defn:power_mech (the non-adaptive part).
    """
    budget = budget or Budget()
    if count_streams(levels, FEW_STREAMS) <= FEW_STREAMS:
        return fixed_pairs(levels, budget)
    curves: dict[Streams, PowerFunction] = {}
    with best_so_far(budget) as part:
        for rounds in range(len(levels), 0, -1):
            known = values if rounds == len(levels) else None
            search = _Search(first_rounds(levels, rounds), curves, budget, known)
            if search.decided():
                break
        if rounds == len(levels):
            return FixedPairs(curves, True)
    if part.stopped:
        return FixedPairs(curves or _nothing(), False, part.interrupted)
    found = fixed_pairs(levels, budget, MOST_STREAMS)
    return FixedPairs(found.curves | curves, found.complete, found.interrupted)


def _by_number(values: Sequence[Chain], numbers: Sequence[int]) -> tuple[Chain, ...]:
    """The values of the folded positions: of those that are one, each has the same."""
    chosen = dict(zip(numbers, values, strict=True))
    return tuple(chosen[number] for number in range(len(chosen)))


def _nothing() -> dict[Streams, PowerFunction]:
    return {(): PowerFunction.identity()}


@dataclass
class _Search:
    """One search over whole streams of a game; what it finds is left in `curves`, also where it is cut short."""

    levels: Sequence[Level]
    curves: dict[Streams, PowerFunction]
    budget: Budget
    values: Values | None = None
    best: PowerFunction = field(default_factory=PowerFunction.identity)
    bounds: Bounds = field(init=False)

    def decided(self) -> bool:
        """Whether the supremum of `curves` is now the fixed-stream supremum."""
        game, numbers = folded_from(self.levels)
        if self.values is not None:
            chains: Values | None = tuple(starmap(_by_number, zip(self.values, numbers, strict=True)))
        else:
            chains = chains_of(game, self.budget, MOST_BOUND_SEGMENTS)
        if chains is None:
            return False
        with within(self.budget.check):  # units of many positions have many digits
            self.bounds = Bounds(game, chains)
        if self._all_followed():
            return True
        most = PowerFunction(chains[0][0])
        for width in WIDTHS:
            if self._reached(most, width):
                if not self.curves:  # nothing can be learnt, whatever the streams
                    self.curves[completed(self.levels, ())] = PowerFunction.identity()
                return True
        return self._exhausted()

    def _all_followed(self) -> bool:
        """Whether few beginnings stand apart after every round, so that all were followed to their ends."""
        beginnings = [start()]
        for at in range(len(self.bounds.levels)):
            beginnings = list(islice(self._unseen(beginnings, at), FEW_APART + 1))
            if (
                len(beginnings) > FEW_APART
                or sum(len(one.live) + len(one.over) for one in beginnings) > FEW_ATOMS_APART
            ):
                return False
        for one in beginnings:
            self._found(one)
        return True

    def _reached(self, most: PowerFunction, width: int) -> bool:
        """Whether streams sought at slopes at which the adaptive curve is not reached yet reach it everywhere."""
        attempts: set[Slope] = set()
        for _ in range(MOST_SLOPES):
            slopes = [slope for slope in self.bounds.missed(most, self.best) if slope not in attempts]
            if not slopes:
                break
            slope = slopes[len(slopes) // 2]
            attempts.add(slope)
            self._found(self._best(slope, width))
        return most <= self.best

    def _best(self, slope: Slope, width: int) -> Beginning:
        """Whole streams by following at every round the `width` beginnings of the highest bound at this slope."""
        beginnings = [start()]
        for at in range(len(self.bounds.levels)):
            longer = self._longer(beginnings, at)
            worth = {key: self.bounds.support(one, slope) for key, one in longer.items()}
            best = sorted(worth, key=lambda key: -worth[key])[:width]
            beginnings = [longer[key] for key in best]
        return beginnings[0]

    def _exhausted(self) -> bool:
        """Whether all beginnings that may still exceed what was reached were followed to their ends."""
        pruning = Pruning(self.bounds)
        beginnings = [start()]
        for at in range(len(self.bounds.levels)):
            longer, beginnings = self._unseen(beginnings, at), []
            while few := list(islice(longer, TOGETHER)):
                beginnings += compress(few, pruning.above(few, self.best))
                if pruning.looked_at > MOST_ATOMS:
                    return False
            if not beginnings:
                break
        for beginning in beginnings:
            self._found(beginning)
        return True

    def _unseen(self, begun: Sequence[Beginning], at: int) -> Iterator[Beginning]:
        """The beginnings one round longer, of those that stand alike the first, one by one."""
        keys: set[object] = set()
        for one in begun:
            for key, longer in self._longer([one], at).items():
                if key not in keys:
                    keys.add(key)
                    yield longer

    def _longer(self, begun: Sequence[Beginning], at: int) -> dict[object, Beginning]:
        """The beginnings one round longer, of those that stand alike the first."""
        longer: dict[object, Beginning] = {}
        for one in begun:
            for move in self.bounds.moves(one, at):
                self.budget.check()
                after = self.bounds.followed(one, move, at)
                longer.setdefault(after.key, after)
        return longer

    def _found(self, whole: Beginning) -> None:
        power = PowerFunction(self.bounds.chain(whole))
        self.curves[completed(self.levels, whole.pairs)] = power
        self.best = supremum([self.best, power])
