"""Bounds of sampled audits against exact values: right as often as they say, and more than fixed streams reach."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from instances.black_boxes import NoisyCounter

from dpcert import MarkovCore, Pmf, Sampling, estimate, examine, from_weights
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound

CONFIDENCE = Fraction(4, 5)
"""Low, so that bounds are wrong often enough to be seen."""
FAR_TOO_MANY = 12
"""Of 25 at that confidence: more come once in 10,000 times."""
Law = Callable[[tuple[Any, ...]], Mapping[str, Fraction]]
NOISE = {-1: Fraction(1, 3), 0: Fraction(1, 3), 1: Fraction(1, 3)}


def of_markov(core: MarkovCore[Any, Any, Any]) -> Law:
    """The law of a round given all inputs so far, outputs by name."""

    def law(inputs: tuple[Any, ...]) -> Mapping[str, Fraction]:
        state = core.initial
        for x in inputs:
            state = core.advance(state, x)
        return by_name(core.law(state))

    return law


def by_name(law: Pmf[Any]) -> Mapping[str, Fraction]:
    return {str(y): law.probability(y) for y in law.support}


def of_counter(inputs: tuple[int, ...]) -> Mapping[str, Fraction]:
    return {str(sum(inputs) + z): p for z, p in NOISE.items()}


class ExactCounter:
    """The counter that is sampled, with its laws."""

    alphabet, horizon = (0, 1), 2

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return from_weights({sum(prefix) + z: 1 for z in NOISE})


def exactly(test: Mapping[str, Any], classes: list[dict[str, Any]], law: Law, world: int) -> Fraction:
    """The probability of a tested event, transcript by transcript, by nothing but the written policy and the laws."""

    def after(way: Mapping[str, Any], inputs: tuple[int, ...]) -> Fraction:
        if way["next"] is None:
            return Fraction(way["in_event"])
        node = test["nodes"][way["next"]]
        names = classes[node["round"] - 1]["outputs"]
        stream = (*inputs, int(node["pair"][-world]))
        return sum(
            (
                p * after(node["ways"][names.index(y) if y in names else len(names)], stream)
                for y, p in law(stream).items()
            ),
            Fraction(0),
        )

    return after({"next": 0}, ())


def wrong(record: Any, law: Law, *, naive: bool = False) -> bool:
    """Whether any bound of a record is; `naive` stands for what would be said without bounds."""
    found = record["sampled"]
    for test in found["tests"]:
        true = [exactly(test, found["classes"], law, world) for world in (0, 1)]
        said = [Fraction(share) for share in test["shares"]]
        if naive:
            said = [Fraction(hits, test["runs"]) for hits in test["hits"]]
        low, high = (0, 1) if test["order"] == "0-1" else (1, 0)
        if said[low] > true[low] or said[high] < true[high]:
            return True
    return False


CASES = {
    "two-round": (TwoRound(), 2, of_markov(TwoRound())),
    "randomized-response": (RandomizedResponse(), 2, of_markov(RandomizedResponse())),
    "counter": (NoisyCounter(), 2, of_counter),
}


def misses(name: str, repetitions: int, *, naive: bool = False) -> int:
    """How many of so many audits have a bound that is wrong."""
    mechanism, horizon, law = CASES[name]
    exact = examine(ExactCounter() if name == "counter" else mechanism, horizon=horizon, exp_epsilons=[1])
    count = 0
    for seed in range(1, repetitions + 1):
        sampling = Sampling(runs=300, confidence=CONFIDENCE, seed=seed)
        record = estimate(mechanism, horizon=horizon, exp_epsilons=[1], sampling=sampling)
        is_wrong = wrong(record, law, naive=naive)
        if Fraction(record["adaptive"]["delta"][0]["lower"]) > Fraction(exact["adaptive"]["delta"][0]["lower"]):
            assert wrong(record, law), "a bound above the truth although every event's bounds are right"
        count += is_wrong
    return count


@pytest.mark.in_turns
@pytest.mark.parametrize("name", CASES)
def test_bounds_are_right_as_often_as_they_say(name: str) -> None:
    assert misses(name, 25) <= FAR_TOO_MANY


@pytest.mark.thorough
@pytest.mark.parametrize("name", CASES)
def test_bounds_are_right_as_often_as_they_say_over_500_repetitions(name: str) -> None:
    assert misses(name, 500) <= 500 * (1 - CONFIDENCE)


@pytest.mark.in_turns
def test_shares_without_bounds_are_wrong_more_often() -> None:
    assert misses("two-round", 25, naive=True) > FAR_TOO_MANY


@pytest.mark.in_turns
def test_the_learnt_adversary_reaches_more_than_every_fixed_stream() -> None:
    fifth = Fraction(1, 5)
    mechanism = TwoRound((4 * fifth, fifth), ((2 * fifth, Fraction(1)), (Fraction(0), 3 * fifth)))
    exact = examine(mechanism, exp_epsilons=[1])
    record = estimate(mechanism, exp_epsilons=[1], sampling=Sampling(runs=20_000))
    lower = Fraction(record["adaptive"]["delta"][0]["lower"])
    assert Fraction(exact["fixed_stream"]["total_variation"]) < lower <= Fraction(exact["adaptive"]["total_variation"])


@pytest.mark.in_turns
def test_epsilon_at_a_millionth_is_bounded_below_the_truth() -> None:
    record = estimate(RandomizedResponse(), horizon=1, sampling=Sampling(runs=4_000))
    exact = examine(RandomizedResponse(), horizon=1, deltas=[Fraction(1, 10**6)])
    said = Fraction(record["headline"]["privacy"]["epsilon"]["lower"])
    assert Fraction(1, 2) < said <= Fraction(exact["adaptive"]["epsilon"][0]["lower"])
    assert record["headline"]["privacy"]["epsilon"]["upper"] == "infinite"
