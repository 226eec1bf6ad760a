"""Positions of a certificate: what each releases, and how many changes it leaves."""

from fractions import Fraction
from typing import Any

import pytest
from instances.checking import checker, in_round, reads

from dpcert.verify_certificate import Checker, Curve, Invalid, Position


def core(one: Checker) -> tuple[Checker, dict[str, int]]:
    """Randomised response in one state that goes on, and in one that tells nothing."""
    named = {name: reads(one, state=name) for name in ("tells", "quiet")}
    for name, (low, high) in {"tells": (1, 3), "quiet": (1, 1)}.items():
        for x in (0, 1):
            weights = (high, low) if x else (low, high)
            to = [[visible, named["tells"], str(w)] for visible, w in zip("ab", weights, strict=True)]
            reads(one, kernel=[named[name], x], to=to, of=str(low + high))
    return one, named


MOVES = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
AFTER = [[0, 0, 1], [1, 1, 1]]
PLAIN, RESPONSE, SURE = ["1", "1"], ["1 3", "3 1"], ["0 1", "1 0"]


def two_rounds(hidden: bool, **curves: list[str]) -> tuple[Checker, dict[str, int]]:
    """Randomised response of two rounds, with one change of an input, down to the position of round 1."""
    one, named = core(in_round(2, checker(hidden=hidden)))
    curve = {name: reads(one, curve=masses) for name, masses in curves.items()}
    free, spent = (
        reads(one, moves=[[x, y, None] for x, y, _ in MOVES]),
        reads(one, moves=[[x, y, None] for x, y, _ in AFTER]),
    )
    belief = f"{named['tells']}:1"
    named["free"] = reads(one, position=[0, belief, belief], moves=free, curve=curve["free"])
    named["spent"] = reads(one, position=[1, belief, belief], moves=spent, curve=curve["spent"])
    one.read({"round": 1})
    first = reads(one, moves=MOVES)
    named["first"] = reads(one, position=[0, belief, belief], moves=first, curve=curve["first"])
    return one, named


@pytest.mark.parametrize("hidden", [False, True])
def test_each_position_is_held_against_what_follows(hidden: bool) -> None:
    one, named = two_rounds(hidden, free=RESPONSE, spent=PLAIN, first=RESPONSE)
    position = one.live[named["first"]][1]
    assert position.round == 1
    total, outcomes = position.releases[0, 1]
    belief = f"{named['tells']}:1"
    assert {v: (Fraction(k0, total), Fraction(k1, total), key) for v, (k0, k1, key) in outcomes.items()} == {
        "a": (Fraction(1, 4), Fraction(3, 4), (1, belief, belief)),
        "b": (Fraction(3, 4), Fraction(1, 4), (1, belief, belief)),
    }
    assert position.releases[0, 0][1]["a"][2] == (0, belief, belief)
    assert position.spare >= one.hops
    for curves in ({"free": PLAIN}, {"first": PLAIN}, {"spent": SURE}, {"free": SURE}):
        with pytest.raises(Invalid, match="a curve bounds what follows"):
            two_rounds(hidden, **({"free": RESPONSE, "spent": PLAIN, "first": RESPONSE} | curves))
    two_rounds(hidden, free=SURE, spent=SURE, first=SURE)


@pytest.mark.parametrize(
    ("moves", "spare"),
    [
        (MOVES, 1),
        ([*MOVES[:2], MOVES[3]], 0),  # one pair that differs is missing
        (MOVES[:1], -1),  # and one that does not
    ],
)
def test_as_many_hops_are_spared_as_listed_pairs_leave(moves: list[Any], spare: int) -> None:
    one, named = core(in_round(2, checker()))
    belief, curve = f"{named['tells']}:1", reads(one, curve=RESPONSE)
    listed = reads(one, moves=[[x, y, None] for x, y, _ in moves])
    reads(one, position=[0, belief, belief], moves=listed, curve=curve)
    assert one.live[one.line][1].spare == spare


def test_a_pair_after_which_all_is_over_spares_none_before_the_last_round() -> None:
    one, named = core(in_round(1, checker()))
    belief, curve = f"{named['tells']}:1", reads(one, curve=RESPONSE)
    reads(one, position=[0, belief, belief], moves=reads(one, moves=[[*pair[:2], None] for pair in MOVES]), curve=curve)
    assert one.live[one.line][1].spare == -1


def test_what_one_world_cannot_say_ends_a_hidden_game_and_no_other() -> None:
    for hidden in (True, False):
        one = in_round(1, checker(hidden=hidden))
        state = reads(one, state="s")
        reads(one, kernel=[state, 0], to=[["a", state, "1"], ["b", state, "1"]], of="2")
        reads(one, kernel=[state, 1], to=[["a", state, "1"]], of="1")
        listed, curve = reads(one, moves=[[0, 1, 0]]), reads(one, curve=["0 1", "1 0"])
        belief = f"{state}:1"
        line = {"position": [0, belief, belief], "moves": listed, "curve": curve}
        with pytest.raises(Invalid, match="a position that is in use"):  # "a" leads to one of round 2
            reads(one, **line)
        one.after = {(0, belief, belief): reads(one, curve=["1", "1"])}
        one.live[one.line] = "position", Position(2, (0, belief, belief), [], {}, set(), Curve(1, [1], [1]), 0)
        reads(one, **line)
        assert one.live[one.line][1].releases[0, 1] == (
            2,
            {"a": (1, 2, (0, belief, belief)), "b": (1, 0, None if hidden else (0, belief, belief))},
        )


def alike(last: list[list[int | None]], earlier: list[list[int]] | None = None) -> tuple[Checker, list[int]]:
    """A position of round 3 of 3, then one in each round before, all of one key; `earlier` are the moves of round 1."""
    one, named = core(in_round(3, checker(horizon=3, hidden=False)))
    belief, curve = f"{named['tells']}:1", reads(one, curve=SURE)
    numbers = [reads(one, position=[0, belief, belief], moves=reads(one, moves=last), curve=curve)]
    listed = reads(one, moves=[[0, 1, 0]])
    for moves in (listed, listed if earlier is None else reads(one, moves=earlier)):
        one.read({"round": one.round - 1})
        numbers.append(reads(one, position=[0, belief, belief], moves=moves, curve=curve))
    return one, numbers


def test_a_position_releases_what_it_does_in_the_next_round() -> None:
    """From a round on that another one follows, by the same moves and laws that are in use."""
    one, numbers = alike([[0, 1, None]])
    third, second, first = (one.live[number][1] for number in numbers)
    belief = third.key[1]
    assert {key for *_, key in third.releases[0, 1][1].values()} == {None}
    assert {key for *_, key in second.releases[0, 1][1].values()} == {(0, belief, belief)}
    assert first.releases is second.releases
    assert first.laws == {one.labels[int(belief[:-2]), x] for x in (0, 1)}
    assert {one.uses[law] for law in first.laws} == {numbers[2]}


def test_what_a_position_of_the_last_round_releases_leads_nowhere_but_before_it_does() -> None:
    """Moves may say what the relation would be after the last round; those of an earlier one are no less for it."""
    one, numbers = alike([[0, 1, 0]])
    third, second = (one.live[number][1] for number in numbers[:2])
    assert {key for *_, key in third.releases[0, 1][1].values()} == {None}
    assert {key for *_, key in second.releases[0, 1][1].values()} == {third.key}


def test_other_moves_release_something_else() -> None:
    one, numbers = alike([[0, 1, None]], [[1, 1, 0]])
    assert one.live[numbers[2]][1].releases.keys() == {(1, 1)}


def test_a_law_that_is_not_in_use_is_none_of_a_position_alike() -> None:
    one, numbers = alike([[0, 1, None]])
    first = one.live[numbers[2]][1]
    one.here.clear()
    del one.live[min(first.laws)]
    with pytest.raises(Invalid, match="a kernel that is in use"):
        one.on_position(list(first.key), first.moves, first.curve)
    assert first.key not in one.here


def test_a_pair_spares_what_the_worst_of_its_outcomes_does() -> None:
    for spares, spare in (((1, 1), 1), ((1, 0), 0), ((0, 1), 0), ((-1, 1), -1)):
        one = in_round(1, checker())
        state, other = reads(one, state="s"), reads(one, state="t")
        for x in (0, 1):
            reads(one, kernel=[state, x], to=[["a", state, "1"], ["b", other, "1"]], of="2")
        listed, curve = reads(one, moves=MOVES), reads(one, curve=PLAIN)
        for relation in (0, 1):
            for there, spared in zip((state, other), spares, strict=True):
                key = relation, f"{there}:1", f"{there}:1"
                one.after[key] = reads(one, curve=PLAIN)
                one.live[one.line] = "position", Position(2, key, [], {}, set(), Curve(1, [1], [1]), spared)
        reads(one, position=[0, f"{state}:1", f"{state}:1"], moves=listed, curve=curve)
        assert one.live[one.line][1].spare == spare


def test_halt_ends_a_hidden_game() -> None:
    one = in_round(1, checker())
    state = reads(one, state="s")
    for x in (0, 1):
        reads(one, kernel=[state, x], to=[["HALT", state, "1"]], of="1")
    listed, curve = reads(one, moves=[[0, 1, 0]]), reads(one, curve=PLAIN)
    reads(one, position=[0, f"{state}:1", f"{state}:1"], moves=listed, curve=curve)
    assert one.live[one.line][1].releases[0, 1] == (1, {"HALT": (1, 1, None)})


def test_a_position_is_given_once_and_in_a_round() -> None:
    one, named = core(in_round(2, checker()))
    belief, curve = f"{named['tells']}:1", reads(one, curve=RESPONSE)
    listed = reads(one, moves=[[x, y, None] for x, y, _ in MOVES])
    line = {"position": [0, belief, belief], "moves": listed, "curve": curve}
    reads(one, **line)
    with pytest.raises(Invalid, match="given once, in a round"):
        reads(one, **line)
    early = checker()
    early.here, early.round = {}, 3
    early.pushes, early.equal, early.costs, early.after = {}, set(), {}, {}
    with pytest.raises(Invalid, match="given once, in a round"):
        early.on_position([0, "1:1", "1:1"], [], Curve(1, [1], [1]))


def test_rounds_come_one_after_another_each_with_positions() -> None:
    for numbers in ((1,), (3,), (2, 2)):
        one = checker()
        *before, number = numbers
        for earlier in before:
            one.read({"round": earlier})
        with pytest.raises(Invalid, match=r"from the last to the first|a round has positions"):
            one.read({"round": number})
    one = checker()
    one.read({"round": 2})
    with pytest.raises(Invalid, match="a round has positions"):
        one.read({"round": 1})
    one = in_round(1, checker())
    one.here["a position"] = 0
    with pytest.raises(Invalid, match="from the last to the first"):
        one.read({"round": 0})
