"""The largest L1 norm of R x over patterns of participations and changes of numbers of size at most 1."""

import numpy as np

from dpcert.audit.algebra.enclosure import Ends
from dpcert.mechanisms.matrices.dyadic import over, size_sum
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.longest import without_comparison
from dpcert.mechanisms.matrices.measured import largest_signs, size
from dpcert.mechanisms.matrices.participations import Participation, Pattern, Separated
from dpcert.mechanisms.matrices.patterns import spaced
from dpcert.mechanisms.matrices.rounding import NormBounds
from dpcert.mechanisms.matrices.sensitivity import NormBracket

FEW_ENTRIES = 1 << 20
"""Entries of a matrix up to which the L1 norms of all its columns are worked out exactly."""


def worst_size(encoder: Encoder, participation: Participation, *, exact: bool) -> NormBracket:
    """The norm between bounds: at most the sum of the columns' own, which is attained where no entry is negative."""
    found = without_comparison(encoder, participation, encoder.size_norms, size, exact=exact)
    if found is not None:
        return found
    bounds = _norms(encoder)
    pattern = _largest(bounds, participation, encoder.rounds)
    upper = over(sum(bounds.upper[i] for i in pattern), bounds.bits)
    signs = (1,) * len(pattern) if encoder.is_nonnegative else largest_signs(encoder, pattern)
    lower = size(encoder, pattern, signs).lower
    return NormBracket(Ends(lower, max(lower, upper)), pattern, signs)


def _norms(encoder: Encoder) -> NormBounds:
    """Of every column, exactly for small matrices."""
    if len(encoder.row_rounds) * encoder.rounds > FEW_ENTRIES:
        return encoder.size_norms()
    columns = encoder.columns(range(encoder.rounds))
    sums = [size_sum(values) for values in columns.values]
    doubt = columns.radius * len(encoder.row_rounds)
    return NormBounds([max(0, s - doubt) for s in sums], [s + doubt for s in sums], columns.bits)


def _largest(bounds: NormBounds, participation: Participation, rounds: int) -> Pattern:
    """The pattern whose upper bounds sum to the most."""
    if isinstance(participation, Separated):
        weights = np.array(bounds.upper, dtype=object)
        return spaced(weights, participation.max_participations, participation.min_separation)
    return max(participation.patterns(rounds), key=lambda p: sum(bounds.upper[i] for i in p))
