"""The supremum over all adaptive adversaries, for every epsilon at once, by backward induction on chains."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import TYPE_CHECKING, Protocol

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain, HullChoice
from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget, Stopped, seconds_left
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import END, Exploration, Level, Move, Outcome
from dpcert.audit.limits import look, within

if TYPE_CHECKING:
    from dpcert.audit.algebra.lattice import Lattice

Option = tuple[int, int, tuple[tuple[int, int, int], ...]]
"""A move without its labels: both denominators, and per distinguishable outcome (value, weight0, weight1)."""


@dataclass(slots=True)
class Value:
    """What can still be learnt at a position; positions with the same options share one.

    Masses are integers over this value's own totals. `choice` says which option attains the chain at each slope, which
    is all that adversaries need; `chain` itself is None once its level is done.
    """

    options: tuple[Option, ...]
    choice: HullChoice
    chain: Chain | None
    total0: int
    total1: int
    first: tuple[int, int]
    last: tuple[int, int]


@frozen
class Solution:
    """The solved game: levels, the value of each position, and the root's chain."""

    levels: tuple[Level, ...]
    values: tuple[Value, ...]
    value_of: tuple[tuple[int, ...], ...]
    root: Chain

    @cached_property
    def power(self) -> PowerFunction:
        """The adaptive supremum power function."""
        return PowerFunction(self.root)

    @property
    def positions(self) -> int:
        """The number of distinct non-terminal positions solved."""
        return sum(len(level.positions) for level in self.levels)


MOST_BOUND_SEGMENTS = 1_000_000
"""Segments of the chains of all positions past which no bound is kept for them, so that there is no search."""
TOO_MANY_SEGMENTS = "its chains have too many segments to hold (MOST_HELD_SEGMENTS)"
MOST_FORESEEN = 4
"""Times the time that is left that the rounds to come may be foreseen to take, for a game to be solved further."""
PERFECT = Chain((0, 1), (1, 0), 1, 1)
"""The chain of an observer who learns the world for sure."""


@dataclass(eq=False, repr=False)
class ChainCollector:
    """The chains of all positions of a game, gathered while it is solved, as long as they have few segments.

    Attributes:
        most: Segments past which none is kept.
        levels: The chains by position, the last round first.
        segments: How many they have.
    """

    most: int
    levels: list[tuple[Chain, ...]] = field(default_factory=list)
    segments: int = 0

    def take(self, level: tuple[Chain, ...]) -> None:
        """Takes the chains of a round."""
        self.segments += sum(map(len, level))
        if self.segments > self.most:
            self.levels.clear()
        else:
            self.levels.append(level)

    def whole(self, rounds: int) -> tuple[tuple[Chain, ...], ...] | None:
        """The chains by round and position; None where those of so many rounds were not all kept."""
        return tuple(reversed(self.levels)) if len(self.levels) == rounds and self.segments <= self.most else None


class Keeper(Protocol):
    """Keeps levels that are solved, for another process to go on from."""

    def restored(self, solver: "Solver") -> list[tuple[int, ...]]:
        """Puts back what was kept; the numbers of values of each level that is done, the last round first."""
        ...

    def keep(self, solver: "Solver", value_of: Sequence[tuple[int, ...]], *, last: bool) -> None:
        """Takes the level that was just solved."""
        ...


def solve(
    exploration: Exploration,
    budget: Budget | None = None,
    *,
    beyond: Chain = chains.IDENTITY,
    keeper: Keeper | None = None,
    most_held: int | None = None,
    collector: ChainCollector | None = None,
) -> Solution:
    """The exact supremum power function over all adaptive adversaries, randomised ones included.

    Every chain is the concave hull, over the moves, of the scaled and slope-merged chains of what follows.
    Source: paper.tex, defn:power_mech and defn:power_sup; positions do not hold likelihood ratios since scaling is
    linear.

    Args:
        exploration: The positions, level by level.
        budget: Bounds the time.
        beyond: What is assumed of positions that were not explored: IDENTITY, nothing more to learn, gives a lower
            bound, and PERFECT an upper one.
        keeper: Where levels are kept, and taken from; None for nowhere.
        collector: Takes the chains of every position that is solved; None for nowhere.
        most_held: Segments that chains may have which are held at once; None for no bound. With one, the end of the
            time is foreseen.
    Raises: Stopped: the budget ended before the root was solved or is sure to, or more segments would be held.
    """
    budget = budget or Budget()
    levels = exploration.levels
    solver = Solver(levels, beyond)
    value_of: list[tuple[int, ...]] = [(solver.beyond,) * exploration.beyond]
    durations: list[int] = []
    if keeper is not None:
        value_of += keeper.restored(solver)
    solver.hold(most_held)
    for level in reversed(levels[: len(levels) + 1 - len(value_of)]):
        start = budget.nanoseconds()
        after = value_of[-1]
        with within(budget.check):
            value_of.append(tuple(solver.value(moves, after, budget) for moves in level.moves))
        if collector is not None:
            collector.take(tuple(map(solver.chain, value_of[-1])))
        solver.let_go({*after} - {*value_of[-1]} - {0, solver.beyond})
        durations.append(budget.nanoseconds() - start)
        if keeper is not None:
            keeper.keep(solver, value_of, last=len(value_of) > len(levels))
        budget.progress(_progress(durations, len(value_of) - 1, len(levels)))
        if most_held is not None:
            _foreseen(durations, len(levels) - len(value_of) + 1 + len(durations), budget)
    root = solver.chain(value_of[-1][0])
    plain = Chain(tuple(root.mass0), tuple(root.mass1), root.total0, root.total1)
    solver.let_go(set(value_of[-1]))
    return Solution(levels, tuple(solver.values), tuple(reversed(value_of)), plain)


def chains_of(levels: Sequence[Level], budget: Budget, most_segments: int) -> tuple[tuple[Chain, ...], ...] | None:
    """The chain of every position of every level, all kept; None where they have more than so many segments.

    Raises: Stopped: the time is over.
    """
    solver, collector = Solver(levels, chains.IDENTITY), ChainCollector(most_segments)
    after: tuple[int, ...] = ()
    for level in reversed(levels):
        with within(budget.check):
            after = tuple(solver.value(moves, after, budget) for moves in level.moves)
        collector.take(tuple(map(solver.chain, after)))
        if collector.segments > most_segments:
            break
    return collector.whole(len(levels))


def segments_by_round(levels: Sequence[Level], rounds: int, most: int, budget: Budget) -> list[int]:
    """The segments of the distinct chains of the last rounds, the last round first; no more rounds once past `most`.

    Raises: Stopped: the time is over.
    """
    solver = Solver(levels, chains.IDENTITY)
    after: tuple[int, ...] = ()
    counts: list[int] = []
    for level in reversed(levels[-rounds:]):
        with within(budget.check):
            here = tuple(solver.value(moves, after, budget) for moves in level.moves)
        counts.append(sum(len(solver.chain(number)) for number in {*here}))
        solver.let_go({*after} - {*here} - {0})
        after = here
        if sum(counts) > most:
            break
    return counts


def _foreseen(durations: list[int], levels: int, budget: Budget) -> None:
    """Raises: Stopped: the levels to come would take so many times the time that is left that nothing is lost by it."""
    seconds, time = seconds_left(durations, levels), budget.left()
    if seconds is not None and time is not None and seconds * 10**9 > MOST_FORESEEN * time:
        raise Stopped(f"it would take far longer than {budget.time_set}")


def _progress(durations: list[int], done: int, levels: int) -> str:
    left = seconds_left(durations, levels - done + len(durations))
    return f"solved {done} of {levels} rounds" + ("" if left is None else f", about {left} s left")


class Solver:
    """Values by their options; mirrored options give the mirrored chain.

    Attributes:
        values: All of them so far, by number.
        mirror: The numbers of values that have each other's chain with the worlds swapped, as far as that was seen.
        beyond: The number of what is assumed of positions that were not explored.
        held: The segments of the chains that are held.
    """

    def __init__(self, levels: Sequence[Level], beyond: Chain) -> None:
        self._hulls = Hulls(lambda: lattice_of(levels))
        self.values: list[Value] = []
        self._known: dict[frozenset[Option], int] = {}
        self.mirror: dict[int, int] = {0: 0}
        self.held = 0
        self._most_held: int | None = None
        self._add((), chains.IDENTITY, HullChoice(0))
        self.beyond = 0
        if beyond is not chains.IDENTITY:
            self._add((), beyond, HullChoice(0))
            self.beyond = 1

    def value(self, moves: tuple[Move, ...], after: tuple[int, ...], budget: Budget) -> int:
        """The number of the value of a position with these moves."""
        budget.check()
        options = frozenset(option_of(move, after) for move in moves)
        number = self._known.get(options)
        if number is None:
            number = self._known[options] = self._new(options)
        elif self.values[number].chain is None:  # met again after its level was let go; what it needs is here
            self.values[number].chain, _ = self._solved(self.values[number].options)
            self._holds(self.chain(number))
        return number

    def hold(self, most: int | None) -> None:
        """Bounds the segments that are held from now on, those that are held now included."""
        self.held = sum(len(value.chain) for value in self.values if value.chain is not None)
        self._most_held = most

    def _holds(self, chain: Chain) -> None:
        """Counts a chain. Raises: Stopped: more segments are held than may be."""
        self.held += len(chain)
        if self._most_held is not None and self.held > self._most_held:
            raise Stopped(TOO_MANY_SEGMENTS)

    def chain(self, number: int) -> Chain:
        """The chain of a value that is still needed."""
        chain = self.values[number].chain
        if chain is None:
            raise RuntimeError("a chain was let go before its last use")
        return chain

    def put_back(self, value: Value) -> None:
        """Takes a value of before, without its chain; the next number is its own."""
        self._known[frozenset(value.options)] = len(self.values)
        self.values.append(value)

    def let_go(self, numbers: set[int]) -> None:
        """Drops the chains of values that no later step reads."""
        for value in (self.values[number] for number in numbers):
            self.held -= 0 if value.chain is None else len(value.chain)
            value.chain = None
        self._hulls.let_go()

    def _new(self, options: frozenset[Option]) -> int:
        if len(options) == 1:
            ((_, _, runs),) = options
            if len(runs) == 1:  # nothing is revealed, and one value follows
                return runs[0][0]
        sorted_options = tuple(sorted(options))
        mirror_image = self._mirrored(options)
        twin = self._known.get(mirror_image) if mirror_image is not None else None
        number = len(self.values)
        if twin is not None and self.values[twin].chain is not None:
            at = {option: i for i, option in enumerate(sorted_options)}
            mapped = [at[self._mirrored_option(option)] for option in self.values[twin].options]
            self._add(sorted_options, self.chain(twin).reversed(), self.values[twin].choice.reversed(mapped))
            self.mirror |= {number: twin, twin: number}
        else:
            self._add(sorted_options, *self._solved(sorted_options))
            if mirror_image == options:
                self.mirror[number] = number
        return number

    def _mirrored(self, options: frozenset[Option]) -> frozenset[Option] | None:
        """The options with the worlds swapped, if the swapped values are known."""
        if any(v not in self.mirror for _, _, runs in options for v, _, _ in runs):
            return None
        return frozenset(map(self._mirrored_option, options))

    def _mirrored_option(self, option: Option) -> Option:
        look()
        d0, d1, runs = option
        return d1, d0, tuple(sorted((self.mirror[v], k1, k0) for v, k0, k1 in runs))

    def _add(self, options: tuple[Option, ...], chain: Chain, choice: HullChoice) -> None:
        first, last = chains.extremes(chain)
        self.values.append(Value(options, choice, chain, chain.total0, chain.total1, first, last))
        self._holds(chain)

    def _solved(self, options: tuple[Option, ...]) -> tuple[Chain, HullChoice]:
        look()
        total0 = lcm(*{_unit(k0, d0 * self.values[v].total0) for d0, _, runs in options for v, k0, _ in runs})
        look()
        total1 = lcm(*{_unit(k1, d1 * self.values[v].total1) for _, d1, runs in options for v, _, k1 in runs})
        runs = []
        for option in options:
            look()
            runs.append([(m0, m1, self.chain(v)) for v, m0, m1 in scaled(option, self.values, total0, total1)])
        return self._hulls.of(total0, total1, runs)


def lattice_of(levels: Sequence[Level]) -> "Lattice":
    """Codes for the likelihood ratios of a game."""
    from dpcert.audit.algebra.lattice import Lattice

    return Lattice.of_levels(map(_ratios, levels))


def _ratios(level: Level) -> Iterator[Fraction]:
    """The likelihood ratios of a round; each that is written in the same numbers becomes a Fraction once."""
    pairs: set[tuple[int, int]] = set()
    for moves in level.moves:
        for move in moves:
            look()
            d0, d1 = move.denominator0, move.denominator1
            pairs.update((o.weight1 * d0, o.weight0 * d1) for o in move.outcomes if o.weight0 and o.weight1)
    return (Fraction(numerator, denominator) for numerator, denominator in pairs)


def _unit(weight: int, denominator: int) -> int:
    """The denominator of weight / denominator in lowest terms."""
    return denominator // gcd(weight, denominator)


def value_after(outcome: Outcome, after: Sequence[int]) -> int:
    """The number of the value of what follows an outcome; 0, nothing more to learn, where all is over."""
    return 0 if outcome.after == END else after[outcome.after]


def option_of(move: Move, after: tuple[int, ...]) -> Option:
    """The move without labels; outcomes of equal likelihood ratio and equal continuation are one."""
    look()
    weights: dict[tuple[int, int, int], int] = {}
    for o in move.outcomes:
        common = gcd(o.weight0, o.weight1)
        key = value_after(o, after), o.weight0 // common, o.weight1 // common
        weights[key] = weights.get(key, 0) + common
    runs = tuple(sorted((v, k0 * n, k1 * n) for (v, k0, k1), n in weights.items()))
    return move.denominator0, move.denominator1, runs


def scaled(option: Option, values: Sequence[Value], total0: int, total1: int) -> list[tuple[int, int, int]]:
    """(value, m0, m1) per outcome: the multipliers that bring its chain to the given totals."""
    d0, d1, runs = option
    return [(v, k0 * total0 // (d0 * values[v].total0), k1 * total1 // (d1 * values[v].total1)) for v, k0, k1 in runs]
