"""The ladder of certificates for a core: is the one-round cost of a challenge stable under common inputs?"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.gap import gap_at
from dpcert.audit.algebra.power import ORDERS, PowerFunction, supremum
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import Budget
from dpcert.audit.checklist.contexts import Challenge, Context, Curves, Future, challenges
from dpcert.audit.checklist.hints import Hints
from dpcert.audit.errors import MechanismError
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import Level
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.label import label

if TYPE_CHECKING:
    from dpcert.audit.checklist.aggregates import Decomposition
    from dpcert.audit.checklist.closure import Closure, Unstable
    from dpcert.audit.checklist.declared import DeclarationCheck

RUNGS = ("SCALAR", "VECTOR", "CONTEXT_STABLE", "FUTURE_STABLE", "CONTEXT_DOMINATED")
EVERY_HORIZON = "every horizon"
COMMON, LATER = "every common context", "every later common input, the inputs before it given"
"""What a curve does not depend on, of rungs 3 and 4."""
MOST_HULL_SEGMENTS = 20_000
"""Segments of the product of hulls past which CONTEXT_DOMINATED is left undecided."""
AT_ONCE = 16
"""Curves of which a hull is taken between two looks at the clock."""


@frozen
class Rung:
    """One rung of the ladder and what was found; `every_horizon` says that it was decided for all of them at once."""

    name: str
    finding: Finding
    every_horizon: bool = False


@frozen
class Whole:
    """What was found for every horizon at once, and the curves that it names by number."""

    closure: "Closure"
    curves: Curves


def ladder(
    core: Core,
    levels: Sequence[Level],
    fixed_curve: Bracket,
    scope: str,
    budget: Budget,
    hints: Hints | None = None,
    whole: Whole | None = None,
    by_form: Sequence[Rung] = (),
) -> tuple[Rung, ...]:
    """Every rung, strongest first, decided over all histories in scope.

    Rungs 1 and 2 are the paper's (defn:quant_decomp, rem:vector_quant_decomp); 3 to 5 go beyond it (claims 69, 70 and
    107). A rung is refuted only by a witness that excludes every certificate of its kind. With `hints`, rungs 1 and 2
    are checked on the mechanism's own certificate first; with `whole`, rungs 3 and 4 are those of every horizon; where
    the core is linear those that hold `by_form` are.
    """
    budget.progress("deciding the ladder of certificates")
    curves = Curves() if whole is None else whole.curves
    questions = challenges(levels, curves, budget)
    unstable = _unstable(questions, _by_challenge, budget)
    future = _unstable(questions, _by_history, budget)
    shape = own = exclusion = None
    if unstable is None:
        from dpcert.audit.checklist.aggregates import decomposition  # only now is a certificate sought
        from dpcert.audit.checklist.declared import declared

        own = None if hints is None else declared(core, hints, len(levels), curves, budget)
        shape = decomposition(core, levels, questions, curves, budget)
        exclusion = _excluded(questions, curves, scope, budget)
    scalar = _scalar(unstable, shape, exclusion, curves, scope)
    vector = _vector(unstable, shape, None if by_form else exclusion, curves, scope)
    rungs = [
        Rung(RUNGS[0], _with_own(core, scalar, own, curves, scope, scalar=True)),
        Rung(RUNGS[1], _with_own(core, vector, own, curves, scope, scalar=False)),
        Rung(RUNGS[2], _stable(unstable, curves, scope, COMMON)),
        Rung(RUNGS[3], _stable(future, curves, scope, LATER)),
        Rung(RUNGS[4], _dominated(questions, curves, fixed_curve, scope, budget)),
    ]
    if by_form:
        return _with_forms(core, rungs, by_form)
    if whole is not None:
        rungs[2] = Rung(RUNGS[2], _closed(whole.closure, whole.closure.context, curves, COMMON), True)
        rungs[3] = Rung(RUNGS[3], _closed(whole.closure, whole.closure.future, curves, LATER), True)
    return tuple(rungs)


def _with_forms(core: Core, rungs: Sequence[Rung], by_form: Sequence[Rung]) -> tuple[Rung, ...]:
    """The rungs with those that hold by the form of the core, none of which may have been refuted."""
    forms = {rung.name: rung for rung in by_form}
    if any(rung.name in forms and rung.finding.verdict is Verdict.REFUTED for rung in rungs):
        raise unsteady(core, "a shift of both inputs changed a curve of additive noise")
    return tuple(forms.get(rung.name, rung) for rung in rungs)


def unsteady(core: Core, seen: str) -> MechanismError:
    """The error of a mechanism of which something was seen that no mechanism does that answers alike whenever asked."""
    return MechanismError(f"Expected {core.name} to answer the same questions alike every time but {seen}")


def _closed(closure: "Closure", unstable: "Unstable | None", curves: Curves, context: str) -> Finding:
    """A rung decided by closure over state pairs."""
    if closure.open is not None:
        return Finding(Verdict.UNDECIDED, None, EVERY_HORIZON, f"Not decided for every horizon: {closure.open}.")
    if unstable is None:
        detail = (
            f"Every challenge has one power function in every round, for {context}: all pairs of the {closure.states} "
            "states were followed until nothing new came."
        )
        return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, EVERY_HORIZON, detail)
    pair = unstable.one, unstable.curves[0], unstable.two, unstable.curves[1], unstable.round
    return _two_curves(pair, curves, EVERY_HORIZON, "One challenge has two power functions in one round")


def _with_own(
    core: Core, finding: Finding, certificate: "DeclarationCheck | None", curves: Curves, scope: str, *, scalar: bool
) -> Finding:
    """The mechanism's own certificate where it fits the rung; else what was found, and why its own does not fit."""
    if certificate is None:
        return finding
    if certificate.shape is None or (scalar and not certificate.scalar):
        return replace(finding, detail=f"{finding.detail} {certificate.note}".strip())
    if finding.verdict is Verdict.REFUTED:
        raise unsteady(core, "its declared certificate fits where none can")
    name = "distance" if certificate.scalar else "difference"
    detail = f"The certificate that it declares was checked on all pairs of histories: its {name} decides every curve."
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail, certificate.shape.document(curves))


Key = Callable[[Challenge], Any]
Pair = tuple[Context, int, Context, int, int]
"""Two contexts of one challenge with their curves' numbers, and the round in which the curves differ."""


def _by_challenge(challenge: Challenge) -> Any:
    return len(challenge.before), challenge.pair


def _by_history(challenge: Challenge) -> Any:
    return challenge.before, challenge.pair


def _unstable(questions: Sequence[Challenge], key: Key, budget: Budget) -> Pair | None:
    """Two contexts that give challenges with one key different curves in one round; the earliest round there is."""
    coming = deque(questions)  # by round of the challenge
    here: list[tuple[Challenge, Future]] = []
    round_ = 0
    while here or coming:
        round_ += 1
        while coming and len(coming[0].before) + 1 == round_:
            here.append((coming[0], coming.popleft().future))
        first: dict[Any, tuple[Challenge, int]] = {}
        for challenge, future in here:
            budget.check()
            for curve in future.here:
                known, other = first.setdefault(key(challenge), (challenge, curve))
                if other != curve:
                    return known.context(round_, other), other, challenge.context(round_, curve), curve, round_
        here = [(challenge, future.later) for challenge, future in here if future.later is not None]
    return None


def _stable(unstable: Pair | None, curves: Curves, scope: str, context: str) -> Finding:
    """CONTEXT_STABLE or FUTURE_STABLE within the scope: one curve a challenge and round, whatever `context` says."""
    if unstable is None:
        return Finding(
            Verdict.HOLDS,
            Method.EXHAUSTIVE,
            scope,
            f"Every challenge has one power function in every round, for {context}.",
        )
    return _two_curves(unstable, curves, scope, "One challenge has two power functions in one round")


def _two_curves(pair: Pair, curves: Curves, scope: str, what: str) -> Finding:
    """REFUTED, with both contexts, both curves, and a slope at which these differ."""
    one, f, two, g, round_ = pair
    detail = f"{what}: round {round_} after {_in_words(one)}, and after {_in_words(two)}."
    witness = {"round": round_, "contexts": [_context(one), _context(two)], "curves": _curves(curves, f, g)}
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness | _difference(curves, f, g))


def _in_words(context: Context) -> str:
    x0, x1 = context.histories()
    return f"{label(x0)} against {label(x1)}"


def _context(context: Context) -> dict[str, Any]:
    x0, x1 = context.histories()
    return {
        "round": context.round,
        "challenge": [label(x) for x in context.challenge],
        "history0": [label(x) for x in x0],
        "history1": [label(x) for x in x1],
    }


def _curves(curves: Curves, *numbers: int) -> list[list[list[str]]]:
    return [[[text(x), text(y)] for x, y in curves.powers[number].vertices] for number in numbers]


def _difference(curves: Curves, one: int, two: int) -> dict[str, Any]:
    """A slope and order at which two curves differ, and both values there."""
    f, g = curves.powers[one], curves.powers[two]
    slopes = sorted(
        {b / a for h in (f, g) for a, b in h.segments if a and b} | {a / b for a, b in f.segments if a and b}
    )
    for exp_epsilon in slopes:
        for order in ORDERS:
            values = f.hockey_stick(exp_epsilon, order), g.hockey_stick(exp_epsilon, order)
            if values[0] != values[1]:
                return {"exp_epsilon": text(exp_epsilon), "order": order, "deltas": [text(v) for v in values]}
    return {}


def _excluded(questions: Sequence[Challenge], curves: Curves, scope: str, budget: Budget) -> Finding | None:
    """What excludes every certificate on plain messages: one challenge, two influential slots, two curves."""
    from dpcert.audit.checklist.slots import slot_exchange

    exchange = slot_exchange(questions, budget)
    if exchange is None:
        return None
    (one, two), (f, g) = exchange.contexts, exchange.curves
    what = (
        "On plain messages an invariant pair gives one challenge one power function in every influential slot, "
        "and here it has two"
    )
    found = _two_curves((one, f, two, g, exchange.round), curves, scope, what)
    if exchange.influence is None:
        return found
    return replace(found, witness=dict(found.witness) | {"influential": _context(exchange.influence)})


def _scalar(
    unstable: Pair | None, shape: "Decomposition | None", exclusion: Finding | None, curves: Curves, scope: str
) -> Finding:
    """SCALAR: one distance of aggregates, curves monotone in it."""
    if unstable is not None:
        return _two_curves(unstable, curves, scope, "One discrepancy has two power functions, so no distance decides")
    if shape is None:
        return exclusion or _too_many(scope)
    if shape.asymmetric is not None:
        one, two, number, back, round_ = shape.asymmetric
        detail = (
            f"Round {round_}: {label(one)} against {label(two)} has another power function than the other way round, "
            "and a distance has no direction."
        )
        witness = {
            "round": round_,
            "histories": [_history(one), _history(two)],
            "curves": _curves(curves, number, back),
        }
        return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness | _difference(curves, number, back))
    if shape.incomparable is not None:
        first, second, f, g, round_ = shape.incomparable
        detail = f"Round {round_} has two incomparable power functions, so none is monotone in a distance."
        pairs = [[_history(x0), _history(x1)] for x0, x1 in (first, second)]
        return Finding(
            Verdict.REFUTED,
            Method.EXHAUSTIVE,
            scope,
            detail,
            {"round": round_, "pairs": pairs, "curves": _curves(curves, f, g)},
        )
    if exclusion is not None:
        return exclusion
    if shape.distance is None:
        return _not_found(scope, shape)
    detail = f"{shape.in_words}; the distance is {shape.distance}."
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail, shape.document(curves))


def _vector(
    unstable: Pair | None, shape: "Decomposition | None", exclusion: Finding | None, curves: Curves, scope: str
) -> Finding:
    """VECTOR: one difference of aggregates decides the curve."""
    if unstable is not None:
        return _two_curves(unstable, curves, scope, "One discrepancy has two power functions, so no difference decides")
    if exclusion is not None:
        return exclusion
    if shape is None:
        return _too_many(scope)
    if shape.aggregate is None:
        return _not_found(scope, shape)
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, f"{shape.in_words}.", shape.document(curves))


def _history(inputs: Sequence[Any]) -> list[str]:
    return [label(x) for x in inputs]


def _not_found(scope: str, shape: "Decomposition") -> Finding:
    detail = f"No integer, vector or modular aggregate was found; there may be another one.{shape.untried}"
    return Finding(Verdict.UNDECIDED, None, scope, detail)


def _too_many(scope: str) -> Finding:
    from dpcert.audit.checklist.aggregates import MOST_CLASSES, MOST_HISTORIES

    most = f"at most {MOST_HISTORIES} states and {MOST_CLASSES} classes a round"
    return Finding(Verdict.UNDECIDED, None, scope, f"Too many histories to compare every two of them: {most}.")


def _dominated(
    questions: Sequence[Challenge], curves: Curves, fixed_curve: Bracket, scope: str, budget: Budget
) -> Finding:
    """CONTEXT_DOMINATED: for every challenge, the product over rounds of the hulls over contexts."""
    if not fixed_curve.exact:
        return Finding(Verdict.UNDECIDED, None, scope, "The fixed-stream curve is only known as a bracket.")
    below: set[tuple[frozenset[int], ...]] = set()
    for challenge, rounds in _contexts(questions, budget):
        if rounds in below:
            continue
        hulls = [_hull(curves, numbers, budget) for numbers in rounds]
        if prod(len(hull.chain) for hull in hulls) > MOST_HULL_SEGMENTS:
            size = f"more than {MOST_HULL_SEGMENTS} segments (MOST_HULL_SEGMENTS)"
            detail = f"The product of the hulls over contexts is too large: {size}."
            return Finding(Verdict.UNDECIDED, None, scope, detail)
        product = PowerFunction.identity()
        for hull in hulls:
            budget.check()
            product = product.tensor(hull)
        if not product <= fixed_curve.upper:
            return _above(challenge, product, fixed_curve.upper, scope)
        below.add(rounds)
    return Finding(
        Verdict.HOLDS,
        Method.EXHAUSTIVE,
        scope,
        "For every challenge, the product of the hulls over contexts stays under the fixed-stream curve.",
    )


def _contexts(questions: Sequence[Challenge], budget: Budget) -> Iterator[tuple[Challenge, tuple[frozenset[int], ...]]]:
    """Per challenge (i, a, a'), the curves of all contexts in every round from i on in which anything leaks."""
    merged: dict[Any, tuple[Challenge, dict[Future, None]]] = {}
    for challenge in questions:
        merged.setdefault(_by_challenge(challenge), (challenge, {}))[1][challenge.future] = None
    for challenge, futures in merged.values():
        rounds: list[set[int]] = []
        for future in futures:
            for at, later in enumerate(future.rounds()):
                budget.check()
                if at == len(rounds):
                    rounds.append(set())
                rounds[at].update(later.here)
        yield challenge, tuple(frozenset(seen) for seen in rounds if seen != {0})


def _hull(curves: Curves, numbers: frozenset[int], budget: Budget) -> PowerFunction:
    """The supremum of numbered curves, some at a time."""
    hull: list[PowerFunction] = []
    listed = sorted(numbers)
    for first in range(0, len(listed), AT_ONCE):
        budget.check()
        hull = [supremum([*hull, *(curves.powers[number] for number in listed[first : first + AT_ONCE])])]
    return hull[0]


def _above(challenge: Challenge, product: PowerFunction, fixed: PowerFunction, scope: str) -> Finding:
    """The largest excess of the product; it shows at a slope of either curve, in one of the orders."""
    slopes = {Fraction(1)} | {max(p, q) / min(p, q) for power in (product, fixed) for p, q in power.segments if p and q}
    gaps = [gap_at(product, fixed, e, order) for e in sorted(slopes) for order in ORDERS]
    gap = max(gaps, key=lambda gap: gap.size)
    if gap.size <= 0:
        raise RuntimeError("one curve above another without a slope at which it is")
    a, b = (label(x) for x in challenge.pair)
    detail = f"The hulls of challenge ({a}, {b}) in round {len(challenge.before) + 1} exceed the fixed-stream curve."
    witness = {
        "round": len(challenge.before) + 1,
        "challenge": [a, b],
        "exp_epsilon": text(gap.exp_epsilon),
        "order": gap.order,
        "deltas": [text(gap.adaptive), text(gap.fixed_stream)],
    }
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)


def strongest(rungs: Sequence[Rung]) -> Rung | None:
    """The first rung that holds."""
    return next((rung for rung in rungs if rung.finding.verdict is Verdict.HOLDS), None)
