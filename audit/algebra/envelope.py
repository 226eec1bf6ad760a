"""The hull of two long releases: floats say which one is higher, exact integers prove every switch between them."""

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from math import log
from typing import Any, cast

import numpy as np

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain, HullChoice, Run
from dpcert.audit.algebra.lattice import Lattice
from dpcert.audit.algebra.long_chain import (
    UNIT,
    Flags,
    Floats,
    Ints,
    Lengthened,
    LongChain,
    Objects,
    key_error_of,
    objects,
)
from dpcert.audit.algebra.merged_runs import (
    PER_ATOM,
    MergedRuns,
    Sums,
    Unsettled,
    clusters,
    merged,
    running,
    running_error,
)
from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look

WIDEST_KEY = 600.0
"""Log-likelihood ratio past which float keys are not trusted, and integers decide."""
MOST_TANGENT_STEPS = 1_000
"""Steps of the walk to a common tangent past which float keys are given up for integers."""
LEAST_SHARE = 1e-270
"""The share of a total below which a float may have lost a mass; the error bound then grows by it."""


Vertex = tuple[int, int]


@frozen(slots=True)
class Piece:
    """Groups low to high - 1 of a release, then a bridge (mass0, mass1) to the next piece, None after the last."""

    release: MergedRuns
    low: int
    high: int
    bridge: Vertex | None = None


@frozen(slots=True)
class Envelope:
    """Hulls over given totals. `longer` has the chains with keys, and the lattice that gives the codes of bridges."""

    total0: int
    total1: int
    longer: Lengthened
    _sums: Sums = field(default_factory=Sums, compare=False)

    @property
    def lattice(self) -> Lattice:
        """The codes of the game."""
        return self.longer.lattice

    def of(self, options: Sequence[Sequence[Run]]) -> tuple[Chain, HullChoice]:
        """The chain of a position, the hull over its options, each a release of scaled runs; and who attains it."""
        try:
            return self._long(options)
        except Unsettled:
            return chains.hull([chains.release(runs, self.total0, self.total1) for runs in options])

    def _long(self, options: Sequence[Sequence[Run]]) -> tuple[LongChain, HullChoice]:
        best = merged(options[0], self.total0, self.total1, self.longer)
        choice = HullChoice(0)
        for number, runs in enumerate(options[1:], 1):
            look()
            option = merged(runs, self.total0, self.total1, self.longer)
            pieces = self._pieces(best, option)
            choice = _joined(pieces, option, choice, HullChoice(number))
            best = (
                pieces[0].release if len(pieces) == 1 else MergedRuns.whole(self._written(pieces), self.lattice.usable)
            )
        return self._written([Piece(best, 0, len(best))]) if best.written is None else best.written, choice

    def _pieces(self, one: MergedRuns, two: MergedRuns) -> list[Piece]:
        """Who is higher where, from the steepest slope to the flattest, with a proven bridge at every switch."""
        look((len(one) + len(two)) // PER_ATOM)
        union = _Union.of(one, two)
        signs = self._signs(one, two, union)
        switches = np.flatnonzero(signs[1:] != signs[:-1])
        leader, other = (one, two) if signs[0] >= 0 else (two, one)
        if not len(switches):
            return [Piece(leader, 0, len(leader))]
        counts = union.count1[switches], union.count2[switches]
        at1, at2 = (count.tolist() for count in counts)
        corners1, corners2 = (
            list(zip(*r.reached(c, self._sums), strict=True)) for r, c in zip((one, two), counts, strict=True)
        )
        pieces, start = [], 0
        for i, switch in enumerate(switches.tolist()):
            look()
            ends = (at1[i], corners1[i]), (at2[i], corners2[i])
            (end, p), (begin, q) = ends if leader is one else ends[::-1]
            end, begin, bridge = _tangent(leader, other, end, begin, p, q)
            self._check_place(bridge, union.keys[switch], union.keys[switch + 1], max(one.key_error, two.key_error))
            end, begin, bridge = _absorbed(leader, other, end, begin, bridge)
            if end < start:
                raise Unsettled
            pieces.append(Piece(leader, start, end, bridge))
            leader, other, start = other, leader, begin
        return [*pieces, Piece(leader, start, len(leader))]

    def _signs(self, one: MergedRuns, two: MergedRuns, union: "_Union") -> Ints:
        """Sign of one's support function minus two's at every slope of either, ties given to their neighbours."""
        signs, open_ = _sure_signs(one, two, union, self.total0, self.total1)
        doubtful = open_[~union.repeated[open_]]
        if len(doubtful):
            signs[doubtful] = _exact_signs(one, two, union, union.last_of_slope(doubtful), self._sums)
        return _filled(signs)

    def _check_place(self, bridge: Vertex, above: float, below: float, error: float) -> None:
        """A bridge must have a slope, between the two slopes that it was looked for between."""
        if bridge[0] <= 0 or bridge[1] <= 0:
            raise Unsettled
        key = self._key(bridge)
        slack = 2 * (error + key_error_of(self.total0, self.total1))
        if not below - slack <= key <= above + slack:
            raise Unsettled

    def _key(self, atom: Vertex) -> float:
        return log(atom[1]) - log(atom[0]) + log(self.total0) - log(self.total1)

    def _written(self, pieces: list[Piece]) -> LongChain:
        """The chain of consecutive pieces, its masses exact."""
        total0, total1 = self.total0, self.total1
        parts: list[_Part] = []
        for piece in pieces:
            look()
            parts.append(_Part.of_groups(piece.release, piece.low, piece.high))
            if piece.bridge is not None:
                parts.append(self._bridge(*piece.bridge))
        head, foot = pieces[0].release.head, pieces[-1].release.foot
        whole = _Part(*(np.concatenate(column) for column in zip(*map(_Part.columns, parts), strict=True)))
        return LongChain(
            cast(Any, _framed(whole.mass0, head, 0, foot, foot)),
            cast(Any, _framed(whole.mass1, head, head, foot, 0)),
            total0,
            total1,
            whole.keys,
            whole.share0,
            whole.share1,
            whole.code,
            whole.root,
            max(key_error_of(total0, total1), *(p.release.key_error for p in pieces)),
            max(p.release.share_error for p in pieces),
        )

    def _bridge(self, a: int, b: int) -> "_Part":
        """The one segment of a bridge."""
        ratio = Fraction(b * self.total0, a * self.total1)
        code, root = self.lattice.atom_code(ratio)
        shares = np.array([a / self.total0]), np.array([b / self.total1])
        return _Part(
            objects([a]), objects([b]), np.array([self._key((a, b))]), *shares, np.array([code]), np.array([root])
        )


@frozen(slots=True)
class _Part:
    """A stretch of a chain under construction."""

    mass0: Objects
    mass1: Objects
    keys: Floats
    share0: Floats
    share1: Floats
    code: Ints
    root: Ints

    @classmethod
    def of_groups(cls, release: MergedRuns, low: int, high: int) -> "_Part":
        """Groups low to high - 1, their masses exact."""
        at, r = slice(low, high), release
        return cls(*r.masses(low, high), r.keys[at], r.share0[at], r.share1[at], r.code[at], r.root[at])

    def columns(self) -> tuple[Any, ...]:
        """The arrays in the order of the fields."""
        return self.mass0, self.mass1, self.keys, self.share0, self.share1, self.code, self.root


def _joined(pieces: list[Piece], second: MergedRuns, choice1: HullChoice, choice2: HullChoice) -> HullChoice:
    """The choice of a hull of two releases from the choices of both, piece by piece."""
    owns = [choice2 if piece.release is second else choice1 for piece in pieces]
    above, switches = None, list[tuple[int, int, int]]()
    for own, below in zip(owns, (piece.bridge for piece in pieces), strict=True):
        if above is not None:
            switches.append((*above, own.at(above[1], above[0])))
        inner = [s for s in own.switches if above is None or s[1] * above[0] <= above[1] * s[0]]
        switches += [s for s in inner if below is None or s[1] * below[0] > below[1] * s[0]]
        above = below
    return HullChoice(owns[0].first, tuple(switches))


def _framed(body: Objects, head: int, first: int, foot: int, last: int) -> Objects:
    """The body with the segments of infinite and of zero likelihood ratio where there are any."""
    return np.concatenate([objects([first] if head else []), body, objects([last] if foot else [])])


@frozen(slots=True)
class _Union:
    """The slopes of two releases in exact falling order, and how many groups of either stand at or above each.

    `first` says whether a slope is one of the first release; `repeated` marks one that is surely the one before it, so
    that its sign is the same.
    """

    keys: Floats
    first: Flags
    count1: Ints
    count2: Ints
    repeated: Flags

    @classmethod
    def of(cls, one: MergedRuns, two: MergedRuns) -> "_Union":
        """All slopes of both."""
        keys = np.concatenate([one.keys, two.keys])
        if float(np.max(np.abs(keys), initial=0.0)) > WIDEST_KEY:
            raise Unsettled
        order = np.argsort(-keys, kind="stable")
        code, root = (np.concatenate(pair) for pair in ((one.code, two.code), (one.root, two.root)))
        near = keys[order][:-1] - keys[order][1:] <= 2 * (one.key_error + two.key_error)
        same = np.zeros_like(near)
        if one.coded and two.coded:
            same = near & (code[order][:-1] == code[order][1:]) & (root[order][:-1] == root[order][1:])
        for span in clusters(near, near & ~same):
            look()
            order[span], same[span.start : span.stop - 1] = _in_order(one, two, order[span])
        first = order < len(one)
        count1 = np.cumsum(first, dtype=np.int64)
        count2 = np.arange(1, len(keys) + 1, dtype=np.int64) - count1
        return cls(keys[order], first, count1, count2, np.concatenate([[False], same]))

    def last_of_slope(self, ranks: Ints) -> Ints:
        """The ranks, moved on past one that repeats their slope: there both have passed it, and level ones have met."""
        return cast(Ints, ranks + np.append(self.repeated, False)[ranks + 1])


def _in_order(one: MergedRuns, two: MergedRuns, numbers: Ints) -> tuple[Ints, list[bool]]:
    """Groups of both releases, numbered one after the other, by exactly falling slope; and which equal the next."""
    mine, other = numbers[numbers < len(one)], numbers[numbers >= len(one)] - len(one)
    atoms = dict(zip(mine.tolist(), zip(*one.slopes(mine), strict=True), strict=True))
    atoms |= dict(zip((other + len(one)).tolist(), zip(*two.slopes(other), strict=True), strict=True))
    steepness = cmp_to_key(chains.falling)
    ordered = sorted(numbers.tolist(), key=lambda number: steepness(atoms[number]))
    equal = [chains.falling(atoms[i], atoms[j]) == 0 for i, j in pairwise(ordered)]
    return np.array(ordered, dtype=np.int64), equal


def _sure_signs(one: MergedRuns, two: MergedRuns, union: _Union, total0: int, total1: int) -> tuple[Ints, Ints]:
    """Signs of the difference of the support functions at every key, and at which ranks integers have to settle them.

    The support function at slope g is sum max(0, p1 - g p0), up to 1 - g also sum max(0, g p0 - p1): what the sum from
    the top does not settle, the one from the bottom may. The error covers shares, partial sums, the key itself, and
    groups within its error on either side of it.
    """
    g = np.exp(union.keys)
    loss, lost = _relative_error(one, two, len(g)), _lost(one, two, total0, total1, len(g))
    signs, open_ = np.zeros(len(g), dtype=np.int64), cast(Any, slice(None))
    for from_top in (True, False):
        slopes = g[open_]
        x1, y1 = (sums[union.count1[open_]] for sums in _partial_sums(one, total0, total1, from_top))
        x2, y2 = (sums[union.count2[open_]] for sums in _partial_sums(two, total0, total1, from_top))
        up = (y1 - y2) - slopes * (x1 - x2)
        error = loss * ((y1 + y2) + slopes * (x1 + x2)) + lost * (1 + slopes)
        sure = np.abs(up) > error
        signs[open_] = np.where(sure, np.sign(up if from_top else -up), 0)
        left = np.flatnonzero(~sure & (error > 0))
        open_ = left if from_top else open_[left]
    return signs, open_


def _relative_error(one: MergedRuns, two: MergedRuns, count: int) -> float:
    """A bound for what a difference of support functions is off by, relative to the sums of both, at `count` slopes."""
    shares = max(one.share_error, two.share_error) + running_error(count)
    return shares + 32 * (max(one.key_error, two.key_error) + UNIT)


def _lost(one: MergedRuns, two: MergedRuns, total0: int, total1: int, count: int) -> float:
    """What masses that floats lose may add up to: `LEAST_SHARE` each of `count` and of the four ends, or nothing."""
    return (count + 4) * LEAST_SHARE if _may_lose(one, two, total0, total1) else 0


def _may_lose(one: MergedRuns, two: MergedRuns, total0: int, total1: int) -> bool:
    """Whether a float may have lost a mass: a share of either release, or an end, is below `LEAST_SHARE`."""
    ends = any(m and m * 10**270 < t for r in (one, two) for m, t in ((r.head, total1), (r.foot, total0)))
    return ends or min(one.least_share, two.least_share) < LEAST_SHARE


def _partial_sums(release: MergedRuns, total0: int, total1: int, from_top: bool) -> tuple[Floats, Floats]:
    """Shares in worlds 0 and 1 of the first c groups, or of all but the first c, for c = 0 to their number."""
    if from_top:
        return running(release.share0, 0.0), running(release.share1, release.head / total1)
    below = running(release.share0[::-1], release.foot / total0), running(release.share1[::-1], 0.0)
    return below[0][::-1], below[1][::-1]


def _exact_signs(one: MergedRuns, two: MergedRuns, union: _Union, ranks: Ints, sums: Sums) -> Ints:
    """The signs of the difference in integers, at slopes of given ranks in the union."""
    x1, y1 = one.reached(union.count1[ranks], sums)
    x2, y2 = two.reached(union.count2[ranks], sums)
    dx, dy = x1 - x2, y1 - y2
    open_ = np.flatnonzero((dx != 0) | (dy != 0))
    signs = np.zeros(len(ranks), dtype=np.int64)
    at1, at2 = union.count1[ranks[open_]] - 1, union.count2[ranks[open_]] - 1
    own = union.first[ranks[open_]]
    for release, at, mine in ((one, at1, own), (two, at2, ~own)):
        rows = open_[mine]
        mass0, mass1 = release.slopes(at[mine])
        worth = dy[rows] * mass0 - dx[rows] * mass1
        signs[rows] = (worth > 0).astype(np.int64) - (worth < 0).astype(np.int64)
    return signs


def _filled(signs: Ints) -> Ints:
    """Zeros replaced by the nearest sign before them, leading ones by the first sign."""
    if not signs.any():
        return signs
    nonzero = signs != 0
    last = np.maximum.accumulate(np.where(nonzero, np.arange(len(signs)), np.argmax(nonzero)))
    return signs[last]


def _tangent(
    upper: MergedRuns, lower: MergedRuns, end: int, begin: int, p: Vertex, q: Vertex
) -> tuple[int, int, Vertex]:
    """The common supporting line from a vertex of `upper` to one of `lower`, walked to from a first guess.

    Returns the number of groups of `upper` before it, of `lower` before its far end, and the bridge. That no group on
    either side crosses the line is checked in integers: a common tangent is an edge of the hull.
    """
    for _ in range(MOST_TANGENT_STEPS):
        dx, dy = q[0] - p[0], q[1] - p[1]
        any_step = False
        for release, at, corner in ((upper, end, p), (lower, begin, q)):
            step = 0
            if at < len(release) and _steeper(a := _atom(release, at), dx, dy) > 0:
                step = 1
            elif at > 0 and _steeper(a := _atom(release, at - 1), dx, dy) < 0:
                step = -1
            if step:
                corner = corner[0] + step * a[0], corner[1] + step * a[1]
                end, p, begin, q = (at + step, corner, begin, q) if release is upper else (end, p, at + step, corner)
                any_step = True
                break
        if not any_step:
            return end, begin, (dx, dy)
    raise Unsettled


def _atom(release: MergedRuns, group: int) -> Vertex:
    mass0, mass1 = release.masses(group, group + 1)
    return mass0[0], mass1[0]


def _steeper(atom: Vertex, dx: int, dy: int) -> int:
    """Positive if the atom's slope is above dy / dx, negative if below, 0 if equal."""
    return atom[1] * dx - dy * atom[0]


def _absorbed(upper: MergedRuns, lower: MergedRuns, end: int, begin: int, bridge: Vertex) -> tuple[int, int, Vertex]:
    """The bridge merged with a neighbouring group of its own slope, so that slopes fall strictly."""
    dx, dy = bridge
    before = _atom(upper, end - 1) if end else None
    after = _atom(lower, begin) if begin < len(lower) else None
    if before is not None and _steeper(before, dx, dy) == 0:
        end, bridge = end - 1, (bridge[0] + before[0], bridge[1] + before[1])
    if after is not None and _steeper(after, dx, dy) == 0:
        begin, bridge = begin + 1, (bridge[0] + after[0], bridge[1] + after[1])
    return end, begin, bridge
