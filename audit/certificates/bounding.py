"""A curve for every value of a solved game, on or above what adversaries make of it, each from those that follow."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd, lcm

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.certificates.outward import Outward
from dpcert.audit.solving.adaptive import Option, Value


@dataclass
class Bounding:
    """Curves of values, in the order in which the solver met them.

    Attributes:
        values: The values of the solved game.
        hulls: Its hulls.
        outward: How curves are thinned; None for curves that are exact.
        known: The curves so far, by the number of the value.
        mirror: The value that is the same with the worlds swapped, where it came before.
    """

    values: Sequence[Value]
    hulls: Hulls
    outward: Outward | None = None
    known: list[Chain] = field(default_factory=list)
    mirror: dict[int, int] = field(default_factory=lambda: {0: 0})
    _numbers: dict[frozenset[Option], int] = field(default_factory=dict)

    def of(self, number: int) -> Chain:
        """The curve of a value."""
        while len(self.known) <= number:
            self.known.append(self._next(len(self.known)))
        return self.known[number]

    def _next(self, number: int) -> Chain:
        options = self.values[number].options
        if not options:
            return chains.IDENTITY
        self._numbers[frozenset(options)] = number
        twin = self._twin(options)
        if twin is not None:
            self.mirror |= {number: twin, twin: number}
            if twin != number:
                return self.known[twin].reversed()
        return self._bound(options)

    def _twin(self, options: Sequence[Option]) -> int | None:
        if any(v not in self.mirror for _, _, runs in options for v, _, _ in runs):
            return None
        turned = ((d1, d0, tuple(sorted((self.mirror[v], k1, k0) for v, k0, k1 in runs))) for d0, d1, runs in options)
        return self._numbers.get(frozenset(turned))

    def _bound(self, options: Sequence[Option]) -> Chain:
        known = self.known
        total0 = lcm(*(_unit(k0, d0 * known[v].total0) for d0, _, runs in options for v, k0, _ in runs))
        total1 = lcm(*(_unit(k1, d1 * known[v].total1) for _, d1, runs in options for v, _, k1 in runs))
        releases = [
            [
                (k0 * total0 // (d0 * known[v].total0), k1 * total1 // (d1 * known[v].total1), known[v])
                for v, k0, k1 in runs
            ]
            for d0, d1, runs in options
        ]
        if self.outward is None:
            return self.hulls.of(total0, total1, releases)[0]
        whole, _ = chains.hull([chains.release(runs, total0, total1) for runs in releases])
        return self.outward.of(whole)


def _unit(weight: int, denominator: int) -> int:
    """The denominator of weight / denominator in lowest terms."""
    return denominator // gcd(weight, denominator)
