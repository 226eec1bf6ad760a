"""The parts of the checker by themselves: what it works out against fractions, and each thing that it refuses."""

from collections import Counter
from fractions import Fraction
from math import gcd
from random import Random
from typing import Any

import pytest
from instances.checking import MANY, checker, in_round, reads
from instances.seeds import chosen

from dpcert import verify_certificate
from dpcert.verify_certificate import Checker, Curve, Invalid, Position, holds, legal_costs, rational

# --- beliefs


def with_laws(seed: int, one: Checker) -> tuple[Checker, dict[int, dict[tuple[str, int], Fraction]]]:
    """Three hidden states with random laws over totals of their own, and these by state."""
    rng, laws = Random(seed), {}
    states = [reads(one, state=f"s{number}") for number in range(3)]
    for state in states:
        keys = rng.sample([(v, after) for v in ("a", "b") for after in states], rng.randint(1, 4))
        weights = [rng.randint(1, 4) for _ in keys]
        to = [[v, after, str(w)] for (v, after), w in zip(keys, weights, strict=True)]
        reads(one, kernel=[state, 0], to=to, of=str(sum(weights)))
        laws[state] = {key: Fraction(w, sum(weights)) for key, w in zip(keys, weights, strict=True)}
    return one, laws


@pytest.mark.parametrize("seed", chosen(range(24)))
def test_a_belief_moves_on_by_the_rule_of_bayes(seed: int) -> None:
    one, laws = with_laws(seed, in_round(2, checker()))
    rng = Random(seed)
    for _ in range(4):
        belief = {state: rng.randint(1, 5) for state in sorted(rng.sample(sorted(laws), rng.randint(1, 3)))}
        common = gcd(*belief.values())
        text = " ".join(f"{state}:{weight // common}" for state, weight in belief.items())
        joint: dict[str, dict[int, Fraction]] = {}
        for state, weight in belief.items():
            for (visible, after), chance in laws[state].items():
                there = joint.setdefault(visible, {})
                there[after] = there.get(after, Fraction(0)) + Fraction(weight, sum(belief.values())) * chance
        for _ in range(2):  # once more, from what is remembered
            total, table, used = one.outputs(text, 0)
            assert used == [one.labels[state, 0] for state in belief]
            assert table.keys() == joint.keys()
            for visible, (mass, after_text) in table.items():
                assert Fraction(mass, total) == sum(joint[visible].values())
                after = {int(s): int(w) for s, w in (part.split(":") for part in after_text.split(" "))}
                assert list(after) == sorted(joint[visible])
                assert gcd(*after.values()) == 1
                whole = sum(after.values())
                mean = sum(joint[visible].values())
                assert {s: Fraction(w, whole) for s, w in after.items()} == {
                    s: p / mean for s, p in joint[visible].items()
                }


@pytest.mark.parametrize(
    "text",
    ["3:0 4:1", "3:2 4:4", "4:1 3:1", "3:1 3:1", "3:1  4:1", "3:1 4", "3", "", "9:1", "3:100", "3:1 4:100", "03:1"],
)
def test_a_belief_is_written_in_one_way_of_numbers_no_longer_than_stated(text: str) -> None:
    one, _ = with_laws(0, in_round(2, checker(digits=2)))
    assert one.outputs("3:99 4:1", 0)[0] % 100 == 0
    with pytest.raises((Invalid, ValueError)):
        one.outputs(text, 0)


def test_numbers_of_states_may_be_longer_than_those_of_weights() -> None:
    one = in_round(1, checker(digits=1, horizon=1))
    for number in range(12):
        state = reads(one, state=f"s{number}")
    reads(one, kernel=[state, 0], to=[["a", state, "3"]], of="3")
    assert state > 9
    assert one.outputs(f"{state}:1", 0)[:2] == (3, {"a": (3, f"{state}:1")})
    with pytest.raises(Invalid, match="in lowest terms"):
        in_round(1, checker(digits=1, horizon=1)).outputs("2:10 3:1", 0)


# --- headers, and lines by themselves


@pytest.mark.parametrize(
    "header",
    [
        {"digits": 4_000}, {"live": 5_000_000}, {"live": 1, "digits": 1}, {"challenge_round": 1},
        {"challenge_round": 2}, {"exp_epsilons": ["1"]}, {"exp_epsilons": ["1", "3/2", "2"]}, {"horizon": 1},
    ],
)  # fmt: skip
def test_what_lies_on_a_limit_is_read(header: dict[str, Any]) -> None:
    assert checker(**header).line == 1


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ({"digits": 4_001}, "within limits"), ({"digits": 0}, "within limits"), ({"live": 5_000_001}, "within limits"),
        ({"live": 0}, "within limits"), ({"challenge_round": 3}, "in one of the rounds"), ({"horizon": 0}, "one round"),
        ({"challenge_round": 0}, "in one of the rounds"), ({"exp_epsilons": ["1/2", "3"]}, "of at least 1"),
        ({"exp_epsilons": ["2", "1"]}, "rising"), ({"exp_epsilons": ["1", "1"]}, "rising"), ({"hops": 0}, "one round"),
        ({"exp_epsilons": []}, "of at least 1"), ({"game": "another"}, "one round"),
    ],
)  # fmt: skip
def test_what_lies_past_a_limit_is_refused(header: dict[str, Any], why: str) -> None:
    with pytest.raises(Invalid, match=why):
        checker(**header)


def test_a_null_input_is_numbered_after_the_others() -> None:
    assert checker(null="0").inputs == ["0", "1"]
    assert checker(null="2").inputs == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("law", "why"),
    [
        ({"to": [["a", 2, "0"], ["b", 2, "3"]]}, "an outcome with a weight"),
        ({"to": [["a", 2, "1"], ["a", 2, "2"]]}, "an outcome with a weight"),
        ({"kernel": [2, 2]}, "the law of an input"),
        ({"of": "4"}, "sum to its total"),
        ({"of": "6/2"}, "lowest terms"),
        ({"to": [["a", 2, "1 2"]]}, "every part in its form|values to unpack"),
    ],
)
def test_a_law_has_outcomes_with_weights_each_once(law: dict[str, Any], why: str) -> None:
    for hidden in (True, False):
        one = checker(hidden=hidden)
        line = {"kernel": [reads(one, state="s"), 0], "to": [["a", 2, "1"], ["b", 2, "2"]], "of": "3"}
        reads(one, **line)
        with pytest.raises((Invalid, ValueError), match=why):
            reads(one, **(line | {"kernel": [2, 1]} | law))


def test_the_law_of_a_state_under_an_input_is_given_once() -> None:
    one = checker()
    line = {"kernel": [reads(one, state="s"), 0], "to": [["a", 2, "1"]], "of": "1"}
    reads(one, **line)
    with pytest.raises(Invalid, match="the law of an input, given once"):
        reads(one, **line)


def test_a_core_goes_on_in_one_state_and_what_is_hidden_in_several() -> None:
    for hidden in (True, False):
        one = checker(hidden=hidden)
        here, there = reads(one, state="s"), reads(one, state="t")
        line = {"kernel": [here, 0], "to": [["a", here, "1"], ["b", there, "1"]], "of": "2"}
        if hidden:
            reads(one, **line)
        else:
            with pytest.raises(Invalid, match="no matter of chance"):
                reads(one, **line)


@pytest.mark.parametrize("moves", [[], [[0, 2, None]], [[2, 0, None]], [[0, 0, None], [0, 0, 1]]])
def test_pairs_are_of_inputs_that_there_are_each_once(moves: list[Any]) -> None:
    with pytest.raises(Invalid, match=r"pairs of inputs|a pair is listed once"):
        reads(checker(), moves=moves)
    assert reads(checker(), moves=[[0, 1, None], [1, 0, None], [1, 1, 0]]) == 2


def test_a_line_says_which_later_line_uses_it_last() -> None:
    for last in (0, 1, 2):
        with pytest.raises(Invalid, match=r"which later line uses it last|where it says"):
            checker().read({"state": "s", "last": last})
    one = checker(live=2)
    reads(one, state="s"), reads(one, state="t")
    with pytest.raises(Invalid, match="no more lines in use"):
        reads(one, state="u")


def test_labels_of_states_are_their_own_whatever_the_line() -> None:
    one = checker()
    reads(one, state="s")
    with pytest.raises(Invalid, match="a label of its own"):
        reads(one, state="s")


@pytest.mark.parametrize(
    ("text", "number"),
    [("3", 3), ("3/2", Fraction(3, 2)), ("0", 0), ("3/1", None), ("6/4", None), ("0/2", None), ("3/0", None),
     ("03", None), ("-3", None), ("1/2/3", None), ("3 2", None), ("", None), ("12345", None), ("1/12345", None)],
)  # fmt: skip
def test_a_fraction_is_written_in_one_way(text: str, number: Fraction | None) -> None:
    if number is None:
        with pytest.raises((Invalid, ValueError)):
            rational(text, 4)
    else:
        assert rational(text, 4) == number


def test_zero_out_leaves_its_null_input_in_the_place_of_another() -> None:
    header = checker(adjacency="zero-out", null="9").header
    costs = {(0, 0): 0, (1, 1): 0, (0, 2): 1, (1, 2): 1}
    assert legal_costs(header, ["0", "1", "9"], 1) == costs
    assert legal_costs(header | {"challenge_round": 2}, ["0", "1", "9"], 1) == {(0, 0): 0, (1, 1): 0}
    assert legal_costs(header | {"challenge_round": 2}, ["0", "1", "9"], 2) == {(0, 2): 1, (1, 2): 1}
    assert legal_costs(header | {"hops": 2}, ["0", "1", "9"], 1) == {}
    inside = checker(adjacency="zero-out", null="0").header
    assert legal_costs(inside, ["0", "1"], 1) == {(0, 0): 0, (1, 1): 0, (1, 0): 1}


# --- curves


def height(curve: Curve, a: Fraction, b: Fraction) -> Fraction:
    """V(a, b), in fractions: the largest b y - a x over the corners."""
    corners = zip(curve.sum0, curve.sum1, strict=True)
    return max(b * Fraction(y, curve.total1) - a * Fraction(x, curve.total0) for x, y in corners)


def random_curve(rng: Random) -> Curve:
    """Of one to three segments, the first or the last perhaps along an axis."""
    segments = {(rng.randint(0, 3), rng.randint(0, 3)) for _ in range(rng.randint(1, 3))} - {(0, 0)} or {(1, 1)}
    by_slope = {Fraction(b, a) if a else MANY: (a, b) for a, b in segments}
    steps = [by_slope[slope] for slope in sorted(by_slope, reverse=True)]
    zeros, ones = [a for a, _ in steps], [b for _, b in steps]
    return Curve(2, zeros, ones) if any(zeros) and any(ones) else Curve(2, [1], [1])


@pytest.mark.parametrize("seed", chosen(range(80)))
def test_a_curve_bounds_what_follows_where_it_does_at_every_slope(seed: int) -> None:
    rng = Random(seed)
    for _ in range(4):
        count, total = rng.randint(1, 3), rng.randint(1, 5)
        weights = [Counter(rng.randrange(count) for _ in range(total)) for _ in (0, 1)]
        outcomes = [(weights[0][i], weights[1][i], random_curve(rng)) for i in range(count)]
        curve = random_curve(rng)
        slopes = {
            Fraction(y * curve.total0, x * curve.total1) for x, y in zip(curve.mass0, curve.mass1, strict=True) if x
        }
        for k0, k1, after in outcomes:
            steps = zip(after.mass0, after.mass1, strict=True)
            slopes |= {Fraction(y * after.total0 * k1, x * after.total1 * k0) for x, y in steps if x * k0}
        rays = [(slope, Fraction(1)) for slope in slopes] + [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
        exact = all(
            sum(height(n, a * k0, b * k1) for k0, k1, n in outcomes) <= total * height(curve, a, b) for a, b in rays
        )
        assert holds(curve, outcomes, total) is exact


def test_nothing_is_compared_twice_and_no_curve_passes_for_its_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one release showed of a curve shows as much of its mirror with the worlds swapped, and of nothing else."""
    compared: list[int] = []
    monkeypatch.setattr(verify_certificate, "holds", lambda *given: compared.append(1) or holds(*given))  # type: ignore[func-returns-value]
    one = in_round(1, checker())
    leaning, even = Curve(7, [0, 3], [1, 2]), Curve(8, [1, 2], [2, 1])
    mirror = one.on_mirror(leaning)
    release = 3, {"a": (0, 1, None), "b": (3, 2, None)}
    swapped = 3, {"a": (1, 0, None), "b": (2, 3, None)}
    for _ in range(2):
        one.compare(leaning, release, {})
        one.compare(mirror, swapped, {})
    assert len(compared) == 1
    for curve, other in ((leaning, swapped), (mirror, release)):
        with pytest.raises(Invalid, match="a curve bounds what follows"):
            one.compare(curve, other, {})
    compared.clear()
    for outcomes in ((1, 2), (2, 1)):
        k0, k1 = outcomes
        one.compare(even, (3, {"a": (k0, k1, None), "b": (k1, k0, None)}), {})
    assert len(compared) == 1  # it is its own mirror


def test_what_was_compared_is_known_in_the_next_round_and_then_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    monkeypatch.setattr(verify_certificate, "holds", lambda *given: compared.append(1) or holds(*given))  # type: ignore[func-returns-value]
    one = in_round(5, checker(horizon=5))
    curve, release = Curve(7, [0, 3], [1, 2]), (3, {"a": (0, 1, None), "b": (3, 2, None)})
    counts = []
    for compares in (True, True, True, False, True):
        for _ in range(compares):
            one.compare(curve, release, {})
        counts.append(len(compared))
        one.here["a position"] = 0
        if one.round > 1:
            one.read({"round": one.round - 1})
    assert counts == [1, 1, 1, 1, 2]


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_the_delta_of_a_curve_is_the_largest_over_its_corners_in_either_order(seed: int) -> None:
    curve = random_curve(Random(seed))
    corners = [
        (Fraction(x, curve.total0), Fraction(y, curve.total1)) for x, y in zip(curve.sum0, curve.sum1, strict=True)
    ]
    for e in (Fraction(1), Fraction(3, 2), Fraction(7)):
        assert curve.delta(e, "1-0") == max(y - e * x for x, y in corners)
        assert curve.delta(e, "0-1") == max((1 - x) - e * (1 - y) for x, y in corners)


@pytest.mark.parametrize(
    ("change", "known"),
    [
        ({}, True), ({"game": "npp"}, False), ({"null": "1"}, False), ({"adjacency": "zero-out"}, False),
        ({"adjacency": "zero-out", "null": "1"}, True), ({"adjacency": "edit"}, False),
    ],
)  # fmt: skip
def test_relations_are_known_of_plain_games_alone(change: dict[str, Any], known: bool) -> None:
    one = checker(**change)
    assert bool(legal_costs(one.header, one.inputs, 1)) is known
    assert not legal_costs(one.header | {"adjacency": "hamming", "null": None}, ["0", "0"], 1)  # two inputs of one name


# --- positions


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
