"""s(R), what one person's participations may change of R x at most: in L2, squared, and in L1."""

from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.participations import Once, Participation, moves_as_one
from dpcert.mechanisms.matrices.sensitivity import Justification, Sensitivity, Stream
from dpcert.mechanisms.matrices.worst_size import worst_size
from dpcert.mechanisms.matrices.worst_squared import worst_squared

ONCE = Once()


def column_sensitivity(
    encoder: Encoder, participation: Participation = ONCE, *, stream: Stream = Stream.VECTOR, exact: bool = True
) -> Sensitivity:
    """s(R)^2 and the L1 norm beside it, over all patterns, for changes of norm at most 1 in each participation.

    Args:
        encoder: R.
        participation: In which rounds one person's records may stand.
        stream: Whether a participation changes a number or a vector.
        exact: Whether the longest of single columns is measured exactly, where not too large; else it is enclosed.
    Raises: ArgumentError: participations that do not fit the rounds, or too many rounds for patterns of this matrix.
    Source: paper.tex, sec:prefixsum_factor (one participation).

    >>> from dpcert.mechanisms.matrices.participations import Separated
    >>> from dpcert.mechanisms.matrices.tree import TreeEncoder
    >>> column_sensitivity(TreeEncoder(9), Separated(3, 4)).l2_squared.upper
    Fraction(11, 1)
    """
    participation.check(encoder.rounds)
    found, argument = worst_squared(encoder, participation, stream, exact=exact)
    sizes = worst_size(encoder, participation, exact=exact)
    return Sensitivity(
        found.ends, sizes.ends, found.attained, sizes.attained, argument, _why(encoder, participation), stream
    )


def _why(encoder: Encoder, participation: Participation) -> Justification:
    if isinstance(participation, Once):
        return Justification.ONE_COLUMN
    if encoder.is_nonnegative and moves_as_one(participation):
        return Justification.PER_ROUND
    return Justification.FULLY_ADAPTIVE
