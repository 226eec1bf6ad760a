"""Rungs 3 and 4 for every horizon at once, by closure over the state pairs of a core with finitely many states."""

from collections.abc import Iterable
from typing import Any

from dpcert.audit.budget import Budget, Stopped, best_so_far
from dpcert.audit.checklist.contexts import Context, Curves, Inputs
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.core import Core
from dpcert.audit.limits import within

MOST_STATES = 2_000
"""States reachable past which no horizon-free answer is tried."""
MOST_PAIRS = 500_000
"""State pairs followed, over all rounds, past which the search is given up."""

Pair = tuple[Any, Any]
Track = dict[Pair, Context]
"""State pairs of which the rung says that they have one curve, each with the first context that leads to it."""


@frozen(slots=True)
class Unstable:
    """Two contexts of one challenge with other curves in one round, the earliest there is."""

    one: Context
    two: Context
    curves: tuple[int, int]
    round: int


@frozen
class Closure:
    """What holds in every round there can be: for every common context, and for every later common input.

    `context` and `future` are None where the rung holds; `open` says why neither was decided.
    """

    context: Unstable | None = None
    future: Unstable | None = None
    states: int = 0
    open: str | None = None

    @property
    def rounds(self) -> int:
        """Rounds that show what was refuted; 0 where nothing was."""
        return max((found.round for found in (self.context, self.future) if found is not None), default=0)


def closure(core: Core, curves: Curves, budget: Budget) -> Closure:
    """Follows all pairs of states that a challenge and common inputs lead to until nothing new comes.

    Whatever can be seen of a state is its law and what it leads to, so a set of pairs that was met before needs no
    second visit, in whatever round. Source: claims 69 and 107.
    """
    with best_so_far(budget) as part, within(budget.check):
        states = reachable(core, budget)
        context = _follow(core, curves, budget, _starts_together(core, budget))
        future = _follow(core, curves, budget, _starts_apart(core, budget, states))
        return Closure(context, future, len(states))
    return Closure(open=part.stopped)


def reachable(core: Core, budget: Budget) -> dict[Any, Inputs]:
    """Every state before some round, with the shortest inputs that lead to it."""
    histories: dict[Any, Inputs] = {core.initial: ()}
    states = [core.initial]
    for state in states:
        for x in core.alphabet:
            budget.check()
            after = core.advance(state, x)
            if after not in histories:
                histories[after] = (*histories[state], x)
                states.append(after)
            if len(histories) > MOST_STATES:
                raise Stopped(f"more than {MOST_STATES} states can be reached (MOST_STATES)")
    return histories


def _starts_together(core: Core, budget: Budget) -> Iterable[list[Track]]:
    """Round by round, one track a challenge: from every state that this round can begin in."""
    here: dict[Any, Inputs] = {core.initial: ()}
    seen: set[frozenset[Any]] = set()
    count = 0
    while frozenset(here) not in seen:
        seen.add(frozenset(here))
        count += len(here)
        if count > MOST_PAIRS:
            raise Stopped(f"more than {MOST_PAIRS} states to begin a round in (MOST_PAIRS)")
        yield [_from(core, budget, here, challenge) for challenge in _challenges(core)]
        following: dict[Any, Inputs] = {}
        for state, before in here.items():
            for x in core.alphabet:
                budget.check()
                following.setdefault(core.advance(state, x), (*before, x))
        here = following


def _from(core: Core, budget: Budget, here: dict[Any, Inputs], challenge: tuple[Any, Any]) -> Track:
    """The pairs of states that a challenge leads to, from every state here."""
    track: Track = {}
    for state, before in here.items():
        budget.check()
        a, b = challenge
        track[core.advance(state, a), core.advance(state, b)] = Context(before, challenge, ())
    return track


def _starts_apart(core: Core, budget: Budget, states: dict[Any, Inputs]) -> Iterable[list[Track]]:
    """Round by round, one track a challenge and state, in the first round that begins in that state."""
    for length in range(max(map(len, states.values())) + 1):
        yield [
            _from(core, budget, {state: before}, challenge)
            for state, before in states.items()
            if len(before) == length
            for challenge in _challenges(core)
        ]


def _challenges(core: Core) -> list[tuple[Any, Any]]:
    return [(a, b) for a in core.alphabet for b in core.alphabet if a != b]


def _follow(core: Core, curves: Curves, budget: Budget, starts: Iterable[list[Track]]) -> Unstable | None:
    """Moves every track on by every common input, until a track has two curves or nothing new is left."""
    keys: set[frozenset[Pair]] = set()
    tracks: list[Track] = []
    coming = iter(starts)
    round_, pairs = 0, 0
    while True:
        fresh = next(coming, None)
        if fresh is None and not tracks:
            return None
        round_ += 1
        frontier = []
        for track in [*tracks, *(fresh or ())]:
            budget.check()
            key = frozenset(track)
            if key in keys:
                continue
            keys.add(key)
            pairs += len(track)
            if pairs > MOST_PAIRS:
                raise Stopped(f"more than {MOST_PAIRS} pairs of states to follow (MOST_PAIRS)")
            unstable = _two_curves(core, curves, budget, track, round_)
            if unstable is not None:
                return unstable
            frontier.append(track)
        tracks = [_moved(core, budget, track) for track in frontier]


def _two_curves(core: Core, curves: Curves, budget: Budget, track: Track, round_: int) -> Unstable | None:
    first: tuple[Context, int] | None = None
    for (state0, state1), context in track.items():
        budget.check()
        number = curves.of_laws(core.law(state0), core.law(state1))
        first = first or (context, number)
        if number != first[1]:
            return Unstable(first[0], context, (first[1], number), round_)
    return None


def _moved(core: Core, budget: Budget, track: Track) -> Track:
    following: Track = {}
    for (state0, state1), context in track.items():
        for x in core.alphabet:
            budget.check()
            pair = core.advance(state0, x), core.advance(state1, x)
            following.setdefault(pair, Context(context.before, context.challenge, (*context.after, x)))
    return following
