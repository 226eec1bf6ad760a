"""Which tier an audit takes, and what it says of that."""

from fractions import Fraction

import pytest

from dpcert import ArgumentError, Requirements, examine
from dpcert.audit.enclosed import analysis
from dpcert.audit.verdicts.requirements import required_delta
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

LEAKY = TwoRoundRepeated(Fraction(1, 10))


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


def test_adversaries_of_lower_bounds_are_played() -> None:
    record = examine(LEAKY, horizon=60, exp_epsilons=(1,), tier="enclosed", gap=Fraction(1, 1000))
    played = [s for s in record["adaptive"]["strategies"] if s["replayed"] is not None]
    assert played
    for strategy in played:
        first, second = map(Fraction, strategy["event"] if strategy["order"] == "0-1" else strategy["event"][::-1])
        assert first - second == Fraction(strategy["replayed"])


def test_a_certified_core_has_one_bracket_for_both() -> None:
    record = examine(RandomizedResponse(), horizon=12, exp_epsilons=(1, 2), tier="enclosed")
    if any(entry["rung"] for entry in record["checklist"]):
        assert record["fixed_stream"]["delta"] == record["adaptive"]["delta"]


@pytest.mark.parametrize("wrong", [{"tier": "sampled"}, {"gap": 0}, {"gap": -1}])
def test_bad_tiers_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError, match="Expected"):
        examine(LEAKY, **wrong)  # type: ignore[arg-type]
