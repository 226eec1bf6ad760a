"""Step sizes that change from bin to bin: known beforehand, so that they tell nothing of the events."""

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction

from dpcert.audit.algebra.rational import integer_text, text, written
from dpcert.audit.errors import expected, one_line

MOST_PIECES = 4_096
"""Pieces of a schedule of step sizes."""


@dataclass(frozen=True)
class Schedule:
    """eta_k, piece by piece: each step size holds from its bin on.

    Args:
        starts: Numbers of bins, rising, the first of them 1.
        values: eta from each of these bins on, above 0.
    Raises: ArgumentError: pieces that do not fit, or a step size that is not above 0.
    Source: paper.tex, alg:dp_sgd_edit (the stepsizes).

    >>> eta = Schedule((1, 4), (Fraction(1, 2), Fraction(1, 8)))
    >>> [str(eta.at(k)) for k in (1, 3, 4, 99)], eta.largest
    (['1/2', '1/2', '1/8', '1/8'], Fraction(1, 2))
    """

    starts: tuple[int, ...]
    values: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.starts) <= MOST_PIECES or len(self.starts) != len(self.values):
            raise expected(f"from 1 to {MOST_PIECES} step sizes, one for each start", starts=len(self.starts))
        if self.starts[0] != 1 or any(a >= b for a, b in zip(self.starts, self.starts[1:], strict=False)):
            raise expected("starts that rise from bin 1 on", starts=self.starts)
        for value in self.values:
            above_zero(value)

    def at(self, bin_number: int) -> Fraction:
        """eta_k of bin k, counted from 1."""
        if bin_number < 1:
            raise expected("the number of a bin, from 1 on", bin=bin_number)
        return self.values[bisect_right(self.starts, bin_number) - 1]

    @property
    def name(self) -> str:
        """As `named_schedule` takes it."""
        pieces = zip(self.starts, self.values, strict=True)
        return ",".join(text(v) if k == 1 else f"{text(v)}@{integer_text(k)}" for k, v in pieces)

    @property
    def largest(self) -> Fraction:
        """max eta_k, by which sensitivities are charged."""
        return max(self.values)


def constant(rate: Fraction) -> Schedule:
    """The same step size for every bin."""
    return Schedule((1,), (rate,))


def schedule(rate: Fraction | Schedule) -> Schedule:
    """A step size, or a schedule of them, as a schedule."""
    return rate if isinstance(rate, Schedule) else constant(rate)


def named_schedule(text: str) -> Schedule:
    """`RATE`, or `RATE,RATE@BIN,...`: each rate from its bin on.

    Raises: ArgumentError: another text.

    >>> named_schedule("0.1,0.05@100").starts
    (1, 100)
    """
    starts, values = [], []
    for number, piece in enumerate(text.split(",")):
        rate, at, start = piece.partition("@")
        if (number == 0) == bool(at) or (at and not (start.isascii() and start.isdigit() and len(start) <= 18)):
            raise expected("a learning rate, and more as RATE@BIN after commas", learning_rate=one_line(text, 60))
        starts.append(int(start) if at else 1)
        values.append(written(rate, "learning_rate"))
    return Schedule(tuple(starts), tuple(values))


def above_zero(rate: Fraction) -> Fraction:
    """A step size. Raises: ArgumentError: it is not above 0."""
    if rate <= 0:
        raise expected("a step size above 0", rate=rate)
    return rate
