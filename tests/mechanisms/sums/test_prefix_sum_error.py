"""The prefix sum's bounds at epsilon 1 and beta 1/10, at e itself and with the rational noise that runs."""

from fractions import Fraction

import pytest
from flint import arb

from dpcert.audit.algebra.enclosure import enclosed
from dpcert.mechanisms.noise.geometric import exp_epsilon_below
from dpcert.mechanisms.noise.geometric_sums import poles, tail_from
from dpcert.mechanisms.sums.error_convolution import envelope, raw_bounds
from dpcert.mechanisms.sums.hybrid_error import error_function
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_schedule import HybridSchedule

BETA = Fraction(1, 10)
ENVELOPE = {1: 3, 2: 9, 3: 10, 4: 18, 7: 24, 8: 31, 15: 46}
RAW = {7: 21, 15: 36}


def irrational_tail_is_at_most(t: int, b: int, share: Fraction) -> bool:
    """Whether P(|S| > b) <= share, the noises of segment k Geom(e^(1 / (k + 1))); decided, or an error."""
    segments = [r.bit_length() for r in HybridSchedule().cover(t)]
    orders = {j: segments.count(j) for j in segments}

    def tail() -> arb:
        made = poles([((arb(-1) / j).exp(), order) for j, order in orders.items()])
        return tail_from(made, len(segments), b)

    found = enclosed(tail, bits=400)
    assert found.upper - found.lower < Fraction(1, 10**60)
    assert found.upper <= share or found.lower > share
    return found.upper <= share


def test_the_least_bounds_at_e_itself() -> None:
    raw = []
    for t in range(1, 16):
        share = BETA / (t * (t + 1))
        fitting = [b for b in range(60) if irrational_tail_is_at_most(t, b, share)]
        assert fitting == list(range(fitting[0], 60))
        raw.append(fitting[0])
    assert {t: raw[t - 1] for t in RAW} == RAW
    assert {t: envelope(raw)[t - 1] for t in ENVELOPE} == ENVELOPE


@pytest.mark.parametrize(("rounding", "more"), [("paper", 2), ("tight", 1)])
def test_the_bounds_of_the_noise_that_runs(rounding: str, more: int) -> None:
    noise = HybridNoise(exp_epsilon_below(Fraction(1))[0])
    assert dict(zip(RAW, raw_bounds(noise, BETA, None, RAW), strict=True)) == RAW
    assert envelope(raw_bounds(noise, BETA, None, range(1, 16)))[14] == 46
    error = error_function("convolution", noise=noise, beta=BETA, rounding=rounding, horizon=None)
    assert {t: error(t) for t in ENVELOPE} == {t: bound + more for t, bound in ENVELOPE.items()}


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("budget", "kind", "horizon", "last"),
    [
        ("uniform", "explicit", None, 2123),
        ("uniform", "explicit", 5376, 1672),
        ("uniform", "convolution", None, 1380),
        ("uniform", "convolution", 5376, 1100),
        ("sharp", "convolution", None, 1087),
        ("sharp", "convolution", 5376, 854),
    ],
)
def test_a_million_events(budget: str, kind: str, horizon: int | None, last: int) -> None:
    """5,376 bins of at least 186 events, epsilon 1/2 and beta 5e-7 for the prefix sum; E with the paper's rounding."""
    noise = HybridNoise(exp_epsilon_below(Fraction(1, 2))[0], budget)
    error = error_function(kind, noise=noise, beta=Fraction(5, 10**7), rounding="paper", horizon=horizon)
    assert error(5376) == last
