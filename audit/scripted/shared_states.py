"""States of plain code that others run: what is left of a round, or of the runs that are made once more, in shares.

Others may run states where all that the code can read is known (decision 17): the code, and all that it can reach, is
plain and the same there, and every run leaves all of it as it was. What a round does in a state is then the same
whoever runs it. What comes of the shares of a round is taken whole, or this process makes all runs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from dpcert.audit.scripted.by_state import Play, StateExplorer
from dpcert.audit.scripted.forms import Form, Forms, WholeForm
from dpcert.audit.scripted.others import EXPLORED, ONCE_MORE, CodeOpening, Others, ShareAsked, ShareDone
from dpcert.audit.scripted.shares import Sharer, check_opening, in_parts
from dpcert.audit.scripted.stack import leaving_as_much, stack_left
from dpcert.audit.scripted.states import FoundWay, History, LastWay, RoundWay, State
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.untouched import CHANGED
from dpcert.audit.scripted.written import Tokens, read, read_draws, read_tokens, written, written_draws


class DrawingCode(Protocol):
    """Code that draws."""

    @property
    def spelled(self) -> tuple[Any, ...]:
        """How it is asked."""
        ...

    def explorer(self, horizon: int) -> tuple[StateExplorer, Forms]:
        """What explores its states, and the forms by which it tells them apart."""
        ...

    def whole(self, forms: Forms) -> WholeForm:
        """The form of all that it can reach before a run. Raises: Unknown: it has none."""
        ...

    def looked_at(self, forms: Forms, look: Callable[[], None]) -> Play:
        """What makes a run, and has a look taken at what it left behind."""
        ...


class StateSharing(Sharer):
    """Has others run states for an explorer.

    Args:
        others: Who they are.
        explorer: Whose states they are, with nothing explored.
        forms: Those that it finds states by.
        code: Whose states they are.
    """

    def __init__(self, others: Others, explorer: StateExplorer, forms: Forms, code: DrawingCode) -> None:
        super().__init__(others, code.whole)
        self._explorer, self._state_forms, self._spelled = explorer, forms, code.spelled
        explorer.play = code.looked_at(forms, self.run)

    def opening(self) -> CodeOpening:
        """What says which code it is, once its first round was explored. Raises: Unknown: it is not to be told."""
        return _opening(self._explorer, self.whole.form, self._spelled, (self.forms, self._state_forms))

    def of_round(self, t: int, here: list[State]) -> Iterator[list[list[FoundWay]] | None]:
        """For each state in turn what round t does from it under each input; None where this process has to see."""
        since = self.begun()
        for at in range(len(here)):
            size = 0 if t == 1 else self.share(since, at, len(here) - at)
            found = self._explored(t, here[at:], size) if size else None
            if found is not None:
                yield from found
                return
            yield None

    def once_more(self, ways: list[LastWay]) -> Iterator[bool]:
        """For each way in turn whether it was run again, and ended as it had."""
        since = self.begun()
        for at in range(len(ways)):
            size = self.share(since, at, len(ways) - at)
            if size and self.done(in_parts(ways[at:], size), self._asked_once_more, lambda *_: True) is not None:
                yield from [True] * (len(ways) - at)
                return
            yield False

    def _explored(self, t: int, states: list[State], size: int) -> list[list[list[FoundWay]]] | None:
        """What others found of each state; None where they did not."""
        found = self.done(in_parts(states, size), partial(self._asked_to_explore, t), partial(_read_ways, t))
        return None if found is None else [one for part in found for one in part]

    def _asked_to_explore(self, t: int, states: Sequence[State]) -> ShareAsked:
        tokens = Tokens()
        body = t, tuple((*_written_history(state.first, tokens), state.number) for state in states)
        return self.asked(EXPLORED, body, tokens, self._explorer.runs)

    def _asked_once_more(self, ways: Sequence[LastWay]) -> ShareAsked:
        tokens, forms = Tokens(), dict[int, int]()
        listed: list[Any] = []
        body = []
        for one in ways:
            if id(one.form) not in forms:
                forms[id(one.form)] = len(listed)
                listed.append(one.form)
            history = _written_history(one.history, tokens)
            way = _written_way(one.round, one.way, tokens)
            body.append((one.round, history, one.input, way, forms[id(one.form)]))
        return self.asked(ONCE_MORE, (tuple(listed), tuple(body)), tokens, self._explorer.runs)


def _read_ways(t: int, states: Sequence[State], done: ShareDone) -> list[list[list[FoundWay]]]:
    """What a share found of each state under each input."""
    tokens = read_tokens(done.tokens)
    return [
        [[_found(t, state.first, number, way, tokens) for way in ways] for number, ways in enumerate(of_state)]
        for state, of_state in zip(states, read(done.body), strict=True)
    ]


def _opening(explorer: StateExplorer, whole: Form, spelled: tuple[Any, ...], forms: tuple[Forms, Forms]) -> CodeOpening:
    """What says which code it is, of an explorer that has explored the first round.

    Raises: Unknown: what is not to be written.
    """
    first = explorer.rounds[0][0]
    after = {state.number: state.form for state in explorer.rounds[1]} if len(explorer.rounds) > 1 else {}
    tokens = Tokens()
    told = tuple(
        (_written_way(1, way, tokens), after.get(way.after) if way.path[1] is None else None)
        for number in range(len(explorer.alphabet))
        for way in first.ways[number]
    )
    lasting = tuple(one.lasting() for one in forms)
    return CodeOpening(
        explorer.horizon, spelled, written(whole), written(told), tokens.written(), lasting, stack_left()
    )


@dataclass
class StateHelper:
    """Explores states that another process asks for.

    Attributes:
        code: The same, as it is read here.
        asked: What says which code that process has.
    """

    code: DrawingCode
    asked: CodeOpening

    def __post_init__(self) -> None:
        self.explorer, self.forms = self.code.explorer(self.asked.horizon)
        self._whole_forms = Forms()
        self._known = 0

    def open(self) -> None:
        """Runs the first round. Raises: Unknown: it is not the same code. MechanismError: it cannot be followed."""
        before = self.code.whole(self._whole_forms)
        self.explorer.play = self.code.looked_at(self.forms, before.untouched().check)
        with leaving_as_much(self.asked.stack):
            self.explorer.explore_first()
        forms = self._whole_forms, self.forms
        check_opening(_opening(self.explorer, before.form, self.code.spelled, forms), self.asked)
        self._check_kept()
        self._known = len(self.forms)

    def done(self, share: ShareAsked) -> ShareDone:
        """A share. Raises: Unknown, MechanismError: what the process that asks has to see for itself."""
        self.explorer.runs = share.runs
        with leaving_as_much(share.opening.stack):
            done = self._once_more(share) if share.kind == ONCE_MORE else self._explored(share)
        self._check_kept()
        if len(self.forms) != self._known:
            raise Unknown("a state leads to what no state of the first round led to")
        return done

    def _check_kept(self) -> None:
        """Raises: Unknown: what code can reach is no longer plain, or not what it was."""
        if self.code.whole(self._whole_forms).form != read(self.asked.whole):
            raise Unknown(CHANGED)

    def _explored(self, share: ShareAsked) -> ShareDone:
        known, tokens = read_tokens(share.tokens), Tokens()
        t, states = read(share.body)
        body = []
        for inputs, draws, outputs, number in states:
            state = _state(inputs, draws, outputs, known, number)
            body.append(
                tuple(
                    tuple((_written_way(t, way, tokens), form) for way, _, form in self.explorer.explored(t, state, x))
                    for x in range(len(self.explorer.alphabet))
                )
            )
        return ShareDone(written(tuple(body)), tokens.written())

    def _once_more(self, share: ShareAsked) -> ShareDone:
        known = read_tokens(share.tokens)
        forms, ways = read(share.body)
        for t, (inputs, draws, outputs), x, (own, back, output), form in ways:
            history = _state(inputs, draws, outputs, known, 0).first
            way = _way(t, history, own, back, output, known)
            self.explorer.once_more(LastWay(t, history, x, way, forms[form]))
        return ShareDone()


def _written_history(history: History, tokens: Tokens) -> tuple[Any, ...]:
    return history.inputs, written_draws(history.draws), tokens.all(history.outputs)


def _state(inputs: Any, draws: Any, outputs: Any, known: list[Any], number: int) -> State:
    history = History(inputs, read_draws(draws), tuple(known[token] for token in outputs))
    return State(number, None, history, history)


def _written_way(t: int, way: RoundWay, tokens: Tokens) -> tuple[Any, ...]:
    """The draws of its own round, where a loop begins anew, and its output."""
    own = {key: interval for key, interval in way.draws.items() if key[0] == t}
    return written_draws(own), way.path[1], -1 if way.path[1] is not None else tokens.number(way.output)


def _way(t: int, history: History, own: Any, back: int | None, output: int, known: list[Any]) -> RoundWay:
    drawn = read_draws(own)
    path = tuple(drawn[t, k] for k in range(len(drawn)))
    return RoundWay((path, back), {**history.draws, **drawn}, None if output < 0 else known[output], 0)


def _found(t: int, before: History, number: int, told: Any, tokens: list[Any]) -> FoundWay:
    """A way that others found, after a state's first history."""
    (own, back, output), form = told
    way = _way(t, before, own, back, output, tokens)
    outputs = (*before.outputs, way.output) if back is None else ()
    return way, History((*before.inputs, number), way.draws, outputs), form
