"""Claims against computed privacy, and what else a caller can ask to hold: verdicts, witnesses, exit statuses."""

import json
import re
from fractions import Fraction
from typing import Any

import pytest

from dpcert import ArgumentError, examine
from dpcert.audit.algebra.decimals import down
from dpcert.audit.commands.cli import run
from dpcert.audit.render.curves import CurveBracket
from dpcert.audit.verdicts.requirements import Requirements, _shown, claim, required_delta
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.two_round import TwoRound


def asked(*arguments: str, capfd: pytest.CaptureFixture[str], target: str = "two-round") -> tuple[int, dict[str, Any]]:
    status = run(["audit", target, *arguments, "--json", "-"])
    return status, json.loads(capfd.readouterr().out)


def test_nothing_asked_means_no_gap(capfd: pytest.CaptureFixture[str]) -> None:
    status, record = asked(capfd=capfd)
    assert (status, record["requirements"], record["verdict"]) == (1, [], "REFUTED")
    assert asked("--require-no-gap", capfd=capfd)[0] == 1
    assert asked("--require-no-gap", "--horizon", "3", capfd=capfd, target="binary-tree")[0] == 0


@pytest.mark.parametrize(
    ("bound", "status", "words"),
    [
        ("1:991/10000", 0, "Kept"),
        ("1:0.09", 1, "Exceeded by 91/10000: an adversary reaches delta 991/10000"),
        ("1:9909/100000", 1, "Exceeded by 1/100000"),
        ("3/2:103/20000", 0, "0 below what is claimed"),
        ("2:0", 0, "Kept"),
    ],
)
def test_delta_at_a_rational_slope_is_decided_exactly(
    bound: str, status: int, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    came, record = asked("--require-delta", bound, capfd=capfd)
    assert came == status
    assert words in record["requirements"][0]["detail"]


def test_margins_and_lower_ends_are_rounded_down_and_what_is_lost_up() -> None:
    """At e^epsilon of a decimal epsilon nothing is short: every number of the sentence is a decimal."""
    record, digits = examine(TwoRound(), requirements=Requirements((claim("eps=0.01,delta=0.1"),))), Fraction(1, 10**6)
    detail = record["requirements"][0]["detail"]
    found = re.fullmatch(r"Kept: delta is at most about (\S+), about (\S+) below what is claimed\.", detail)
    assert found is not None
    reached = CurveBracket.of(record["adaptive"]).upper.delta_at(Fraction(1, 100)).finite().upper
    assert 0 < Fraction(found[1]) - reached < digits
    assert 0 < Fraction(1, 10) - reached - Fraction(found[2]) < digits
    exact = Fraction(28_668_040_000_000_000_000_001, 10**23)
    assert (_shown(exact), _shown(exact, down), _shown(Fraction(1, 3))) == ("about 0.286681", "about 0.28668", "1/3")


def test_a_claim_within_the_slack_is_let_pass_and_shown_as_such(capfd: pytest.CaptureFixture[str]) -> None:
    status, record = asked("--require-delta", "1:0.09", "--slack", "91/10000", capfd=capfd)
    assert status == 0
    assert "lets pass" in record["requirements"][0]["detail"]
    assert record["requirements"][0]["witness"]["excess"] == "91/10000"
    assert asked("--require-delta", "1:0.09", "--slack", "90/10000", capfd=capfd)[0] == 1


def test_an_exceeded_claim_comes_with_the_adversary_that_exceeds_it(capfd: pytest.CaptureFixture[str]) -> None:
    status, record = asked("--claim", "eps=0.1,delta=0.05", capfd=capfd)
    assert status == 1
    (found,) = record["requirements"]
    assert found["method"] == "ENCLOSED"
    slope = found["witness"]["exp_epsilon"]
    assert Fraction(slope) >= Fraction(110517, 100000)
    replayed = [Fraction(s["replayed"]) for s in record["adaptive"]["strategies"] if s["exp_epsilon"] == slope]
    assert max(replayed) > Fraction(1, 20)
    assert asked("--claim", "eps=0.1,delta=0.0701", capfd=capfd)[0] == 0


def test_a_pure_claim() -> None:
    """The largest likelihood ratio is 1904/1235 = 1.5417: epsilon 0.433 is kept and 0.432 is not."""
    for eps, verdict in (("0.433", "HOLDS"), ("0.432", "REFUTED")):
        record = examine(TwoRound(), requirements=Requirements((claim(f"eps={eps}"),)))
        assert record["verdict"] == verdict


def test_certified(capfd: pytest.CaptureFixture[str]) -> None:
    status, record = asked("--require-certified", capfd=capfd)
    assert status == 1
    assert record["requirements"][0]["detail"] == "Not held: STABLE_COST."
    assert record["requirements"][0]["witness"]["contexts"]
    status, record = asked("--require-certified", "--horizon", "3", capfd=capfd, target="binary-tree")
    assert status == 0
    assert "STABLE_COST by SCALAR" in record["requirements"][0]["detail"]
    status, record = asked("--require-certified", "--horizon", "3", capfd=capfd, target="shared-coin")
    assert status == 1
    assert record["requirements"][0]["witness"]["laws"] == ["{0: 1}", "{1: 1}"]


def test_the_worst_requirement_decides() -> None:
    asked_for = Requirements((required_delta("1:1"),), no_gap=True, certified=True)
    record = examine(TwoRound(), requirements=asked_for)
    assert [r["verdict"] for r in record["requirements"]] == ["HOLDS", "REFUTED", "REFUTED"]
    assert record.exit_status == 1
    assert examine(BinaryTree(), horizon=3, requirements=asked_for).exit_status == 0


@pytest.mark.parametrize("written", ["mu=-1", "eps=1;delta=0", "delta=1", "eps=-1", "eps=1,delta=2", "eps=1,eps=2"])
def test_bad_claims(written: str) -> None:
    with pytest.raises(ArgumentError, match="Expected"):
        claim(written)


@pytest.mark.parametrize("written", ["3", "1/2:0", "1:2", "x:0", "1:1/0"])
def test_bad_bounds(written: str) -> None:
    with pytest.raises(ArgumentError, match="Expected"):
        required_delta(written)


def test_negative_slack(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "two-round", "--slack", "-1"]) == 2
    assert "slack=-1" in capfd.readouterr().err
