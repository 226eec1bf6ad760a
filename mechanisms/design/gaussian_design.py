"""RandBin on Gaussian noise for a promised (epsilon, delta): parts that a search guesses, once they are proven."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import isqrt

from dpcert.audit.errors import expected
from dpcert.mechanisms.design.gaussian import RandBinGaussian
from dpcert.mechanisms.design.gaussian_floats import NearCost
from dpcert.mechanisms.design.gaussian_search import DesignTarget, Guess
from dpcert.mechanisms.design.parts import within_memory
from dpcert.mechanisms.design.promise import DEFAULT_DELTA, Promise, promised
from dpcert.mechanisms.noise.gaussian_profile import profile
from dpcert.mechanisms.randbin.bound import load_power
from dpcert.mechanisms.sums.toeplitz_encoder import mu_squared
from dpcert.mechanisms.sums.toeplitz_error import overrun

LEAST, MOST_SEARCHED, SLIGHTEST = 1 + Fraction(1, 1024), 2**64, Fraction(1, 10**200)
"""e^epsilon, and delta, that the search goes down or up to."""
USUAL_EVENTS = 10**4
"""Events for which parts are sought where no number is given."""
TRIED = 2
"""Guesses that are worked out."""
FINEST = 512
"""The largest scale."""
WIDEST = 12_000
"""The largest sigma in grid units for which a scale above the least one is taken: its law takes a second to make."""
SHAPE_SHARES = 2**32
"""The denominator of what describes the loads."""
DOUBLINGS = 8
"""How often the distance from the guessed error is doubled before a guess is given up."""
RESERVE = Fraction(1, 2**40)
"""The share of delta that noise of finitely many values may take."""


def randbin_gaussian(
    exp_epsilon: Fraction | None = None,
    delta: Fraction = DEFAULT_DELTA,
    horizon: int = USUAL_EVENTS,
    tapered: bool = True,
    epsilon: Fraction | None = None,
) -> RandBinGaussian:
    """RandBin on Gaussian noise with delta at most `delta` at e^epsilon, proven, and little backlog 4U + 2E - 1.

    Args:
        exp_epsilon: e^epsilon for all of it, above 1 [default 16]; or
        epsilon: a decimal epsilon, of which e^epsilon is taken from below.
        delta: Above 0 and below 1.
        horizon: Events that it takes, at least 1.
        tapered: Whether the loads may have the best shape, or are restricted Gaussians.
    Raises: ArgumentError: nothing within the horizon is as private.
    """
    return gaussian(promised(delta, horizon, exp_epsilon=exp_epsilon, epsilon=epsilon), tapered)


def gaussian(promise: Promise, tapered: bool = True, *, counted: bool = True) -> RandBinGaussian:
    """The RandBin on Gaussian noise with the least backlog found that keeps a promise.

    Args:
        promise: What is to be kept; over USUAL_EVENTS where it is of any number.
        tapered: Whether the loads may have the best shape, or are restricted Gaussians.
        counted: Whether noise of finitely many values is counted, whose laws take a second each to make; without it
            the promise is kept by ideal noise, with a share RESERVE to spare, and nothing is proven of what runs.
    Raises: ArgumentError: nothing within the events is as private.
    """
    e, delta, events = promise.exp_epsilon, promise.delta, promise.events or USUAL_EVENTS
    within_memory(events)
    if not LEAST <= e <= MOST_SEARCHED or delta < SLIGHTEST:
        most = f"2^{MOST_SEARCHED.bit_length() - 1}"
        wide = f"an e^epsilon from {float(LEAST)} to {most} and a delta of at least 1e-200"
        raise expected(wide, exp_epsilon=e, delta=delta)
    guesses = DesignTarget(float(e), float(delta), events, tapered).guesses()[:TRIED]
    if not guesses:
        raise expected("a horizon in which bins as private can leave", horizon=events)
    made = [one for guess in guesses if (one := _proven(guess, e, delta, events))]
    if not made:
        raise expected("a promise that a search finds parts for", exp_epsilon=e, delta=delta)
    best = _least_kept(made, e, delta) if counted else min(made, key=lambda one: one.backlog)
    if best is None:
        raise expected("a promise that finitely many values of noise can keep", exp_epsilon=e, delta=delta)
    return best


def _least_kept(designs: list[RandBinGaussian], exp_epsilon: Fraction, delta: Fraction) -> RandBinGaussian | None:
    """The first of the mechanisms with the least backlog once the promise is kept; laws of noise are made as needed."""
    best: tuple[int, int, RandBinGaussian] | None = None
    for place in sorted(range(len(designs)), key=lambda place: designs[place].backlog):
        if best is not None and (designs[place].backlog, place) > best[:2]:
            break  # what keeps the promise has no smaller error, and so no smaller backlog
        one = _kept(designs[place], exp_epsilon, delta)
        if one is not None and (best is None or (one.backlog, place) < best[:2]):
            best = one.backlog, place, one
    return None if best is None else best[2]


def _kept(mechanism: RandBinGaussian, exp_epsilon: Fraction, delta: Fraction) -> RandBinGaussian | None:
    """The mechanism with as much more error as the promise takes, finite noise counted; None if no error is enough."""
    while mechanism.delta_at(exp_epsilon) > delta:
        costs = mechanism.costs(exp_epsilon)
        if costs.noise + costs.finite >= delta or costs.clipping == 1:
            return None
        mechanism = replace(mechanism, error=mechanism.error + 1)
    return mechanism


def _proven(guess: Guess, exp_epsilon: Fraction, delta: Fraction, horizon: int) -> RandBinGaussian | None:
    """The mechanism at the guess's level whose error is about the least that has a proof; None where none is found."""
    slope, curvature, taper = (Fraction(round(x * SHAPE_SHARES), SHAPE_SHARES) for x in guess.shape)
    scale = _scale(guess, horizon)
    first_error = max(1, round(guess.error))
    least = max(1, first_error - first_error // 16)
    start = RandBinGaussian(guess.level, slope, curvature, taper, Fraction(1), least, horizon, scale)
    load, rounds = load_power(start.loads), start.rounds  # as many as with any larger error

    def cost(error: int, sigma: int) -> Fraction:
        noise = profile(load, mu_squared(scale, Fraction(sigma), rounds), exp_epsilon).finite()
        return noise.upper + overrun(scale, Fraction(sigma), rounds, error)

    near = NearCost.of(load, exp_epsilon, scale, rounds)
    best = _least(lambda at: near.at(first_error, at), max(1, round(guess.sigma * scale)))

    def proof(error: int) -> RandBinGaussian | None:
        """With the noise in proportion to the error, or to its root, which leaves less clipping."""
        for sigma in (best * error // first_error, isqrt(best * best * error // first_error)):
            if cost(error, max(1, sigma)) <= delta * (1 - RESERVE):
                return replace(start, error=error, sigma=Fraction(max(1, sigma)))
        return None

    found = next((one for step in range(DOUBLINGS) if (one := proof(first_error + 2**step - 1))), None)
    while found and found.error > least and (less := proof(found.error - 1)):
        found = less
    return found


def _scale(guess: Guess, horizon: int) -> int:
    """A power of 2: fine enough for the number of rounds, and no finer than noise laws are soon made for."""
    least = 1 << (2 * isqrt(max(1, horizon // guess.level))).bit_length()
    finest = int(WIDEST / guess.sigma)
    return min(FINEST, max(least, 1 << max(0, finest.bit_length() - 1)))


def _least(cost: Callable[[int], float], around: int) -> int:
    """A whole number near which the cost is least, within a tenth."""
    low, high = max(1, around - around // 10), around + around // 10 + 1
    while high - low > max(2, around // 500):
        left, right = low + (high - low) * 2 // 5, high - (high - low) * 2 // 5
        low, high = (low, right) if cost(left) <= cost(right) else (left, high)
    return min(range(low, high + 1, max(1, (high - low) // 2)), key=cost)
