"""RandBin on Gaussian noise: what a design promises is proven, small ones against exact games, and it runs live."""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from instances.seeds import spread

from dpcert import Budget, Pmf
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.design.gaussian import RandBinGaussian
from dpcert.mechanisms.design.gaussian_design import randbin_gaussian
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.noise.geometric import exp_epsilon_below
from dpcert.mechanisms.randbin.bound import bins_within, load_power, scheduler_power

SMALL = RandBinGaussian(2, Fraction(1, 2), Fraction(0), Fraction(0), Fraction(1, 2), 2, 12, 1)
SLOPES = tuple(map(Fraction, ("2/3", "1", "3/2", "4", "30")))


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("sigma", "error", "horizon", "rounds"),
    [("1/2", 2, 8, 2), ("2", 6, 10, 1), *spread([("3/2", 6, 12, 2), ("5/4", 5, 11, 2)], 2)],
)
def test_what_is_promised_is_above_the_exact_bound(sigma: str, error: int, horizon: int, rounds: int) -> None:
    """The scheduler's own game, with the finite law that runs, solved over the loads that are drawn."""
    made = replace(SMALL, sigma=Fraction(sigma), error=error, horizon=horizon)
    assert made.rounds == rounds
    scheduler = scheduler_power(made.scheduler, made.level, made.rounds, Budget())
    exact = load_power(made.loads).tensor(scheduler)
    proven = load_power(made.loads).tensor(made.scheduler_curve(made.rounds, Budget()))
    for slope in SLOPES:
        assert (
            exact.delta(slope)
            <= made.delta_at(slope)
            <= max(exact.delta(slope) * Fraction(6, 5), 5 * Fraction(error <= 2))
        )
        assert exact.hockey_stick(slope, "1-0") <= made.delta_at(slope)
        assert exact.delta(slope) <= proven.delta(slope)
    assert scheduler <= made.scheduler_curve(made.rounds, Budget())


def test_delta_is_the_sum_of_its_parts_and_at_most_1() -> None:
    costs = SMALL.costs(Fraction(2))
    assert SMALL.delta_at(Fraction(2)) == min(1, costs.noise + costs.clipping + costs.finite)
    far = replace(SMALL, error=200, horizon=10**4, scale=64, sigma=Fraction(64 * 9))
    assert 0 < far.costs(Fraction(2)).clipping < Fraction(1, 10**9)
    assert 0 < far.costs(Fraction(2)).finite < Fraction(1, 10**30)
    assert replace(SMALL, error=1, sigma=Fraction(5)).delta_at(Fraction(2)) == 1


@pytest.mark.parametrize(("level", "error", "horizon"), [(2, 2, 12), (2, 1, 50), (4, 3, 40), (6, 5, 61), (4, 3, 5)])
@pytest.mark.parametrize("end", [0, -1])
def test_rounds_suffice_for_the_horizon(level: int, error: int, horizon: int, end: int) -> None:
    """With the least or the largest outcome of every draw; the first gives as many bins as ever leave."""
    made = replace(SMALL, level=level, error=error, horizon=horizon)
    run = RandBinSession(made, draw=lambda law: law.support[end])
    waiting = []
    for event in range(horizon):
        run.push(event)
        waiting.append(run.backlog)
    assert max(waiting) <= made.backlog
    if made.rounds > 1:
        generous = replace(made, horizon=2 * horizon)
        assert bins_within(generous.scheduler, level, horizon) <= made.rounds


def test_after_the_horizon_it_says_so() -> None:
    run = RandBinSession(SMALL, draw=lambda law: law.support[0])
    with pytest.raises(ArgumentError, match="at most 12 events"):
        run.push_all(range(200))


class Counted:
    """Outcomes with their probabilities from a seeded generator, for repeatable runs."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def __call__(self, law: Pmf[Any]) -> Any:
        return law.outcome_at(self._random.randrange(law.token_weights()[1]))


@pytest.fixture(scope="module")
def designed() -> RandBinGaussian:
    return randbin_gaussian(exp_epsilon_below(Fraction(1))[0], Fraction(1, 10**6), 10**4)


@pytest.mark.in_turns
def test_a_design_keeps_its_promise_with_little_backlog(designed: RandBinGaussian) -> None:
    e = exp_epsilon_below(Fraction(1))[0]
    assert Fraction(9, 10**7) < designed.delta_at(e) <= Fraction(1, 10**6)
    assert replace(designed, error=designed.error - 4).delta_at(e) > Fraction(1, 10**6)
    assert designed.backlog <= 424
    assert designed.costs(e).finite < Fraction(1, 10**28)


@pytest.mark.in_turns
def test_a_design_runs(designed: RandBinGaussian) -> None:
    run, left = RandBinSession(designed, draw=Counted(1)), []
    for event in range(designed.horizon):
        out = run.push(event)
        assert run.backlog <= designed.backlog
        if out is not None:
            assert designed.level <= len(out) <= 2 * designed.level
            left.extend(out)
    assert left == list(range(len(left)))
    assert len(left) > designed.horizon - designed.backlog


@pytest.mark.in_turns
def test_a_run_is_kept_and_resumed(designed: RandBinGaussian, tmp_path: Path) -> None:
    left: list[Any] = []
    for part in range(3):
        run = RandBinSession.open(tmp_path / "lease", designed, draw=Counted(part))
        left.extend(event for out in run.push_all(range(part * 700, part * 700 + 700)) for event in out.events)
        run.close()
    assert left == list(range(len(left)))
    assert len(left) > 2100 - designed.backlog


@pytest.mark.in_turns(few=True)
def test_a_report_shows_the_proof(designed: RandBinGaussian) -> None:
    titles = [one["title"] for one in designed.sections(100, Budget())]
    assert titles == ["Parts", "Error", "Certificate", "Proven profile"]
    rows = dict(designed.sections(100, Budget())[0]["rows"])
    assert rows["most events waiting"] == str(designed.backlog) == str(designed.waiting(10**4))
    small = replace(SMALL, sigma=Fraction(1, 3))
    assert "Inclusion delay" in [one["title"] for one in small.sections(8, Budget())]


@pytest.mark.in_turns
def test_gaussian_loads_need_somewhat_more() -> None:
    e, delta = exp_epsilon_below(Fraction(2))[0], Fraction(1, 10**4)
    plain, shaped = (randbin_gaussian(e, delta, 2000, tapered) for tapered in (False, True))
    assert plain.slope == plain.taper == 0
    assert plain.delta_at(e) <= delta
    assert shaped.delta_at(e) <= delta
    assert shaped.backlog <= plain.backlog


@pytest.mark.parametrize(
    ("exp_epsilon", "delta", "horizon", "words"),
    [("1", "1/10", 100, "above 1"), ("2", "0", 100, "delta=0"), ("2", "1/10", 0, "horizon=0"),
     ("101/100", "1/1000000", 50, "horizon=50")],
)  # fmt: skip
def test_what_was_expected(exp_epsilon: str, delta: str, horizon: int, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        randbin_gaussian(Fraction(exp_epsilon), Fraction(delta), horizon)
    with pytest.raises(ArgumentError, match="error=0"):
        replace(SMALL, error=0)


@pytest.mark.parametrize(
    ("exp_epsilon", "delta"),
    [
        (Fraction(10) ** 400, Fraction(1, 100)),
        (Fraction(2) ** 65, Fraction(1, 100)),
        (Fraction(16), Fraction(1, 10**400)),
        (1 + Fraction(1, 2**20), Fraction(1, 10**5)),
    ],
)
def test_a_promise_out_of_reach_is_refused_in_one_line(exp_epsilon: Fraction, delta: Fraction) -> None:
    with pytest.raises(ArgumentError, match=r"^Expected an e\^epsilon from .* and a delta of at least"):
        randbin_gaussian(exp_epsilon, delta, 1000)


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("exp_epsilon", "delta"), [(Fraction(2) ** 63, Fraction(1, 10**16)), (Fraction(16), Fraction(3, 10**30))]
)
def test_a_search_ends_where_finite_noise_costs_as_much_as_is_promised(exp_epsilon: Fraction, delta: Fraction) -> None:
    with suppress(ArgumentError):
        assert randbin_gaussian(exp_epsilon, delta, 10**4).delta_at(exp_epsilon) <= delta
