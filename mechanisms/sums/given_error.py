"""Error functions of a user's own, and what clipping to them costs."""

from fractions import Fraction

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.rational import integer_text, written
from dpcert.audit.errors import expected, short
from dpcert.mechanisms.sums.error_convolution import CoverSums
from dpcert.mechanisms.sums.error_function import ErrorFunction, Steps, from_values
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise


def read(text: str) -> Steps | None:
    """E(1), E(2), ... written with commas between; None where the text begins with no digit.

    Raises: ArgumentError: something else than whole numbers that never fall (says at which t).

    >>> read("2, 3,3")
    Steps(starts=(1, 2), values=(2, 3), horizon=3)
    """
    if not text.lstrip(" -+,")[:1].isdigit():
        return None
    numbers = [written(part, "error_function") for part in text.split(",")]
    for t, number in enumerate(numbers, 1):
        if number.denominator != 1:
            raise expected(f"whole numbers of events (at t={t})", error_function=number)
    return from_values([int(number) for number in numbers])


def clipping_cost(noise: HybridNoise, error: ErrorFunction, rounds: int) -> Fraction:
    """The most that the probability can be that the raw error is ever above E(t) - 1 in so many rounds: what clipping
    adds to delta. A union bound over rounds, from upper ends of enclosures; at most 1. Source: claims 81, 82.

    >>> clipping_cost(HybridNoise(Fraction(3)), from_values([2]), 1) - Fraction(1, 6) < Fraction(1, 2**100)
    True
    """
    sums, total = CoverSums(noise), Fraction(0)
    for t in range(1, rounds + 1):
        most = error(t) - 1
        tail = sums.at(t).tail(most).upper if most >= 0 else None
        total += Fraction(1) if tail is None else tail
        if total >= 1:
            return Fraction(1)
    return total


def affordable(noise: HybridNoise, error: Steps, rounds: int, beta: Fraction) -> Fraction:
    """What clipping to E costs. Raises: ArgumentError: more than beta."""
    if error.horizon is not None and error.horizon < rounds:
        raise expected(f"an error function for all {integer_text(rounds)} bins", values=error.horizon)
    cost = clipping_cost(noise, error, rounds)
    if cost > beta:
        wanted = f"an error function that costs at most a delta of {down(beta)} in {integer_text(rounds)} bins"
        came = f"E({integer_text(rounds)})={short(error(rounds))}, which costs {up(cost)}"
        raise expected(wanted, error_function=came)
    return cost
