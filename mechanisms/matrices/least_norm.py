"""The causal decoder of least norm: every sum made of the rows released so far, with the least variance there is."""

from typing import Any

import numpy as np

from dpcert.audit.errors import expected
from dpcert.audit.limits import look
from dpcert.mechanisms.matrices.dyadic import Floats, finite

MOST_SOLVED_ROUNDS = 512
"""Rounds of an encoder with several rows a round, or none, up to which its decoder is worked out."""


def least_norm_decoder(encoder: Floats, row_rounds: tuple[int, ...], workload: Floats) -> Floats:
    """L in float64 with L R = M up to rounding, of which row t uses rows released by round t alone.

    Of all such rows it is the shortest, A (A^T A)^-1 m for A the rows released so far and m what is to be published, in
    the rounds so far: noise of one deviation in all rows adds up to the least variance.

    Args:
        encoder: R, causal.
        row_rounds: The round of every row.
        workload: M.
    Raises: ArgumentError: too many rounds, or the rows released by a round do not tell its inputs apart.

    >>> least_norm_decoder(np.array([[1.0], [1.0]]), (1, 1), np.array([[1.0]])).round(9).tolist()
    [[0.5, 0.5]]
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # slow to import

    rounds, round_of = encoder.shape[1], np.asarray(row_rounds)
    if rounds > MOST_SOLVED_ROUNDS:
        raise expected(f"at most {MOST_SOLVED_ROUNDS} rounds of rows to solve for (MOST_SOLVED_ROUNDS)", rounds=rounds)
    decoder, gram = np.zeros((rounds, len(encoder))), np.zeros((rounds, rounds))
    for t in range(1, rounds + 1):
        look()
        new = encoder[round_of == t]
        gram += new.T @ new
        try:
            factor: Any = cho_factor(gram[:t, :t])
        except LinAlgError:
            raise expected(
                f"rows that tell the inputs of the first {t} rounds apart", rows=f"too few by round {t}"
            ) from None
        so_far = round_of <= t
        decoder[t - 1, so_far] = encoder[so_far, :t] @ cho_solve(factor, workload[t - 1, :t])
    return finite(decoder, "decoder")
