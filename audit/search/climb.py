"""Floats that look for cores whose adaptive delta is far above their fixed-stream delta. Nothing here is a result.

Each restart takes the best of some random tables, then climbs: both deltas are maxima of sums of positive parts of
products of laws, so a linear program over first-order expansions, within a trust region, says where to go next. What
comes out is made rational and given to the exact solver (`polish`).
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.budget import Budget
from dpcert.audit.frozen import frozen
from dpcert.audit.search.tabulated import Law

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

STARTS = 100
"""Random tables tried for each restart."""
WIDEST_STEP, LEAST_STEP, SHRINK, GROW = 0.3, 1e-6, 1 / 3, 1.5
"""The trust region: how far an entry may move in one step."""
FIRST_STEP = 0.1
"""The trust region with which a climb begins."""
LEAST_GAIN = 1e-9
"""Steps that raise the ratio by less end the climb."""


@frozen
class Shape:
    """The size of a table: inputs, outputs (both at least 2) and rounds."""

    inputs: int
    outputs: int
    horizon: int

    @property
    def laws(self) -> int:
        """The number of input prefixes."""
        return sum(self.inputs**t for t in range(1, self.horizon + 1))

    @property
    def rows(self) -> int:
        """Pairs of neighbouring streams times what can be seen from the round in which they differ."""
        seen = sum(self.outputs**k for k in range(1, self.horizon + 1))
        return int((self.inputs - 1) * self.inputs**self.horizon * seen)


@frozen
class Top:
    """What one restart found: the ratio as floats see it, and the table, each float as the rational that it is."""

    ratio: float
    laws: tuple[Law, ...]


@frozen
class _Challenge:
    """All games whose streams differ in one round i, flat: an axis of pairs, then y_i, x_{i+1}, y_{i+1}, ..., y_T.

    `factors0` and `factors1` say, per round from i on, which entry of the table each cell multiplies in either world.
    """

    cells: tuple[int, ...]
    factors0: tuple[Ints, ...]
    factors1: tuple[Ints, ...]

    @cached_property
    def outputs(self) -> tuple[int, ...]:
        """The axes of what is seen."""
        return tuple(range(1, len(self.cells), 2))

    @cached_property
    def streams(self) -> Ints:
        """The number of each cell's pair of fixed streams."""
        kept = [1 if axis in self.outputs else size for axis, size in enumerate(self.cells)]
        numbers = np.arange(int(np.prod(kept)), dtype=np.int64).reshape(kept)
        return np.broadcast_to(numbers, self.cells).ravel()


def _challenge(shape: Shape, i: int) -> _Challenge:
    n, m = shape.inputs, shape.outputs
    pairs = [(u * n + a, u * n + b) for u in range(n ** (i - 1)) for a in range(n) for b in range(n) if a != b]
    cells = (len(pairs), m, *(n, m) * (shape.horizon - i))

    def along(axis: int, values: Any) -> Ints:
        placed = [1] * len(cells)
        placed[axis] = cells[axis]
        return np.asarray(values, dtype=np.int64).reshape(placed)

    worlds: list[tuple[Ints, ...]] = []
    for world in (0, 1):
        prefix, before = along(0, [pair[world] for pair in pairs]), sum(n**t for t in range(1, i))
        factors = []
        for t in range(i, shape.horizon + 1):
            axis = 1 + 2 * (t - i)
            if t > i:
                prefix = prefix * n + along(axis - 1, range(n))
                before += n ** (t - 1)
            entry = (before + prefix) * m + along(axis, range(m))
            factors.append(np.broadcast_to(entry, cells).ravel())
        worlds.append(tuple(factors))
    return _Challenge(cells, *worlds)


@frozen
class _Expansion:
    """Both deltas around one table, to first order: the parts of a linear program.

    Its unknowns are the table, what each cell adds to its streams' delta, and the largest of those deltas.

    Attributes:
        gain: What each entry of the table adds to the adaptive delta.
        slopes: What each entry adds to each cell's surplus: weights, and (cells, entries) that they stand at.
        constants: By how much the slopes alone would count each cell's surplus too often.
        streams: The number of each cell's pair of fixed streams.
        pairs: How many such pairs there are.
    """

    gain: Floats
    slopes: tuple[Floats, tuple[Ints, Ints]]
    constants: Floats
    streams: Ints
    pairs: int

    @property
    def cells(self) -> int:
        """The number of cells of all games."""
        return len(self.streams)

    @property
    def unknowns(self) -> int:
        """The number of unknowns."""
        return len(self.gain) + self.cells + 1

    def below(self) -> Any:
        """Every cell adds at least its surplus, and no pair of streams more in all than the largest delta."""
        from scipy.sparse import coo_array, csr_array, hstack, vstack

        entries, cells = len(self.gain), self.cells
        linear = coo_array(self.slopes, (cells, entries))
        cell = np.arange(cells)
        parts = coo_array((-np.ones(cells), (cell, cell)), (cells, cells))
        sums = coo_array((np.ones(cells), (self.streams, cell)), (self.pairs, cells))
        of_cells = hstack([linear, parts, csr_array((cells, 1))])
        of_pairs = hstack([csr_array((self.pairs, entries)), sums, csr_array(-np.ones((self.pairs, 1)))])
        return vstack([of_cells, of_pairs]).tocsr()

    def totals(self, outputs: int) -> Any:
        """What sums to 1: the entries of each law."""
        from scipy.sparse import coo_array

        entry = np.arange(len(self.gain))
        laws = len(self.gain) // outputs
        return coo_array((np.ones(len(self.gain)), (entry // outputs, entry)), (laws, self.unknowns))


@frozen
class Landscape:
    """Both deltas at one e^epsilon as functions of the table, a flat vector of laws in the order of `prefixes`."""

    shape: Shape
    exp_epsilon: float

    @cached_property
    def _challenges(self) -> tuple[_Challenge, ...]:
        return tuple(_challenge(self.shape, i) for i in range(1, self.shape.horizon + 1))

    def _surplus(self, challenge: _Challenge, table: Floats) -> Floats:
        """P0 - e^epsilon P1 of every cell."""
        one = np.prod([table[f] for f in challenge.factors0], axis=0)
        other = np.prod([table[f] for f in challenge.factors1], axis=0)
        surplus: Floats = (one - self.exp_epsilon * other).reshape(challenge.cells)
        return surplus

    def deltas(self, table: Floats) -> tuple[float, float]:
        """(fixed-stream, adaptive)."""
        fixed_stream = adaptive = 0.0
        for challenge in self._challenges:
            won = np.maximum(self._surplus(challenge, table), 0)
            fixed_stream = max(fixed_stream, float(won.sum(axis=challenge.outputs).max()))
            while won.ndim > 1:
                won = won.sum(axis=-1).max(axis=-1)
            adaptive = max(adaptive, float(won.max()))
        return fixed_stream, adaptive

    def _best_adversary(self, table: Floats) -> tuple[int, Flags]:
        """The challenge's number, and the cells that a best adversary visits and bets on."""
        best = float("-inf"), 0, np.zeros(0, dtype=np.bool_)
        for number, challenge in enumerate(self._challenges):
            surplus = self._surplus(challenge, table)
            won = np.maximum(surplus, 0)
            cells = surplus > 0
            while won.ndim > 2:
                by_input = won.sum(axis=-1)
                chosen = np.arange(by_input.shape[-1]) == by_input.argmax(axis=-1)[..., None]
                cells &= chosen.reshape(chosen.shape + (1,) * (cells.ndim - chosen.ndim))
                won = by_input.max(axis=-1)
            by_pair = won.sum(axis=-1)
            pair = int(by_pair.argmax())
            if by_pair[pair] > best[0]:
                others = np.arange(len(by_pair)) != pair
                cells[others] = False
                best = float(by_pair[pair]), number, cells.ravel()
        return best[1:]

    def step(self, table: Floats, price: float, radius: float) -> Floats | None:
        """The table near `table` that maximises (adaptive - price * fixed), both to first order; None without one."""
        from scipy.optimize import linprog  # slow to import, and no other command needs it

        near = self._expanded(table)
        bounds = np.zeros((near.unknowns, 2))
        bounds[:, 1] = np.inf
        bounds[: len(table), 0] = np.maximum(0, table - radius)
        bounds[: len(table), 1] = np.minimum(1, table + radius)
        optimum = linprog(
            np.concatenate([-near.gain, np.zeros(near.cells), [price]]),
            A_ub=near.below(),
            b_ub=np.concatenate([near.constants, np.zeros(near.pairs)]),
            A_eq=near.totals(self.shape.outputs),
            b_eq=np.ones(len(table) // self.shape.outputs),
            bounds=bounds,
            method="highs",
        )
        return None if optimum.status else self._normalised(optimum.x[: len(table)])

    def _expanded(self, table: Floats) -> _Expansion:
        """Both deltas around a table to first order; the adaptive one is that of a best adversary."""
        target, bets = self._best_adversary(table)
        gain = np.zeros(len(table))
        rows, entries, weights, constants, streams = [], [], [], [], []
        row = stream = 0
        for number, challenge in enumerate(self._challenges):
            cells = np.arange(row, row + len(challenge.streams))
            for entry, weight in self._derivatives(challenge, table):
                rows.append(cells)
                entries.append(entry)
                weights.append(weight)
                if number == target:
                    np.add.at(gain, entry[bets], weight[bets])
            constants.append((len(challenge.factors0) - 1) * self._surplus(challenge, table).ravel())
            streams.append(challenge.streams + stream)
            row, stream = row + len(cells), stream + int(challenge.streams[-1]) + 1
        slopes = (np.concatenate(weights), (np.concatenate(rows), np.concatenate(entries)))
        return _Expansion(gain, slopes, np.concatenate(constants), np.concatenate(streams), stream)

    def _derivatives(self, challenge: _Challenge, table: Floats) -> Iterator[tuple[Ints, Floats]]:
        """By world and round: the entry that each cell's surplus is a multiple of there, and the factor."""
        for factors, sign in ((challenge.factors0, 1.0), (challenge.factors1, -self.exp_epsilon)):
            values = [table[f] for f in factors]
            for t, entry in enumerate(factors):
                yield entry, sign * np.prod([*values[:t], *values[t + 1 :], np.ones(len(entry))], axis=0)

    def _normalised(self, table: Floats) -> Floats:
        laws = np.clip(table, 0, 1).reshape(-1, self.shape.outputs)
        normalised: Floats = (laws / laws.sum(axis=1, keepdims=True)).ravel()
        return normalised

    def start(self, chance: np.random.Generator, least: float) -> Floats | None:
        """The best of some random tables, laws near each other or not; None if all have too small a delta."""
        best: tuple[float, Floats] | None = None
        for _ in range(STARTS):
            spread = np.full(self.shape.outputs, chance.choice([0.3, 1.0, 3.0]))
            nearness = chance.choice([0.0, chance.random()])
            laws = chance.dirichlet(spread, self.shape.laws)
            table = (nearness * chance.dirichlet(spread) + (1 - nearness) * laws).ravel()
            fixed, adaptive = self.deltas(table)
            if fixed >= least and (best is None or adaptive / fixed > best[0]):
                best = adaptive / fixed, table
        return None if best is None else best[1]

    def climb(self, table: Floats, least: float, budget: Budget) -> Iterator[Floats]:
        """Ever higher points of the ratio's hill, among tables whose fixed-stream delta is at least `least`.

        Raises: Stopped: the time is over.
        """
        fixed_stream, adaptive = self.deltas(table)
        radius = FIRST_STEP
        while radius > LEAST_STEP:
            budget.check()
            ratio = adaptive / fixed_stream
            candidate = self.step(table, ratio, radius)
            to = self.deltas(candidate) if candidate is not None else (0.0, 0.0)
            if candidate is None or to[0] < least or to[1] / to[0] <= ratio + LEAST_GAIN:
                radius *= SHRINK
                continue
            table, (fixed_stream, adaptive) = candidate, to
            radius = min(radius * GROW, WIDEST_STEP)
            yield table

    def top(self, table: Floats) -> Top:
        """A table as what a climb came to."""
        fixed_stream, adaptive = self.deltas(table)
        laws = table.reshape(-1, self.shape.outputs).tolist()
        return Top(adaptive / fixed_stream, tuple(_exactly(law) for law in laws))


def _exactly(law: list[float]) -> Law:
    weights = [Fraction(w) for w in law]
    return tuple(w / sum(weights) for w in weights)
