"""A law is asked for at most twice a state: once for all that is computed, once more to see whether it is a law.

Only where the mechanism publishes it is asked for again, right before each `publish`.
"""

from collections import Counter
from fractions import Fraction
from typing import Any
from zlib import crc32

import pytest
from instances.seeds import chosen

from dpcert import Pmf, examine, from_weights
from dpcert.audit.kernels.core import Core

QUESTIONS: list[dict[str, Any]] = [
    {},
    {"horizon": "inf"},
    {"hops": 2},
    {"challenge_round": 2},
    {"adjacency": "unit-hamming"},
]


class Steady:
    """A table of random laws by state, which changes nothing: so nothing is asked for beyond what an audit needs."""

    alphabet = (0, 1)

    def __init__(self, seed: int) -> None:
        self.table = seed

    def law(self, state: Any) -> Pmf[int]:
        """A law of three outcomes."""
        return from_weights({y: (1, 1, 2, 3)[crc32(f"{self.table} {state} {y}".encode()) % 4] for y in range(3)})


class SteadyMarkov(Steady):
    """The same with five states."""

    initial = 0

    def advance(self, state: int, x: int) -> int:
        """Round and round."""
        return (2 * state + x) % 5


class Counted(Steady):
    """The same, where every asking is counted, and from the `changing`-th on of a state it lies."""

    def __init__(self, seed: int, changing: int | None = None) -> None:
        super().__init__(seed)
        self.calls: Counter[Any] = Counter()
        self._changing = changing

    def law(self, state: Any) -> Pmf[int]:
        """A law of three outcomes."""
        self.calls[state] += 1
        law = super().law(state)
        if self._changing is not None and self.calls[state] >= self._changing:
            return law.map(lambda y: min(y + 1, 2))
        return law


class CountedMarkov(SteadyMarkov, Counted):
    """The same with five states."""


class CountedPublishing(Counted):
    """The same, which publishes the sum of its releases."""

    def publish(self, core: tuple[int, ...]) -> int:
        """A function of the core."""
        return sum(core)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """How often each state's law was asked for."""
    counted: Counter[Any] = Counter()
    asked = Core._asked

    def counting(core: Core, answer: Any, state: Any) -> Pmf[Any]:
        counted[state] += 1
        return asked(core, answer, state)

    monkeypatch.setattr(Core, "_asked", counting)
    return counted


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("kind", [Steady, SteadyMarkov])
@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_a_law_is_asked_for_at_most_twice_a_state(
    calls: Counter[Any], kind: type[Steady], question: dict[str, Any]
) -> None:
    for seed in chosen(range(8)):  # 80 random cores in all, over time
        record = examine(kind(seed), **question, exp_epsilons=[1, 2])
        assert max(calls.values()) == 2, record["verdict"]
        calls.clear()


@pytest.mark.in_turns
def test_before_publish_a_law_is_asked_for_anew() -> None:
    """`publish` may read what the law leaves behind: then that is what is published, in every live run as well."""
    mechanism = CountedPublishing(0)
    examine(mechanism, horizon=2)
    transcripts = sum((2 * 3) ** t for t in range(2)) * 2
    streams, outcomes, rounds = 2**2, 3**2, 2
    assert sum(mechanism.calls.values()) < 3 * (transcripts + streams * outcomes * rounds)


@pytest.mark.parametrize("kind", [Counted, CountedMarkov])
def test_the_second_asking_finds_what_is_no_law(kind: type[Counted]) -> None:
    for seed in chosen(range(8)):
        record = examine(kind(seed, changing=2), exp_epsilons=[Fraction(1)])
        found = {entry["item"]: entry["verdict"] for entry in record["checklist"]}
        assert found["DETERMINISTIC_MAP"] == "REFUTED"
        assert record.exit_status in (1, 3)
