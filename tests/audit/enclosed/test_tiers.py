"""Which tier an audit takes, and what it says of that."""

import random
from fractions import Fraction

import pytest
from instances.random_core import random_core

from dpcert import ArgumentError, Budget, Requirements, examine
from dpcert.audit.checklist import conditions
from dpcert.audit.enclosed import analysis
from dpcert.audit.enclosed.effort import Tier
from dpcert.audit.verdicts.requirements import required_delta
from dpcert.mechanisms.interval_sums import IntervalSums
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

LEAKY = TwoRoundRepeated(Fraction(1, 10))
TIERS: tuple[Tier, Tier] = ("exact", "enclosed")


@pytest.mark.in_turns
def test_a_game_past_the_exact_bound_is_enclosed(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = examine(LEAKY, horizon=26, exp_epsilons=(1, 2))
    assert exact["adaptive"]["tier"] == "exact"
    monkeypatch.setattr(analysis, "MOST_EXACT_SEGMENTS", 1_000)
    record = examine(LEAKY, horizon=26, exp_epsilons=(1, 2))
    assert record["adaptive"]["tier"] == "enclosed"
    assert "enclosed between bounds" in record["scope"]["text"]
    for known, found in zip(exact["adaptive"]["delta"], record["adaptive"]["delta"], strict=True):
        assert Fraction(found["lower"]) <= Fraction(known["lower"]) <= Fraction(found["upper"])
        assert Fraction(found["upper"]) - Fraction(found["lower"]) <= Fraction(1, 10**6)


@pytest.mark.in_turns
def test_many_rounds_are_enclosed_by_themselves() -> None:
    record = examine(LEAKY, horizon=300, exp_epsilons=(1,), gap=Fraction(1, 1000))
    assert (record["adaptive"]["tier"], record["verdict"]) == ("enclosed", "UNDECIDED")
    assert "apart" in record["lifts"]["curve"]["detail"]


@pytest.mark.in_turns
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_few_rounds_can_be_enclosed(rounds: int) -> None:
    exact = examine(LEAKY, horizon=rounds, exp_epsilons=(1,))["adaptive"]["delta"][0]
    found = examine(LEAKY, horizon=rounds, exp_epsilons=(1,), tier="enclosed")["adaptive"]["delta"][0]
    assert Fraction(found["lower"]) <= Fraction(exact["lower"]) <= Fraction(found["upper"])


@pytest.mark.in_turns
@pytest.mark.parametrize(("allowed", "verdict"), [("1:1/4", "HOLDS"), ("1:1/16", "REFUTED")])
def test_bounds_decide_what_is_required(allowed: str, verdict: str) -> None:
    asked = Requirements((required_delta(allowed),))
    record = examine(LEAKY, horizon=200, exp_epsilons=(1,), tier="enclosed", gap=Fraction(1, 100), requirements=asked)
    assert Fraction(1, 16) < Fraction(record["adaptive"]["delta"][0]["upper"]) < Fraction(1, 4)
    assert record["verdict"] == verdict


@pytest.mark.in_turns
def test_adversaries_of_lower_bounds_are_played() -> None:
    record = examine(LEAKY, horizon=60, exp_epsilons=(1,), tier="enclosed", gap=Fraction(1, 1000))
    played = [s for s in record["adaptive"]["strategies"] if s["replayed"] is not None]
    assert played
    for strategy in played:
        first, second = map(Fraction, strategy["event"] if strategy["order"] == "0-1" else strategy["event"][::-1])
        assert first - second == Fraction(strategy["replayed"])


def test_a_certified_core_has_one_bracket_for_both() -> None:
    record = examine(RandomizedResponse(), horizon=12, exp_epsilons=(1, 2), tier="enclosed")
    assert any(entry["rung"] for entry in record["checklist"])
    assert record["fixed_stream"]["delta"] == record["adaptive"]["delta"]
    assert record["verdict"] == "HOLDS"


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", range(8))
def test_a_rung_of_an_enclosed_game_is_that_of_the_game_solved(seed: int) -> None:
    noise = random.Random(seed).choices(range(1, 5), k=2 + seed % 2)
    mechanism = random_core(seed, 2, 2, 3) if seed < 4 else IntervalSums(noise=tuple(noise))
    exact, enclosed = (examine(mechanism, horizon=3, exp_epsilons=(2,), tier=t, gap=Fraction(1, 20)) for t in TIERS)
    rungs = [next(e for e in record["checklist"] if e["item"] == "STABLE_COST")["rung"] for record in (exact, enclosed)]
    assert rungs[0] == rungs[1] or rungs in (["CONTEXT_DOMINATED", None], ["SCALAR", "VECTOR"])  # the latter by form
    for key in ("fixed_stream", "adaptive"):
        for known, found in zip(exact[key]["delta"], enclosed[key]["delta"], strict=True):
            assert Fraction(found["lower"]) <= Fraction(known["lower"]) <= Fraction(found["upper"])
    if rungs[1] is not None:
        assert enclosed["lifts"]["curve"]["verdict"] == exact["lifts"]["curve"]["verdict"] == "HOLDS"


@pytest.mark.in_turns(few=True)
def test_the_ladder_of_an_enclosed_game_keeps_to_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_ROUNDS_ANEW", "MOST_POSITIONS"):
        with monkeypatch.context() as patch:
            patch.setattr(conditions, name, 5)
            record = examine(RandomizedResponse(), horizon=12, exp_epsilons=(1,), tier="enclosed")
        assert record["verdict"] == "UNDECIDED"
        cost = next(e for e in record["checklist"] if e["item"] == "STABLE_COST")
        assert name in cost["detail"]


@pytest.mark.parametrize("wrong", [{"tier": "sampled"}, {"gap": 0}, {"gap": -1}])
def test_bad_tiers_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError, match="Expected"):
        examine(LEAKY, **wrong)  # type: ignore[arg-type]


def test_a_game_that_is_not_explored_is_not_enclosed() -> None:
    record = examine(LEAKY, horizon=9, exp_epsilons=(1,), tier="enclosed", budget=Budget(max_positions=1))
    assert (record["verdict"], record["adaptive"]["delta"][0]["upper"]) == ("UNDECIDED", "1")
    assert "--max-positions 1 was reached" in record["scope"]["text"]


@pytest.mark.in_turns
def test_games_of_two_branches_are_enclosed() -> None:
    """A simulation is handed pairs, and no letter of an alphabet: its beliefs are those that are met."""
    exact, found = (
        examine(RandBinToy(), game="npp", horizon=12, exp_epsilons=(1, 2), tier=tier)["adaptive"] for tier in TIERS
    )
    assert (exact["tier"], found["tier"]) == ("exact", "enclosed")
    for known, bounds in zip(exact["delta"], found["delta"], strict=True):
        assert Fraction(bounds["lower"]) <= Fraction(known["lower"]) <= Fraction(bounds["upper"])
        assert Fraction(bounds["upper"]) - Fraction(bounds["lower"]) <= Fraction(1, 10**6)


@pytest.mark.in_turns
def test_prefixes_past_their_limit_are_not_enclosed_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.games.paired.MOST_PREFIX_PAIRS", 20)
    record = examine(random_core(1, 2, 2, 6), horizon=6, exp_epsilons=(1,), tier="enclosed")
    assert record["verdict"] == "UNDECIDED"
    assert "(MOST_PREFIX_PAIRS)" in record["scope"]["stopped"]
    assert record["adaptive"]["delta"][0]["upper"] == "1"
