"""Bounds on the time and interrupts while conditions are examined: the game is played all the same, and soon over."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import pytest

from dpcert import Budget, Draw, Pmf, PowerFunction, Published, Release, bernoulli, examine
from dpcert.audit.budget import Interrupted, Stopped
from dpcert.audit.checklist import fresh, of_code, publishing
from dpcert.audit.games.offline import OfflineGame
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.adaptive import PERFECT
from dpcert.audit.solving.offline_analysis import analyse_offline
from dpcert.audit.verdicts.requirements import Requirements
from dpcert.mechanisms.two_round import TwoRound

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Long:
    """A walk whose game is far too long to be played to the end."""

    alphabet: ClassVar[Numbers] = (0, 1)
    initial: ClassVar[Numbers] = ()
    horizon: ClassVar[int] = 60

    def step(self, state: Numbers, x: int, draw: Draw) -> tuple[Release[Any, None], Numbers]:
        """x behind a coin; everything is remembered."""
        visible = x ^ draw(bernoulli(Fraction(1, 4)))
        return Release(Published(visible, visible)), (*state, visible)


@dataclass(frozen=True)
class LongCode:
    """The same as code under two seeds."""

    alphabet: ClassVar[Numbers] = (0, 1)
    horizon: ClassVar[int] = 12

    def seeds(self, horizon: int) -> Pmf[Numbers]:
        """One coin for all rounds."""
        return bernoulli(Fraction(1, 4)).map(lambda w: (w,) * horizon)

    def respond(self, seeds: Numbers, stream: Numbers) -> Numbers:
        """Each x behind the coin."""
        return tuple(x ^ seeds[0] for x in stream)


def interrupted(*_: object) -> Any:
    raise KeyboardInterrupt


def verdicts(record: Any) -> dict[str, tuple[str, str]]:
    """Item -> verdict and detail."""
    return {entry["item"]: (entry["verdict"], entry["detail"]) for entry in record["checklist"]}


def assert_bounded(record: Any) -> None:
    """Both curves have bounds, and the lower ones say something."""
    for curve in (record["fixed_stream"], record["adaptive"]):
        for delta in curve["delta"]:
            assert 0 <= Fraction(delta["lower"]) <= Fraction(delta["upper"]) <= 1
    assert Fraction(record["adaptive"]["delta"][0]["lower"]) > 0
    assert record["verdict"] == "UNDECIDED"
    assert record.exit_status == 3


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("module", "part", "mechanism", "item"),
    [
        (fresh, "_two_laws", Long(), "FRESH_RANDOMNESS"),
        (publishing, "_executions", Long(), "POST_PROCESSING"),
        (of_code, "_deterministic", LongCode(), "DETERMINISTIC_MAP"),
    ],
)
def test_an_interrupt_ends_the_examination_and_soon_the_audit(
    module: Any, part: str, mechanism: object, item: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "MOST_EXECUTIONS", 1_000)  # its own bound, which is not what is tested
    monkeypatch.setattr(module, part, interrupted)
    started = time.process_time()
    record = examine(mechanism)
    assert time.process_time() - started < 15
    assert verdicts(record)[item] == ("UNDECIDED", "Not decided: interrupted.")
    if item == "DETERMINISTIC_MAP":  # then what was played may not be the mechanism, and nothing is a bound
        assert {(d["lower"], d["upper"]) for d in record["adaptive"]["delta"]} == {("0", "1")}
        assert record["fixed_stream"]["witnesses"] == record["adaptive"]["strategies"] == []
        assert "Privacy: not known." in record.to_text()
    else:
        assert_bounded(record)


@dataclass
class Ticking(Budget):
    """A clock of its own: a second is so many looks long, however busy the machine is."""

    looks: int = 0
    rate: ClassVar[int] = 2_000

    def nanoseconds(self) -> int:
        return self.looks * 10**9 // self.rate

    def check(self) -> None:
        self.looks += 1
        super().check()


def test_the_examination_leaves_half_of_the_time_to_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "MOST_EXECUTIONS", 10**20)
    record = examine(Long(), budget=Ticking(max_seconds=1))
    for item in ("POST_PROCESSING", "FRESH_RANDOMNESS"):
        assert verdicts(record)[item] == ("UNDECIDED", "Not decided: half of --max-seconds 1 was reached.")
    assert_bounded(record)


def test_what_was_found_before_an_interrupt_stays_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """FRESH_RANDOMNESS is cut off, PREFIX_DEPENDENCE and the curves of two rounds are not."""
    monkeypatch.setattr(of_code, "_fresh", interrupted)
    found = examine(LongCode(), horizon=2, requirements=Requirements(certified=True))
    assert verdicts(found)["PREFIX_DEPENDENCE"][0] == "HOLDS"
    assert verdicts(found)["FRESH_RANDOMNESS"] == ("UNDECIDED", "Not decided: interrupted.")
    assert found["adaptive"]["tier"] == found["fixed_stream"]["tier"] == "exact"
    assert found.exit_status == 3


@dataclass(frozen=True)
class Reversed(LongCode):
    """The answers in reverse order: each reads the future."""

    def respond(self, seeds: Numbers, stream: Numbers) -> Numbers:
        """Each x behind the coin, the last one first."""
        return super().respond(seeds, stream[::-1])


class CountedDown(Budget):
    """Lets so many checks pass."""

    def check(self) -> None:
        """Counts."""
        self.positions -= 1
        if not self.positions:
            raise STOP


STOP: BaseException = Stopped("there was no more")


@pytest.mark.parametrize("error", [STOP, KeyboardInterrupt()])
@pytest.mark.parametrize("checks", [1, 5, 13])
def test_streams_compared_whole_can_be_cut_short(
    checks: int, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    """12 pairs of streams and the solution, in which nothing is known before the end; then all is."""
    monkeypatch.setitem(globals(), "STOP", error)
    code = any_view_of(Reversed())
    assert isinstance(code, Code)
    found = analyse_offline(OfflineGame(code, HAMMING, 2), CountedDown(positions=checks))
    assert found.fixed.upper == found.adaptive.upper == PowerFunction(PERFECT)
    assert found.fixed.lower == PowerFunction.identity()
    assert found.stopped in ("there was no more", "interrupted")
    whole = analyse_offline(OfflineGame(code, HAMMING, 2), Budget())
    assert whole.fixed.exact
    assert whole.fixed.lower.total_variation == 1
    assert whole.stopped is None


def test_an_interrupt_outside_of_every_part_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nothing catches is not swallowed."""
    stop: Callable[..., Any] = interrupted
    monkeypatch.setattr("dpcert.audit.examine.subject_of", stop)
    with pytest.raises(KeyboardInterrupt):
        examine(Long())


@pytest.mark.parametrize(
    ("part", "mechanism"),
    [
        ("checklist.subject.publishes", Long()),
        ("checklist.subject.merged", TwoRound()),
        ("kernels.code.Code.seeds", LongCode()),
        ("checklist.conditions._pure", TwoRound()),
    ],
)
@pytest.mark.parametrize("stop", [KeyboardInterrupt(), Interrupted(), Stopped("enough")])
def test_every_part_of_the_examination_keeps_what_is_known(
    part: str, mechanism: object, stop: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> Any:
        raise stop

    monkeypatch.setattr(f"dpcert.audit.{part}", stopped)
    record = examine(mechanism, horizon=2)
    for curve in (record["fixed_stream"], record["adaptive"]):
        assert all(Fraction(delta["lower"]) <= Fraction(delta["upper"]) for delta in curve["delta"])
    if part != "checklist.subject.merged":  # without it the core is played on more states
        reason = "enough" if type(stop) is Stopped else "interrupted"
        assert any(reason in detail for _, detail in verdicts(record).values())
