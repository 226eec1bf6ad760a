"""Tables, adversaries as trees, and figures of a record."""

import re
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, ClassVar

import jsonschema
import numpy as np
import pytest
from instances.rendered import Open, document

from dpcert.audit.algebra.common_laws import point
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import parse
from dpcert.audit.errors import MechanismError
from dpcert.audit.examine import examine
from dpcert.audit.records.record import schema
from dpcert.audit.render import evidence, tables
from dpcert.audit.render.page import page
from dpcert.audit.render.profile import Profile
from dpcert.audit.render.text import summary
from dpcert.audit.render.tree import chosen, tree
from dpcert.audit.render.words import hand_check, idle
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated


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
    assert page(made).split('<section id="evidence">')[0].count("<svg") == 4


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


@pytest.mark.in_turns
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


@pytest.mark.in_turns
def test_adversaries_that_the_record_cuts_or_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("dpcert.audit.records.documents"), "MOST_NODES_WRITTEN", 2)
    cut = document(TwoRound())
    assert "It has more than 2 nodes" in summary(cut)
    assert "goes on at node 2, which the record leaves out" in page(cut)
    assert "holds only its first nodes" in page(cut)
    monkeypatch.setattr(import_module("dpcert.audit.records.adversaries"), "MOST_NODES", 1)
    left_out = document(TwoRound())
    assert left_out["adaptive"]["strategies"][0]["event"] is None
    for report in (summary(left_out), page(left_out)):
        assert "too large to be written out" in report
        assert "P₀(S)" not in report


@pytest.mark.in_turns
def test_a_thinned_curve_says_so(monkeypatch: pytest.MonkeyPatch, repeated: dict[str, Any]) -> None:
    assert "lies on or above" not in page(repeated)
    monkeypatch.setattr(import_module("dpcert.audit.records.documents"), "MOST_VERTICES", 10)
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
    assert "cut short" not in enclosed  # the tier may have been asked for


@pytest.mark.in_turns
def test_the_bound_of_a_theorem_is_shown(two_round: dict[str, Any]) -> None:
    used = [
        {"exp_epsilon": "1", "exact": "1/4", "bound": "1/2", "used": "1/2"},
        {"exp_epsilon": "2", "exact": "0", "bound": "0", "used": None},
    ]
    bounded = two_round | {"bound": {"detail": "It keeps to <b>.", "used": used}}
    for shown in (page(bounded), summary(bounded)):
        assert "Exact curve against the proven bound" in shown
        assert "50 %" in shown
        assert "none allowed" in shown
    assert "It keeps to &lt;b&gt;." in page(bounded)
    assert "proven bound" not in page(two_round)


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


def test_a_section_may_hold_a_figure(two_round: dict[str, Any]) -> None:
    curves = [{"name": "first <i>", "points": [["1", "2"], ["10", "7/2"]]}, {"name": "second", "points": [["1", "1"]]}]
    figure = {"x": "events", "y": "waiting", "logarithmic": True, "curves": curves}
    record = two_round | {"sections": [{"title": "Waiting", "figure": figure}]}
    jsonschema.Draft202012Validator(schema()).validate(record)
    html = page(record)
    assert 'id="section-1-title">waiting against events</title>' in html
    assert "first &lt;i&gt;" in html
    assert "<i>" not in html


@dataclass(frozen=True)
class Drawing:
    """A mechanism whose section is whatever a test says."""

    figure: Any
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """Nothing of the inputs."""
        return point(len(prefix))

    def sections(self, horizon: int, budget: object) -> list[dict[str, Any]]:
        """One figure."""
        del horizon, budget
        return [{"title": "Drawing", "figure": self.figure}]


@pytest.mark.parametrize(
    "figure",
    [None, {"x": "a", "y": "b", "curves": []}, {"x": "a", "curves": [{"name": "n", "points": [["1", "1"]]}]},
     {"x": "a", "y": "b", "curves": [{"name": "n", "points": [["1", 0.5]]}]},
     {"x": "a", "y": "b", "curves": [{"name": "n", "points": [["1", "?"]]}]}],
)  # fmt: skip
def test_a_figure_that_cannot_be_drawn_is_refused_in_one_line(figure: Any) -> None:
    with pytest.raises(MechanismError, match="Expected a figure of curves through rational points but got"):
        examine(Drawing(figure), horizon=1)
