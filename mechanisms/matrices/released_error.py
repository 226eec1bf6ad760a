"""Squared error of the released sums, for noise of deviation 1, beside the least that any factorisation can have."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpcert.audit.algebra.enclosure import Ends
from dpcert.audit.errors import ArgumentError, expected
from dpcert.mechanisms.matrices.covers import node_counts
from dpcert.mechanisms.matrices.decoders import named_decoder, triangular_decoder
from dpcert.mechanisms.matrices.dyadic import Floats, over, scaled, square_sum
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.inverse import InverseEncoder
from dpcert.mechanisms.matrices.least_norm import least_norm_decoder
from dpcert.mechanisms.matrices.nuclear import least_mean
from dpcert.mechanisms.matrices.product import check_product, first_noncausal, largest_difference, workload_floats
from dpcert.mechanisms.matrices.rounded import RoundedEncoder
from dpcert.mechanisms.matrices.rounding import NormBounds, squared_norms
from dpcert.mechanisms.matrices.square_root import square_root
from dpcert.mechanisms.matrices.toeplitz import ToeplitzEncoder
from dpcert.mechanisms.matrices.tree import TreeEncoder
from dpcert.mechanisms.matrices.workloads import MOST_WORKLOAD_ROUNDS, NamedWorkload
from dpcert.mechanisms.matrices.written_out import WrittenOut, written_out

DECODER_ROUNDING = Fraction(1, 1 << 20)
"""The largest entry of |L R - M| that is rounding in a decoder that was given, as a share of the largest entry of M."""
EXACT_DECODER_ENTRIES = 1 << 18
"""Entries of a decoder that was given up to which its rows are measured exactly."""


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


def sum_errors(encoder: Encoder, workload: NamedWorkload, decoder: Floats | None = None) -> SumErrors | str:
    """The errors, or in words why they were not worked out.

    Args:
        encoder: R.
        workload: M.
        decoder: L, where it is given and not worked out.
    Raises: ArgumentError: a decoder that was given does not make M of R, or not in time; rates that do not fit.

    >>> from dpcert.mechanisms.matrices.workloads import named_workload
    >>> sum_errors(TreeEncoder(8), named_workload("prefix")).mean.upper
    Fraction(13, 8)
    """
    workload.check(encoder.rounds)
    if decoder is not None:
        return _given(encoder, workload, decoder)
    try:
        if isinstance(encoder, ToeplitzEncoder) and not workload.rates:
            return _of_toeplitz(encoder, workload)
        if isinstance(encoder, TreeEncoder) and not workload.rates and workload.momentum == 0:
            return _of_tree(encoder, workload)
        if encoder.rounds > MOST_WORKLOAD_ROUNDS:
            return f"at most {MOST_WORKLOAD_ROUNDS} rounds (MOST_WORKLOAD_ROUNDS)"
        return _of_matrix(encoder, workload)
    except ArgumentError as error:
        return f"no decoder was found: {error}"


def _given(encoder: Encoder, workload: NamedWorkload, decoder: Floats) -> SumErrors:
    """Of L as it is."""
    rounds, rows = encoder.rounds, len(encoder.row_rounds)
    if decoder.shape != (rounds, rows):
        raise expected(f"a decoder of {rounds} rounds by {rows} rows", decoder=f"an array of shape {decoder.shape}")
    wanted, known = workload.of(rounds), written_out(encoder)
    largest = Fraction(float(np.abs(workload_floats(wanted)[0]).max()))
    doubt = None if known.is_exact else known.doubt
    difference = check_product(decoder, known.entries, wanted, DECODER_ROUNDING * largest, doubt=doubt)
    ahead = first_noncausal(decoder, range(1, rounds + 1), encoder.row_rounds)
    if ahead is not None:
        told = (
            f"row {ahead.row}, column {ahead.column}, which is released in round {encoder.row_rounds[ahead.column - 1]}"
        )
        raise expected("a decoder of what was released by the round of its row", decoder=told)
    return _errors("L as it is given", _row_norms(decoder), encoder, workload, difference.size)


def _row_norms(decoder: Floats) -> NormBounds:
    """||L_t||^2, exactly for small matrices."""
    if decoder.size > EXACT_DECODER_ENTRIES:
        return squared_norms(decoder.T)
    values, bits = scaled(decoder)
    rows = [square_sum(values[t : t + decoder.shape[1]]) for t in range(0, decoder.size, decoder.shape[1])]
    return NormBounds(rows, rows, 2 * bits)


def _of_toeplitz(encoder: ToeplitzEncoder, workload: NamedWorkload) -> SumErrors | str:
    """By its coefficients; of the square root of prefix sums, L is R."""
    if workload.is_prefix and encoder == square_root(encoder.rounds):
        return _errors("L = M R^-1 = R, Toeplitz", encoder.squared_norms(), encoder, workload)
    found = named_decoder(encoder, workload).squared_norms()
    return _errors("L = M R^-1, Toeplitz", found, encoder, workload)


def _of_tree(encoder: TreeEncoder, workload: NamedWorkload) -> SumErrors:
    """Each prefix, or window, is the sum of the nodes that partition it."""
    last = np.arange(1, encoder.rounds + 1)
    first = np.ones_like(last) if workload.window is None else np.maximum(1, last - min(workload.window, len(last)) + 1)
    counts = node_counts(first, last, encoder.arity).tolist()
    what = "prefix" if workload.window is None else "window"
    return _errors(f"L sums the nodes that partition a {what}", NormBounds(counts, counts, 0), encoder, workload)


def _of_matrix(encoder: Encoder, workload: NamedWorkload) -> SumErrors | str:
    """By the float64 matrix that would run."""
    sums, matrix = workload.of(encoder.rounds), written_out(encoder)
    if first_noncausal(matrix.entries, encoder.row_rounds) is not None:
        return "of matrices that do not look ahead alone"
    if isinstance(encoder, InverseEncoder | RoundedEncoder):
        name, decoder = "L = M C^-1 in float64", workload_floats(sums)[0] @ encoder.correlation
    elif list(encoder.row_rounds) == list(range(1, encoder.rounds + 1)) and matrix.entries.diagonal().all():
        name, decoder = "L = M R^-1 in float64", triangular_decoder(matrix.entries, sums)
    else:
        name = "L of least norm, of what was released so far, in float64"
        decoder = least_norm_decoder(matrix.entries, tuple(encoder.row_rounds), workload_floats(sums)[0])
    return _errors(name, squared_norms(decoder.T), encoder, workload, _off(decoder, matrix, workload))


def _off(decoder: Floats, known: WrittenOut, workload: NamedWorkload) -> Ends:
    doubt = None if known.is_exact else known.doubt
    return largest_difference(decoder, known.entries, workload.of(len(decoder)), doubt=doubt).size


def _errors(
    decoder: str, rows: NormBounds, encoder: Encoder, workload: NamedWorkload, difference: Ends | None = None
) -> SumErrors:
    """From the squared norms of the decoder's rows."""
    largest = Ends(over(max(rows.lower), rows.bits), over(max(rows.upper), rows.bits))
    mean = Ends(*(over(sum(ends), rows.bits) / encoder.rounds for ends in (rows.lower, rows.upper)))
    return SumErrors(decoder, largest, mean, least_mean(encoder, workload), difference)
