"""The clipped and projected prefix sum on the hybrid mechanism's noise, small enough to be solved exactly."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpcert.audit.budget import Budget
from dpcert.audit.kernels.draws import Draw, enumerated
from dpcert.audit.records.section import Section, section
from dpcert.mechanisms.sums.error_function import ErrorFunction, from_values
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.merged_noise import MergedHybridNoise
from dpcert.mechanisms.sums.stream_sum import State, StreamSum

MOST_ERROR_STATES = 20_000
"""States in one round past which errors are no longer listed."""


@dataclass(frozen=True)
class HybridStreamSum(StreamSum):
    """StreamSum on HybridNoise: its privacy is computed exactly, on inputs within [low..high] and on others.

    The promise is that of StreamSum: on inputs in [low..high], S_t is within E(t) of Q_t. On an alphabet that goes
    beyond it privacy is what is audited, as before, rises stay in [low..high], but errors are not bounded.

    Args:
        exp_epsilon: e^epsilon of the noises that hold one item together, above 1.
        budget: How the rounds share it: uniform or sharp.
        truncation: The most that the ends of the noise laws have, over the rounds that hold one item together.
        errors: E(1), E(2), ..., of which the last holds from then on.
        low, high: a and b.
        alphabet: What the adversary may submit, whole numbers; all of [low..high] where none are given.
    Source: paper.tex, th:prefix_sum.
    """

    exp_epsilon: Fraction = Fraction(16)
    budget: str = "uniform"
    truncation: Fraction = Fraction(1, 4)
    errors: tuple[int, ...] = (2,)
    low: int = 0
    high: int = 1
    alphabet: tuple[int, ...] = ()
    noise: HybridNoise = field(init=False, repr=False)
    error_function: ErrorFunction = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "noise", MergedHybridNoise(self.exp_epsilon, self.budget, self.truncation))
        object.__setattr__(self, "error_function", replace(from_values(self.errors), horizon=None))
        object.__setattr__(self, "alphabet", self.alphabet or tuple(range(self.low, self.high + 1)))

    def sections(self, horizon: int, budget: Budget) -> list[Section]:
        """What a report adds: the promise, and what became of it on every execution."""
        return [promise(self, horizon, budget)]


def promise(mechanism: HybridStreamSum, horizon: int, budget: Budget) -> Section:
    """E(t), and beside it the largest error and the rises over all streams and draws. Raises: Stopped."""
    low, high = mechanism.low, mechanism.high
    outside = [x for x in mechanism.alphabet if not low <= x <= high]
    said = (
        f"On inputs in [{low}..{high}]: |S_t - Q_t| <= E(t) and S_t - S_{{t-1}} in [{low}..{high}], on every execution."
    )
    beyond = (
        f" The alphabet goes beyond it ({', '.join(map(str, outside))}): there E is not promised, "
        "while what is audited, privacy, counts every input."
    )
    met = executions(mechanism, horizon, budget)
    rows = ((t, mechanism.error_function(t), *next(met, ("not listed", "not listed"))) for t in range(1, horizon + 1))
    columns = "round", "E(t)", "largest |S_t - Q_t|", "S_t - S_{t-1}"
    return section("Promise", said + (beyond if outside else ""), columns, rows)


def executions(mechanism: HybridStreamSum, horizon: int, budget: Budget) -> Iterator[tuple[int, str]]:
    """Round by round, over every stream of the alphabet and every draw: the largest |S_t - Q_t|, and the rises."""
    states: set[State] = {mechanism.initial}
    for _ in range(horizon):
        following: set[State] = set()
        rises: set[int] = set()
        for state in states:
            budget.check()
            for x in mechanism.alphabet:
                for rise, after in _outcomes(mechanism, state, x):
                    rises.add(rise)
                    following.add(after)
        if len(following) > MOST_ERROR_STATES:
            return
        yield max(abs(off) for _, off, _ in following), f"{min(rises)} to {max(rises)}"
        states = following


def _outcomes(mechanism: HybridStreamSum, state: State, x: int) -> Iterator[tuple[int, State]]:
    def step(draw: Draw) -> tuple[Any, State]:
        release, after = mechanism.step(state, x, draw)
        return release.visible, after

    outcomes: Any = enumerated("StreamSum", step)[0]
    yield from outcomes
