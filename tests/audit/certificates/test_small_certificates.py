"""Certificates of small audits: valid, as near as they say, and no longer than they need be."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from instances.hidden_state import random_interactive
from instances.random_core import RandomCore, random_core

from dpcert import PowerFunction
from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.certificates import certificate as writing
from dpcert.audit.certificates import front_lines, rung_lines
from dpcert.audit.certificates.certificate import _solved, _strategies, certificate
from dpcert.audit.certificates.outward import Outward
from dpcert.audit.certificates.rebuilt import differs, game_of_lines
from dpcert.audit.certificates.rung_lines import AggregateDifference
from dpcert.audit.errors import ArgumentError
from dpcert.audit.examine import examination
from dpcert.audit.records.assembled import Examination
from dpcert.audit.relations.adjacency import ZeroOut
from dpcert.audit.solving.adaptive import PERFECT
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated
from dpcert.verify_certificate import Invalid, verify
from dpcert.verify_rung import verify_rung

SLOPES = Fraction(1), Fraction(3, 2)
USUAL: dict[str, Any] = {"hops": 1, "challenge_round": None, "epsilons": (), "deltas": (), "exp_epsilons": SLOPES}
HIDDEN = random_interactive(5, 2, 2, 2, allow_halt=True)[0]
AUDITS: dict[str, tuple[Any, int, dict[str, Any]]] = {
    "two rounds": (TwoRound(), 2, {}),
    "a core": (random_core(6, 2, 2, 3), 3, {}),
    "hidden": (HIDDEN, 2, {}),
    "two hops": (random_core(6, 2, 2, 2), 2, {"hops": 2}),
    "zero-out": (random_core(6, 2, 2, 2), 2, {"adjacency": ZeroOut(null=1)}),
    "zero-out of a null": (RandomCore((0, 1), random_core(6, 3, 2, 2).weights), 2, {"adjacency": ZeroOut(null=2)}),
    "a challenge": (random_core(6, 2, 2, 2), 2, {"challenge_round": 2}),
}
GAPS = Fraction(0), Fraction(1, 50)


@cache
def found(name: str) -> Examination:
    mechanism, horizon, scope = AUDITS[name]
    return examination(mechanism, horizon=horizon, **(USUAL | scope))


def text_of(name: str, gap: Fraction = Fraction(0), *, rung: bool = False) -> str:
    return certificate(found(name).facts, found(name).record.document, gap, rung=rung)


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def written(lines: list[dict[str, Any]]) -> io.StringIO:
    return io.StringIO("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def claims(text: str) -> Iterator[tuple[dict[str, Any], Fraction, Any]]:
    """Each claim, with what the audit found of it, and its order."""
    for line in lines_of(text):
        if "claim" in line:
            yield line, Fraction(line["exp_epsilon"]), line["order"]


def test_one_round_of_randomised_response_takes_few_lines() -> None:
    one = response()
    text = certificate(one.facts, one.record.document, Fraction(0))
    assert verify(io.StringIO(text))[0] == []
    kinds = [next(iter(line)) for line in lines_of(text)]
    assert [kinds.count(kind) for kind in ("schema", "round", "state", "kernel", "curve")] == [1, 1, 2, 2, 1]
    assert [kinds.count(kind) for kind in ("moves", "position", "play", "claim")] == [1, 1, 2, 8]


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("name", AUDITS)
def test_a_certificate_is_valid_and_as_near_as_it_says(name: str, gap: Fraction) -> None:
    text, analysis = text_of(name, gap), found(name).facts.analysis
    given, header = verify(io.StringIO(text))
    assert given == []
    assert Fraction(header["gap"]) == gap
    assert [Fraction(e) for e in header["exp_epsilons"]] == list(SLOPES)
    assert analysis.fixed.exact
    assert len(list(claims(text))) == 8
    for claim, e, order in claims(text):
        curve = (analysis.adaptive if claim["claim"] == "adaptive" else analysis.fixed).upper
        truth = curve.hockey_stick(e, order)
        assert truth <= Fraction(claim["upper"]) <= truth + gap
        assert Fraction(claim["lower"]) == truth
        assert (claim["play"] is None) == (truth == 0)


@pytest.mark.parametrize("name", ["two rounds", "a core", "zero-out"])
def test_no_more_lines_and_digits_are_stated_than_there_are(name: str) -> None:
    for key in ("live", "digits"):
        lines = lines_of(text_of(name, Fraction(1, 50)))
        lines[0][key] -= 1
        with pytest.raises(Invalid):
            verify(written(lines))
    assert text_of(name).isascii()


@pytest.mark.parametrize("name", AUDITS)
def test_a_curve_is_written_once_and_its_mirror_in_a_word(name: str) -> None:
    lines = lines_of(text_of(name))
    curves = [tuple(line["curve"]) for line in lines if "curve" in line and "position" not in line]
    mirrors = [line["mirror"] for line in lines if "mirror" in line]
    assert len(set(mirrors)) == len(mirrors)
    if "zero-out" not in name:  # a relation that goes either way has a mirror of every position
        assert mirrors or all(a.split() == b.split()[::-1] for a, b in curves)


def test_curves_of_positions_that_are_equal_are_one_line() -> None:
    """Of values that differ in the rounds that are left, and in nothing that can be gained."""
    one = examination(TwoRound(), horizon=2, **USUAL)
    repeated = examination(TwoRoundRepeated(), horizon=5, **USUAL)
    for made, gap in ((one, 0), (repeated, 0), (repeated, 1)):
        lines = lines_of(certificate(made.facts, made.record.document, Fraction(gap, 10**6)))
        fronts = {number for line in lines for row in line.get("curves", ()) for number in row}
        curves = {at: line["curve"] for at, line in enumerate(lines, 1) if next(iter(line)) == "curve"}
        own = [tuple(masses) for at, masses in curves.items() if at not in fronts]
        assert len(own) == len({*own}) > 1


@pytest.mark.parametrize("name", ["two rounds", "hidden", "zero-out"])
def test_a_game_that_was_not_solved_is_bounded_as_well(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_solved", lambda _: False)
    text, analysis = text_of(name, Fraction(1, 50)), found(name).facts.analysis
    verify(io.StringIO(text))
    for claim, e, order in claims(text):
        truth = analysis.adaptive.upper.hockey_stick(e, order)
        assert truth <= Fraction(claim["upper"]) <= truth + Fraction(1, 50)
        assert claim["lower"] is None


def test_a_game_is_solved_where_its_curve_is_exactly_that_of_all_its_rounds() -> None:
    facts = found("two rounds").facts
    analysis, power = facts.analysis, facts.analysis.solution.power
    assert _solved(facts)
    others = [
        Bracket(power, PowerFunction(PERFECT)),
        Bracket(PowerFunction.identity(), power),
        Bracket(PowerFunction(PERFECT), PowerFunction(PERFECT)),
    ]
    for bracket in others:
        assert not _solved(replace(facts, analysis=replace(analysis, adaptive=bracket)))
    shorter = replace(analysis.solution, levels=analysis.solution.levels[:1])
    assert not _solved(replace(facts, analysis=replace(analysis, solution=shorter)))


@cache
def response(rounds: int = 1, exp_epsilons: tuple[Fraction, ...] = SLOPES) -> Examination:
    return examination(RandomizedResponse(), horizon=rounds, **(USUAL | {"exp_epsilons": exp_epsilons}))


def test_numbers_of_as_many_digits_as_are_read_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    one = response()
    digits = lines_of(certificate(one.facts, one.record.document, Fraction(0)))[0]["digits"]
    for most, written_ in ((digits, True), (digits - 1, False)):
        monkeypatch.setattr(writing, "MOST_DIGITS_WRITTEN", most)
        if written_:
            certificate(one.facts, one.record.document, Fraction(0))
        else:
            with pytest.raises(ArgumentError, match=r"\(MOST_DIGITS_WRITTEN\)"):
                certificate(one.facts, one.record.document, Fraction(0))


def test_where_nobody_says_a_bound_is_within_a_billionth() -> None:
    one = response()
    assert lines_of(certificate(one.facts, one.record.document))[0]["gap"] == "1/1000000000"


def test_the_gap_is_kept_at_the_largest_slope(monkeypatch: pytest.MonkeyPatch) -> None:
    """Curves are rounded to what stands for 1, which errs by as much more as the slope is larger."""
    slopes: list[Fraction] = []
    plain = Outward.of_gap
    monkeypatch.setattr(Outward, "of_gap", lambda gap, rounds, e: slopes.append(e) or plain(gap, rounds, e))  # type: ignore[func-returns-value]
    one = response()
    certificate(one.facts, one.record.document, Fraction(1, 3))
    assert slopes == [max(SLOPES)]


def test_after_the_last_round_no_relation_goes_on() -> None:
    two = response(2)
    lines = lines_of(certificate(two.facts, two.record.document, Fraction(0)))
    first = next(number for number, line in enumerate(lines) if line.get("round") == 1)
    last_round, before = (
        [line["moves"] for line in part if next(iter(line)) == "moves"] for part in (lines[:first], lines[first:])
    )
    assert {after for moves in last_round for *_, after in moves} == {None}
    assert {after for moves in before for *_, after in moves} == {0, 1}


def test_a_gap_below_nothing_is_refused() -> None:
    with pytest.raises(ArgumentError, match="a gap of at least 0"):
        text_of("two rounds", Fraction(-1, 10))


def test_adversaries_are_left_out_that_have_too_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of more than may be, or than are left of four times as many."""
    facts = found("two rounds").facts
    sizes = {named: len(strategy.nodes) for named, strategy in _strategies(facts)}
    assert len(sizes) == 8
    assert len(set(sizes.values())) > 1
    for most in (1, 2, 3):
        monkeypatch.setattr(writing, "MOST_PLAYS", most)
        room, wanted = 4 * most, {}
        for named, nodes in sizes.items():
            allowed = min(most, room)
            if nodes <= allowed:
                wanted[named] = nodes
            room -= nodes if nodes <= allowed else allowed
        assert {named: len(strategy.nodes) for named, strategy in _strategies(facts)} == wanted


def test_without_an_adversary_no_lower_bound_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MOST_PLAYS", 0)
    one = response()
    text = certificate(one.facts, one.record.document, Fraction(0))
    verify(io.StringIO(text))
    assert all(claim["lower"] is None and claim["play"] is None for claim, *_ in claims(text))


# --- fixed streams


def fronts(text: str) -> list[dict[str, Any]]:
    return [line for line in lines_of(text) if "front" in line and "claim" not in line]


def test_bounds_on_fixed_streams_are_written_where_they_are_lower() -> None:
    assert found("two rounds").facts.analysis.fixed != found("two rounds").facts.analysis.adaptive
    assert fronts(text_of("two rounds"))
    two = response(2)
    assert not fronts(certificate(two.facts, two.record.document, Fraction(0)))


@pytest.mark.parametrize("name", ["two rounds", "a core", "hidden"])
@pytest.mark.parametrize("gap", [Fraction(0), Fraction(1, 50)])
def test_where_rows_are_too_many_their_hull_stands_for_them(
    name: str, gap: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front_lines, "MOST_FRONT_ROWS", 1)
    text, analysis = text_of(name, gap), found(name).facts.analysis
    assert verify(io.StringIO(text))[0] == []
    assert all(len(line["curves"]) == 1 for line in fronts(text))
    for claim, e, order in claims(text):
        if claim["claim"] == "fixed":
            fixed, adaptive = (one.upper.hockey_stick(e, order) for one in (analysis.fixed, analysis.adaptive))
            assert fixed <= Fraction(claim["upper"]) <= adaptive + gap


def test_as_many_rows_stand_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of("two rounds")
    most = max(len(line["curves"]) for line in fronts(text))
    assert most > 1
    monkeypatch.setattr(front_lines, "MOST_FRONT_ROWS", most)
    assert text_of("two rounds") == text
    monkeypatch.setattr(front_lines, "MOST_FRONT_ROWS", most - 1)
    assert text_of("two rounds") != text


@pytest.mark.parametrize("name", ["two rounds"])
def test_where_bounds_on_fixed_streams_are_too_much_those_on_all_adversaries_serve(
    name: str,
) -> None:
    text = text_of(name)
    chains = sum(len(curves.split()) for line in fronts(text) for curves in _curves_of(text, line))
    groups = len(fronts(text))
    for limit, most in (("MOST_FRONTS", groups), ("MOST_FRONT_SEGMENTS", chains)):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(front_lines, limit, most)
            assert text_of(name) == text
            patched.setattr(front_lines, limit, most - 1)
            loose = text_of(name)
        assert not fronts(loose)
        verify(io.StringIO(loose))
        bounds = {(c["claim"], e, order): c["upper"] for c, e, order in claims(loose)}
        assert all(bounds["fixed", e, order] == bounds["adaptive", e, order] for e in SLOPES for order in ORDERS)


def _curves_of(text: str, front: dict[str, Any]) -> list[str]:
    """The masses in world 0 of all curves in a front."""
    lines = lines_of(text)
    return [lines[number - 1]["curve"][0] for row in front["curves"] for number in row]


# --- the game, built again


def test_the_game_is_the_same_whatever_curves_are_written() -> None:
    for name in ("two rounds", "hidden"):
        plain, thinned = (game_of_lines(text_of(name, gap).splitlines()) for gap in GAPS[:2])
        assert plain == thinned
        assert any(said[0] == "position" for said in plain)  # type: ignore[index]
    assert game_of_lines(text_of("a core").splitlines()) != game_of_lines(text_of("zero-out").splitlines())


def test_a_game_that_differs_is_found_at_its_line() -> None:
    text = text_of("two rounds")
    header = lines_of(text)[0]
    assert differs(io.StringIO(text), header, "two-round", {}) == ""
    lines = lines_of(text)
    at = max(number for number, line in enumerate(lines) if "kernel" in line)
    lines[at]["of"] = str(int(lines[at]["of"]) + 1)
    said = differs(written(lines), header, "two-round", {})
    assert said == f"line {at + 1}: expected the game of two-round, from its last round to its first"
    assert differs(io.StringIO(text), header, "randomized-response", {}).startswith("line ")
    fewer = [line for line in lines_of(text) if "position" not in line or line is not lines[-1]]
    cut = {**header, "lines": max(n for n, line in enumerate(fewer) if "position" in line)}
    assert differs(io.StringIO(text), cut, "two-round", {}).startswith("more lines: expected the game of two-round")


# --- rungs


def test_a_rung_is_checked_by_the_file_that_knows_the_theorems() -> None:
    three = response(3)
    lines = io.StringIO(certificate(three.facts, three.record.document, Fraction(0), rung=True))
    names, header = verify(lines)
    assert names == ["rung:SCALAR"]
    assert verify_rung(lines, header)
    with pytest.raises(ArgumentError, match="CONTEXT_STABLE or FUTURE_STABLE"):
        text_of("two rounds", rung=True)
    for name in ("hidden", "two hops", "zero-out"):
        with pytest.raises(ArgumentError, match="a core with --adjacency hamming and one hop"):
            text_of(name, rung=True)


def test_differences_are_of_the_rounds_that_add_up_and_as_large_as_they_are() -> None:
    plain = AggregateDifference(((0, 5), (3, 1)), 0, ((1,), (1, 2)))
    assert plain.of(1, 1, (0, 1), None) == (-3, 4)
    assert plain.of(1, 1, (1, 0), None) == (3, -4)
    assert plain.of(1, 1, (0, 1), "sum") == 7
    assert plain.of(1, 1, (0, 1), "largest") == 4
    assert plain.of(1, 2, (0, 1), None) == (0, 0)  # a challenge in round 2 is none of round 1
    assert plain.of(2, 2, (0, 1), "largest") == 4
    modular = AggregateDifference(((0, 5), (3, 1)), 5, ((1,),))
    assert modular.of(1, 1, (0, 1), None) == (2, 4)
    assert modular.of(1, 1, (0, 1), "sum") == 2 + 1  # the nearer way round
    assert modular.of(1, 1, (1, 0), "largest") == 2


class _Pairs:
    """A game as far as it numbers the inputs of pairs."""

    def pair(self, pair: tuple[int, int]) -> list[int]:
        return list(pair)


def test_a_distance_decides_where_curves_rise_with_it() -> None:
    low, high = (PowerFunction.from_segments([(e, 1 - e), (1 - e, e)]) for e in (Fraction(1, 3), Fraction(1, 4)))
    difference = AggregateDifference(((0,), (1,), (3,)), 0, ((1,),))
    pairs = {(1, (0, 1)): low, (1, (1, 2)): high, (1, (0, 2)): high}
    ahead = {key: {(curve,)} for key, curve in pairs.items()}
    assert low <= high != low
    for distance in ("sum", None):
        assert difference.decides(ahead, _Pairs(), distance)  # type: ignore[arg-type]
    falling = ahead | {(1, (0, 2)): {(low,)}}  # at 3 less than at 2
    assert difference.decides(falling, _Pairs(), None)  # type: ignore[arg-type]
    assert not difference.decides(falling, _Pairs(), "largest")  # type: ignore[arg-type]
    two_curves = ahead | {(1, (1, 0)): {(high,)}}  # at -1 another than at 1: a vector tells them apart
    assert difference.decides(two_curves, _Pairs(), None)  # type: ignore[arg-type]
    assert not difference.decides(two_curves, _Pairs(), "sum")  # type: ignore[arg-type]
    level = ahead | {(1, (0, 2)): {(high,)}, (1, (1, 2)): {(high,)}, (1, (0, 1)): {(high,)}}
    assert difference.decides(level, _Pairs(), "sum")  # type: ignore[arg-type]
    assert rung_lines.DISTANCES.keys() == {"sum", "largest"}
