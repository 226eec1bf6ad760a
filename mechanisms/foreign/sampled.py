"""Discrete Laplace noise on a sample of few records, enumerated exactly: every dataset, every sample.

Only this is enumerated: a sum of whole numbers over a Poisson sample, or over one of fixed size from few records. Under
Poisson sampling the other records add the same independent number to both sums, which is post-processing, so one record
alone is the worst; with a fixed size they are part of what decides the sample, and every choice of theirs is tried.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.errors import expected
from dpcert.mechanisms.foreign.laplace_chains import Weights, between, noised

MOST_SAMPLED_PAIRS = 2_000
"""Pairs of datasets, times samples of each, that are enumerated for one release."""
Pair = tuple[Weights, Weights]


@dataclass(frozen=True)
class SampledPairs:
    """What an enumeration found.

    Args:
        bracket: Below, one pair of inputs; above, the supremum over all.
        alone: The supremum itself from both ends of e^-decay: exact of a single release.
        pairs: How many pairs of neighbouring inputs there are.
    """

    bracket: Bracket
    alone: Bracket
    pairs: int


def poisson(decay: Fraction, most: int, probability: Fraction, *, replace_one: bool) -> SampledPairs:
    """One release of a Poisson sample: a record of size at most `most` present or absent, or replaced.

    Raises: ArgumentError: a probability outside [0, 1], a decay out of range, or too many values.

    >>> found = poisson(Fraction(1), 1, Fraction(1, 2), replace_one=False)
    >>> found.pairs, found.bracket.lower <= found.bracket.upper
    (3, True)
    """
    if not 0 <= probability <= 1:
        raise expected("a probability", sampling_probability=probability)
    values = range(-most, most + 1)
    _check(len(values) ** (2 if replace_one else 1))
    absent: Weights = [(0, Fraction(1))]
    laws: list[Weights] = [[(0, 1 - probability), (x, probability)] for x in values]
    return _over(decay, list(product(laws, laws)) if replace_one else [(absent, law) for law in laws])


def fixed_size(decay: Fraction, most: int, records: int, size: int) -> SampledPairs:
    """One release of `size` out of `records` records, one of which is replaced: every dataset of values up to `most`.

    Raises: ArgumentError: a sample that does not fit, a decay out of range, or too many datasets.

    >>> fixed_size(Fraction(1), 1, 2, 1).pairs
    27
    """
    if not 0 <= size <= records:
        raise expected(f"a sample of at most {records} records", sample_size=size)
    values = range(-most, most + 1)
    _check(
        len(values) ** (records + 1) * comb(records, size) if records < MOST_SAMPLED_PAIRS else MOST_SAMPLED_PAIRS + 1
    )
    return _over(decay, list(_replaced(values, records, size)))


def _replaced(values: range, records: int, size: int) -> Iterator[Pair]:
    """The laws of the sum in both worlds, of every pair of datasets that differ in the first record."""
    share = Fraction(1, comb(records, size))
    for others in product(values, repeat=max(0, records - 1)):
        for first, second in product(values, repeat=2):
            yield tuple(  # type: ignore[misc]  # two of them
                [(sum(sample), share) for sample in combinations((own, *others), size)] for own in (first, second)
            )


def _check(count: int) -> None:
    if count > MOST_SAMPLED_PAIRS:
        raise expected(f"at most {MOST_SAMPLED_PAIRS} samples to enumerate", samples=count)


def _over(decay: Fraction, pairs: list[Pair]) -> SampledPairs:
    def whole(w: Fraction) -> PowerFunction:
        return supremum(noised(law0, law1, w) for law0, law1 in pairs)

    def best(w: Fraction) -> PowerFunction:
        return max((noised(law0, law1, w) for law0, law1 in pairs), key=lambda power: power.total_variation)

    alone = between(decay, whole)
    return SampledPairs(Bracket(between(decay, best).lower, alone.upper), alone, len(pairs))
