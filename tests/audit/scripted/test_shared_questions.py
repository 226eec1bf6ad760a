"""Questions that others ask of code under explicit seeds, against the same code asked by one process."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import pytest
from instances.random_seeded import random_seeded
from instances.seeds import chosen
from instances.twins import Twins, share_all

from dpcert import HALT, MechanismError, examine, from_weights
from dpcert.audit.scripted.others import QUESTIONS, ShareDone, helped_by


@pytest.fixture(autouse=True)
def _taken_back() -> Iterator[None]:
    """What code has changed of Python's is put back."""
    before = [(owner, dict(vars(owner))) for owner in (math, Fraction)]
    yield
    for owner, names in before:
        for name, value in names.items():
            if vars(owner).get(name) is not value:
                setattr(owner, name, value)


SEEDED = """
from itertools import product

CALLS = 0
SEEN = []
class Pair(NamedTuple):
    one: int

@dataclass
class Field:
    one: int
    seeds: int = field(init=False, default=0)

class Counter:
    alphabet = (0, 1)

    def seeds(self, horizon):
        return from_weights(dict.fromkeys(product((0, 1, 2), repeat=horizon), 1))

    def respond(self, seeds, stream):
        global CALLS
        count, answers = 0, []
        for w, x in zip(seeds, stream):
            count += x
            answers.append(count + w)
        BODY
        return tuple(answers)
"""


def made(body: str = "pass") -> Callable[[], Any]:
    """Makes code of a text, anew each time."""

    def make() -> Any:
        space: dict[str, Any] = {
            "__name__": "plain_code", "from_weights": from_weights, "HALT": HALT, "math": math, "Fraction": Fraction,
            "NamedTuple": NamedTuple, "dataclass": dataclass, "field": field,
        }  # fmt: skip
        exec(compile(SEEDED.replace("BODY", body), "plain_code.py", "exec"), space)
        return space["Counter"]()

    return make


def told(mechanism: Any, horizon: int) -> Any:
    """What an audit says of it, but for when; or its error."""
    try:
        found = dict(examine(mechanism, horizon=horizon).document)
    except MechanismError as error:
        return str(error)
    del found["provenance"]
    return found


def assert_alike(make: Callable[[], Any], horizon: int) -> Twins:
    """Nothing shows of who asked."""
    mechanism, twins = make(), Twins(make)
    with helped_by(twins, mechanism):
        shared = told(mechanism, horizon)
    assert shared == told(make(), horizon)
    return twins


@pytest.mark.in_turns(few=True)
def test_answers_are_the_same_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch, 7)
    twins = assert_alike(made(), 3)
    assert not twins.why
    assert {share.kind for share in twins.shares} == {QUESTIONS}


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("CALLS += 1", "a run changes what its code can reach"),
        ("SEEN.append(1)", "a run changes what its code can reach"),
        ("CALLS += len(stream) == 2 and seeds == (2, 2)", "a run changes what its code can reach"),
        ("CALLS = 1 - CALLS", "a run changes what its code can reach"),
        ("CALLS = (CALLS + (len(stream) == 2)) % 6", "a run changes what its code can reach"),
        ("math.comb, math.perm = math.perm, math.comb", "a run changes what its code can reach"),
        (
            "Fraction.numerator, Fraction.denominator = Fraction.denominator, Fraction.numerator",
            "a run changes what its code can reach",
        ),
        ("Pair._replace.told = 1", "a run changes what its code can reach"),
        ("self.seeds(1)", "it names seeds"),
        ("Field(1) == Field(2)", "a field has the name of something else that is not looked at"),
        ("answers = [self.last, *answers[1:]]; self.last = 1", ""),
        ("answers = list(map(str, answers))", "it names str"),
    ],
)
def test_what_outlives_a_run_or_is_not_plain_is_left(body: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    twins = assert_alike(made(body), 2)
    assert twins.why == ([why] if why else [])


def test_a_count_is_found_at_whichever_number_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process comes to its ninetieth run, and no other does."""
    share_all(monkeypatch)
    mechanism = made("CALLS += 1; answers = [y + (CALLS == 90) for y in answers]")
    assert len(assert_alike(mechanism, 2).why) == 1
    document = told(mechanism(), 2)
    steady = next(one for one in document["checklist"] if one["item"] == "DETERMINISTIC_MAP")
    assert steady["verdict"] == "REFUTED"


@pytest.mark.in_turns
@pytest.mark.parametrize("block", range(6))
def test_random_code_under_seeds_is_the_same_whoever_asks(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = 0
    for seed in chosen(range(block * 20, block * 20 + 20)):
        share_all(monkeypatch, 1 + seed % 9)
        twins = assert_alike(lambda seed=seed: random_seeded(seed), 2 if seed % 5 else 3)  # type: ignore[misc]
        shared += bool(twins.shares) and not twins.why
    assert shared


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("after", [0, 1, 5])
def test_what_is_lost_is_asked_here(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)

    class Lossy(Twins):
        def _one(self, share: Any) -> ShareDone:
            return super()._one(share) if len(self.shares) < after else ShareDone(left="a process was lost")

    mechanism, twins = made()(), Lossy(made())
    with helped_by(twins, mechanism):
        shared = told(mechanism, 3)
    assert shared == told(made()(), 3)
    assert twins.why == ["a process was lost"]


@pytest.mark.in_turns(few=True)
def test_an_answer_that_is_another_one_is_asked_for_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of the others is another one where no first answer shows it; a digest tells that before."""
    share_all(monkeypatch)
    mechanism, twins = made()(), Twins(made("answers = [y + 1 for y in answers] if seeds == (2, 2, 2) else answers"))
    with helped_by(twins, mechanism):
        assert told(mechanism, 3) == told(made()(), 3)
    assert len(twins.why) == 1
    assert twins.why[0].endswith("there")


@pytest.mark.in_turns(few=True)
def test_all_questions_are_asked_in_two_orders_where_nobody_else_is() -> None:
    asked: list[Any] = []

    class Watched:
        alphabet = (0, 1)

        def seeds(self, horizon: int) -> Any:
            return from_weights(dict.fromkeys(product((0, 1), repeat=horizon), 1))

        def respond(self, seeds: Any, stream: Any) -> Any:
            asked.append((seeds, stream))
            return tuple(x ^ w for x, w in zip(stream, seeds, strict=False))

    examine(Watched(), horizon=2)
    for seeds in product((0, 1), repeat=2):
        for stream in ((0,), (1,), *product((0, 1), repeat=2)):
            assert asked.count((seeds, stream)) >= 3


class Sought:
    """Looks for a seed among the others, as Python does, which takes what is one object for equal."""

    alphabet = (0, 1)

    def __init__(self, *values: Any) -> None:
        self.values = values

    def seeds(self, horizon: int) -> Any:
        return from_weights(dict.fromkeys(product(self.values, repeat=horizon), 1))

    def respond(self, seeds: Any, stream: Any) -> Any:
        return tuple(x + (seeds[0] in seeds[1:]) for x in stream)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(
    ("values", "why"),
    [
        ((1, float("nan")), "it holds a number that is none"),
        (("a", "%s"), "it holds a text by which others can be formatted"),
        ((1, (2, float("nan"))), "it holds a number that is none"),
    ],
)
def test_seeds_are_looked_at_as_well(values: Any, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    assert assert_alike(lambda: Sought(*values), 2).why == [why]


@pytest.mark.in_turns(few=True)
def test_what_makes_seeds_is_looked_at_unless_it_is_a_function_of_its_own_class(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    share_all(monkeypatch)

    class Called:
        def __call__(self, horizon: int) -> Any:
            return from_weights(dict.fromkeys(product((0, 1), repeat=horizon), 1))

    class Other(Sought):
        seeds = Called()  # type: ignore[assignment]

    twins = assert_alike(Other, 2)
    assert len(twins.why) == 1
