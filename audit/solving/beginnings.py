"""The first rounds of a pair of streams: what was seen, what can still be seen, and a bound on what that tells."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import gcd, lcm

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import END, Level, Pair
from dpcert.audit.limits import look

Slope = tuple[int, int]
"""Coefficients (c0, c1), neither negative: an atom of probabilities p0, p1 counts max(0, c1 p1 - c0 p0)."""
Live = tuple[int, int, int]
"""(position, mass0, mass1): histories of one likelihood ratio that lead to one position."""


@frozen
class Beginning:
    """Histories under the first rounds of a pair of streams, by where they lead and by likelihood ratio.

    Masses are integers whose sums, `live` and `over` together, stand for probability 1 in either world. `over` holds
    the atoms of the histories after which nothing more can be learnt.
    """

    pairs: tuple[Pair, ...]
    round: int
    live: tuple[Live, ...]
    over: tuple[tuple[int, int], ...]

    @property
    def key(self) -> object:
        """All that what follows depends on."""
        return self.live, self.over

    @cached_property
    def totals(self) -> tuple[int, int]:
        """What stands for probability 1 in world 0 and in world 1."""
        return (
            sum(m0 for _, m0, _ in self.live) + sum(m0 for m0, _ in self.over),
            sum(m1 for _, _, m1 in self.live) + sum(m1 for _, m1 in self.over),
        )


def start() -> Beginning:
    """No round played yet."""
    return Beginning((), 0, ((0, 1, 1),), ())


@frozen(slots=True)
class _SummedChain:
    """A chain over its level's totals with the sums of its first segments."""

    chain: Chain
    sums0: tuple[int, ...]
    sums1: tuple[int, ...]


@dataclass
class Bounds:
    """Adaptive values of all positions of a game, and with them bounds on every beginning of streams."""

    levels: Sequence[Level]
    values: Sequence[Sequence[Chain]]
    _tables: list[tuple[int, int, tuple[_SummedChain, ...]]] = field(init=False)

    def __post_init__(self) -> None:
        self._tables = [_tables(values) for values in self.values]
        self._tables.append((1, 1, ()))

    def moves(self, one: Beginning, at: int) -> range:
        """Numbers of the moves of the round after `at`; one, whatever it is, where nothing more can be learnt."""
        return range(len(self.levels[at].moves[one.live[0][0]]) if one.live else 1)

    def followed(self, beginning: Beginning, number: int, at: int) -> Beginning:
        """One round more."""
        if not beginning.live:
            return beginning
        moves = [(m0, m1, self.levels[at].moves[position][number]) for position, m0, m1 in beginning.live]
        scale0, scale1 = (
            lcm(*(move.denominator0 for *_, move in moves)),
            lcm(*(move.denominator1 for *_, move in moves)),
        )
        live: dict[Live, int] = {}
        over = {_ratio(m0 * scale0, m1 * scale1): gcd(m0 * scale0, m1 * scale1) for m0, m1 in beginning.over}
        for m0, m1, move in moves:
            factor0, factor1 = m0 * (scale0 // move.denominator0), m1 * (scale1 // move.denominator1)
            for o in move.outcomes:
                w0, w1 = factor0 * o.weight0, factor1 * o.weight1
                ratio, common = _ratio(w0, w1), gcd(w0, w1)
                if o.after == END or len(self.values[at + 1][o.after]) == 1:
                    over[ratio] = over.get(ratio, 0) + common
                else:
                    key = o.after, *ratio
                    live[key] = live.get(key, 0) + common
        pair = moves[0][2].pair
        return _reduced(
            (*beginning.pairs, pair),
            at + 1,
            [(v, r0 * n, r1 * n) for (v, r0, r1), n in live.items()],
            [(r0 * n, r1 * n) for (r0, r1), n in over.items()],
        )

    def support(self, beginning: Beginning, slope: Slope, about: Sequence[int] | None = None) -> Fraction:
        """The most that adaptive adversaries make of a beginning at this slope, so no less than fixed streams do.

        `about` guesses how many segments of each live history count.
        """
        total0, total1 = beginning.totals
        unit0, unit1, tables = self._tables[beginning.round if beginning.live else -1]
        c0, c1 = slope[0] * total1 * unit1, slope[1] * total0 * unit0  # an atom (a, b) counts where c1 b > c0 a
        worth = sum(max(0, c1 * m1 * unit1 - c0 * m0 * unit0) for m0, m1 in beginning.over)
        for number, (position, m0, m1) in enumerate(beginning.live):
            table = tables[position]
            k0, k1 = c0 * m0, c1 * m1
            count = _counting(table.chain, k0, k1, None if about is None else about[number])
            worth += k1 * table.sums1[count] - k0 * table.sums0[count]
        return Fraction(worth, total0 * unit0 * total1 * unit1)

    def chain(self, beginning: Beginning) -> Chain:
        """What adaptive adversaries make of a beginning, at every slope; of whole streams, what they tell."""
        total0, total1 = beginning.totals
        unit0, unit1, tables = self._tables[beginning.round if beginning.live else -1]
        mass0, mass1 = [m0 * unit0 for m0, _ in beginning.over], [m1 * unit1 for _, m1 in beginning.over]
        for position, m0, m1 in beginning.live:
            mass0 += [m0 * a for a in tables[position].chain.mass0]
            mass1 += [m1 * b for b in tables[position].chain.mass1]
        return chains.ordered(mass0, mass1, total0 * unit0, total1 * unit1)

    def chain_at(self, at: int, position: int) -> Chain:
        """What adaptive adversaries make of a position after so many rounds, over the totals of all of that round."""
        _, _, tables = self._tables[at]
        return tables[position].chain

    def missed(self, most: PowerFunction, lower: PowerFunction) -> list[Slope]:
        """A slope for every corner of the first curve that lies above the second: one at which this corner shows."""
        a = most.chain
        slopes = []
        for i in _beyond(a, lower.chain):
            steep, flat = max(i - 1, 0), min(i, len(a) - 1)
            slopes.append(
                _coprime((a.mass1[steep] + a.mass1[flat]) * a.total0, (a.mass0[steep] + a.mass0[flat]) * a.total1)
            )
        return slopes


def _counting(chain: Chain, k0: int, k1: int, about: int | None) -> int:
    """How many first segments count, those with k1 mass1 > k0 mass0; sought from a guess where there is one."""
    mass0, mass1 = chain.mass0, chain.mass1
    if about is None:
        return bisect_left(range(len(chain)), True, key=lambda i: k1 * mass1[i] <= k0 * mass0[i])
    count = about
    while count < len(chain) and k1 * mass1[count] > k0 * mass0[count]:
        count += 1
    while count and k1 * mass1[count - 1] <= k0 * mass0[count - 1]:
        count -= 1
    return count


def _tables(values: Sequence[Chain]) -> tuple[int, int, tuple[_SummedChain, ...]]:
    unit0 = unit1 = 1
    for chain in values:
        look()
        unit0, unit1 = lcm(unit0, chain.total0), lcm(unit1, chain.total1)
    tables = []
    for chain in values:
        look()
        k0, k1 = unit0 // chain.total0, unit1 // chain.total1
        mass0, mass1 = tuple(int(a) * k0 for a in chain.mass0), tuple(int(b) * k1 for b in chain.mass1)
        sums0, sums1 = tuple(accumulate(mass0, initial=0)), tuple(accumulate(mass1, initial=0))
        tables.append(_SummedChain(Chain(mass0, mass1, unit0, unit1), sums0, sums1))
    return unit0, unit1, tuple(tables)


def _reduced(pairs: tuple[Pair, ...], round_: int, live: Sequence[Live], over: Sequence[tuple[int, int]]) -> Beginning:
    unit0 = gcd(*(m0 for _, m0, _ in live), *(m0 for m0, _ in over))
    unit1 = gcd(*(m1 for _, _, m1 in live), *(m1 for _, m1 in over))
    return Beginning(
        pairs,
        round_,
        tuple(sorted((v, m0 // unit0, m1 // unit1) for v, m0, m1 in live)),
        tuple(sorted((m0 // unit0, m1 // unit1) for m0, m1 in over)),
    )


def _ratio(m0: int, m1: int) -> tuple[int, int]:
    common = gcd(m0, m1)
    return m0 // common, m1 // common


def _coprime(c0: int, c1: int) -> Slope:
    common = gcd(c0, c1)
    return c0 // common, c1 // common


def worth(chain: Chain, slope: Slope) -> Fraction:
    """sum max(0, c1 p1 - c0 p0) over the atoms of a chain."""
    c0, c1 = slope[0] * chain.total1, slope[1] * chain.total0
    count = bisect_left(range(len(chain)), True, key=lambda i: c1 * chain.mass1[i] <= c0 * chain.mass0[i])
    return Fraction(c1 * sum(chain.mass1[:count]) - c0 * sum(chain.mass0[:count]), chain.total0 * chain.total1)


def edges(curve: Chain) -> Iterator[Slope]:
    """The slopes of the edges of a curve, the steepest first."""
    corners = curve.graph()
    for (x0, y0), (x1, y1) in pairwise(corners):
        yield _coprime((y1 - y0) * curve.total0, (x1 - x0) * curve.total1)


def _beyond(bound: Chain, reached: Chain) -> list[int]:
    """Numbers of the corners of `bound` that lie above `reached`; corner i is where its segment i begins."""
    first = 1 if bound.mass0[0] == 0 else 0
    return [first + number for number in _crossed(bound, reached)]


def _crossed(bound: Chain, lower: Chain) -> Iterator[int]:
    """The numbers of the corners of `bound`'s graph that lie above `lower`."""
    corners = [(x * bound.total0, y * bound.total1) for x, y in lower.graph()]
    at = 1
    for number, (x, y) in enumerate((x * lower.total0, y * lower.total1) for x, y in bound.graph()):
        while corners[at][0] < x:
            at += 1
        (x0, y0), (x1, y1) = corners[at - 1], corners[at]
        if (y - y0) * (x1 - x0) > (y1 - y0) * (x - x0):
            yield number
