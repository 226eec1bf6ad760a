"""Decoders L = M R^-1 of square encoders: enclosed where all are Toeplitz, else the float64 matrix that would run."""

from collections.abc import Callable

import numpy as np
from flint import arb, arb_series, ctx

from dpcert.audit.algebra.enclosure import ball
from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats, finite
from dpcert.mechanisms.matrices.product import workload_floats
from dpcert.mechanisms.matrices.toeplitz import (
    COEFFICIENT_BITS,
    MOST_INVERSE,
    ToeplitzEncoder,
    enclosed_toeplitz,
    in_units,
)
from dpcert.mechanisms.matrices.workloads import NamedWorkload, Workload

LEAST_KNOWN_BITS = 24
"""Bits to which coefficients of a decoder are known at least, where those of the encoder are known up to a radius."""


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
    return _divided(encoder, lambda: [ball(x) for x in wanted])


def named_decoder(encoder: ToeplitzEncoder, workload: NamedWorkload) -> ToeplitzEncoder:
    """The same for a workload by name, without its matrix.

    Raises: ArgumentError: rates, too many rounds, or no inverse.

    >>> from dpcert.mechanisms.matrices.square_root import square_root
    >>> from dpcert.mechanisms.matrices.workloads import named_workload
    >>> found = named_decoder(square_root(3), named_workload("window=1"))
    >>> [round(8 * c / 2**found.bits) for c in found.values]
    [8, -4, -1]
    """
    if encoder.rounds > MOST_INVERSE:
        raise expected(f"at most {MOST_INVERSE} rounds (MOST_INVERSE)", rounds=encoder.rounds)
    if workload.rates:
        raise expected("a workload with one rate for all rounds", rates=f"{len(workload.rates)} of them")
    if abs(encoder.values[0]) <= encoder.radius:
        raise expected("a first coefficient other than 0", coefficients=encoder.values[0])
    return _divided(encoder, lambda: _first_column(workload, encoder.rounds))


def _first_column(workload: NamedWorkload, rounds: int) -> list[arb]:
    """M e_1: sums of powers of the momentum over the window."""
    sums, power, momentum = [arb(0)], arb(1), ball(workload.momentum)
    for _ in range(rounds):
        sums.append(sums[-1] + power)
        power = power * momentum
    back = rounds if workload.window is None else workload.window
    return [sums[k + 1] - sums[max(0, k + 1 - back)] for k in range(rounds)]


def _divided(encoder: ToeplitzEncoder, numerator: Callable[[], list[arb]]) -> ToeplitzEncoder:
    """The coefficients of m(z) / r(z), enclosed."""

    def compute() -> list[arb]:
        ctx.cap = encoder.rounds
        unit = arb(2) ** -encoder.bits
        below = arb_series([arb(c, encoder.radius) * unit for c in encoder.values], prec=encoder.rounds)
        found = arb_series(numerator(), prec=encoder.rounds) / below
        return [found[k] for k in range(encoder.rounds)]

    return enclosed_toeplitz(compute, "encoder") if encoder.radius == 0 else _as_known(compute)


def _as_known(compute: Callable[[], list[arb]]) -> ToeplitzEncoder:
    """Coefficients of which no more can be known than what they are made of: off by as much as they are.

    Raises: ArgumentError: that is more than 2^-LEAST_KNOWN_BITS.
    """
    before = ctx.prec, ctx.cap
    try:
        ctx.prec = 4 * COEFFICIENT_BITS
        coefficients = compute()
        most = max((ball.rad() for ball in coefficients), key=lambda rad: rad if rad.is_finite() else arb("inf"))
        if not all(ball.is_finite() for ball in coefficients) or not most < arb(2) ** -LEAST_KNOWN_BITS:
            raise expected(f"coefficients that are known to {LEAST_KNOWN_BITS} bits", encoder="an ill-conditioned one")
        return ToeplitzEncoder(tuple(map(in_units, coefficients)), COEFFICIENT_BITS, in_units(most.upper()) + 2)
    finally:
        ctx.prec, ctx.cap = before


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
    from scipy.linalg import LinAlgError, solve_triangular  # slow to import

    rounds = workload.rounds
    if encoder.shape != (rounds, rounds):
        raise expected(f"a square encoder of {rounds} rounds", encoder=f"an array of shape {encoder.shape}")
    if np.triu(encoder, 1).any() or not encoder.diagonal().all():
        raise expected("a lower-triangular encoder with no 0 on its diagonal", encoder="another")
    wanted, _ = workload_floats(workload)
    try:
        with np.errstate(all="ignore"):  # what overflows is no number, and is refused
            found = solve_triangular(encoder, wanted.T, trans="T", lower=True, check_finite=False).T
    except LinAlgError:
        raise expected("a lower-triangular encoder with no 0 on its diagonal", encoder="another") from None
    return finite(np.tril(found), "decoder")
