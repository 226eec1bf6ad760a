"""An audit of the neighbour-preserving game: the exact curve against what is proven of the mechanism."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from dpcert.audit.algebra.bracket import Bracket, exactly
from dpcert.audit.algebra.gap import find_gap
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import decimal, text
from dpcert.audit.algebra.thinning import outer
from dpcert.audit.budget import INTERRUPTED, Budget, OutOfBudget
from dpcert.audit.errors import MechanismError, expected
from dpcert.audit.finding import Finding, Method, Verdict, open_because, unless
from dpcert.audit.games.npp import EDITS, first_output, named, npp_game, simulated
from dpcert.audit.games.question import Question
from dpcert.audit.kernels.border import answering, member, name_of
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.view import View
from dpcert.audit.limits import within
from dpcert.audit.records import documents
from dpcert.audit.records.assembled import Audited
from dpcert.audit.records.record import Record
from dpcert.audit.relations.edits import EDIT
from dpcert.audit.solving.adaptive import Unsolved
from dpcert.audit.solving.analysis import Analysis, analyse, left, nothing_known
from dpcert.audit.steadiness.answers_alike import DOUBTED, UNSURE, settled
from dpcert.audit.steadiness.watched import Watched
from dpcert.audit.verdicts import lifts
from dpcert.audit.verdicts.guarantee import Excess, Guarantee, proven_delta, stated
from dpcert.audit.verdicts.requirements import VACUOUS, Known, Requirements, check

MOST_ROUNDS = 100_000
"""Rounds past which it is no longer waited for a hidden output."""


def examine_npp(
    watched: Watched,
    code: View | Code,
    question: Question,
    requirements: Requirements,
    budget: Budget,
    target: str,
    given: Mapping[str, Any] = MappingProxyType({}),
) -> Record:
    """The exact neighbour-preserving privacy of a mechanism, as a record. Source: paper.tex, defn:NPDO_mech.

    Args:
        watched: A NeighborPreserving under audit.
        code: Its checked view.
        question: The scope, one hop under edit, and the points at which curves are read off.
        requirements: What the verdict is about; without any, that the exact curve keeps to the mechanism's own bound.
        budget: Bounds on the work.
        target: The name that the record gives the mechanism.
        given: What a factory was given to make the mechanism.
    Raises: DpcertError: a mechanism without a simulation, or one that breaks what def:npp asks of it.
    """
    started, mechanism = time.perf_counter(), watched.mechanism
    if requirements.certified or question.hops != 1 or question.neighbours != EDIT:
        wanted = "one hop, edit, and no --require-certified (Checklist 1 is about paired games) in the npp game"
        raise expected(wanted, adjacency=question.adjacency, hops=question.hops, certified=requirements.certified)
    view = simulated(mechanism)
    promised = stated(mechanism)
    game = npp_game(view, question.rounds)
    found = analyse(game, budget)
    scope = _scope(question, found)
    settled(watched, code, question.rounds, left(found, budget))
    unknown, doubt = (
        open_because(r, scope) for r in (UNSURE * watched.unsure or None, DOUBTED * watched.doubted or None)
    )
    if unknown is not None:
        found = nothing_known(found)
    gap = find_gap(found.adaptive, found.fixed, question.exp_epsilons)
    reason = f"Whether adaptive edits beat edits fixed in advance is not decided: {found.stopped}."
    findings = {
        "curve": unknown or unless(lifts.curve(found.adaptive, found.fixed, gap, scope, reason), doubt),
        "pure": unknown or unless(lifts.pure(found.adaptive, found.fixed, scope), doubt),
    }
    proven = _proven(mechanism, question.rounds, left(found, budget))
    against = unknown or unless(
        _against(found.adaptive, proven, promised, _quiet(mechanism, question, found, budget), question, scope), doubt
    )
    quiet = found.adaptive.upper == PowerFunction.identity()
    known = Known(
        adaptive=found.adaptive,
        curve=findings["curve"],
        scope=scope,
        tried=found.streams,
        unknown=unknown,
        doubt=doubt,
        vacuous=VACUOUS if quiet else "",
        proven=lambda exp_epsilon: proven_delta(mechanism, exp_epsilon),
    )
    checked, verdict = check(requirements, known)
    audited = Audited(
        mechanism,
        target,
        question,
        budget,
        "npp",
        game,
        found,
        view,
        EDITS,
        view.alphabet,
        scope,
        named,
        started=started,
        given=given,
    )
    slopes = audited.slopes(gap, checked)
    return audited.record(
        slopes={*slopes, Fraction(against.witness["exp_epsilon"])} if against.witness else slopes,
        lifts=findings,
        checked=checked,
        verdict=verdict if requirements.given else against.verdict,
        bound=against.document() | _allowed(proven.power, promised, found.adaptive, question),
    )


@dataclass(frozen=True)
class _Proven:
    """The mechanism's own bound, or why there is none."""

    power: PowerFunction | None
    missing: str = ""


def _proven(mechanism: Any, horizon: int, budget: Budget) -> _Proven:
    if member(mechanism, "bound") is None:
        return _Proven(None, f"{name_of(mechanism)} names no bound")
    budget.progress("computing the bound")
    try:
        with within(budget.check), answering(f"{name_of(mechanism)}.bound", mechanism.bound):
            power = _bound(mechanism, horizon, budget)
    except OutOfBudget as reason:
        return _Proven(None, str(reason))
    except KeyboardInterrupt:
        return _Proven(None, INTERRUPTED)
    if not isinstance(power, PowerFunction):
        wanted = f"{name_of(mechanism)}.bound to return a PowerFunction"
        raise MechanismError(f"Expected {wanted} but got {type(power).__name__}")
    return _Proven(power)


def _bound(mechanism: Any, horizon: int, budget: Budget) -> object:
    try:
        return mechanism.bound(horizon, budget)
    except Unsolved as reason:
        raise OutOfBudget(str(reason)) from None


def _quiet(mechanism: Any, question: Question, found: Analysis, budget: Budget) -> str:
    """Why nothing tells the branches apart, where nothing does."""
    if found.adaptive.upper != PowerFunction.identity():
        return ""
    what = f"hidden output ({mechanism.outputs.name})"
    try:
        rest = left(found, budget) if found.stopped == INTERRUPTED else budget
        first = first_output(mechanism, MOST_ROUNDS, replace(rest, max_positions=None))
    except (OutOfBudget, KeyboardInterrupt):
        first = None
    if first is None:
        return f"No {what} was found to come with the work that is allowed, and none does so far: it holds vacuously."
    if first > question.rounds:
        return f"No {what} can come before step {first}, so nothing tells the branches apart: it holds vacuously."
    return f"A {what} can come from step {first} on, but none so far tells the branches apart: it holds vacuously."


def _against(
    adaptive: Bracket, proven: _Proven, promised: Guarantee | None, quiet: str, question: Question, scope: str
) -> Finding:
    """Whether the exact curve lies on or below the bound and the promise, and how much of the bound it uses."""
    if quiet:
        return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, quiet)
    power = proven.power
    if promised is not None and (excess := promised.exceeded(adaptive.lower)):
        return _refuted(excess, f"{promised} is promised", scope)
    if power is None:
        kept = f" The exact curve keeps to {promised}." if promised and adaptive.upper <= promised.power else ""
        return Finding(Verdict.UNDECIDED, None, scope, f"There is no bound to compare with: {proven.missing}.{kept}")
    gap = find_gap(adaptive, exactly(power), question.exp_epsilons)
    if gap is not None:
        excess = Excess(gap.exp_epsilon, gap.order, gap.adaptive, gap.fixed_stream)
        return _refuted(excess, f"the bound allows {text(gap.fixed_stream)}", scope)
    if not adaptive.upper <= power:
        detail = "Whether the exact curve keeps to the bound is open: its upper bound does not."
        return Finding(Verdict.UNDECIDED, None, scope, detail)
    if promised is not None and not adaptive.upper <= promised.power:
        detail = (
            f"The exact curve keeps to the bound; whether it keeps to {promised} is open: its upper bound does not."
        )
        return Finding(Verdict.UNDECIDED, None, scope, detail)
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, _used(adaptive, power, promised, question))


def _refuted(excess: Excess, allowed: str, scope: str) -> Finding:
    at = f"At e^epsilon = {text(excess.exp_epsilon)}"
    detail = f"{at} an adversary reaches delta {text(excess.reached)}, {allowed}."
    witness = {
        "exp_epsilon": text(excess.exp_epsilon),
        "order": excess.order,
        "reached": text(excess.reached),
        "allowed": text(excess.allowed),
    }
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)


def _used(adaptive: Bracket, power: PowerFunction, promised: Guarantee | None, question: Question) -> str:
    kept = "The exact curve lies on or below the bound" + (f", and keeps to {promised}." if promised else ".")
    shares = [(share, e) for e in question.exp_epsilons if (share := _share(adaptive, power, e)) is not None]
    if not shares:
        return kept
    most, e = max(shares, key=lambda pair: pair[0])
    used = f"{'' if adaptive.exact else 'at most '}{decimal(100 * most, 3)} % of delta"
    return f"{kept} Of the e^epsilon asked for, it uses most at {text(e)}: {used}."


def _share(adaptive: Bracket, power: PowerFunction, exp_epsilon: Fraction) -> Fraction | None:
    """Exact delta over the bound's, at most; None where the bound is 0."""
    allowed = power.delta(exp_epsilon)
    return adaptive.upper.delta(exp_epsilon) / allowed if allowed else None


def _allowed(
    power: PowerFunction | None, promised: Guarantee | None, adaptive: Bracket, question: Question
) -> dict[str, Any]:
    """The bound as a curve, the promise in epsilon and delta, and the bound's use at each point asked for."""
    dp = None if promised is None else promised.document()
    if power is None:
        return {"power": None, "complete": False, "dp": dp, "used": []}
    vertices: Sequence[Any] = outer(power, documents.MOST_VERTICES)
    used = []
    for e in question.exp_epsilons:
        share = _share(adaptive, power, e)
        allowed: dict[str, Any] = {
            "exp_epsilon": text(e),
            "exact": text(adaptive.upper.delta(e)),
            "bound": text(power.delta(e)),
        }
        used.append(allowed | {"used": None if share is None else text(share)})
    complete = len(power.chain) <= documents.MOST_VERTICES
    return {"power": [[text(x), text(y)] for x, y in vertices], "complete": complete, "dp": dp, "used": used}


def _scope(question: Question, found: Analysis) -> str:
    words = f"{question.in_words}; both hidden outputs seen"
    rounds = len(found.solution.levels)
    if rounds == question.rounds:
        return words
    return f"{words}; stopped early, {rounds} of {question.rounds} rounds explored"
