"""Decoders L = M R^-1 of square encoders: enclosed where all are Toeplitz, else the float64 matrix that would run."""

import numpy as np
from flint import arb, arb_series, ctx

from dpcert.audit.algebra.enclosure import ball
from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats, finite
from dpcert.mechanisms.matrices.toeplitz import MOST_INVERSE, ToeplitzEncoder, enclosed_toeplitz
from dpcert.mechanisms.matrices.workloads import Workload


def toeplitz_decoder(encoder: ToeplitzEncoder, workload: Workload) -> ToeplitzEncoder:
    """L of a Toeplitz encoder and a workload with one rate: its coefficients are those of m(z) / r(z), enclosed.

    Args:
        encoder: R, its first coefficient not 0.
        workload: M, of as many rounds.
    Raises: ArgumentError: rates that differ, rounds that do not fit or are too many, or no inverse.
    Source: paper.tex, sec:prefixsum_factor (L = R for the square root of prefix sums).

    >>> from dpcert.mechanisms.matrices.square_root import square_root
    >>> from dpcert.mechanisms.matrices.workloads import prefix_sums
    >>> found = toeplitz_decoder(square_root(3), prefix_sums(3))
    >>> [round(8 * c / 2**found.bits) for c in found.values]
    [8, 4, 3]
    """
    if workload.rounds != encoder.rounds or encoder.rounds > MOST_INVERSE:
        raise expected(
            f"a workload of as many rounds, at most {MOST_INVERSE}", encoder=encoder.rounds, workload=workload.rounds
        )
    if len(set(workload.rates)) > 1:
        raise expected("a workload with one rate for all rounds", rates=f"{len(set(workload.rates))} different ones")
    if abs(encoder.values[0]) <= encoder.radius:
        raise expected("a first coefficient other than 0", coefficients=encoder.values[0])
    wanted = workload.column(0)

    def compute() -> list[arb]:
        ctx.cap = encoder.rounds
        unit = arb(2) ** -encoder.bits
        below = arb_series([arb(c, encoder.radius) * unit for c in encoder.values], prec=encoder.rounds)
        found = arb_series([ball(x) for x in wanted], prec=encoder.rounds) / below
        return [found[k] for k in range(encoder.rounds)]

    return enclosed_toeplitz(compute, "encoder")


def triangular_decoder(encoder: Floats, workload: Workload) -> Floats:
    """L in float64, for a lower-triangular encoder; `largest_difference` says how far L R is from M.

    Args:
        encoder: R, a square matrix with no 0 on its diagonal.
        workload: M, of as many rounds.
    Raises: ArgumentError: another shape, an entry above the diagonal, or a 0 on it; a decoder that overflows.

    >>> from dpcert.mechanisms.matrices.workloads import prefix_sums
    >>> triangular_decoder(np.array([[2.0, 0.0], [0.0, 1.0]]), prefix_sums(2)).tolist()
    [[0.5, 0.0], [0.5, 1.0]]
    """
    rounds = workload.rounds
    if encoder.shape != (rounds, rounds):
        raise expected(f"a square encoder of {rounds} rounds", encoder=f"an array of shape {encoder.shape}")
    if np.triu(encoder, 1).any() or not encoder.diagonal().all():
        raise expected("a lower-triangular encoder with no 0 on its diagonal", encoder="another")
    wanted = np.array([[float(x) for x in column] for column in map(workload.column, range(rounds))]).T
    found = np.zeros_like(wanted)
    with np.errstate(all="ignore"):  # what overflows is no number, and is refused
        for i in reversed(range(rounds)):
            found[:, i] = (wanted[:, i] - found[:, i + 1 :] @ encoder[i + 1 :, i]) / encoder[i, i]
    return finite(found, "decoder")
