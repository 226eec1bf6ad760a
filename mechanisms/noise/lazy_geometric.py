"""Geometric noise on all integers, drawn only as far as a clipped sum of it shows: exact, by finite draws."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected
from dpcert.audit.kernels.draws import Draw
from dpcert.mechanisms.noise.geometric import above_one

Tail = tuple[tuple[int, ...], Fraction]
"""(coefficient in each form, ratio r) of an independent G not drawn yet: P(G = g) = (1 - r) r^g for g = 0, 1, ..."""


@dataclass(frozen=True, slots=True)
class LazyGeometric:
    """Forms c_i + sum_j a_ij G_j, whole numbers of which only the c_i are drawn.

    A form is never drawn further than a question about it needs. That is exact: what is left of a geometric variable
    that is at least m is m and a fresh one. Tails are sorted, and those in no form are gone, so that the same law of
    all forms mostly is the same value.

    Args:
        constants: c_i, one a form.
        tails: a_ij over i, and the ratio, for each j.
    """

    constants: tuple[int, ...] = ()
    tails: tuple[Tail, ...] = ()

    def with_constant(self, value: int) -> "LazyGeometric":
        """One form more, that is drawn."""
        return LazyGeometric((*self.constants, value), tuple(((*a, 0), ratio) for a, ratio in self.tails))

    def with_noise(self, exp_epsilon: Fraction) -> "LazyGeometric":
        """One form more, an independent Geom(e^eps) on all integers: the difference of two one-sided ones.

        >>> LazyGeometric((5,)).with_noise(Fraction(2))
        LazyGeometric(constants=(5, 0), tails=(((0, -1), Fraction(1, 2)), ((0, 1), Fraction(1, 2))))
        """
        longer = self.with_constant(0)
        ratio, zeros = 1 / above_one(exp_epsilon), (0,) * len(self.constants)
        return _sorted(longer.constants, (*longer.tails, ((*zeros, 1), ratio), ((*zeros, -1), ratio)))

    def combined(self, rows: Sequence[Sequence[int]]) -> "LazyGeometric":
        """New forms in place of the old ones: for each row, the sum of the old forms times its entries.

        >>> LazyGeometric((5, 6), (((1, 1), Fraction(1, 2)),)).combined([(1, -1)])
        LazyGeometric(constants=(-1,), tails=())
        """
        if any(len(row) != len(self.constants) for row in rows):
            raise expected(f"rows of {len(self.constants)} entries, one a form", rows=rows)
        tails = ((tuple(_dot(row, a) for row in rows), ratio) for a, ratio in self.tails)
        return _sorted(tuple(_dot(row, self.constants) for row in rows), tails)

    def clipped(self, row: Sequence[int], low: int, high: int, draw: Draw) -> tuple[int, "LazyGeometric"]:
        """clip(sum of the forms times the entries of `row`, low, high), and the forms given what was drawn for it.

        Raises: ArgumentError: low above high, or a row of another length.

        >>> LazyGeometric((3,)).with_noise(Fraction(2)).clipped((1, 0), 0, 2, lambda law: law.support[0])[0]
        2
        """
        if low > high or len(row) != len(self.constants):
            raise expected(f"low <= high and a row of {len(self.constants)} entries", low=low, high=high, row=row)
        forms = self
        while True:
            value = _dot(row, forms.constants)
            weights = [_dot(row, a) for a, _ in forms.tails]
            largest = max(range(len(weights)), key=lambda j: abs(weights[j]), default=0)
            weight = weights[largest] if weights else 0
            against = next((j for j, other in enumerate(weights) if other * weight < 0), None)
            if against is not None:
                forms = forms._compared(largest, against, draw)
                continue
            room = high - value if weight > 0 else value - low
            if not weight or room <= 0:
                return min(max(value, low), high), forms
            forms = forms._counted(largest, -(-room // abs(weight)), draw)

    def _counted(self, j: int, most: int, draw: Draw) -> "LazyGeometric":
        """G_j drawn where it is below `most`; else it is `most` and a fresh one."""
        a, ratio = self.tails[j]
        g = draw(counted_law(ratio, most))
        left = self.tails if g == most else self.tails[:j] + self.tails[j + 1 :]
        return LazyGeometric(_moved(self.constants, g, a), left)

    def _compared(self, j: int, k: int, draw: Draw) -> "LazyGeometric":
        """G_j and G_k by their minimum, geometric of ratio r_j r_k, and what the larger one has beyond it, which is
        independent of it: nothing, or 1 and a fresh tail of its own ratio.

        In a sum the new coefficient of the minimum lies between those of the two, which have opposite signs. With the
        largest coefficient among the two, comparing ends: either it is one of fewer that large, or one less is
        against it.
        """
        (a, r), (b, s) = self.tails[j], self.tails[k]
        rest = [tail for i, tail in enumerate(self.tails) if i not in (j, k)]
        rest.append((tuple(x + y for x, y in zip(a, b, strict=True)), r * s))
        sign = draw(compared_law(r, s))
        if not sign:
            return _sorted(self.constants, rest)
        beyond = (a, r) if sign > 0 else (b, s)
        return _sorted(_moved(self.constants, 1, beyond[0]), (*rest, beyond))


def _sorted(constants: tuple[int, ...], tails: Iterable[Tail]) -> LazyGeometric:
    """Tails in order, without those that are in no form: neither tells anything about the forms."""
    return LazyGeometric(constants, tuple(sorted(tail for tail in tails if any(tail[0]))))


def _dot(row: Sequence[int], numbers: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(row, numbers, strict=True))


def _moved(constants: tuple[int, ...], times: int, a: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(c + times * x for c, x in zip(constants, a, strict=True))


@lru_cache(maxsize=1024)
def counted_law(ratio: Fraction, most: int) -> Pmf[int]:
    """The law of min(G, most), G geometric: P(G >= g) = ratio^g.

    >>> counted_law(Fraction(1, 3), 2)
    Pmf({0: 2/3, 1: 2/9, 2: 1/9})
    """
    a, b = ratio.numerator, ratio.denominator
    below = {g: (b - a) * a**g * b ** (most - 1 - g) for g in range(most)}
    return from_weights({**below, most: a**most})


@lru_cache(maxsize=1024)
def compared_law(ratio: Fraction, other: Fraction) -> Pmf[int]:
    """The law of the sign of G - G', both geometric and independent.

    >>> compared_law(Fraction(1, 2), Fraction(1, 3))
    Pmf({0: 2/5, 1: 2/5, -1: 1/5})
    """
    (a, b), (c, d) = ratio.as_integer_ratio(), other.as_integer_ratio()
    return from_weights({0: (b - a) * (d - c), 1: a * (d - c), -1: c * (b - a)})
