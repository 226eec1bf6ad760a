"""The cells of every draw: what a run can tell of U[t, k], found by running the code through all that it may draw."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Any

from dpcert.audit.errors import MechanismError
from dpcert.audit.limits import look
from dpcert.audit.pmf import Pmf, point
from dpcert.audit.tape import MOST_SEEDS, Interval, Key, Points, Tape, not_a_function, too_many_seeds

MOST_RUNS = 200_000
"""Runs of the code past which its draws are not explored."""

Seed = tuple[int, ...]
"""Of one round: in which of its cells every draw lies, by position."""
WHOLE: Interval = (Fraction(0), Fraction(1))


@dataclass(frozen=True)
class Cells:
    """The ends of the cells of every U[t, k], from 0 to 1: the common refinement of all that was ever asked about it.

    No run tells two numbers of one cell apart, so a run needs to know of every draw its cell alone; and as all U[t, k]
    are independent, so are the seeds of the rounds, whatever laws the code makes of them.
    """

    name: str
    horizon: int
    ends: Mapping[Key, Points]

    def law(self) -> Pmf[tuple[Seed, ...]]:
        """The joint law of the seeds of all rounds: a product."""
        law: Pmf[tuple[Seed, ...]] = point(())
        for t in range(1, self.horizon + 1):
            law = law.product(self._seed(t)).map(lambda pair: (*pair[0], pair[1]))
        return law

    def _seed(self, t: int) -> Pmf[Seed]:
        law: Pmf[Seed] = point(())
        for k in range(sum(key[0] == t for key in self.ends)):
            cell = Pmf({i: high - low for i, (low, high) in enumerate(pairwise(self.ends[t, k]))})
            law = law.product(cell).map(lambda pair: (*pair[0], pair[1]))
        return law

    def tape(self, seeds: tuple[Seed, ...]) -> Tape:
        """The draws of a run under these seeds; asking more about one than its cell tells is refused."""

        def start(key: Key) -> Interval:
            if key not in self.ends:
                raise self._differs(key, "was not made before")
            t, k = key
            return self.ends[key][seeds[t - 1][k]], self.ends[key][seeds[t - 1][k] + 1]

        def split(key: Key, ends: Points) -> Interval:
            del ends
            raise self._differs(key, "asked for another law on replay")

        return Tape(self.name, start, split)

    def _differs(self, key: Key, what: str) -> MechanismError:
        return MechanismError(not_a_function(self.name, f"draw {key[1] + 1} of round {key[0]} {what}"))


@dataclass
class _Explorer:
    """Depth first through every way to split the draws of a run; remembers every end met, for each draw."""

    name: str
    splits: list[tuple[Key, Points]] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)
    met: dict[Key, set[Fraction]] = field(default_factory=dict)
    position: int = 0

    def tape(self) -> Tape:
        """The draws of the next run."""
        self.position = 0
        return Tape(self.name, self._start, self._split)

    def _start(self, key: Key) -> Interval:
        self.met.setdefault(key, set(WHOLE))
        return WHOLE

    def _split(self, key: Key, ends: Points) -> Interval:
        at = self.position
        self.position += 1
        if at == len(self.splits):
            self.splits.append((key, ends))
            self.choices.append(0)
            self.met[key].update(ends)
            if prod(len(met) - 1 for met in self.met.values()) > MOST_SEEDS:
                raise MechanismError(too_many_seeds(self.name))
        elif self.splits[at] != (key, ends):
            what = f"draw {key[1] + 1} of round {key[0]} asked for another law on replay"
            raise MechanismError(not_a_function(self.name, what))
        return ends[self.choices[at]], ends[self.choices[at] + 1]

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


def explored(
    name: str, alphabet: tuple[Any, ...], horizon: int, run: Callable[[Tape, tuple[Any, ...]], object]
) -> Cells:
    """The cells that the runs on all streams need, each stream under all that its run may draw.

    Raises: MechanismError: too many runs or seeds, or draws that differ when a run is made again.
    """
    explorer = _Explorer(name)
    runs = 0 if len(alphabet) ** horizon <= MOST_RUNS else MOST_RUNS
    for stream in product(alphabet, repeat=horizon):
        more = True
        while more:
            look()
            runs += 1
            if runs > MOST_RUNS:
                reason = "too many rounds, inputs or draws"
                raise MechanismError(f"Expected at most {MOST_RUNS} runs in all but {name} needs more: {reason}")
            run(explorer.tape(), stream)
            more = explorer.advance()
    return Cells(name, horizon, {key: tuple(sorted(met)) for key, met in explorer.met.items()})
