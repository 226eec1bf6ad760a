"""The private sums that a plan or a run names: tree, square-root, band=B, blt=K."""

from fractions import Fraction

from dpcert.audit.algebra.rational import written
from dpcert.audit.errors import expected, one_line
from dpcert.mechanisms.aggregators.buffered_sums import BufferedSums
from dpcert.mechanisms.aggregators.core import VectorCore
from dpcert.mechanisms.aggregators.near_square_root import MOST_NEAR_BUFFERS, near_square_root
from dpcert.mechanisms.aggregators.toeplitz_sums import ToeplitzSums, square_root_sums
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.learning.calibration import MakeCore
from dpcert.mechanisms.learning.optimisers import Descent, Optimiser
from dpcert.mechanisms.matrices.released_error import sum_errors
from dpcert.mechanisms.matrices.workloads import NamedWorkload

CORE_NAMES = "tree, square-root, band=B or blt=K"


def named_core(name: str) -> MakeCore:
    """What makes the sums: `tree`, `square-root`, `band=B` for B diagonals of the square root, or `blt=K` for K
    buffers near it.

    Raises: ArgumentError: another name.

    >>> named_core("band=4")(100, 3, 1000).rounds
    100
    """
    if name == "tree":
        return TreeSums
    if name == "square-root":
        return square_root_sums
    kind, equals, text = name.partition("=")
    if kind not in ("band", "blt") or not equals:
        raise expected(f"a core ({CORE_NAMES})", core=one_line(name, 60))
    many = written(text, "core")
    if kind == "blt":
        if many.denominator != 1 or not 1 <= many <= MOST_NEAR_BUFFERS:
            raise expected(f"from 1 to {MOST_NEAR_BUFFERS} buffers", core=one_line(name, 60))
        return lambda rounds, dimension, largest: near_square_root(int(many), rounds, dimension, largest)
    if many.denominator != 1 or many < 1:
        raise expected("a band of at least 1 diagonal", core=one_line(name, 60))
    return lambda rounds, dimension, largest: square_root_sums(
        rounds, dimension, largest, bandwidth=min(int(many), rounds)
    )


def squared_factor(core: VectorCore, optimiser: Optimiser) -> Fraction | None:
    """The largest variance of a component of a released model, in units of that of a row, rounded up.

    None where it is not worked out: of optimisers that are no sums with momentum, of many rounds, or of a tree's.

    >>> squared_factor(TreeSums(8, 1, 1), Descent())
    Fraction(3, 1)
    """
    if not isinstance(optimiser, Descent) or optimiser != Descent(optimiser.momentum):
        return None
    if isinstance(core, TreeSums):
        return None if optimiser.momentum else Fraction((core.rounds + 1).bit_length() - 1)
    if isinstance(core, ToeplitzSums | BufferedSums):
        encoder = core.encoder if isinstance(core, ToeplitzSums) else core.buffers.encoder(core.rounds)
        found = sum_errors(encoder, NamedWorkload("sums", optimiser.momentum))
        return None if isinstance(found, str) else found.largest.upper
    return None
