"""How high a chain is at a slope, in whole numbers."""

from bisect import bisect_left
from itertools import accumulate

from dpcert.audit.algebra.chain import Chain

Ray = tuple[int, int]
"""a : b, where what is sought is the sum of max(0, b P1 - a P0)."""


class Heights:
    """V(a, b), the largest b y - a x over the corners of a chain, times both of its totals."""

    def __init__(self, chain: Chain) -> None:
        self._mass0, self._mass1 = [int(m) for m in chain.mass0], [int(m) for m in chain.mass1]
        self._sum0, self._sum1 = [0, *accumulate(self._mass0)], [0, *accumulate(self._mass1)]
        self._total0, self._total1 = chain.total0, chain.total1
        self.unit = chain.total0 * chain.total1

    def of(self, ray: Ray) -> int:
        """V(a, b), times the totals.

        Args:
            ray: a and b, at least 0.
        """
        p, q = ray[0] * self._total1, ray[1] * self._total0
        at = bisect_left(range(len(self._mass0)), True, key=lambda i: q * self._mass1[i] <= p * self._mass0[i])
        return q * self._sum1[at] - p * self._sum0[at]

    def slopes(self, edges: list[int]) -> list[Ray]:
        """The rays of some of its edges, but for those along an axis.

        Args:
            edges: Their numbers.
        """
        rays = ((self._mass1[i] * self._total0, self._mass0[i] * self._total1) for i in edges)
        return [ray for ray in rays if all(ray)]
