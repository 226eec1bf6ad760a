"""FRESH_RANDOMNESS of a mechanism with hidden state, by conditional laws; the core that it then is."""

from collections.abc import Hashable, Iterable
from functools import partial
from typing import Any

from dpcert.audit.algebra.common_laws import from_weights, point
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget, Stopped, best_so_far
from dpcert.audit.checklist.partings import Ways, first_parting
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.games.beliefs import Belief, BeliefLaw, Beliefs
from dpcert.audit.games.horizon import rounds_in_words
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.draws import within
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.release import HALT

MOST_BELIEFS = 50_000
"""Beliefs looked at, over all histories of inputs, past which the condition is left undecided."""

OVER: Belief = ()
"""In place of a belief: the mechanism has halted."""
Histories = dict[Belief, tuple[Any, ...]]
"""Everything that can be believed after the same inputs, each with the first history of releases that leads to it."""


def freshness(view: Hidden, inputs: tuple[Any, ...], horizon: int, budget: Budget) -> tuple[Finding, Core | None]:
    """Whether the next release is independent of the releases before it, given any inputs; then the core it is.

    Two histories of releases under the same inputs, with different laws of the next release, refute it: no choice of
    independent seeds gives such laws. Otherwise the mechanism has the laws of a core within the horizon.
    Source: paper.tex, defn:indep_decomp; sec:cert, condition 2.
    """
    beliefs = Beliefs(view)
    scope = f"every input and every release over {rounds_in_words(horizon)}"
    with best_so_far(budget) as part, within(budget.check_early):
        refutation = _two_laws(beliefs, inputs, horizon, budget, scope)
    if part.stopped:
        return Finding(Verdict.UNDECIDED, None, scope, f"Not decided: {part.stopped}."), None
    if refutation is not None:
        return refutation, None
    detail = "Given the inputs, no release says anything about the law of a later one: in law, this is a core."
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail), _core(beliefs)


def _two_laws(beliefs: Beliefs, alphabet: tuple[Any, ...], horizon: int, budget: Budget, scope: str) -> Finding | None:
    """The shortest inputs under which two histories of releases disagree on the next one."""

    def look(count: int) -> None:
        budget.check_early()
        if count > MOST_BELIEFS:
            raise Stopped(f"more than {MOST_BELIEFS} beliefs to compare (MOST_BELIEFS)")

    parting = first_parting(
        {beliefs.initial: ()},
        alphabet,
        horizon,
        lambda _, belief, x: _law(beliefs, belief, x),
        lambda _, histories, x: _after(beliefs, histories, x),
        look,
    )
    if parting is None:
        return None
    laws = {history: _law(beliefs, belief, parting.inputs[-1]) for belief, history in (parting.one, parting.other)}
    return _refuted(parting.inputs, laws, scope)


def _law(beliefs: Beliefs, belief: Belief, x: Any) -> Pmf[Any]:
    """The law of the next release under a belief; HALT for ever once it was released."""
    if belief == OVER:
        return point(HALT)
    return from_weights({v: mass for v, (mass, _) in beliefs.seen(belief, x).beliefs.items()})


def _after(beliefs: Beliefs, histories: Ways, x: Any) -> Histories:
    """What can be believed after one more round, with the histories."""
    after: Histories = {}
    for belief, history in histories.items():
        seen = BeliefLaw({HALT: (1, OVER)}, 1) if belief == OVER else beliefs.seen(belief, x)
        for v, (_, following) in seen.beliefs.items():
            after.setdefault(OVER if v is HALT else following, (*history, v))
    return after


def _refuted(inputs: tuple[Any, ...], laws: dict[tuple[Any, ...], Pmf[Any]], scope: str) -> Finding:
    (one, law), (two, other) = laws.items()
    detail = (
        f"After inputs {label(inputs)}, round {len(inputs)} depends on what was released: after {label(one)} its law "
        f"is {label(law)}, after {label(two)} it is {label(other)}."
    )
    witness = {
        "round": len(inputs),
        "inputs": [label(x) for x in inputs],
        "histories": [[label(y) for y in history] for history in (one, two)],
        "laws": [label(law), label(other)],
    }
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)


@frozen(slots=True)
class _State:
    """All that can be believed after some inputs, in order, and the law of the release that led there."""

    law: Pmf[Any]
    believed: tuple[Belief, ...]


def _core(beliefs: Beliefs) -> Core:
    """The core with these laws: its state is everything that can be believed, which the inputs alone decide."""
    view = beliefs.view
    return Core(
        view.name,
        view.alphabet,
        _State(point(None), (beliefs.initial,)),
        view.horizon,
        partial(_advanced, beliefs),
        _law_of,
        partial(_described, beliefs),
        may_halt=True,
    )


def _advanced(beliefs: Beliefs, state: _State, x: Any) -> Hashable:
    after = _after(beliefs, dict.fromkeys(state.believed, ()), x)
    return _State(_law(beliefs, state.believed[0], x), tuple(sorted(after)))


def _law_of(state: _State) -> Pmf[Any]:
    return state.law


def _described(beliefs: Beliefs, state: _State) -> str:
    return "{" + " | ".join(_shown(beliefs, state.believed)) + "}"


def _shown(beliefs: Beliefs, believed: Iterable[Belief]) -> Iterable[str]:
    return ("halted" if belief == OVER else beliefs.describe(belief) for belief in believed)
