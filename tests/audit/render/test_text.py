"""The text of a record: numbers, sentences, and what a terminal and a pipe get of them."""

import io
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instances.rendered import Open, Silent, document
from rich.console import Console

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.rational import parse
from dpcert.audit.budget import Budget
from dpcert.audit.examine import examine
from dpcert.audit.render import evidence, tables
from dpcert.audit.render.cells import LONGEST_FRACTION, bracket, enclosure, number, words
from dpcert.audit.render.page import page
from dpcert.audit.render.text import show, summary
from dpcert.audit.render.words import curve_sentence, headline
from dpcert.audit.verdicts.requirements import Requirements, claim
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.randomized_response import RandomizedResponse

# -- numbers


@pytest.mark.in_turns(few=True)
@settings(deadline=None)
@given(st.fractions() | st.fractions(max_denominator=10**40).map(lambda x: x / 10**30), st.integers(1, 12))
def test_decimals_of_bounds_are_rounded_outward_and_are_tight(value: Fraction, digits: int) -> None:
    low, high = Fraction(down(value, digits)), Fraction(up(value, digits))
    assert low <= value <= high
    assert high - low <= abs(value) / 10 ** (digits - 1)


def test_decimals_of_bounds_that_need_no_rounding_stay() -> None:
    assert down(Fraction(9, 100)) == up(Fraction(9, 100)) == "0.09"
    assert (down(Fraction(0)), up(Fraction(0)), up(Fraction(-2, 3))) == ("0", "0", "-0.666666")


def test_a_bracket_and_an_enclosure_round_outward() -> None:
    assert bracket("1/3", "2/3").text == "between 0.333333 and 0.666667"
    assert enclosure("1/3", "2/3").text == "[0.333333, 0.666667]"
    assert enclosure("2/3", "infinite").text == "[0.666666, infinite]"
    assert bracket("1/2", None).text == "between 0.5 and infinite"
    assert bracket("9/100", "9/100") == number("9/100")


def test_a_short_fraction_is_exact_and_a_long_one_keeps_its_text() -> None:
    assert number("991/10000").inline == "991/10000 (0.0991)"
    assert number("2021/25200").inline == "2021/25200 (≈ 0.0801985)"
    long = f"{10**20 + 1}/{3 * 10**20}"
    assert len(long) > LONGEST_FRACTION
    assert (number(long).text, number(long).full) == ("≈ 0.333334", long)
    assert number(None).text == number("infinite").text == "infinite"


def test_fractions_past_the_digit_limit_of_python_are_shown() -> None:
    huge = "1" + "0" * 5000 + "/3" + "0" * 5000
    assert (number(huge).text, number(huge).full) == ("≈ 0.333334", huge)
    assert words(f"delta = {huge}.").text == "delta ≈ 0.333334."


# -- sentences


def test_a_refuted_lift_is_told_with_its_numbers(two_round: dict[str, Any]) -> None:
    assert headline(two_round) == (
        "Adaptive adversaries beat every fixed stream: at e^ε = 1 they reach δ = 991/10000 (0.0991), "
        "fixed streams 9/100 (0.09)."
    )
    text = summary(two_round)
    assert text.startswith("GAP: Adaptive adversaries beat every fixed stream")
    assert "From e^ε = 265/252 (≈ 1.05159) on the two agree." in text
    assert "interaction-aware argument" in text
    assert "not private" not in text + page(two_round)


def test_a_one_sided_gap_is_not_told_as_a_two_sided_one(two_round: dict[str, Any]) -> None:
    curve = two_round["lifts"]["curve"]
    witness = curve["witness"] | {"order": "1-0", "adaptive": "1/20", "fixed_stream": "1/30"}
    changed = two_round | {"lifts": two_round["lifts"] | {"curve": curve | {"witness": witness}}}
    assert "at e^ε = 1, world 1 counted against world 0, they reach δ = 1/20" in headline(changed)


def test_a_lift_that_holds() -> None:
    text = summary(document(BinaryTree()))
    assert text.startswith("NO GAP: Adaptive adversaries learn no more than fixed streams do.\n")
    assert "Both reach δ = 5/16 (0.3125) at e^ε = 1" in text
    assert "interaction-aware" not in text


def test_a_game_cut_short_holds_only_where_nothing_more_can_leak() -> None:
    perfect = "Both bounds are the perfect curve already: fixed streams tell the worlds apart for sure."
    cut = document(Open(horizon=9), budget=Budget(max_positions=3))
    assert cut["verdict"] == "HOLDS"
    assert "stopped early, 1 of 9 rounds explored" in cut["scope"]["text"]
    assert cut["lifts"]["curve"]["detail"].endswith(perfect)
    assert perfect in summary(cut)
    held = document(BinaryTree())
    assert perfect not in held["lifts"]["curve"]["detail"] + summary(held)


def test_a_vacuous_scope_is_told_in_words() -> None:
    silent = document(Silent())
    assert headline(silent).startswith("Nothing leaks in this scope")
    assert "vacuously" in summary(silent)
    assert "<svg" in page(silent)


def test_an_enclosed_curve_is_undecided_and_shown_as_a_bracket(enclosed: dict[str, Any]) -> None:
    assert enclosed["verdict"] == "UNDECIDED"
    assert headline(enclosed).startswith(
        "Whether adaptive adversaries beat fixed streams is not decided: there are too"
    )
    low, high = enclosed["fixed_stream"]["delta"][0]["lower"], enclosed["fixed_stream"]["delta"][0]["upper"]
    assert low != high
    row = tables.deltas(enclosed).rows[0]
    assert row[2].text == f"between {down(parse(low, 'd'))} and {up(parse(high, 'd'))}"
    assert row[3].text == f"between 0 and {up(parse(high, 'd') - parse(low, 'd'))}"
    assert "fixed stream, at least</text>" in page(enclosed)


def test_the_numbers_behind_an_enclosed_figure_are_the_lower_bound(enclosed: dict[str, Any]) -> None:
    lower = enclosed["fixed_stream"]["lower"]["power"]
    assert lower != enclosed["fixed_stream"]["power"]
    table = evidence.vertices(enclosed, "fixed_stream")
    assert table.caption == "Vertices, fixed stream, at least"
    assert [[cell.text for cell in row] for row in table.rows] == lower
    bends = evidence.profile(enclosed)
    assert bends.columns[2] == "fixed-stream δ, at least"
    assert bends.rows[0][2] == number(enclosed["fixed_stream"]["delta"][0]["lower"])


def test_an_enclosed_curve_reads_epsilon_and_constants_off_both_bounds(enclosed: dict[str, Any]) -> None:
    curve = enclosed["fixed_stream"]
    total = bracket(curve["lower"]["total_variation"], curve["total_variation"])
    assert total.text.startswith("between")
    assert tables.constants(enclosed).rows[1][2] == total
    expected = enclosure(curve["lower"]["epsilon"][0]["lower"], curve["epsilon"][0]["upper"])
    assert tables.epsilons(enclosed).rows[0][3] == expected
    assert tables.epsilons(enclosed).rows[0][4].text.startswith("between")
    expected = enclosure(curve["lower"]["delta_at_epsilon"][0]["lower"], curve["delta_at_epsilon"][0]["upper"])
    assert tables.deltas_at_epsilons(enclosed).rows[0][2] == expected


def test_requirements_stand_before_the_curve(two_round: dict[str, Any]) -> None:
    asked = [
        {"requirement": "delta <= 1/10 at e^eps = 1", "verdict": "HOLDS", "method": "EXHAUSTIVE", "detail": "exact"},
        {"requirement": "no gap", "verdict": "REFUTED", "method": None, "detail": ""},
    ]
    changed = two_round | {"requirements": asked}
    assert headline(changed) == "Does not hold: no gap. Holds: delta <= 1/10 at e^eps = 1."
    assert curve_sentence(changed) in summary(changed)
    assert "delta &lt;= 1/10 at e^eps = 1" in page(changed)


# -- on a terminal


def printed(made: dict[str, Any], *, terminal: bool, width: int = 240, details: bool = True) -> str:
    stream = io.StringIO()
    show(made, Console(file=stream, force_terminal=terminal, width=width, color_system="standard"), details=details)
    return stream.getvalue()


def test_a_terminal_gets_colour_and_the_same_content(two_round: dict[str, Any]) -> None:
    shown = printed(two_round, terminal=True)
    assert re.search(r"\x1b\[1;31mGAP\x1b\[0m: Adaptive adversaries beat", shown)
    assert re.search(r"the whole curve +\x1b\[1;31mREFUTED", shown)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    for row in tables.deltas(two_round).rows:
        for cell in row:
            assert cell.inline in bare
    assert "sees 1 (probability 17/25 in world 0, 13/20 in world 1)" in bare
    assert "CONTEXT_DOMINATED" in bare


def test_a_terminal_shows_foreign_markup_as_it_is_written(two_round: dict[str, Any]) -> None:
    shown = printed(two_round | {"target": "[red]x[/red] [/] :smile: \x1b[35m"}, terminal=True)
    assert "[red]x[/red] [/] :smile: \\x1b[35m" in shown


PASSING = [("binary-tree", BinaryTree), ("randomized-response", RandomizedResponse)]


@pytest.mark.parametrize(("name", "kind"), PASSING)
@pytest.mark.parametrize("requirements", [None, Requirements((claim("eps=1.4"),), no_gap=True, certified=True)])
def test_a_passing_audit_fits_on_a_terminal(name: str, kind: type, requirements: Requirements | None) -> None:
    made = dict(examine(kind(), horizon=3, requirements=requirements, deltas=[Fraction(1, 100)]).document)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", printed(made, terminal=True, width=80, details=False))
    assert len(bare.splitlines()) <= 60
    assert name in bare
    for one in (*made["requirements"], *made["checklist"]):
        shown = one.get("requirement") or one["item"].replace("_", " ").lower()
        assert re.search(rf"^  HOLDS +{re.escape(shown)}", bare, flags=re.M)
    assert "by SCALAR" in bare
    assert "With --details: every rung" in bare


def test_a_short_report_shows_what_refutes(two_round: dict[str, Any]) -> None:
    bare = re.sub(r"\x1b\[[0-9;]*m", "", printed(two_round, terminal=True, details=False))
    assert "REFUTED    stable cost: No rung of the ladder holds" in bare
    assert "sees 1 (probability 17/25 in world 0, 13/20 in world 1)" in bare


def test_a_pipe_gets_the_plain_text(two_round: dict[str, Any]) -> None:
    assert printed(two_round, terminal=False, width=40, details=False) == summary(two_round)


def test_details_end_with_what_the_guarantee_rests_on(two_round: dict[str, Any]) -> None:
    rest = printed(two_round, terminal=False).removeprefix(summary(two_round))
    assert rest.startswith("\nThe guarantee\n  item ")
    assert re.search(r"^  Sampler +not examined  The audit is of the laws;", rest, flags=re.M)
    shown = printed(two_round, terminal=True)
    assert "Other releases from the same data" in shown
    assert "Other releases" not in printed(two_round, terminal=True, details=False)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_stream_that_knows_no_greek_gets_words(two_round: dict[str, Any], terminal: bool) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    show(two_round | {"target": "größe"}, Console(file=stream, force_terminal=terminal, width=240))
    stream.seek(0)
    shown = stream.read()
    assert "at e^epsilon = 1 they reach delta = 991/10000" in shown
    assert "gr\\xf6\\xdfe" in shown
