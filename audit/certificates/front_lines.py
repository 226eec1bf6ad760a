"""Bounds on fixed streams as lines: rows of curves for positions that streams lead to side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import IDENTITY, Chain
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.certificates.game_lines import GameLines
from dpcert.audit.certificates.outward import Outward
from dpcert.audit.certificates.reach import RequestedRays
from dpcert.audit.games.paired import END, Level, Move
from dpcert.audit.limits import look
from dpcert.audit.solving.adaptive import Solution

MOST_FRONTS = 2_000
"""Groups of positions that streams lead to side by side, past which a certificate has no bounds on fixed streams."""
MOST_FRONT_ROWS = 50
"""Rows of one group past which one row, their hull, stands for all; the bound is then looser."""
MOST_FRONT_SEGMENTS = 100_000
"""Segments worked through past which a certificate has no bounds on fixed streams."""

Group = frozenset[int]
Row = tuple[Chain, ...]
"""A curve for each position of a group, by its number."""


@dataclass
class _Front:
    """Rows of a group and, per legal pair, the group that follows and who bounds each of its rows."""

    rows: list[Row]
    by: list[tuple[Group, list[int]]]


@dataclass
class FrontLines:
    """Writes, round by round from the last, which curves bound all fixed streams from a group of positions on.

    Attributes:
        game: Where positions were written.
        solution: The game.
        exp_epsilons: What is asked for.
        mirror: The value that is the same with the worlds swapped, where there is one.
        outward: How curves are thinned; None for curves that are exact.
    """

    game: GameLines
    solution: Solution
    exp_epsilons: Sequence[Fraction]
    mirror: dict[int, int]
    outward: Outward | None
    _fronts: list[dict[Group, _Front]] = field(default_factory=list)
    _lines: dict[Group, int] = field(default_factory=dict)
    _curves: dict[Chain, int] = field(default_factory=dict)
    _first: list[Chain] = field(default_factory=list)

    def found(self) -> bool:
        """Works out all rows; whether that was not too much."""
        groups: list[dict[Group, None]] = [{frozenset({0}): None}]
        for level in self.solution.levels:
            groups.append({after: None for group in groups[-1] for after in _after(level, group) if after})
            if sum(map(len, groups)) > MOST_FRONTS:
                return False
        segments, after = 0, dict[Group, _Front]()
        for round_, here in zip(reversed(range(len(self.solution.levels))), reversed(groups[:-1]), strict=True):
            after = {group: self._front(round_, group, after) for group in here}
            self._fronts.append(after)
            segments += sum(len(chain) for front in after.values() for row in front.rows for chain in row)
            if segments > MOST_FRONT_SEGMENTS:
                return False
        return True

    def write(self, positions: Sequence[int]) -> None:
        """The lines of a round, whose positions were written.

        Args:
            positions: The lines of its positions.
        """
        after, self._lines = self._lines, {}
        for group, front in self._fronts.pop(0).items():
            numbers = sorted(group)
            curves = [[self._curve(chain) for chain in row] for row in front.rows]
            following = [after[group_after] if group_after else None for group_after, _ in front.by]
            by = [[line, bounds] for line, (_, bounds) in zip(following, front.by, strict=True)]
            lines = [positions[p] for p in numbers]
            uses = [*lines, *(c for row in curves for c in row), *(line for line in following if line is not None)]
            self._lines[group] = self.game.lines.add({"front": lines, "curves": curves, "by": by}, uses)

    def root(self) -> tuple[int, PowerFunction]:
        """The line of round 1, and the curve under which all fixed streams lie."""
        return self._lines[frozenset({0})], supremum([PowerFunction(chain) for chain in self._first])

    def _front(self, round_: int, group: Group, after: dict[Group, _Front]) -> _Front:
        level, values = self.solution.levels[round_], self.solution.value_of[round_]
        numbers, rows, by = sorted(group), list[Row](), list[tuple[Group, list[int]]]()
        for at, following in enumerate(_after(level, group)):
            look()
            places = {p: i for i, p in enumerate(sorted(following))}
            options = after[following].rows if following else [()]
            moves = [(level.moves[p][at], values[p]) for p in numbers]
            bounds_here = [tuple(self._bound(move, value, row, places) for move, value in moves) for row in options]
            by.append((following, list(range(len(rows), len(rows) + len(bounds_here)))))
            rows += bounds_here
        top, place = _undominated(rows)
        self._first = [row[0] for row in top]
        return _Front(top, [(following, [place[i] for i in bounds]) for following, bounds in by])

    def _bound(self, move: Move, value: int, row: Row, places: dict[int, int]) -> Chain:
        following = [IDENTITY if o.after == END else row[places[o.after]] for o in move.outcomes]
        pairs = list(zip(move.outcomes, following, strict=True))
        total0 = lcm(*(_unit(o.weight0, move.denominator0 * c.total0) for o, c in pairs))
        total1 = lcm(*(_unit(o.weight1, move.denominator1 * c.total1) for o, c in pairs))
        runs = [
            (
                o.weight0 * total0 // (move.denominator0 * c.total0),
                o.weight1 * total1 // (move.denominator1 * c.total1),
                c,
            )
            for o, c in pairs
        ]
        whole = chains.release(runs, total0, total1)
        if self.outward is None:
            return whole
        return self.outward.of(whole, self.reach.shares[value], self.reach.rays[value])

    @cached_property
    def reach(self) -> RequestedRays:
        """Where curves that are thinned count."""
        return RequestedRays.of(self.solution, self.exp_epsilons, self.mirror)

    def _curve(self, chain: Chain) -> int:
        if chain not in self._curves:
            masses = [self.game.lines.wholes(map(int, masses)) for masses in (chain.mass0, chain.mass1)]
            self._curves[chain] = self.game.lines.add({"curve": masses})
        return self._curves[chain]


def _after(level: Level, group: Group) -> list[Group]:
    """Per legal pair, the positions that follow; none where all is over."""
    pairs = range(len(level.moves[min(group)]))
    return [frozenset(o.after for p in group for o in level.moves[p][at].outcomes if o.after != END) for at in pairs]


def _undominated(rows: Sequence[Row]) -> tuple[list[Row], dict[int, int]]:
    """The rows that lie below no other one at every position, and which of them bounds each row."""
    distinct = list(dict.fromkeys(rows))
    powers = {row: tuple(map(PowerFunction, row)) for row in distinct}
    top: list[Row] = []
    over: dict[Row, Row] = {}
    for row in sorted(distinct, key=lambda row: -sum(p.total_variation for p in powers[row])):
        look()
        above = next((k for k in top if all(p <= q for p, q in zip(powers[row], powers[k], strict=True))), None)
        over[row] = row if above is None else above
        if above is None:
            top.append(row)
    if len(top) > MOST_FRONT_ROWS:
        hull = tuple(supremum([powers[row][i] for row in top]).chain for i in range(len(top[0])))
        return [hull], dict.fromkeys(range(len(rows)), 0)
    places = {row: i for i, row in enumerate(top)}
    return top, {i: places[over[row]] for i, row in enumerate(rows)}


def _unit(weight: int, denominator: int) -> int:
    """The denominator of weight / denominator in lowest terms."""
    return denominator // gcd(weight, denominator)
