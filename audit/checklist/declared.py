"""Checking the certificate that a mechanism declares: its invariant pair, index sets and one-round curves."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import lcm
from operator import add
from typing import Any

from dpcert.audit.budget import Budget
from dpcert.audit.checklist.aggregates import Aggregate, Decomposition, law_classes
from dpcert.audit.checklist.contexts import Curves, Inputs
from dpcert.audit.checklist.hints import Hints
from dpcert.audit.checklist.monoid import DeclaredPair, Fault, Unchecked, check_again, check_pair
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.label import label

MOST_TRIPLES = 8_000_000
"""Triples of aggregates past which the triangle inequality is not checked, so that the distance serves no SCALAR."""


@frozen
class DeclarationCheck:
    """The certificate as it was checked, its shape None where it is of no use.

    `scalar` says whether the distance is a metric with monotone curves, so that it serves rung 1 and not rung 2 alone.
    `note` says in a sentence why the certificate, or its distance as a metric, is not used.
    """

    shape: Decomposition | None
    scalar: bool
    note: str = ""


def declared(core: Core, hints: Hints, horizon: int, curves: Curves, budget: Budget) -> DeclarationCheck:
    """Decides a declared certificate over all pairs of histories of every round.

    Source: paper.tex, defn:quant_decomp; rem:vector_quant_decomp.
    """
    pair = DeclaredPair(hints, budget)
    aggregate = Aggregate("its own aggregate", pair.zero, pair.plus, pair.distance, ())
    sets, tables = [], []
    values: dict[Any, None] = {}
    try:
        for t in range(1, horizon + 1):
            sets.append(hints.index_set(t))
            classes = law_classes(core, t, sets[-1], aggregate, budget)
            if classes is None:
                raise Unchecked(f"there are too many histories in round {t} to compare (MOST_HISTORIES, MOST_CLASSES)")
            values |= dict.fromkeys(u for u, _ in classes)
            tables.append(_round(t, classes, pair, curves))
        check_pair(pair, core.alphabet, max(map(len, sets)))
        check_again(pair, [hints.index_set(t) for t in range(horizon, 0, -1)], sets[::-1])
        no_metric = _no_metric(pair, list(values))
    except Fault as fault:
        return DeclarationCheck(None, False, f"The certificate that it declares does not fit: {fault}.")
    except Unchecked as reason:
        return DeclarationCheck(None, False, f"The certificate that it declares was not checked: {reason}.")
    scalar = no_metric is None and _is_monotone(tables, curves)
    name = "its own distance" if scalar else None
    shape = Decomposition(tuple(sets), aggregate, tuple(tables), name, None, None)
    return DeclarationCheck(
        shape, scalar, f"The distance that it declares is not used: {no_metric}." if no_metric else ""
    )


def _round(t: int, found: dict[tuple[Any, Any], Inputs], pair: DeclaredPair, curves: Curves) -> dict[Any, int]:
    """Distance -> the number of its one curve in round t, which is the declared one where one is declared."""
    curve_of: dict[Any, tuple[int, tuple[Inputs, Inputs]]] = {}
    for ((u, law0), one), ((v, law1), two) in product(found.items(), repeat=2):
        distance = pair.distance(u, v)
        number = curves.of_laws(law0, law1)
        new = distance not in curve_of
        known, (other0, other1) = curve_of.setdefault(distance, (number, (one, two)))
        if known != number:
            raise Fault(
                f"in round {t}, {label(one)} against {label(two)} and {label(other0)} against {label(other1)} are at "
                f"distance {label(distance)} and have other power functions"
            )
        own = pair.hints.round_power(t, distance) if new else None
        if own is not None and own != curves.powers[number]:
            raise Fault(
                f"round_power({t}, {label(distance)}) is not the power function of {label(one)} against {label(two)}"
            )
    return {distance: number for distance, (number, _) in curve_of.items()}


def _no_metric(pair: DeclaredPair, aggregates: Sequence[Any]) -> str | None:
    """Why the distances of the aggregates met make no metric; empty where they are no numbers, but differences."""
    rows = [[pair.distance(u, v) for v in aggregates] for u in aggregates]
    distances = [d for row in rows for d in row]
    if not all(type(d) in (int, Fraction) for d in distances):
        return ""
    scale = lcm(*(Fraction(d).denominator for d in distances))
    whole = [[int(d * scale) for d in row] for row in rows]
    everywhere = range(len(aggregates))
    for i, j in product(everywhere, repeat=2):
        d, u, v = rows[i][j], label(aggregates[i]), label(aggregates[j])
        if d < 0 or (d == 0) != (i == j) or d != rows[j][i]:
            return f"it is no metric, {label(d)} from {u} to {v} and {label(rows[j][i])} back"
    if len(aggregates) ** 3 > MOST_TRIPLES:
        return f"there are more than {MOST_TRIPLES} triples of aggregates to check that it is a metric (MOST_TRIPLES)"
    for i, j in product(everywhere, repeat=2):
        pair.budget.check()
        there, back = whole[i], whole[j]
        if whole[i][j] > min(map(add, there, back)):
            k = min(everywhere, key=lambda k: there[k] + back[k])
            u, v, w = (label(aggregates[at]) for at in (i, j, k))
            return f"it is no metric, {label(rows[i][j])} from {u} to {v} and less by way of {w}"
    return None


def _is_monotone(tables: Sequence[dict[Any, int]], curves: Curves) -> bool:
    """Whether every round's power function rises with the distance."""
    return all(
        curves.powers[table[near]] <= curves.powers[table[far]]
        for table in tables
        for near, far in pairwise(sorted(table))
    )
