"""On which side of a slope a policy goes on, place by place: at the node before it, or at the one behind it."""

from dataclasses import field
from math import exp

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.grid import ON_A_NODE, Floats, Taps, nodes
from dpcert.audit.grids.passes import Runner
from dpcert.audit.grids.units import Wholes

Flags = NDArray[np.bool_]


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
        """Those flags, of one place at least."""
        changes = (flags[1:] != flags[:-1]).nonzero()[0] + 1
        first = bool(flags[0])
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
    _falls: dict[int, Floats] = field(default_factory=dict)

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

    def _fall(self, after: int) -> Floats:
        """What the policies of a class lose from each place to the next, in either world."""
        if after not in self._falls:
            row = self.values[:, after]
            self._falls[after] = (row[:, :-1] - row[:, 1:]).astype(np.float64)
        return self._falls[after]
