"""Every shape of witness as tables, with hostile labels, without what it should have, and with more than is known."""

import json
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from instances.rendered import IMAGE, SCRIPT, Elements, document
from instances.seeds import spread

from dpcert.audit.algebra.power import ORDERS, PowerFunction
from dpcert.audit.render.page import page
from dpcert.audit.render.rounds import RoundsRow, by_round, excesses, profile_of
from dpcert.audit.render.text import summary
from dpcert.audit.render.witnesses import NOT_BORNE_OUT, WitnessView, shown
from dpcert.mechanisms.broken.asymmetric_noise import AsymmetricNoise
from dpcert.mechanisms.broken.plane_noise import PlaneNoise

STEEP = [["0", "0"], ["1/5", "7/25"], ["1", "1"]]
FLAT = [["0", "0"], ["18/25", "81/100"], ["1", "1"]]
PLACE = {"exp_epsilon": "8/9", "order": "0-1"}
KNOWN: dict[str, dict[str, Any]] = {
    "one challenge has two power functions in round 2": {
        "round": 2,
        "contexts": [
            {"round": 1, "challenge": ["0", "1"], "history0": ["0", "0"], "history1": ["1", "0"]},
            {"round": 1, "challenge": ["0", "1"], "history0": ["0", "1"], "history1": ["1", "1"]},
        ],
        "curves": [FLAT, STEEP],
        "deltas": ["1/9", "4/25"],
        **PLACE,
    },
    "round 1 tells two histories apart otherwise when they change places": {
        "round": 1, "histories": [["0"], ["1"]], "curves": [FLAT, STEEP], "deltas": ["1/9", "4/25"], **PLACE
    },
    "round 1 has two incomparable power functions": {
        "round": 1, "pairs": [[["0"], ["1"]], [["0"], ["2"]]], "curves": [FLAT, STEEP]
    },
    "the product of the hulls over contexts is not below the fixed-stream curve": {
        "round": 1, "challenge": ["0", "1"], "deltas": ["1/9", "1/10"], **PLACE
    },
    "round 2 depends on what was released": {
        "round": 2, "inputs": ["1", "0"], "histories": [["1"], ["HALT"]], "laws": ["{0: 1}", "{HALT: 1}"]
    },
    "two askings gave two laws": {"state": "1", "laws": ["{0: 1}", "{1: 1}"]},
    "round 1 reads a later input": {
        "round": 1, "seeds": ["5", "6"], "streams": [["0", "1"], ["0", "0"]], "outputs": ["7", "8"]
    },
    "round 2 reads another round's seed": {
        "round": 2, "stream": ["0", "0"], "seeds": [["0", "5"], ["1", "5"]], "outputs": ["7", "8"]
    },
    "the same question had two answers": {"seeds": ["5"], "stream": ["1"], "outputs": [["0"], ["1"]]},
    "the seeds are not independent": {"seeds": ["0", "0"], "probability": "27/64", "product": "1/4"},
    "the same core releases are published in two ways": {
        "core": ["1"], "inputs": [["0"], ["1"]], "published": [["0"], ["1"]]
    },
    "level and power": {"level": "247/2000", "power": "119/625", **PLACE},
    "the divergence of two streams": {
        "alpha": "2", "divergence": None, "claimed": "1/5", "stream0": ["0", "0"], "stream1": ["0", "1"]
    },
    "the δ that is reached": {"delta": "1/5", "excess": "1/10", "exp_epsilon": "3/2"},
    "adaptive adversaries against fixed streams": {
        "adaptive": "1/5", "fixed_stream": "1/10", "gap": "1/10", "equal_from": None, **PLACE
    },
}  # fmt: skip
SHAPES = pytest.mark.parametrize("what", KNOWN)


def grid(made: WitnessView, at: int = 0) -> list[list[str]]:
    return [[cell.text for cell in row] for row in made.tables[at].rows]


def with_witness(record: dict[str, Any], witness: Any) -> dict[str, Any]:
    """The record with this witness against PREFIX_DEPENDENCE, and nothing else refuted."""
    bare = {"verdict": "HOLDS", "witness": {}, "rungs": []}
    first, *others = [entry | bare for entry in record["checklist"]]
    return record | {"checklist": [first | {"verdict": "REFUTED", "witness": witness}, *others]}


@SHAPES
def test_each_shape_is_known_by_its_entries(what: str) -> None:
    made = shown(KNOWN[what])
    assert made.what == what
    assert made.tables
    assert all(table.columns != ("entry", "value") for table in made.tables)


@SHAPES
def test_an_entry_that_is_not_known_is_shown_as_it_stands(what: str) -> None:
    more = shown(KNOWN[what] | {"later": {"a": [1, "x"]}})
    assert more.what == what
    assert grid(more, -1) == [["later", '{"a": [1, "x"]}']]


@SHAPES
@pytest.mark.parametrize("value", [None, 7, "x", [], ["x"], [["x"]], {"x": 1}])
def test_no_entry_of_another_kind_stops_the_report(what: str, value: Any) -> None:
    for name in KNOWN[what]:
        for witness in (KNOWN[what] | {name: value}, {k: v for k, v in KNOWN[what].items() if k != name}):
            assert shown(witness).tables


@pytest.mark.parametrize("what", spread([*KNOWN], 4))
def test_no_label_of_a_witness_becomes_markup(what: str, two_round: dict[str, Any]) -> None:
    hostile = json.loads(json.dumps(KNOWN[what]).replace('"HALT"', json.dumps(IMAGE)))
    for name in ("contexts", "histories", "pairs", "challenge", "inputs", "laws", "seeds", "stream", "core", "stream0"):
        if name in hostile:
            hostile[name] = _relabelled(hostile[name])
    html = page(with_witness(two_round, hostile | {SCRIPT: IMAGE}))
    elements = Elements(html)
    assert elements.count("script") == elements.count("img") == 0
    assert SCRIPT in "".join(elements.text)


def _relabelled(value: Any) -> Any:
    if isinstance(value, list):
        return [_relabelled(one) for one in value]
    if isinstance(value, dict):
        return {name: _relabelled(one) for name, one in value.items()}
    return SCRIPT if value == "0" else IMAGE if value == "1" else value


def test_two_contexts_stand_with_their_curves() -> None:
    made = shown(KNOWN["one challenge has two power functions in round 2"])
    assert grid(made) == [
        ["A, world 0", "0", "0"],
        ["A, world 1", "1", "0"],
        ["B, world 0", "0", "1"],
        ["B, world 1", "1", "1"],
    ]
    assert [[cell.marked for cell in row] for row in made.tables[0].rows] == [[False, True, False]] * 4
    assert grid(made, 1) == [["8/9", "0-1", "1/9", "4/25"]]
    assert made.tables[1].note == ""
    assert [curve.letter for curve in made.curves] == ["A", "B"]
    assert made.brief == (
        "A: 0 0 against 1 0, power (0, 0) (18/25, 81/100) (1, 1)",
        "B: 0 1 against 1 1, power (0, 0) (1/5, 7/25) (1, 1)",
        "at e^ε = 8/9, world 0 against world 1: δ 1/9 for A, 4/25 for B",
    )


def test_a_difference_that_the_curves_do_not_bear_out_is_named() -> None:
    witness = KNOWN["one challenge has two power functions in round 2"] | {"deltas": ["1/9", "1/25"]}
    assert shown(witness).tables[1].note == NOT_BORNE_OUT


def test_an_excess_that_is_none_is_named() -> None:
    witness = KNOWN["the product of the hulls over contexts is not below the fixed-stream curve"]
    assert shown(witness).tables[0].note == ""
    assert "show no excess" in shown(witness | {"deltas": ["1/10", "1/10"]}).tables[0].note


def test_incomparable_curves_differ_in_both_directions() -> None:
    made = shown(KNOWN["round 1 has two incomparable power functions"])
    above, below = (
        (Fraction(row[2].text) - Fraction(row[3].text), Fraction(row[0].text)) for row in made.tables[1].rows
    )
    assert above[0] > 0 > below[0]
    assert min(above[1], below[1]) >= 1


@pytest.mark.parametrize("mechanism", [PlaneNoise(), AsymmetricNoise()])
def test_what_the_page_computes_agrees_with_the_algebra(mechanism: object) -> None:
    made = document(mechanism)
    scalar = next(r for e in made["checklist"] for r in e["rungs"] if r["rung"] == "SCALAR")
    f, g = map(profile_of, scalar["witness"]["curves"])
    for e, order, a, b in excesses(f, g):
        assert order in ORDERS
        for profile, value in ((f, a), (g, b)):
            assert PowerFunction.from_vertices(profile.vertices).hockey_stick(e, order) == value  # type: ignore[arg-type]


def test_no_excess_between_equal_curves() -> None:
    assert list(excesses(profile_of(STEEP), profile_of(STEEP))) == []


def test_a_law_stands_at_the_end_of_its_history() -> None:
    assert grid(shown(KNOWN["round 2 depends on what was released"])) == [
        ["inputs, both times", "1", "0", ""],
        ["releases, first", "1", "", "{0: 1}"],
        ["releases, second", "HALT", "", "{HALT: 1}"],
    ]


def test_an_infinite_divergence_is_told() -> None:
    made = shown(KNOWN["the divergence of two streams"])
    assert grid(made) == [["2", "infinite", "1/5"]]
    assert made.brief == ("streams 0 0 against 0 1",)


def test_long_histories_share_a_cell() -> None:
    table = by_round("", [RoundsRow("inputs", tuple("ab" * 10), frozenset({2}))])
    assert table.columns == ("", "rounds 1 to 20")
    assert table.rows[0][1].text == " ".join(["a", "[b]", *"ab" * 9])


@pytest.mark.parametrize(
    "vertices", [[], [["0", "0"]], [["0", "0"], ["1", "2"]], [["0", "0"], ["1/2", "1"], ["1/4", "1"], ["1", "1"]]]
)
def test_what_is_no_power_function_is_not_drawn(vertices: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="Expected vertices that rise"):
        profile_of(vertices)
    witness = KNOWN["one challenge has two power functions in round 2"] | {"curves": [STEEP, vertices]}
    assert (shown(witness).what, shown(witness).curves) == ("the witness", ())


def test_a_witness_of_another_version_is_reported(two_round: dict[str, Any]) -> None:
    other = {"automaton": {"states": ["<b>"] * 200}, "cost": 3, "curves": [STEEP]}
    record = with_witness(two_round, other)
    before = deepcopy(record)
    html = page(record)
    assert "prefix dependence: the witness" in html
    assert "more characters, in the JSON record" in html
    assert "&lt;b&gt;" in html
    assert summary(record)
    assert record == before
