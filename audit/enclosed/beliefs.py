"""Bounds on games of few hidden states, on a grid of beliefs in either world and of slopes.

What can still be learnt is convex in the belief in world 0, in that in world 1, and in the slope, each with the others
held: chords in one after another bound it. A round moves a slope by a ratio that the two beliefs give, so that along
slopes the grid is that of `grid`. Weights between beliefs are whole; the rest are sums and products of floats of at
least 0 (docs/decisions/0015).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from dpcert.audit.enclosed.grid import Floats, Grid, SlopeShift, exponentials, nodes, shift
from dpcert.audit.enclosed.hidden import HiddenGame, ShownPair
from dpcert.audit.enclosed.passes import ABSOLUTE
from dpcert.audit.enclosed.simplex import Simplex, Wholes
from dpcert.audit.relations.adjacency import OVER

PER_ROUND = 24
"""Operations of a round beside its sums, each of which may be off by a unit."""


@dataclass(frozen=True)
class Placed:
    """What a pair shows, on the grid of beliefs.

    Attributes:
        around: Per world, for each belief those around the one after it.
        weights: Per world, their weights, which sum to 1.
        nearest: Per world, for each belief the nearest one after it.
        mass: Per world, for each belief how likely this is to be seen.
        after: Per world and belief, the masses by state after it; of a sum of `mass`.
        seen: What is shown.
    """

    around: tuple[Wholes, Wholes]
    weights: tuple[Floats, Floats]
    nearest: tuple[Wholes, Wholes]
    mass: tuple[list[Fraction], list[Fraction]]
    after: tuple[Floats, Floats]
    seen: ShownPair


@dataclass
class BeliefGrid:
    """Beliefs, slopes, and what rounds do to them.

    Attributes:
        hidden: The game.
        parts: Steps from one hidden state to another.
        grid: The slopes, without drift.
        half: Places on either side of slope 1.
        check: Raises Stopped once the work must end.
    """

    hidden: HiddenGame
    parts: int
    grid: Grid
    half: int
    check: Callable[[], None]
    _placed: dict[Any, tuple[Placed, ...]] = field(default_factory=dict)
    _shifts: dict[int, dict[tuple[int, int], SlopeShift | None]] = field(default_factory=dict)

    @cached_property
    def simplex(self) -> Simplex:
        """The beliefs."""
        return Simplex(len(self.hidden.states), self.parts)

    @cached_property
    def slopes(self) -> Floats:
        """The slopes of the places."""
        return nodes(self.grid, 0, -self.half, self.half + 1)

    @cached_property
    def falling(self) -> Floats:
        """e^(step i) for the numbers i from the least place to below 0, not above it."""
        return exponentials(self.grid.step, -2 * self.half - 1, 0) * (1 - ABSOLUTE)

    def placed(self, pair: Any, *, over: bool) -> tuple[Placed, ...]:
        """What a pair shows."""
        if (pair, over) not in self._placed:
            self._placed[pair, over] = tuple(map(self._place, self.hidden.seen(self.hidden.states, pair, over)))
        return self._placed[pair, over]

    def _place(self, seen: ShownPair) -> Placed:
        points, scale = self.simplex.points, self.parts * self.hidden.denominator
        around, shares, nearest, mass, after = [], [], [], [], []
        for world in (0, 1):
            masses = points @ seen.worlds[world]
            totals = masses.sum(axis=1)
            held = totals > 0
            ids, weights = np.zeros_like(masses), np.zeros(masses.shape)
            ids[held], whole = self.simplex.between(masses[held])
            weights[held] = whole / totals[held][:, None]
            around.append(ids)
            shares.append(weights)
            nearest.append(ids[np.arange(len(ids)), weights.argmax(axis=1)])
            mass.append([Fraction(int(t), scale) for t in totals])
            after.append(masses / scale)
        both = (around[0], around[1]), (shares[0], shares[1]), (nearest[0], nearest[1])
        return Placed(*both, (mass[0], mass[1]), (after[0], after[1]), seen)

    def shift(self, placed: Placed, i: int, j: int) -> SlopeShift | None:
        """Where slopes go; None where they do not, since one world shows nothing."""
        known = self._shifts.setdefault(id(placed), {})
        if (i, j) not in known:
            k0, k1 = placed.mass[0][i], placed.mass[1][j]
            known[i, j] = shift(k0 / k1, self.grid, Fraction(0)) if k0 and k1 else None
        return known[i, j]

    def moves(self, relation: Any, round_: int) -> Iterator[tuple[Any, bool, tuple[Placed, ...]]]:
        """(the relation's state after it, whether all is over then, what is shown), by pair."""
        last = round_ == self.hidden.game.horizon
        for pair, then in self.hidden.legal(relation, round_):
            over = last or then is OVER
            yield then, over, self.placed(pair, over=over)


@dataclass
class BeliefUpper:
    """Upper bounds: by state of the relation, values at (belief, belief, slope); (belief, slope) where both are one."""

    on: BeliefGrid
    slack: int = 0

    def run(self) -> dict[Any, Floats]:
        """What is known after round 1."""
        on = self.on
        now: dict[Any, Floats] = {}
        for round_ in range(on.hidden.game.horizon, 1, -1):
            on.check()
            now = {r: self._best(r, round_, now, alike) for r, alike in on.hidden.relations(round_).items()}
            seen = max((len(p) for p in on._placed.values()), default=1)
            self.slack += 3 * len(on.hidden.states) ** 2 + 2 * seen + PER_ROUND
        return now

    def _best(self, relation: Any, round_: int, after: dict[Any, Floats], alike: bool) -> Floats:
        best: Floats | None = None
        for then, over, shown in self.on.moves(relation, round_):
            value = self._released(shown, None if over else after[then], alike)
            best = value if best is None else np.maximum(best, value, out=best)
        if best is None:
            raise RuntimeError("a round without legal pairs")
        return best

    def _released(self, shown: tuple[Placed, ...], after: Floats | None, alike: bool) -> Floats:
        on = self.on
        count = len(on.simplex.points)
        made = np.zeros((count, 2 * on.half + 1) if alike else (count, count, 2 * on.half + 1))
        for one in shown:
            values = None if after is None or one.seen.over else _between(one, after, alike)
            for i in range(count):
                for j in (i,) if alike else range(count):
                    row = made[i] if alike else made[i, j]
                    k1 = float(one.mass[1][j])
                    at = on.shift(one, i, j)
                    if at is None:
                        row += 0.0 if one.mass[0][i] else k1
                    elif values is None:
                        row += k1 * self._ended(one, i, j)
                    else:
                        self._shifted(values[i] if alike else values[i, j], at, k1, row)
        return made

    def _ended(self, one: Placed, i: int, j: int) -> Floats:
        """max(0, 1 - slope) after a ratio, not below it."""
        moved = self.on.slopes * float(one.mass[0][i] / one.mass[1][j])
        return np.where(moved > 1 + ABSOLUTE, 0.0, np.maximum(0.0, 1 - moved) + ABSOLUTE)

    def _shifted(self, values: Floats, at: SlopeShift, k1: float, row: Floats) -> None:
        """Adds chords between slopes; beyond them the chord from (0, 1), and the last value."""
        size, k = len(values), at.steps
        first, last = max(0, -k), min(size, size - 1 - k)
        if first < last:
            row[first:last] += (k1 * at.near) * values[first + k : last + k]
            row[first:last] += (k1 * at.far) * values[first + k + 1 : last + k + 1]
        if last < size:
            row[max(last, 0) :] += k1 * values[-1]
        if first := min(first, size):
            ratios, known = np.zeros(first), -k - size  # 0 where a slope lies farther below than the table goes
            known = min(max(0, known), first)
            if known < first:
                ratios[known:] = self.on.falling[size + k + known : size + k + first] * at.beyond
            row[:first] += k1 * (1 - (1 - values[0]) * ratios + ABSOLUTE)


def _between(one: Placed, after: Floats, alike: bool) -> Floats:
    """Values between beliefs; where both worlds believe the same before, only those are wanted."""
    (ids0, ids1), (w0, w1) = one.around, one.weights
    count, corners = ids0.shape
    if after.ndim == 2:  # the same in both worlds after it as well
        made: Floats = sum((w0[:, k, None] * after[ids0[:, k]] for k in range(corners)), np.zeros_like(after))
        return made
    every = np.arange(count)
    made = np.zeros((count, after.shape[2]) if alike else after.shape)
    for k in range(corners):
        if alike:
            for m in range(corners):
                made += (w0[:, k] * w1[:, m])[:, None] * after[ids0[every, k], ids1[every, m]]
            continue
        first = w0[:, k, None, None] * after[ids0[:, k]]
        for m in range(corners):
            made += w1[None, :, m, None] * first[:, ids1[:, m]]
    return made


@dataclass
class BeliefLower:
    """Points that policies attain: by state of the relation, at (world, belief, belief, hidden state, slope).

    Where both worlds believe the same, at (world, belief, hidden state, slope). A policy stands at a node; what it goes
    on from after a round is the nearest belief in either world, and the better of two slopes.
    """

    on: BeliefGrid
    slack: int = 0

    def run(self) -> dict[Any, Floats]:
        """What is attained after round 1."""
        on = self.on
        now: dict[Any, Floats] = {}
        for round_ in range(on.hidden.game.horizon, 1, -1):
            on.check()
            now = {r: self._best(r, round_, now, alike) for r, alike in on.hidden.relations(round_).items()}
            seen = max((len(p) for p in on._placed.values()), default=1)
            self.slack += (len(on.hidden.states) + 1) * seen + PER_ROUND
        return now

    def _best(self, relation: Any, round_: int, after: dict[Any, Floats], alike: bool) -> Floats:
        best: Floats | None = None
        worth = np.empty(0)
        for then, over, shown in self.on.moves(relation, round_):
            points = self._released(shown, None if over else after[then], alike)
            value = self._worth(points, alike)
            if best is None:
                best, worth = points, value
                continue
            better = value > worth
            np.copyto(best, points, where=np.expand_dims(better, -2)[None])
            np.copyto(worth, value, where=better)
        if best is None:
            raise RuntimeError("a round without legal pairs")
        return best

    def _worth(self, points: Floats, alike: bool) -> Floats:
        beliefs = self.on.simplex.points / self.on.parts
        sums = "ih,ihm->im" if alike else "jh,ijhm->ijm"
        other = "ih,ihm->im" if alike else "ih,ijhm->ijm"
        gained: Floats = np.einsum(sums, beliefs, points[1])
        paid: Floats = np.einsum(other, beliefs, points[0])
        return gained - self.on.slopes * paid

    def _released(self, shown: tuple[Placed, ...], after: Floats | None, alike: bool) -> Floats:
        on = self.on
        count, states, size = len(on.simplex.points), len(on.hidden.states), 2 * on.half + 1
        made = np.zeros((2, count, states, size) if alike else (2, count, count, states, size))
        for one in shown:
            weights = [w / on.hidden.denominator for w in one.seen.worlds]
            for i in range(count):
                for j in (i,) if alike else range(count):
                    into = made[:, i] if alike else made[:, i, j]
                    self._followed(one, None if one.seen.over else after, (i, j), weights, into)
        return made

    def _followed(
        self, one: Placed, after: Floats | None, at: tuple[int, int], weights: list[Floats], into: Floats
    ) -> None:
        """Adds what is attained after a release, from two beliefs."""
        i, j = at
        moved = self.on.shift(one, i, j)
        if moved is None:
            if one.mass[1][j]:  # the policy bets on it; from other beliefs than this one world 0 may show it as well
                for world in (0, 1):
                    into[world] += weights[world].sum(axis=1)[:, None]
            return
        slopes = self.on.slopes * float(one.mass[0][i] / one.mass[1][j])
        if after is None:
            for world in (0, 1):
                into[world] += weights[world].sum(axis=1)[:, None] * (slopes < 1)
            return
        a, b = one.nearest[0][i], one.nearest[1][j]
        points = after[:, a] if after.ndim == 4 else after[:, a, b]
        size = points.shape[-1]
        before = np.clip(np.arange(size) + moved.steps, 0, size - 1)
        behind = np.clip(before + 1, 0, size - 1)
        gained, paid = one.after[1][j] @ points[1], one.after[0][i] @ points[0]
        slopes = self.on.slopes
        keep = gained[before] - slopes * paid[before] >= gained[behind] - slopes * paid[behind]
        chosen = np.where(keep, before, behind)
        for world in (0, 1):
            into[world] += weights[world] @ points[world][:, chosen]
