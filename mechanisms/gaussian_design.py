"""RandBin on Gaussian noise for a promised (epsilon, delta): parts that a search guesses, once they are proven."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import count
from math import isqrt

from dpcert.audit.errors import expected
from dpcert.audit.rational import exact
from dpcert.mechanisms.gaussian_profile import profile
from dpcert.mechanisms.gaussian_search import Guess, Wanted
from dpcert.mechanisms.noise import above_one
from dpcert.mechanisms.randbin_bound import load_power
from dpcert.mechanisms.randbin_gaussian import RandBinGaussian
from dpcert.mechanisms.toeplitz_encoder import mu_squared
from dpcert.mechanisms.toeplitz_error import overrun

TRIED = 2
"""Guesses that are worked out."""
FINEST = 512
"""The largest scale."""
WIDEST = 12_000
"""The largest sigma in grid units for which a scale above the least one is taken: its law takes a second to make."""
SHARES = 2**32
"""The denominator of what describes the loads."""
RESERVE = Fraction(1, 2**40)
"""The share of delta that noise of finitely many values may take."""


def randbin_gaussian(
    exp_epsilon: Fraction, delta: Fraction = Fraction(1, 10**6), horizon: int = 10**6, tapered: bool = True
) -> RandBinGaussian:
    """RandBin on Gaussian noise with delta at most `delta` at e^epsilon, proven, and little backlog 4U + 2E - 1.

    Args:
        exp_epsilon: e^epsilon for all of it, above 1.
        delta: Above 0 and below 1.
        horizon: Events that it takes, at least 1.
        tapered: Whether the loads may have the best shape, or are restricted Gaussians.
    Raises: ArgumentError: nothing within the horizon is as private.
    """
    above_one(exp_epsilon)
    if not 0 < exact(delta, "delta") < 1:
        raise expected("a delta above 0 and below 1", delta=delta)
    if horizon < 1:
        raise expected("a horizon of at least 1 event", horizon=horizon)
    guesses = Wanted(float(exp_epsilon), float(delta), horizon, tapered).guesses()[:TRIED]
    if not guesses:
        raise expected("a horizon in which bins as private can leave", horizon=horizon)
    made = [_proven(guess, exp_epsilon, delta, horizon) for guess in guesses]
    best = min(made, key=lambda one: one.backlog)
    while best.delta(exp_epsilon) > delta:
        best = replace(best, error=best.error + 1)
    return best


def _proven(guess: Guess, exp_epsilon: Fraction, delta: Fraction, horizon: int) -> RandBinGaussian:
    """The mechanism at the guess's level whose error is about the least that has a proof."""
    slope, curvature, taper = (Fraction(round(x * SHARES), SHARES) for x in guess.shape)
    scale = _scale(guess, horizon)
    start = RandBinGaussian(guess.level, slope, curvature, taper, Fraction(1), 1, horizon, scale)
    load = load_power(start.loads)

    def cost(error: int, sigma: int) -> Fraction:
        rounds = replace(start, error=error).rounds
        upper = profile(load, mu_squared(scale, Fraction(sigma), rounds), exp_epsilon).upper
        assert upper is not None
        return upper + overrun(scale, Fraction(sigma), rounds, error)

    error = max(1, round(guess.error))
    sigma = _least(lambda at: cost(error, at), max(1, round(guess.sigma * scale)))
    enough = delta * (1 - RESERVE)

    def proven(at: int) -> bool:
        return cost(at, max(1, sigma * at // error)) <= enough

    high = next(at for step in count() if proven(at := error + 2**step - 1))
    while high > 1 and proven(high - 1):
        high -= 1
    return replace(start, error=high, sigma=Fraction(max(1, sigma * high // error)))


def _scale(guess: Guess, horizon: int) -> int:
    """A power of 2: fine enough for the number of rounds, and no finer than noise laws are soon made for."""
    least = 1 << (2 * isqrt(max(1, horizon // guess.level))).bit_length()
    finest = int(WIDEST / guess.sigma)
    return min(FINEST, max(least, 1 << max(0, finest.bit_length() - 1)))


def _least(cost: Callable[[int], Fraction], around: int) -> int:
    """A whole number near which the cost is least, within a tenth."""
    low, high = max(1, around - around // 10), around + around // 10 + 1
    while high - low > max(2, around // 500):
        left, right = low + (high - low) * 2 // 5, high - (high - low) * 2 // 5
        low, high = (low, right) if cost(left) <= cost(right) else (left, high)
    return min(range(low, high + 1, max(1, (high - low) // 2)), key=cost)
