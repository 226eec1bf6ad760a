"""What can be asked, what is refused and in which words, and the relation that a question is played on."""

from fractions import Fraction
from typing import Any

import pytest

from dpcert import uniform
from dpcert.audit.defaults import DEFAULT_DELTA
from dpcert.audit.errors import ArgumentError, MechanismError
from dpcert.audit.games.horizon import EVERY
from dpcert.audit.games.question import Question, asked, naming_null
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING, ZERO_OUT, ChallengeAt, ZeroOut
from dpcert.audit.relations.hops import Hops
from dpcert.mechanisms.randomized_response import RandomizedResponse

RESPONSE: Any = view_of(RandomizedResponse())


class Inputs:
    """Inputs alone."""

    horizon = None

    def __init__(self, *alphabet: Any) -> None:
        self.alphabet = alphabet


def question(view: Any = RESPONSE, **changed: Any) -> Question:
    plain: dict[str, Any] = {"horizon": 3, "adjacency": "hamming", "hops": 1, "challenge_round": None}
    points: dict[str, Any] = {"exp_epsilons": (2, 1, 2), "epsilons": (), "deltas": ()}
    return asked(view, **{**plain, **points, **changed})


def test_points_in_order_and_the_first_delta() -> None:
    made = question(epsilons=(3, 0, 10**4), deltas=(Fraction(1, 2), 0, 1))
    assert ([*made.exp_epsilons], made.epsilons, made.deltas) == ([1, 2], (0, 3, 10**4), (0, Fraction(1, 2), 1))
    assert (made.delta, question().delta) == (Fraction(1, 2), DEFAULT_DELTA)
    assert (made.rounds, made.every_horizon, made.adjacency) == (3, False, "hamming")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "every adversary over 3 rounds, streams that differ in any one round (hamming)"),
        ({"hops": 2}, "every adversary over 3 rounds, streams that differ in any one round (hamming, 2 hops apart)"),
        ({"challenge_round": 3}, "every adversary over 3 rounds, streams that differ in round 3 (hamming)"),
        ({"adjacency": "any", "horizon": 1}, "every adversary over 1 round, streams that differ in any rounds (any)"),
        (
            {"adjacency": "edit"},
            "every adversary over 3 rounds, streams that differ by one item more or less, in any round (edit)",
        ),
    ],
)
def test_a_scope_in_words(changed: dict[str, Any], words: str) -> None:
    assert question(**changed).in_words == words


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"hops": 0}, "a number of hops from 1 to 8 but got hops=0"),
        ({"hops": 9}, "a number of hops from 1 to 8 but got hops=9"),
        ({"challenge_round": 0}, "a challenge round from 1 to the horizon 3"),
        ({"challenge_round": 4}, "a challenge round from 1 to the horizon 3"),
        ({"adjacency": "edit", "challenge_round": 1}, "no challenge round with edit"),
        ({"horizon": EVERY, "hops": 2}, "one hop, hamming and any challenge round with horizon=inf"),
        ({"horizon": EVERY, "challenge_round": 1}, "any challenge round with horizon=inf"),
        ({"horizon": EVERY, "adjacency": "unit-hamming"}, "one hop, hamming and any challenge round"),
        ({"view": Inputs("a"), "challenge_round": 1}, "an alphabet of at least 2 inputs"),
        ({"view": Inputs(0, "a"), "adjacency": "unit-hamming"}, "an alphabet of whole numbers for unit-hamming"),
        ({"exp_epsilons": "2"}, "several numbers for exp_epsilons"),
        ({"deltas": Fraction(1, 2)}, "several numbers for deltas"),
    ],
)
def test_what_does_not_go_together_is_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        question(**changed)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    "changed",
    [
        {"hops": 8},
        {"challenge_round": 3},
        {"horizon": EVERY},
        {"view": Inputs("a"), "challenge_round": 1, "hops": 2},
        {"view": Inputs("a"), "challenge_round": 1, "adjacency": "zero-out"},
        {"view": Inputs("a")},
        {"view": Inputs("a", "b"), "challenge_round": 1},
        {"view": Inputs(0, 1), "adjacency": "unit-hamming"},
        {"view": Inputs(0, "a")},
    ],
)
def test_what_goes_together_is_taken(changed: dict[str, Any]) -> None:
    assert question(**changed).hops == changed.get("hops", 1)


def test_the_relation_of_a_question() -> None:
    bare = RandomizedResponse()
    assert question().relation(bare) is HAMMING
    assert question(challenge_round=2).relation(bare) == ChallengeAt(HAMMING, 2, forced=True)
    assert question(hops=2).relation(bare) == Hops(HAMMING, 2, 3)
    assert question(hops=2, challenge_round=2).relation(bare) == Hops(ChallengeAt(HAMMING, 2, forced=False), 2, 3)
    assert question(adjacency="unit-hamming").relation(bare) is UNIT_HAMMING

    class Empty(RandomizedResponse):
        null = 7

    assert question(adjacency="zero-out").relation(Empty()) == ZeroOut(7)
    assert question(adjacency=ZeroOut(9)).relation(Empty()) == ZeroOut(9)
    assert question(adjacency="zero-out").relation(bare) == ZERO_OUT


class Picky(RandomizedResponse):
    """Cannot do with some inputs."""

    refuses: tuple[Any, ...] = (None,)

    def advance(self, state: Any, x: Any) -> Any:
        if x in self.refuses:
            raise ValueError(x)
        return state if x is None else x


class Choosy(Picky):
    """Can do with no input."""

    refuses = (None, 0, 1)


@pytest.mark.parametrize(
    ("relation", "mechanism", "hinted"),
    [
        (ZERO_OUT, Picky(), True),
        (ChallengeAt(ZERO_OUT, 1), Picky(), True),
        (Hops(ChallengeAt(ZERO_OUT, 1), 2, 1), Picky(), True),
        (ZeroOut(7), Picky(), False),  # it names one
        (HAMMING, Picky(), False),
        (ZERO_OUT, RandomizedResponse(), False),  # it takes None
        (ZERO_OUT, Choosy(), False),  # what it refuses has nothing to do with None
    ],
)
def test_an_error_over_the_null_input_says_how_to_name_another(relation: Any, mechanism: Any, hinted: bool) -> None:
    view: Any = view_of(mechanism)
    with pytest.raises(MechanismError) as raised, naming_null(relation, view):
        raise MechanismError("it failed")
    assert ("names it in an attribute `null`" in str(raised.value)) is hinted


def answers(_: Any, stream: tuple[Any, ...]) -> tuple[Any, ...]:
    """Cannot do with None."""
    return tuple(1 + x for x in stream)


def test_code_under_seeds_is_asked_for_one_round() -> None:
    """It has seeds for one round alone."""
    code = Code("Answers", (0, 1), 1, lambda rounds: {1: uniform([(0,)])}[rounds], answers)
    with pytest.raises(MechanismError, match="attribute `null`"), naming_null(ZERO_OUT, code):
        raise MechanismError("it failed")
