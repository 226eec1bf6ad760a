"""The page and the text of a record: sentences, numbers, escaping, and the same output on every run."""

import io
import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from html.parser import HTMLParser
from importlib import import_module
from typing import Any

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dpcert.audit.budget import Budget
from dpcert.audit.examine import examine
from dpcert.audit.fixed import fixed_stream
from dpcert.audit.pmf import Pmf, bernoulli
from dpcert.audit.power import PowerFunction
from dpcert.audit.rational import parse
from dpcert.audit.render import evidence, tables
from dpcert.audit.render.cells import LONGEST, bracket, down, enclosure, number, up, words
from dpcert.audit.render.page import page
from dpcert.audit.render.profile import Profile
from dpcert.audit.render.text import show, summary
from dpcert.audit.render.tree import chosen, tree
from dpcert.audit.render.words import curve_sentence, hand_check, headline, idle
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'


@dataclass(frozen=True)
class Hostile:
    """Every name that a mechanism chooses is an attack on the page."""

    note: str = IMAGE
    alphabet: tuple[str, ...] = (SCRIPT, IMAGE)
    horizon: int = 1

    def law(self, prefix: tuple[str, ...]) -> Pmf[str]:
        """Tells the two inputs apart."""
        p = Fraction(3, 4) if prefix[-1] == SCRIPT else Fraction(1, 4)
        return Pmf({SCRIPT: p, IMAGE: 1 - p})


@dataclass(frozen=True)
class Silent:
    """Never looks at its input."""

    alphabet: tuple[int, ...] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """A fair coin."""
        del prefix
        return bernoulli(Fraction(1, 2))


@dataclass(frozen=True)
class Open:
    """Releases its input as it is."""

    alphabet: tuple[int, ...] = (0, 1)
    horizon: int = 1

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """No noise."""
        return bernoulli(Fraction(prefix[-1]))


def document(mechanism: object, **asked: Any) -> dict[str, Any]:
    return dict(examine(mechanism, **asked).document)


@pytest.fixture(scope="module")
def two_round() -> dict[str, Any]:
    return document(TwoRound(), epsilons=[Fraction(1, 10)], deltas=[Fraction(1, 20)])


@pytest.fixture(scope="module")
def repeated() -> dict[str, Any]:
    return document(TwoRoundRepeated(), horizon=8)


@pytest.fixture
def enclosed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A record whose fixed-stream curve is known as a bracket only."""
    monkeypatch.setattr(import_module("dpcert.audit.analysis"), "fixed_stream", partial(fixed_stream, most_products=1))
    made = document(TwoRoundRepeated(), horizon=4, epsilons=[Fraction(1, 2)], deltas=[Fraction(1, 20)])
    assert made["fixed_stream"]["tier"] == "enclosed"
    return made


class Elements(HTMLParser):
    """All start tags with their attributes, and the text in reading order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


# -- numbers


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
    assert number("2021/25200").inline == "2021/25200 (≈ 0.0801984)"
    long = f"{10**20 + 1}/{3 * 10**20}"
    assert len(long) > LONGEST
    assert (number(long).text, number(long).full) == ("≈ 0.333333", long)
    assert number(None).text == number("infinite").text == "infinite"


def test_fractions_past_the_digit_limit_of_python_are_shown() -> None:
    huge = "1" + "0" * 5000 + "/3" + "0" * 5000
    assert (number(huge).text, number(huge).full) == ("≈ 0.333333", huge)
    assert words(f"delta = {huge}.").text == "delta ≈ 0.333333."


# -- sentences


def test_a_refuted_lift_is_told_with_its_numbers(two_round: dict[str, Any]) -> None:
    assert headline(two_round) == (
        "Adaptive adversaries beat every fixed stream: at e^ε = 1 they reach δ = 991/10000 (0.0991), "
        "fixed streams 9/100 (0.09)."
    )
    text = summary(two_round)
    assert text.startswith("REFUTED: Adaptive adversaries beat every fixed stream")
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
    assert text.startswith("HOLDS: Adaptive adversaries learn no more than fixed streams do.\n")
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
    assert headline(changed) == "Of 2 requirements asked for: 1 HOLDS, 1 REFUTED."
    assert curve_sentence(changed) in summary(changed)
    assert "delta &lt;= 1/10 at e^eps = 1" in page(changed)


# -- tables, trees, figures


def test_the_delta_table_shows_both_sides_and_the_gap(two_round: dict[str, Any]) -> None:
    assert [[cell.inline for cell in row] for row in tables.deltas(two_round).rows[:2]] == [
        ["1", "991/10000 (0.0991)", "9/100 (0.09)", "91/10000 (0.0091)"],
        ["3/2 (1.5)", "103/20000 (0.00515)", "103/20000 (0.00515)", "0"],
    ]


def test_epsilon_tables_appear_only_when_asked_for(two_round: dict[str, Any]) -> None:
    assert "[0.191055, 0.191056]" in summary(two_round)
    assert "[0.191055, 0.191056]" in page(two_round)
    assert "[0.0700175, 0.0700176]" in summary(two_round)
    assert "Least ε for a given δ" not in summary(document(TwoRound())) + page(document(TwoRound()))


def test_no_epsilon_is_finite_where_a_release_gives_the_input_away() -> None:
    made = document(Open(), deltas=[Fraction(1, 2)], epsilons=[1])
    assert [cell.text for cell in tables.epsilons(made).rows[0]] == ["1/2", *["infinite"] * 4]
    assert tables.constants(made).rows[0][1].text == "infinite"
    assert page(made).count("<svg") == 2


def test_the_text_unfolds_a_small_adversary(two_round: dict[str, Any]) -> None:
    assert summary(two_round).endswith(
        """\
Adversary for e^ε = 1, world 0 against world 1: δ = 991/10000 (0.0991)
  Round 1: submit 0 in world 0 and 1 in world 1 [node 0]
    sees 0 (probability 8/25 in world 0, 7/20 in world 1):
      Round 2: submit 0 in both worlds [node 1]
        sees 0 (probability 18/25 in world 0, 81/100 in world 1): stops: outside S
        sees 1 (probability 7/25 in world 0, 19/100 in world 1): stops: bets on world 0 (in the event S)
    sees 1 (probability 17/25 in world 0, 13/20 in world 1):
      Round 2: submit 1 in both worlds [node 2]
        sees 0 (probability 4/5 in world 0, 18/25 in world 1): stops: bets on world 0 (in the event S)
        sees 1 (probability 1/5 in world 0, 7/25 in world 1): stops: outside S
  P₀(S) = 396/625 (0.6336)
  P₁(S) = 1069/2000 (0.5345)
  P₀(S) - e^ε P₁(S) = 396/625 - 1 · 1069/2000 = 991/10000 (0.0991)
"""
    )


def test_the_other_order_swaps_the_worlds(two_round: dict[str, Any]) -> None:
    strategy = next(s for s in two_round["adaptive"]["strategies"] if (s["exp_epsilon"], s["order"]) == ("3/2", "1-0"))
    p0, p1 = (parse(p, "p") for p in strategy["event"])
    assert p1 - Fraction(3, 2) * p0 == Fraction(103, 20000)
    assert hand_check(strategy)[-1].text == f"P₁(S) - e^ε P₀(S) = {p1} - 3/2 · {p0} = 103/20000 (0.00515)"
    start = tree(strategy).start
    assert start is not None
    ends = {way.ends for way in start.ways if way.after is None}
    assert ends
    assert ends <= {"stops: bets on world 1 (in the event S)", "stops: outside S"}


def test_a_claim_that_the_event_does_not_bear_out_is_named(two_round: dict[str, Any]) -> None:
    strategy = two_round["adaptive"]["strategies"][0] | {"delta": "1/10"}
    assert hand_check(strategy)[-1].text.endswith("which is not what the record claims")


def test_the_event_adds_up_to_its_probabilities(two_round: dict[str, Any]) -> None:
    strategy = chosen(two_round)
    assert strategy is not None
    rows = evidence.event(strategy).rows
    assert [row[0].text for row in rows] == ["0, 1", "1, 0"]
    for world in (0, 1):
        total = sum(parse(row[1 + world].text, "p") for row in rows)
        assert total == parse(strategy["event"][world], "p")


def test_the_adversary_of_the_verdict_comes_first_and_open(two_round: dict[str, Any]) -> None:
    witness = two_round["lifts"]["curve"]["witness"] | {"exp_epsilon": "3/2", "order": "1-0"}
    lifts = two_round["lifts"] | {"curve": two_round["lifts"]["curve"] | {"witness": witness}}
    html = page(two_round | {"lifts": lifts})
    opened = re.findall(r'<details class="adversary"( open)?>\s*<summary>(.*?)</summary>', html)
    assert opened[0] == (" open", "e<sup>ε</sup> = 3/2, world 1 against world 0: δ = 103/20000 (0.00515)")
    assert [o for o, _ in opened[1:]] == [""] * 3
    held = document(BinaryTree())
    assert chosen(held) is held["adaptive"]["strategies"][0]


def test_slopes_without_anything_to_win_take_one_line(two_round: dict[str, Any]) -> None:
    assert idle(two_round) == "At e^ε = 2, 3, 5, 10 nothing can be won in either order: δ = 0."
    first, second, *rest = two_round["adaptive"]["strategies"]
    changed = two_round | {"adaptive": two_round["adaptive"] | {"strategies": [first | {"delta": "0"}, second, *rest]}}
    assert "At e^ε = 1 nothing can be won for world 0 against world 1: δ = 0." in idle(changed)


def test_a_large_adversary_is_cut_and_says_so(repeated: dict[str, Any]) -> None:
    strategy = chosen(repeated)
    assert strategy is not None
    count = len(strategy["nodes"])
    assert count > 40
    cut = tree(strategy)
    html = page(repeated)
    assert cut.note == f"{cut.left_out} more nodes in the JSON record."
    assert cut.note in html
    assert len(set(re.findall(r"goes on at node (\d+), in the JSON record", html))) > 0
    assert "goes on as at node" in html
    assert f"It has {count} nodes" in summary(repeated)
    assert "Round 2" not in summary(repeated)


def test_each_node_of_a_tree_is_shown_once(repeated: dict[str, Any]) -> None:
    strategy = repeated["adaptive"]["strategies"][0]
    shown: list[int] = []
    pending = [tree(strategy, 10**6, 10**6).start]
    while pending:
        step = pending.pop()
        if step is not None:
            shown.append(step.number)
            pending += [way.after for way in step.ways]
    assert sorted(shown) == list(range(len(strategy["nodes"])))


def test_adversaries_that_the_record_cuts_or_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("dpcert.audit.documents"), "MOST_NODES", 2)
    cut = document(TwoRound())
    assert "It has more than 2 nodes" in summary(cut)
    assert "goes on at node 2, which the record leaves out" in page(cut)
    assert "holds only its first nodes" in page(cut)
    monkeypatch.setattr(import_module("dpcert.audit.examine"), "MOST_NODES", 1)
    left_out = document(TwoRound())
    assert left_out["adaptive"]["strategies"][0]["event"] is None
    for report in (summary(left_out), page(left_out)):
        assert "too large to be written out" in report
        assert "P₀(S)" not in report


def test_a_thinned_curve_says_so(monkeypatch: pytest.MonkeyPatch, repeated: dict[str, Any]) -> None:
    assert "lies on or above" not in page(repeated)
    monkeypatch.setattr(import_module("dpcert.audit.documents"), "MOST_VERTICES", 10)
    thinned = page(document(TwoRoundRepeated(), horizon=6))
    assert "The adaptive and the fixed-stream curve have too many vertices" in thinned
    assert "lies on or above the truth" in thinned


def test_long_tables_say_how_much_they_leave_out(repeated: dict[str, Any]) -> None:
    count = len(repeated["adaptive"]["power"])
    assert count > 60
    table = evidence.vertices(repeated, "adaptive")
    assert len(table.rows) == 60
    assert table.note.startswith(f"{count - 60} more vertices are left out")


def test_fixed_streams_are_listed_with_the_rounds_in_which_they_differ(two_round: dict[str, Any]) -> None:
    rows = [[cell.text for cell in row] for row in evidence.fixed_streams(two_round).rows]
    assert rows[0] == ["1", "0-1", "9/100", "1 1", "1 0", "2"]
    assert len(rows) == 4


def test_the_profile_agrees_with_the_algebra(repeated: dict[str, Any]) -> None:
    profile = Profile.of(repeated["adaptive"])
    power = PowerFunction.from_vertices(profile.vertices)
    slopes = sorted(profile.bends() | {Fraction(1), Fraction(7, 5), Fraction(100)})
    assert [profile.delta(e) for e in slopes] == [power.delta(e) for e in slopes]
    floats = profile.deltas(np.array([float(e) for e in slopes]))
    assert all(abs(f - power.delta(e)) < 1e-12 for f, e in zip(floats, slopes, strict=True))


@pytest.mark.parametrize("order", ["0-1", "1-0"])
def test_the_profile_takes_the_larger_order(order: str) -> None:
    laws = Pmf({0: Fraction(1, 10), 1: Fraction(9, 10)}), Pmf({0: Fraction(4, 10), 1: Fraction(6, 10)})
    power = PowerFunction.from_laws(*(laws if order == "0-1" else reversed(laws)))
    profile = Profile(power.vertices)
    assert power.delta(2) == profile.delta(Fraction(2)) == Fraction(1, 5)
    assert profile.deltas(np.array([2.0]))[0] == pytest.approx(0.2)


def test_a_gap_between_two_brackets_is_never_negative(two_round: dict[str, Any]) -> None:
    sides = {
        side: two_round[side] | {"delta": [{"exp_epsilon": "1", "lower": low, "upper": "1/4"}]}
        for side, low in (("adaptive", "1/8"), ("fixed_stream", "1/16"))
    }
    assert tables.deltas(two_round | sides).rows[0][3].text == "between 0 and 0.1875"


def test_a_refutation_from_bounds_claims_no_exact_answer(two_round: dict[str, Any]) -> None:
    assert "exact answer in this scope" in summary(two_round)
    enclosed = summary(two_round | {"adaptive": two_round["adaptive"] | {"tier": "enclosed"}})
    assert "exact answer in this scope" not in enclosed
    assert "gives bounds" in enclosed


def test_the_bound_of_a_theorem_is_shown(two_round: dict[str, Any]) -> None:
    html = page(two_round | {"bound": {"theorem": "<b>", "exact_is_below": True}})
    assert "<h3>Bound</h3>" in html
    assert '<td class="word">&lt;b&gt;</td>' in html
    assert ">true</td>" in html
    assert "<h3>Bound</h3>" not in page(two_round)


def test_the_checklist_takes_one_line_until_something_is_decided() -> None:
    record = document(SharedCoin())
    open_ = {"verdict": "UNDECIDED", "method": None, "detail": "not examined", "scope": "", "rung": None, "rungs": []}
    hidden = record | {"checklist": [entry | open_ for entry in record["checklist"]]}
    assert "Checklist 1: all 5 conditions UNDECIDED (not examined).\n" in summary(hidden)
    first, *others = hidden["checklist"]
    decided = first | {"verdict": "HOLDS", "method": "BY_CONSTRUCTION", "detail": "by its protocol"}
    text = summary(hidden | {"checklist": [decided, *others]})
    assert re.search(r"prefix dependence +HOLDS +BY_CONSTRUCTION +by its protocol", text)
    assert "all 5 conditions" not in text


def test_pure_guarantees_stand_beside_a_failed_condition(two_round: dict[str, Any]) -> None:
    assert two_round["lifts"]["pure"]["verdict"] == "HOLDS"
    for shown in (summary(two_round), page(two_round)):
        assert shown.count("Pure-ε guarantees lift anyway.") == 1
    held = [entry | {"verdict": "HOLDS"} for entry in two_round["checklist"]]
    assert "lift anyway" not in summary(two_round | {"checklist": held})
    unknown = two_round["lifts"] | {"pure": two_round["lifts"]["pure"] | {"verdict": "UNDECIDED"}}
    assert "lift anyway" not in summary(two_round | {"lifts": unknown})


def test_sections_of_a_mechanism_are_shown(two_round: dict[str, Any]) -> None:
    section = {"title": "Loads <b>", "text": "per bin", "columns": ["bin", "load"], "rows": [["1", 3], ["2", None]]}
    html = page(two_round | {"sections": [section, {"title": "Bare"}]})
    assert "<h2>Loads &lt;b&gt;</h2>" in html
    assert "<h2>Bare</h2>" in html
    assert "per bin" in html
    assert ">null</td>" in html


# -- safety


def test_no_foreign_name_becomes_markup() -> None:
    made = document(Hostile(), target=SCRIPT)
    made["sections"] = [{"title": SCRIPT, "text": IMAGE, "columns": [SCRIPT], "rows": [[IMAGE]]}]
    made["lifts"]["curve"]["detail"] = SCRIPT
    made["provenance"] |= {"command": [SCRIPT], "versions": {IMAGE: SCRIPT}}
    html = page(made)
    elements = Elements(html)
    assert elements.count("script") == elements.count("img") == 0
    assert not [name for _, attributes in elements.tags for name in attributes if name.startswith("on")]
    shown = "".join(elements.text)
    assert f"{SCRIPT}: HOLDS" in shown
    assert shown.count("onerror=alert(1)") >= 6


def test_the_page_forbids_scripts_and_refers_to_nothing_outside(two_round: dict[str, Any]) -> None:
    html = page(two_round)
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', html)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert html.index("Content-Security-Policy") < html.index("<style>")
    assert "://" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", html)
    assert not re.search(r"@import|url\((?!#)|javascript:", html)
    for _, attributes in Elements(html).tags:
        assert all(attributes.get(name, "#").startswith(("#", "data:")) for name in ("href", "src"))


def test_ids_are_unique_and_every_reference_is_met(two_round: dict[str, Any]) -> None:
    html = page(two_round)
    ids = Counter(attributes["id"] for _, attributes in Elements(html).tags if "id" in attributes)
    assert set(ids.values()) == {1}
    used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', html))
    assert used
    assert {a or b for a, b in used} <= set(ids)


def test_both_figures_are_named_for_screen_readers(two_round: dict[str, Any]) -> None:
    html = page(two_round)
    figures = re.findall(r"<svg [^>]*>.*?</svg>", html, re.DOTALL)
    assert len(figures) == 2
    for figure, name in zip(figures, ("profile", "power"), strict=True):
        assert 'role="img"' in figure
        assert f'aria-labelledby="{name}-title {name}-desc"' in figure
        assert f'<title id="{name}-title">' in figure
        assert f'<desc id="{name}-desc">' in figure
        assert "stroke-dasharray" in figure
        assert "var(--adaptive, #0072b2)" in figure
        assert "var(--fixed, #d55e00)" in figure
        assert "fixed stream</text>" in figure


def test_every_run_gives_the_same_page(two_round: dict[str, Any]) -> None:
    first = page(two_round)
    with matplotlib.rc_context({"font.size": 30, "axes.labelsize": 30, "lines.solid_capstyle": "butt"}):
        assert page(two_round) == first
    assert summary(two_round) == summary(two_round)


def test_the_page_does_not_depend_on_the_hash_seed(repeated: dict[str, Any]) -> None:
    code = (
        "import hashlib, json, sys; from dpcert.audit.render.page import page; "
        "print(hashlib.sha256(page(json.load(sys.stdin)).encode()).hexdigest())"
    )
    text = json.dumps(repeated)
    digests = {
        subprocess.run(
            [sys.executable, "-c", code], input=text, env=os.environ | {"PYTHONHASHSEED": seed}, text=True, check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(digests) == 1


def test_plain_text_has_no_escape_codes_and_no_drawn_lines(two_round: dict[str, Any]) -> None:
    text = summary(two_round | {"target": "a\x1b[31mb\u202ec\n\nd", "parameters": {"p\x07": "\x1b]0;x\x07"}})
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "a\\x1b[31mb\\u202ec  d" in text
    assert not re.search("[\u2500-\u259f]", text)


# -- on a terminal


def printed(made: dict[str, Any], *, terminal: bool, width: int = 240) -> str:
    stream = io.StringIO()
    show(made, Console(file=stream, force_terminal=terminal, width=width, color_system="standard"))
    return stream.getvalue()


def test_a_terminal_gets_colour_and_the_same_content(two_round: dict[str, Any]) -> None:
    shown = printed(two_round, terminal=True)
    assert re.search(r"\x1b\[1;31mREFUTED\x1b\[0m: Adaptive adversaries beat", shown)
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


def test_a_pipe_gets_the_plain_text(two_round: dict[str, Any]) -> None:
    assert printed(two_round, terminal=False, width=40) == summary(two_round)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_stream_that_knows_no_greek_gets_words(two_round: dict[str, Any], terminal: bool) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    show(two_round | {"target": "größe"}, Console(file=stream, force_terminal=terminal, width=240))
    stream.seek(0)
    shown = stream.read()
    assert "at e^epsilon = 1 they reach delta = 991/10000" in shown
    assert "gr\\xf6\\xdfe" in shown
