"""A release of long chains, not yet written out: their segments merged by slope, every near tie settled in integers.

An order is taken from keys only where they differ by more than their proven error (`long_chain`).
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key, reduce
from itertools import pairwise
from math import log

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Run
from dpcert.audit.algebra.lattice import Lattice
from dpcert.audit.algebra.long_chain import UNIT, Flags, Floats, Ints, Lengthened, LongChain, Objects, objects
from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look

PER_ATOM = 3
"""Segments that are put in order by their keys while one is without."""
BLOCK = 1 << 16
"""Groups of a long chain whose exact masses are written out at a time."""
ROW = 1 << 9
"""Numbers summed in one row of a long sum; rows are summed after, which keeps the float error small."""


class Unsettled(Exception):
    """Keys do not help with these chains; plain integer arithmetic does."""


@frozen(slots=True)
class MergedRuns:
    """A release not yet written out: the scaled runs merged by slope, as members sorted into groups of equal ratio.

    `run` and `index` say for each member, in order, which run and which body segment it is; group g holds the members
    from starts[g] up to starts[g + 1].
    """

    runs: tuple[tuple[int, int, LongChain], ...]
    run: NDArray[np.int32]
    index: Ints
    starts: Ints
    keys: Floats
    share0: Floats
    share1: Floats
    code: Ints
    root: Ints
    key_error: float
    share_error: float
    head: int
    foot: int
    coded: bool
    written: LongChain | None = None
    """The chain that this release is, if it is one chain unscaled."""

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def least_share(self) -> float:
        """The smallest share of either world."""
        return min(float(np.min(self.share0, initial=1.0)), float(np.min(self.share1, initial=1.0)))

    def masses(self, low: int, high: int) -> tuple[Objects, Objects]:
        """The exact masses of the groups low to high - 1."""
        parts = [self._block(i, min(i + BLOCK, high)) for i in range(low, high, BLOCK)]
        if not parts:
            return objects([]), objects([])
        return np.concatenate([p for p, _ in parts]), np.concatenate([q for _, q in parts])

    def _block(self, low: int, high: int) -> tuple[Objects, Objects]:
        """Consecutive groups take a consecutive stretch of every run, so each stretch is scaled as a whole."""
        look()
        ends = np.append(self.starts[low:high], self._end(high))
        members = slice(int(ends[0]), int(ends[-1]))
        run, index = self.run[members], self.index[members]
        mass0, mass1 = np.empty(len(run), dtype=object), np.empty(len(run), dtype=object)
        for number, (m0, m1, chain) in enumerate(self.runs):
            mine = np.flatnonzero(run == number)
            if len(mine):
                first = int(index[mine[0]])
                stretch = slice(first, first + len(mine))
                mass0[mine] = chain.body[0][stretch] * m0
                mass1[mine] = chain.body[1][stretch] * m1
        if len(mass0) == high - low:
            return mass0, mass1
        local = ends[:-1] - ends[0]
        return np.add.reduceat(mass0, local), np.add.reduceat(mass1, local)

    def _end(self, group: int) -> int:
        return int(self.starts[group]) if group < len(self.starts) else len(self.run)

    def reached(self, groups: Ints, sums: "Sums") -> tuple[Objects, Objects]:
        """The exact vertex before each of `groups` (ascending): the masses of all groups above it, head included."""
        ends = np.append(self.starts, len(self.run))[groups]
        counted = np.zeros(len(ends), dtype=np.int64)
        x, y = list[Objects](), list[Objects]()
        for number, (m0, m1, chain) in enumerate(self.runs):
            last = number == len(self.runs) - 1
            counts = ends - counted if last else np.cumsum(self.run == number, dtype=np.int64)[ends - 1] * (ends > 0)
            counted += counts
            sums0, sums1 = sums.of(chain)
            x.append(sums0[counts] * m0)
            y.append(sums1[counts] * m1)
        y[0] += self.head
        return reduce(np.add, x), reduce(np.add, y)

    def slopes(self, groups: Ints) -> tuple[Objects, Objects]:
        """Masses of one member of each group: all that its slope needs."""
        run, index = self.run[self.starts[groups]], self.index[self.starts[groups]]
        mass0, mass1 = np.empty(len(run), dtype=object), np.empty(len(run), dtype=object)
        for number, (m0, m1, chain) in enumerate(self.runs):
            mine = run == number
            body0, body1 = chain.body
            mass0[mine] = body0[index[mine]] * m0
            mass1[mine] = body1[index[mine]] * m1
        return mass0, mass1

    @classmethod
    def whole(cls, chain: LongChain, has_codes: bool) -> "MergedRuns":
        """A chain as a release of itself."""
        count = len(chain.keys)
        every = np.arange(count, dtype=np.int64)
        return cls(
            ((1, 1, chain),), np.zeros(count, dtype=np.int32), every, every, chain.keys, chain.share0, chain.share1,
            chain.code, chain.root, chain.key_error, chain.share_error, chain.head, chain.foot,
            has_codes, chain,
        )  # fmt: skip


def running(values: Floats, start: float) -> Floats:
    """start plus the sums of the first c values, c = 0 to all; added up within rows and then over rows."""
    rows = -(-len(values) // ROW)
    padded = np.zeros(rows * ROW)
    padded[: len(values)] = values
    within = np.cumsum(padded.reshape(rows, ROW), axis=1)
    before = np.concatenate([[0.0], np.cumsum(within[:, -1])])[:rows]
    sums = (within + before[:, None]).ravel()[: len(values)]
    return np.concatenate([[start], sums + start])


def running_error(count: int) -> float:
    """A bound for the relative error of a running sum of that many positive values."""
    return UNIT * (ROW + count / ROW + 8)


class Sums:
    """The exact sums of the first c body masses, c = 0 to all, of every chain asked for; options often share chains."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[LongChain, Objects, Objects]] = {}

    def of(self, chain: LongChain) -> tuple[Objects, Objects]:
        """Both worlds' sums."""
        if id(chain) not in self._known:
            sums = [np.add.accumulate(np.concatenate([objects([0]), body])) for body in chain.body]
            self._known[id(chain)] = chain, sums[0], sums[1]
        return self._known[id(chain)][1:]


def merged(runs: Sequence[Run], total0: int, total1: int, longer: Lengthened) -> MergedRuns:
    """One release: every outcome's chain scaled by its weights, all merged by slope (defn:power)."""
    head = foot = 0
    inner: list[tuple[int, int, LongChain]] = []
    for m0, m1, chain in runs:
        look()
        long = longer.of(chain)
        if m0 and m1:
            inner.append((m0, m1, long))
        head += m1 * (long.head if m0 else long.total1)
        foot += m0 * (long.foot if m1 else long.total0)
    if not any(len(c.keys) for _, _, c in inner):
        raise Unsettled
    look(sum(len(c.keys) for _, _, c in inner) // PER_ATOM)
    lattice = longer.lattice
    scales = [(m0 * c.total0 / total0, m1 * c.total1 / total1) for m0, m1, c in inner]
    factors = [Fraction(m1 * c.total1 * total0, m0 * c.total0 * total1) for m0, m1, c in inner]
    members, error = _by_keys(inner, factors, lattice)
    same = _settled(members, tuple(inner), error, lattice.usable)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.flatnonzero(~same) + 1])
    share0 = np.concatenate([c.share0 * s0 for (_, _, c), (s0, _) in zip(inner, scales, strict=True)])[members.order]
    share1 = np.concatenate([c.share1 * s1 for (_, _, c), (_, s1) in zip(inner, scales, strict=True)])[members.order]
    share0, share1 = np.add.reduceat(share0, starts), np.add.reduceat(share1, starts)
    return MergedRuns(
        tuple(inner), members.run, members.index, starts, members.keys[starts], share0, share1,
        members.code[starts], members.root[starts], error, _share_error(inner), head, foot, lattice.usable,
    )  # fmt: skip


def _share_error(runs: Sequence[tuple[int, int, LongChain]]) -> float:
    """A bound for the relative error of a share of a release, which is scaled and added up of at most one a run."""
    return max(c.share_error for _, _, c in runs) + UNIT * (4 + len(runs))


def _by_keys(
    runs: Sequence[tuple[int, int, LongChain]], factors: Sequence[Fraction], lattice: Lattice
) -> tuple["_Members", float]:
    """The segments of all runs in falling order of their keys, shifted by the logarithms of `factors`; the keys' error.

    A factor is by how much a run's weights change every likelihood ratio in it.
    """
    shifts = [log(f.numerator) - log(f.denominator) for f in factors]
    error = max(
        c.key_error + shift_error(f) + UNIT * (2 * abs(shift) + 4 + 2 * float(np.max(np.abs(c.keys), initial=0.0)))
        for (_, _, c), f, shift in zip(runs, factors, shifts, strict=True)
    )
    keys = np.concatenate([c.keys + shift for (_, _, c), shift in zip(runs, shifts, strict=True)])
    order = np.argsort(-keys, kind="stable")
    offsets = [lattice.factor_code(f) for f in factors]
    members = _Members(
        order,
        keys[order],
        np.concatenate([np.full(len(c.keys), i, dtype=np.int32) for i, (_, _, c) in enumerate(runs)])[order],
        np.concatenate([np.arange(len(c.keys), dtype=np.int64) for _, _, c in runs])[order],
        np.concatenate([c.code + o for (_, _, c), o in zip(runs, offsets, strict=True)])[order],
        np.concatenate([c.root for _, _, c in runs])[order],
    )
    return members, error


def shift_error(factor: Fraction) -> float:
    """A bound for the error of ln numerator - ln denominator: each log is rounded at its own size, however near 1 the
    factor is."""
    return 2 * UNIT * (2 + log(factor.numerator) + log(factor.denominator))


@frozen(slots=True)
class _Members:
    """The segments of all runs in falling order of their keys, as parallel arrays."""

    order: Ints
    keys: Floats
    run: NDArray[np.int32]
    index: Ints
    code: Ints
    root: Ints

    def permute(self, span: slice, order: list[int]) -> None:
        """Reorders one stretch of all arrays in place."""
        for array in (self.order, self.keys, self.run, self.index, self.code, self.root):
            array[span] = array[span][order]


def _settled(members: _Members, runs: tuple[tuple[int, int, LongChain], ...], error: float, has_codes: bool) -> Flags:
    """Whether each member has exactly the ratio of the next; clusters of near ties come out in exact order.

    Members whose keys differ by more than twice the error are in order already, and different.
    """
    near = members.keys[:-1] - members.keys[1:] <= 2 * error
    same = np.zeros_like(near)
    if has_codes:
        same = near & (members.code[:-1] == members.code[1:]) & (members.root[:-1] == members.root[1:])
    for span in clusters(near, near & ~same):
        look()
        _settle(members, runs, span, same)
    return same


def clusters(near: Flags, doubtful: Flags) -> Iterator[slice]:
    """Stretches of neighbours that are all near each other, where any of their links is doubtful."""
    end = 0
    for first in np.flatnonzero(doubtful).tolist():
        if first < end:
            continue
        low, high = first, first + 1
        while low > 0 and near[low - 1]:
            low -= 1
        while high < len(near) and near[high]:
            high += 1
        end = high
        yield slice(low, high + 1)


def _settle(members: _Members, runs: tuple[tuple[int, int, LongChain], ...], span: slice, same: Flags) -> None:
    """Orders one cluster by exact cross-multiplication."""
    slope = cmp_to_key(chains.falling)
    masses: list[tuple[int, int]] = []
    for r, i in zip(members.run[span].tolist(), members.index[span].tolist(), strict=True):
        m0, m1, chain = runs[r]
        body0, body1 = chain.body
        masses.append((m0 * body0[i], m1 * body1[i]))
    order = sorted(range(len(masses)), key=lambda i: slope(masses[i]))
    members.permute(span, order)
    for at, (i, j) in enumerate(pairwise(order)):
        same[span.start + at] = masses[i][0] * masses[j][1] == masses[i][1] * masses[j][0]
