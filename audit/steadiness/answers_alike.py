"""DETERMINISTIC_MAP for a deployment: does a mechanism answer alike in another order, and in a fresh process?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.errors import MechanismError
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.label import label
from dpcert.audit.outside.watching import LOOKED_FOR
from dpcert.audit.steadiness.compared import FRESH, MOST_CHANGES_NAMED, Comparison, Difference
from dpcert.audit.steadiness.watched import WatchedMechanism

UNSURE = "what its code keeps has changed, and not all live runs could be compared with those of a fresh process"
DOUBTED = "not all that may outlive a run could be looked at"


def looked(
    watched_mechanism: WatchedMechanism, view: Core | Hidden | Code, inputs: Sequence[Any], horizon: int, budget: Budget
) -> Comparison:
    """Live runs of what was watched, compared with fresh processes and other interpreters.

    Raises: MechanismError: it drew from a generator of its own.
    """
    comparison = watched_mechanism.compared(view, inputs, horizon, budget)
    with best_so_far(budget) as part:
        comparison = watched_mechanism.elsewhere(comparison, view, horizon, budget)
    comparison = replace(comparison, cut=comparison.cut or part.stopped)
    source = watched_mechanism.drawn(comparison.moved)
    if source is not None:
        raise MechanismError(
            f"Expected {view.name} to be a function of its inputs and draws: it used {source[0]}, a "
            f"{type(source[1]).__name__} (hidden randomness, or a changed state)"
        )
    return comparison


def settled(watched_mechanism: WatchedMechanism, view: Core | Hidden | Code, horizon: int, budget: Budget) -> None:
    """The same where no checklist says what was found: it is noted whether that is open.

    Live runs show what a step releases, and not what it hides, nor what is simulated beside it. So whatever their
    number, they do not settle what has changed.

    Raises: MechanismError: a run goes otherwise in another process.
    """
    if watched_mechanism.trusted:
        return
    budget.progress("comparing live runs in fresh processes")
    comparison = looked(watched_mechanism, view, view.alphabet, horizon, budget)
    if comparison.difference is not None:
        what = _goes_otherwise(comparison, comparison.difference)
        raise MechanismError(f"Expected {view.name} to be a function of its inputs and draws: {what}")
    watched_mechanism.leave_open(replace(comparison, all=False))


def steadied(
    watched_mechanism: WatchedMechanism,
    view: Core | Hidden | Code,
    before: Finding,
    inputs: Sequence[Any],
    horizon: int,
    scope: str,
    budget: Budget,
) -> Finding:
    """DETERMINISTIC_MAP after live runs in fresh processes were compared with the same runs here.

    Open where something that the code can reach has changed, or may have, and not all live runs could be compared, and
    where the looking was cut short.
    """
    if before.verdict is not Verdict.HOLDS or watched_mechanism.trusted:
        return before
    comparison = looked(watched_mechanism, view, inputs, horizon, budget)
    if comparison.difference is not None:
        return _otherwise(comparison, comparison.difference, scope)
    watched_for = f"Randomness from outside was watched for while it ran ({LOOKED_FOR})."
    if watched_mechanism.leave_open(comparison):
        return Finding(Verdict.UNDECIDED, None, scope, f"Not decided: {comparison.in_words} {watched_for}")
    return replace(
        before,
        detail=f"{before.detail} {watched_for} {comparison.in_words[:1].upper()}{comparison.in_words[1:]}".strip(),
    )


def _otherwise(comparison: Comparison, differs: Difference, scope: str) -> Finding:
    witness = {
        "inputs": [label(x) for x in differs.inputs],
        "round": differs.round,
        "here": differs.here,
        "fresh": differs.there,
        "changed": list(comparison.moved[:MOST_CHANGES_NAMED]),
    }
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, _goes_otherwise(comparison, differs), witness)


def _goes_otherwise(found: Comparison, differs: Difference) -> str:
    if differs.where is FRESH:
        how, why = "here, after other runs", f"something outlives a run ({found.changes})"
    else:
        how, why = "here", "it shows the order of a set, where an object stands, or what was read while it was imported"
    what = f"On inputs {label(differs.inputs)}, round {differs.round}" if differs.round else "The alphabet"
    return f"{what} goes otherwise in {differs.where} than {how}: {why}."
