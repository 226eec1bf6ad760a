"""Orders of growth with their constants: logarithms as balls, and comparisons that are settled or raise."""

from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.enclosure import ball

Number = Fraction | int


def ln(x: Number) -> arb:
    """ln x."""
    return ball(Fraction(x)).log()


def at_most(left: arb | int, right: arb | int) -> bool:
    """Whether left <= right. Raises: ArithmeticError: the balls overlap.

    >>> at_most(ln(2), 1), at_most(1, ln(2))
    (True, False)
    """
    one, other = arb(left), arb(right)
    if one <= other:
        return True
    if one > other:
        return False
    raise ArithmeticError("two balls overlap")


def ceiling(x: arb) -> int:
    """The least whole number that is at least x. Raises: ArithmeticError: the ball leaves it open.

    >>> ceiling(ln(3))
    2
    """
    value = x.ceil().unique_fmpz()
    if value is None:
        raise ArithmeticError("a whole number lies in the ball")
    return int(value)


def error_bound(t: int, epsilon: arb, beta: Number) -> arb:
    """B(t) = 2 (k + 1) / epsilon * (max(2k, 1) / 3 + ln(2 t (t + 1) / beta)), k = floor(log2 t); claims 76."""
    k = t.bit_length() - 1
    return 2 * (k + 1) / epsilon * (arb(max(2 * k, 1)) / 3 + ln(2 * t * (t + 1)) - ln(beta))


def paper_error(t: int, epsilon: arb, delta: Number) -> int:
    """E(t) = ceil(B(t)) + 2, and E(0) = 0. Source: paper.tex, th:prefix_sum."""
    return ceiling(error_bound(t, epsilon, delta)) + 2 if t else 0


def polylog(t: int, epsilon: arb, delta: Number) -> arb:
    """(1 / epsilon) ln(t + 1) (ln(t + 1) + ln(1 / delta)), the order that errors and backlogs are said to have."""
    step = ln(t + 1)
    return step * (step - ln(delta)) / epsilon
