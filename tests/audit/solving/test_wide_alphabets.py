"""Inputs far apart, many inputs, long hulls: the clock is looked at often, and nothing is made per unit of span."""

import time
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from instances.seeds import chosen

from dpcert import Budget, Pmf, PowerFunction, bernoulli, examine, from_weights
from dpcert.audit.checklist import aggregates
from dpcert.audit.checklist.aggregates import _crossed
from dpcert.audit.checklist.contexts import Curves


@dataclass
class Counting(Budget):
    """Counts how often the clock is looked at."""

    checks: int = 0

    def check(self) -> None:
        self.checks += 1
        super().check()


def cost(record: Any) -> dict[str, Any]:
    return next(dict(entry) for entry in record["checklist"] if entry["item"] == "STABLE_COST")


class Biased:
    """Randomised response with a bias of its own for each input."""

    def __init__(self, alphabet: tuple[int, ...], biases: dict[int, Fraction]) -> None:
        self.alphabet, self.biases = alphabet, biases

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return bernoulli(self.biases[prefix[-1]])


@pytest.mark.parametrize("far", [10**3, 10**5, 10**7, 10**12, 10**40])
def test_two_inputs_far_apart_take_no_longer(far: int) -> None:
    budget = Counting()
    record = examine(Biased((0, far), {0: Fraction(1, 4), far: Fraction(3, 4)}), horizon=1, budget=budget)
    assert record["verdict"] == "HOLDS"
    assert budget.checks < 1_000


@pytest.mark.in_turns
def test_random_wide_alphabets_end_within_a_bound() -> None:
    generator = Random(3)
    for _ in chosen(range(40)):
        alphabet = tuple(sorted(generator.sample(range(-(10**9), 10**9), generator.randint(2, 6))))
        biases = {x: Fraction(generator.randint(1, 4), 5) for x in alphabet}
        budget = Counting()
        examine(Biased(alphabet, biases), horizon=generator.randint(1, 2), budget=budget, exp_epsilons=[1])
        assert budget.checks < 300_000


@pytest.mark.parametrize("unit", [1, 60, 60 * 10**6])
def test_a_modulus_is_found_at_any_scale(unit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregates, "MOST_MODULI", 6)

    class Around:
        alphabet = tuple(unit * k for k in range(5))

        def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
            return from_weights({k: (6, 3, 1)[min(k, 5 - k)] for k in range(5)}).map(
                lambda eta: (eta + prefix[-1] // unit) % 5
            )

    rung = cost(examine(Around(), horizon=1, exp_epsilons=[1]))["rungs"][0]
    assert rung["verdict"] == "HOLDS"
    assert f"the sum modulo {5 * unit}" in rung["detail"]


def test_moduli_past_the_cap_leave_the_first_rung_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregates, "MOST_MODULI", 3)
    laws = {0: Fraction(1, 2), 7: Fraction(2, 3), 11: Fraction(1, 3), 1000: Fraction(3, 5)}
    detail = cost(examine(Biased(tuple(laws), laws), horizon=1, exp_epsilons=[1]))["rungs"][0]["detail"]
    assert "incomparable" in detail or "another power function" in detail or "Not all moduli past 3" in detail


@pytest.mark.in_turns
def test_many_inputs_are_left_when_the_time_is_over() -> None:
    generator = Random(4)
    core = Biased(tuple(range(120)), {x: Fraction(generator.randint(1, 996), 997) for x in range(120)})
    started = time.process_time()
    examine(core, horizon=1, budget=Budget(max_seconds=1), exp_epsilons=[1])
    assert time.process_time() - started < 12  # of the processor: far from the minutes it takes in full


def test_incomparable_curves_are_found_as_by_trying_every_two() -> None:
    generator = Random(5)
    both = {True: 0, False: 0}
    for _ in range(120):
        curves = Curves()
        size = generator.randint(2, 5)
        family = generator.random() < 0.5
        for _ in range(size):
            p = Fraction(generator.randint(1, 9), 20)
            q = 1 - p if family else Fraction(generator.randint(1, 19), 20)
            curves.number(PowerFunction.from_laws(bernoulli(p), bernoulli(q)))
        numbers = list(range(len(curves.powers)))
        every = [
            (f, g)
            for f in numbers
            for g in numbers
            if f < g and not (curves.powers[f] <= curves.powers[g] or curves.powers[g] <= curves.powers[f])
        ]
        assert _crossed(numbers, curves, Budget()) == (every[0] if every else None)
        both[bool(every)] += 1
    assert min(both.values()) > 10
