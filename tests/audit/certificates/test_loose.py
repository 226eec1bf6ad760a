"""Certificates of games that were not solved: valid, on or above the truth, and near it."""

import io
import json
from fractions import Fraction
from typing import Any

import pytest
from instances.certified import SLOPES, audited
from instances.seeds import chosen

from dpcert import Budget
from dpcert.audit.algebra.power import ORDERS, PowerFunction
from dpcert.audit.certificates import certificate as written
from dpcert.audit.certificates import loose
from dpcert.audit.certificates.loose import loose_bounds
from dpcert.audit.certificates.outward import Outward
from dpcert.audit.certificates.unsolved import unsolved
from dpcert.audit.errors import ArgumentError, Stopped
from dpcert.audit.examine import examination
from dpcert.audit.records.assembled import Examination
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated
from dpcert.verify_certificate import Invalid, verify

GAP = Fraction(1, 10**4)
SCOPE: dict[str, Any] = {
    "exp_epsilons": (1, 2), "hops": 1, "challenge_round": None, "epsilons": (), "deltas": ()
}  # fmt: skip


def enclosed(rounds: int = 30, **options: Any) -> Examination:
    return examination(TwoRoundRepeated(Fraction(1, 100)), horizon=rounds, tier="enclosed", **SCOPE, **options)


def proof_of(found: Examination, gap: Fraction = GAP) -> str:
    return written.certificate(found.facts, found.record.document, gap)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(64)))
def test_it_is_valid_and_claims_at_least_the_truth_and_little_more(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written, "_solved", lambda _: False)
    game = audited(seed)
    text = game.certificate(GAP)
    given, header = verify(io.StringIO(text))
    assert given == (["relation:edit"] if game.name == "npp" else [])
    assert header["game_digest"] == game.found.record.document["game_digest"]
    scope = header["adjacency"], header["hops"], header["challenge_round"]
    claims = [line for line in map(json.loads, text.splitlines()) if "claim" in line]
    assert len(claims) == 4 * len(SLOPES)
    for claim in claims:
        truth = game.truth("adaptive", scope, Fraction(claim["exp_epsilon"]), claim["order"])
        assert truth <= Fraction(claim["upper"]) <= truth + GAP
        assert claim["lower"] is None


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_values_are_those_of_the_solver_and_curves_lie_on_or_above_its_own(seed: int) -> None:
    solution = audited(seed).found.facts.analysis.solution
    valued = unsolved(solution.levels)
    assert [len(set(row)) for row in valued.value_of] == [len(set(row)) for row in solution.value_of]
    assert {one.options for one in valued.values} == {one.options for one in solution.values}
    bounds = loose_bounds(valued, SLOPES, Outward.of_gap(GAP, len(solution.levels), max(SLOPES)))
    upper = PowerFunction(bounds.of(valued.value_of[0][0]))
    for e in SLOPES:
        for order in ORDERS:
            truth = solution.power.hockey_stick(e, order)
            assert truth <= upper.hockey_stick(e, order) <= truth + GAP


@pytest.mark.in_turns
def test_an_enclosed_audit_leaves_one_within_its_own_bounds() -> None:
    found = enclosed()
    _, header = verify(io.StringIO(proof_of(found)))
    assert header["gap"] == "1/10000"
    assert verify(io.StringIO(proof_of(found, Fraction(0))))[1]["gap"] == "1/1000000"
    exact = examination(TwoRoundRepeated(Fraction(1, 100)), horizon=30, **SCOPE).facts.analysis.adaptive
    for claim in (line for line in map(json.loads, proof_of(found).splitlines()) if "claim" in line):
        truth = exact.upper.hockey_stick(Fraction(claim["exp_epsilon"]), claim["order"])
        assert truth <= Fraction(claim["upper"]) <= truth + GAP


@pytest.mark.in_turns(few=True)
def test_a_bound_that_is_moved_down_is_invalid() -> None:
    lines = proof_of(enclosed(6)).splitlines()
    at = max(number for number, line in enumerate(lines) if "curve" in json.loads(line) and "position" not in line)
    curve = json.loads(lines[at])
    masses = [list(map(int, side.split())) for side in curve["curve"]]
    masses[1] = [masses[1][0] - 1, *masses[1][1:-1], masses[1][-1] + 1]
    lines[at] = json.dumps({**curve, "curve": [" ".join(map(str, side)) for side in masses]}, separators=(",", ":"))
    with pytest.raises(Invalid, match="expected a curve bounds what follows"):
        verify(io.StringIO("\n".join(lines) + "\n"))


def test_past_a_bound_there_is_none_and_the_bound_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = enclosed(12)
    monkeypatch.setattr(loose, "MOST_SEGMENTS_AT_ONCE", 20)
    with pytest.raises(ArgumentError, match=r"at most 20 segments \(MOST_SEGMENTS_AT_ONCE\)"):
        proof_of(found)
    monkeypatch.setattr(loose, "MOST_CERTIFIED_POSITIONS", 10)
    with pytest.raises(ArgumentError, match=r"at most 10 positions \(MOST_CERTIFIED_POSITIONS\).* got rounds=12"):
        proof_of(found)


@pytest.mark.in_turns(few=True)
def test_of_an_audit_that_was_bounded_there_is_none_beyond_that(monkeypatch: pytest.MonkeyPatch) -> None:
    found = enclosed(12, budget=Budget(max_positions=25))
    with pytest.raises(ArgumentError, match="--max-positions 25 was reached"):
        proof_of(found)
    found = enclosed(6)

    def ends(*_: object) -> None:
        raise Stopped("--max-seconds 1 was reached")

    monkeypatch.setattr(loose, "loose_bounds", ends)
    with pytest.raises(ArgumentError, match="Expected time for a certificate of bounds but got none: --max-seconds 1 "):
        proof_of(found)
