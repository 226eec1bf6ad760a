"""Runs of RandBin's neighbour-preserving simulation: every edit, direction and branch, and the bins of both streams."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.relations.tags import Tag, aged
from dpcert.mechanisms.randbin.on_geometric_loads import Bin, RandBin
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.cases.bin_runs import ALPHAS
from dpcert.proofs_checked.cases.replayed import ways

Contents = tuple[int, ...]


class DeletedItem(NamedTuple):
    """Item `place` of stream `longer`, whose items are 1, 2, 3, ..., is not in the other stream."""

    place: int
    longer: int

    def item(self, stream: int, t: int) -> int:
        """Item number t of a stream."""
        return t if stream == self.longer or t < self.place else t + 1

    def tag(self, stream: int, t: int) -> Tag:
        """The same item, as it is handed over in step t: named by its age, so that runs at other times look alike."""
        number = self.item(stream, t)
        new = number if number <= self.place else number - 1
        return Tag(t - new, other=number == self.place + 1)


class Past(NamedTuple):
    """What a run keeps of its bins.

    Attributes:
        taken: How many items of either stream have left.
        differing: The bins from the first that differed, two at most: bins that are equal in both streams, before or
            after them, change nothing about whether the sequences are neighbours.
        uneven: How many bins had two lengths.
        drawn: The step in which the bin that is due was drawn.
        affected: The step in which the bin with the edited place left.
    """

    taken: tuple[int, int] = (0, 0)
    differing: tuple[tuple[Contents, Contents], ...] = ()
    uneven: int = 0
    drawn: int = 0
    affected: int = 0


class Emission(NamedTuple):
    """A step in which a bin leaves.

    Attributes:
        bins: Both hidden outputs, (start, length).
        same: Whether the algorithm on the real stream, with the same draws, releases the real one.
        past: Before the step.
        after: After it.
    """

    edit: DeletedItem
    branch: int
    t: int
    bins: tuple[Bin, Bin]
    same: bool
    past: Past
    after: Past

    @property
    def lengths(self) -> tuple[int, int]:
        """D^(0) and D^(1) of this bin."""
        return self.bins[0][1], self.bins[1][1]

    @property
    def held(self) -> tuple[Contents, Contents]:
        """The items of both bins."""
        first, second = (_contents(self.edit, stream, self.t, self.bins[stream]) for stream in (0, 1))
        return first, second


def _contents(edit: DeletedItem, stream: int, t: int, taken: Bin) -> Contents:
    start, length = taken
    return tuple(edit.item(stream, n) for n in range(t - start + 1, t - start + length + 1))


class _SimulatedSteps:
    """Every step of a mechanism's simulation beside the algorithm's own; states, met again and again, go by number."""

    def __init__(self, mechanism: RandBin) -> None:
        self._mechanism = mechanism
        self._states = [(mechanism.simulation, mechanism.initial)]
        self._numbers = {self._states[0]: 0}
        self._known: dict[Any, tuple[Any, ...]] = {}

    def draws(self, state: int) -> bool:
        """Whether the next step draws a load."""
        return self._states[state][1][0] == 1

    def after(self, branch: int, state: int, pair: tuple[Tag, Tag]) -> tuple[Any, ...]:
        """Every (visible, both hidden outputs, same, number of the state after it) of one step."""
        key = branch, state, pair
        if key not in self._known:
            made = dict.fromkeys(
                way for way, _ in ways(lambda draw: self._both(branch, self._states[state], pair, draw))
            )
            self._known[key] = tuple((*shown, self._number(after)) for shown, after in made)
        return self._known[key]

    def _both(self, branch: int, states: Any, pair: tuple[Tag, Tag], draw: Draw) -> Any:
        draws: list[Any] = []

        def recording(law: Pmf[Any]) -> Any:
            draws.append(draw(law))
            return draws[-1]

        release, simulation = self._mechanism.simulate(branch, states[0], pair, recording)
        again = iter(draws)
        own, real = self._mechanism.step(states[1], pair[branch], lambda _: next(again))
        hidden: Any = release.hidden
        same = (own.visible, own.hidden) == (release.visible, hidden[branch])
        return (release.visible, hidden, same), aged((simulation, real))

    def _number(self, states: Any) -> int:
        number = self._numbers.setdefault(states, len(self._states))
        if number == len(self._states):
            self._states.append(states)
        return number


Level = dict[Past, set[int]]
"""What is kept of runs -> the states that they may be in."""


@cache
def emissions(mechanism: RandBin, horizon: int) -> tuple[Emission, ...]:
    """Every step within the horizon in which a bin leaves, for every edit and branch; equal ones merged."""
    steps, emissions = _SimulatedSteps(mechanism), list[Emission]()
    for longer, branch in product((0, 1), repeat=2):
        base: Level = {Past(): {0}}
        for place in range(1, horizon + 1):
            edit, level = DeletedItem(place, longer), base
            for t in range(place, horizon + 1):
                level = _next(steps, edit, branch, t, level, emissions)
            base = _next(steps, DeletedItem(horizon + 1, longer), branch, place, base, emissions)
    return tuple(emissions)


def _next(
    steps: _SimulatedSteps, edit: DeletedItem, branch: int, t: int, level: Level, emissions: list[Emission]
) -> Level:
    following: Level = {}
    pair = edit.tag(0, t), edit.tag(1, t)
    for past, states in level.items():
        by_bins: dict[tuple[Any, bool], set[int]] = {}
        silent: dict[bool, set[int]] = {}
        for state in states:
            for visible, bins, same, after in steps.after(branch, state, pair):
                if visible:
                    by_bins.setdefault((bins, same), set()).add(after)
                else:
                    silent.setdefault(steps.draws(state), set()).add(after)
        for drew, states_after in silent.items():
            following.setdefault(past._replace(drawn=t) if drew else past, set()).update(states_after)
        for (bins, same), states_after in by_bins.items():
            kept = _kept(edit, t, bins, past)
            emissions.append(Emission(edit, branch, t, bins, same, past, kept))
            following.setdefault(kept, set()).update(states_after)
    return following


def _kept(edit: DeletedItem, t: int, bins: tuple[Bin, Bin], past: Past) -> Past:
    first, second = (_contents(edit, stream, t, bins[stream]) for stream in (0, 1))
    more = ((first, second),) if first != second or len(past.differing) == 1 else ()
    taken = past.taken[0] + len(first), past.taken[1] + len(second)
    affected = past.affected or (t if max(taken) >= edit.place else 0)
    uneven = past.uneven + (len(first) != len(second))
    return Past(taken, (past.differing + more)[:2], uneven, t, affected)


def every_emission(subject: Iterable[tuple[RandBin, int]]) -> Iterator[tuple[RandBin, Emission]]:
    """The emissions of every mechanism, each within its horizon."""
    return ((mechanism, step) for mechanism, horizon in subject for step in emissions(mechanism, horizon))


Paired = tuple[tuple[RandBin, int], ...]
PAIRED: Paired = (
    (RandBin(ALPHAS[0], 2, ToyScheduler()), 14),
    (RandBin(ALPHAS[1], 4, ToyScheduler(4, noise="none")), 21),
)
PAIRED_RUNS = (
    "toy scheduler, E = 1: U 2 with e^epsilon 2 and uniform noise to step 14, U 4 with 3/2 and none to step 21; "
    "every run, edit, direction and branch (a load's support, and so the list of runs, is the same for every e^epsilon)"
)
