"""The cells of every draw: what a run can tell of U[t, k], found by running the code through all that it may draw."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Any

from dpcert.audit.algebra.common_laws import point
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look
from dpcert.audit.scripted.lifelike import lifelike
from dpcert.audit.scripted.tape import (
    MOST_SEEDS,
    Interval,
    Key,
    Points,
    Tape,
    Told,
    next_of,
    not_a_function,
    too_many_seeds,
)

MOST_CODE_RUNS = 200_000
"""Runs of the code past which its draws are not explored."""
PROBED_AT, PROBES = 1_000, 16
"""Runs on one stream after which some at random say whether there are far more seeds than MOST_SEEDS."""
AHEAD_AT = 20
"""Runs on one stream after which some are made that depth first comes late, where a loop without an end would show."""
AHEAD = ((True,), (False, True), (True, False))
"""Of each of them: whether a draw is the last of its choices, or the first, by turns."""

Seed = tuple[int, ...]
"""Of one round: in which of its cells every draw lies that is made after the draws before it lie where they do."""
Place = tuple[int, Seed]
"""The draw of round t that follows draws in these cells."""
Path = tuple[tuple[Interval, ...], int | None]
"""What a run knows of the draws of a round, and from which of them on a loop would begin anew after the last."""
Run = Callable[[Tape, tuple[Any, ...]], tuple[Any, ...]]
WHOLE: Interval = (Fraction(0), Fraction(1))


@frozen
class Cells:
    """The ends of the cells of every U[t, k], from 0 to 1: the common refinement of all that was ever asked about it.

    No run tells two numbers of one cell apart, so a run needs to know of every draw its cell alone. Where the draws of
    a round so far lie in cells after which no run draws again, the seed of the round ends. As all U[t, k] are
    independent, so are the seeds of the rounds, whatever laws the code makes of them.

    Attributes:
        rejected: Where a loop begins anew that draws until something holds, and from which draw on: what follows that
            draw has the law that it has given that it does not come here.
    """

    name: str
    horizon: int
    ends: Mapping[Place, Points]
    rejected: Mapping[Place, int] = field(default_factory=dict)
    _told: dict[Place, Told] = field(default_factory=dict, repr=False, compare=False)

    def law(self) -> Pmf[tuple[Seed, ...]]:
        """The joint law of the seeds of all rounds: a product."""
        law: Pmf[tuple[Seed, ...]] = point(())
        for t in range(1, self.horizon + 1):
            law = law.product(self.seed_law(t)).map(lambda pair: (*pair[0], pair[1]))
        return law

    def check_seeds(self) -> None:
        """Refuses to list the seeds of all rounds together where there are too many. Raises: MechanismError."""
        leaves = [1] * self.horizon
        for (t, _), points in self.ends.items():
            leaves[t - 1] += len(points) - 2
        if prod(leaves) > MOST_SEEDS:
            raise MechanismError(too_many_seeds(self.name))

    def seed_law(self, t: int) -> Pmf[Seed]:
        """The law of the seed of round t."""
        chances = self._kept(t)
        law: dict[Seed, Fraction] = {}
        open_: list[tuple[Seed, Fraction]] = [((), Fraction(1))]
        while open_:
            seed, mass = open_.pop()
            ends = self.ends.get((t, seed))
            if ends is None:
                if (t, seed) not in self.rejected:
                    law[seed] = mass
                continue
            mass /= chances.get(seed, 1)
            cells = [((*seed, i), mass * (high - low)) for i, (low, high) in enumerate(pairwise(ends))]
            open_.extend(reversed(cells))
        return Pmf(law)

    def _kept(self, t: int) -> dict[Seed, Fraction]:
        """Of the places from which a loop begins anew: the probability that it does not."""
        anchors = {place[1][:at] for place, at in self.rejected.items() if place[0] == t}
        if not anchors:
            return {}
        chances: dict[Seed, Fraction] = {}
        fates: dict[Seed, dict[int, Fraction]] = {}
        for seed in sorted((place[1] for place in self.ends if place[0] == t), key=len, reverse=True):
            fate: dict[int, Fraction] = {}
            for i, (low, high) in enumerate(pairwise(self.ends[t, seed])):
                leaf = (*seed, i)
                back = self.rejected.get((t, leaf), -1)
                for at, mass in fates.pop(leaf, {back: Fraction(1)}).items():
                    fate[at] = fate.get(at, Fraction(0)) + mass * (high - low)
            if seed in anchors:
                chances[seed] = 1 - fate.pop(len(seed), Fraction(0))
                if not chances[seed]:
                    raise MechanismError(f"Expected every loop of draws to end but {self.name} has one that never does")
                fate = {at: mass / chances[seed] for at, mass in fate.items()}
            fates[seed] = fate
        return chances

    def tape(self, seeds: tuple[Seed, ...]) -> Tape:
        """The draws of a run under these seeds; asking more about one than its cell tells is refused."""

        def start(key: Key) -> Interval:
            t, k = key
            seed = seeds[t - 1]
            if k >= len(seed):
                raise self._differs(key, "was not made before")
            ends = self.ends[t, seed[:k]]
            return ends[seed[k]], ends[seed[k] + 1]

        def split(key: Key, ends: Points) -> Interval:
            del ends
            raise self._differs(key, "asked for another law on replay")

        def told(key: Key) -> Told:
            t, k = key
            return self._told.setdefault((t, seeds[t - 1][: k + 1]), {})

        return Tape(self.name, start, split, told=told)

    def _differs(self, key: Key, what: str) -> MechanismError:
        return MechanismError(not_a_function(self.name, f"draw {key[1] + 1} of round {key[0]} {what}"))


class TooManyRuns(MechanismError):
    """There are more runs of code than are made."""


def too_many_runs(name: str) -> str:
    """One line for code that has to be run too often."""
    reason = "too many rounds, inputs or draws"
    return f"Expected at most {MOST_CODE_RUNS} runs in all but {name} needs more: {reason}"


@dataclass
class Explorer:
    """Depth first through every way to split the draws of a run, or one way at random, or one that comes late.

    Attributes:
        ahead: Whether the last of all choices is made, or the first, by turns.
        crossed: Whether a draw was asked about that is known, which none may be split.
    """

    name: str
    splits: list[tuple[Key, Points]] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)
    position: int = 0
    random: int | None = None
    ahead: tuple[bool, ...] = (False,)
    known: Mapping[Key, Interval] = field(default_factory=dict)
    crossed: bool = False

    def tape(self) -> Tape:
        """The draws of the next run."""
        self.position = 0
        return Tape(self.name, lambda key: self.known.get(key, WHOLE), self._split)

    def _split(self, key: Key, ends: Points) -> Interval:
        if key in self.known:
            self.crossed = True
            raise MechanismError(not_a_function(self.name, f"draw {key[1] + 1} of round {key[0]} is asked about again"))
        at = self.position
        self.position += 1
        if at == len(self.splits):
            self.splits.append((key, ends))
            self.choices.append(self._chosen(len(ends) - 1))
        elif self.splits[at] != (key, ends):
            what = f"draw {key[1] + 1} of round {key[0]} asked for another law on replay"
            raise MechanismError(not_a_function(self.name, what))
        return ends[self.choices[at]], ends[self.choices[at] + 1]

    def _chosen(self, count: int) -> int:
        """The first of the choices, or any, or the last."""
        if self.random is None:
            return count - 1 if self.ahead[(self.position - 1) % len(self.ahead)] else 0
        self.random = next_of(self.random)
        return (self.random >> 32) % count

    def advance(self) -> bool:
        """Moves on to the next run; False after the last."""
        if self.position != len(self.splits):
            raise MechanismError(not_a_function(self.name, "it drew less when the same draws were made again"))
        while self.splits:
            if self.choices[-1] + 2 < len(self.splits[-1][1]):
                self.choices[-1] += 1
                return True
            self.splits.pop()
            self.choices.pop()
        return False


def explored(name: str, alphabet: tuple[Any, ...], horizon: int, run: Run) -> Cells:
    """The cells that the runs on all streams need, each stream under all that its run may draw.

    Where `random()` was drawn from, every run is then made again, step by step, and once more with floats.

    Raises: MechanismError: too many runs or seeds, draws that differ when a run is made again, or code that treats what
        `random()` returns otherwise than a float.
    """
    paths: list[set[Path]] = [set() for _ in range(horizon)]
    with_numbers = bytearray()
    for stream, tape, number in _runs(name, alphabet, horizon):
        run(tape, stream)
        if number == AHEAD_AT:
            for ahead in AHEAD:
                run(Explorer(name, ahead=ahead).tape(), stream)
        for t in range(horizon):
            back = tape.rejected[1] if tape.rejected is not None and tape.rejected[0] == t + 1 else None
            paths[t].add((tape.path(t + 1), back))
        with_numbers.append(bool(tape.numbers))
        if number == PROBED_AT and all(_width(name, stream, run, probe) > 100 * MOST_SEEDS for probe in range(PROBES)):
            raise MechanismError(too_many_seeds(name))
        if number > MOST_SEEDS:
            raise MechanismError(too_many_seeds(name))
    if any(with_numbers):
        for looked, (stream, tape, number) in zip(with_numbers, _runs(name, alphabet, horizon), strict=False):
            if looked:
                lifelike(name, run, tape, stream, number)
            else:
                run(tape, stream)
    cells = cells_of(name, paths)
    cells.check_seeds()
    return cells


def cells_of(name: str, paths: Sequence[set[Path]]) -> Cells:
    """The cells that tell these paths of each round apart. Raises: MechanismError: too many, or a loop without end."""
    ends: dict[Place, Points] = {}
    restarts: dict[Place, int] = {}
    for t, paths_of_round in enumerate(paths, 1):
        found, begun = _refined(paths_of_round, name)
        ends |= {(t, seed): points for seed, points in found.items()}
        restarts |= {(t, seed): at for seed, at in begun.items()}
    cells = Cells(name, len(paths), ends, restarts)
    for t in {place[0] for place in restarts}:
        cells.seed_law(t)  # every loop ends, or is refused here
    return cells


def _runs(name: str, alphabet: tuple[Any, ...], horizon: int) -> Iterator[tuple[tuple[Any, ...], Tape, int]]:
    """(stream, draws to run it with, how many runs on it so far) of every run there is."""
    explorer = Explorer(name)
    runs = 0 if len(alphabet) ** horizon <= MOST_CODE_RUNS else MOST_CODE_RUNS
    for stream in product(alphabet, repeat=horizon):
        more, number = True, 0
        while more:
            look()
            runs, number = runs + 1, number + 1
            if runs > MOST_CODE_RUNS:
                raise TooManyRuns(too_many_runs(name))
            yield stream, explorer.tape(), number
            more = explorer.advance()


def _width(name: str, stream: tuple[Any, ...], run: Run, probe: int) -> int:
    """In how many ways the draws of a run at random could have been split: on average, how many runs there are."""
    explorer = Explorer(name, random=probe)
    run(explorer.tape(), stream)
    return prod(len(ends) - 1 for _, ends in explorer.splits)


def _refined(paths: set[Path], name: str) -> tuple[dict[Seed, Points], dict[Seed, int]]:
    """The ends of the cells of each draw that follows draws in given cells, where any path draws it; and where all
    paths that draw as far begin a loop anew, from which draw on."""
    ends: dict[Seed, Points] = {}
    restarts: dict[Seed, int] = {}
    open_: list[tuple[Seed, list[Path]]] = [((), list(paths))]
    leaves = 1
    while open_:
        look()
        seed, here = open_.pop()
        at = len(seed)
        back = next((back for intervals, back in here if back is not None and len(intervals) == at), None)
        if back is not None:
            restarts[seed] = _agreed(seed, here, back, name)
            continue
        here = [path for path in here if len(path[0]) > at]
        if not here:
            continue
        points = tuple(sorted({end for intervals, _ in here for end in intervals[at]}))
        leaves += len(points) - 2
        if leaves > MOST_SEEDS:
            raise MechanismError(too_many_seeds(name))
        ends[seed] = points
        number = {end: i for i, end in enumerate(points)}
        inside: list[list[Path]] = [[] for _ in points[1:]]
        for path in here:
            low, high = path[0][at]
            for i in range(number[low], number[high]):
                inside[i].append(path)
        open_.extend(((*seed, i), cell) for i, cell in enumerate(inside))
    return ends, restarts


def _agreed(seed: Seed, here: list[Path], back: int, name: str) -> int:
    """Where a loop begins anew that all paths are in which draw from there on; refused where only some are."""
    if all((known, other) == (known, back) and len(known) == len(seed) for known, other in here if len(known) > back):
        return back
    raise MechanismError(
        f"Expected {name} to reject draws by what was drawn alone but a loop of draws ends for some inputs and goes on "
        "for others (draw from the law of what it accepts: Pmf.condition, and choices)"
    )
