"""Probabilities as whole numbers of units: what a policy has is worked out in them, world 0 up and world 1 down.

No float says what a policy is worth: products of two numbers below 2^62 are made of halves of 31 bits, and what is cut
off is made good by whole units. Where 2^-61 is too coarse Python's whole numbers serve, of as many bits as it takes.
Where slopes are steep floats do, and what they are off by is counted: 10^12 times 2^-61 a round would be too much.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.columns import Whole, taken
from dpcert.audit.grids.passes import LOST_TO_SMALL_FLOATS, off_by

Wholes = NDArray[Any]
"""int64, or Python's whole numbers."""
MACHINE_BITS = 61
"""Bits of a unit's denominator at which products fit a machine word in halves."""
_HALF = 31
"""Bits of half a machine word, of the two that a factor is kept in."""
_BELOW_HALF = (1 << _HALF) - 1
"""The largest lower half of a factor."""
_WEIGHT_BITS = 2 * _HALF
"""Bits of a factor's denominator where machine words are used."""
NoSpare = tuple[None, None, None]
NO_SPARE: NoSpare = (None, None, None)
"""Where products are made in arrays of their own."""


class Factor(NamedTuple):
    """A probability in either world, for `Units.times`: numbers of 2^-62, as halves where machine words are used."""

    high: Wholes
    low: Wholes

    def of(self, columns: Whole) -> "Factor":
        """Those of columns, where it has any."""
        return Factor(taken(self.high, columns), taken(self.low, columns))


@frozen
class Units:
    """Units of 2^-bits.

    Attributes:
        bits: At least MACHINE_BITS.
    """

    bits: int = MACHINE_BITS

    @property
    def one(self) -> int:
        """Probability 1."""
        return 1 << self.bits

    @property
    def _machine(self) -> bool:
        return self.bits == MACHINE_BITS

    @cached_property
    def carry(self) -> Wholes:
        """What covers all that `times` cuts off, in world 0 and in world 1: nothing where it may."""
        return np.array([2 if self._machine else 1, 0], dtype=np.int64 if self._machine else object)

    def zeros(self, *shape: int) -> Wholes:
        """Whole numbers that are 0."""
        return np.zeros(shape, dtype=np.int64) if self._machine else np.full(shape, 0, dtype=object)

    def pair(self, k0: Fraction, k1: Fraction) -> Wholes:
        """A probability in world 0, not below it, and one in world 1, not above it."""
        return np.array([_up(k0 * self.one), _down(k1 * self.one)], dtype=self.carry.dtype)

    def factor(self, k0: Fraction, k1: Fraction) -> Factor:
        """The same as a factor."""
        scale = 1 << (_WEIGHT_BITS if self._machine else self.bits)
        whole = [_up(k0 * scale), _down(k1 * scale)]
        if not self._machine:
            return Factor(np.array(whole, dtype=object), self.carry)
        return Factor(np.array([k >> _HALF for k in whole]), np.array([k & _BELOW_HALF for k in whole]))

    def led(self, k0: Fraction, k1: Fraction, steps: Fraction) -> Factor:  # noqa: ARG002 - units that lean ask for it
        """The factor of a run that leads so many steps back: the same wherever masses are counted as they are."""
        return self.factor(k0, k1)

    def behind(self, values: Wholes) -> Wholes:
        """Masses of the node behind a slope, counted as those of the node before it are."""
        return values

    def capped(self, world0: Wholes) -> None:
        """Holds what is in world 0 at 1, to which it is rounded up."""
        np.minimum(world0, self.one, out=world0)

    def spare(self, places: int) -> "Wholes | NoSpare":
        """Arrays for `times` to work in, of two worlds and so many places."""
        return self.zeros(3, 2, places) if self._machine else NO_SPARE

    def times(self, values: Wholes, factor: Factor, spare: "Wholes | NoSpare" = NO_SPARE) -> Wholes:
        """Products, world 0 first: not above the true ones, and with `carry` added not below them.

        Args:
            values: At least 0 and at most a little above `one`; the first axis is the world.
            factor: Probabilities, one in each world, or one for each of the values.
            spare: Arrays of the shape of the values, which are overwritten; the first of them is what is returned.
        """
        high, low = along(factor.high, values), along(factor.low, values)
        if not self._machine:
            product: Wholes = (values * high) >> self.bits
            return product
        above = np.right_shift(values, _HALF, out=spare[0])
        below = np.bitwise_and(values, _BELOW_HALF, out=spare[1])
        below *= high
        below += np.multiply(above, low, out=spare[2])
        below >>= _HALF
        above *= high
        above += below
        return above

    def counted(self, number: Any) -> int | Fraction:
        """A number of units out of an array, to be added up."""
        return int(number)

    def rounded_by(self, x: Fraction) -> Fraction:  # noqa: ARG002 - floats ask for it
        """What roundings of a probability are parts of: units are parts of 1."""
        return Fraction(1)

    def loosened(self, slack: int) -> Fraction:  # noqa: ARG002 - floats ask for it
        """The part of itself that a probability is moved outward by for so many operations."""
        return Fraction(0)

    def exact(self, number: Any, world: int, slack: int, over: int = 1) -> Fraction:  # noqa: ARG002 - floats ask
        """A number of units as a probability: not below it in world 0, not above it in world 1.

        Args:
            number: So many.
            world: In which world.
            slack: Operations that it comes from, where they are rounded: whole numbers are not.
            over: What it was multiplied by since; what small floats lost was, too.
        """
        return Fraction(int(number), self.one * over)


@frozen
class RelativeUnits(Units):
    """Probabilities as floats: sums and products of numbers of at least 0 are off by a factor, as in `passes`."""

    bits: int = 0

    @cached_property
    def carry(self) -> Wholes:
        """Nothing: what is cut off is counted."""
        return np.zeros(2)

    def zeros(self, *shape: int) -> Wholes:
        """Floats that are 0."""
        return np.zeros(shape)

    def pair(self, k0: Fraction, k1: Fraction) -> Wholes:
        """A probability in either world."""
        return np.array([float(k0), float(k1)])

    def factor(self, k0: Fraction, k1: Fraction) -> Factor:
        """The same as a factor."""
        return Factor(self.pair(k0, k1), self.carry)

    def spare(self, places: int) -> Wholes | NoSpare:
        """An array for `times` to work in, of two worlds and so many places."""
        return self.zeros(1, 2, places)

    def times(self, values: Wholes, factor: Factor, spare: Wholes | NoSpare = NO_SPARE) -> Wholes:
        """Products, world 0 first."""
        product: Wholes = np.multiply(values, along(factor.high, values), out=spare[0])
        return product

    def counted(self, number: Any) -> Fraction:
        """A float as it is."""
        return Fraction(float(number))

    def rounded_by(self, x: Fraction) -> Fraction:
        """What roundings of a probability are parts of: itself."""
        return x

    def loosened(self, slack: int) -> Fraction:
        """The part of itself that a probability is moved outward by for so many operations."""
        return off_by(slack) - 1

    def exact(self, number: Any, world: int, slack: int, over: int = 1) -> Fraction:
        """A probability: not below it in world 0, not above it in world 1."""
        if world == 0:
            return Fraction(number) / over * off_by(slack) + LOST_TO_SMALL_FLOATS
        return max(Fraction(0), Fraction(number) / over / off_by(slack) - LOST_TO_SMALL_FLOATS)


def cut(spare: Wholes | NoSpare, places: int) -> Wholes | NoSpare:
    """As much of the arrays of `Units.spare` as so many places take."""
    return spare if isinstance(spare, tuple) else spare[:, :, :places]


def stacked(factors: Sequence[Factor]) -> Factor:
    """Factors in columns: world first."""
    return Factor(*(np.stack(halves, axis=1) for halves in zip(*factors, strict=True)))


def along(factor: Wholes, values: Wholes) -> Wholes:
    """Factors of either world, as they are multiplied with values whose first axis is the world."""
    return factor.reshape(*factor.shape, *(1,) * (values.ndim - factor.ndim))


def _down(x: Fraction) -> int:
    return x.numerator // x.denominator


def _up(x: Fraction) -> int:
    return -(-x.numerator // x.denominator)
