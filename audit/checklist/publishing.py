"""POST_PROCESSING: is what a mechanism publishes a function of its core releases alone?"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, overload

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget, Stopped, best_so_far
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import rounds_in_words
from dpcert.audit.identity import held, value_of
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.draws import Draw, within
from dpcert.audit.kernels.futures import MOST_PREFIXES, count_prefixes
from dpcert.audit.kernels.hidden import Hidden, enumerated_steps, released_by
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.published import Publisher, Transcript, core_of_release
from dpcert.audit.kernels.release import HALT, Published, Release
from dpcert.audit.kernels.view import View

if TYPE_CHECKING:
    from dpcert.audit.outside.arguments_alone import ArgumentsAlone

MOST_EXECUTIONS = 100_000
"""Executions compared past which it is asked whether the code of `publish` reads the core releases alone."""
MOST_STATES_ASKED = 1_000_000
"""Laws asked for, of a state and an input each, past which that is left undecided."""


class _Nothing:
    """What is published beside a plain release."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()


def with_values(mechanism: Any, view: View, publisher: Publisher) -> Hidden:
    """The mechanism with all that it publishes in view; its state holds the releases so far as well."""
    initial = (view.initial, ())
    if isinstance(view, Core):
        kernel = _kernel_of_core(view, publisher)
        return Hidden(view.name, view.alphabet, initial, view.horizon, kernel, given=view.published)

    def step(state: tuple[Hashable, Transcript], x: Hashable, draw: Draw) -> tuple[Release[Any, Any], Hashable]:
        release, after = released_by(view.name, mechanism.step(value_of(state[0]), x, draw))
        releases = (*state[1], held(release.visible, "visible output"))
        return Release(publisher.beside(releases)), (held(after, "state"), releases)

    kernel = enumerated_steps(view.name, step, definition=mechanism.step)
    return Hidden(view.name, view.alphabet, initial, view.horizon, kernel, given=view.published)


def _kernel_of_core(core: Core, publisher: Publisher) -> Callable[[Any, Any], Kernel]:
    """Its laws are asked for anew right before `publish` is, which may read what that leaves behind."""

    def kernel(state: tuple[Hashable, Transcript], x: Hashable) -> Kernel:
        whole = core.kernel_again(state[0], x)
        longer = [((*state[1], y), after, w) for y, after, w in whole.entries]
        entries = ((publisher.beside(releases), (after, releases), w) for releases, after, w in longer)
        return Kernel(tuple(entries), whole.denominator)

    return kernel


def publishes(view: View, inputs: Transcript) -> bool:
    """Whether something is published beside the core; a mechanism that does shows it in round 1.

    One that begins later has releases of two parts that count as core releases, whole.
    """
    return any(isinstance(y, Published) for x in inputs for y, _, _ in view.kernel(view.initial, x).entries)


@overload
def core_part(view: Core) -> Core: ...
@overload
def core_part(view: Hidden) -> Hidden: ...
def core_part(view: View) -> View:
    """The mechanism of which only the core releases are seen."""
    if isinstance(view, Core):
        laws = [partial(_law_of_core, ask) for ask in (view.law, view.law_again)]
        return replace(view, _law=laws[0], _again=laws[1])
    kernels = [partial(_core_kernel, ask) for ask in (view.kernel, view.kernel_again)]
    return replace(view, _kernel=kernels[0], _again=kernels[1], given=None, published=None)


def _law_of_core(ask: Callable[[Any], Pmf[Any]], state: Hashable) -> Pmf[Any]:
    return ask(state).map(core_of_release)


def _core_kernel(ask: Callable[[Any, Any], Kernel], state: Hashable, x: Hashable) -> Kernel:
    whole = ask(state, x)
    weights: dict[tuple[Hashable, Hashable], int] = {}
    for visible, after, w in whole.entries:
        key = core_of_release(visible), after
        weights[key] = weights.get(key, 0) + w
    return Kernel(tuple((*key, w) for key, w in weights.items()), whole.denominator)


@frozen(slots=True)
class _Execution:
    """A way through the mechanism: its inputs, its state, the core releases and the values published so far."""

    inputs: Transcript
    state: Hashable
    core: Transcript
    values: Transcript


def post_processing(view: View, inputs: Transcript, horizon: int, budget: Budget) -> Finding:
    """Two executions with the same core releases and other published values refute it.

    A release without a published value publishes nothing, which is a value of its own. Source: paper.tex, sec:cert,
    condition 5.
    """
    scope = f"every execution over {rounds_in_words(horizon)}"
    executions: dict[Transcript, _Execution] = {}
    with best_so_far(budget) as part, within(budget.check_early):
        for execution in _executions(view, inputs, horizon, budget):
            other = executions.setdefault(execution.core, execution)
            if other.values != execution.values:
                return _refuted(other, execution, scope)
    if part.stopped:
        return Finding(Verdict.UNDECIDED, None, scope, f"Not decided: {part.stopped}.")
    detail = f"What is published is a function of the core releases so far, in all {len(executions)} core transcripts."
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)


def are_many(view: View, inputs: Transcript, horizon: int) -> bool:
    """Whether executions are more than can be compared, if every round has as many as the first."""
    first: int = sum(len(view.kernel(view.initial, x).entries) for x in inputs)
    total: int = first ** min(horizon, MOST_EXECUTIONS.bit_length())
    return total > MOST_EXECUTIONS


@frozen
class CodeRead:
    """What the code of a mechanism's `publish` reads, as it was before anything was asked of the mechanism.

    Attributes:
        mechanism: Whose `publish` it is.
        publisher: What asks it.
        alone: What it reads beside the core releases; where that is not known, why not, in words.
    """

    mechanism: Any
    publisher: Publisher
    alone: "ArgumentsAlone | str"

    def changed(self) -> str:
        """What is no longer as it was before, in words; empty where there is nothing."""
        if isinstance(self.alone, str):
            return ""
        if changed := self.alone.changed():
            return f"publish reads {changed}, which is not what it was before"
        same = getattr(self.mechanism, "publish", None) == self.publisher.publish
        return "" if same else "another publish stands in its place"


def reading_of(mechanism: Any, publisher: Publisher) -> CodeRead:
    """A look at the code of `publish`, to be had before any law is asked for: the first may leave something behind."""
    from dpcert.audit.outside.arguments_alone import NotAlone, arguments_alone

    try:
        return CodeRead(mechanism, publisher, arguments_alone(publisher.publish))
    except NotAlone as reason:
        return CodeRead(mechanism, publisher, f"publish may read more than the core releases, for {reason}")


def read_alone(view: View, reading: CodeRead, inputs: Transcript, horizon: int, budget: Budget) -> Finding:
    """HOLDS where `publish` is code that reads the core releases alone, and what it reads beside them stays as it is.

    That is looked at after every law of every state and after every step, asked for anew, so that what one leaves
    behind shows.
    """
    scope = f"every execution over {rounds_in_words(horizon)}"
    reason = reading.alone if isinstance(reading.alone, str) else ""
    with best_so_far(budget) as part, within(budget.check_early):
        reason = reason or _why_not_alone(view, reading, inputs, horizon, budget)
    if part.stopped or reason:
        return Finding(Verdict.UNDECIDED, None, scope, f"Its code does not tell either: {part.stopped or reason}.")
    detail = (
        "publish is handed the core releases so far, and its code reads nothing else but constants and functions of "
        "this kind, which were the same after every law and step that was asked for."
    )
    return Finding(Verdict.HOLDS, Method.BY_CONSTRUCTION, scope, detail)


def _why_not_alone(view: View, reading: CodeRead, inputs: Transcript, horizon: int, budget: Budget) -> str:
    """What else `publish` may read, in words; empty where there is nothing. Raises: Stopped: too many states."""
    left = _LeftBehind(reading)
    left.look()  # what the round that was asked for first has left behind
    few = count_prefixes(len(inputs), horizon) <= MOST_PREFIXES
    if isinstance(view, Core) and view.tells_prefixes_apart and few and set(inputs) == set(view.alphabet):
        laws = view.ask_prefixes(horizon, left.look).distinct
        return left.changed or _not_plain(y for law in laws for y in law.token_weights()[0])
    return _not_plain(_releases_of(view, inputs, horizon, budget, left)) or left.changed


@dataclass
class _LeftBehind:
    """What a law has left behind: the first thing that a function reads and that was not what it was after one."""

    reading: CodeRead
    changed: str = ""

    def look(self) -> None:
        """Looks once more."""
        self.changed = self.changed or self.reading.changed()


def _releases_of(view: View, inputs: Transcript, horizon: int, budget: Budget, left: _LeftBehind) -> Iterator[Hashable]:
    """All releases of all states, whose laws are asked for anew. Raises: Stopped: there are too many."""
    ask = view.kernel_again if isinstance(view, Core) else _steps_looked_at(view.name, left)
    states, count = [view.initial], 0
    for _ in range(horizon):
        following: dict[Hashable, None] = {}
        for state, x in product(states, inputs):
            budget.check_early()
            count += 1
            if count > MOST_STATES_ASKED:
                raise Stopped(f"more than {MOST_STATES_ASKED} laws to ask for (MOST_STATES_ASKED)")
            for visible, after, _ in ask(state, x).entries:
                yield visible
                if visible is not HALT:
                    following[after] = None
            left.look()
        states = list(following)


def _steps_looked_at(name: str, left: _LeftBehind) -> Callable[[Any, Any], Kernel]:
    """The kernels of a mechanism's step, with a look after each way of its draws: the next may mend what one leaves."""
    mechanism = left.reading.mechanism

    def step(state: Any, x: Any, draw: Draw) -> Any:
        answer = mechanism.step(state, x, draw)
        left.look()
        return answer

    return enumerated_steps(name, step, definition=mechanism.step)


def _not_plain(releases: Iterable[Hashable]) -> str:
    """Why a release is more than a number, a text or a tuple of such, in words; empty where none is."""
    from dpcert.audit.outside.arguments_alone import is_plain

    strange = next((y for y in map(value_of, releases) if y is not HALT and not is_plain(y)), None)
    return "" if strange is None else f"a release is a {type(strange).__name__}, of which publish may read more"


def _executions(view: View, inputs: Transcript, horizon: int, budget: Budget) -> Iterator[_Execution]:
    """Every execution of 1 to `horizon` rounds, shortest first; those that agree in all but the inputs are one."""
    executions = [_Execution((), view.initial, (), ())]
    count = 0
    for _ in range(horizon):
        following: dict[tuple[Any, ...], _Execution] = {}
        for execution, x in product(executions, inputs):
            for visible, after, _ in view.kernel(execution.state, x).entries:
                budget.check_early()
                count += 1
                if count > MOST_EXECUTIONS:
                    raise Stopped(f"more than {MOST_EXECUTIONS} executions to compare (MOST_EXECUTIONS)")
                value = visible.value if isinstance(visible, Published) else NOTHING
                core, values = (*execution.core, core_of_release(visible)), (*execution.values, value)
                longer = _Execution((*execution.inputs, x), after, core, values)
                if following.setdefault((after, core, values), longer) is longer:
                    yield longer
        executions = [e for e in following.values() if e.core[-1] is not HALT]


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
