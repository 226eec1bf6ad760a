"""Certificates for the lift, checked on every two histories of every round."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, product
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.proofs_checked.cases.laws import law_of

History = tuple[Any, ...]
IndexSets = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Monoid:
    """A monoid of inputs and a difference of two aggregates, a distance where it is one. Source: defn:inv_pair."""

    zero: Any
    plus: Callable[[Any, Any], Any]
    difference: Callable[[Any, Any], Any]

    def of(self, history: History, index_set: tuple[int, ...]) -> Any:
        """The aggregate of the inputs whose rounds are in the index set, in increasing order."""
        return reduce(self.plus, (history[i - 1] for i in index_set), self.zero)


def around(m: int) -> Monoid:
    """Sums modulo m, and the shorter way round as their distance."""
    return Monoid(0, lambda u, v: (u + v) % m, lambda u, v: min((u - v) % m, (v - u) % m))


def on_the_line(difference: Callable[[int, int], int]) -> Monoid:
    """Sums of whole numbers."""
    return Monoid(0, lambda u, v: u + v, difference)


@dataclass(frozen=True)
class Clash:
    """Two pairs of histories of one round with one difference and two curves."""

    round: int
    pairs: tuple[tuple[History, History], tuple[History, History]]


RoundPowers = dict[tuple[int, Any], PowerFunction]
"""g_t(theta) by (t, theta)."""


def round_powers(mechanism: Any, sets: IndexSets, aggregate: Monoid) -> RoundPowers | Clash:
    """The curves that the difference of aggregates decides, or two pairs of histories that show it does not."""
    alphabet, law = mechanism.alphabet, law_of(mechanism)
    powers: dict[tuple[int, Any], tuple[PowerFunction, tuple[History, History]]] = {}
    curves: dict[tuple[Pmf[Any], Pmf[Any]], PowerFunction] = {}
    for t, index_set in enumerate(sets, 1):
        inputs = {x: (law(x), aggregate.of(x, index_set)) for x in product(alphabet, repeat=t)}
        for (one, (law0, u)), (two, (law1, v)) in product(inputs.items(), repeat=2):
            curve = curves.get((law0, law1)) or curves.setdefault((law0, law1), PowerFunction.from_laws(law0, law1))
            known, shown = powers.setdefault((t, aggregate.difference(u, v)), (curve, (one, two)))
            if known is not curve and known != curve:
                return Clash(t, (shown, (one, two)))
    return {key: curve for key, (curve, _) in powers.items()}


def monotone(powers: RoundPowers) -> bool:
    """Whether g_t(theta) never falls as theta grows."""
    return all(f <= g if d <= e else g <= f for ((t, d), f), ((s, e), g) in combinations(powers.items(), 2) if t == s)


def one_sided(powers: RoundPowers) -> PowerFunction | None:
    """A curve that is not its own reverse, which no distance can decide; None if there is none."""
    return next((curve for curve in powers.values() if curve != curve.reversed()), None)
