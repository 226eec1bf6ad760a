"""Brute-force values of the neighbour-preserving game of RandBin on a bounded scheduler: obviously right, not fast.

Everything is absolute and literal: bins are tuples of tags, sums count from the beginning, and the simulation moves
tags in and out of bins. The observer's transcript is the pair of bins of every round. Nothing of the toolkit is used.
Order "0-1" scores a transcript max(0, P0 - A*P1); order "1-0" swaps the branches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TypeAlias

from oracles.paired import ONE, ZERO, Order, score

Tag: TypeAlias = str
Bin: TypeAlias = tuple[Tag, ...] | None  # None is the silent output
Observation: TypeAlias = tuple[Bin, Bin]
Edit: TypeAlias = tuple[int, int] | None  # (round, longer stream)
Mass: TypeAlias = "dict[Run, Fraction]"
Seen: TypeAlias = tuple[Observation, ...]

NOISE = {"uniform": {-1: 1, 0: 1, 1: 1}, "triangular": {-2: 1, -1: 2, 0: 3, 1: 2, 2: 1}, "none": {0: 1}}


@dataclass(frozen=True)
class Parameters:
    """alpha, U, E and the scheduler's noise."""

    alpha: Fraction
    level: int
    error: int
    noise: str

    def error_of(self, index: int) -> int:
        """E[i]."""
        return self.error if index else 0

    def load_law(self) -> dict[int, Fraction]:
        """3U/2 plus a symmetric geometric variable, clipped to U/2 either way."""
        half = self.level // 2
        law = {k: (self.alpha - 1) / (self.alpha + 1) / self.alpha ** abs(k) for k in range(1 - half, half)}
        law[half] = law[-half] = (1 - sum(law.values())) / 2
        return {3 * self.level // 2 + k: mass for k, mass in law.items()}

    def noise_law(self) -> dict[int, Fraction]:
        """The law of xi."""
        weights = NOISE[self.noise]
        return {value: Fraction(weight, sum(weights.values())) for value, weight in weights.items()}


@dataclass(frozen=True)
class Run:
    """A branch in the middle of a run: the algorithm's variables, then the simulation's.

    `first` holds both tags of the round in which the streams first differed, `longer` is the longer stream once it is
    known, `moved` the tag u between bins J and K, and `bins` how many affected bins have left.
    """

    buffer: tuple[Tag, ...] = ()
    index: int = 0
    load: int = 0
    total: int = 0
    scheduled: int = 0
    first: tuple[Tag, Tag] | None = None
    longer: int | None = None
    moved: Tag | None = None
    bins: int = 0


def clip(value: int, low: int, high: int) -> int:
    """The nearest value in the interval."""
    return min(max(value, low), high)


def algorithm(p: Parameters, run: Run, t: int, item: Tag) -> Iterator[tuple[Bin, Run, Fraction]]:
    """Every outcome of one step of the algorithm."""
    buffer = (*run.buffer, item)
    if t < run.scheduled + p.error_of(run.index) + 2 * p.level:
        yield None, replace(run, buffer=buffer), ONE
        return
    if run.load > len(buffer):
        raise AssertionError("underflow")
    released = buffer[: run.load] or None
    for load, mass in p.load_law().items():
        for xi, chance in p.noise_law().items():
            total = run.total + load
            noisy = clip(total + xi, total - p.error, total + p.error)
            scheduled = clip(noisy, run.scheduled + p.level, run.scheduled + 2 * p.level)
            after = replace(run, buffer=buffer[run.load :], index=run.index + 1, load=load)
            yield released, replace(after, total=total, scheduled=scheduled), mass * chance


@cache
def simulation(
    p: Parameters, branch: int, run: Run, t: int, pair: tuple[Tag, Tag]
) -> tuple[tuple[Observation, Run, Fraction], ...]:
    """Every outcome of one step of the simulation in a branch."""
    outcomes: list[tuple[Observation, Run, Fraction]] = []
    if run.first is None:
        if pair[0] != pair[1]:
            run = replace(run, first=pair)
    elif run.longer is None:
        run = replace(run, longer=0 if pair[0] == run.first[1] else 1)
    for real, after, mass in algorithm(p, run, t, pair[branch]):
        synthetic, known = beside(branch, real, after)
        outcomes.append((((real, synthetic) if branch == 0 else (synthetic, real)), known, mass))
    return tuple(outcomes)


def beside(branch: int, real: Bin, run: Run) -> tuple[Bin, Run]:
    """The other stream's bin, and what the simulation knows then."""
    if real is None or run.first is None or run.bins == 2:
        return real, run
    own = run.first[branch]
    if run.bins == 0 and own not in real:
        return real, run
    if run.longer is None:
        raise AssertionError("an affected bin left before it was known which stream is longer")
    if branch == run.longer:
        if run.bins == 0:
            at, u = real.index(own), run.buffer[0]
            return (*real[:at], *real[at + 1 :], u), replace(run, moved=u, bins=1)
        if real[0] != run.moved:
            raise AssertionError("bin K of the longer stream begins with another tag")
        return real[1:], replace(run, bins=2)
    if run.bins == 0:
        at, w, u = real.index(own), run.first[run.longer], real[-1]
        return (*real[:at], w, *real[at:-1]), replace(run, moved=u, bins=1)
    assert run.moved is not None
    return (run.moved, *real), replace(run, bins=2)


def streams(edit: Edit, horizon: int) -> list[tuple[Tag, Tag]]:
    """Both streams, round by round, when the edit is fixed in advance."""
    if edit is None:
        return [(f"x{t}", f"x{t}") for t in range(1, horizon + 1)]
    at, longer = edit
    shorter = [f"x{t}" for t in range(1, horizon + 2)]
    whole = [*shorter[: at - 1], "w", *shorter[at - 1 :]]
    pairs = list(zip(whole[:horizon], shorter[:horizon], strict=True))
    return pairs if longer == 0 else [(x1, x0) for x0, x1 in pairs]


def edits(horizon: int) -> list[Edit]:
    """No edit, and every place and direction of one."""
    return [None, *((at, longer) for at in range(1, horizon + 1) for longer in (0, 1))]


@cache
def law_of(p: Parameters, branch: int, edit: Edit, horizon: int) -> dict[Seen, Fraction]:
    """The law of the transcript of one branch on fixed streams: every path, one after the other."""
    pairs, law = streams(edit, horizon), {}

    def follow(run: Run, t: int, seen: Seen, mass: Fraction) -> None:
        if t > horizon:
            law[seen] = law.get(seen, ZERO) + mass
            return
        for observation, after, chance in simulation(p, branch, run, t, pairs[t - 1]):
            follow(after, t + 1, (*seen, observation), mass * chance)

    follow(Run(), 1, (), ONE)
    return law


def fixed_hockey_stick(p: Parameters, horizon: int, exp_epsilon: Fraction, order: Order) -> Fraction:
    """The most that an edit fixed in advance wins."""

    def value(edit: Edit) -> Fraction:
        laws = [law_of(p, branch, edit, horizon) for branch in (0, 1)]
        seen_at_all = dict.fromkeys([*laws[0], *laws[1]])
        return sum((score(laws[0].get(s, ZERO), laws[1].get(s, ZERO), exp_epsilon, order) for s in seen_at_all), ZERO)

    return max(value(edit) for edit in edits(horizon))


def adaptive_hockey_stick(p: Parameters, horizon: int, exp_epsilon: Fraction, order: Order) -> Fraction:
    """The most that adaptive edits win: at every transcript, the best of all that may be submitted there."""

    def options(t: int, edit: Edit, differ: bool) -> list[tuple[tuple[Tag, Tag], Edit, bool]]:
        if edit is not None:
            longer = edit[1]
            pair = (f"x{t - 1}", f"x{t}")
            return [((pair if longer == 0 else (pair[1], pair[0])), edit, False)]
        if differ:  # last round's tags were w{t-1} for stream 0 and x{t-1} for stream 1
            return [((f"x{t - 1}", f"x{t}"), (t - 1, 0), False), ((f"x{t}", f"w{t - 1}"), (t - 1, 1), False)]
        return [((f"x{t}", f"x{t}"), None, False), ((f"w{t}", f"x{t}"), None, True)]

    def best(t: int, mass0: Mass, mass1: Mass, edit: Edit, differ: bool) -> Fraction:
        if t > horizon:
            return score(sum(mass0.values(), ZERO), sum(mass1.values(), ZERO), exp_epsilon, order)
        return max(played(t, mass0, mass1, *option) for option in options(t, edit, differ))

    def played(t: int, mass0: Mass, mass1: Mass, pair: tuple[Tag, Tag], edit: Edit, differ: bool) -> Fraction:
        after: dict[Observation, tuple[Mass, Mass]] = {}
        for branch, masses in enumerate((mass0, mass1)):
            for run, mass in masses.items():
                for observation, following, chance in simulation(p, branch, run, t, pair):
                    here = after.setdefault(observation, ({}, {}))[branch]
                    here[following] = here.get(following, ZERO) + mass * chance
        return sum((best(t + 1, *masses, edit, differ) for masses in after.values()), ZERO)

    start: Mass = {Run(): ONE}
    return best(1, start, dict(start), None, False)


# ---------------------------------------------------------------- the relations, word for word


def edit_neighbours(x0: tuple[Tag, ...], x1: tuple[Tag, ...]) -> bool:
    """Whether two sequences of one length are prefixes of streams of which one is the other without one item."""

    def deleted(x: tuple[Tag, ...], t: int, other: tuple[Tag, ...]) -> bool:
        return all(other[s - 1] == (x[s - 1] if s < t else x[s]) for s in range(1, len(x) + 1) if s < t or s < len(x))

    return any(deleted(a, t, b) for a, b in ((x0, x1), (x1, x0)) for t in range(1, len(x0) + 2))


def bin_neighbours(bins0: tuple[Bin, ...], bins1: tuple[Bin, ...], level: int) -> bool:
    """Whether two bin sequences are neighbours, by the two cases of the definition."""
    concrete0, concrete1 = ([i for i, b in enumerate(bins) if b is not None] for bins in (bins0, bins1))
    sized = all(1 <= len(b) <= 2 * level + 1 for b in (*bins0, *bins1) if b is not None)
    if concrete0 != concrete1 or not sized:
        return False
    differing = [i for i in concrete0 if bins0[i] != bins1[i]]
    if not differing:
        return True
    place = concrete0.index(differing[0])
    for long, short in ((bins0, bins1), (bins1, bins0)):
        a, b = long[differing[0]], short[differing[0]]
        assert a is not None
        assert b is not None
        if len(a) != len(b) or not any((*a[:k], *a[k + 1 :]) == b[:-1] for k in range(len(a))):
            continue
        if len(differing) == 1 and place == len(concrete0) - 1:
            return True
        if len(differing) == 2 and concrete0[place + 1] == differing[1]:
            following, shortened = long[differing[1]], short[differing[1]]
            if following == (b[-1], *(shortened or ())):
                return True
    return False
