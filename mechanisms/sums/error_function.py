"""E, the error that a prefix sum never exceeds: public, whole, nondecreasing, and 0 before the first round."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Protocol

from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.errors import expected


class ErrorFunction(Protocol):
    """E(t), in units of the inputs, for rounds t = 0, 1, ..., up to `horizon` where there is one.

    Source: paper.tex, th:prefix_sum.
    """

    @property
    def horizon(self) -> int | None:
        """The last round that it knows, None where it goes on for ever."""
        ...

    def __call__(self, t: int) -> int:
        """E(t); E(0) = 0. Raises: ArgumentError: t beyond the horizon."""
        ...


@dataclass(frozen=True)
class Steps:
    """A step function: E(t) is the value of the last start that is at most t, and E(0) = 0.

    Args:
        starts: Rounds, rising, the first of them 1.
        values: E from each start on, rising.
        horizon: The last round; None where the last value holds for ever.

    >>> E = Steps((1, 4), (2, 3), 9)
    >>> [E(t) for t in (0, 1, 3, 4, 9)]
    [0, 2, 2, 3, 3]
    """

    starts: tuple[int, ...]
    values: tuple[int, ...]
    horizon: int | None = None

    def __post_init__(self) -> None:
        if not self.starts or self.starts[0] != 1 or len(self.starts) != len(self.values):
            raise expected("one value for each start, the first of which is round 1", starts=self.starts[:1])
        for (before, after), start in zip(pairwise(self.values), self.starts[1:], strict=True):
            if after < before:
                raise expected(f"an error function that never falls (it does at t={start})", error=(before, after))
        if self.values[0] < 0:
            raise expected("an error of at least 0 (at t=1)", error=self.values[0])

    def __call__(self, t: int) -> int:
        """E(t)."""
        if t < 0 or (self.horizon is not None and t > self.horizon):
            raise expected(f"a round from 0 to {self.horizon}", t=t)
        return self.values[bisect_right(self.starts, t) - 1] if t else 0


def from_values(values: Sequence[int]) -> Steps:
    """E(1), E(2), ... as given, for as many rounds.

    Raises: ArgumentError: no values, a negative one, or one that is less than the one before (says which t).

    >>> from_values((2, 2, 3))
    Steps(starts=(1, 3), values=(2, 3), horizon=3)
    """
    if not values:
        raise expected("at least one value of the error function", error=values)
    for t, error in enumerate(values, 1):
        if isinstance(error, bool) or not isinstance(error, int):
            raise expected(f"a whole number at t={integer_text(t)}", error=error)
    starts = [next(same)[0] for _, same in groupby(enumerate(values, 1), key=lambda pair: pair[1])]
    return Steps(tuple(starts), tuple(values[t - 1] for t in starts), len(values))


ROUNDINGS = ("paper", "tight")


def whole(bound: Fraction | int, rounding: str) -> int:
    """E of a bound B on the raw error: ceil(B) + 2 as th:prefix_sum has it, or floor(B) + 1, which suffices.

    >>> whole(Fraction(5, 2), "paper"), whole(Fraction(5, 2), "tight"), whole(3, "tight")
    (5, 3, 4)
    """
    if rounding not in ROUNDINGS:
        raise expected(f"a rounding ({', '.join(ROUNDINGS)})", rounding=rounding)
    return -(-bound // 1) + 2 if rounding == "paper" else bound // 1 + 1
