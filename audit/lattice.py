"""Likelihood ratios as integer codes: products of few factors, so that equal ratios have equal codes.

Ratios multiply along a game, so their exponents over a coprime base add. One int64 holds the exponent vector; a ratio
with a part outside the base gets a root number as well. Equal (code, root) means equal ratio; the converse may fail,
and is then settled by exact comparison.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import gcd
from operator import mul

CODE_LIMIT = 1 << 62


def coprime_base(numbers: Iterable[int]) -> tuple[int, ...]:
    """Pairwise coprime integers above 1 of which every given positive integer is a product of powers.

    >>> coprime_base([12, 18])
    (2, 3)
    """
    base: list[int] = []
    pending = [n for n in set(numbers) if n > 1]
    while pending:
        n = pending.pop()
        for i, b in enumerate(base):
            common = gcd(n, b)
            if common > 1:
                del base[i]
                pending += [m for m in (common, n // common, b // common) if m > 1]
                break
        else:
            base.append(n)
    return tuple(sorted(base))


@dataclass
class Lattice:
    """Codes for the ratios of one game.

    `reach` bounds, per base element, the size of the exponents that factors add up to over a whole game; atoms may
    bring as much again. Where that does not fit in an int64 the lattice is not `usable`, and every near tie is
    settled by exact comparison.
    """

    base: tuple[int, ...]
    reach: tuple[int, ...]
    _roots: dict[Fraction, int] = field(default_factory=dict)

    @cached_property
    def _strides(self) -> tuple[int, ...]:
        return tuple(accumulate((4 * most + 1 for most in self.reach), mul, initial=1))

    @property
    def usable(self) -> bool:
        """Whether all codes fit."""
        return self._strides[-1] < CODE_LIMIT

    @classmethod
    def of_levels(cls, levels: Iterable[Iterable[Fraction]]) -> "Lattice":
        """The lattice spanned by positive ratios, one of each level's multiplied at most once a level."""
        listed = [set(level) for level in levels]
        base = coprime_base(n for level in listed for r in level for n in (r.numerator, r.denominator))
        plain = cls(base, (0,) * len(base))
        reach = [0] * len(base)
        for level in listed:
            exponents = [plain.factored(r)[0] for r in level] or [[0] * len(base)]
            reach = [most + max(abs(e[i]) for e in exponents) for i, most in enumerate(reach)]
        return cls(base, tuple(reach))

    def factored(self, ratio: Fraction) -> tuple[list[int], Fraction]:
        """Exponents over the base, and the part of the ratio outside it."""
        exponents = []
        numerator, denominator = ratio.numerator, ratio.denominator
        for b in self.base:
            e = 0
            while numerator % b == 0:
                numerator //= b
                e += 1
            while denominator % b == 0:
                denominator //= b
                e -= 1
            exponents.append(e)
        return exponents, Fraction(numerator, denominator)

    def factor_code(self, ratio: Fraction) -> int:
        """The code of one of the game's own ratios."""
        return self._code(self.factored(ratio)[0])

    def atom_code(self, ratio: Fraction) -> tuple[int, int]:
        """(code, root) of any positive ratio; the root of an inverse is the negative root, that of 1 is 0."""
        exponents, rest = self.factored(ratio)
        if any(abs(e) > most for e, most in zip(exponents, self.reach, strict=True)):
            exponents, rest = [0] * len(self.base), ratio
        return self._code(exponents), self._root(rest)

    def _code(self, exponents: list[int]) -> int:
        return sum(e * stride for e, stride in zip(exponents, self._strides, strict=False))

    def _root(self, rest: Fraction) -> int:
        if rest == 1:
            return 0
        if rest < 1:
            return -self._root(1 / rest)
        return self._roots.setdefault(rest, len(self._roots) + 1)
