"""stream-sum: the promise on every execution, and its exact games against brute force and the bound of the proof.

Claims 81, 82; paper.tex, th:prefix_sum.
"""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from instances.exact_curves import curves
from oracles.hidden import hidden_fixed_hockey_stick, hidden_tree_hockey_stick, unit_hamming
from oracles.raw_errors import ever_above

from dpcert import UNIT_HAMMING, Budget, PowerFunction, examine
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.sums.hybrid_profile import clipped, hybrid_power
from dpcert.mechanisms.sums.hybrid_stream_sum import HybridStreamSum, executions

HUGE = 10**30
HALF = Fraction(1, 2)


def summed(
    exp_epsilon: Fraction, budget: str, truncation: Fraction, errors: tuple[int, ...], **interval: Any
) -> HybridStreamSum:
    return HybridStreamSum(exp_epsilon=exp_epsilon, budget=budget, truncation=truncation, errors=errors, **interval)


def by_hand(target: HybridStreamSum, stream: tuple[int, ...], drawn: tuple[int, ...]) -> list[int]:
    """S_1, S_2, ... as th:prefix_sum writes them, with prefix sums and covers worked out anew."""
    released = [0]
    for t in range(1, len(stream) + 1):
        total, most = sum(stream[:t]), target.error_function(t)
        raw = total + sum(drawn[r - 1] for r in target.noise.schedule.cover(t))
        clipped_ = min(max(raw, total - most), total + most)
        released.append(min(max(clipped_, released[-1] + target.low), released[-1] + target.high))
    return released[1:]


def live(target: HybridStreamSum, stream: tuple[int, ...], drawn: tuple[int, ...]) -> list[int]:
    """The same from steps."""
    state, total, released = target.initial, 0, []
    for x, eta in zip(stream, drawn, strict=True):
        release, state = target.step(state, x, lambda _, eta=eta: eta)  # type: ignore[misc]
        total += release.visible  # type: ignore[operator]
        released.append(total)
    return released


CASES = [
    (HybridStreamSum(), 5),
    (summed(Fraction(4), "sharp", HALF, (0, 1, 1, 3), low=-1, high=1), 4),
    (summed(Fraction(4), "uniform", HALF, (0,), low=-1, high=0), 4),
    (summed(Fraction(9), "sharp", HALF, (1, 2), low=2, high=4), 4),
    (summed(Fraction(16), "uniform", HALF, (1,), low=HUGE, high=HUGE + 1), 4),
]


@pytest.mark.in_turns
@pytest.mark.parametrize(("target", "horizon"), CASES, ids=lambda case: str(case)[:60])
def test_every_execution_keeps_the_promise(target: HybridStreamSum, horizon: int) -> None:
    assert target.alphabet == tuple(range(target.low, target.high + 1))
    laws = [sorted(target.noise.law(t).support) for t in range(1, horizon + 1)]
    worst, moved = 0, False
    for stream, drawn in product(product(target.alphabet, repeat=horizon), product(*laws)):
        released = by_hand(target, stream, drawn)
        assert released == live(target, stream, drawn)
        before = total = 0
        for t, (x, s) in enumerate(zip(stream, released, strict=True), 1):
            total += x
            assert abs(s - total) <= target.error_function(t)
            assert target.low <= s - before <= target.high
            worst, before = max(worst, abs(s - total)), s
            moved |= s != total
    assert moved == (worst > 0)
    assert worst == max(met for met, _ in executions(target, horizon, Budget()))


@pytest.mark.parametrize("budget", ["uniform", "sharp"])
@pytest.mark.parametrize("alphabet", [(0, 1), (0, 1, 2), (-1, 0, 1), (5, 6)])
def test_games_against_brute_force(budget: str, alphabet: tuple[int, ...]) -> None:
    target = summed(Fraction(4), budget, HALF, (1,), alphabet=alphabet)
    fixed, adaptive = curves(target, 2, UNIT_HAMMING)
    for order, slope in product(ORDERS, (Fraction(1), Fraction(2), Fraction(4), Fraction(13, 2))):
        asked: Any = (target, alphabet, 2, unit_hamming, slope, order)
        assert adaptive.hockey_stick(slope, order) == hidden_tree_hockey_stick(*asked)
        assert fixed.hockey_stick(slope, order) == hidden_fixed_hockey_stick(*asked)


def bound(target: HybridStreamSum, horizon: int) -> PowerFunction:
    """The proof's: the core's curve, and what clipping to E(t) can add where raw errors are E(t) or more."""
    beta = ever_above(target.noise, horizon, lambda t: target.error_function(t) - 1)
    return clipped(hybrid_power(target.noise, horizon).power, beta)


@pytest.mark.in_turns
@pytest.mark.parametrize("errors", [(1,), (2,), (1, 2, 3), (3,), (4,)])
@pytest.mark.parametrize("budget", ["uniform", "sharp"])
def test_games_stay_under_the_bound_of_the_proof(errors: tuple[int, ...], budget: str) -> None:
    used = Fraction(0)
    for horizon, alphabet in [(1, (0, 1)), (3, (0, 1)), (2, (-3, -2, 0, 1, HUGE, HUGE + 1)), (4, (0, 1))]:
        target = summed(Fraction(4), budget, Fraction(1, 4), errors, alphabet=alphabet)
        fixed, adaptive = curves(target, horizon, UNIT_HAMMING)
        allowed = bound(target, horizon)
        assert fixed <= adaptive <= allowed
        used = max(used, adaptive.delta(4) / allowed.delta(4))
    assert used >= Fraction(1, 3)


def test_an_error_beyond_all_draws_costs_nothing() -> None:
    """Then nothing is ever clipped around the sum, and the core's curve bounds the game by itself."""
    target = summed(Fraction(4), "uniform", HALF, (100,))
    assert bound(target, 4) == hybrid_power(target.noise, 4).power
    fixed, adaptive = curves(target, 4, UNIT_HAMMING)
    assert fixed <= adaptive <= hybrid_power(target.noise, 4).power


def test_inputs_outside_the_interval_are_private_but_not_followed() -> None:
    inside, outside = HybridStreamSum(), HybridStreamSum(alphabet=(0, 1, HUGE))
    promised = [examine(one, horizon=2, exp_epsilons=[1])["sections"][0] for one in (inside, outside)]
    assert promised[0]["title"] == promised[1]["title"] == "Promise"
    assert "beyond" not in promised[0]["text"]
    assert f"The alphabet goes beyond it ({HUGE}): there E is not promised" in promised[1]["text"]
    assert promised[0]["rows"] == [["1", "2", "1", "0 to 1"], ["2", "2", "2", "0 to 1"]]
    assert promised[1]["rows"] == [["1", "2", str(HUGE - 1), "0 to 1"], ["2", "2", str(2 * HUGE - 2), "0 to 1"]]


@pytest.mark.parametrize("shift", [-7, HUGE])
def test_a_shift_of_interval_and_inputs_changes_nothing(shift: int) -> None:
    target = summed(Fraction(4), "uniform", HALF, (1,))
    moved = summed(Fraction(4), "uniform", HALF, (1,), low=shift, high=shift + 1)
    assert curves(target, 3, UNIT_HAMMING) == curves(moved, 3, UNIT_HAMMING)


def test_inputs_far_outside_are_as_private_as_the_proof_says() -> None:
    """One stream goes far beyond [low..high], so all later rises are at an end: almost nothing more is shown."""
    target = summed(Fraction(4), "uniform", HALF, (1,), alphabet=(0, 1, HUGE, -HUGE, HUGE + 1))
    fixed, adaptive = curves(target, 2, UNIT_HAMMING)
    assert fixed <= adaptive <= bound(target, 2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"errors": (3, 2)}, r"never falls \(it does at t=2\)"),
        ({"errors": ()}, "at least one value"),
        ({"errors": (-1,)}, "at least 0"),
        ({"low": 1, "high": 0}, r"low\.\.high"),
        ({"budget": "none"}, "budget"),
        ({"exp_epsilon": Fraction(1)}, "above 1"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        examine(HybridStreamSum(**parameters), horizon=1)
