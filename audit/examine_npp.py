"""An audit of the neighbour-preserving game: the exact curve against what is proven of the mechanism."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.bracket import Bracket, exactly
from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.gap import Gap, find_gap
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.algebra.thinning import outer
from dpcert.audit.budget import INTERRUPTED, Budget, best_so_far, check_rounds
from dpcert.audit.enclosed.tiers import analyse_within
from dpcert.audit.errors import MechanismError, expected
from dpcert.audit.finding import Finding, Method, Verdict, open_because, unless
from dpcert.audit.frozen import frozen
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.fewer_states import explored
from dpcert.audit.games.npp import EDITS, first_output, named, npp_game, simulated
from dpcert.audit.games.question import Question
from dpcert.audit.kernels.border import answering, member, name_of
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.limits import within
from dpcert.audit.records import documents
from dpcert.audit.records.assembled import AuditFacts, Conclusions, Examination, Request
from dpcert.audit.records.contract import BoundDocument, UsedDocument
from dpcert.audit.relations.edits import EDIT
from dpcert.audit.solving.analysis import Analysis, left, nothing_known
from dpcert.audit.steadiness.answers_alike import DOUBTED, settled
from dpcert.audit.verdicts import lifts
from dpcert.audit.verdicts.guarantee import Excess, Guarantee, proven_delta, stated
from dpcert.audit.verdicts.requirements import VACUOUS, Knowledge, check

MOST_ROUNDS_TO_OUTPUT = 100_000
"""Rounds past which it is no longer waited for a hidden output."""
UNSURE_OF_SIMULATION = "what its code keeps has changed, and live runs do not show what it hides or simulates"


@frozen
class _PlayedEdits:
    """What was played of a request, and what is known of it.

    Attributes:
        view: The checked view of both branches.
        game: The game on it.
        analysis: Its curves.
        scope: What was played, in words.
        unknown: Why nothing is concluded of the mechanism, where that is so.
        doubt: Why nothing is said to hold, where that is so.
    """

    view: Hidden
    game: BeliefGame
    analysis: Analysis
    scope: str
    unknown: Finding | None
    doubt: Finding | None


@frozen
class _Bounds:
    """What the exact curve is held against: the mechanism's own bound, and what it promises in epsilon and delta."""

    proven: "_OwnBound"
    guarantee: Guarantee | None


def examine_npp(request: Request) -> Examination:
    """The exact neighbour-preserving privacy of a mechanism, with its record. Source: paper.tex, defn:NPDO_mech.

    The question is one hop under edit; without requirements the verdict is about whether the exact curve keeps to the
    mechanism's own bound.

    Raises: DpcertError: a mechanism without a simulation, or one that breaks what def:npp asks of it.
    """
    _check_scope(request)
    alike = _explored(request)
    view, guarantee = simulated(alike), stated(request.mechanism)
    played_game = _gathered(request, view)
    analysis, unknown, doubt = played_game.analysis, played_game.unknown, played_game.doubt
    gap = find_gap(analysis.adaptive, analysis.fixed, request.question.exp_epsilons)
    findings = _lifts(played_game, gap)
    bounds = _Bounds(_proven(request.mechanism, request.question.rounds, left(analysis, request.budget)), guarantee)
    quiet = _quiet(alike, request.question, analysis, request.budget)
    against = unknown or unless(_against(analysis.adaptive, bounds, quiet, request.question, played_game.scope), doubt)
    evidence = _held_against(request, played_game, findings["curve"])
    outcomes, verdict = check(request.requirements, evidence)
    audit = AuditFacts(request, "npp", played_game.game, analysis, view, EDITS, played_game.scope, named)
    slopes = audit.slopes(gap, outcomes)
    conclusions = Conclusions(
        findings,
        outcomes,
        verdict if request.requirements.given else against.verdict,
        slopes={*slopes, Fraction(against.witness["exp_epsilon"])} if against.witness else slopes,
        bound=_document(against, bounds, analysis.adaptive, request.question),
    )
    return Examination(audit.record(conclusions), evidence, request.question.horizon.named, audit)


def _explored(request: Request) -> Any:
    """What is explored: one of fewer states, where the mechanism is ours and no part of it is somebody else's."""
    return explored(request.mechanism) if request.watch.trusted else request.mechanism


def _check_scope(request: Request) -> None:
    """Refuses what the neighbour-preserving game is not about."""
    question, certified = request.question, request.requirements.certified
    if certified or question.hops != 1 or question.neighbours != EDIT:
        wanted = "one hop, edit, and no --require-certified (Checklist 1 is about paired games) in the npp game"
        raise expected(wanted, adjacency=question.adjacency, hops=question.hops, certified=certified)


def _gathered(request: Request, view: Hidden) -> _PlayedEdits:
    """The game of a request, its curves, and whether they are the mechanism's."""
    watched_mechanism, question = request.watch, request.question
    check_rounds(question.rounds)
    game = npp_game(view, question.rounds)
    analysis = analyse_within(game, question, request.budget, request.effort)
    scope = _scope(question, analysis)
    settled(watched_mechanism, request.view, question.rounds, left(analysis, request.budget))
    unknown = open_because(UNSURE_OF_SIMULATION if watched_mechanism.unsure else None, scope)
    doubt = open_because(DOUBTED if watched_mechanism.doubted else None, scope)
    return _PlayedEdits(view, game, analysis if unknown is None else nothing_known(analysis), scope, unknown, doubt)


def _lifts(played_game: _PlayedEdits, gap: Gap | None) -> dict[str, Finding]:
    """Whether the curve, and whether pure guarantees, are the same against edits that are fixed in advance."""
    adaptive, fixed_stream = played_game.analysis.adaptive, played_game.analysis.fixed
    reason = f"Whether adaptive edits beat edits fixed in advance is not decided: {played_game.analysis.stopped}."
    curve = lifts.curve(adaptive, fixed_stream, gap, played_game.scope, reason)
    return {
        "curve": played_game.unknown or unless(curve, played_game.doubt),
        "pure": played_game.unknown or unless(lifts.pure(adaptive, fixed_stream, played_game.scope), played_game.doubt),
    }


def _held_against(request: Request, played_game: _PlayedEdits, curve: Finding) -> Knowledge:
    """What requirements are held against."""
    adaptive = played_game.analysis.adaptive
    return Knowledge(
        adaptive=adaptive,
        curve=curve,
        scope=played_game.scope,
        trials=played_game.analysis.streams,
        unknown=played_game.unknown,
        doubt=played_game.doubt,
        vacuous=VACUOUS if adaptive.upper == PowerFunction.identity() else "",
        proven=lambda exp_epsilon: proven_delta(request.mechanism, exp_epsilon),
    )


@frozen
class _OwnBound:
    """The mechanism's own bound, or why there is none."""

    power: PowerFunction | None
    missing: str = ""


def _proven(mechanism: Any, horizon: int, budget: Budget) -> _OwnBound:
    if member(mechanism, "bound") is None:
        return _OwnBound(None, f"{name_of(mechanism)} names no bound")
    budget.progress("computing the bound")
    with (
        best_so_far(budget) as part,
        within(budget.check),
        answering(f"{name_of(mechanism)}.bound", mechanism.bound),
    ):
        power = mechanism.bound(horizon, budget)
    if part.stopped:
        return _OwnBound(None, part.stopped)
    if not isinstance(power, PowerFunction):
        wanted = f"{name_of(mechanism)}.bound to return a PowerFunction"
        raise MechanismError(f"Expected {wanted} but got {type(power).__name__}")
    return _OwnBound(power)


def _quiet(mechanism: Any, question: Question, analysis: Analysis, budget: Budget) -> str:
    """Why nothing tells the branches apart, where nothing does."""
    if analysis.adaptive.upper != PowerFunction.identity():
        return ""
    what = f"hidden output ({mechanism.outputs.name})"
    first, rest = None, left(analysis, budget) if analysis.stopped == INTERRUPTED else budget
    with best_so_far(rest):
        first = first_output(mechanism, MOST_ROUNDS_TO_OUTPUT, replace(rest, max_positions=None))
    if first is None:
        return f"No {what} was found to come with the work that is allowed, and none does so far: it holds vacuously."
    if first > question.rounds:
        return f"No {what} can come before step {first}, so nothing tells the branches apart: it holds vacuously."
    return f"A {what} can come from step {first} on, but none so far tells the branches apart: it holds vacuously."


def _against(adaptive: Bracket, bounds: _Bounds, quiet: str, question: Question, scope: str) -> Finding:
    """Whether the exact curve lies on or below the bound and the promise, and how much of the bound it uses."""
    if quiet:
        return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, quiet)
    proven, promise, power = bounds.proven, bounds.guarantee, bounds.proven.power
    if promise is not None and (excess := promise.exceeded(adaptive.lower)):
        return _refuted(excess, f"{promise} is promised", scope)
    if power is None:
        kept = f" The exact curve keeps to {promise}." if promise and adaptive.upper <= promise.power else ""
        return Finding(Verdict.UNDECIDED, None, scope, f"There is no bound to compare with: {proven.missing}.{kept}")
    gap = find_gap(adaptive, exactly(power), question.exp_epsilons)
    if gap is not None:
        excess = Excess(gap.exp_epsilon, gap.order, gap.adaptive, gap.fixed_stream)
        return _refuted(excess, f"the bound allows {text(gap.fixed_stream)}", scope)
    if not adaptive.upper <= power:
        detail = "Whether the exact curve keeps to the bound is open: its upper bound does not."
        return Finding(Verdict.UNDECIDED, None, scope, detail)
    if promise is not None and not adaptive.upper <= promise.power:
        detail = f"The exact curve keeps to the bound; whether it keeps to {promise} is open: its upper bound does not."
        return Finding(Verdict.UNDECIDED, None, scope, detail)
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, _used(adaptive, power, promise, question))


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


def _used(adaptive: Bracket, power: PowerFunction, guarantee: Guarantee | None, question: Question) -> str:
    sentence = "The exact curve lies on or below the bound" + (f", and keeps to {guarantee}." if guarantee else ".")
    shares = [(share, e) for e in question.exp_epsilons if (share := _share(adaptive, power, e)) is not None]
    if not shares:
        return sentence
    most, e = max(shares, key=lambda pair: pair[0])
    used = f"{'' if adaptive.exact else 'at most '}{up(100 * most, 3)} % of delta"
    return f"{sentence} Of the e^epsilon asked for, it uses most at {text(e)}: {used}."


def _share(adaptive: Bracket, power: PowerFunction, exp_epsilon: Fraction) -> Fraction | None:
    """Exact delta over the bound's, at most; None where the bound is 0."""
    allowed = power.delta(exp_epsilon)
    return adaptive.upper.delta(exp_epsilon) / allowed if allowed else None


def _document(against: Finding, bounds: _Bounds, adaptive: Bracket, question: Question) -> BoundDocument:
    """The finding, the bound as a curve, the promise in epsilon and delta, and the bound's use at each point asked."""
    dp, power = None if bounds.guarantee is None else bounds.guarantee.document(), bounds.proven.power
    if power is None:
        return {**against.document(), "power": None, "complete": False, "dp": dp, "used": []}
    return {
        **against.document(),
        "power": [[text(x), text(y)] for x, y in outer(power, documents.MOST_VERTICES)],
        "complete": len(power.chain) <= documents.MOST_VERTICES,
        "dp": dp,
        "used": [_used_at(e, adaptive, power) for e in question.exp_epsilons],
    }


def _used_at(exp_epsilon: Fraction, adaptive: Bracket, power: PowerFunction) -> UsedDocument:
    """What the exact curve uses of the bound's delta at one slope."""
    share = _share(adaptive, power, exp_epsilon)
    return {
        "exp_epsilon": text(exp_epsilon),
        "exact": text(adaptive.upper.delta(exp_epsilon)),
        "bound": text(power.delta(exp_epsilon)),
        "used": None if share is None else text(share),
    }


def _scope(question: Question, analysis: Analysis) -> str:
    words = f"{question.in_words}; both hidden outputs seen, no event twice"
    rounds = len(analysis.solution.levels)
    if analysis.enclosed:
        return f"{words}; {analysis.enclosed}"
    if rounds == question.rounds:
        return words
    return f"{words}; stopped early, {rounds} of {question.rounds} rounds explored"
