"""Squared error of the released sums, for noise of deviation 1, beside the least that any factorisation can have."""

from dataclasses import dataclass

from flint import arb

from dpcert.audit.algebra.enclosure import Ends, enclosed
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.matrices.decoders import toeplitz_decoder, triangular_decoder
from dpcert.mechanisms.matrices.dyadic import over
from dpcert.mechanisms.matrices.encoder import DenseEncoder, Encoder
from dpcert.mechanisms.matrices.product import first_noncausal, largest_difference
from dpcert.mechanisms.matrices.rounding import NormBounds, squared_norms
from dpcert.mechanisms.matrices.toeplitz import ToeplitzEncoder
from dpcert.mechanisms.matrices.tree import TreeEncoder
from dpcert.mechanisms.matrices.workloads import MOST_WORKLOAD_ROUNDS, NamedWorkload

MOST_DECODED_ROUNDS = 512
"""Rounds of a dense encoder up to which its decoder is worked out, for the error of the sums."""


@dataclass(frozen=True)
class SumErrors:
    """E ((L z)_t)^2 = ||L_t||^2 of every sum, noise z of deviation 1 and L R = M: the largest and the mean.

    Args:
        decoder: Which L, in words.
        largest: max_t ||L_t||^2, between bounds.
        mean: The mean over t.
        least: What the mean, and so the largest, is at least with any L R = M, where no column of R is longer than the
            longest of this one; None where that is not known of the workload.
        difference: The largest entry of |L R - M|, where L is of floats; None where L R is M.
    """

    decoder: str
    largest: Ends
    mean: Ends
    least: Ends | None
    difference: Ends | None = None


def sum_errors(encoder: Encoder, workload: NamedWorkload) -> SumErrors | str:
    """The errors, or in words why they were not worked out.

    >>> from dpcert.mechanisms.matrices.workloads import named_workload
    >>> sum_errors(TreeEncoder(8), named_workload("prefix")).mean.upper
    Fraction(13, 8)
    """
    if encoder.rounds > MOST_WORKLOAD_ROUNDS:
        return f"at most {MOST_WORKLOAD_ROUNDS} rounds (MOST_WORKLOAD_ROUNDS)"
    try:
        if isinstance(encoder, ToeplitzEncoder):
            found = toeplitz_decoder(encoder, workload.of(encoder.rounds)).squared_norms()
            return _errors("L = M R^-1, Toeplitz", found, encoder, workload)
        if isinstance(encoder, TreeEncoder):
            return _of_tree(encoder, workload)
        return _of_matrix(encoder, workload)
    except ArgumentError as error:
        return f"no decoder was found: {error}"


def _of_tree(encoder: TreeEncoder, workload: NamedWorkload) -> SumErrors | str:
    """Each prefix is the sum of the nodes that partition it."""
    if not workload.is_prefix:
        return "of a tree, for prefix sums alone"
    counts = [sum(1 for _ in encoder.cover(t)) for t in range(1, encoder.rounds + 1)]
    return _errors("L sums the nodes that partition a prefix", NormBounds(counts, counts, 0), encoder, workload)


def _of_matrix(encoder: Encoder, workload: NamedWorkload) -> SumErrors | str:
    """By the float64 matrix that would run."""
    if not isinstance(encoder, DenseEncoder) or list(encoder.row_rounds) != list(range(1, encoder.rounds + 1)):
        return "of matrices with one row a round alone"
    if encoder.rounds > MOST_DECODED_ROUNDS:
        return f"of a dense matrix, at most {MOST_DECODED_ROUNDS} rounds (MOST_DECODED_ROUNDS)"
    if first_noncausal(encoder.entries, encoder.row_rounds) is not None or not encoder.entries.diagonal().all():
        return "of lower-triangular matrices with no 0 on the diagonal alone"
    wanted = workload.of(encoder.rounds)
    decoder = triangular_decoder(encoder.entries, wanted)
    difference = largest_difference(decoder, encoder.entries, wanted).size
    return _errors("L = M R^-1 in float64", squared_norms(decoder.T), encoder, workload, difference)


def _errors(
    decoder: str, rows: NormBounds, encoder: Encoder, workload: NamedWorkload, difference: Ends | None = None
) -> SumErrors:
    """From the squared norms of the decoder's rows."""
    largest = Ends(over(max(rows.lower), rows.bits), over(max(rows.upper), rows.bits))
    mean = Ends(*(over(sum(ends), rows.bits) / encoder.rounds for ends in (rows.lower, rows.upper)))
    least = least_mean(encoder) if workload.is_prefix else None
    return SumErrors(decoder, largest, mean, least, difference)


def least_mean(encoder: Encoder) -> Ends:
    """(||M||_* / (T s))^2 for prefix sums M and s the longest column of R: no L R = M has a smaller mean of ||L_t||^2.

    For ||M||_* <= ||L||_F ||R||_F, and ||R||_F^2 <= T s^2. The largest ||L_t||^2 is at least the mean.

    >>> least_mean(TreeEncoder(1)).lower <= 1 <= least_mean(TreeEncoder(1)).upper
    True
    """
    norms, rounds = encoder.squared_norms(), encoder.rounds
    nuclear = nuclear_norm(rounds)
    below = Ends(over(max(norms.lower), norms.bits), over(max(norms.upper), norms.bits))
    lower = nuclear.lower**2 / (rounds**2 * below.upper)
    return Ends(lower, nuclear.upper**2 / (rounds**2 * below.lower) if below.lower else lower)


def nuclear_norm(rounds: int) -> Ends:
    """||M||_* of prefix sums, the sum over k from 1 to T of 1 / (2 sin((2k - 1) pi / (4T + 2))), enclosed.

    >>> 1 in enclosed(lambda: arb(1)) and nuclear_norm(1).lower <= 1 <= nuclear_norm(1).upper
    True
    """

    def total() -> arb:
        unit = arb.pi() / (4 * rounds + 2)
        return sum(((2 * ((2 * k - 1) * unit).sin()) ** -1 for k in range(1, rounds + 1)), arb(0))

    return enclosed(total).finite()
