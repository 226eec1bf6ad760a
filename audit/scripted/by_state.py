"""Runs of code explored state by state: what a round does in a state is run for one of the ways that lead there.

A state is made anew by a run of all rounds up to it on the same inputs and draws. States with one form (`forms`) are
one, since all that the code can read is the same in them. Whether they are is looked at all the same: every round is
run three times, at last after the last way that led to its state where it was run after the first; every run has to
draw, release and leave behind what the others did.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from dpcert.audit.errors import MechanismError
from dpcert.audit.identity import held
from dpcert.audit.kernels.machine import Machine, StateStep
from dpcert.audit.kernels.release import HALT
from dpcert.audit.limits import look
from dpcert.audit.scripted.cells import (
    AHEAD,
    AHEAD_AT,
    MOST_CODE_RUNS,
    Cells,
    Explorer,
    Seed,
    TooManyRuns,
    cells_of,
    too_many_runs,
)
from dpcert.audit.scripted.lifelike import fixed, lifelike
from dpcert.audit.scripted.others import SharedInVain
from dpcert.audit.scripted.states import FoundWay, History, LastWay, RoundWay, State, longer
from dpcert.audit.scripted.tape import Tape, next_of
from dpcert.audit.scripted.unknown import Unknown

MOST_SEEDS_BY_STATE = 2_000_000
"""Seeds of a round for each state and input, in all, past which states are not merged."""
COMPARED_RUNS = 16
"""Whole runs, on streams and seeds from all over, that are held against what the states say."""
Ended = tuple[tuple[Any, ...], Any]
"""The outputs of a run, and the form of the state after it; none where nothing is played after it."""


class Play(Protocol):
    """Runs the code on draws and inputs, and says which state it is in after that where it is wanted."""

    def __call__(self, tape: Tape, stream: tuple[Any, ...], *, wanted: bool) -> Ended:
        """The outputs, and the form of the state after them."""
        ...


class Sharing(Protocol):
    """Has others run what is left of some work where that takes long; what they leave is this process's."""

    def of_round(self, t: int, here: list[State]) -> Iterator[list[list[FoundWay]] | None]:
        """For each state in turn what round t does from it under each input; None where this process has to see."""
        ...

    def once_more(self, ways: list[LastWay]) -> Iterator[bool]:
        """For each way in turn whether it was run again, and ended as it had."""
        ...


@dataclass
class StateExplorer:
    """The states of code round by round.

    Attributes:
        name, alphabet, horizon: Of the code.
        play: Makes a run.
        sharing: Has others run what is left of a round where that takes long.
        rounds: The states before each round.
        runs: Ways that were found so far.
        merged: How many of them led to a state that another one had led to.
    """

    name: str
    alphabet: tuple[Any, ...]
    horizon: int
    play: Play
    sharing: "Sharing | None" = None
    rounds: list[list[State]] = field(default_factory=list)
    runs: int = 0
    merged: int = 0

    def explore(self) -> None:
        """Runs every round from every state, under every input, through all that it may draw; and all of it again.

        Raises: MechanismError: what the code cannot be followed in. Unknown: states that cannot be merged.
        """
        here = [State(0, None, History(), History())]
        for t in range(1, self.horizon + 1):
            self.rounds.append(here)
            here = self._round(t, here)
        self._look_again()

    def explore_first(self) -> None:
        """Runs the first round alone, for which no others are asked. Raises: as `explore`."""
        here = [State(0, None, History(), History())]
        self.rounds = [here, self._round(1, here)]

    def _round(self, t: int, here: list[State]) -> list[State]:
        """The states after round t, once it is known what that does from those before it."""
        following: dict[Any, State] = {}
        for state, found in self._found_of(t, here):
            for number, ways in enumerate(found):
                state.ways[number] = [self._led(way, history, form, following) for way, history, form in ways]
        return list(following.values())

    def _found_of(self, t: int, here: list[State]) -> Iterator[tuple[State, Iterable[Iterable[FoundWay]]]]:
        """Each state before round t, and what that round does from it under each input."""
        others = None if self.sharing is None else self.sharing.of_round(t, here)
        for state in here:
            found = None if others is None else next(others)
            if found is not None:
                self.runs += sum(map(len, found))
                if self.runs > MOST_CODE_RUNS:  # in the middle of a state, which one process says
                    raise SharedInVain
            yield state, found or (self.explored(t, state, number) for number in range(len(self.alphabet)))

    def _led(self, way: RoundWay, history: History, form: Any, following: dict[Any, State]) -> RoundWay:
        """The way with the state that it leads to, which is a new one or one that another way has led to."""
        if way.path[1] is not None:
            return way
        known = following.get(form)
        if known is None:
            known = following[form] = State(len(following), form, history, history)
        else:
            self.merged += 1
        return RoundWay(way.path, way.draws, way.output, known.number)

    def explored(self, t: int, state: State, number: int) -> Iterator[FoundWay]:
        """Every way through round t from a state under an input by its number, twice."""
        history = state.first
        explorer = Explorer(self.name, known=history.draws)
        inputs = (*history.inputs, number)
        stream = self._stream(inputs)
        more, found = True, state.number
        while more:
            look()
            self.runs, found = self.runs + 1, found + 1
            self._check_runs()
            if found == state.number + AHEAD_AT:
                for ahead in AHEAD:
                    self._played(t, stream, Explorer(self.name, known=history.draws, ahead=ahead))
            tape, outputs, form = self._played(t, stream, explorer)
            way = self._way(t, tape, outputs)
            self._check(t, history, way, tape, outputs)
            self._again(t, stream, way, outputs, form)
            if tape.numbers:
                self._lifelike(stream, way, form, found)
            yield way, History(inputs, way.draws, outputs), form
            more = explorer.advance()

    def _played(self, t: int, stream: tuple[Any, ...], explorer: Explorer) -> tuple[Tape, tuple[Any, ...], Any]:
        """The next run, with its draws. Raises: Unknown, MechanismError: it cannot be followed."""
        tape = explorer.tape()
        try:
            return tape, *self.play(tape, stream, wanted=t < self.horizon)
        except MechanismError:
            if explorer.crossed:
                raise Unknown("a draw of an earlier round is asked about again") from None
            raise

    def _check_runs(self) -> None:
        """Raises: TooManyRuns, Unknown: there were too many."""
        if self.runs > MOST_CODE_RUNS:
            raise TooManyRuns(too_many_runs(self.name)) if self.merged else Unknown("there are too many states")

    def _stream(self, inputs: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(self.alphabet[number] for number in inputs)

    def _way(self, t: int, tape: Tape, outputs: tuple[Any, ...]) -> RoundWay:
        """What a run knows of its draws, and what its last round released."""
        back = None if tape.rejected is None else tape.rejected[1]
        draws = {key: (draw.low, draw.high) for key, draw in tape.made.items()}
        return RoundWay((tape.path(t), back), draws, outputs[-1] if outputs else None, 0)

    def _check(self, t: int, history: History, way: RoundWay, tape: Tape, outputs: tuple[Any, ...]) -> None:
        """The rounds before were as they had been. Raises: Unknown: they were not, or it goes on after HALT."""
        before = {key: interval for key, interval in way.draws.items() if key[0] < t}
        if before != history.draws or (tape.rejected is not None and tape.rejected[0] != t):
            raise Unknown("the same rounds draw otherwise when they are played again")
        if tape.rejected is None and outputs[:-1] != history.outputs:
            raise Unknown("the same rounds release something else when they are played again")
        if HALT in history.outputs[-1:] and way.output is not HALT:
            raise Unknown("it goes on after HALT")

    def _again(self, t: int, stream: tuple[Any, ...], way: RoundWay, outputs: tuple[Any, ...], form: Any) -> None:
        """Runs a way once more. Raises: Unknown: it is another one then."""
        tape = fixed(self.name, way.draws)
        again, state = self.play(tape, stream, wanted=t < self.horizon)
        made = {key: (draw.low, draw.high) for key, draw in tape.made.items()}
        back = None if tape.rejected is None else tape.rejected[1]
        if (again, state, made, back) != (outputs, form, way.draws, way.path[1]):
            raise Unknown("the same run ends otherwise when it is made again")

    def _lifelike(self, stream: tuple[Any, ...], way: RoundWay, form: Any, number: int) -> None:
        """Runs a way on floats. Raises: MechanismError: it goes otherwise. Unknown: it leaves something else behind."""
        forms: list[Any] = []

        def run(tape: Tape, stream: tuple[Any, ...]) -> tuple[Any, ...]:
            outputs, state = self.play(tape, stream, wanted=form is not None)
            forms.append(state)
            return outputs

        lifelike(self.name, run, fixed(self.name, way.draws), stream, number)
        if any(one != form for one in forms):
            raise Unknown("a run on floats leaves something else behind")

    def _look_again(self) -> None:
        """Runs all ways once more, the last one first, after the last way that led to a state, and the last to that.

        Raises: Unknown: a round draws, releases or leaves something else then.
        """
        for t, state, number, way in self._ways():
            if t < self.horizon and way.path[1] is None:
                self.rounds[t][way.after].last = longer(t, state.last, number, way)
        ways = [
            LastWay(t, state.last, number, way, self._form_after(t, way)) for t, state, number, way in self._ways()
        ][::-1]
        others = None if self.sharing is None else self.sharing.once_more(ways)
        for one in ways:
            look()
            if others is None or not next(others):
                self.once_more(one)

    def _form_after(self, t: int, way: RoundWay) -> Any:
        """The form of the state that a way through round t leads to; none if none is played."""
        return self.rounds[t][way.after].form if t < self.horizon and way.path[1] is None else None

    def once_more(self, one: LastWay) -> None:
        """Runs a way after the last one that led to its state. Raises: Unknown: it goes otherwise then."""
        after = longer(one.round, one.history, one.input, one.way)
        outputs = after.outputs if one.way.path[1] is None else ()
        way = replace(one.way, draws=after.draws)
        self._again(one.round, self._stream(after.inputs), way, outputs, one.form)

    def _ways(self) -> Iterator[tuple[int, State, int, RoundWay]]:
        """Every round, state, input by number, and way, in order."""
        for t, here in enumerate(self.rounds, 1):
            for state in here:
                for number, ways in state.ways.items():
                    for way in ways:
                        yield t, state, number, way

    def found(self) -> tuple[Cells, Machine]:
        """The cells of all draws, and the states as a machine.

        Raises: MechanismError: what the code cannot be followed in. Unknown: states that cannot be merged.
        """
        drawn = _drawn_elsewhere()
        self.explore()
        paths = [{way.path for state in here for ways in state.ways.values() for way in ways} for here in self.rounds]
        cells = cells_of(self.name, paths)
        machine = self._machine(cells)
        self._compare(cells, machine)
        if drawn and _drawn_elsewhere() != drawn:
            raise Unknown("it draws from numpy.random")
        return cells, machine

    def _compare(self, cells: Cells, machine: Machine) -> None:
        """Holds whole runs against the machine. Raises: Unknown: one goes otherwise."""
        chosen = 1
        for _ in range(COMPARED_RUNS):
            look()
            picks = []
            for _ in range(2 * self.horizon):
                chosen = next_of(chosen)
                picks.append(chosen >> 33)
            stream = tuple(self.alphabet[pick % len(self.alphabet)] for pick in picks[::2])
            laws = zip(range(1, self.horizon + 1), picks[1::2], strict=True)
            seeds = tuple(machine.seeds(t)[pick % len(machine.seeds(t))] for t, pick in laws)
            outputs, _ = self.play(cells.tape(seeds), stream, wanted=False)
            if outputs != machine.respond(seeds, [held(x, "input") for x in stream]):
                raise Unknown("a whole run goes otherwise than from state to state")

    def _machine(self, cells: Cells) -> Machine:
        """The states as a machine on the seeds of these cells. Raises: Unknown: there are too many."""
        laws = [cells.seed_law(t) for t in range(1, self.horizon + 1)]
        entries = sum(len(law) * len(here) for law, here in zip(laws, self.rounds, strict=True)) * len(self.alphabet)
        if entries > MOST_SEEDS_BY_STATE:
            raise Unknown(f"there are more than {MOST_SEEDS_BY_STATE} seeds for all states (MOST_SEEDS_BY_STATE)")
        inputs = tuple(held(x, "input") for x in self.alphabet)
        steps: list[dict[tuple[int, Any], StateStep]] = []
        for t, (law, here) in enumerate(zip(laws, self.rounds, strict=True), 1):
            seeds = tuple(law.token_weights()[0])
            steps.append(
                {
                    (number, inputs[x]): _step(cells, t, seeds, ways)
                    for number, state in enumerate(here)
                    for x, ways in state.ways.items()
                }
            )
        return Machine(self.name, inputs, laws, steps, self.runs, self.merged)


def _drawn_elsewhere() -> tuple[Any, ...]:
    """The state of numpy's own generator, where it was loaded."""
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is None:
        return ()
    name, key, *others = numpy.mtrand._rand.get_state()
    return (name, key.tobytes(), *others)


def _step(cells: Cells, t: int, seeds: tuple[Seed, ...], ways: list[RoundWay]) -> StateStep:
    """What the seeds of round t do, each of which takes one of the ways."""
    taken: dict[Seed, RoundWay] = {}
    open_: list[tuple[Seed, list[RoundWay]]] = [((), ways)]
    while open_:
        seed, here = open_.pop()
        points = cells.ends.get((t, seed))
        if points is None:
            (taken[seed],) = here
            continue
        number = {end: i for i, end in enumerate(points)}
        inside: list[list[RoundWay]] = [[] for _ in points[1:]]
        for way in here:
            path = way.path[0]
            low, high = path[len(seed)] if len(path) > len(seed) else (points[0], points[-1])
            for i in range(number[low], number[high]):
                inside[i].append(way)
        open_ += [((*seed, i), cell) for i, cell in enumerate(inside)]
    results: dict[tuple[Any, int], int] = {}
    of_seed = [results.setdefault((taken[s].output, taken[s].after), len(results)) for s in seeds]
    return StateStep(tuple(results), tuple(of_seed))
