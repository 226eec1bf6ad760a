"""Conditions 1 to 3 of Checklist 1 for code whose states are merged, and the core that it is where they hold."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget, Stopped, best_so_far
from dpcert.audit.checklist.of_code import MOST_RUNS, CodeExamination, core_part_of, reads_another
from dpcert.audit.checklist.partings import Parting, Ways, first_parting
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import rounds_in_words
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.machine import Machine
from dpcert.audit.limits import within

Inputs = tuple[Any, ...]


@frozen(slots=True)
class Reached:
    """All states that some inputs may have led to after so many rounds, and the number of the last output's law."""

    round: int
    states: tuple[int, ...]
    law: int = -1


def examined_by_state(
    code: Code, machine: Machine, inputs: Inputs, budget: Budget, publishes: Callable[[], bool]
) -> CodeExamination:
    """Decides PREFIX_DEPENDENCE, FRESH_RANDOMNESS and DETERMINISTIC_MAP where each state stands for all ways to it.

    Source: paper.tex, sec:cert; defn:indep_decomp.
    """
    scope = f"every seed and every stream of at most {rounds_in_words(machine.horizon)}"
    findings = {
        Item.DETERMINISTIC_MAP: Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, _repeated(machine)),
        Item.PREFIX_DEPENDENCE: Finding(
            Verdict.HOLDS, Method.EXHAUSTIVE, scope, "No output changed when inputs were added after it."
        ),
    }
    core: Core | None = None
    with best_so_far(budget) as part, within(budget.check_early):
        core_part = core_part_of(publishes())
        sets = _Sets(machine, core_part)
        found = _two_outputs(code, sets, inputs, scope, budget)
        core = sets.core() if found is None else None
        detail = "The seeds of the rounds are independent, and every round reads its own seed alone."
        findings[Item.FRESH_RANDOMNESS] = found or Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)
    if part.stopped:
        unknown = Finding(Verdict.UNDECIDED, None, scope, f"Not decided: {part.stopped}.")
        findings[Item.FRESH_RANDOMNESS] = unknown
    return CodeExamination(findings, core)


def _repeated(machine: Machine) -> str:
    return (
        f"All {machine.runs} ways through a round from {machine.states} states were run three times, in two orders and "
        "after two of the ways that lead to a state where there are two, and gave the same outputs and states. "
        f"{machine.merged} ways led to a state that another one had led to: one in all that the code can read."
    )


@dataclass
class _Sets:
    """What each set of states that some inputs lead to does: its outputs as a function of the seed of the round."""

    machine: Machine
    core_part: Callable[[Any], Any]
    _outputs: dict[tuple[int, int, Any], tuple[Any, ...]] = field(default_factory=dict)
    laws: list[Pmf[Any]] = field(default_factory=list)
    _numbers: dict[Pmf[Any], int] = field(default_factory=dict)
    _known: dict[tuple[int, tuple[Any, ...]], int] = field(default_factory=dict)
    shown: dict[Reached, Inputs] = field(default_factory=dict)

    def outputs(self, t: int, state: int, x: Any) -> tuple[Any, ...]:
        """The core output of round t + 1 under each seed of it, from a state after t rounds."""
        known = self._outputs.get((t, state, x))
        if known is None:
            step = self.machine.steps[t][state, x]
            released = [self.core_part(y) for y, _ in step.results]
            known = self._outputs[t, state, x] = tuple(released[way] for way in step.of_seed)
        return known

    def after(self, t: int, states: tuple[int, ...], x: Any) -> tuple[int, ...]:
        """The states that these may lead to."""
        steps = self.machine.steps[t]
        return tuple(sorted({after for state in states for _, after in steps[state, x].results}))

    def advance(self, reached: Reached, x: Any) -> Reached:
        """What is reached after one more input, with the law of its output, which all states have in common."""
        t = reached.round
        outputs = self.outputs(t, reached.states[0], x)
        law = self._known.get((t, outputs))
        if law is None:
            law = self._known[t, outputs] = self._numbered(t, outputs)
        after = Reached(t + 1, self.after(t, reached.states, x), law)
        self.shown.setdefault(after, (*self.shown.get(reached, ()), x))
        return after

    def _numbered(self, t: int, outputs: tuple[Any, ...]) -> int:
        """The number of the law of these outputs under the seeds of round t + 1."""
        weights: dict[Any, int] = {}
        for weight, y in zip(self.machine.laws[t].token_weights()[0].values(), outputs, strict=True):
            weights[y] = weights.get(y, 0) + weight
        law = from_weights(weights)
        if law not in self._numbers:
            self._numbers[law] = len(self.laws)
            self.laws.append(law)
        return self._numbers[law]

    def law(self, reached: Reached) -> Pmf[Any]:
        """The law of the last output."""
        return self.laws[reached.law]

    def core(self) -> Core:
        """The core that the code is; its state is all that can be after the inputs."""
        machine = self.machine
        return Core(
            machine.name,
            machine.alphabet,
            Reached(0, (0,)),
            machine.horizon,
            self.advance,
            self.law,
            self.describe,
            may_halt=True,
        )

    def describe(self, reached: Reached) -> str:
        """The first inputs that were seen to lead there."""
        return f"as after {label(self.shown.get(reached, ()))}"


def _two_outputs(code: Code, sets: _Sets, inputs: Inputs, scope: str, budget: Budget) -> Finding | None:
    """The shortest inputs after which a round under one seed releases two outputs: its state remembers other seeds."""

    def look(count: int) -> None:
        budget.check_early()
        if count > MOST_RUNS:
            raise Stopped(f"more than {MOST_RUNS} states by inputs (MOST_RUNS)")

    after = partial(_seeds_after, sets.machine)
    parting = first_parting({0: ()}, inputs, sets.machine.horizon, sets.outputs, after, look)
    return None if parting is None else _refuted(code, sets, parting, scope)


def _seeds_after(machine: Machine, t: int, ways: Ways, x: Any) -> Ways:
    """Every state after one more input, in order, with seeds that lead there."""
    seeds, after = machine.seeds(t + 1), {}
    for state, before in ways.items():
        step = machine.steps[t][state, x]
        for number, (_, led) in enumerate(step.results):
            after[led] = (*before, seeds[step.of_seed.index(number)])
    return dict(sorted(after.items()))


def _refuted(code: Code, sets: _Sets, parting: Parting, scope: str) -> Finding:
    """The two runs, made anew, that show it."""
    (*_, x), t = parting.inputs, len(parting.inputs) - 1
    ways = dict((parting.one, parting.other))
    outputs = [sets.outputs(t, state, x) for state in ways]
    at = next(i for i, (one, two) in enumerate(zip(*outputs, strict=True)) if one != two)
    later = tuple(sets.machine.seeds(t + 2 + i)[0] for i in range(sets.machine.horizon - t - 1))
    own = sets.machine.seeds(t + 1)[at]
    one, two = ((*before, own, *later) for before in ways.values())
    stream = parting.inputs
    released = [sets.core_part(code.again(seeds, stream)[t]) for seeds in (one, two)]
    if released != [listed[at] for listed in outputs]:
        raise Stopped("a run went otherwise than from state to state")
    return reads_another(t + 1, stream, (one, two), (released[0], released[1]), scope)
