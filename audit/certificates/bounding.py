"""A curve for every value of a solved game, on or above what adversaries make of it, each from those that follow."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from math import gcd, lcm

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.certificates.heights import Ray
from dpcert.audit.certificates.outward import Outward
from dpcert.audit.certificates.tolerances import Tolerances
from dpcert.audit.certificates.touching import touching
from dpcert.audit.certificates.unsolved import Choosing
from dpcert.audit.solving.adaptive import Option


@dataclass
class Bounding:
    """Curves of values, in the order in which the solver met them.

    Attributes:
        values: The values of the solved game.
        hulls: Its hulls.
        outward: How curves are thinned; None for curves that are exact.
        tolerances: How near to the truth curves that are thinned have to be, and where.
        exact: The exact curves, where there are any.
        chains: The curves so far, by the number of the value.
        mirror: The value that is the same with the worlds swapped, where there is one.
        rays: Per value, the slopes at which a curve that is not thinned has to be exact; None for all.
    """

    values: Sequence[Choosing]
    hulls: Hulls
    mirror: dict[int, int]
    outward: Outward | None = None
    tolerances: Tolerances | None = None
    exact: Sequence[Chain] = ()
    chains: list[Chain] = field(default_factory=list)
    rays: Sequence[Set[Ray] | None] = ()

    def of(self, number: int) -> Chain:
        """The curve of a value."""
        while len(self.chains) <= number:
            self.chains.append(self._next(len(self.chains)))
        return self.chains[number]

    def all(self, most_segments: int) -> list[Chain]:
        """All of them; none where they have more than so many segments.

        Args:
            most_segments: Segments of all curves.
        """
        segments = 0
        for number in range(len(self.values)):
            segments += len(self.of(number))
            if segments > most_segments:
                self.chains.clear()
                return []
        return self.chains

    def _next(self, number: int) -> Chain:
        options = self.values[number].options
        if not options:
            return self.exact[number] if self.exact else chains.IDENTITY
        twin = self.mirror.get(number, number)
        return self._reversed(number, twin) if twin < number else self._bound(number, options)

    def _reversed(self, number: int, twin: int) -> Chain:
        if self.exact and self.chains[twin] is self.exact[twin]:
            return self.exact[number]
        return self.chains[twin].reversed()

    def _bound(self, number: int, options: Sequence[Option]) -> Chain:
        curves = self.chains
        total0 = lcm(*(_unit(k0, d0 * curves[v].total0) for d0, _, runs in options for v, k0, _ in runs))
        total1 = lcm(*(_unit(k1, d1 * curves[v].total1) for _, d1, runs in options for v, _, k1 in runs))
        releases = [
            [
                (k0 * total0 // (d0 * curves[v].total0), k1 * total1 // (d1 * curves[v].total1), curves[v])
                for v, k0, k1 in runs
            ]
            for d0, d1, runs in options
        ]
        if self.outward is None or self.tolerances is None:
            rays = self.rays[number] if self.rays else None
            if rays is None:
                return self.hulls.of(total0, total1, releases)[0]
            return touching(chains.hull([chains.release(runs, total0, total1) for runs in releases])[0], rays)
        whole, _ = chains.hull([chains.release(runs, total0, total1) for runs in releases])
        near = self.outward.near(whole, self.tolerances.everywhere[number], self.tolerances.at[number])
        below = {v for _, _, runs in options for v, _, _ in runs}
        if self.exact and all(curves[v] is self.exact[v] for v in below) and len(self.exact[number]) <= len(near):
            return self.exact[number]  # one that is thinned has slopes of its own, so that those above are longer
        return near


def mirrors(values: Sequence[Choosing]) -> dict[int, int]:
    """The value that is the same with the worlds swapped, of each that has one.

    Args:
        values: Those of a game; options lead to earlier ones.
    """
    twins, numbers = {0: 0}, dict[frozenset[Option], int]()
    for number, value in enumerate(values):
        if not value.options:
            continue
        numbers[frozenset(value.options)] = number
        if all(v in twins for _, _, runs in value.options for v, _, _ in runs):
            turned = (
                (d1, d0, tuple(sorted((twins[v], k1, k0) for v, k0, k1 in runs))) for d0, d1, runs in value.options
            )
            twin = numbers.get(frozenset(turned))
            if twin is not None:
                twins |= {number: twin, twin: number}
    return twins


def _unit(weight: int, denominator: int) -> int:
    """The denominator of weight / denominator in lowest terms."""
    return denominator // gcd(weight, denominator)
