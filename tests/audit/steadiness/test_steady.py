"""State that outlives a round is found wherever it is kept, and what is no state is left in peace."""

import collections
import functools
import logging
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from instances.hostile import MEMORIES, Pairs, States, Steps
from instances.seeds import spread

from dpcert import DpcertError, Draw, Release, bernoulli, examine
from dpcert.audit.steadiness import watched as watched_runs
from dpcert.audit.steadiness.watched import watch


def found(mechanism: object, horizon: int) -> tuple[str, Fraction]:
    """What DETERMINISTIC_MAP is, or REFUSED; and the total variation that is not ruled out."""
    try:
        record: Any = examine(mechanism, horizon=horizon, exp_epsilons=(1,))
    except DpcertError as error:
        return "REFUSED" if "\n" not in str(error) else "refused in many lines", Fraction(1)
    return shown(record)


def shown(record: Any) -> tuple[str, Fraction]:
    item = next(entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP")
    return item["verdict"], Fraction(record["adaptive"]["delta"][0]["upper"])


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(("kind", "name"), spread([(kind, name) for name in MEMORIES for kind in (Steps, States)], 4))
def test_memory_of_any_kind_is_not_passed_over(kind: Callable[[Any], object], name: str) -> None:
    """The truth is 1 from round 2 on: what was put in is told."""
    verdict, upper = found(kind(MEMORIES[name]()), 3)
    assert verdict != "HOLDS"
    assert upper == 1 or verdict == "UNDECIDED"


QUICK = ("closure", "generator", "context_variable", "text_buffer")


@pytest.mark.in_turns
@pytest.mark.parametrize(
    "name", [n if n in spread(QUICK, 4) else pytest.param(n, marks=pytest.mark.thorough) for n in MEMORIES]
)
def test_memory_is_found_though_it_is_mostly_as_it_was(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """512 live runs, of which few show anything: not all are compared, so that it is at least open."""
    monkeypatch.setattr(watched_runs, "MOST_PROCESSES", 10)
    verdict, _ = found(Pairs(MEMORIES[name]()), 3)
    assert verdict != "HOLDS"


def memo() -> Callable[[int], Any]:
    known: dict[int, int] = {}

    def ask(x: int) -> int:
        if x not in known:
            known[x] = x * x
        return known[x]

    return ask


def counted() -> Callable[[int], Any]:
    calls: collections.Counter[int] = collections.Counter()

    def ask(x: int) -> None:
        calls[x] += 1

    return ask


class Squares:
    @functools.cached_property
    def all(self) -> list[int]:
        return [x * x for x in range(5)]


def logger() -> Callable[[int], Any]:
    log = logging.getLogger("test_steady")

    def ask(x: int) -> None:
        log.info("step %s", x)
        log.debug("and more")

    return ask


BENIGN: dict[str, Callable[[], Callable[[int], Any]]] = {
    "cache": lambda: functools.cache(lambda x: x * x),
    "memo": memo,
    "counter": counted,
    "cached property": lambda: (lambda squares: lambda x: squares.all[x])(Squares()),
    "logging": logger,
    "pattern": lambda: (lambda pattern: lambda x: pattern.match(str(x)))(re.compile("[a-z]+")),
    "generator within a call": lambda: lambda x: sum(i for i in range(x)),
    "sorting a list of its own": lambda: lambda x: sorted([3, x, 1]),
}


class Noisy:
    alphabet, initial = (0, 1), 0

    def __init__(self, ask: Callable[[int], Any]) -> None:
        self.ask = ask

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        self.ask(x)
        return Release(x ^ draw(bernoulli(Fraction(1, 4)))), state


@pytest.mark.parametrize("name", spread([*BENIGN], 8))
def test_what_is_no_state_is_left_in_peace(name: str) -> None:
    record: Any = examine(Noisy(BENIGN[name]()), horizon=3, exp_epsilons=(1,))
    assert shown(record) == ("HOLDS", Fraction(1, 2))
    assert record["verdict"] == "HOLDS"


class TwoNames:
    """What a cached property remembers is no change; an attribute whose name begins alike is one."""

    alphabet, initial = (0, 1), 0

    @functools.cached_property
    def seen(self) -> int:
        return 4

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        self.seen_before = getattr(self, "seen_before", 0) or x * self.seen
        return Release(draw(bernoulli(Fraction(1, 2)))), state


def test_a_name_that_begins_alike_is_another_place() -> None:
    mechanism = TwoNames()
    with watch(mechanism) as watched:
        mechanism.step(0, 1, lambda law: law.support[0])
        assert "TwoNames.seen_before" in watched.changes()
