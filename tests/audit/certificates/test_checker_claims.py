"""What the checker makes of adversaries, claims and rungs, by hand; whatever else stands there it refuses."""

import io
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from instances.checking import checker, in_round

from dpcert.verify_certificate import Checker, Curve, Front, Invalid, Play, Position, verify
from dpcert.verify_rung import THEOREMS, RungChecker, verify_rung

# --- adversaries


def position(one: Checker, *outcomes: tuple[str, int, int, Any], total: int = 12, spare: int = 1) -> Position:
    """One of this round with a pair (0, 1)."""
    releases = {(0, 1): (total, {v: (k0, k1, key) for v, k0, k1, key in outcomes})}
    return Position(one.round, "here", [], releases, set(), Curve(1, [1], [1]), spare)


def with_plays(*plays: Play) -> Checker:
    """Round 1, where plays of round 2 are in use, by the numbers 100, 101, ..."""
    one = in_round(1, checker())
    one.live |= {100 + number: ("play", play) for number, play in enumerate(plays)}
    return one


PAIR = ((0, 0),)


def test_an_adversary_has_the_chances_of_what_it_bets_on() -> None:
    one = with_plays(Play(2, "p", (1, 2), 6, 0, PAIR), Play(2, "q", (3, 1), 4, 1, ()))
    here = position(one, ("a", 1, 6, "p"), ("b", 4, 2, "q"), ("c", 5, 3, "r"), ("d", 2, 1, None))
    play = one.on_play(here, [0, 1], {"a": 100, "b": 101, "c": True, "d": False})
    exact = Fraction(1, 12) * Fraction(1, 6) + Fraction(4, 12) * Fraction(3, 4) + Fraction(5, 12)
    other = Fraction(6, 12) * Fraction(2, 6) + Fraction(2, 12) * Fraction(1, 4) + Fraction(3, 12)
    assert [Fraction(chance, play.unit) for chance in play.chances] == [exact, other]
    assert (play.round, play.key, play.hops) == (1, "here", 1 + 1)  # the most hops after it, and its own pair
    assert play.streams == ((0, 1), *PAIR)


@pytest.mark.parametrize(
    ("streams", "fixed"),
    [
        ((((0, 0),), ((0, 0),)), ((0, 1), (0, 0))),
        ((((0, 0),), ()), ((0, 1), (0, 0))),  # one stops, the other goes on
        (((), ()), ((0, 1),)),
        ((((0, 0),), ((1, 1),)), None),
        ((((0, 0),), None), None),
        ((None, None), None),
    ],
)
def test_streams_are_fixed_where_nothing_seen_counts(streams: tuple[Any, Any], fixed: Any) -> None:
    for pair in (streams, streams[::-1]):
        one = with_plays(*(Play(2, "p", (1, 1), 1, 0, stream) for stream in pair))
        here = position(one, ("a", 6, 6, "p"), ("b", 6, 6, "p"))
        assert one.on_play(here, [0, 1], {"a": 100, "b": 101}).streams == fixed


def test_pairs_that_no_relation_is_known_for_take_more_hops_than_there_are() -> None:
    one = with_plays()
    one.costs = {}
    here = position(one, ("a", 12, 12, None))
    assert one.on_play(here, [0, 1], {"a": True}).hops == one.hops + 1
    one.costs = {(0, 1): 0}
    assert one.on_play(here, [0, 1], {"a": True}).hops == 0


@pytest.mark.parametrize(
    ("then", "round_", "why"),
    [
        ({"a": True}, 1, "an answer to every output"),
        ({"a": True, "b": True, "c": True}, 1, "an answer to every output"),
        ({"a": True, "b": False}, 2, "an answer to every output"),
        ({"a": 101, "b": True}, 1, "where it leads"),
        ({"a": 102, "b": True}, 1, "where it leads"),
        ({"a": 99, "b": True}, 1, "a play that is in use"),
        ({"a": 1, "b": True}, 1, "a play that is in use"),
    ],
)
def test_what_is_no_adversary_is_refused(then: dict[str, Any], round_: int, why: str) -> None:
    one = with_plays(*(Play(at, key, (1, 1), 1, 0, ()) for at, key in ((2, "p"), (2, "q"), (1, "p"))))
    here = position(one, ("a", 6, 6, "p"), ("b", 6, 6, "p"))._replace(round=round_)
    one.on_play(here._replace(round=1), [0, 1], {"a": 100, "b": True})
    with pytest.raises(Invalid, match=why):
        one.on_play(here, [0, 1], then)


# --- claims

KEY = 0, "3:1", "3:1"
ROOT = Curve(7, [1, 3], [3, 1])
"""Half at e^epsilon = 1, and 1/4 at 2."""


def claiming(**changes: Any) -> Checker:
    """Where the claims come: round 1 with its one position."""
    one = in_round(1, checker())
    root = Position(1, KEY, [], {}, set(), ROOT, 1)._replace(**changes)
    one.here = {root.key: 50}
    one.live[50] = "position", root
    return one


CLAIM: dict[str, Any] = {
    "claim": "adaptive", "exp_epsilon": Fraction(1), "order": "0-1", "upper": Fraction(1, 2), "lower": None,
    "play": None, "front": None,
}  # fmt: skip
HALF = Play(1, KEY, (3, 1), 4, 1, ((0, 1),))


def fixed(one: Checker) -> Checker:
    """The claims on fixed streams are next."""
    one.claims = one.claims[4:]
    return one


def test_a_claim_that_the_curve_and_the_play_show_is_taken() -> None:
    one = claiming()
    one.on_claim(**CLAIM)
    assert one.complete
    one.on_claim(**CLAIM | {"order": "1-0", "lower": Fraction(1, 2), "play": HALF._replace(chances=(1, 3))})
    one.on_claim(**CLAIM | {"exp_epsilon": Fraction(2), "upper": Fraction(1, 4), "lower": Fraction(1, 4), "play": HALF})
    assert one.complete
    assert len(one.claims) == 5
    with pytest.raises(Invalid, match="in order"):
        one.on_claim(**CLAIM)


def at_two(one: Checker) -> Checker:
    """The claims at e^epsilon = 2 are next."""
    one.claims = one.claims[2:]
    return one


REFUSED: dict[str, tuple[Callable[[Checker], Any], dict[str, Any], str]] = {
    "another slope": (lambda one: one, {"exp_epsilon": Fraction(3)}, "in order"),
    "no claim left": (lambda one: one.claims.clear(), {}, "in order"),
    "another round": (lambda one: setattr(one, "round", 2), {}, "of the one position of round 1"),
    "two positions": (lambda one: one.here.update(x=50), {}, "of the one position of round 1"),
    "above": (lambda one: one, {"upper": Fraction(499, 1000)}, "the curves bound delta"),
    "no play": (lambda one: one, {"lower": Fraction(1, 10**9)}, "has a play"),
    "too low": (lambda one: one, {"lower": Fraction(1, 2) + Fraction(1, 10**9), "play": HALF}, "attains its bound"),
    "too low at 2": (
        at_two, {"exp_epsilon": Fraction(2), "lower": Fraction(1, 4) + Fraction(1, 10**9), "play": HALF}, "attains",
    ),
    "the other world": (lambda one: one, {"lower": Fraction(0), "play": HALF._replace(chances=(1, 3))}, "attains"),
    "a later play": (lambda one: one, {"lower": Fraction(1, 2), "play": HALF._replace(round=2)}, "attains its bound"),
    "streams that see": (
        fixed, {"claim": "fixed", "lower": Fraction(1, 2), "play": HALF._replace(streams=None)}, "what is seen",
    ),
    "a front of adversaries": (lambda one: one, {"front": Front(1, set(), [{KEY: ROOT}])}, "from round 1"),
    "a later front": (fixed, {"claim": "fixed", "front": Front(2, set(), [{KEY: ROOT}])}, "from round 1"),
    "one row above": (
        fixed,
        {
            "claim": "fixed", "upper": Fraction(1, 2),
            "front": Front(1, set(), [{KEY: Curve(8, [0, 1], [1, 0])}, {KEY: ROOT}]),
        },
        "the curves bound delta",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_claim_that_nothing_shows_is_refused(name: str) -> None:
    change, line, why = REFUSED[name]
    one = claiming()
    change(one)
    with pytest.raises(Invalid, match=why):
        one.on_claim(**CLAIM | line)


@pytest.mark.parametrize("key", [(0, "3:1", "4:1"), (0, "3:1 4:1", "3:1 4:1")])
def test_both_worlds_start_in_one_state(key: tuple[int, str, str]) -> None:
    one = claiming(key=key)
    with pytest.raises(Invalid, match="both worlds start in the same state"):
        one.on_claim(**CLAIM)


def test_a_bound_on_fixed_streams_is_that_of_the_highest_row_and_of_nothing_else() -> None:
    one = fixed(claiming())
    one.on_claim(
        **CLAIM | {"claim": "fixed", "front": Front(1, set(), [{KEY: Curve(8, [1], [1])}]), "upper": Fraction(0)}
    )
    one = fixed(claiming())
    one.on_claim(**CLAIM | {"claim": "fixed", "lower": Fraction(1, 2), "play": HALF})
    assert one.complete


def test_a_certificate_is_complete_where_pairs_and_plays_keep_to_the_relation() -> None:
    for spare, hops, complete in ((1, 1, True), (0, 1, False), (-1, 1, False), (1, 2, False), (5, 0, True)):
        one = claiming(spare=spare)
        one.on_claim(**CLAIM | {"lower": Fraction(1, 2), "play": HALF._replace(hops=hops)})
        assert one.complete is complete
        one = claiming(spare=spare)
        one.on_claim(**CLAIM)
        assert one.complete is (spare >= 1)


# --- rungs


def rung_checker(rung: str, **header: Any) -> RungChecker:
    return RungChecker(
        {"digits": 9, "horizon": 2, "alphabet": ["0", "1"], "game": "paired", "adjacency": "hamming", "hops": 1,
         "hidden": False, "rung": rung, "challenge_round": None} | header
    )  # fmt: skip


LOW, HIGH = Curve(1, [1, 2], [2, 1]), Curve(1, [1, 3], [3, 1])


@pytest.mark.parametrize(
    ("costs", "rise"),
    [
        ({(1, 1): LOW, (1, 2): HIGH}, True), ({(1, 1): HIGH, (1, 2): LOW}, False), ({(1, 1): LOW, (1, 2): LOW}, True),
        ({(1, 2): HIGH, (2, 1): LOW}, True),  # of two rounds none is held against the other
        ({(1, 1): LOW, (1, 2): HIGH, (2, 1): HIGH, (2, 3): LOW}, False), ({(1, 1): HIGH}, True),
    ],
)  # fmt: skip
def test_curves_rise_with_the_distance_in_every_round(
    costs: dict[tuple[int, int], Curve], rise: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RungChecker, "bound_by_digests", lambda _: None)
    monkeypatch.setattr(RungChecker, "ahead", lambda _: {})
    one = rung_checker("SCALAR")
    one.aggregate, one.costs = ([[0], [1]], 0, "sum", [[1], [2]]), dict(reversed(costs.items()))
    if rise:
        assert one.verdict() == THEOREMS["SCALAR"]
    else:
        with pytest.raises(Invalid, match="rise with the distance"):
            one.verdict()


def test_what_is_wrong_with_a_rung_is_said_with_its_line() -> None:
    header: dict[str, Any] = {"lines": 7, "digits": 9, "horizon": 1, "alphabet": ["0"], "game": "paired",
              "adjacency": "hamming",
              "hops": 1, "hidden": False, "rung": "CONTEXT_STABLE", "challenge_round": None}  # fmt: skip
    header["game_digest"] = ""
    for text, why in (
        ('{"start":"s"}\n{"start":"t"}\n', "line 9: expected one start"),
        ('{"start":7}\n', "line 8: expected a label on one line"),
        ('{"start":"a\\nb"}\n', "line 8: expected a label on one line"),
        ('{"start":"a\\tb"}\n', "line 8: expected a label on one line"),
        ('{"challenge":[1,0.0,1],"curves":[]}\n', "line 8: expected whole numbers"),
        ('{"challenge":[1,0,true],"curves":[]}\n', "line 8: expected whole numbers"),
        ('{"start":"s"}\n{"law":["s",0],"to":{"a":"1"},"then":[]}\n', "line 9: expected a label on one line"),
        ('{"start":"s"}\n[]\n', "line 9: expected every part in its form"),
        ('{"start":"s"}\n', "line 8: expected the game of the certificate"),
    ):
        with pytest.raises(Invalid) as raised:
            verify_rung(io.StringIO(text), header)
        assert str(raised.value) == why


SUMS: dict[str, Any] = {"aggregate": [[0], [1]], "modulus": 5, "distance": "sum", "index_sets": [[1], [1, 2]]}


def test_an_aggregate_that_is_one_is_taken_once_and_before_the_challenges() -> None:
    one = rung_checker("SCALAR")
    one.read(SUMS)
    assert one.aggregate == ([[0], [1]], 5, "sum", [[1], [1, 2]])
    with pytest.raises(Invalid, match="one aggregate, before the challenges"):
        one.read(SUMS)
    late = rung_checker("SCALAR")
    late.rows[1, 0, 1] = ()
    with pytest.raises(Invalid, match="one aggregate, before the challenges"):
        late.read(SUMS)
    rung_checker("VECTOR").read(SUMS | {"distance": None, "modulus": 0})


@pytest.mark.parametrize(
    ("rung", "change", "why"),
    [
        ("VECTOR", {}, "for SCALAR or VECTOR"), ("SCALAR", {"distance": None}, "for SCALAR or VECTOR"),
        ("CONTEXT_STABLE", {}, "for SCALAR or VECTOR"), ("SCALAR", {"distance": "another"}, "a distance that is known"),
        ("SCALAR", {"aggregate": [[0]]}, "a vector for each input"), ("SCALAR", {"index_sets": [[1]]}, "an index set"),
        ("SCALAR", {"aggregate": [[0], [1, 2]]}, "a vector for each"), ("SCALAR", {"modulus": -1}, "an index set"),
        ("SCALAR", {"modulus": 5.0}, "an index set for"), ("SCALAR", {"modulus": True}, "an index set for"),
        ("SCALAR", {"aggregate": [[0], [1.0]]}, "whole numbers"), ("SCALAR", {"index_sets": [[1], [True]]}, "whole"),
    ],
)  # fmt: skip
def test_what_is_no_aggregate_is_refused(rung: str, change: dict[str, Any], why: str) -> None:
    with pytest.raises(Invalid, match=why):
        rung_checker(rung).read(SUMS | change)


def test_a_difference_is_of_the_rounds_that_add_up_and_as_large_as_it_is() -> None:
    one = rung_checker("SCALAR")
    assert one.discrepancy(2, 1, 0, 1) == (1, 0, 1)  # without an aggregate each challenge is one by itself
    one.aggregate = [[0, 5], [3, 1]], 0, "sum", [[1], [1, 2]]
    assert one.discrepancy(1, 1, 0, 1) == 7
    assert one.discrepancy(1, 2, 0, 1) == 0
    assert one.discrepancy(2, 2, 1, 0) == 7
    one.aggregate = [[0, 5], [3, 1]], 5, "largest", [[1], [1, 2]]
    assert one.discrepancy(1, 1, 0, 1) == 2  # the nearer way round: 3 and 4 are 2 and 1
    one.aggregate = [[0, 5], [3, 1]], 5, None, [[1], [1, 2]]
    assert one.discrepancy(1, 1, 0, 1) == (2, 4)


JUNK = ["null", "0", "true", '""', '"x"', "[]", "{}", "[[]]", '{"":0}', '{"last":9}', '{"start":null}', '{"law":[]}',
        '{"law":[[],0],"to":[],"then":""}', '{"challenge":[],"curves":[]}', '{"challenge":[1,0],"curves":0}',
        '{"aggregate":{},"modulus":0,"distance":[],"index_sets":0}', '{"state":[],"last":9}', '{"curve":{},"last":9}',
        '{"play":[],"pair":0,"then":[],"last":9}', '{"mirror":{},"last":9}', '{"round":[]}', "1e999", "NaN",
]  # fmt: skip


@pytest.mark.parametrize("text", JUNK)
def test_whatever_stands_on_a_line_is_valid_or_not_and_nothing_else(text: str) -> None:
    header = rung_checker("SCALAR").header
    with pytest.raises(Invalid, match="line 8: expected"):
        verify_rung(io.StringIO(f"{text}\n"), {**header, "lines": 7, "game_digest": ""})
    first = json.dumps(checker().header, separators=(",", ":"))
    with pytest.raises(Invalid, match="line 2: expected"):
        verify(io.StringIO(f"{first}\n{text}\n"))
