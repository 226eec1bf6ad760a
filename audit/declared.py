"""Checking the certificate that a mechanism declares: its invariant pair, index sets and one-round curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from dpcert.audit.aggregates import Aggregate, Decomposition, law_classes
from dpcert.audit.budget import Budget
from dpcert.audit.contexts import Curves, Inputs
from dpcert.audit.hints import Hints
from dpcert.audit.label import label
from dpcert.audit.view import Core

MOST_QUADRUPLES = 100_000
"""Quadruples (a, u, u', b) of aggregates on which invariance is checked; fewer aggregates are taken past it."""


@dataclass(frozen=True)
class Declared:
    """The certificate as it was checked; `fault` says in words where it does not fit, None where it does.

    `scalar` says whether the distance is a metric with monotone curves, so that it serves rung 1 and not rung 2 alone.
    """

    shape: Decomposition | None
    scalar: bool
    fault: str | None


class _Fault(Exception):
    """Where a declared certificate does not fit."""


def declared(core: Core, hints: Hints, horizon: int, curves: Curves, budget: Budget) -> Declared:
    """Decides a declared certificate over all pairs of histories of every round.

    Source: paper.tex, defn:quant_decomp; rem:vector_quant_decomp.
    """
    aggregate = Aggregate("its own aggregate", hints.pair.zero, hints.aggregate, hints.distance, ())
    sets, tables = [], []
    met: dict[Any, None] = {}
    try:
        for t in range(1, horizon + 1):
            sets.append(hints.index_set(t))
            found = law_classes(core, t, sets[-1], aggregate)
            if found is None:
                raise _Fault(f"there are too many histories in round {t} to compare")
            met |= dict.fromkeys(u for u, _ in found)
            tables.append(_round(t, found, hints, curves, budget))
        _invariant(hints, list(met), budget)
        scalar = _is_metric(hints, list(met), budget) and _is_monotone(tables, curves)
    except _Fault as fault:
        return Declared(None, False, str(fault))
    name = "its own distance" if scalar else None
    return Declared(Decomposition(tuple(sets), aggregate, tuple(tables), name, None, None), scalar, None)


def _round(
    t: int, found: dict[tuple[Any, Any], Inputs], hints: Hints, curves: Curves, budget: Budget
) -> dict[Any, int]:
    """Distance -> the number of its one curve in round t, which is the declared one where one is declared."""
    curve_of: dict[Any, tuple[int, tuple[Inputs, Inputs]]] = {}
    for ((u, law0), one), ((v, law1), two) in product(found.items(), repeat=2):
        budget.check()
        distance = hints.distance(u, v)
        number = curves.of_laws(law0, law1)
        known, (other0, other1) = curve_of.setdefault(distance, (number, (one, two)))
        if known != number:
            raise _Fault(
                f"in round {t}, {label(one)} against {label(two)} and {label(other0)} against {label(other1)} are at "
                f"distance {label(distance)} and have other power functions"
            )
        own = hints.round_power(t, distance)
        if own is not None and own != curves.listed[number]:
            raise _Fault(
                f"round_power({t}, {label(distance)}) is not the power function of {label(one)} against {label(two)}"
            )
    return {distance: number for distance, (number, _) in curve_of.items()}


def _invariant(hints: Hints, aggregates: Sequence[Any], budget: Budget) -> None:
    """d(a ⊕ u ⊕ b, a ⊕ v ⊕ b) = d(u, v), over the aggregates met."""
    most = next((n for n in range(len(aggregates), 1, -1) if n**4 <= MOST_QUADRUPLES), 1)
    for a, u, v, b in product(aggregates[:most], repeat=4):
        budget.check()
        shifted = [hints.aggregate(hints.aggregate(a, w), b) for w in (u, v)]
        if hints.distance(*shifted) != hints.distance(u, v):
            raise _Fault(
                f"common inputs change the distance of {label(u)} and {label(v)}: "
                f"between {label(a)} and {label(b)} it is {label(hints.distance(*shifted))}"
            )


def _is_metric(hints: Hints, aggregates: Sequence[Any], budget: Budget) -> bool:
    """Whether the distances of the aggregates met are numbers that make a metric; if not, it is a difference map."""
    between: dict[Any, Any] = {(u, v): hints.distance(u, v) for u, v in product(aggregates, repeat=2)}
    if not all(isinstance(d, int | Fraction) and d >= 0 for d in between.values()):
        return False
    for u, v in between:
        budget.check()
        if (between[u, v] == 0) != (u == v) or between[u, v] != between[v, u]:
            return False
        if any(between[u, v] > between[u, w] + between[w, v] for w in aggregates):
            return False
    return True


def _is_monotone(tables: Sequence[dict[Any, int]], curves: Curves) -> bool:
    """Whether every round's power function rises with the distance."""
    return all(
        curves.listed[table[near]] <= curves.listed[table[far]]
        for table in tables
        for near, far in pairwise(sorted(table))
    )
