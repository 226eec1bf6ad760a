"""POST_PROCESSING: is what a mechanism publishes a function of its core releases alone?"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from dpcert.audit.answering import answering, hash_or_refuse
from dpcert.audit.budget import Budget, OutOfBudget
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.label import label
from dpcert.audit.release import HALT, Published
from dpcert.audit.view import Core, Kernel, View

MOST_EXECUTIONS = 100_000
"""Executions compared past which the condition is left undecided."""

Transcript = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Execution:
    """A way through the mechanism: its inputs, its state, the core releases and the values published so far."""

    inputs: Transcript
    state: Hashable
    core: Transcript
    values: Transcript


def post_processing(mechanism: object, view: View, horizon: int, budget: Budget) -> Finding:
    """Two executions with the same core releases and other published values refute it.

    What is published is either the value of each `Published` release, or what the mechanism's own
    `publish(core releases so far)` answers. Source: paper.tex, sec:cert, condition 5.
    """
    scope = f"every execution over {horizon} round{'s' if horizon > 1 else ''}"
    publish = getattr(mechanism, "publish", None)
    known: dict[Transcript, _Execution] = {}
    try:
        for execution in _executions(view, horizon, publish, budget):
            other = known.setdefault(execution.core, execution)
            if other.values != execution.values:
                return _refuted(other, execution, scope)
    except (OutOfBudget, KeyboardInterrupt) as reason:
        return Finding(Verdict.UNDECIDED, None, scope, f"Not decided: {reason or 'interrupted'}.")
    detail = f"What is published is a function of the core releases so far, in all {len(known)} core transcripts."
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)


def publishes(mechanism: object, view: View) -> bool:
    """Whether something is published beside the core; a mechanism that does shows it in round 1.

    One that begins later has releases of two parts that count as core releases, whole.
    """
    if getattr(mechanism, "publish", None) is not None:
        return True
    return any(isinstance(y, Published) for x in view.alphabet for y, _, _ in view.kernel(view.initial, x).entries)


def core_part(view: View) -> View:
    """The mechanism of which only the core releases are seen."""
    if isinstance(view, Core):
        return replace(view, _law=lambda state: view.law(state).map(core_of_release))

    def kernel(state: Hashable, x: Hashable) -> Kernel:
        whole = view.kernel(state, x)
        return Kernel(tuple((core_of_release(v), after, w) for v, after, w in whole.entries), whole.denominator)

    return replace(view, _kernel=kernel)


def core_of_release(visible: Any) -> Any:
    """The core release in a visible output, which may have a published value beside it."""
    return visible.core if isinstance(visible, Published) else visible


def _executions(
    view: View, horizon: int, publish: Callable[[Transcript], Hashable] | None, budget: Budget
) -> Iterator[_Execution]:
    """Every execution of 1 to `horizon` rounds, shortest first; those that agree in all but the inputs are one."""
    reached = [_Execution((), view.initial, (), ())]
    count = 0
    for _ in range(horizon):
        following: dict[tuple[Any, ...], _Execution] = {}
        for execution, x in product(reached, view.alphabet):
            for visible, after, _ in view.kernel(execution.state, x).entries:
                budget.check()
                count += 1
                if count > MOST_EXECUTIONS:
                    raise OutOfBudget(f"more than {MOST_EXECUTIONS} executions to compare")
                core = (*execution.core, core_of_release(visible))
                value = visible.value if isinstance(visible, Published) else core[-1]
                if publish is not None:
                    value = _value(view.name, publish, core)
                longer = _Execution((*execution.inputs, x), after, core, (*execution.values, value))
                if following.setdefault((after, core, longer.values), longer) is longer:
                    yield longer
        reached = [e for e in following.values() if e.core[-1] is not HALT]


def _value(name: str, publish: Callable[[Transcript], Hashable], core: Transcript) -> Hashable:
    with answering(f"{name}.publish", publish):
        value = publish(core)
        hash_or_refuse(value, "published value")
    return value


def _refuted(one: _Execution, two: _Execution, scope: str) -> Finding:
    detail = (
        f"Core releases {label(one.core)} are published as {label(one.values)} on inputs {label(one.inputs)} and as "
        f"{label(two.values)} on {label(two.inputs)}: something else than the core is read."
    )
    witness = {
        "core": [label(y) for y in one.core],
        "inputs": [[label(x) for x in e.inputs] for e in (one, two)],
        "published": [[label(v) for v in e.values] for e in (one, two)],
    }
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)
