"""The least sigma, or the largest mu or rho, of so many digits that keeps a target (epsilon, delta)."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.enclosure import Ends, ball
from dpcert.audit.errors import expected
from dpcert.mechanisms.accounting.crossing import crossing
from dpcert.mechanisms.accounting.narrowing import narrow, side
from dpcert.mechanisms.accounting.point import PrivacyPoint, exact_at_epsilon
from dpcert.mechanisms.accounting.product import GaussianProduct, checked_epsilon
from dpcert.mechanisms.accounting.renyi_bounds import checked_delta
from dpcert.mechanisms.accounting.shift import GaussianShift, root
from dpcert.mechanisms.accounting.tails import shift_delta

SOLUTION_DIGITS = 6
"""Significant digits of a solution, unless others are asked for."""
MOST_SOLUTION_DIGITS = 12
"""Significant digits of a solution at most."""

Shift = Callable[[Fraction], GaussianShift]


@dataclass(frozen=True, slots=True)
class TargetNumber:
    """The last number of so many significant digits that keeps a target, and the one past it, both looked at.

    Args:
        name: sigma, mu or rho.
        target: The epsilon and the delta that are to be kept.
        value: The solution.
        kept: delta at the target's epsilon, at the solution: at most the target's, by its upper end.
        beyond: The next number with less noise.
        broken: delta there.
    """

    name: str
    target: tuple[Fraction, Fraction]
    value: Fraction
    kept: PrivacyPoint
    beyond: Fraction
    broken: PrivacyPoint

    @property
    def is_tightest(self) -> bool:
        """Whether the next number is known to break the target."""
        return self.broken.delta.finite().lower > self.target[1]


def least_sigma(epsilon: Fraction, delta: Fraction, l2_squared: Ends, digits: int = SOLUTION_DIGITS) -> TargetNumber:
    """The least sigma that keeps (epsilon, delta) where inputs move by a squared length of `l2_squared` at most.

    >>> found = least_sigma(Fraction(1), Fraction(1, 10**5), Ends(Fraction(1), Fraction(1)))
    >>> found.value == Fraction("3.73064"), found.beyond == Fraction("3.73063"), found.is_tightest
    (True, True, True)
    """
    unit = _unit_sigma(epsilon, delta)
    first = narrow(lambda: root(l2_squared.upper) * ball(unit.upper)).finite().upper
    return _last("sigma", (epsilon, delta), lambda sigma: GaussianShift.of_noise(l2_squared, sigma), first, digits)


def largest_mu(epsilon: Fraction, delta: Fraction, digits: int = SOLUTION_DIGITS) -> TargetNumber:
    """The largest mu with delta_mu(epsilon) <= delta."""
    return _last("mu", (epsilon, delta), GaussianShift.of_mu, 1 / _unit_sigma(epsilon, delta).upper, digits)


def largest_rho(epsilon: Fraction, delta: Fraction, digits: int = SOLUTION_DIGITS) -> TargetNumber:
    """The largest rho of Gaussian noise that keeps (epsilon, delta); another rho-zCDP mechanism may not."""
    first = 1 / (2 * _unit_sigma(epsilon, delta).upper ** 2)
    return _last("rho", (epsilon, delta), GaussianShift.of_rho, first, digits)


def _unit_sigma(epsilon: Fraction, delta: Fraction) -> Ends:
    """The least sigma for a move by 1, enclosed: 1 / mu."""
    at, number = checked_epsilon(epsilon), checked_delta(delta)

    def where(sigma: Fraction) -> int | None:
        return side(lambda: shift_delta(ball(at), ball(1 / sigma)), number) if sigma else 1

    found = crossing(where)
    if not found.lower or not found.upper:
        raise expected("a target that some mu from 10^-300 to 10^300 just keeps", epsilon=at, delta=number)
    return found.finite()


def _last(name: str, target: tuple[Fraction, Fraction], shift: Shift, first: Fraction, digits: int) -> TargetNumber:
    """From a number that keeps the target, or nearly does, to the last one of so many digits that does."""
    if type(digits) is not int or not 1 <= digits <= MOST_SOLUTION_DIGITS:
        raise expected(f"a number of digits from 1 to {MOST_SOLUTION_DIGITS}", digits=digits)
    more, less = (_up, _down) if name == "sigma" else (_down, _up)
    at = partial(_point, shift, target[0])
    value = more(first, digits)
    while not _keeps(at(value), target[1]):
        value = _next(value, digits, more)
    while _keeps(at(beyond := _next(value, digits, less)), target[1]):
        value = beyond
    return TargetNumber(name, target, value, at(value), beyond, at(beyond))


def _point(shift: Shift, epsilon: Fraction, value: Fraction) -> PrivacyPoint:
    return exact_at_epsilon(GaussianProduct(shift(value)), epsilon)


def _keeps(point: PrivacyPoint, delta: Fraction) -> bool:
    return point.delta.finite().upper <= delta


def _next(value: Fraction, digits: int, rounded: Callable[[Fraction, int], Fraction]) -> Fraction:
    """The neighbour on the side that is rounded to; less than the least distance of two such numbers is moved."""
    moved = value * Fraction(1, 10 ** (digits + 1))
    return rounded(value + moved if rounded is _up else value - moved, digits)


def _up(value: Fraction, digits: int) -> Fraction:
    return Fraction(up(value, digits))


def _down(value: Fraction, digits: int) -> Fraction:
    return Fraction(down(value, digits))
