"""Finding an invariant difference: does the aggregate of some of the inputs decide every one-round curve?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from dpcert.audit.budget import Budget
from dpcert.audit.contexts import Challenge, Curves, Inputs
from dpcert.audit.game import Level
from dpcert.audit.label import label
from dpcert.audit.pmf import Pmf
from dpcert.audit.rational import text
from dpcert.audit.view import Core

MOST_HISTORIES = 5_000
"""States with an aggregate in one round past which they are too many."""
MOST_CLASSES = 200
"""Classes of histories in one round past which not every two of them are compared."""


@dataclass(frozen=True)
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
        f"the sum modulo {m}",
        0,
        lambda u, v: (u + v) % m,
        lambda u, v: (u - v) % m,
        ((f"the shorter way round modulo {m}", lambda v: min(v, m - v)),),
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
            ("its largest coordinate", lambda v: max(map(abs, v))),
        ),
    )


def candidates(alphabet: Sequence[Any]) -> list[Aggregate]:
    """The aggregates that inputs of this kind may have."""
    if all(isinstance(x, int) for x in alphabet):
        span = max(alphabet) - min(alphabet) + 1
        return [integers(), *(modular(m) for m in range(2, span + 1))]
    tuples = all(isinstance(x, tuple) and all(isinstance(c, int) for c in x) for x in alphabet)
    return [vectors(len(alphabet[0]))] if tuples and len({len(x) for x in alphabet}) == 1 else []


@dataclass(frozen=True)
class Decomposition:
    """What comparing every two histories of every round found.

    `aggregate` is None where no candidate fits; `distance` names one that makes the curves monotone. `asymmetric` is
    (history, other, curve, curve the other way, round); `incomparable` is (pair, pair, curve, curve, round).
    """

    influence: tuple[tuple[int, ...], ...]
    aggregate: Aggregate | None
    curve_of: tuple[dict[Any, int], ...]
    distance: str | None
    asymmetric: tuple[Inputs, Inputs, int, int, int] | None
    incomparable: tuple[tuple[Inputs, Inputs], tuple[Inputs, Inputs], int, int, int] | None

    @property
    def in_words(self) -> str:
        """The certificate as a sentence fragment."""
        sets = ", ".join(f"I_{t} = {{{', '.join(map(str, i))}}}" for t, i in enumerate(self.influence, 1))
        name = "" if self.aggregate is None else self.aggregate.name
        return f"The difference of {name} over I_t decides every one-round curve, with {sets}"

    def document(self, curves: Curves) -> dict[str, Any]:
        """The certificate: index sets, aggregate, and every g_t as vertices."""
        return {
            "aggregate": None if self.aggregate is None else self.aggregate.name,
            "distance": self.distance,
            "index_sets": [list(i) for i in self.influence],
            "round_power": [
                [
                    {"difference": label(v), "power": [[text(x), text(y)] for x, y in curves.listed[c].vertices]}
                    for v, c in sorted(of.items(), key=lambda item: label(item[0]))
                ]
                for of in self.curve_of
            ],
        }


def decomposition(
    core: Core, levels: Sequence[Level], found: Sequence[Challenge], curves: Curves, budget: Budget
) -> Decomposition | None:
    """Tries every candidate aggregate on every two histories of every round; None if there are too many.

    The first one with a distance that works is taken, else the first that fits at all.
    """
    horizon = len(levels)
    influence = _influence(found, horizon)
    tables = []
    for t in range(1, horizon + 1):
        table = _compared(core, t, influence[t - 1], None, curves, budget)
        if table is None:
            return None
        tables.append(table)
    asymmetric = next((table.asymmetric for table in tables if table.asymmetric is not None), None)
    crossed = next((table.incomparable for table in tables if table.incomparable is not None), None)
    fitting = None
    for aggregate in candidates(core.alphabet):
        fitted = [_compared(core, t, influence[t - 1], aggregate, curves, budget) for t in range(1, horizon + 1)]
        if any(table is None or table.curve_of is None for table in fitted):
            continue
        curve_of = tuple(table.curve_of for table in fitted if table is not None and table.curve_of is not None)
        distance = next((name for name, size in aggregate.distances if _monotone(curve_of, size, curves)), None)
        fits = Decomposition(influence, aggregate, curve_of, distance, asymmetric, crossed)
        if distance is not None:
            return fits
        fitting = fitting or fits
    return fitting or Decomposition(influence, None, (), None, asymmetric, crossed)


def _influence(found: Sequence[Challenge], horizon: int) -> tuple[tuple[int, ...], ...]:
    """I_t: the rounds whose input can change the law of round t."""
    sets: list[set[int]] = [set() for _ in range(horizon)]
    for challenge in found:
        i = len(challenge.before) + 1
        for offset, here in enumerate(challenge.futures):
            if any(here):
                sets[i - 1 + offset].add(i)
    return tuple(tuple(sorted(s)) for s in sets)


@dataclass(frozen=True)
class _Table:
    """One round, every two classes of histories compared; `curve_of` is None where one difference has two curves."""

    curve_of: dict[Any, int] | None
    asymmetric: tuple[Inputs, Inputs, int, int, int] | None
    incomparable: tuple[tuple[Inputs, Inputs], tuple[Inputs, Inputs], int, int, int] | None


def _compared(
    core: Core, t: int, influence: tuple[int, ...], aggregate: Aggregate | None, curves: Curves, budget: Budget
) -> _Table | None:
    """Classes are (aggregate, law); without an aggregate the law alone."""
    classes = law_classes(core, t, influence, aggregate)
    if classes is None:
        return None
    curve_of: dict[Any, int] | None = {} if aggregate is not None else None
    shown: dict[int, tuple[Inputs, Inputs]] = {}
    asymmetric = None
    for (u, law0), one in classes.items():
        budget.check()
        for (v, law1), two in classes.items():
            number = curves.of_laws(law0, law1)
            shown.setdefault(number, (one, two))
            if aggregate is not None and curve_of is not None:
                if curve_of.setdefault(aggregate.minus(u, v), number) != number:
                    curve_of = None
            elif aggregate is None and asymmetric is None:
                back = curves.of_laws(law1, law0)
                if back != number:
                    asymmetric = one, two, number, back, t
    crossed = None
    if aggregate is None:
        for f, g in combinations(sorted(shown), 2):
            if not (curves.listed[f] <= curves.listed[g] or curves.listed[g] <= curves.listed[f]):
                crossed = shown[f], shown[g], f, g, t
                break
    return _Table(curve_of, asymmetric, crossed)


def law_classes(
    core: Core, t: int, influence: tuple[int, ...], aggregate: Aggregate | None
) -> dict[tuple[Any, Pmf[Any]], Inputs] | None:
    """(aggregate over I_t, law of round t) -> the first history with them; None if there are too many."""
    reached: dict[tuple[Any, Any], Inputs] = {(core.initial, None if aggregate is None else aggregate.zero): ()}
    for round_ in range(1, t + 1):
        following: dict[tuple[Any, Any], Inputs] = {}
        for (state, total), history in reached.items():
            for x in core.alphabet:
                added = aggregate.plus(total, x) if aggregate is not None and round_ in influence else total
                following.setdefault((core.advance(state, x), added), (*history, x))
        reached = following
        if len(reached) > MOST_HISTORIES:
            return None
    classes: dict[tuple[Any, Pmf[Any]], Inputs] = {}
    for (state, total), history in reached.items():
        classes.setdefault((total, core.law(state)), history)
        if len(classes) > MOST_CLASSES:
            return None
    return classes


def _monotone(curve_of: Sequence[dict[Any, int]], size: Callable[[Any], int], curves: Curves) -> bool:
    """Whether the curve depends on the distance alone, and never falls as it grows."""
    for of in curve_of:
        by_size: dict[int, int] = {}
        for difference, number in of.items():
            if by_size.setdefault(size(difference), number) != number:
                return False
        ordered = [curves.listed[by_size[d]] for d in sorted(by_size)]
        if any(not f <= g for f, g in pairwise(ordered)):
            return False
    return True
