"""On which side of a slope a policy goes on, place by place: at the node before it, or at the one behind it."""

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from math import exp

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.columns import Flags, Whole
from dpcert.audit.grids.grid import ON_A_NODE, Floats, Taps, nodes
from dpcert.audit.grids.passes import Runner
from dpcert.audit.grids.units import Wholes


@frozen
class Sides:
    """Flags at neighbouring places, kept in few bytes: where they change, or as bits where they often do.

    Attributes:
        places: How many.
        first: That of the first place.
        changes: Places at which it is another one than before; None where bits are kept.
        bits: Eight flags a byte.

    >>> Sides.of(np.array([True, True, False])).flags().tolist()
    [True, True, False]
    """

    places: int
    first: bool
    changes: NDArray[np.int32] | None
    bits: NDArray[np.uint8] | None = None

    @classmethod
    def of(cls, flags: Flags) -> "Sides":
        """Those flags."""
        changes = (flags[1:] != flags[:-1]).nonzero()[0] + 1
        first = bool(flags[:1].any())
        if 32 * len(changes) > len(flags):
            return cls(len(flags), first, None, np.packbits(flags))
        return cls(len(flags), first, changes.astype(np.int32))

    def flags(self) -> Flags:
        """The flags again."""
        if self.bits is not None:
            return np.unpackbits(self.bits, count=self.places).astype(bool)
        turns = np.zeros(self.places, dtype=np.int64)
        turns[self.changes] = 1
        flags: Flags = (np.cumsum(turns) % 2 == 1) ^ self.first
        return flags


@frozen
class SidesByPlace:
    """On which sides of slopes the runs of what is chosen go on, at places of several classes in a row.

    Attributes:
        places: Per class, in order, the first place and the one after the last.
        runs: Run by run, the sides at all of them; a release of fewer runs has its slopes on nodes.
    """

    places: Mapping[int, tuple[int, int]]
    runs: tuple[Sides, ...]

    def at(self, numbers: Whole, places: Whole) -> list[Flags]:
        """Run by run, whether the node before a slope is followed at places of classes.

        Raises: LookupError: at one of them that was not settled.
        """
        starts, lows, highs = self._columns
        if len(numbers) and int(numbers.max()) >= len(starts):
            raise LookupError("a class for which no side was settled")
        if not ((lows[numbers] <= places) & (places < highs[numbers])).all():
            raise LookupError("a place at which no side was settled")
        at = starts[numbers] + places
        return [one.flags()[at] for one in self.runs]

    @cached_property
    def _columns(self) -> tuple[Whole, Whole, Whole]:
        """By class, where place 0 would stand, the first place, and the one after the last."""
        columns, before = np.zeros((3, max(self.places, default=0) + 1), dtype=np.int64), 0
        for number, (first, end) in self.places.items():
            columns[:, number] = before - first, first, end
            before += end - first
        return columns[0], columns[1], columns[2]


@frozen
class SideWorth:
    """Which of two nodes beside a slope has a policy that is worth more there, by floats: any answer is a policy.

    Attributes:
        values: What policies have at the stage that follows, by world, class and place.
        slopes: Of its nodes; the first of them stands at `first` of arrays.
        first: See there.
        step: Of the grid.
    """

    values: Wholes
    slopes: Floats
    first: int
    step: float
    _falls: dict[int, Wholes] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Wholes, runner: Runner, stage: int) -> "SideWorth":
        """What a stage follows."""
        grid, windows = runner.grid, runner.windows
        low, high = windows.at(stage)
        low, high = low - windows.pad, high + windows.pad
        return cls(values, nodes(grid, stage - 1, low, high), windows.centre + low, float(grid.step))

    def before(self, one: Taps, a: int, places: int) -> list[Flags]:
        """Per run, at each place from a on, whether the node before its slope is followed."""
        flags = []
        for after, steps, part, _ in one.runs:
            first = a + steps
            if part <= ON_A_NODE:
                flags.append(np.ones(places, dtype=bool))
                continue
            fall0, fall1 = self._fall(after)
            less = fall0[first : first + places] * self.slopes[first - self.first : first - self.first + places]
            less *= exp(part * self.step)
            flags.append(fall1[first : first + places] >= less)
        return flags

    def is_before(self, near: Wholes, far: Wholes, places: Whole, further: Floats) -> Flags:
        """Whether the node before a slope is followed, where a run leads to these places of arrays.

        Args:
            near: What policies have there.
            far: The same a place on.
            places: The places.
            further: e to how far beyond them the slopes lie.
        """
        fall0, fall1 = self.fall(near, far)
        flags: Flags = fall1 >= fall0 * self.slopes[places - self.first] * further
        return flags

    def fall(self, near: Wholes, far: Wholes) -> Wholes:
        """What policies lose from places to those a place on, in either world."""
        return (near - far).astype(np.float64)

    def _fall(self, after: int) -> Wholes:
        """The same from each place of a class to the next."""
        if after not in self._falls:
            row = self.values[:, after]
            self._falls[after] = self.fall(row[:, :-1], row[:, 1:])
        return self._falls[after]
