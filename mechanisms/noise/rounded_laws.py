"""Continuous noise that is rounded to whole numbers: the masses of its cells, as rationals that sum to exactly 1."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import floor

from flint import arb

from dpcert.audit.algebra.common_laws import from_weights, point
from dpcert.audit.algebra.enclosure import ball, enclosed
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import exact, integer_text
from dpcert.audit.errors import expected

DENOMINATOR = 2**128
"""Masses of rounded laws are multiples of its inverse, unless another is asked for."""
TAIL_SPARE = 64
"""Bits of precision beyond those of the denominator."""
Tail = Callable[[Fraction], arb]
"""P(noise > t), for t of at least 0."""


def rounded_laplace(
    scale: Fraction | int, *, first: int, last: int, center: Fraction | int = 0, denominator: int = DENOMINATOR
) -> Pmf[int]:
    """P(k) = P(center + Laplace(scale) rounds to k), clipped to [first..last], as multiples of 1 / denominator.

    Cell k is [k - 1/2, k + 1/2]; the ends take all that lies beyond them. The masses are irrational: each is rounded
    down, by less than 2 / denominator, except that of the cell nearest to the center, which takes the rest. So the law
    is within 2 (last - first) / denominator of the ideal one in total variation. A grid of width g is had by giving
    scale and center in units of g, and `.map(lambda k: k * g)`.

    Args:
        scale: The scale b before rounding, density e^(-|x| / b) / 2b, in grid units, above 0.
        first: The least number kept.
        last: The largest number kept, at least first.
        center: What the noise is added to, in grid units.
        denominator: Masses are multiples of one over this.
    Returns: A law with exact weights, on all of first to last.
    Raises: ArgumentError: a parameter outside its domain; a cell whose mass rounds down to 0, which would be ruled out.
    Source: paper.tex, sec:prelim (finite sample spaces).

    >>> rounded_laplace(1, first=-1, last=1, denominator=1000)
    Pmf({-1: 303/1000, 0: 197/500, 1: 303/1000})
    """
    b = _positive(scale, "scale")
    return _rounded(lambda t: (-ball(t / b)).exp() / 2, first, last, exact(center, "center"), denominator)


def rounded_gaussian(
    sigma: Fraction | int, *, first: int, last: int, center: Fraction | int = 0, denominator: int = DENOMINATOR
) -> Pmf[int]:
    """P(k) = P(N(center, sigma^2) rounds to k), clipped to [first..last], as multiples of 1 / denominator.

    Cells, ends, rounding and its error are those of `rounded_laplace`.

    Args:
        sigma: The standard deviation before rounding, in grid units, above 0.
        first: The least number kept.
        last: The largest number kept, at least first.
        center: What the noise is added to, in grid units.
        denominator: Masses are multiples of one over this.
    Returns: A law with exact weights, on all of first to last.
    Raises: ArgumentError: a parameter outside its domain; a cell whose mass rounds down to 0, which would be ruled out.
    Source: paper.tex, sec:prelim (finite sample spaces).

    >>> rounded_gaussian(1, first=-1, last=1, denominator=1000)
    Pmf({-1: 77/250, 0: 48/125, 1: 77/250})
    """
    root = 2 * _positive(sigma, "sigma") ** 2
    return _rounded(
        lambda t: (ball(t) / ball(root).sqrt()).erfc() / 2, first, last, exact(center, "center"), denominator
    )


def _rounded(tail: Tail, first: int, last: int, center: Fraction, denominator: int) -> Pmf[int]:
    for name, value in (("first", first), ("last", last), ("denominator", denominator)):
        if type(value) is not int:
            raise expected("a whole number", **{name: value})
    if last < first:
        raise expected("a last of at least first", first=first, last=last)
    if denominator < 1:
        raise expected("a denominator of at least 1", denominator=denominator)
    if first == last:
        return point(first)
    nearest = min(max(floor(center + Fraction(1, 2)), first), last)
    edges = _Edges(tail, denominator)
    left = {k: edges.mass(center - k, last=k == first) for k in range(first, nearest)}
    right = {k: edges.mass(k - center, last=k == last) for k in range(nearest + 1, last + 1)}
    rest = denominator - sum(left.values()) - sum(right.values())
    weights = {**left, nearest: rest, **right}
    empty = [k for k, w in weights.items() if w <= 0]
    if empty:
        which = f"cell {integer_text(empty[0])}; or a nearer first or last"
        raise expected(f"a denominator by which no cell's mass rounds down to 0 ({which})", denominator=denominator)
    return from_weights(weights)


class _Edges:
    """Cell masses on one side of the center, in multiples of 1 / denominator, rounded down."""

    def __init__(self, tail: Tail, denominator: int) -> None:
        self._scaled = lru_cache(maxsize=4)(lambda t: tail(t) * denominator)
        self._bits = denominator.bit_length() + TAIL_SPARE

    def mass(self, distance: Fraction, *, last: bool) -> int:
        """That of the cell about `distance`; of all from there on where it is the last."""
        near, far = distance - Fraction(1, 2), distance + Fraction(1, 2)

        def compute() -> arb:
            inner: arb = self._scaled(near)
            return inner if last else inner - self._scaled(far)

        lower = enclosed(compute, bits=self._bits).lower
        return max(0, floor(lower)) if lower is not None else 0


def _positive(value: Fraction | int, name: str) -> Fraction:
    size = exact(value, name)
    if size <= 0:
        raise expected(f"a {name} above 0", **{name: size})
    return size
