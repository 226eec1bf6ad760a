"""Long chains: exact integers beside floating-point keys that sort them, and what these are off by at most.

This module, `merged_runs` and `envelope` are the only ones of the exact tier that use floats, and floats decide nothing
on their own: an order is taken from keys only where they differ by more than their proven error, and is computed in
integers where they do not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import log
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.lattice import Lattice
from dpcert.audit.frozen import frozen

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Objects = NDArray[np.object_]
Flags = NDArray[np.bool_]
UNIT = float(np.finfo(np.float64).eps)


@frozen(slots=True)
class LongChain(Chain):
    """A chain with sort keys. `keys`, `share0`, `share1`, `code` and `root` cover the segments of finite, positive
    likelihood ratio, the body; `key_error` and `share_error` bound their absolute and relative errors.

    `keys` is ln of (mass1/total1) / (mass0/total0), falling; the shares are probabilities.
    """

    keys: Floats
    share0: Floats
    share1: Floats
    code: Ints
    root: Ints
    key_error: float
    share_error: float

    __hash__ = Chain.__hash__

    @property
    def head(self) -> int:
        """The world-1 mass of the segment that world 0 never produces."""
        return self.mass1[0] if self.mass0[0] == 0 else 0

    @property
    def foot(self) -> int:
        """The world-0 mass of the segment that world 1 never produces."""
        return self.mass0[-1] if self.mass1[-1] == 0 else 0

    @property
    def body(self) -> tuple[Objects, Objects]:
        """The masses that the keys belong to."""
        inner = slice(1 if self.head else 0, len(self) - 1 if self.foot else None)
        return cast(Objects, self.mass0)[inner], cast(Objects, self.mass1)[inner]

    def reversed(self) -> "LongChain":
        """The same experiment with the worlds swapped."""
        return LongChain(
            cast(Any, self.mass1)[::-1],
            cast(Any, self.mass0)[::-1],
            self.total1,
            self.total0,
            -self.keys[::-1],
            self.share1[::-1],
            self.share0[::-1],
            -self.code[::-1],
            -self.root[::-1],
            self.key_error,
            self.share_error,
        )


def objects(values: Sequence[int]) -> Objects:
    """Integers of any size as an array of Python objects."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def lengthened(chain: Chain, lattice: Lattice) -> LongChain:
    """A chain with keys, shares and codes computed from its exact masses."""
    body = [(a, b) for a, b in zip(chain.mass0, chain.mass1, strict=True) if a and b]
    codes = [lattice.atom_code(Fraction(b * chain.total0, a * chain.total1)) for a, b in body]
    scale = log(chain.total0) - log(chain.total1)
    return LongChain(
        cast(Any, objects(chain.mass0)),
        cast(Any, objects(chain.mass1)),
        chain.total0,
        chain.total1,
        np.array([log(b) - log(a) + scale for a, b in body], dtype=np.float64),
        np.array([a / chain.total0 for a, _ in body], dtype=np.float64),
        np.array([b / chain.total1 for _, b in body], dtype=np.float64),
        np.array([code for code, _ in codes], dtype=np.int64),
        np.array([root for _, root in codes], dtype=np.int64),
        key_error_of(chain.total0, chain.total1),
        UNIT,
    )


@dataclass
class Lengthened:
    """Chains with keys, each made once for as long as it is needed: the outcomes of many releases share chains.

    Attributes:
        make: Gives the codes of the game; asked once, by the first long chain.
    """

    make: Callable[[], Lattice]
    _known: dict[int, tuple[Chain, LongChain]] = field(default_factory=dict)

    @cached_property
    def lattice(self) -> Lattice:
        """The codes of the game."""
        return self.make()

    def of(self, chain: Chain) -> LongChain:
        """The chain with keys."""
        if isinstance(chain, LongChain):
            return chain
        known = self._known.get(id(chain))  # the chain is kept beside, so its id stays its own
        if known is None:
            known = self._known[id(chain)] = chain, lengthened(chain, self.lattice)
        return known[1]

    def let_go(self) -> None:
        """Forgets all of them."""
        self._known.clear()


def key_error_of(total0: int, total1: int) -> float:
    """A bound for the error of ln b - ln a + ln total0 - ln total1, all four logs at most those of the totals."""
    return 16 * UNIT * (1 + log(total0) + log(total1))
