"""The border under awkward values: audits report what brute force finds that tells values apart by their bits."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from instances.awkward_combinations import instance
from instances.awkward_values import number, value
from instances.seeds import chosen
from oracles.border import adaptive, fixed, hamming, key, zero_out

from dpcert import DpcertError, Pmf, Release, examine, scripted
from dpcert.audit.identity import held

SLOPES = (Fraction(1), Fraction(3, 2), Fraction(4))
BY_DEFAULT, THOROUGH = 100, 5_000
FOUND = (4603, 4629, 4907)
"""Code under seeds that publishes something in some rounds or under the null input alone: was a ReplayError."""


@dataclass
class WithNull:
    """A mechanism that names a null input."""

    inner: Any
    null: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def disagreement(seed: int) -> str:
    """What an audit reports otherwise than brute force, of one random mechanism."""
    horizon = 1 if number(seed, "horizon") % 3 else 2
    kind, mechanism, model, own = instance(seed, horizon)
    inputs, legal, adjacency = tuple(key(x) for x in own.alphabet), hamming, "hamming"
    if kind in ("prefix", "markov", "steps", "seeds", "publish") and number(seed, "null") % 3 == 0:
        null = own.inputs[0] if number(seed, "inside") % 2 else value((seed, "null"))
        mechanism, legal, adjacency = WithNull(mechanism, null()), zero_out(key(null())), "zero-out"
    record: Any = examine(mechanism, horizon=horizon, adjacency=adjacency, exp_epsilons=SLOPES)
    for name, brute in (("adaptive", adaptive), ("fixed_stream", fixed)):
        for slope, entry in zip(SLOPES, record[name]["delta"], strict=True):
            truth = brute(model, inputs, horizon, legal, slope)
            lower, upper = Fraction(entry["lower"]), Fraction(entry["upper"])
            if not lower == truth == upper:
                word = "understated" if upper < truth else "overstated" if lower > truth else "open"
                return f"{seed}: {kind}, {adjacency}, {name} at {slope}: {word}, {lower} to {upper} for {truth}"
    return ""


@pytest.mark.in_turns
def test_awkward_values_are_told_apart() -> None:
    assert not [found for seed in (*chosen(range(BY_DEFAULT), 25), *FOUND) if (found := disagreement(seed))]


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(10))
def test_many_awkward_values_are_told_apart(block: int) -> None:
    each = THOROUGH // 10
    seeds = range(BY_DEFAULT + block * each, BY_DEFAULT + (block + 1) * each)
    assert not [found for seed in seeds if (found := disagreement(seed))]


def test_tokens_are_equal_where_the_oracle_says_the_same() -> None:
    """20,000 pairs of awkward values."""
    made = [value(n)() for n in range(200)]
    keys, tokens = [key(v) for v in made], [held(v) for v in made]
    wrong = [
        (made[i], made[j])
        for i in range(len(made))
        for j in range(i)
        if (keys[i] == keys[j]) != (tokens[i] == tokens[j])
    ]
    assert not wrong


class Own:
    """An object with an == of its own."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Where:
    """An object told apart by where it stands."""


REFUSED = [Own(1), Where(), object(), lambda: 0, (1, (Own(1),)), frozenset([Own(1)]), iter([1]), memoryview(b"1")]


PLACES = ("visible", "state", "draw")


class Shows:
    """A mechanism with a value in one place, under input 1."""

    alphabet, initial = (0, 1), 0

    def __init__(self, value: Any, place: str) -> None:
        self.value, self.place = value, place

    def step(self, state: Any, x: int, draw: Any) -> tuple[Release[Any, Any], Any]:
        del state
        visible, after, drawn = (self.value if x and self.place == place else 1 for place in PLACES)
        draw(Pmf({drawn: Fraction(1)}))
        return Release(visible), after


@pytest.mark.in_turns
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("wrong", REFUSED, ids=lambda v: type(v).__name__)
def test_what_has_no_identity_is_refused_in_one_line(wrong: Any, place: str) -> None:
    with pytest.raises(DpcertError) as caught:
        examine(Shows(wrong, place), horizon=2)
    assert "\n" not in str(caught.value)


@pytest.mark.in_turns
@pytest.mark.parametrize("wrong", REFUSED, ids=lambda v: type(v).__name__)
def test_outputs_and_inputs_without_an_identity_are_refused(wrong: Any) -> None:
    for alphabet, output in (((0, 1), wrong), ((0, wrong), 0)):
        with pytest.raises(DpcertError) as caught:
            examine(scripted(lambda _rng, output=output: lambda x: output if x else 0, alphabet=alphabet), horizon=1)
        assert "\n" not in str(caught.value)
