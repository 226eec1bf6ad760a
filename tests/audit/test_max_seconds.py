"""Under --max-seconds there is never much work between two looks at the time, and none goes on for long after it.

The clock of these tests moves at looks alone, and work is counted in function calls, so that no machine is too busy for
them. The sweep over seconds is under `thorough`.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, ClassVar

import pytest
from instances.seeds import spread

from dpcert import Budget, Draw, Pmf, Release, bernoulli, examine, from_weights, scripted, uniform
from dpcert.audit import limits
from dpcert.audit.kernels import targets
from dpcert.audit.solving import analysis

MOST_CALLS = 300_000
"""Function calls between two looks, about a tenth of a second: 2,000 vertices are written out at a stretch."""
RATE = 600
"""Looks a second."""


@dataclass
class Looking(Budget):
    """A budget whose seconds are `rate` looks long; remembers the most calls that were made between two of them."""

    rate: int = RATE
    now: ClassVar[int] = 0
    calls: ClassVar[int] = 0
    most: ClassVar[int] = 0
    _then: int = field(default_factory=lambda: Looking.now)

    def nanoseconds(self) -> int:
        return (Looking.now - self._then) * 10**9 // self.rate

    def check(self) -> None:
        Looking.now += 1
        Looking.pause()
        super().check()

    @classmethod
    def pause(cls) -> None:
        """Notes what was done since the last look."""
        cls.most, cls.calls = max(cls.most, cls.calls), 0


@pytest.fixture(autouse=True, scope="module")
def _all_is_imported() -> None:
    """What a process reads once, when it first needs it, is no work between two looks."""
    for room in ("beliefs", "checklist", "enclosed", "games", "grids", "solving"):
        for one in walk_packages(import_module(f"dpcert.audit.{room}").__path__, f"dpcert.audit.{room}."):
            import_module(one.name)


@contextmanager
def counting(rate: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Counts calls, with a budget of this kind for all parts of the work."""
    monkeypatch.setattr(analysis, "Budget", partial(Looking, rate=rate))
    monkeypatch.setattr(limits, "PATIENCE", 500 * 10**6)
    Looking.now = Looking.calls = Looking.most = 0

    def called(frame: object, event: str, argument: object) -> None:
        del frame, event, argument
        Looking.calls += limits._asked is None  # the user's code is ended by a timer: see test_limits.py

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        yield
    finally:
        sys.setprofile(before)
        Looking.pause()


@dataclass(frozen=True)
class Wide:
    """Many inputs, a few outcomes."""

    inputs: int
    outcomes: int = 2

    @property
    def alphabet(self) -> tuple[int, ...]:
        """All of them."""
        return tuple(range(self.inputs))

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """Another law for almost every input."""
        return from_weights({y: 1 + (prefix[-1] * 7 + y * y * 3 + prefix[-1] * y) % 101 for y in range(self.outcomes)})


class Growing:
    """Every prefix has a law of its own."""

    alphabet = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """A coin that remembers everything."""
        number = int("1" + "".join(map(str, prefix)), 2)
        return bernoulli(Fraction(number, 2 ** (len(prefix) + 1)))


class LongNumbers:
    """Weights of hundreds of digits without common factors."""

    alphabet = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """Powers next to each other."""
        return from_weights({y: 3**600 + 7 ** (500 + y) + sum(prefix) * len(prefix) for y in range(30)})


@dataclass(frozen=True)
class Walk:
    """A walk on many hidden states."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        """A step, of which little is seen."""
        after = (state * 3 + x + draw(uniform(range(6)))) % 1009
        return Release(draw(from_weights({y: 1 + after * y % 5 for y in range(4)}))), after


class Sums:
    """Additive noise on weighted sums."""

    alphabet = (0, 1)

    def weights(self, t: int) -> tuple[int, ...]:
        """1 to t."""
        return tuple(range(1, t + 1))

    def noise_law(self, t: int) -> Pmf[int]:
        """The same in every round."""
        del t
        return from_weights({y: 1 + y * y % 7 for y in range(-9, 10)})


class ManySeeds:
    """Code under seeds of many values."""

    alphabet = (0, 1)

    def seeds(self, horizon: int) -> Pmf[tuple[int, ...]]:
        """Independent."""
        law: Pmf[tuple[int, ...]] = uniform([()])
        for _ in range(horizon):
            law = law.product(uniform(range(12))).map(lambda pair: (*pair[0], pair[1]))
        return law

    def respond(self, seeds: tuple[int, ...], stream: tuple[int, ...]) -> tuple[int, ...]:
        """Each input behind its seed."""
        return tuple((w + x) % 12 for w, x in zip(seeds, stream, strict=False))


class Rolls:
    """Code that draws a die a round."""

    def __init__(self, rng: Any) -> None:
        self.rng, self.total = rng, 0

    def __call__(self, x: int) -> int:
        self.total += x
        return self.total + int(self.rng.randint(0, 1))


def built_in(name: str) -> Any:
    found: Any = targets.find(name, {}).mechanism
    return found


LONG = [
    "binary-tree", "clipped-sum", "hybrid-core", "ideal-stream-sum", "randbin-toy", "randomized-response",
    "shared-coin", "sparse-vector", "stream-sum", "toeplitz-core", "two-round-repeated",
]  # fmt: skip
CASES = [
    *(pytest.param(partial(built_in, name), {"horizon": 10**6}, id=f"{name}, 10^6 rounds") for name in LONG),
    pytest.param(partial(built_in, "randbin-toy"), {"horizon": 10**6, "game": "npp"}, id="npp, 10^6 rounds"),
    pytest.param(partial(Wide, 60), {"horizon": 1}, id="60 inputs, 1 round"),
    pytest.param(partial(Wide, 300), {"horizon": 1}, id="300 inputs, 1 round"),
    pytest.param(partial(Wide, 40, 40), {"horizon": 3}, id="40 inputs, 40 outcomes"),
    pytest.param(partial(Wide, 60), {"horizon": 1, "hops": 2}, id="60 inputs, 2 hops"),
    pytest.param(partial(Wide, 3, 400), {"horizon": 2}, id="400 outcomes, 2 rounds"),
    pytest.param(Growing, {"horizon": 40}, id="growing"),
    pytest.param(Growing, {"horizon": "inf"}, id="growing, every horizon"),
    pytest.param(LongNumbers, {"horizon": 4}, id="long numbers"),
    pytest.param(Walk, {"horizon": 8}, id="hidden walk"),
    pytest.param(Sums, {"horizon": 60}, id="weighted sums"),
    pytest.param(Sums, {"horizon": 10**6}, id="weighted sums, 10^6 rounds"),
    pytest.param(ManySeeds, {"horizon": 4}, id="many seeds"),
    pytest.param(lambda: scripted(Rolls, alphabet=(0, 1)), {"horizon": 7}, id="scripted"),
]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(("make", "asked"), spread(CASES, 4))
def test_there_is_never_much_work_between_two_looks(
    make: Callable[[], Any], asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_looked_at(make(), asked, RATE, monkeypatch)


@pytest.mark.in_turns
@pytest.mark.parametrize("inputs", [40, 90])
def test_so_it_is_where_one_position_has_thousands_of_moves(inputs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for rate in (3 * inputs**2 // 2, 5 * inputs**2):  # once the positions are explored
        assert_looked_at(Wide(inputs), {"horizon": 1}, rate, monkeypatch)


def assert_looked_at(mechanism: Any, asked: dict[str, Any], rate: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with counting(rate, monkeypatch):
        record = examine(mechanism, **asked, budget=Looking(max_seconds=1, rate=rate))
    assert Looking.most < MOST_CALLS
    assert Looking.now < 3 * rate  # a second, and less than two after it
    assert record.exit_status in (0, 1, 3)


@pytest.mark.thorough
@pytest.mark.parametrize("seconds", [1, 2, 5, 20])
@pytest.mark.parametrize(("make", "asked"), CASES)
def test_a_bound_is_kept_within_two_seconds(make: Callable[[], Any], asked: dict[str, Any], seconds: int) -> None:
    mechanism = make()
    started = time.process_time()
    examine(mechanism, **asked, budget=Budget(max_seconds=seconds))
    assert time.process_time() - started < seconds + 2


def test_bounds_leave_room_for_what_comes_after_them() -> None:
    for seconds in (1, 5, 12, 13, 60, 3600):
        budget = Budget(max_seconds=seconds)
        assert budget.work is not None
        assert budget.work + budget.grace <= (seconds + 1) * 10**9 + 200_000_000
    works = [Budget(max_seconds=seconds).work or 0 for seconds in range(1, 200)]
    assert works == sorted(works)  # a longer bound never leaves less
