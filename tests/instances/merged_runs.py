"""Releases of long chains, as tests of what floats are off by make them."""

from fractions import Fraction

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.algebra.lattice import Lattice
from dpcert.audit.algebra.long_chain import Lengthened
from dpcert.audit.algebra.merged_runs import MergedRuns, merged


def longer(*factors: Fraction) -> Lengthened:
    lattice = Lattice.of_levels([factors or (Fraction(1),)])
    return Lengthened(lambda: lattice)


def release_of(atoms: list[tuple[int, int]], total0: int, total1: int) -> MergedRuns:
    chain = chains.ordered([a for a, _ in atoms], [b for _, b in atoms], total0, total1)
    return merged([(1, 1, chain)], total0, total1, longer())


def without_codes() -> Hulls:
    """Hulls in which near ties are settled in integers alone."""
    return Hulls(lambda: Lattice((), (), (), crowded=True))


PAIR = release_of([(1, 4), (3, 6), (6, 2)], 10, 12), release_of([(2, 6), (2, 5), (6, 1)], 10, 12)
BY_ONE = release_of([(2, 6), (8, 4)], 10, 10), release_of([(1, 6), (9, 4)], 10, 10)
"""Releases that are made once, for tests that are short."""


def pair() -> tuple[MergedRuns, MergedRuns]:
    return PAIR
