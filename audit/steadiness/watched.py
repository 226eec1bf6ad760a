"""A mechanism under audit: what its code can reach is watched, and its live runs are played in fresh processes.

An audit asks a mechanism in an order of its own, and every question once or twice. A deployment plays one run, in a
process in which nothing has run before. So live runs are played in fresh processes, each the first of its process,
and held against the same runs here, after all that was asked. Where something that the code can reach has changed
meanwhile, all runs are compared, up to a bound past which the answer is open; where nothing has, a few are.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import islice, product
from typing import Any

from dpcert.audit.budget import Budget, Stopped, best_so_far
from dpcert.audit.errors import DpcertError
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.label import exactly
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.outside.between_processes import may_differ
from dpcert.audit.outside.beyond import look_into_home
from dpcert.audit.outside.fresh_process import POSSIBLE, Lost, Pristine
from dpcert.audit.outside.interpreters import Interpreters
from dpcert.audit.outside.marks import changed
from dpcert.audit.outside.memos import NotedCache, noted_caches
from dpcert.audit.outside.reach import Reach, reach
from dpcert.audit.outside.remembered import settled
from dpcert.audit.outside.settings import generators
from dpcert.audit.outside.sources import draws
from dpcert.audit.outside.watching import watching
from dpcert.audit.steadiness.compared import FEW, OTHER, Comparison, Difference, first_difference
from dpcert.audit.steadiness.given import GivenKernels
from dpcert.audit.steadiness.live_runs import Choices, Run, StepTaken, next_choices, played

MOST_PROCESSES = 1_000
"""Processes past which no more are compared: a run that leaves nothing behind outside the mechanism shares one."""
BATCH = 100
"""Runs handed to one process at a time; one where what is left behind could not be seen."""
MOST_STIRRED = 20_000
"""First rounds, by input and outcomes of the draws, after each of which it is seen what has changed; past so many the
answer is open."""
ANSWER_SECONDS, LONG_ANSWER_SECONDS = 10, 60
"""Seconds that live runs may take in a fresh process, and one more for each; and in other interpreters."""
NO_ANSWER = "a live run in a fresh process gave no answer"
OURS = ("dpcert.mechanisms.", "dpcert.proofs_checked.")
"""Packages whose mechanisms are compared by our own tests, not again in every audit."""


@dataclass(eq=False, repr=False)
class WatchedMechanism:
    """A mechanism under audit: what it could reach before, and a process from before it was asked anything.

    Attributes:
        mechanism: The mechanism, as the user gave it.
        before: What told each place that its code can reach from others when the audit began.
        quiet: Whether its code looked as if it changed nothing; then no process was kept.
        pristine: The process; None where none was kept, or none could be.
        trusted: Whether the mechanism is one of ours.
        unsure: Whether something has changed, and it was left open whether that outlives a run.
        doubted: Whether nothing was seen to change, and not all was looked at.
        blind: Why not all that its code can change is seen; empty where it is.
        others: Other interpreters that have read the target; None where its code looks the same in all of them, or
            where no target is known.
        caches: Caches of the user's whose answers are noted, by their ids.
        harmless: The places of those that have changed and were no memory.
    """

    mechanism: Any
    before: dict[str, Any] = field(default_factory=dict)
    quiet: bool = False
    pristine: Pristine | None = None
    trusted: bool = False
    unsure: bool = False
    doubted: bool = False
    blind: str = ""
    others: Interpreters | None = None
    caches: dict[int, NotedCache] = field(default_factory=dict)
    harmless: set[str] = field(default_factory=set)
    _remembered: set[str] = field(default_factory=set)
    _settled: set[str] = field(default_factory=set)

    def changes(self) -> list[str]:
        """The places that have changed since the audit began, by name."""
        if self.trusted:
            return []
        found = reach(self.mechanism)
        now = found.marks()
        if not found.remembered.keys() <= self._remembered:
            self._remembered |= found.remembered.keys()
            self._settled |= settled(found)
        for name in now.keys() - self.before.keys():
            if any(_within(name, place) for place in self._settled):  # that it was asked for is no change
                self.before[name] = now[name]
        noted = ((name, self.caches.get(id(found.values.get(name)))) for name in changed(self.before, now))
        moved = [(name, cache is None or cache.is_memory(found)) for name, cache in noted]
        self.harmless |= {name for name, is_memory in moved if not is_memory}
        return [name for name, is_memory in moved if is_memory]

    def leave_open(self, comparison: Comparison) -> bool:
        """Whether it is open whether something outlives a run; notes why."""
        self.unsure = comparison.open and bool(comparison.moved)
        self.doubted = comparison.open and not comparison.moved
        return comparison.open

    def drawn(self, moved: Sequence[str]) -> tuple[str, Any] | None:
        """The first of the places that have changed where a random generator stands, and that."""
        values = generators() | reach(self.mechanism).values
        return next(((name, values[name]) for name in moved if name in values and draws(values[name])), None)

    def compared(self, view: Core | Hidden | Code, inputs: Sequence[Any], horizon: int, budget: Budget) -> Comparison:
        """Live runs here and in fresh processes, up to the first that goes otherwise.

        Args:
            view: What the audit asked: laws and answers that it remembers are those it has used.
            inputs: All inputs that a world can be handed, as tokens.
            horizon: Rounds of a run.
            budget: Bounds the time.
        """
        comparison = Comparison(moved=self.changes(), blind=self.blind)
        if self.quiet and not comparison.moved:
            return comparison
        with best_so_far(budget) as part:
            if not comparison.moved:
                moved, stirred = self._stirred(view, inputs, budget)
                comparison = replace(comparison, moved=moved, cut=stirred)
            if self.pristine is None:
                return replace(comparison, missing="no fresh process could be had")
            comparison = replace(comparison, caches=sorted(self.harmless))
            return self._played(comparison, view, self._runs(view, inputs, horizon, comparison.most), budget)
        return replace(comparison, cut=part.stopped)

    def elsewhere(self, comparison: Comparison, view: Core | Hidden | Code, horizon: int, budget: Budget) -> Comparison:
        """The same after some live runs in other interpreters, where sets have other orders, objects other places."""
        if self.others is None or comparison.difference is not None:
            return comparison
        inputs = view.alphabet
        runs = list(islice(self._runs(view, inputs, horizon, FEW), BATCH))
        runs = runs[:: -(-len(runs) // FEW)]
        words = [([exactly(x) for x in stream], choices) for stream, choices in runs]
        try:
            answers = self.others.ask((words, getattr(self.mechanism, "known_cells", None)), _seconds(budget))
        except Lost as reason:
            return replace(comparison, cut=comparison.cut or str(reason))
        for answer in answers:
            if list(answer.alphabet) != sorted(map(exactly, inputs)):
                here, there = ", ".join(sorted(map(exactly, inputs))), ", ".join(answer.alphabet)
                return replace(comparison, difference=Difference((), 0, here, there, OTHER))
            for (stream, choices), others in zip(runs, answer.runs, strict=True):
                lines, _ = played(self.mechanism, view, stream, choices)
                if differs := first_difference(stream, lines, others, OTHER):
                    return replace(comparison, difference=differs)
        return replace(comparison, others=len(answers))

    def _played(
        self, comparison: Comparison, view: Core | Hidden | Code, runs: Iterator[Run], budget: Budget
    ) -> Comparison:
        """The same with what has changed known: runs are compared until one goes otherwise, or there are enough."""
        pending: list[Run] = []
        count = processes = 0
        given = None if isinstance(view, Code) else GivenKernels(view)
        batch, most = 1 if self.blind else BATCH, comparison.most
        ways = (False, True) if comparison.moved else (False,)  # what the audit used, and what is said now
        with best_so_far(budget) as part:
            while pending or (pending := list(islice(runs, min(batch, max(1, most - count))))):
                if count >= most or processes == MOST_PROCESSES:
                    bound = f"MANY = {most}" if count >= most else f"MOST_PROCESSES = {MOST_PROCESSES}"
                    missing = f"there are more ({bound})" if comparison.rests_on_runs else ""
                    return replace(comparison, count=count, missing=missing)
                budget.check()
                processes += 1
                for (stream, choices), there in zip(tuple(pending), self._there(view, pending), strict=False):
                    count += 1
                    pending.pop(0)
                    for anew in ways:
                        steps: list[StepTaken] = []
                        here, _ = played(self.mechanism, view, stream, choices, anew=anew, steps=steps)
                        differs = first_difference(stream, here, there)
                        if differs is None and given is not None:
                            differs = given.differs(stream, steps)
                        if differs is not None:
                            return replace(comparison, count=count, difference=differs)
        if part.stopped:
            return replace(comparison, count=count, cut=part.stopped)
        return replace(comparison, count=count, all=comparison.rests_on_runs or count < most)

    def _stirred(self, view: Core | Hidden | Code, inputs: Sequence[Any], budget: Budget) -> tuple[list[str], str]:
        """The places that have changed after one round on some input: what is changed may be as it was at the end.

        And why not all such rounds were looked at, empty where they were.
        """
        rounds = 0
        for x in inputs:
            choices: Choices | None = ()
            while choices is not None:
                if rounds == MOST_STIRRED:
                    return [], f"more first rounds than were looked at one by one (MOST_STIRRED = {rounds})"
                budget.check()
                rounds += 1
                options = played(self.mechanism, view, (x,), choices, anew=True)[1]
                if moved := self.changes():
                    return moved, ""
                choices = next_choices(choices, options)
        return [], ""

    def _runs(self, view: Any, inputs: Sequence[Any], horizon: int, most: int) -> Iterator[Run]:
        """Streams with the outcomes of their draws: all there are or, where those are too many, more than `most`."""
        whole = len(inputs) ** horizon if horizon * len(inputs).bit_length() < 64 else most + 1
        if whole > most:
            streams = [tuple(inputs[_spread(n, t) % len(inputs)] for t in range(horizon)) for n in range(most + 1)]
            yield from ((stream, (n,) * n) for n, stream in enumerate([(inputs[-1],) * horizon, *streams[1:]]))
            return
        for stream in reversed(list(product(inputs, repeat=horizon))):
            choices: Choices | None = ()
            while choices is not None:
                yield stream, choices
                choices = next_choices(choices, played(self.mechanism, view, stream, choices)[1])

    def _there(self, view: Core | Hidden | Code, runs: Sequence[Run]) -> list[list[str]]:
        """The first of these runs in a fresh process, and the others as long as a run leaves nothing behind there.

        Raises: Stopped: there was no answer.
        """
        number = {x: n for n, x in enumerate(view.alphabet)}
        requests = [([number.get(x, (x,)) for x in stream], choices) for stream, choices in runs]
        pristine, self.pristine = self.pristine, None  # until it has answered: what is cut short may answer later
        if pristine is None:
            raise Stopped(f"{NO_ANSWER}: no fresh process could be had")
        try:
            answer = pristine.run((requests, getattr(self.mechanism, "known_cells", None)), ANSWER_SECONDS + len(runs))
        except Lost as reason:
            raise Stopped(f"{NO_ANSWER}: {reason}") from None
        self.pristine = pristine
        if not (isinstance(answer, list) and answer):
            raise Stopped(f"{NO_ANSWER}: a process ended before its run did")
        return answer


@contextmanager
def watch(mechanism: object, others: Interpreters | None = None) -> Iterator[WatchedMechanism]:
    """Watches a mechanism while it is audited: sources of randomness from outside, and what it leaves behind.

    `others` can read it once more, where it was named as a target.
    """
    if type(mechanism).__module__.startswith(OURS) and not _of_users(mechanism):
        yield WatchedMechanism(mechanism, trusted=True)
        return
    read_public_names()
    import_module("numpy.random")  # which is watched: its generator is there from the first mark on
    places = reach(mechanism)
    quiet = places.looks_quiet and not _is_scripted(mechanism)
    pristine = None if quiet else _pristine(mechanism)
    others = others if others is not None and may_differ(places.modules) and others.start() else None
    watched_mechanism = WatchedMechanism(mechanism, places.marks(), quiet, pristine, blind=places.unseen, others=others)
    with ExitStack() as stack:
        if others is not None:
            stack.callback(others.close)
        if watched_mechanism.pristine is not None:
            stack.callback(watched_mechanism.pristine.close)
        if not _is_scripted(mechanism):
            noted = noted_caches(mechanism, places, watched_mechanism.changes)
            watched_mechanism.caches = stack.enter_context(noted)
        stack.enter_context(
            watching(lambda: _spaces(places), profile=places.looks_outside, home=look_into_home(mechanism))
        )
        yield watched_mechanism


def read_public_names() -> None:
    """Reads all that user code may ask `dpcert` for: read while it is watched, it would be a change that it made."""
    face = import_module(__name__.partition(".")[0])  # above all layers, so not imported by any
    for name in face.__all__:
        getattr(face, name)


def _is_scripted(mechanism: object) -> bool:
    """Whether it is everyday code on scripted noise; nothing is, before that module was read."""
    scripted = sys.modules.get("dpcert.audit.scripted.code")
    return scripted is not None and isinstance(mechanism, scripted.Scripted)


def _of_users(mechanism: object) -> bool:
    """Whether a mechanism of ours has parts that somebody else wrote."""
    return any(not _is_ours(value) for value in reach(mechanism).values.values())


def _is_ours(value: Any) -> bool:
    module = getattr(value if isinstance(value, type) or callable(value) else type(value), "__module__", None)
    return not isinstance(module, str) or module.startswith((*OURS, "dpcert.audit.")) or "." not in module


def _spaces(found: Reach) -> tuple[list[tuple[dict[str, Any], str]], list[Any]]:
    return found.globals, [value for name, value in found.values.items() if name not in found.read]


def _pristine(mechanism: object) -> Pristine | None:
    if not POSSIBLE:
        return None
    pristine = Pristine(lambda request: _answer(mechanism, *request))
    try:
        pristine.start()
    except OSError:
        return None
    return pristine


def _answer(mechanism: Any, runs: Sequence[tuple[list[Any], Choices]], known: Any) -> list[list[str]]:
    """Live runs in a fresh process: each on a copy of the mechanism, the last one that which leaves anything behind."""
    if known is not None:
        mechanism.learn(known)
    places = reach(mechanism)
    with watching(lambda: _spaces(places), profile=places.looks_outside, home=look_into_home(mechanism)):
        return _one_after_another(mechanism, runs, places.marks())


def _one_after_another(
    mechanism: Any, runs: Sequence[tuple[list[Any], Choices]], before: dict[str, Any]
) -> list[list[str]]:
    answers: list[list[str]] = []
    for inputs, choices in runs:
        answers.append(alone(mechanism, inputs, choices))
        if changed(before, reach(mechanism).marks()):
            break
    return answers


def alone(mechanism: Any, inputs: list[Any], choices: Choices) -> list[str]:
    """One live run on a copy, or on the mechanism itself where it cannot be copied; what it raises is its answer."""
    with suppress(Exception):
        mechanism = deepcopy(mechanism)
    try:
        view = any_view_of(mechanism)
        stream = tuple(view.alphabet[x] if isinstance(x, int) else x[0] for x in inputs)
        return played(mechanism, view, stream, choices, anew=True)[0]
    except DpcertError as error:
        return [f"raised {error}"]


def _seconds(budget: Budget) -> int:
    """How long other interpreters may take, which read the target first."""
    left = budget.left()
    return LONG_ANSWER_SECONDS if left is None else max(0, min(LONG_ANSWER_SECONDS, left // 10**9))


def _within(name: str, place: str) -> bool:
    """Whether a place is another one, or inside it: not one whose name only begins alike."""
    return name == place or name.startswith(tuple(place + mark for mark in ".[ '"))


def _spread(n: int, t: int) -> int:
    """A number for stream n and round t, all 0 in stream 0."""
    return n * 7919 + n * t * 104729 + n * t * t * 31
