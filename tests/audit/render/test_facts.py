"""The facts and the first sentences: of every kind of outcome, in words that agree with the numbers."""

from fractions import Fraction
from typing import Any

import pytest
from instances.random_core import random_core
from instances.rendered import Open, Silent, document
from instances.seeds import chosen

from dpcert import Requirements, claim
from dpcert.audit.budget import Budget
from dpcert.audit.examine import examine
from dpcert.audit.render import plainly
from dpcert.audit.render.curves import CurveBracket
from dpcert.audit.render.facts import checklist_count, facts, kind, not_covered
from dpcert.mechanisms.clipped_sum import ClippedSum
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.sparse_vector import SparseVector
from dpcert.mechanisms.two_round import TwoRound


def shown(record: dict[str, Any]) -> dict[str, str]:
    return {row[0].text: row[1].text for row in facts(record).rows}


def test_the_facts_of_the_counterexample(two_round: dict[str, Any]) -> None:
    made = shown(two_round)
    assert made["Kind of guarantee"].startswith("pure: ε-differential privacy, δ = 0 from ε ≈ 0.432886 on")
    assert "ε at δ = 0.05" in made
    assert shown(document(TwoRound()))["ε at δ = 1e-6"] == "≈ 0.432881"
    assert made["δ at ε = 1"] == "0"
    assert made["Unit of privacy"].startswith("one input of one round")
    assert made["Rounds covered"] == "2 rounds"
    assert made["Checklist 1"] == "4 of 5 conditions hold, 1 refuted"
    assert "rounds past 2" in made["Not covered"]
    assert "sampler" in made["Not covered"]


def test_the_kinds() -> None:
    assert kind(document(Open())).startswith("none: ")
    assert kind(document(Silent(), horizon=1)).startswith("not known: in this scope both worlds")
    assert kind(document(random_core(3, 2, 3, 2), horizon=2, budget=Budget(max_positions=1))).startswith("not known")
    assert checklist_count(document(RandomizedResponse(), horizon=2)).startswith(
        "5 of 5 conditions hold, stable cost by"
    )


@pytest.mark.in_turns
def test_no_guarantee_is_named_that_no_upper_bound_gives() -> None:
    cut = document(RandomizedResponse(), horizon=3, budget=Budget(max_positions=2))
    assert kind(cut) == "not known: the bounds leave open whether there is any"
    assert checklist_count(cut) == "4 of 5 conditions hold, 1 not decided"
    ruled_out = document(ClippedSum(), horizon=3, budget=Budget(max_positions=12))
    assert kind(ruled_out) == "not known: the bounds leave open whether there is any; if so, not pure"
    halting = document(SparseVector(), horizon=3, budget=Budget(max_positions=6))
    assert kind(halting).startswith("approximate: ")
    assert kind(halting).endswith("the bounds leave open whether it is pure")


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_approximate_is_said_where_a_release_rules_a_world_out_and_only_there(seed: int) -> None:
    record = document(random_core(seed, 2, 3, 2), horizon=2)
    curve = CurveBracket.of(record["adaptive"])
    if record["vacuous"]:
        return
    impossible = curve.upper.delta_at_infinity
    said = kind(record).partition(":")[0]
    assert said == ("pure" if impossible == 0 else "none" if impossible == 1 else "approximate")


def test_every_horizon_leaves_no_round_out() -> None:
    record = dict(examine(RandomizedResponse(), horizon="inf").document)
    assert "rounds past" not in " ".join(not_covered(record))
    assert shown(record)["Rounds covered"].startswith("every number of rounds")


def test_an_organisations_own_delta_has_its_epsilon(two_round: dict[str, Any]) -> None:
    made = shown(two_round | {"context": {"delta": "1/100"}})
    curve = CurveBracket.of(two_round["adaptive"]).upper
    assert float(made["ε at δ = 0.01"].removeprefix("≈ ")) >= float(curve.epsilon_for(Fraction(1, 100)).lower or 0)
    assert "ε at δ = 0.01" not in shown(two_round)


def test_odds_say_how_often_a_guess_is_right(two_round: dict[str, Any]) -> None:
    assert plainly.odds(two_round) == (
        "In 2 rounds an observer who reacts guesses one changed input right about 54.96 times in 100, one who does not "
        "54.5; a coin, 50."
    )
    assert "whether reacting or not" in plainly.odds(document(RandomizedResponse(), horizon=1))
    assert "nobody guesses" in plainly.odds(document(Silent(), horizon=1))


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_odds_never_say_less_than_there_is(seed: int) -> None:
    record = document(random_core(seed, 2, 3, 2), horizon=2)
    if record["vacuous"]:
        return
    words = plainly.odds(record).split()
    said = Fraction(words[words.index("times") - 1])
    truth = 50 * (1 + Fraction(record["adaptive"]["total_variation"]))
    assert truth <= said <= truth + Fraction(1, 100)


def test_sentences_for_anybody(two_round: dict[str, Any]) -> None:
    assert plainly.anybody(two_round) == plainly.FEEDBACK["REFUTED"]
    asked = document(RandomizedResponse(), horizon=1, requirements=Requirements((claim("eps=0.1"),)))
    assert plainly.anybody(asked) == f"{plainly.ASKED['REFUTED']} {plainly.FEEDBACK['HOLDS']}"
    promised = dict(examine(RandBinToy(), horizon=2, adjacency="edit", game="npp").document)
    assert plainly.anybody(promised) == plainly.NOTHING


def test_a_promise_has_its_odds() -> None:
    record = dict(examine(RandBinToy(), horizon=2, adjacency="edit", game="npp").document)
    record["bound"] = {"dp": {"exp_epsilon": "3", "delta": "1/100"}, "used": [], "verdict": "HOLDS", "detail": ""}
    assert plainly.odds(record).endswith("is guessed right at most 75.25 times in 100.")
    assert shown(record)["Promise"] == "ε ≈ 1.09862 at δ = 0.01, by the mechanism's own word"


def test_a_delta_that_is_rounded_is_rounded_up_and_marked(two_round: dict[str, Any]) -> None:
    assert "ε at δ ≈ 0.333334" in shown(two_round | {"context": {"delta": "1/3"}})
    promising = two_round | {"bound": {"dp": {"exp_epsilon": "1", "delta": "1/3"}, "used": [], "verdict": "HOLDS"}}
    assert shown(promising)["Promise"].startswith("ε = 0 at δ ≈ 0.333334,")


def test_what_is_said_of_one_round_or_of_all_names_them() -> None:
    one = document(RandomizedResponse(), horizon=2, challenge_round=2)
    assert shown(one)["Unit of privacy"] == "the input of round 2 alone (hamming)"
    assert "guesses the changed input of round 2 right 75 times in 100" in plainly.odds(one)
    every = dict(examine(RandomizedResponse(), horizon="inf").document)
    assert plainly.odds(every).startswith("In any number of rounds an observer guesses one changed input right 75 ")
