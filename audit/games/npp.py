"""The neighbour-preserving game: both branches of a simulation, and an observer who sees both hidden outputs."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, TypeVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget, Stopped
from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.renaming import Renaming
from dpcert.audit.identity import as_is, held, same, value_of
from dpcert.audit.kernels.border import answering, has, name_of
from dpcert.audit.kernels.draws import Draw, enumerated, within
from dpcert.audit.kernels.hidden import Hidden, enumerated_steps, released_by
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.protocols import NeighborPreserving
from dpcert.audit.kernels.release import HALT, OVER, Release
from dpcert.audit.kernels.view import view_of
from dpcert.audit.outside.unasked import may_tell
from dpcert.audit.relations.adjacency import Adjacency
from dpcert.audit.relations.edits import TAGGED_EDIT
from dpcert.audit.relations.looks import Looks
from dpcert.audit.relations.tags import NEW, aged_token

T = TypeVar("T")
MEMBERS = ("simulation", "simulate", "outputs")


class BranchInputs(NamedTuple):
    """What branch `branch` is handed in a round: both streams' inputs, of which its own is the real one."""

    branch: int
    pair: tuple[Any, Any]

    def __repr__(self) -> str:
        return label(self.pair[self.branch])


as_is(BranchInputs)


@frozen(slots=True)
class Branches:
    """A relation whose pairs go whole to both branches; world b is branch b."""

    adjacency: Adjacency[Any]

    @property
    def name(self) -> str:
        """The name of the relation."""
        return self.adjacency.name

    @property
    def initial(self) -> Any:
        """The state before round 1."""
        return self.adjacency.initial

    def legal(self, state: Any, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
        """The relation's pairs, handed to either branch."""
        for pair, after in self.adjacency.legal(state, round_, alphabet):
            yield (BranchInputs(0, pair), BranchInputs(1, pair)), after


EDITS = Branches(TAGGED_EDIT)


MOST_STEPS_TO_OUTPUT = 20_000
"""Steps enumerated past which it is no longer looked for the first hidden output."""
MOST_RUNS_TO_OUTPUT = 200_000
"""Sequences of draws of these steps, tried twice each, past which it is not, either: it is for a sentence alone."""


def simulated(mechanism: NeighborPreserving[Any, Any, Any, Any]) -> Hidden:
    """The simulation as a mechanism: it is handed pairs, and shows (visible output, hidden output 0, hidden output 1).

    Every step checks that the algorithm itself, on the real stream and with the same draws, releases the same, and that
    the two hidden outputs so far are neighbours. Source: paper.tex, def:npp.

    Raises: MechanismError: a mechanism without a simulation, and, when a step is asked for, one of which either fails.
    """
    name = name_of(mechanism)
    missing = [name for name in MEMBERS if not has(mechanism, name)]
    if missing:
        raise MechanismError(f"Expected a NeighborPreserving for the npp game but got {name} without {missing[0]}")
    view = view_of(mechanism)
    with answering(f"{name}.simulation"):
        simulation = held(mechanism.simulation, "simulation")
    with answering(f"{name}.outputs"):
        initial = simulation, view.initial, held(mechanism.outputs.initial, "relation state")
    what, looks = "simulate, beside its step,", Looks()
    stepping = _Stepping(name, mechanism, nullcontext if _is_ours(mechanism) else looks.noted)
    kernel = enumerated_steps(name, stepping.step, mechanism.simulate, what, tokens=True)
    stepped = kernel if _is_ours(mechanism) else _renaming(mechanism, _events(name, view), kernel, looks).checked

    def later(state: Hashable, x: Hashable) -> Kernel:
        now: Any = stepped(state, x)
        with answering(f"{name}.step", mechanism.simulate):
            entries = tuple(
                (v, after if after is OVER else tuple(map(aged_token, after)), w) for v, after, w in now.entries
            )
        return Kernel(entries, now.denominator)

    return Hidden(name, view.alphabet, initial, view.horizon, later)


def _renaming(
    mechanism: object, events: tuple[Any, ...], kernel: Callable[[Any, Any], Kernel], looks: Looks
) -> Renaming:
    """Steps that are looked at: whether events under other names lead to the same."""
    return Renaming(name_of(mechanism), events, kernel, looks, may_tell(mechanism))


_ASKED = frozenset({"step", "simulate"})


def _events(name: str, view: Any) -> tuple[Any, ...]:
    """The values of an alphabet, all of which are events. Raises: MechanismError: None, with which nothing is tried."""
    values = tuple(map(value_of, view.alphabet))
    if None in values:
        raise MechanismError(
            f"Expected every input of {name} to be an event in the npp game but got None in its alphabet"
        )
    return values


def _is_ours(mechanism: object) -> bool:
    """Whether its class is one of dpcert's, none of which looks at events, and its steps are that class's."""
    own, kind = getattr(mechanism, "__dict__", {}), type(mechanism)
    written = (kind, *(getattr(kind, name, None) for name in _ASKED))  # a method of ours may have another in its place
    return not own.keys() & _ASKED and all(str(getattr(one, "__module__", "")).startswith("dpcert.") for one in written)


def npp_game(view: Hidden, horizon: int) -> BeliefGame:
    """The game on a simulated mechanism: the adversary edits where and how it likes, and sees both hidden outputs."""
    return BeliefGame(view, EDITS, horizon)


def named(pair: tuple[Any, ...], round_: int) -> tuple[Any, ...]:
    """Both branches' real inputs by names that stay, for a report."""
    return tuple(handed.pair[handed.branch].named(round_) for handed in pair)


class _Enough(Stopped):
    """What is left to look through would take too long."""


def first_output(mechanism: NeighborPreserving[Any, Any, Any, Any], most_rounds: int, budget: Budget) -> int | None:
    """The first round in which a hidden output can come on equal inputs; None if none was found in `most_rounds`, or
    within MOST_STEPS_TO_OUTPUT enumerated steps and MOST_RUNS_TO_OUTPUT runs of them. Raises: Stopped."""
    name, view = name_of(mechanism), view_of(mechanism)
    older = held if _is_ours(mechanism) else aged_token  # none of ours keeps events
    runs = 0

    def look() -> None:
        budget.check()
        if runs > MOST_RUNS_TO_OUTPUT:
            raise _Enough(f"MOST_RUNS_TO_OUTPUT={MOST_RUNS_TO_OUTPUT}")

    def stepped(state: Any) -> dict[Hashable, int]:
        def step(draw: Draw) -> tuple[bool, Hashable]:
            nonlocal runs
            runs += 1
            release, after = released_by(name, mechanism.step(value_of(state), NEW, draw))
            return release.hidden is not None, older(held(after, "state"))

        return enumerated(name, step)[0]

    states, steps = {view.initial}, 0
    for round_ in range(1, most_rounds + 1):
        budget.check()
        steps += len(states)
        if steps > MOST_STEPS_TO_OUTPUT:
            return None
        try:
            with within(look), answering(f"{name}.step", mechanism.step):
                outcomes: set[Any] = {outcome for state in states for outcome in stepped(state)}
        except _Enough:
            return None
        if any(comes for comes, _ in outcomes):
            return round_
        states = {after for _, after in outcomes}
    return None


@frozen
class _Stepping:
    """Steps of the simulation beside steps of the algorithm; state: (simulation, algorithm, output relation).

    Items in the state that a step leads to are as old as in the one it started from.
    """

    name: str
    mechanism: NeighborPreserving[Any, Any, Any, Any]
    noted: Callable[[], AbstractContextManager[None]]

    def step(self, state: Any, x: BranchInputs, draw: Draw) -> tuple[Release[Any, None], Hashable]:
        """One round of branch x.branch."""
        if state is OVER:
            return Release(HALT), OVER
        simulation, real, neighbours = map(value_of, state)
        draws: list[tuple[Any, Any]] = []

        def recording(law: Pmf[T]) -> T:
            outcome = draw(law)
            draws.append((law, outcome))
            return outcome

        with self.noted():
            answer = self.mechanism.simulate(x.branch, simulation, x.pair, recording)
        visible, hidden, simulation = self._simulated(answer)
        with self.noted():
            again = self.mechanism.step(real, x.pair[x.branch], _Again(self.name, draws))
        own, real = released_by(self.name, again)
        if not same((own.visible, own.hidden), (visible, hidden[x.branch])):
            came = f"{label((visible, hidden[x.branch]))} in branch {x.branch}"
            raise MechanismError(
                f"Expected {self.name}.simulate to release {label((own.visible, own.hidden))} but got {came}"
            )
        relation = self.mechanism.outputs
        with self.noted():
            after = relation.after(neighbours, x.pair, hidden)
        if after is None:
            wanted = f"{self.name}.simulate to keep its hidden outputs neighbours ({relation.name})"
            raise MechanismError(f"Expected {wanted} but got {label(hidden)} in branch {x.branch}")
        states = held(simulation, "state"), held(real, "state"), held(after, "relation state")
        return Release((visible, *hidden)), OVER if visible is HALT else states

    def _simulated(self, answer: Any) -> tuple[Any, tuple[Any, Any], Any]:
        """The checked answer of `simulate`: visible output, both hidden outputs, next state."""
        shaped = isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], Release)
        hidden = answer[0].hidden if shaped else None
        if not (isinstance(hidden, tuple) and len(hidden) == 2):
            wanted = f"{self.name}.simulate to return (Release(visible, (hidden, hidden)), state)"
            raise MechanismError(f"Expected {wanted} but got {label(answer)}")
        held(hidden, "hidden output")
        return answer[0].visible, hidden, answer[1]


class _Again:
    """A draw that gives what was drawn before, in order."""

    def __init__(self, name: str, drawn: list[tuple[Any, Any]]) -> None:
        self._name = name
        self._drawn = iter(drawn)

    def __call__(self, law: Pmf[T]) -> T:
        before: tuple[Any, Any] = next(self._drawn, (None, None))
        if before[0] is not law and before[0] != law:
            raise MechanismError(
                f"Expected {self._name}.simulate to draw first, and in order, what the algorithm draws"
            )
        outcome: T = before[1]
        return outcome
