"""RandBin feeding a noisy sum of every bin: the smallest modular pipeline."""

from fractions import Fraction

from dpcert.audit.kernels.feeding import Fed, feeding
from dpcert.mechanisms.randbin.bin_sum import BinSum
from dpcert.mechanisms.randbin.toy import RandBinToy


def randbin_sum(exp_epsilon: Fraction = Fraction(2), level: int = 2, error: int = 1, noise: str = "uniform") -> Fed:
    """RandBin on bits, its toy scheduler's bins summed with noise of -1, 0 or 1; audit it with --adjacency edit.

    Args:
        exp_epsilon: alpha, the e^epsilon of a load, above 1.
        level: U, even.
        error: E, at least 1.
        noise: The scheduler's noise: uniform, triangular or none.
    Source: paper.tex, thm:DP-comp.
    """
    return feeding(RandBinToy(exp_epsilon, level, error, noise), BinSum(), (0, 1))
