"""An audit of the neighbour-preserving game: the exact curve against what is proven of the mechanism."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpcert.audit import adversaries, digest, documents, lifts
from dpcert.audit.analysis import Analysis, analyse, remaining
from dpcert.audit.answering import answering, name_of
from dpcert.audit.bracket import Bracket, exactly
from dpcert.audit.budget import Budget, OutOfBudget
from dpcert.audit.errors import MechanismError, expected
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.label import label, parameters_of
from dpcert.audit.npp import EDITS, first_output, named, npp_game, simulated
from dpcert.audit.outer import outer
from dpcert.audit.power import PowerFunction
from dpcert.audit.question import Question
from dpcert.audit.rational import decimal, text
from dpcert.audit.record import SCHEMA, Record
from dpcert.audit.requirements import Requirements, check
from dpcert.audit.solve import Unsolved

MOST_ROUNDS = 100_000
"""Rounds past which it is no longer waited for a hidden output."""


def examine_npp(mechanism: Any, question: Question, requirements: Requirements, budget: Budget, target: str) -> Record:
    """The exact neighbour-preserving privacy of a mechanism, as a record. Source: paper.tex, defn:NPDO_mech.

    Args:
        mechanism: A NeighborPreserving.
        question: The scope, one hop under edit, and the points at which curves are read off.
        requirements: What the verdict is about; without any, that the exact curve keeps to the mechanism's own bound.
        budget: Bounds on the work.
        target: The name that the record gives the mechanism.
    Raises: DpcertError: a mechanism without a simulation, or one that breaks what def:npp asks of it.
    """
    started = time.perf_counter()
    if requirements.certified or question.hops != 1 or question.adjacency != "edit":
        wanted = "one hop, edit, and no --require-certified (Checklist 1 is about paired games) in the npp game"
        raise expected(wanted, adjacency=question.adjacency, hops=question.hops, certified=requirements.certified)
    view = simulated(mechanism)
    game = npp_game(view, question.horizon)
    found = analyse(game, budget)
    scope = _scope(question, found)
    gap = lifts.find_gap(found.adaptive, found.fixed, question.exp_epsilons)
    reason = f"Whether adaptive edits beat edits fixed in advance is not decided: {found.stopped}."
    curve = lifts.curve(found.adaptive, found.fixed, gap, scope, reason)
    proven = _proven(mechanism, question.horizon, remaining(budget))
    against = _against(found.adaptive, proven, _quiet(mechanism, question, found, budget), question, scope)
    checked, verdict = check(requirements, found.adaptive, curve, (), scope, tried=found.streams)
    shown = {gap.exp_epsilon} if gap is not None else set()
    slopes = {*question.exp_epsilons, *shown, *(c.exp_epsilon for c in checked if c.exp_epsilon is not None)}
    if against.witness:
        slopes.add(Fraction(against.witness["exp_epsilon"]))
    budget.progress("reading off adversaries")
    strategies = adversaries.strategies(found.solution, game, view, EDITS, sorted(slopes), remaining(budget), named)
    document = {
        "schema": SCHEMA,
        "target": target,
        "parameters": {name: label(value) for name, value in parameters_of(mechanism).items()},
        "game": "npp",
        "vacuous": found.adaptive.upper == PowerFunction.identity(),
        "source_digest": digest.source(mechanism),
        "kernel_digest": digest.kernel(game.laws()),
        "location": digest.location(mechanism),
        "scope": documents.scope(question, view.alphabet, found.solution.positions, scope),
        "fixed_stream": documents.enclosed(found.fixed, question)
        | {"witnesses": adversaries.witnesses(found, question, named)},
        "adaptive": documents.enclosed(found.adaptive, question) | {"strategies": strategies},
        "checklist": [],
        "lifts": {"curve": curve.document(), "pure": lifts.pure(found.adaptive, found.fixed, scope).document()},
        "bound": against.document() | _allowed(proven.power, found.adaptive, question),
        "requirements": [one.document() for one in checked],
        "verdict": (verdict if requirements.given else against.verdict).value,
        "sections": documents.sections(mechanism, question.horizon, remaining(budget)),
        "provenance": digest.provenance(time.perf_counter() - started),
    }
    return Record(document)


@dataclass(frozen=True)
class _Proven:
    """The mechanism's own bound, or why there is none."""

    power: PowerFunction | None
    missing: str = ""


def _proven(mechanism: Any, horizon: int, budget: Budget) -> _Proven:
    if not hasattr(mechanism, "bound"):
        return _Proven(None, f"{name_of(mechanism)} names no bound")
    budget.progress("computing the bound")
    with answering(f"{name_of(mechanism)}.bound", mechanism.bound):
        try:
            power = mechanism.bound(horizon, budget)
        except Unsolved as reason:
            return _Proven(None, str(reason))
    if not isinstance(power, PowerFunction):
        wanted = f"{name_of(mechanism)}.bound to return a PowerFunction"
        raise MechanismError(f"Expected {wanted} but got {type(power).__name__}")
    return _Proven(power)


def _quiet(mechanism: Any, question: Question, found: Analysis, budget: Budget) -> str:
    """Why nothing tells the branches apart, where nothing does."""
    if found.adaptive.upper != PowerFunction.identity():
        return ""
    what = f"hidden output ({mechanism.outputs.name})"
    try:
        first = first_output(mechanism, MOST_ROUNDS, replace(budget, max_positions=None))
    except (OutOfBudget, KeyboardInterrupt):
        first = None
    if first is None:
        return f"No {what} was found to come with the work that is allowed, and none does so far: it holds vacuously."
    if first > question.horizon:
        return f"No {what} can come before step {first}, so nothing tells the branches apart: it holds vacuously."
    return f"A {what} can come from step {first} on, but none so far tells the branches apart: it holds vacuously."


def _against(adaptive: Bracket, proven: _Proven, quiet: str, question: Question, scope: str) -> Finding:
    """Whether the exact curve lies on or below the bound, and how much of the bound it uses."""
    if quiet:
        return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, quiet)
    power = proven.power
    if power is None:
        return Finding(Verdict.UNDECIDED, None, scope, f"There is no bound to compare with: {proven.missing}.")
    if adaptive.upper <= power:
        return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, _used(adaptive, power, question))
    excess = lifts.find_gap(adaptive, exactly(power), question.exp_epsilons)
    if excess is None:
        detail = "Whether the exact curve keeps to the bound is open: its upper bound does not."
        return Finding(Verdict.UNDECIDED, None, scope, detail)
    at = f"At e^epsilon = {text(excess.exp_epsilon)}"
    detail = f"{at} an adversary reaches delta {text(excess.adaptive)}, the bound allows {text(excess.fixed_stream)}."
    witness = {
        "exp_epsilon": text(excess.exp_epsilon),
        "order": excess.order,
        "reached": text(excess.adaptive),
        "allowed": text(excess.fixed_stream),
    }
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)


def _used(adaptive: Bracket, power: PowerFunction, question: Question) -> str:
    kept = "The exact curve lies on or below the bound."
    shares = [(share, e) for e in question.exp_epsilons if (share := _share(adaptive, power, e)) is not None]
    if not shares:
        return kept
    most, e = max(shares, key=lambda pair: pair[0])
    return f"{kept} Of the e^epsilon asked for, it uses most at {text(e)}: {decimal(100 * most, 3)} % of delta."


def _share(adaptive: Bracket, power: PowerFunction, exp_epsilon: Fraction) -> Fraction | None:
    """Exact delta over the bound's, at most; None where the bound is 0."""
    allowed = power.delta(exp_epsilon)
    return adaptive.upper.delta(exp_epsilon) / allowed if allowed else None


def _allowed(power: PowerFunction | None, adaptive: Bracket, question: Question) -> dict[str, Any]:
    """The bound as a curve, in epsilon and delta if it is stated so, and its use at each point asked for."""
    if power is None:
        return {"power": None, "complete": False, "dp": None, "used": []}
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
    return {"power": [[text(x), text(y)] for x, y in vertices], "complete": complete, "dp": None, "used": used}


def _scope(question: Question, found: Analysis) -> str:
    words = f"{question.in_words}; both hidden outputs seen"
    rounds = len(found.solution.levels)
    if rounds == question.horizon:
        return words
    return f"{words}; stopped early, {rounds} of {question.horizon} rounds explored"
