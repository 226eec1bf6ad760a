"""Likelihood ratios as integer codes: products of few factors, so that equal ratios have equal codes.

Ratios multiply along a game, so their exponents over a coprime base add. The factors of a game span a lattice of low
rank; as many exponents as its rank tell its elements apart, and those go into one int64, the code. What a ratio has
besides (a part outside the base, exponents off the lattice's span) is its root, which factors of the game leave alone.
Two ratios are equal if code and root are. Equal ones may differ in them where the part outside shares divisors with the
base (1/3 times 9 is 3, over the base 9): such a tie is settled in integers, like any other near one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import gcd, lcm
from operator import mul

from flint import fmpq_mat, fmpz_mat

from dpcert.audit.limits import look

CODE_LIMIT = 1 << 62
"""Size of codes from which a game has none: they would not fit a machine word."""
MOST_FACTORS = 200
"""Distinct ratios past which a game has no codes: a base for them would cost more than it saves."""
MOST_CODES = 200_000
"""Codes of ratios that are kept; past it they are worked out anew."""

Exponents = tuple[int, ...]


def coprime_base(numbers: Iterable[int]) -> tuple[int, ...]:
    """Pairwise coprime integers above 1 of which every given positive integer is a product of powers.

    >>> coprime_base([12, 18])
    (2, 3)
    """
    base: list[int] = []
    pending = [n for n in set(numbers) if n > 1]
    while pending:
        look()
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


def factored(ratio: Fraction, base: Sequence[int]) -> tuple[Exponents, Fraction]:
    """Exponents over a coprime base, and the part of the ratio outside it."""
    look()
    exponents = []
    numerator, denominator = ratio.numerator, ratio.denominator
    for b in base:
        e = 0
        while numerator % b == 0:
            numerator //= b
            e += 1
        while denominator % b == 0:
            denominator //= b
            e -= 1
        exponents.append(e)
    return tuple(exponents), Fraction(numerator, denominator)


def echelon(vectors: Iterable[Exponents], columns: Sequence[int]) -> dict[int, list[Fraction]]:
    """Pivot column -> row with a 1 there and 0 in the other pivots: the reduced basis of the rational span.

    Columns are tried in the given order. A vector of the span is the sum of its pivot entries times their rows.

    >>> echelon([(2, 4), (1, 2)], columns=(1, 0))
    {1: [Fraction(1, 2), Fraction(1, 1)]}
    """
    listed = [[vector[c] for c in columns] for vector in vectors]
    reduced, rank = fmpq_mat(fmpz_mat(listed)).rref()
    rows = {}
    for entries in reduced.tolist()[:rank]:
        row = dict(zip(columns, (Fraction(int(x.p), int(x.q)) for x in entries), strict=True))
        rows[next(c for c in columns if row[c])] = [row[c] for c in sorted(columns)]
    return rows


@dataclass
class Lattice:
    """Codes for the ratios of one game.

    `reach` bounds, per base element, the size of the exponents that factors add up to over a whole game; atoms may
    bring as much again. Where that does not fit in an int64 the lattice is not `usable`, and every near tie is
    settled by exact comparison.
    """

    base: tuple[int, ...]
    reach: tuple[int, ...]
    factors: tuple[Exponents, ...]
    crowded: bool = False
    _roots: dict[tuple[Fraction, Exponents], int] = field(default_factory=dict)
    _codes: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of_levels(cls, levels: Iterable[Iterable[Fraction]]) -> "Lattice":
        """The lattice spanned by positive ratios, one of each level's multiplied at most once a level."""
        ratio_sets = [set(level) for level in levels]
        if len(set().union(*ratio_sets)) > MOST_FACTORS:
            return cls((), (), (), crowded=True)
        base = coprime_base(n for level in ratio_sets for r in level for n in (r.numerator, r.denominator))
        by_level = [[factored(r, base)[0] for r in level] for level in ratio_sets]
        most = [[max((abs(e[i]) for e in level), default=0) for level in by_level] for i in range(len(base))]
        return cls(base, tuple(map(sum, most)), tuple(dict.fromkeys(e for level in by_level for e in level)))

    @cached_property
    def _rows(self) -> dict[int, list[Fraction]]:
        return echelon(self.factors, sorted(range(len(self.base)), key=lambda i: self.reach[i]))

    @cached_property
    def _whole_rows(self) -> tuple[int, list[tuple[int, list[int]]]]:
        """The rows over one common denominator, and that denominator."""
        scale = lcm(*(x.denominator for row in self._rows.values() for x in row))
        return scale, [(pivot, [int(x * scale) for x in row]) for pivot, row in self._rows.items()]

    @cached_property
    def _strides(self) -> tuple[int, ...]:
        return tuple(accumulate((4 * self.reach[pivot] + 1 for pivot in self._rows), mul, initial=1))

    @property
    def usable(self) -> bool:
        """Whether all codes fit."""
        return not self.crowded and self._strides[-1] < CODE_LIMIT

    def factor_code(self, ratio: Fraction) -> int:
        """The code of one of the game's own ratios; 0 if the lattice is not usable."""
        return self._code(factored(ratio, self.base)[0]) if self.usable else 0

    def atom_code(self, ratio: Fraction) -> tuple[int, int]:
        """(code, root) of any positive ratio; the root of an inverse is the negative root, that of the lattice is 0."""
        if not self.usable:
            return 0, 0
        key = ratio.numerator, ratio.denominator
        code_root = self._codes.get(key)
        if code_root is None:
            if len(self._codes) == MOST_CODES:
                self._codes.clear()
            code_root = self._codes[key] = self._atom_code(ratio)
        return code_root

    def _atom_code(self, ratio: Fraction) -> tuple[int, int]:
        exponents, rest = factored(ratio, self.base)
        if any(abs(exponents[pivot]) > self.reach[pivot] for pivot in self._rows):
            return 0, self._root(ratio, ())
        scale, rows = self._whole_rows
        off = [scale * e for e in exponents]
        for pivot, row in rows:
            if exponents[pivot]:
                off = [x - exponents[pivot] * r for x, r in zip(off, row, strict=True)]
        return self._code(exponents), self._root(rest, tuple(off))

    def _code(self, exponents: Exponents) -> int:
        return sum(exponents[pivot] * stride for pivot, stride in zip(self._rows, self._strides, strict=False))

    def _root(self, rest: Fraction, off: Exponents) -> int:
        """The number of what factors leave alone; `off` is scaled to whole numbers, and () where it is not known."""
        if rest == 1 and not any(off):
            return 0
        inverse = self._roots.get((1 / rest, tuple(-x for x in off)))
        return -inverse if inverse is not None else self._roots.setdefault((rest, off), len(self._roots) + 1)
