"""The longest column of an encoder, in a norm of which every column's bounds are known."""

from collections.abc import Callable, Iterator, Sequence

from dpcert.audit.algebra.enclosure import Ends
from dpcert.audit.limits import look
from dpcert.mechanisms.matrices.dyadic import over
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.participations import Once, Participation, earliest, moves_as_one
from dpcert.mechanisms.matrices.rounding import NormBounds
from dpcert.mechanisms.matrices.sensitivity import NormBracket

EXACT_NORM_ENTRIES = 1 << 25
"""Entries of columns up to which the longest of them is measured exactly."""
MOST_COLUMNS_AT_ONCE = 64
"""Columns measured between two looks at the clock."""

Measure = Callable[[Encoder, Sequence[int], Sequence[int]], Ends]


def without_comparison(
    encoder: Encoder, participation: Participation, norms: Callable[[], NormBounds], measure: Measure, *, exact: bool
) -> NormBracket | None:
    """The largest norm where the earliest pattern has it, or single columns do; None where patterns are to be compared.

    Args:
        encoder: R.
        participation: Which patterns there are.
        norms: Encloses the norms of all columns; asked only where single columns are compared.
        measure: What tells a norm exactly.
        exact: Whether the longest column is to be measured.
    """
    rounds = encoder.rounds
    if encoder.is_earliest_worst(participation.step(rounds), as_one=moves_as_one(participation)):
        pattern = earliest(participation, rounds)
        signs = (1,) * len(pattern)
        return NormBracket(measure(encoder, pattern, signs), pattern, signs)
    return longest_column(encoder, norms(), measure, exact=exact) if isinstance(participation, Once) else None


def longest_column(encoder: Encoder, bounds: NormBounds, measure: Measure, *, exact: bool) -> NormBracket:
    """The largest norm: exact by measuring all columns that may have it, where asked for and not too much work.

    Args:
        encoder: R.
        bounds: The norms, enclosed.
        measure: What tells one of them exactly.
        exact: Whether that is asked for.
    """
    least = max(bounds.lower)
    first = bounds.lower.index(least)
    contenders = [i for i, most in enumerate(bounds.upper) if most >= least]
    if exact and len(contenders) * len(encoder.row_rounds) <= EXACT_NORM_ENTRIES:
        if max(bounds.upper) == least:
            contenders = [first]
        found = [NormBracket(measure(encoder, (i,), (1,)), (i,), (1,)) for i in _watched(contenders)]
        best = max(found, key=lambda one: one.ends.lower)
        return NormBracket(Ends(best.ends.lower, max(one.ends.upper for one in found)), best.pattern, best.signs)
    return NormBracket(Ends(over(least, bounds.bits), over(max(bounds.upper), bounds.bits)), (first,), (1,))


def _watched(columns: list[int]) -> Iterator[int]:
    for n, i in enumerate(columns):
        if n % MOST_COLUMNS_AT_ONCE == 0:
            look()
        yield i
