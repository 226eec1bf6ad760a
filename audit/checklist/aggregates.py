"""Finding an invariant difference: does the aggregate of some of the inputs decide every one-round curve?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from math import gcd
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import integer_text, text
from dpcert.audit.budget import Budget
from dpcert.audit.checklist.contexts import Challenge, Curves, Inputs
from dpcert.audit.checklist.index_sets import index_sets
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import Level
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.label import label

MOST_HISTORIES = 5_000
"""States with an aggregate in one round past which they are too many."""
MOST_CLASSES = 200
"""Classes of histories in one round past which not every two of them are compared."""
MOST_MODULI = 10_000
"""Moduli tried, of the inputs as they are and of the inputs divided by a common divisor; there may be more."""
SHOWN_IN_ORDER = 200
"""Curves of one round up to which the first two that are incomparable are shown; past it any two."""


@frozen
class Aggregate:
    """A commutative group in which inputs add up: its name, its sum, its difference, and distances to try."""

    name: str
    zero: Any
    plus: Callable[[Any, Any], Any]
    minus: Callable[[Any, Any], Any]
    distances: tuple[tuple[str, Callable[[Any], int]], ...]


def integers() -> Aggregate:
    """Sums of whole numbers."""
    return Aggregate("the sum", 0, lambda u, v: u + v, lambda u, v: u - v, (("its size", abs),))


def modular(m: int) -> Aggregate:
    """Sums modulo m."""
    return Aggregate(
        f"the sum modulo {integer_text(m)}",
        0,
        lambda u, v: (u + v) % m,
        lambda u, v: (u - v) % m,
        ((f"the shorter way round modulo {integer_text(m)}", lambda v: min(v, m - v)),),
    )


def vectors(dimension: int) -> Aggregate:
    """Sums of integer vectors."""
    return Aggregate(
        "the vector sum",
        (0,) * dimension,
        lambda u, v: tuple(a + b for a, b in zip(u, v, strict=True)),
        lambda u, v: tuple(a - b for a, b in zip(u, v, strict=True)),
        (
            ("its l1 norm", lambda v: sum(map(abs, v))),
            ("its largest coordinate", lambda v: max(map(abs, v), default=0)),
        ),
    )


def candidate(alphabet: Sequence[Any]) -> Aggregate | None:
    """The sums that inputs of this kind have, no numbers but ints for their sums are exact; moduli come after."""
    if all(type(x) is int for x in alphabet):
        return integers()
    tuples = all(type(x) is tuple and all(type(c) is int for c in x) for x in alphabet)
    return vectors(len(alphabet[0])) if tuples and len({len(x) for x in alphabet}) == 1 else None


@frozen
class Decomposition:
    """What comparing every two histories of every round found.

    `aggregate` is None where no candidate fits; `distance` names one that makes the curves monotone. `asymmetric` is
    (history, other, curve, curve the other way, round); `incomparable` is (pair, pair, curve, curve, round). `untried`
    says what was not tried.
    """

    influence: tuple[tuple[int, ...], ...]
    aggregate: Aggregate | None
    curve_of: tuple[dict[Any, int], ...]
    distance: str | None
    asymmetric: tuple[Inputs, Inputs, int, int, int] | None
    incomparable: tuple[tuple[Inputs, Inputs], tuple[Inputs, Inputs], int, int, int] | None
    untried: str = ""

    @property
    def in_words(self) -> str:
        """The certificate as a sentence fragment."""
        name = "" if self.aggregate is None else self.aggregate.name
        return f"The difference of {name} over I_t decides every one-round curve, with {index_sets(self.influence)}"

    def document(self, curves: Curves) -> dict[str, Any]:
        """The certificate: index sets, aggregate, and every g_t as vertices."""
        return {
            "aggregate": None if self.aggregate is None else self.aggregate.name,
            "distance": self.distance,
            "index_sets": [list(i) for i in self.influence],
            "round_power": [
                [
                    {"difference": label(v), "power": [[text(x), text(y)] for x, y in curves.powers[c].vertices]}
                    for v, c in sorted(of.items(), key=lambda item: label(item[0]))
                ]
                for of in self.curve_of
            ],
        }


def decomposition(
    core: Core, levels: Sequence[Level], challenges: Sequence[Challenge], curves: Curves, budget: Budget
) -> Decomposition | None:
    """Tries every candidate aggregate on every two histories of every round; None if there are too many.

    The first one with a distance that works is taken, else the first that fits at all: whole numbers or vectors, then
    whole numbers by modulus.
    """
    horizon = len(levels)
    influence = _influence(challenges, horizon)
    tables = []
    for t in range(1, horizon + 1):
        table = _compared(core, t, influence[t - 1], None, curves, budget)
        if table is None:
            return None
        tables.append(table)
    asymmetric = next((table.asymmetric for table in tables if table.asymmetric is not None), None)
    crossed = next((table.incomparable for table in tables if table.incomparable is not None), None)
    search = _DecompositionSearch(core, influence, curves, budget)
    aggregate, curve_of, distance = search.best()
    return Decomposition(influence, aggregate, curve_of, distance, asymmetric, crossed, search.untried)


def _influence(challenges: Sequence[Challenge], horizon: int) -> tuple[tuple[int, ...], ...]:
    """I_t: the rounds whose input can change the law of round t."""
    sets: list[set[int]] = [set() for _ in range(horizon)]
    for challenge in challenges:
        i = len(challenge.before) + 1
        for offset, future in enumerate(challenge.future.rounds()):
            if any(future.here):
                sets[i - 1 + offset].add(i)
    return tuple(tuple(sorted(s)) for s in sets)


@frozen
class _ClassTable:
    """One round, every two classes of histories compared; `curve_of` is None where one difference has two curves."""

    curve_of: dict[Any, int] | None
    asymmetric: tuple[Inputs, Inputs, int, int, int] | None
    incomparable: tuple[tuple[Inputs, Inputs], tuple[Inputs, Inputs], int, int, int] | None


def _compared(
    core: Core, t: int, influence: tuple[int, ...], aggregate: Aggregate | None, curves: Curves, budget: Budget
) -> _ClassTable | None:
    """Classes are (aggregate, law); without an aggregate the law alone."""
    classes = law_classes(core, t, influence, aggregate, budget)
    if classes is None:
        return None
    curve_of: dict[Any, int] | None = {} if aggregate is not None else None
    classes_by_curve: dict[int, tuple[Inputs, Inputs]] = {}
    asymmetric = None
    for (u, law0), one in classes.items():
        for (v, law1), two in classes.items():
            budget.check()
            number = curves.of_laws(law0, law1)
            classes_by_curve.setdefault(number, (one, two))
            if aggregate is not None and curve_of is not None:
                if curve_of.setdefault(aggregate.minus(u, v), number) != number:
                    curve_of = None
            elif aggregate is None and asymmetric is None:
                back = curves.of_laws(law1, law0)
                if back != number:
                    asymmetric = one, two, number, back, t
    crossing = None
    pair = _crossed(list(classes_by_curve), curves, budget) if aggregate is None else None
    if pair is not None:
        f, g = pair
        crossing = classes_by_curve[f], classes_by_curve[g], f, g, t
    return _ClassTable(curve_of, asymmetric, crossing)


def _crossed(numbers: Sequence[int], curves: Curves, budget: Budget) -> tuple[int, int] | None:
    """Two incomparable curves; None where each two are comparable, which neighbours by area tell already."""
    by_area = sorted(numbers, key=lambda number: _area(curves.powers[number]))
    for f, g in pairwise(by_area):
        budget.check()
        if not curves.powers[f] <= curves.powers[g]:
            if len(numbers) > SHOWN_IN_ORDER:
                return f, g
            break
    else:
        return None
    for f, g in combinations(sorted(numbers), 2):
        budget.check()
        if not (curves.powers[f] <= curves.powers[g] or curves.powers[g] <= curves.powers[f]):
            return f, g
    return f, g


def _area(power: PowerFunction) -> Fraction:
    """Twice the area under a power function, which is larger of a curve that is larger somewhere and never smaller."""
    c, height, area = power.chain, 0, 0
    for a, b in zip(c.mass0, c.mass1, strict=True):
        area += a * (2 * height + b)
        height += b
    return Fraction(area, c.total0 * c.total1)


def law_classes(
    core: Core, t: int, influence: tuple[int, ...], aggregate: Aggregate | None, budget: Budget
) -> dict[tuple[Any, Pmf[Any]], Inputs] | None:
    """(aggregate over I_t, law of round t) -> the first history with them; None if there are too many."""
    histories: dict[tuple[Any, Any], Inputs] = {(core.initial, None if aggregate is None else aggregate.zero): ()}
    for round_ in range(1, t + 1):
        following: dict[tuple[Any, Any], Inputs] = {}
        for (state, total), history in histories.items():
            for x in core.alphabet:
                budget.check()
                added = aggregate.plus(total, x) if aggregate is not None and round_ in influence else total
                following.setdefault((core.advance(state, x), added), (*history, x))
            if len(following) > MOST_HISTORIES:
                return None
        histories = following
    classes: dict[tuple[Any, Pmf[Any]], Inputs] = {}
    for (state, total), history in histories.items():
        budget.check()
        classes.setdefault((total, core.law(state)), history)
        if len(classes) > MOST_CLASSES:
            return None
    return classes


CurveOf = tuple[dict[Any, int], ...]
"""Round by round, difference -> the number of its one curve."""


@dataclass
class _DecompositionSearch:
    """The search for an aggregate whose differences decide every curve, and for a distance of it."""

    core: Core
    influence: tuple[tuple[int, ...], ...]
    curves: Curves
    budget: Budget
    untried: str = ""

    def best(self) -> tuple[Aggregate | None, CurveOf, str | None]:
        """The first aggregate with a distance that works, else the first that fits at all."""
        sums = candidate(self.core.alphabet)
        if sums is None:
            return None, (), None
        curve_of, misfit = self._fitted(sums)
        if curve_of is None:
            return (None, (), None) if misfit or type(sums.zero) is not int else self._modular_by_classes()
        distance = next((name for name, size in sums.distances if self._violation(curve_of, size) is None), None)
        m = None if distance is not None or type(sums.zero) is not int else self._modulus(curve_of)
        if m is None:
            return sums, curve_of, distance
        return modular(m), tuple({d % m: c for d, c in of.items()} for of in curve_of), modular(m).distances[0][0]

    def _fitted(self, aggregate: Aggregate) -> tuple[CurveOf | None, bool]:
        """What each difference's curve is; without it, whether one difference has two (else there are too many)."""
        tables: list[dict[Any, int]] = []
        many = False
        for t, rounds in enumerate(self.influence, 1):
            table = _compared(self.core, t, rounds, aggregate, self.curves, self.budget)
            if table is not None and table.curve_of is None:
                return None, True
            many = many or table is None
            tables.append({} if table is None or table.curve_of is None else table.curve_of)
        return (None, False) if many else (tuple(tables), False)

    def _violation(self, curve_of: CurveOf, size: Callable[[Any], int]) -> tuple[Any, Any] | None:
        """Two differences, the first of a size at most that of the second, whose curves no monotone size allows.

        None where the curve depends on the size alone, and never falls as it grows.
        """
        for of in curve_of:
            by_size: dict[int, Any] = {}
            for difference, number in of.items():
                if of[by_size.setdefault(size(difference), difference)] != number:
                    return by_size[size(difference)], difference
            for near, far in pairwise(sorted(by_size)):
                self.budget.check()
                if not self.curves.powers[of[by_size[near]]] <= self.curves.powers[of[by_size[far]]]:
                    return by_size[near], by_size[far]
        return None

    def _modulus(self, curve_of: CurveOf) -> int | None:
        """The least modulus with a distance that works, where the size of a whole number is none.

        What fits a modulus fits whole numbers; past twice the largest difference the distance is that size again. The
        two differences that rule the size out must change places.
        """
        violation = self._violation(curve_of, abs)
        if violation is None or abs(violation[0]) == abs(violation[1]):
            return None  # a difference and its opposite have two curves, and one size in every modulus
        near, far = violation
        for m in self._moduli(2 * max(abs(d) for of in curve_of for d in of)):
            self.budget.check()
            size = partial(_around, m)
            if size(near) > size(far) and self._violation(curve_of, size) is None:
                return m
        return None

    def _moduli(self, most: int) -> Iterator[int]:
        """Moduli up to the span of the inputs, in order; if there are too many, some of those that divide well."""
        alphabet = self.core.alphabet
        span = max(alphabet) - min(alphabet)
        yield from range(2, min(most, span + 1, MOST_MODULI) + 1)
        if min(most, span + 1) > MOST_MODULI:
            self.untried = f" Not all moduli past {MOST_MODULI} were tried."
            unit = gcd(*(x - alphabet[0] for x in alphabet))
            yield from (unit * m for m in range(2, min(most // unit, span // unit + 1, MOST_MODULI) + 1))

    def _modular_by_classes(self) -> tuple[Aggregate | None, CurveOf, str | None]:
        """Moduli where there are too many sums to compare every two."""
        first: tuple[Aggregate | None, CurveOf, str | None] = None, (), None
        alphabet = self.core.alphabet
        for m in self._moduli(max(alphabet) - min(alphabet) + 1):
            aggregate = modular(m)
            curve_of, _ = self._fitted(aggregate)
            if curve_of is None:
                continue
            name, size = aggregate.distances[0]
            if self._violation(curve_of, size) is None:
                return aggregate, curve_of, name
            first = first if first[0] is not None else (aggregate, curve_of, None)
        return first


def _around(m: int, v: int) -> int:
    """The shorter way from 0 to v modulo m."""
    return min(v % m, -v % m)
