"""The evidence of Checklist 1 and of the requirements: what is shown, once, in which words, and how much of it."""

from fractions import Fraction
from typing import Any

import pytest
from instances.rendered import SCRIPT, Elements, Hostile, document

from dpcert.audit.render.certificate import MOST_CERTIFIED_ROWS, MOST_DRAWN, certificate
from dpcert.audit.render.conditions import brief, certified, claims, refuted
from dpcert.audit.render.figures import ROUNDS, STROKES
from dpcert.audit.render.page import page
from dpcert.audit.render.text import summary
from dpcert.audit.verdicts.requirements import Requirements, claim
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.broken.peeking_value import PeekingValue
from dpcert.mechanisms.broken.plane_noise import PlaneNoise
from dpcert.mechanisms.two_round import TwoRound

IDENTITY = [["0", "0"], ["1", "1"]]


def bent(n: int) -> list[list[str]]:
    """The higher n, the higher the curve."""
    return [["0", "0"], [f"1/{n + 3}", "1/2"], ["1", "1"]]


def found(rounds: int, differences: int) -> dict[str, Any]:
    """A certificate with as many rounds, and as many differences in each."""
    of = [{"difference": "0", "power": IDENTITY}]
    of += [{"difference": str(n), "power": bent(n)} for n in range(1, differences + 1)]
    sets = [list(range(1, t + 1)) for t in range(1, rounds + 1)]
    return {"aggregate": "the sum", "distance": None, "index_sets": sets, "round_power": [of] * rounds}


def test_a_witness_that_several_rungs_share_is_shown_once(two_round: dict[str, Any]) -> None:
    stable, dominated = refuted(two_round)
    assert stable.title == (
        "stable cost, SCALAR, VECTOR, CONTEXT_STABLE and FUTURE_STABLE: "
        "one challenge has two power functions in round 2"
    )
    assert dominated.title.startswith("CONTEXT_DOMINATED: ")
    assert [table.caption for table in stable.vertices] == ["Vertices of A", "Vertices of B"]
    assert certified(two_round) == claims(two_round) == []
    html = page(two_round)
    shown = html[html.index('id="evidence"') : html.index('id="adversaries"')]
    assert shown.count('<details class="evidence" open>') == 1
    assert shown.count('<details class="evidence">') == 1


def test_a_certificate_lists_what_decides_each_round() -> None:
    (block,) = certified(document(BinaryTree(), horizon=4))
    assert block.title == (
        "Certificate SCALAR: the sum modulo 3 over I_t, with the shorter way round modulo 3 for a distance"
    )
    rows = [[cell.text for cell in row] for row in block.tables[0].rows]
    assert rows[-2:] == [["4", "{1, 2, 3, 4}", "0", "none, nothing leaks"], ["", "", "1, 2", "A"]]
    assert len(rows) == 8
    assert [curve.letter for curve in block.curves] == ["A"]
    assert [cell.text for cell in block.vertices[0].rows[1]] == ["1/4", "1/2"]


@pytest.mark.in_turns
def test_a_certificate_stands_below_what_is_refuted() -> None:
    record = document(PlaneNoise())
    html = page(record)
    assert html.index("What refutes a condition") < html.index("What certifies stable cost")
    assert [block.title for block in refuted(record)] == ["SCALAR: round 1 has two incomparable power functions"]
    assert certified(record)[0].title == "Certificate VECTOR: the vector sum over I_t"
    assert html.count("<svg") == 6  # three of the whole game, one by rounds, and the evidence's two


def test_the_curves_of_a_certificate_are_lettered_from_low_to_high() -> None:
    made = certificate(found(1, 3))
    highest = [max(y - x for x, y in curve.profile.vertices) for curve in made.curves]
    assert [curve.letter for curve in made.curves] == ["A", "B", "C"]
    assert highest == sorted(highest)


def test_a_large_certificate_is_thinned_and_says_so() -> None:
    made = certificate(found(30, 9))
    assert len(made.table.rows) == MOST_CERTIFIED_ROWS
    assert made.table.note == f"{300 - MOST_CERTIFIED_ROWS} more rows are left out here; the JSON record has them."
    assert made.table.rows[0][1].text == "{1}"
    assert [curve.letter for curve in made.curves] == ["A", "B", "D", "E", "G", "I"]
    assert (len(made.curves), made.left_out) == (MOST_DRAWN, 3)
    assert certificate(found(9, 1)).table.rows[-1][1].text == ""
    assert certificate(found(9, 1)).table.rows[-2][1].text == "{1, ..., 9}"
    assert len(ROUNDS) == len(STROKES) == MOST_DRAWN


def test_a_declared_certificate_gives_its_curves_by_distance() -> None:
    own = found(1, 1) | {"aggregate": "its own aggregate", "distance": "its own distance"}
    assert certificate(own).table.columns[2] == "distance"
    assert certificate(found(1, 1)).table.columns[2] == "difference"


@pytest.mark.parametrize("name", ["aggregate", "distance", "index_sets", "round_power"])
@pytest.mark.parametrize("value", [7, [["x"]], [7], {"x": 1}])
def test_a_certificate_of_another_version_is_shown_as_it_stands(name: str, value: Any) -> None:
    assert certificate(found(2, 2) | {name: value}).table.rows
    assert certificate({name: value}).what == "as the record has it"


def test_a_failed_claim_shows_its_numbers() -> None:
    asked = Requirements(bounds=(claim("mu=0.1"), claim("rho=0.001"), claim("eps=0")))
    record = document(TwoRound(), requirements=asked)
    power, divergence, delta = claims(record)
    assert power.title == "0.1-GDP: level and power"
    assert [cell.text for cell in power.tables[0].rows[0]] == ["247/2000", "119/625", "1784/1235", "1-0"]
    assert divergence.title == "0.001-zCDP: the divergence of two streams"
    assert [[cell.text for cell in row] for row in divergence.tables[1].rows] == [
        ["world 0", "0", "0"],
        ["world 1", "0", "1"],
    ]
    assert delta.tables[0].rows[0][0].text == "991/10000"
    html = page(record)
    assert html.index("0.1-GDP: level and power") < html.index('id="checklist"')


def test_a_witness_of_the_checklist_is_not_repeated_for_a_requirement(two_round: dict[str, Any]) -> None:
    record = document(TwoRound(), requirements=Requirements(certified=True, no_gap=True))
    assert [block.title for block in claims(record)] == [
        "no gap between adaptive adversaries and fixed streams: adaptive adversaries against fixed streams"
    ]
    assert len(refuted(record)) == len(refuted(two_round))


def test_a_terminal_gets_a_few_lines_for_each_refuted_condition(two_round: dict[str, Any]) -> None:
    lines = list(brief(two_round))
    assert len(lines) == 4
    assert "\n".join(lines) in summary(two_round)
    assert max(len(line) for line in lines) < 160
    assert list(brief(document(BinaryTree()))) == []


def test_what_a_sentence_tells_already_is_not_told_again() -> None:
    record = document(PeekingValue())
    assert [block.title for block in refuted(record)] == [
        "post processing: the same core releases are published in two ways"
    ]
    assert list(brief(record)) == []
    assert "Evidence" not in summary(record)


@pytest.mark.in_turns
def test_hostile_labels_stay_text_in_certificates(two_round: dict[str, Any]) -> None:
    first = two_round["checklist"][0]
    hostile = found(2, 2) | {"aggregate": SCRIPT, "distance": SCRIPT}
    hostile["round_power"] = [[{"difference": SCRIPT, "power": bent(1)}]] * 2
    rung = {"rung": "SCALAR", "verdict": "HOLDS", "method": None, "scope": "", "detail": "", "witness": hostile}
    html = page(two_round | {"checklist": [first | {"rungs": [rung]}]})
    assert Elements(html).count("script") == 0
    assert "".join(Elements(html).text).count(SCRIPT) >= 4
    assert Elements(page(document(Hostile()))).count("script") == 0


@pytest.mark.in_turns
def test_evidence_leaves_the_record_alone(two_round: dict[str, Any]) -> None:
    assert page(two_round) == page(two_round)
    assert (
        document(TwoRound(), epsilons=[Fraction(1, 10)], deltas=[Fraction(1, 20)])["checklist"]
        == (two_round["checklist"])
    )
