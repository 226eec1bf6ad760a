"""Mechanisms over larger groups: a noisy sum over Z_5, and over the symmetries of three things, where order counts."""

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import permutations
from typing import ClassVar

from dpcert.audit.algebra.common_laws import point, uniform
from dpcert.audit.algebra.pmf import Pmf
from dpcert.proofs_checked.cases.certificates import Monoid

Symmetry = tuple[int, ...]
SYMMETRIES: tuple[Symmetry, ...] = tuple(permutations(range(3)))
UNCHANGED: Symmetry = (0, 1, 2)


def then(first: Symmetry, second: Symmetry) -> Symmetry:
    """The first symmetry, then the second: not the same as the other way round.

    >>> then((1, 0, 2), (0, 2, 1)), then((0, 2, 1), (1, 0, 2))
    ((2, 0, 1), (1, 2, 0))
    """
    return tuple(second[i] for i in first)


def apart(u: Symmetry, v: Symmetry) -> int:
    """The discrete metric."""
    return int(u != v)


IN_ORDER = Monoid(UNCHANGED, then, apart)
BACKWARDS = Monoid(UNCHANGED, lambda u, v: then(v, u), apart)


@dataclass(frozen=True)
class TrueOrUniform:
    """y_t is the product of the inputs over I_t, in their order, with chance `truth`, else any symmetry alike."""

    index_sets: tuple[tuple[int, ...], ...]
    truth: Fraction = Fraction(1, 2)
    alphabet: ClassVar[tuple[Symmetry, ...]] = SYMMETRIES

    @property
    def horizon(self) -> int:
        """One round an index set."""
        return len(self.index_sets)

    def law(self, prefix: tuple[Symmetry, ...]) -> Pmf[Symmetry]:
        """The law of y_t, t = len(prefix)."""
        exact = reduce(then, (prefix[i - 1] for i in self.index_sets[len(prefix) - 1]), UNCHANGED)
        return Pmf.mix([(self.truth, point(exact)), (1 - self.truth, uniform(SYMMETRIES))])


def asks(y: int, prefix: tuple[int, ...]) -> int:
    """Whether y is the newest input, from round 2 on: a question of the adversary's choice."""
    return y if len(prefix) == 1 else int(y == prefix[-1])


SETS = ((), (1,), (2,), (1, 2))
TWO_ROUNDS = tuple((first, second) for first in SETS[:2] for second in SETS)
"""Every choice of index sets for two rounds."""
