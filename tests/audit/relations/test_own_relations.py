"""Relations of the user's own: played as what they are, or refused in one line that names them."""

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dpcert import (
    ANY,
    EDIT,
    HAMMING,
    ArgumentError,
    DpcertError,
    PublicHalf,
    Window,
    bernoulli,
    examine,
    point,
)
from dpcert.audit.commands.cli import run
from dpcert.audit.relations.adjacency import ChallengeAt, Hamming, ZeroOut
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound

FILE = '''
from itertools import product
from dpcert import bernoulli
from fractions import Fraction

class Weekly:
    """Every second round may differ."""

    name = "weekly"
    initial = 0

    def legal(self, state, round_, alphabet):
        for x, y in product(alphabet, repeat=2):
            if x == y or round_ % 2:
                yield (x, y), state

class Given:
    name = "given"
    initial = 0

    def __init__(self, answers):
        self.answers = answers

    def legal(self, state, round_, alphabet):
        return self.answers if round_ == 1 else [((0, 0), 0)]

class Coin:
    alphabet = (0, 1)

    def law(self, prefix):
        return bernoulli(Fraction(1, 3) if prefix[-1] else Fraction(1, 2))

class Needs:
    initial = None

    def __init__(self, rounds):
        self.rounds = rounds

    def legal(self, state, round_, alphabet):
        raise ValueError("never")

class Raises(Coin):
    name = "raises"
    initial = 0

    def legal(self, state, round_, alphabet):
        yield (0, 0), 0
        raise KeyError(round_)

class Ends:
    name = "ends"
    initial = 0

    def legal(self, state, round_, alphabet):
        if not state:
            yield (0, 0), 1

class Restless:
    name = "restless"
    initial = 0
    asked = 0

    def legal(self, state, round_, alphabet):
        self.asked += 1
        yield (0, self.asked % 2), 0

class Endless:
    name = "endless"
    initial = 0

    def legal(self, state, round_, alphabet):
        while True:
            yield (0, 1), 0

class Nameless:
    initial = 0

    def legal(self, state, round_, alphabet):
        yield (0, 1), 0

not_a_relation = 3
triple = Given([((0, 1, 1), 0)])
bare = Given([(0, 1)])
number = Given(7)
text = Given(["ab"])
outside = Given([((0, 2), 0)])
unhashable_input = Given([(([0], 1), 0)])
unhashable_state = Given([((0, 1), [])])
none = Given([])
twice = Given([((0, 1), 0), ((0, 1), 1)])
first = Given([((0, 1), 0)])
first.initial = []
called = Given([((0, 1), 0)])
called.name = 7
'''


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(FILE)
    return path


def audit(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = run(["audit", *arguments])
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def line_of(text: str) -> int:
    return FILE.split("\n").index(text) + 1


GIVEN_LEGAL = f"own.py:{line_of('        return self.answers if round_ == 1 else [((0, 0), 0)]') - 1})"
AGAIN = "Given.legal to yield each pair once, with the one state after it, but got (0, 1) again"


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("name", "wants", "stands"),
    [
        ("triple", "Given.legal to yield ((x0, x1), state) but got ((0, 1, 1), 0)", GIVEN_LEGAL),
        ("bare", "Given.legal to yield ((x0, x1), state) but got (0, 1)", GIVEN_LEGAL),
        ("number", "Given.legal raised TypeError: 'int' object is not iterable", GIVEN_LEGAL),
        ("text", "Given.legal to yield ((x0, x1), state) but got 'ab'", GIVEN_LEGAL),
        ("outside", "Given.legal to yield inputs of the alphabet but got (0, 2) in round 1", GIVEN_LEGAL),
        ("unhashable_input", "Given.legal: Expected a hashable input but got input=[0]", GIVEN_LEGAL),
        (
            "unhashable_state",
            "Given.legal: Expected a hashable relation state but got relation state=[]",
            GIVEN_LEGAL,
        ),
        ("none", "Given.legal to allow a pair of inputs in every round but got none in round 1, state 0", GIVEN_LEGAL),
        (
            "twice",
            "Given.legal to yield each pair once, with the one state after it, but got (0, 1) again",
            GIVEN_LEGAL,
        ),
        (
            "first",
            "Given.initial: Expected a hashable initial relation state but got initial relation state=[]",
            GIVEN_LEGAL,
        ),
        ("called", "Given.name to be a word for reports but got 7", ""),
        ("Raises", "Raises.legal raised KeyError: 1", f"own.py:{line_of('        raise KeyError(round_)')})"),
        ("Ends", "Ends.legal to allow a pair of inputs in every round but got none in round 2, state 1", "own.py:"),
        ("Restless", "Restless.legal to answer alike when asked again but got two answers in round 1", "own.py:"),
        ("Endless", "Endless.legal to yield each pair once", "own.py:"),
        ("not_a_relation", "a neighbouring relation: its name, or an object with `initial` and `legal`", "adjacency=3"),
        ("Needs", "Needs needs this parameter", "rounds"),
        ("Missing", "a name defined in", "Missing"),
    ],
)
@pytest.mark.parametrize("hops", ["1", "2"])
def test_what_cannot_be_played_is_one_line(
    place: Path, capsys: pytest.CaptureFixture[str], name: str, wants: str, stands: str, hops: str
) -> None:
    status, out, err = audit(capsys, f"{place}:Coin", "--adjacency", f"{place}:{name}", "--hops", hops)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert wants in err
    assert stands in err
    assert "fault of dpcert" not in err


@pytest.mark.parametrize("name", ["nonsense", "own.py", "nowhere.py:Weekly", "no.such.module:Weekly"])
def test_what_is_no_relation_is_one_line(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, out, err = audit(capsys, "two-round", "--adjacency", name)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_a_relation_in_a_file_is_played(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = audit(capsys, f"{place}:Coin", "--adjacency", f"{place}:Weekly", "--horizon", "3", "--json", "-")
    record = json.loads(out)
    assert status == 0
    assert record["scope"]["adjacency"] == "weekly"
    assert record["scope"]["text"].endswith("streams that differ as the relation allows (weekly)")
    coin = {(a, b): p * q for (a, p), (b, q) in product([(0, Fraction(1, 2)), (1, Fraction(1, 2))], repeat=2)}
    ones = {0: Fraction(2, 3), 1: Fraction(1, 3)}
    far = sum(max(Fraction(0), w - ones[a] * ones[b]) for (a, b), w in coin.items())
    assert Fraction(record["adaptive"]["total_variation"]) == far


def test_a_relation_in_a_module_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = audit(capsys, "two-round", "--adjacency", "dpcert:Window", "--json", "-", "--horizon", "2")
    record = json.loads(out)
    assert record["scope"]["adjacency"] == "window-2"
    assert record["adaptive"]["power"] == examine(TwoRound(), adjacency="any", horizon=2)["adaptive"]["power"]
    assert status == 1


class Hamming2:
    """Hamming written once more."""

    name = "hamming"
    initial = False

    def legal(self, state: bool, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Any, bool]]:
        del round_
        for x, y in product(alphabet, repeat=2):
            if x == y or not state:
                yield (x, y), state or x != y


class Nothing(Hamming2):
    """Of the same name, and nothing may differ."""

    def legal(self, state: bool, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Any, bool]]:
        del round_
        yield from (((x, x), state) for x in alphabet)


def test_a_name_does_not_make_a_relation() -> None:
    """Neither its ladder nor every horizon is there for a relation that is only called hamming."""
    ours, theirs, nothing = (
        examine(RandomizedResponse(), horizon=2, adjacency=r) for r in ("hamming", Hamming2(), Nothing())
    )
    assert theirs["adaptive"] == ours["adaptive"]
    assert theirs["scope"]["adjacency"] == "hamming (Hamming2)"
    assert nothing["vacuous"]
    cost = {name: record["checklist"][3] for name, record in (("ours", ours), ("theirs", theirs))}
    assert cost["ours"]["verdict"] == "HOLDS"
    assert cost["theirs"]["verdict"] == "UNDECIDED"
    with pytest.raises(ArgumentError, match="one hop, hamming"):
        examine(RandomizedResponse(), horizon="inf", adjacency=Hamming2())
    renamed = examine(RandomizedResponse(), horizon=2, adjacency=Hamming(name="edit"))
    assert renamed["scope"]["adjacency"] == "edit (Hamming)"
    assert examine(RandomizedResponse(), horizon=2, adjacency=HAMMING)["adaptive"] == ours["adaptive"]


@pytest.mark.parametrize("given", [Window, Hamming, object(), 7, ("hamming",), None.__class__, lambda: HAMMING])
def test_what_is_no_object_like_it_is_refused(given: Any) -> None:
    with pytest.raises(DpcertError, match=r"^Expected a neighbouring relation"):
        examine(TwoRound(), adjacency=given)


def test_the_null_input_may_be_given_with_the_relation() -> None:
    record = examine(RandomizedResponse(), horizon=1, adjacency=ZeroOut(null=0))
    assert record["adaptive"]["total_variation"] == "1/2"
    assert record["scope"]["adjacency"] == "zero-out"


class Diary:
    """Inputs (private, public): says the public half, and the private one with noise."""

    alphabet = tuple(product((0, 1), repeat=2))

    def law(self, prefix: tuple[tuple[int, int], ...]) -> Any:
        private, public = prefix[-1]
        return bernoulli(Fraction(1 + private, 4)).product(point(public))


def test_a_public_half_is_no_secret() -> None:
    assert examine(Diary(), horizon=2)["adaptive"]["total_variation"] == "1"
    record = examine(Diary(), horizon=2, adjacency=PublicHalf())
    assert record["adaptive"]["total_variation"] == "1/4"
    every = examine(Diary(), horizon=2, adjacency=PublicHalf(ANY))
    assert every["scope"]["adjacency"] == "public-half-any"
    assert Fraction(every["adaptive"]["total_variation"]) > Fraction(1, 4)
    assert examine(Diary(), horizon=2, adjacency=PublicHalf(Hamming2()))["adaptive"] == record["adaptive"]
    with pytest.raises(ArgumentError, match=r"^Expected inputs \(private, public\) for public-half but got input=0$"):
        examine(TwoRound(), adjacency=PublicHalf())


@pytest.mark.parametrize(("rounds", "same"), [(1, "hamming"), (3, "any"), (9, "any")])
def test_windows_lie_between_one_round_and_any(rounds: int, same: str) -> None:
    window, other = (
        examine(RandomizedResponse(), horizon=3, adjacency=one, exp_epsilons=[1, 2]) for one in (Window(rounds), same)
    )
    assert window["adaptive"]["power"] == other["adaptive"]["power"]
    assert window["scope"]["adjacency"] == f"window-{rounds}"


@pytest.mark.parametrize("rounds", [0, -1, True, Fraction(2), "2"])
def test_no_window(rounds: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^Expected a window of at least 1 round but got rounds="):
        Window(rounds)


def test_a_challenge_round_that_the_relation_does_not_allow() -> None:
    with pytest.raises(ArgumentError, match=r"^Expected unequal inputs to be legal in round 2 \(hamming \(Nothing\)\)"):
        examine(TwoRound(), adjacency=Nothing(), challenge_round=2)
    assert examine(TwoRound(), adjacency=Window(2), challenge_round=1, exp_epsilons=[1])["adaptive"]["total_variation"]


def test_interchangeable_hops_are_one_position() -> None:
    """Five hops in five rounds on two inputs: every pair of streams, each played once."""
    record = examine(RandomizedResponse(), horizon=5, hops=5, exp_epsilons=[1])
    every = examine(RandomizedResponse(), horizon=5, adjacency="any", exp_epsilons=[1])
    assert record["adaptive"]["power"] == every["adaptive"]["power"]
    assert record["scope"]["positions"] == every["scope"]["positions"]


@pytest.mark.in_turns
def test_a_longer_horizon_never_shows_less() -> None:
    """Two edits can end early; what was reached by then stays reached."""

    class Early:
        alphabet = (0, 1, 2)

        def law(self, prefix: tuple[int, ...]) -> Any:
            return point({(0, 1, 0): 1, (2, 1, 1): 2}.get(prefix, 0) if len(prefix) == 3 else 0)

    values = [
        Fraction(examine(Early(), horizon=t, hops=2, adjacency=EDIT, exp_epsilons=[1])[side]["total_variation"])
        for t in (3, 4)
        for side in ("adaptive", "fixed_stream")
    ]
    assert values == [1, 1, 1, 1]
    assert ChallengeAt(HAMMING, 1).name == "hamming"
