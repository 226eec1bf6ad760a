"""A game with fewer positions and pairs and the same fixed streams: what no observer can tell apart becomes one."""

from collections.abc import Sequence
from math import gcd

from dpcert.audit.games.paired import END, Level, Move, Outcome, Pair, over_after
from dpcert.audit.limits import look

Part = tuple[int, int, int]
"""(number of what follows, weight0, weight1)."""
Option = tuple[int, int, tuple[Part, ...]]
"""A move without its labels: both denominators, and what follows each outcome that can be told from the others."""


def folded(levels: Sequence[Level]) -> tuple[Level, ...]:
    """The levels with positions of the same future merged, as `folded_from` has them."""
    return folded_from(levels)[0]


def folded_from(levels: Sequence[Level]) -> tuple[tuple[Level, ...], tuple[tuple[int, ...], ...]]:
    """The levels with positions of the same future merged, and of the pairs that always do the same only the first.

    Two positions are one where every legal pair does the same in both. Two pairs of a round are one where they do the
    same in every position in which both are legal; so two inputs whose kernels are equal in every state met make one
    pair with any third input. A pair of streams has the same power function before and after. Beside the levels stand
    the numbers that positions have in them, by round and position.
    """
    made: list[Level] = []
    numbers: list[tuple[int, ...]] = [()]
    for level in reversed(levels):
        look()
        folded_level, number_of = _folded(level, numbers[-1])
        made.append(folded_level)
        numbers.append(number_of)
    return tuple(reversed(made)), tuple(reversed(numbers[1:]))


def first_rounds(levels: Sequence[Level], count: int) -> tuple[Level, ...]:
    """The game that ends after its first rounds."""
    if count == len(levels):
        return tuple(levels)
    return (*levels[: count - 1], over_after(levels[count - 1]))


def _folded(level: Level, after: tuple[int, ...]) -> tuple[Level, tuple[int, ...]]:
    """One level over the numbers of the next one's folded positions; and the numbers of its own."""
    by_pairs: dict[tuple[Pair, ...], list[int]] = {}
    for number, moves in enumerate(level.moves):
        by_pairs.setdefault(tuple(move.pair for move in moves), []).append(number)
    numbers: dict[tuple[tuple[Pair, ...], tuple[Option, ...]], int] = {}
    number_of = [0] * len(level.moves)
    shown: list[tuple[Move, ...]] = []
    for pairs, positions in by_pairs.items():
        look()
        rows = [[_option(move, after) for move in level.moves[position]] for position in positions]
        first: dict[tuple[Option, ...], int] = {}
        for at, column in enumerate(zip(*rows, strict=True)):
            first.setdefault(column, at)
        kept = sorted(first.values())
        for position, row in zip(positions, rows, strict=True):
            options = tuple(row[at] for at in kept)
            number = numbers.setdefault((pairs, options), len(shown))
            if number == len(shown):
                shown.append(tuple(_move(pairs[at], row[at]) for at in kept))
            number_of[position] = number
    return Level(tuple(range(len(shown))), tuple(shown)), tuple(number_of)


def _option(move: Move, after: Sequence[int]) -> Option:
    """Outcomes of equal likelihood ratio and equal future are one; weights in lowest terms."""
    merged: dict[tuple[int, int, int], int] = {}
    for o in move.outcomes:
        common = gcd(o.weight0, o.weight1)
        key = END if o.after == END else after[o.after], o.weight0 // common, o.weight1 // common
        merged[key] = merged.get(key, 0) + common
    parts = [(v, w0 * n, w1 * n) for (v, w0, w1), n in merged.items()]
    unit0, unit1 = gcd(*(w0 for _, w0, _ in parts)), gcd(*(w1 for _, _, w1 in parts))
    runs = tuple(sorted((v, w0 // unit0, w1 // unit1) for v, w0, w1 in parts))
    return move.denominator0 // unit0, move.denominator1 // unit1, runs


def _move(pair: Pair, option: Option) -> Move:
    d0, d1, runs = option
    return Move(pair, tuple(Outcome(number, w0, w1, v) for number, (v, w0, w1) in enumerate(runs)), d0, d1)
