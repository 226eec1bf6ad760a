"""Inner loops under pytest-benchmark: `make bench`. Never part of the timed-out unit tests."""

from fractions import Fraction
from typing import Any

import pytest

from dpcert import dp_power
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.audit.solving.adaptive import solve
from dpcert.audit.solving.fixed import fixed_stream
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated


@pytest.mark.parametrize("horizon", [8, 16, 24])
def test_adaptive(benchmark: Any, horizon: int) -> None:
    explored = explore(PairedGame(core_of(TwoRoundRepeated()), ChallengeAt(HAMMING, 1), horizon))
    solution = benchmark(solve, explored)
    assert solution.power.total_variation > Fraction(991, 10000)


@pytest.mark.parametrize("horizon", [8, 24])
def test_fixed_stream(benchmark: Any, horizon: int) -> None:
    explored = explore(PairedGame(core_of(TwoRoundRepeated()), ChallengeAt(HAMMING, 1), horizon))
    streams = benchmark(lambda: fixed_stream(explored.levels).power)
    assert streams.total_variation >= Fraction(9, 100)


def test_tensor(benchmark: Any) -> None:
    powers = [dp_power(Fraction(n + 1, n), Fraction(1, 1000)) for n in range(2, 8)]

    def product() -> Any:
        result = powers[0]
        for power in powers[1:]:
            result = result.tensor(power)
        return result

    assert benchmark(product).delta_at_infinity == 1 - Fraction(999, 1000) ** 6


def test_push(benchmark: Any) -> None:
    run = RandBinSession(RandBinToy(Fraction(11, 10), 130, 7, "triangular"))

    def hundred_thousand() -> None:
        for event in range(100_000):
            run.push(event)

    benchmark(hundred_thousand)
    assert run.backlog <= 4 * 130 + 2 * 7 - 1
