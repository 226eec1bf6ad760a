"""A law is asked for at most twice a state: once for all that is computed, once more to see whether it is a law.

Only where the mechanism publishes it is asked for again, right before each `publish`.
"""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from dpcert import Pmf, examine, from_weights

QUESTIONS: list[dict[str, Any]] = [
    {},
    {"horizon": "inf"},
    {"hops": 2},
    {"challenge_round": 2},
    {"adjacency": "unit-hamming"},
]


class Counted:
    """A table of random laws by state; every asking is counted, and from the `changing`-th on of a state it lies."""

    alphabet = (0, 1)

    def __init__(self, seed: int, changing: int | None = None) -> None:
        self.calls: Counter[Any] = Counter()
        self._seed, self._changing = seed, changing
        self._tables: dict[Any, dict[int, int]] = {}

    def law(self, state: Any) -> Pmf[int]:
        """A law of three outcomes."""
        self.calls[state] += 1
        table = self._tables.setdefault(
            state, {y: Random(f"{self._seed} {state} {y}").choice((1, 1, 2, 3)) for y in range(3)}
        )
        if self._changing is not None and self.calls[state] >= self._changing:
            return from_weights({y: w + y for y, w in table.items()})
        return from_weights(table)


class CountedMarkov(Counted):
    """The same with five states."""

    initial = 0

    def advance(self, state: int, x: int) -> int:
        """Round and round."""
        return (2 * state + x) % 5


class CountedPublishing(Counted):
    """The same, which publishes the sum of its releases."""

    def publish(self, core: tuple[int, ...]) -> int:
        """A function of the core."""
        return sum(core)


KINDS = [Counted, CountedMarkov]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_a_law_is_asked_for_at_most_twice_a_state(kind: type[Counted], question: dict[str, Any]) -> None:
    for seed in range(8):  # 80 random cores in all
        mechanism = kind(seed)
        record = examine(mechanism, **question, exp_epsilons=[1, 2])
        assert max(mechanism.calls.values()) == 2, record["verdict"]


def test_before_publish_a_law_is_asked_for_anew() -> None:
    """`publish` may read what the law leaves behind: then that is what is published, in every live run as well."""
    mechanism = CountedPublishing(0)
    examine(mechanism)
    transcripts = sum((2 * 3) ** t for t in range(3)) * 2
    streams, outcomes, rounds = 2**3, 3**3, 3
    assert sum(mechanism.calls.values()) < 3 * (transcripts + streams * outcomes * rounds)


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_asking_finds_what_is_no_law(kind: type[Counted]) -> None:
    for seed in range(8):
        record = examine(kind(seed, changing=2), exp_epsilons=[Fraction(1)])
        found = {entry["item"]: entry["verdict"] for entry in record["checklist"]}
        assert found["DETERMINISTIC_MAP"] == "REFUTED"
        assert record.exit_status in (1, 3)
