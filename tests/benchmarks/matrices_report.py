"""`make bench`: sensitivities of encoders, exact and enclosed, in seconds. Prints Markdown."""

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from dpcert.audit.algebra.decimals import up
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.encoder import DenseEncoder, Encoder
from dpcert.mechanisms.matrices.normalised import column_normalised
from dpcert.mechanisms.matrices.participations import AdjacentBins, EpochOrder, Once, Participation, Separated
from dpcert.mechanisms.matrices.square_root import square_root
from dpcert.mechanisms.matrices.toeplitz import toeplitz
from dpcert.mechanisms.matrices.tree import TreeEncoder

R = TypeVar("R")
LARGE, LONG, MANY = 4_096, 10**6, 2_000


def timed(work: Callable[[], R]) -> tuple[R, float]:
    """What it gives, and the seconds it takes."""
    began = time.perf_counter()
    return work(), time.perf_counter() - began


def row(name: str, make: Callable[[], Encoder], participation: Participation, *, exact: bool = True) -> None:
    """One line: the encoder is made first, and is not timed with what is asked of it."""
    encoder, making = timed(make)
    found, seconds = timed(lambda: column_sensitivity(encoder, participation, exact=exact))
    lower, upper = found.l2_squared
    width = "0" if found.is_exact else up((upper - lower) / upper, 2)
    print(
        f"| {name} | {encoder.rounds:,} | {participation} | {up(upper, 8)} | {width} | {found.argument.value} "
        f"| {making:.2f} | {seconds:.2f} |"
    )


def main() -> None:
    """Prints the table."""
    generator = np.random.default_rng(1)
    mixed = np.tril(generator.normal(size=(LARGE, LARGE)))
    equal = np.tril(np.ones((LARGE, LARGE))) / np.sqrt(np.arange(LARGE, 0, -1))
    several = np.tril(generator.random(size=(MANY, MANY)))
    print("## s(R)^2 of encoders, for numbers and vectors, L1 beside it\n")
    print("| encoder | rounds | participation | s(R)^2 at most | relative width | argument | making it, s | s |")
    print("|---|---|---|---|---|---|---|---|")
    row("dense, mixed signs", lambda: DenseEncoder(mixed), Once())
    row("the same, enclosed", lambda: DenseEncoder(mixed), Once(), exact=False)
    row("dense, columns alike", lambda: DenseEncoder(equal), Once())
    row("the same, enclosed", lambda: DenseEncoder(equal), Once(), exact=False)
    row("Toeplitz, float64", lambda: toeplitz(0.999 ** np.arange(LONG)), Once())
    row("Toeplitz, square root", lambda: square_root(LONG), Once())
    row("Toeplitz, square root", lambda: square_root(LONG), Separated(10, LONG // 10))
    row("binary tree", lambda: TreeEncoder(MANY), Separated(6, 314))
    row("binary tree", lambda: TreeEncoder(MANY), Separated(20, 100))
    row("Toeplitz, square root", lambda: square_root(MANY), Separated(6, 314))
    row("column-normalised, banded", lambda: column_normalised(square_root(MANY, 64)), Separated(20, 100))
    row("dense, not negative", lambda: DenseEncoder(several), Separated(6, 314))
    row("dense, not negative", lambda: DenseEncoder(several), Separated(20, 100))
    row("dense, mixed signs", lambda: DenseEncoder(mixed[:MANY, :MANY]), Separated(6, 314))
    row("dense, mixed signs", lambda: DenseEncoder(mixed[:MANY, :MANY]), EpochOrder(6, 314))
    row("dense, mixed signs", lambda: DenseEncoder(mixed[:MANY, :MANY]), AdjacentBins())


if __name__ == "__main__":
    main()
