"""Brute-force values of the neighbour-preserving game on events with values: obviously right, not fast.

The simulation runs on values of the alphabet, no event comes twice, and every pair of streams fixed in advance is
tried: one is the other without one event. An observer sees the visible output and both hidden ones of every round.
Fixed streams bound what adaptive adversaries win from below, and mechanisms that treat events alike win the same on
all streams of one shape. `HALT` is a visible output like others, after which nothing comes. Nothing of the toolkit is
used; values are told apart by type and by how they are written, as an observer does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any, TypeAlias

from oracles.paired import ONE, ZERO

Stream: TypeAlias = tuple[Any, ...]
Seen: TypeAlias = tuple[str, ...]
Law: TypeAlias = dict[Seen, Fraction]


class Broken(Exception):
    """The simulation is none: it releases what the algorithm does not, or hidden outputs are no neighbours."""


def streams(alphabet: Sequence[Any], rounds: int) -> Iterator[tuple[Stream, Stream]]:
    """Every pair of streams of so many rounds, the longer one first; it is seen whole, but for its last event."""
    for events in permutations(alphabet, rounds + 1):
        for place in range(rounds):
            yield events[:rounds], events[:place] + events[place + 1 :]


def shown(value: Any) -> str:
    """A value with the types of all its parts."""
    if type(value) in (tuple, frozenset):
        parts = map(shown, value)
        return f"{type(value).__name__}({','.join(sorted(parts) if type(value) is frozenset else parts)})"
    return f"{type(value).__name__} {value!r}"


class Path:
    """One sequence of draws: those of before, and from there on the first outcome."""

    def __init__(self, chosen: tuple[int, ...]) -> None:
        self.chosen, self.left, self.weight = chosen, list(chosen), ONE
        self.taken: list[int] = []
        self.outcomes: list[tuple[Any, Any]] = []
        self.after: list[tuple[int, ...]] = []

    def draw(self, law: Any) -> Any:
        """An outcome; those that are not taken are left for later."""
        listed = list(law.items())
        at = self.left.pop(0) if self.left else 0
        if len(self.taken) >= len(self.chosen):
            self.after.extend((*self.taken, other) for other in range(1, len(listed)))
        self.taken.append(at)
        outcome, mass = listed[at]
        self.weight *= mass
        self.outcomes.append((law, outcome))
        return outcome


def paths(run: Callable[[Callable[[Any], Any]], Any]) -> Iterator[tuple[Any, Fraction, list[tuple[Any, Any]]]]:
    """Every outcome of code that draws, with its probability and what was drawn."""
    pending: list[tuple[int, ...]] = [()]
    while pending:
        path = Path(pending.pop())
        result = run(path.draw)
        pending.extend(path.after)
        yield result, path.weight, path.outcomes


def law_of(mechanism: Any, branch: int, pair: tuple[Stream, Stream]) -> Law:
    """The law of what an observer of one branch sees. Raises: Broken: the simulation is none."""
    law: Law = {}

    def follow(t: int, states: tuple[Any, Any, Any], seen: Seen, mass: Fraction) -> None:
        if t == len(pair[0]):
            law[seen] = law.get(seen, ZERO) + mass
            return
        inputs = pair[0][t], pair[1][t]
        simulation, real, related = states
        for (release, after), weight, drawn in list(
            paths(lambda draw: mechanism.simulate(branch, simulation, inputs, draw))
        ):
            again = iter(drawn)
            own, real_after = mechanism.step(real, inputs[branch], lambda _, again=again: next(again)[1])
            if shown((own.visible, own.hidden)) != shown((release.visible, release.hidden[branch])):
                raise Broken
            relation = mechanism.outputs.after(related, inputs, release.hidden)
            if relation is None:
                raise Broken
            look = shown((release.visible, *release.hidden))
            follow(t + 1, (after, real_after, relation), (*seen, look), mass * weight)

    follow(0, (mechanism.simulation, mechanism.initial, mechanism.outputs.initial), (), ONE)
    return law


def largest_deltas(
    mechanism: Any, alphabet: Sequence[Any], rounds: int, exp_epsilons: Sequence[Fraction]
) -> list[Fraction]:
    """At each e^epsilon the most that any pair of fixed streams gives away, in either order. Raises: Broken."""
    most = [ZERO] * len(exp_epsilons)
    for longer, shorter in streams(alphabet, rounds):
        for pair in ((longer, shorter), (shorter, longer)):
            one, other = law_of(mechanism, 0, pair), law_of(mechanism, 1, pair)
            for n, slope in enumerate(exp_epsilons):
                for first, second in ((one, other), (other, one)):
                    delta = sum((max(ZERO, p - slope * second.get(seen, ZERO)) for seen, p in first.items()), ZERO)
                    most[n] = max(most[n], delta)
    return most
