"""On which side of a slope a policy goes on, place by place: at the node before it, or at the one behind it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
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
        turned = np.zeros(self.places, dtype=np.int64)
        turned[self.changes] = 1
        made: Flags = (np.cumsum(turned) % 2 == 1) ^ self.first
        return made
