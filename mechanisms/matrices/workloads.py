"""Workloads M, the sums that are to be published: prefix sums, momentum, weighted sums, sliding windows."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from dpcert.audit.algebra.rational import written
from dpcert.audit.errors import expected, one_line

MOST_WORKLOAD_ROUNDS = 4_096
"""Rounds of a workload that is written out."""
MOST_MOMENTUM_BELOW = 1_000
"""The largest denominator of a momentum that is given by name: its powers are written out."""


@dataclass(frozen=True)
class Workload:
    """M[t, i], the sum over tau from i to t, among the last `window` rounds up to t, of rate_tau momentum^(tau - i).

    Args:
        rates: rate_tau, one a round.
        momentum: At least 0 and below 1; 0 for sums of the inputs themselves.
        window: Rounds that a sum goes back at most.
    Raises: ArgumentError: an argument outside its domain, or too many rounds.

    >>> [[str(x) for x in row] for row in prefix_sums(2).matrix()]
    [['1', '0'], ['1', '1']]
    """

    rates: tuple[Fraction, ...]
    momentum: Fraction = Fraction(0)
    window: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.rates) <= MOST_WORKLOAD_ROUNDS:
            raise expected(f"from 1 to {MOST_WORKLOAD_ROUNDS} rounds of a workload", rounds=len(self.rates))
        if not 0 <= self.momentum < 1:
            raise expected("a momentum of at least 0 and below 1", momentum=self.momentum)
        if self.window is not None and self.window < 1:
            raise expected("a window of at least 1 round", window=self.window)

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.rates)

    def matrix(self) -> list[list[Fraction]]:
        """M, row by row, exactly."""
        columns = [self.column(i) for i in range(self.rounds)]
        return [list(row) for row in zip(*columns, strict=True)]

    def column(self, i: int) -> list[Fraction]:
        """M e_i, i from 0."""
        entries, terms, total, power = [Fraction(0)] * i, list[Fraction](), Fraction(0), Fraction(1)
        for t in range(i, self.rounds):
            terms.append(self.rates[t] * power)
            total += terms[-1]
            if self.window is not None and t - i >= self.window:
                total -= terms[t - i - self.window]
            entries.append(total)
            power *= self.momentum
        return entries

    def whole(self) -> tuple[list[list[int]], int]:
        """M as whole numbers over one denominator."""
        below = lcm(*(x.denominator for x in self.rates)) * self.momentum.denominator ** (self.rounds - 1)
        return [[x.numerator * (below // x.denominator) for x in row] for row in self.matrix()], below


def prefix_sums(rounds: int) -> Workload:
    """Sums from the first round to each.

    Source: paper.tex, sec:prefixsum_factor.

    >>> prefix_sums(2).column(0)
    [Fraction(1, 1), Fraction(1, 1)]
    """
    return Workload((Fraction(1),) * _checked(rounds))


def momentum_sums(rounds: int, momentum: Fraction, rates: Sequence[Fraction] = ()) -> Workload:
    """What descent with momentum has moved by each round: sums of rate_tau m_tau, m_tau = momentum m_{tau-1} + x_tau.

    >>> [str(x) for x in momentum_sums(3, Fraction(1, 2)).column(0)]
    ['1', '3/2', '7/4']
    """
    if rates and len(rates) != rounds:
        raise expected(f"a rate for each of {rounds} rounds", rates=f"{len(rates)} rates")
    return Workload(tuple(rates) or (Fraction(1),) * _checked(rounds), momentum)


def weighted_sums(rates: Sequence[Fraction]) -> Workload:
    """Sums of inputs, each times the learning rate of its round.

    >>> [str(x) for x in weighted_sums([Fraction(1), Fraction(1, 3)]).matrix()[1]]
    ['1', '1/3']
    """
    return Workload(tuple(rates))


def sliding_windows(rounds: int, window: int) -> Workload:
    """Sums of the last `window` rounds.

    >>> [str(x) for x in sliding_windows(3, 2).column(0)]
    ['1', '1', '0']
    """
    return Workload((Fraction(1),) * _checked(rounds), window=window)


def _checked(rounds: int) -> int:
    """The rounds, few enough to be written out."""
    if not 1 <= rounds <= MOST_WORKLOAD_ROUNDS:
        raise expected(f"from 1 to {MOST_WORKLOAD_ROUNDS} rounds of a workload", rounds=rounds)
    return rounds


@dataclass(frozen=True)
class NamedWorkload:
    """A workload for whatever rounds there are.

    Args:
        text: As it was named.
        momentum: As of `Workload`.
        window: As of `Workload`.
        rates: As of `Workload`; 1 in every round where there are none.
    """

    text: str
    momentum: Fraction = Fraction(0)
    window: int | None = None
    rates: tuple[Fraction, ...] = ()

    @property
    def is_prefix(self) -> bool:
        """Whether it is prefix sums."""
        return self.momentum == 0 and self.window is None and not self.rates

    def check(self, rounds: int) -> None:
        """Raises: ArgumentError: its rates are not those of so many rounds."""
        if self.rates and len(self.rates) != rounds:
            raise expected(f"a rate for each of {rounds} rounds", workload=f"{len(self.rates)} rates")

    def of(self, rounds: int) -> Workload:
        """M. Raises: ArgumentError: too many rounds, or not those of its rates."""
        self.check(rounds)
        return Workload(self.rates or (Fraction(1),) * _checked(rounds), self.momentum, self.window)


PREFIX_SUMS = NamedWorkload("prefix")
"""What is published where nothing else is said."""


def named_workload(text: str) -> NamedWorkload:
    """`prefix`, `momentum=B` or `window=W`.

    Raises: ArgumentError: another text, or a number that does not fit.

    >>> named_workload("momentum=0.9").momentum
    Fraction(9, 10)
    """
    name, equals, value = text.partition("=")
    if text == "prefix":
        return PREFIX_SUMS
    if not equals or name not in ("momentum", "window"):
        raise expected("prefix, momentum=B, window=W or a .json file", workload=one_line(text, 60))
    number = written(value, "workload")
    if name == "window":
        return NamedWorkload(text, window=checked_window(number))
    return NamedWorkload(text, momentum=checked_momentum(number))


def checked_window(number: Fraction) -> int:
    """Rounds of a window. Raises: ArgumentError: no whole number of at least 1."""
    if number.denominator != 1 or number < 1:
        raise expected("a window of at least 1 round", window=number)
    return int(number)


def checked_momentum(number: Fraction) -> Fraction:
    """The same. Raises: ArgumentError: out of its range, or a denominator whose powers are too long."""
    if not 0 <= number < 1 or number.denominator > MOST_MOMENTUM_BELOW:
        most = f"over a denominator of at most {MOST_MOMENTUM_BELOW}"
        raise expected(f"a momentum of at least 0 and below 1, {most}", momentum=number)
    return number
