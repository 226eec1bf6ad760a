"""Tables with small denominators near a table of many digits, each worth what the exact solver says."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from math import lcm

from dpcert.audit.budget import Budget
from dpcert.audit.search.tabulated import Law, Tabulated, Worth, nearest, worth

DENOMINATORS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000)
GIVEN_UP = Fraction(1, 100)
"""The share of the ratio that a table with smaller denominators may cost."""


class Polisher:
    """Rounds and improves tables for one e^epsilon, keeping the fixed-stream delta at least `least_delta`."""

    def __init__(self, inputs: int, horizon: int, exp_epsilon: Fraction, least_delta: Fraction) -> None:
        self._inputs, self._horizon = inputs, horizon
        self._exp_epsilon, self._least = exp_epsilon, least_delta
        self._known: dict[Tabulated, Worth] = {}

    def worth(self, core: Tabulated) -> Worth:
        """What the core is worth at this e^epsilon; each core is solved once."""
        if core not in self._known:
            self._known[core] = worth(core, self._exp_epsilon)
        return self._known[core]

    def ratio(self, core: Tabulated) -> Fraction:
        """adaptive / fixed-stream, or 1, no gap, where the fixed-stream delta is too small to count."""
        value = self.worth(core)
        return value.ratio if value.fixed >= self._least else Fraction(1)

    def rounded(self, laws: Sequence[Law]) -> Tabulated:
        """The table near `laws` with the smallest denominators whose ratio is almost the best of all roundings."""
        cores = [Tabulated(self._inputs, self._horizon, tuple(nearest(law, d) for law in laws)) for d in DENOMINATORS]
        enough = max(map(self.ratio, cores)) * (1 - GIVEN_UP)
        return next(core for core in cores if self.ratio(core) >= enough)

    def improvements(self, core: Tabulated, budget: Budget) -> Iterator[Tabulated]:
        """Ever better tables: one law is changed at a time, if the ratio grows, or stays while denominators fall.

        Raises: Stopped: the time is over.
        """
        progress = True
        while progress:
            progress = False
            for number in range(len(core.laws)):
                best = core
                for law in self._alternatives(core, number):
                    budget.check()
                    best = max(best, core.with_law(number, law), key=self.merit)
                if best != core:
                    core, progress = best, True
                    yield core

    def merit(self, core: Tabulated) -> tuple[Fraction, int]:
        """What is to be large: the ratio, then the smallness of the denominators."""
        return self.ratio(core), -sum(map(denominator, core.laws))

    def _alternatives(self, core: Tabulated, number: int) -> Iterator[Law]:
        """Rounder laws, laws of other prefixes of the same length, and those one unit away."""
        law = core.laws[number]
        unit = denominator(law)
        yield from (nearest(law, d) for d in DENOMINATORS if d < unit)
        table = core.table
        length = len(list(table)[number])
        yield from (other for prefix, other in table.items() if len(prefix) == length)
        for i, j in permutations(range(len(law)), 2):
            if law[i] > 0:
                moved = list(law)
                moved[i] -= Fraction(1, unit)
                moved[j] += Fraction(1, unit)
                yield tuple(moved)


def denominator(law: Law) -> int:
    """The least common denominator of the weights."""
    return lcm(*(w.denominator for w in law))
