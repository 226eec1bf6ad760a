"""How a black box is sampled: runs, confidence, seed, processes."""

from fractions import Fraction

from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen

DEFAULT_RUNS = 20_000
"""Runs of a sampled audit, unless more are asked for."""
DEFAULT_CONFIDENCE = Fraction(999, 1000)
"""Confidence of a sampled audit, unless another is asked for."""
MOST_LEARNING = 500_000
"""Runs that are learnt from at most; all others test."""
FEWEST_RUNS = 100
"""Runs below which no policy is learnt."""
MOST_SAMPLED_RUNS = 10**8
"""Runs above which none are begun."""
MOST_SEED = 10**18
"""The largest seed."""


@frozen
class Sampling:
    """How a black box is sampled.

    Args:
        runs: Runs in all; half of them, at most MOST_LEARNING, are learnt from, the others test.
        confidence: The chance, at least, that every bound that is reported is right; from 1/2 to below 1.
        seed: What all runs follow from, a whole number of at least 1.
        jobs: Processes at once; they change no result.
    Raises: ArgumentError: a number out of range.
    Source: none; ours.

    >>> Sampling(runs=1_000).confidence
    Fraction(999, 1000)
    """

    runs: int = DEFAULT_RUNS
    confidence: Fraction = DEFAULT_CONFIDENCE
    seed: int = 1
    jobs: int = 1

    def __post_init__(self) -> None:
        if not FEWEST_RUNS <= self.runs <= MOST_SAMPLED_RUNS:
            raise expected(f"a number of runs from {FEWEST_RUNS} to {MOST_SAMPLED_RUNS}", runs=self.runs)
        if not Fraction(1, 2) <= self.confidence < 1:
            raise expected("a confidence from 1/2 to below 1", confidence=self.confidence)
        if not 1 <= self.seed <= MOST_SEED:
            raise expected(f"a seed from 1 to {MOST_SEED}", seed=self.seed)
        if self.jobs < 1:
            raise expected("at least 1 process", jobs=self.jobs)

    @property
    def learning(self) -> int:
        """Runs that are learnt from: half, and no more than MOST_LEARNING, which are kept in memory."""
        return min(self.runs // 2, MOST_LEARNING)
