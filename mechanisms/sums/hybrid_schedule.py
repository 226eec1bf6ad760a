"""The schedule of the hybrid prefix sum: which interval each round counts, and what share of epsilon it may spend."""

from dataclasses import dataclass

from dpcert.audit.errors import expected

UNITS = 840
"""Shares of epsilon are whole multiples of 1 / UNITS, so that few noise laws serve all rounds."""
BUDGETS = ("uniform", "sharp")


def cover(t: int) -> tuple[int, ...]:
    """The rounds whose intervals make up [1..t], for t of at least 1, whatever is spent in them.

    >>> cover(6)
    (1, 3, 5, 6)
    """
    k = t.bit_length() - 1
    o = t - (1 << k) + 1
    roots = [(2 << i) - 1 for i in range(k)]
    ends = []
    while o:
        ends.append((1 << k) - 1 + o)
        o &= o - 1
    return (*roots, *reversed(ends))


@dataclass(frozen=True)
class HybridSchedule:
    """Rounds 2^k to 2^(k+1) - 1 are segment k; in it round t, the o-th, counts the last lowbit(o) rounds.

    Args:
        budget: "uniform": every interval of segment k spends epsilon / (k + 1). "sharp": the segment's root does, and
            in a subtree of height j with a remaining share b the left child spends b / j, the right one keeps b.
    Source: paper.tex, thm:dp_unbounded_prefix_sum; claims 75.
    """

    budget: str = "uniform"

    def __post_init__(self) -> None:
        if self.budget not in BUDGETS:
            raise expected(f"a budget ({', '.join(BUDGETS)})", budget=self.budget)

    def interval(self, t: int) -> tuple[int, int]:
        """I_t as (first, last) round.

        >>> [HybridSchedule().interval(t) for t in range(1, 8)]
        [(1, 1), (2, 2), (2, 3), (4, 4), (4, 5), (6, 6), (4, 7)]
        """
        return t - (1 << self.height(t)) + 1, t

    def height(self, t: int) -> int:
        """log2 of the length of I_t."""
        _, o = self.place(t)
        return (o & -o).bit_length() - 1

    def place(self, t: int) -> tuple[int, int]:
        """(k, o): round t is the o-th of segment k, o from 1 to 2^k.

        >>> HybridSchedule().place(6)
        (2, 3)
        """
        if t < 1:
            raise expected("a round of at least 1", t=t)
        k = t.bit_length() - 1
        return k, t - (1 << k) + 1

    def units(self, t: int) -> int:
        """What the noise of round t spends, in 1 / UNITS of epsilon, rounded down; each item's rounds add up to at
        most UNITS.

        >>> [HybridSchedule("sharp").units(t) for t in range(4, 8)] == [280, 280, 560, 280]
        True
        """
        k, o = self.place(t)
        root = UNITS // (k + 1)
        if self.budget == "uniform" or o == 1 << k:
            return root
        rest, height = UNITS - root, self.height(t)
        for j in range(k, height, -1):
            if (o - 1) >> (j - 1) & 1:
                continue
            if j - 1 == height:
                return rest // j
            rest -= rest // j
        raise AssertionError("an interval that is no root is a left child")

    def cover(self, t: int) -> tuple[int, ...]:
        """The rounds whose intervals make up [1..t]: the roots of earlier segments, and the cover of o.

        >>> HybridSchedule().cover(6)
        (1, 3, 5, 6)
        """
        self.place(t)  # raises where there is no such round
        return cover(t)

    def holding(self, i: int, horizon: int) -> tuple[int, ...]:
        """The rounds up to `horizon` whose intervals hold item i, rising.

        >>> HybridSchedule().holding(4, 7)
        (4, 5, 7)
        """
        k, o = self.place(i)
        ends = []
        while o <= 1 << k:
            ends.append((1 << k) - 1 + o)
            o += o & -o
        return tuple(t for t in ends if t <= horizon)
