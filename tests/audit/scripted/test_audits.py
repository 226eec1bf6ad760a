"""Scripted code as a mechanism: what its audit finds, and what its record and the command line say."""

import itertools
import random
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dpcert import (
    ArgumentError,
    MechanismError,
    Pmf,
    examine,
    scripted,
    viewed,
)
from dpcert.audit.commands.cli import run
from dpcert.audit.kernels.label import label
from dpcert.audit.scripted import by_state, cells
from dpcert.mechanisms.randomized_response import RandomizedResponse

Draw = Callable[[Any], Any]


class Coin:
    """Randomised response."""

    def __init__(self, rng: random.Random, truth: Fraction = Fraction(3, 4)) -> None:
        self.rng = rng
        self.truth = truth

    def __call__(self, x: int) -> int:
        return x if self.rng.random() < self.truth else 1 - x


class Keeping(Coin):
    """The same with a function at hand that is not plain, so that its states are not merged."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.shown = repr


class Reused(Coin):
    """One draw, made in the constructor, for all rounds."""

    def __init__(self, rng: random.Random) -> None:
        self.noise = rng.randint(-1, 1)

    def __call__(self, x: int) -> int:
        return x + self.noise


class Asked(Coin):
    """Lives once in three times by another rule; keeps count on the class."""

    count = 0

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        Asked.count += 1
        self.turned = Asked.count % 3 == 2

    def __call__(self, x: int) -> int:
        return super().__call__(x) ^ self.turned


class AskedLaw(Asked):
    """The same, but it is the law that turns."""

    def __call__(self, x: int) -> int:
        return x if self.rng.random() < Fraction(1, 3 if self.turned else 2) else 1 - x


class AskedDraws(Asked):
    """The same, but it is the number of draws that turns."""

    def __call__(self, x: int) -> int:
        for _ in range(1 + self.turned):
            x ^= self.rng.getrandbits(1)
        return x


class Kept(Coin):
    """Draws from the generator of the first run for ever."""

    first: Any = None

    def __init__(self, rng: random.Random) -> None:
        Kept.first = Kept.first or rng
        super().__init__(Kept.first)


class Elsewhere(Coin):
    """Draws from the module, not the generator."""

    def __call__(self, x: int) -> int:
        return x ^ random.getrandbits(1)


class Remembered(Coin):
    """Its draws come from a generator of its own."""

    def __call__(self, x: int) -> int:
        return x + random.Random().getrandbits(32)


def checked(factory: Any, **options: Any) -> dict[str, str]:
    record = examine(scripted(factory, alphabet=(0, 1), **options), horizon=2)
    return {entry["item"]: entry["verdict"] for entry in record["checklist"]}


@pytest.mark.in_turns
def test_reused_noise_is_not_fresh() -> None:
    found = checked(Reused)
    assert found["FRESH_RANDOMNESS"] == "REFUTED"
    assert found["PREFIX_DEPENDENCE"] == found["DETERMINISTIC_MAP"] == "HOLDS"
    assert checked(Coin)["FRESH_RANDOMNESS"] == "HOLDS"


@pytest.mark.in_turns(few=True)
def test_a_hidden_counter_is_no_deterministic_map() -> None:
    assert checked(Asked)["DETERMINISTIC_MAP"] == "REFUTED"


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(
    ("factory", "words"),
    [
        (AskedLaw, "draw 1 of round 1 asked for another law on replay"),
        (AskedDraws, "draw"),
        (Kept, "it drew from the generator of an earlier run"),
        (Elsewhere, "it used random.getrandbits"),
        (Remembered, "it used Random.getrandbits"),
    ],
)
def test_draws_that_differ_on_replay_are_named(factory: type, words: str) -> None:
    with pytest.raises(MechanismError) as caught:
        checked(factory)
    text = str(caught.value)
    assert text.startswith(f"Expected {factory.__name__} to be a function of its inputs and draws: ")
    assert words in text
    assert "test_audits.py:" in text


def test_the_seed_of_a_round_is_the_common_refinement_of_what_its_draws_are_asked() -> None:
    def wide(rng: Any) -> Callable[[int], int]:
        return lambda x: rng.randrange(2 + x)

    mechanism = scripted(wide, alphabet=(0, 1))
    thirds = Pmf({0: Fraction(1, 3), 1: Fraction(1, 6), 2: Fraction(1, 6), 3: Fraction(1, 3)})
    assert mechanism.seeds(1) == thirds.map(lambda cell: ((cell,),))
    assert mechanism.seeds(2) == thirds.product(thirds).map(lambda pair: ((pair[0],), (pair[1],)))
    assert [mechanism.respond(((c,),), (0,))[0] for c in range(4)] == [0, 0, 1, 1]
    assert [mechanism.respond(((c,),), (1,))[0] for c in range(4)] == [0, 1, 1, 2]


def test_draws_of_the_constructor_belong_to_round_one() -> None:
    mechanism = scripted(Reused, alphabet=(0, 1))
    assert mechanism.seeds(2).support == (((0,), ()), ((1,), ()), ((2,), ()))
    assert mechanism.respond(((2,), ()), (0, 1)) == (1, 2)


def test_draws_of_the_constructor_are_others_than_those_of_round_one() -> None:
    def twice(rng: Any) -> Callable[[int], tuple[int, int]]:
        first = rng.getrandbits(1)
        return lambda _: (first, rng.getrandbits(1))

    mechanism = scripted(twice, alphabet=(0,))
    assert mechanism.seeds(2).support == tuple(itertools.product(itertools.product((0, 1), repeat=2), ((0,), (1,))))
    assert mechanism.respond(((0, 1), (1,)), (0, 0)) == ((0, 1), (0, 1))


def test_a_draw_that_was_not_made_before_is_named() -> None:
    draws = [1]

    def growing(rng: Any) -> Callable[[int], int]:
        return lambda _: sum(rng.getrandbits(1) for _ in range(draws[0]))

    mechanism = scripted(growing, alphabet=(0,))
    assert len(mechanism.seeds(1)) == 2
    draws[0] = 2
    with pytest.raises(MechanismError, match="draw 2 of round 1 was not made before"):
        mechanism.respond(((0,),), (0,))


@pytest.mark.in_turns
def test_a_method_can_be_named() -> None:
    class Asking(Coin):
        def answer(self, x: int) -> int:
            return self(x)

    mechanism = scripted(Asking, alphabet=(0, 1), method="answer")
    assert examine(mechanism)["adaptive"]["delta"] == examine(RandomizedResponse())["adaptive"]["delta"]
    with pytest.raises(MechanismError, match=r"asked by its method reply but got a Asking \(.*test_audits"):
        scripted(Asking, alphabet=(0, 1), method="reply").seeds(1)
    with pytest.raises(MechanismError, match="called with one input but got a int"):
        scripted(lambda _: 3, alphabet=(0, 1)).seeds(1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"factory": 3}, "Expected a factory, called with the generator, but got factory=3"),
        ({"generator": "secrets"}, 'Expected generator="random" or "numpy" but got generator=\'secrets\''),
        ({"method": 3}, "Expected the name of a method but got method=3"),
    ],
)
def test_arguments_are_checked(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        scripted(**({"factory": Coin, "alphabet": (0, 1)} | given))
    assert str(caught.value) == words


@pytest.mark.in_turns
def test_a_record_is_about_what_the_user_wrote() -> None:
    half = examine(scripted(partial(Coin, truth=Fraction(1, 2)), alphabet=(0, 1)))
    whole = examine(scripted(Coin, alphabet=(0, 1)))
    assert half["parameters"]["factory"] == "Coin(truth=1/2)"
    assert whole["parameters"]["factory"] == "Coin"
    assert half["source_digest"] != whole["source_digest"]
    for record in (half, whole):
        assert Path(record["location"]["file"]).name == "test_audits.py"
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert lines[whole["location"]["line"] - 1] == "class Coin:"
    assert half["location"] == whole["location"]


def parity(visible: int) -> int:
    return visible % 2


def test_a_view_is_located_where_the_mechanism_is() -> None:
    record = examine(viewed(RandomizedResponse(), parity))
    assert record["location"] == examine(RandomizedResponse())["location"]
    assert record["parameters"]["view"] == "parity"


def test_labels_of_code() -> None:
    assert label(Coin) == "Coin"
    assert label(parity) == "parity"
    assert label(partial(Coin, 1, truth=Fraction(1, 2))) == "Coin(1, truth=1/2)"


FILE = """\
import random

from dpcert import scripted


class Noisy:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, x: int) -> float:
        return {answer}


mechanism = scripted(Noisy, alphabet=(0, 1), horizon=2)
"""


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (
            "x + self.rng.gauss(0, 1)",
            "Expected a supported call (choice, choices, getrandbits, randint, random, randrange, sample, shuffle), "
            "or a step that draws from dpcert.laws.rounded_gaussian(...), but got random.Random.gauss (noisy.py:11)",
        ),
        ("1 // x", "Noisy raised ZeroDivisionError: integer division or modulo by zero (noisy.py:11)"),
        (
            "x + self.rng.random()",
            "Expected random() to be compared with a number, moved and scaled by numbers, rounded, or passed through a "
            "function of math but got it as an output (round it, or draw a number from a law of dpcert.laws) "
            "(noisy.py:6)",
        ),
    ],
)
def test_on_the_command_line_a_refusal_is_one_line(
    answer: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("noisy.py").write_text(FILE.format(answer=answer), encoding="utf-8")
    assert run(["audit", "noisy.py:mechanism"]) == 2
    assert capfd.readouterr().err == f"dpcert: {error}\n"


@pytest.mark.in_turns
def test_on_the_command_line_an_instance_is_audited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("noisy.py").write_text(FILE.format(answer="x ^ (self.rng.random() < 0.25)"), encoding="utf-8")
    assert run(["audit", "noisy.py:mechanism"]) == 0
    assert "noisy.py:mechanism with factory=Noisy, alphabet=(0, 1), horizon=2" in capfd.readouterr().out


def test_too_many_runs_of_a_mechanism_end_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (cells, by_state):
        monkeypatch.setattr(module, "MOST_CODE_RUNS", 7)
    for factory in (Coin, Keeping):
        with pytest.raises(MechanismError, match="too many rounds, inputs or draws"):
            scripted(factory, alphabet=(0, 1)).seeds(3)


def test_more_pairs_of_seeds_and_stream_than_are_run_leave_it_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.checklist.of_code.MOST_RUNS", 10)
    record = examine(scripted(Keeping, alphabet=(0, 1)), horizon=2)
    assert record["verdict"] == "UNDECIDED"
    assert {e["verdict"] for e in record["checklist"][:3]} == {"UNDECIDED"}


@pytest.mark.in_turns(few=True)
def test_more_states_by_inputs_than_are_compared_leave_it_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.checklist.of_machine.MOST_RUNS", 3)
    found = {one["item"]: one for one in examine(scripted(Coin, alphabet=(0, 1)), horizon=2)["checklist"]}
    assert found["FRESH_RANDOMNESS"]["verdict"] == "UNDECIDED"
    assert "(MOST_RUNS)" in found["FRESH_RANDOMNESS"]["detail"]


@pytest.mark.in_turns
def test_flips_until_the_first_head_have_one_seed_for_each_count() -> None:
    def geometric(rng: Any) -> Callable[[int], int]:
        def answer(x: int) -> int:
            count = 0
            while count < 40 and rng.random() < 0.5:
                count += 1
            return x + count

        return answer

    mechanism = scripted(geometric, alphabet=(0, 1))
    law = mechanism.seeds(1)
    assert len(law) == 41
    assert law.map(lambda seeds: mechanism.respond(seeds, (0,))[0]) == Pmf(
        {k: Fraction(1, 2 ** min(k + 1, 40)) for k in range(41)}
    )


def test_a_seed_is_refined_where_streams_ask_otherwise() -> None:
    def code(rng: Any) -> Callable[[int], tuple[bool, int]]:
        def answer(x: int) -> tuple[bool, int]:
            first = rng.random() < Fraction(1 + x, 4)
            return first, rng.randrange(2 + x) if first else 0

        return answer

    mechanism = scripted(code, alphabet=(0, 1))
    quarter, sixth = Fraction(1, 4), Fraction(1, 6)
    assert mechanism.seeds(1) == Pmf(
        {
            ((0, 0),): quarter / 3, ((0, 1),): quarter * sixth, ((0, 2),): quarter * sixth, ((0, 3),): quarter / 3,
            ((1, 0),): quarter / 3, ((1, 1),): quarter / 3, ((1, 2),): quarter / 3, ((2,),): Fraction(1, 2),
        }
    )  # fmt: skip
