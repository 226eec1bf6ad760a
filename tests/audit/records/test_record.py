"""The record: its schema, its stability, and that the library and the command line give the same one."""

import json
from fractions import Fraction
from typing import Any

import jsonschema
import pytest

import dpcert
from dpcert import Budget, MechanismError, both, examine, viewed
from dpcert.audit.commands.cli import run
from dpcert.audit.games.paired import Level
from dpcert.audit.records.record import read, schema
from dpcert.audit.solving import analysis
from dpcert.audit.solving.fixed import fixed_stream
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.interval_sums import IntervalSums
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

MECHANISMS = [TwoRound(), TwoRoundRepeated(), RandomizedResponse(), IntervalSums(), BinaryTree()]


def without_provenance(text: str) -> dict[str, object]:
    document = json.loads(text)
    del document["provenance"]
    return dict(document)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)
def test_records_satisfy_the_schema_and_are_stable(mechanism: object) -> None:
    first = examine(mechanism, deltas=[0, Fraction(1, 50)], epsilons=[Fraction(1, 3)])
    jsonschema.Draft202012Validator(schema()).validate(json.loads(first.to_json()))
    again = examine(mechanism, deltas=[0, Fraction(1, 50)], epsilons=[Fraction(1, 3)])
    assert json.dumps(without_provenance(first.to_json())) == json.dumps(without_provenance(again.to_json()))
    assert read(first.to_json()).document == json.loads(first.to_json())


def test_schema_is_itself_valid_and_closed() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    document = json.loads(examine(TwoRound()).to_json())
    for change in ({"verdict": "FINE"}, {"surprise": 1}, {"source_digest": "sha256:0"}):
        with pytest.raises(dpcert.ArgumentError, match="but got"):
            read(json.dumps(document | change))


def test_command_line_and_library_agree(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "two-round", "--json", "-"]) == 1
    assert without_provenance(capfd.readouterr().out) == without_provenance(examine(TwoRound()).to_json())


def test_digests_follow_what_they_digest() -> None:
    plain, forced = examine(TwoRoundRepeated()), examine(TwoRoundRepeated(), exp_epsilons=[2])
    assert (plain["source_digest"], plain["kernel_digest"]) == (forced["source_digest"], forced["kernel_digest"])
    other = examine(TwoRoundRepeated(Fraction(1, 2)))
    assert other["source_digest"] != plain["source_digest"]
    assert other["kernel_digest"] != plain["kernel_digest"]


def test_the_source_digest_follows_views_and_parts() -> None:
    def at_least(least: int) -> Any:
        return viewed(TwoRound(), lambda y: y >= least)

    def digest(mechanism: object) -> str:
        return str(examine(mechanism, horizon=1)["source_digest"])

    assert digest(at_least(1)) == digest(at_least(1)) != digest(at_least(0))
    shown = viewed(TwoRound(), lambda y: y)
    negated = viewed(TwoRound(), lambda y: -y)
    assert len({digest(m) for m in (shown, negated, both(shown, shown), both(shown, negated))}) == 4
    made: dict[str, Any] = {}
    exec("one = lambda y: y + 1\ntwo = lambda y: y + 2", made)
    assert digest(viewed(TwoRound(), made["one"])) != digest(viewed(TwoRound(), made["two"]))
    assert digest(viewed(TwoRound(), str)) != digest(viewed(TwoRound(), bool))


def test_a_mechanism_without_influence_is_vacuous() -> None:
    record = examine(RandomizedResponse(Fraction(1, 2)))
    assert record["vacuous"]
    assert record.exit_status == 0
    assert not examine(RandomizedResponse())["vacuous"]


@pytest.mark.in_turns
def test_too_many_streams_give_a_bracket_that_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    def few(levels: tuple[Level, ...], budget: Budget) -> object:
        return fixed_stream(levels, budget, most_products=1)

    monkeypatch.setattr(analysis, "fixed_stream", few)
    record = examine(TwoRound())
    assert record["fixed_stream"]["tier"] == "enclosed"
    assert record.exit_status == 1
    at_one = record["fixed_stream"]["delta"][0]
    assert Fraction(at_one["lower"]) <= Fraction(9, 100) <= Fraction(at_one["upper"]) < Fraction(991, 10000)
    assert examine(TwoRound(), tier="exact").exit_status == 3  # which keeps to what was tried
    jsonschema.Draft202012Validator(schema()).validate(json.loads(record.to_json()))


def test_adversaries_that_grow_too_large_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.records.adversaries.MOST_NODES", 2)
    first = examine(TwoRound())["adaptive"]["strategies"][0]
    assert (first["complete"], first["replayed"], first["nodes"]) == (False, None, [])
    assert first["delta"] == "991/10000"


def test_a_long_curve_is_thinned_upwards() -> None:
    record = examine(TwoRoundRepeated(), horizon=16, challenge_round=1, exp_epsilons=[1])
    assert not record["adaptive"]["complete"]
    assert record["adaptive"]["vertices"] > len(record["adaptive"]["power"])
    thin = dpcert.PowerFunction.from_vertices([(Fraction(x), Fraction(y)) for x, y in record["adaptive"]["power"]])
    exact = Fraction(record["adaptive"]["total_variation"])
    assert exact <= thin.total_variation <= exact * Fraction(1001, 1000)


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [(TwoRound, "call it first"), (3, "without alphabet and law"), (object(), "without alphabet and law")],
)
def test_what_is_no_mechanism_is_refused(mechanism: object, words: str) -> None:
    with pytest.raises(MechanismError, match=words):
        examine(mechanism)


def test_public_names() -> None:
    assert sorted(dpcert.__all__) == sorted(
        ["ANY", "Adjacency", "ArgumentError", "Budget", "DpcertError", "Draw", "EDIT", "Enclosure", "Finding", "HALT",
         "HAMMING", "Interactive", "InvariantPair", "Item", "LinearCore", "MarkovCore", "MechanismError", "Method",
         "NeighborPreserving", "Pmf", "PowerFunction", "PrefixCore", "PublicHalf", "Published", "Raised", "Record",
         "Release", "Requirements", "Sampling", "Scripted", "Seeded", "Session",
         "TargetError", "UNIT_HAMMING", "Verdict", "Window", "ZERO_OUT",
         "bernoulli", "both", "claim", "dp_power", "estimate", "examine", "feeding",
         "from_weights", "hockey_stick", "laws", "mix", "point", "privacy_profile", "required_delta", "scripted",
         "supremum", "total_variation", "uniform", "viewed"]
    )  # fmt: skip
    for name in dpcert.__all__:
        assert getattr(dpcert, name).__doc__
