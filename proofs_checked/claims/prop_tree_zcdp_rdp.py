"""prop:tree_zcdp_rdp: how many nodes of the binary tree hold a round."""

from collections.abc import Callable
from fractions import Fraction

from dpcert.audit.algebra.enclosure import Ends
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.tree import TreeEncoder
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.trees import counts
from dpcert.proofs_checked.ledger import claim

LABEL = "prop:tree_zcdp_rdp"
Norm = Callable[[int], int]


@claim(LABEL, row=88, method=Method.EXHAUSTIVE, scope="h from 0 to 10, every column", subject=lambda h: h + 1,
       mutant=lambda h: max(h, 1))  # fmt: skip
def norm_of_the_whole_tree(subject: Norm) -> Finding:
    """s(R_tree)^2 = h + 1 for T = 2^h, and every column has this norm: each leaf has h + 1 nodes above it or at it."""
    return every("heights", ((h,) for h in range(11)), lambda h: set(counts(2**h)) == {subject(h)})


@claim(LABEL, row=88, method=Method.EXHAUSTIVE, scope="every T up to 260", subject=lambda t: t.bit_length(),
       mutant=lambda t: (t - 1).bit_length() + 1, uses=(f"{LABEL}/norm_of_the_whole_tree",))  # fmt: skip
def norm_of_released_nodes(subject: Norm) -> Finding:
    """Of nodes that are complete by T, s^2 = floor(log2 T) + 1, less than by padding unless T is a power of 2."""

    def told(rounds: int) -> bool:
        return max(counts(rounds)) == subject(rounds) == column_sensitivity(TreeEncoder(rounds)).l2_squared.upper

    return every("numbers of rounds", ((t,) for t in range(1, 261)), told)


@claim(LABEL, row=88, method=Method.EXHAUSTIVE, scope="every T up to 600, Delta 1 and 3/2, sigma 1 and 7",
       subject=lambda t: (t - 1).bit_length() + 1, mutant=lambda t: (t - 1).bit_length(),
       uses=(f"{LABEL}/norm_of_released_nodes", "lem:factor_privacy_constants"))  # fmt: skip
def padding_keeps_rho(subject: Norm) -> Finding:
    """For general T, rho <= Delta^2 (h + 1) / (2 sigma^2) with h = ceil(log2 T), attained at powers of 2."""

    def kept(rounds: int, change: Fraction, sigma: Fraction) -> bool:
        square = change**2 * max(counts(rounds))
        rho, bound = (
            GaussianShift.of_noise(Ends(square, square), sigma).rho,
            change**2 * subject(rounds) / (2 * sigma**2),
        )
        return rho.upper <= bound and (rho.lower == bound or rounds & (rounds - 1) != 0)

    sizes = [(Fraction(1), Fraction(1)), (Fraction(3, 2), Fraction(7))]
    return every("cores", ((t, *size) for t in range(1, 601) for size in sizes), kept)
