"""What an audit was told is what live runs are: a memory that only the order of its questions hides is found."""

from collections import OrderedDict
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import pytest

from dpcert import Pmf, Release, bernoulli, examine
from dpcert.audit.finding import Verdict
from dpcert.audit.kernels.draws import Draw

HALF = bernoulli(Fraction(1, 2))
BOX = [0]


@lru_cache(maxsize=2)
def cached(count: int) -> int:
    """Two rounds are remembered, of three that a run has: asked one after another, inputs of a round are one."""
    del count
    return BOX[0]


KEPT: "OrderedDict[int, Any]" = OrderedDict()


def kept(count: int, x: Any) -> Any:
    """The same by hand."""
    if count not in KEPT:
        KEPT[count] = x
    while len(KEPT) > 2:
        KEPT.popitem(last=False)
    return KEPT[count]


class Counts:
    alphabet = (0, 1)
    initial = 0


class Cached(Counts):
    def step(self, state: int, x: int, draw: Draw) -> Any:
        del draw
        BOX[0] = x
        return Release(cached(state)), min(state + 1, 3)


class Kept(Counts):
    def step(self, state: int, x: int, draw: Draw) -> Any:
        del draw
        return Release(kept(state, x)), min(state + 1, 3)


class Skewed(Counts):
    """The outcomes are those of every run, and their probabilities are not."""

    def step(self, state: int, x: int, draw: Draw) -> Any:
        return Release(draw(bernoulli(Fraction(1 + kept(state, x), 4)))), min(state + 1, 3)


class Published(Counts):
    def step(self, state: int, x: int, draw: Draw) -> Any:
        BOX[0] = x
        return Release(draw(HALF)), min(state + 1, 3)

    def publish(self, releases: tuple[Any, ...]) -> Any:
        return cached(len(releases))


class PublishedCore:
    alphabet = (0, 1)
    initial = (0, 0)

    def advance(self, state: tuple[int, int], x: int) -> tuple[int, int]:
        return min(state[0] + 1, 3), x

    def law(self, state: tuple[int, int]) -> Pmf[int]:
        BOX[0] = state[1]
        return HALF

    def publish(self, releases: tuple[Any, ...]) -> Any:
        return cached(len(releases))


@pytest.mark.parametrize("mechanism", [Cached(), Kept(), Skewed(), Published(), PublishedCore()])
def test_a_memory_that_the_order_of_questions_hides_is_found(mechanism: Any) -> None:
    """Each tells its first input of a round outright in a live run; asked state by state it told nothing."""
    cached.cache_clear()
    KEPT.clear()
    record = examine(mechanism, horizon=3, exp_epsilons=(1,))
    (steady,) = [entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP"]
    assert steady["verdict"] == "REFUTED"
    assert "goes otherwise in a fresh process" in steady["detail"]
    assert record.verdict is Verdict.UNDECIDED


class Logs(Counts):
    """Keeps what it met, and lets nothing depend on it."""

    met: ClassVar[dict[Any, int]] = {}

    def step(self, state: int, x: int, draw: Draw) -> Any:
        self.met[state, x] = 1
        shown = draw(bernoulli(Fraction(1 + x, 3))) + draw(HALF)
        return Release(shown), 1 - state


class LogsAndPublishes(Logs):
    def publish(self, releases: tuple[Any, ...]) -> Any:
        return sum(releases)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("mechanism", [Logs(), LogsAndPublishes()])
def test_what_is_kept_and_changes_no_kernel_is_left_in_peace(mechanism: Any) -> None:
    """All live runs are compared, step by step with the kernels that were given, draws of several laws among them."""
    mechanism.met.clear()
    record = examine(mechanism, horizon=2, exp_epsilons=(1,))
    (steady,) = [entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP"]
    assert steady["verdict"] == "HOLDS"
    assert "all there are" in steady["detail"]
    assert record.verdict is not Verdict.UNDECIDED
