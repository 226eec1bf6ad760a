"""Lines of a certificate by themselves: headers, laws, numbers and beliefs, and each thing that is refused."""

from fractions import Fraction
from math import gcd
from random import Random
from typing import Any

import pytest
from instances.checking import checker, in_round, reads
from instances.seeds import chosen

from dpcert.verify_certificate import Checker, Invalid, legal_costs, rational


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
