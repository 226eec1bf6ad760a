"""f ⊗ f_mu, an exact chain beside Gaussian noise: delta at any epsilon, and epsilon for any delta, enclosed."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

from flint import arb

from dpcert.audit.algebra.enclosure import INFINITE, Enclosure, Ends, ball
from dpcert.audit.algebra.power import ORDERS, Order, Point, PowerFunction
from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected
from dpcert.mechanisms.accounting.crossing import crossing
from dpcert.mechanisms.accounting.narrowing import narrow, side
from dpcert.mechanisms.accounting.shift import LARGEST_SQUARE, GaussianShift, root
from dpcert.mechanisms.accounting.tails import shift_delta

Atoms = tuple[Point, ...]
"""Pairs (mass in the first world, mass in the second)."""
Loss = Callable[[], arb]
"""Makes the ball of epsilon at the precision that is set."""

_ALONE = PowerFunction.identity()


@dataclass(frozen=True)
class GaussianProduct:
    """f ⊗ f_mu, of a finite experiment and an independent Gaussian one; alone, the Gaussian one is f_mu.

    Every number is the supremum over all tests of both outcomes, enclosed. An atom of f with masses p and q is f_mu
    seen from other odds, so it adds p delta_mu(eps + ln(q / p)); p where q is 0, and nothing where p is 0.

    Args:
        shift: f_mu.
        chain: f; Id where nothing stands beside the Gaussian.
    Source: paper.tex, defn:tensor; the fact after defn:power, for delta.

    >>> 4.37717 < GaussianProduct(GaussianShift.of_mu(1)).epsilon_for(Fraction(1, 10**5)).lower < 4.37718
    True
    """

    shift: GaussianShift
    chain: PowerFunction = _ALONE

    def hockey_stick(self, exp_epsilon: Fraction | int, order: Order) -> Enclosure:
        """sup_S P(S) - e^epsilon Q(S) for order "0-1", with P and Q swapped for "1-0"; at a rational e^epsilon > 0."""
        if order not in ORDERS:
            raise expected("an order, '0-1' or '1-0'", order=order)
        atoms = self.chain.segments if order == "0-1" else _turned(self.chain.segments)
        return self._enclosed(_of_ratio(exp_epsilon), atoms)

    def delta(self, exp_epsilon: Fraction | int) -> Enclosure:
        """delta(epsilon) at a rational e^epsilon above 0, two-sided: the larger of both orders."""
        return self._two_sided(_of_ratio(exp_epsilon))

    def delta_at(self, epsilon: Fraction | int) -> Enclosure:
        """delta(epsilon) at a rational epsilon of at least 0, in nats, two-sided.

        >>> found = GaussianProduct(GaussianShift.of_mu(1)).delta_at(1).finite()
        >>> 0.12693 < found.lower <= found.upper < 0.12694, found.upper - found.lower < Fraction(1, 10**18)
        (True, True)
        """
        return self._two_sided(_of_epsilon(checked_epsilon(epsilon)))

    def side(self, epsilon: Fraction, delta: Fraction) -> int | None:
        """1 where delta(epsilon) is above `delta`, -1 where it is at most that, None where it was not decided."""
        loss, low_high = _of_epsilon(epsilon), self.shift.mu_squared
        low, high = ([side(partial(_total, atoms, square, loss), delta) for atoms in self._ways] for square in low_high)
        return 1 if 1 in low else -1 if set(high) == {-1} else None

    def epsilon_for(self, delta: Fraction | int) -> Enclosure:
        """The least epsilon >= 0 with delta(epsilon) <= delta, in nats; both ends infinite where none will do.

        The upper end keeps delta for certain; it is None where none was found that does.
        """
        target = exact(delta, "delta")
        if not 0 <= target <= 1:
            raise expected("a delta in [0, 1]", delta=target)
        if target < 1 and self.chain.delta_at_infinity >= target:
            return INFINITE
        low, high = self.shift.mu_squared
        above = self._crossing(high, target)
        return above if low == high else Enclosure(self._crossing(low, target).lower, above.upper)

    def _crossing(self, square: Fraction, delta: Fraction) -> Enclosure:
        at = GaussianProduct(GaussianShift(Ends(square, square)), self.chain)
        return crossing(lambda epsilon: at.side(epsilon, delta))

    @cached_property
    def _ways(self) -> tuple[Atoms, ...]:
        """The atoms in one order of worlds, and in the other where it differs."""
        there = self.chain.segments
        back = _turned(there)
        return (there,) if there == back else (there, back)

    def _two_sided(self, loss: Loss) -> Enclosure:
        found = [self._enclosed(loss, atoms).finite() for atoms in self._ways]
        return Enclosure(max(one.lower for one in found), max(one.upper for one in found))

    def _enclosed(self, loss: Loss, atoms: Atoms) -> Enclosure:
        """The sum over atoms, from its value at the lower mu to that at the upper."""
        low, high = self.shift.mu_squared
        below = narrow(partial(_total, atoms, low, loss), most=Fraction(1))
        above = below if low == high else narrow(partial(_total, atoms, high, loss), most=Fraction(1))
        return Enclosure(below.lower, above.upper)


def checked_epsilon(epsilon: Fraction | int) -> Fraction:
    """An epsilon as an exact number. Raises: ArgumentError: it is negative, or past 10^600."""
    number = exact(epsilon, "epsilon")
    if not 0 <= number <= LARGEST_SQUARE:
        raise expected("an epsilon from 0 to 10^600", epsilon=number)
    return number


def _turned(atoms: Atoms) -> Atoms:
    return tuple((q, p) for p, q in reversed(atoms))


def _of_epsilon(epsilon: Fraction) -> Loss:
    return lambda: ball(epsilon)


def _of_ratio(exp_epsilon: Fraction | int) -> Loss:
    ratio = exact(exp_epsilon, "exp_epsilon")
    if ratio <= 0:
        raise expected("a positive e^epsilon", exp_epsilon=ratio)
    return lambda: ball(ratio).log()


def _total(atoms: Atoms, mu_squared: Fraction, loss: Loss) -> arb:
    """sup_S P(S) - e^epsilon Q(S) of the product."""
    epsilon, mu, total = loss(), root(mu_squared), arb(0)
    for p, q in atoms:
        if p and q:
            total += ball(p) * shift_delta(epsilon + ball(q / p).log(), mu)
        else:
            total += ball(p)
    return total
