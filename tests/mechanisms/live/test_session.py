"""The session of a RandBin: what it hands out, what it refuses, and where it is over."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import ArgumentError, DpcertError
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.audit.kernels.session import sample
from dpcert.mechanisms.live.session import Bin, RandBinSession
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.randbin.toy import RandBinToy

TOY = RandBinToy()


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


class Interrupted:
    """Draws that are interrupted at number `at`."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, law: Pmf[Any]) -> Any:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return sample(law)


def test_a_bin_says_when_its_events_came() -> None:
    run = RandBinSession(TOY)
    for n in range(1, 60):
        events = run.push(n)
        if events is not None:
            assert run.latest is not None
            assert (run.latest.events, run.latest.round, run.latest.first) == (events, n, events[0])
            assert run.latest.inclusion_delay == tuple_of_delays(run.latest)
            assert run.latest.number == run.bins
        assert run.rounds == n
        assert run.backlog == len(run.pending)


def tuple_of_delays(out: Bin) -> range:
    """By definition: the round of leaving minus the round of arrival, which here is the event itself."""
    delays = [out.round - event for event in out.events]
    assert delays == list(range(delays[0], delays[-1] - 1, -1))
    return range(delays[0], delays[-1] - 1, -1)


def test_push_all_is_push_after_push() -> None:
    draws = [sample(law) for law in (TOY.loads, *[TOY.loads] * 99)]
    recorded = [Script(draws), Script(draws)]
    one, all_at_once = (RandBinSession(RandBinToy(noise="none"), draw=draw) for draw in recorded)
    singly = [out for n in range(100) if (out := one.push(n)) is not None]
    assert [out.events for out in all_at_once.push_all(range(100))] == singly
    assert one.latest == all_at_once.latest
    assert one.pending == all_at_once.pending


class Script:
    """Recorded loads; the noise is a point."""

    def __init__(self, loads: list[int]) -> None:
        self.loads = iter(loads)

    def __call__(self, law: Pmf[Any]) -> Any:
        return next(iter(law.support)) if len(law.support) == 1 else next(self.loads)


@pytest.mark.parametrize("leased", [False, True])
@pytest.mark.parametrize("at", [1, 2, 3, 6])
def test_where_a_round_is_interrupted_the_session_is_over(tmp_path: Path, leased: bool, at: int) -> None:
    """In the second draw of a round the first is done: going on would draw it again."""
    lease = tmp_path / "lease"
    run = RandBinSession.open(lease, TOY, draw=Interrupted(at)) if leased else RandBinSession(TOY, draw=Interrupted(at))
    taken = push_until_interrupted(run)
    for again in (lambda: run.push(1), lambda: run.push_all([1]), lambda: run.acknowledge(0)):
        with pytest.raises(DpcertError, match=r"^Expected a session that goes on but got one that is over: Keyboard"):
            again()
    if leased:
        goes_on = RandBinSession.open(lease, TOY)
        assert goes_on.rounds == taken
        assert [e for out in goes_on.undelivered for e in out.events] + list(goes_on.pending) == list(range(taken))


def push_until_interrupted(run: RandBinSession) -> int:
    """How many events were taken."""
    for n in range(100):
        try:
            run.push(n)
        except KeyboardInterrupt:
            return n
    raise AssertionError


@pytest.mark.parametrize("leased", [False, True])
def test_a_closed_session_takes_nothing(tmp_path: Path, leased: bool) -> None:
    run = RandBinSession.open(tmp_path / "lease", TOY) if leased else RandBinSession(TOY)
    run.push(1)
    run.close()
    run.close()
    for again in (lambda: run.push(2), lambda: run.push_all([2]), lambda: run.acknowledge(0)):
        with pytest.raises(DpcertError, match="is over: it was closed"):
            again()
    assert run.pending == (1,)


def test_events_that_cannot_be_iterated_leave_the_session_as_it_was() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise LookupError

    run = RandBinSession(TOY)
    with pytest.raises(LookupError):
        run.push_all(broken())
    run.push(1)
    assert run.pending == (1,)


# ---------------------------------------------------------------- with a lease: JSON values

CYCLE: list[Any] = []
CYCLE.append(CYCLE)
DEEP: Any = 0
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "event",
    [object(), (1, 2), {1: 2}, {"a": (1,)}, float("nan"), float("inf"), [float("-inf")], b"bytes", {1}, Fraction(1, 2),
     CYCLE, DEEP, 10**5000],
    ids=["object", "tuple", "key", "nested tuple", "nan", "inf", "nested inf", "bytes", "set", "Fraction", "cycle",
         "deep", "long"],
)  # fmt: skip
def test_an_event_that_is_no_json_value_is_not_taken_and_the_session_goes_on(tmp_path: Path, event: Any) -> None:
    run = RandBinSession.open(tmp_path / "lease", TOY)
    with pytest.raises(ArgumentError, match=r"^Expected an event that JSON gives back as it was but got event="):
        run.push_all(["before", event])
    with pytest.raises(ArgumentError):
        run.push(event)
    run.push("after")
    run.close()
    assert RandBinSession.open(tmp_path / "lease", TOY).pending == ("after",)


def test_json_values_come_back_as_they_were(tmp_path: Path) -> None:
    events = [None, True, 0, -1.5, 1e300, 2**70, "", "é\ud800\0\n", [], [1, [2]], {}, {"a": {"b": None}}]
    run = RandBinSession.open(tmp_path / "lease", TOY)
    made = run.push_all(events)
    run.close()
    again = RandBinSession.open(tmp_path / "lease", TOY)
    assert [e for out in again.undelivered for e in out.events] + list(again.pending) == events
    assert list(again.undelivered) == made


def test_an_event_changed_after_it_was_pushed_stays_what_it_was(tmp_path: Path) -> None:
    run = RandBinSession.open(tmp_path / "lease", TOY)
    event = {"user": [1]}
    run.push(event)
    event["user"].append(2)
    assert run.pending == ({"user": [1]},)


# ---------------------------------------------------------------- with a lease: which mechanism


class Plain:
    """A scheduler whose parameters nothing shows."""

    initial = 0

    def __init__(self, pace: int) -> None:
        self.pace = pace

    def step(self, state: int, load: int, draw: Draw) -> tuple[Release[int, Any], int]:
        del load, draw
        return Release(4), state

    def error(self, state: int) -> int:
        del state
        return self.pace


@dataclass(frozen=True)
class Exact:
    """A scheduler without noise, and with a parameter that changes nothing."""

    named: str = "a"
    initial = 0

    def step(self, state: int, load: int, draw: Draw) -> tuple[Release[int, Any], int]:
        del draw
        return Release(load), state

    def error(self, state: int) -> int:
        del state
        return 0


def test_a_scheduler_that_cannot_be_named_gets_no_lease(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"^Expected a dataclass, whose parameters a lease can name, but got"):
        RandBinSession.open(tmp_path / "lease", RandBin(Fraction(2), 2, Plain(1)))
    assert not (tmp_path / "lease").exists()


def test_the_schedulers_parameters_are_on_the_lease(tmp_path: Path) -> None:
    RandBinSession.open(tmp_path / "lease", RandBin(Fraction(2), 2, Exact())).close()
    with pytest.raises(DpcertError, match=r"scheduler=Exact\(named='a'\)\), where RandBin\(.*named='b'"):
        RandBinSession.open(tmp_path / "lease", RandBin(Fraction(2), 2, Exact("b")))
    RandBinSession.open(tmp_path / "lease", RandBin(Fraction(2), 2, Exact()))


@dataclass(frozen=True)
class UpTo(RandBinToy):
    """RandBinToy for so many events."""

    horizon: int = 13


@pytest.mark.parametrize("leased", [False, True])
def test_an_event_too_many_is_not_taken_and_the_session_goes_on(tmp_path: Path, leased: bool) -> None:
    mechanism = UpTo()
    run = RandBinSession.open(tmp_path / "lease", mechanism) if leased else RandBinSession(mechanism)
    bins = [out for t in range(13) if (out := run.push(t)) is not None]
    for _ in range(2):
        with pytest.raises(ArgumentError, match="at most 13 events, all that it takes, but got round=14"):
            run.push(13)
    assert (run.rounds, run.backlog, run.bins) == (13, 13 - sum(map(len, bins)), len(bins))
    run.close()


@pytest.mark.parametrize("leased", [False, True])
def test_a_batch_too_long_is_refused_before_anything_is_drawn(tmp_path: Path, leased: bool) -> None:
    def never(law: Pmf[Any]) -> Any:
        raise AssertionError(f"nothing may be drawn, of {law}")

    mechanism = UpTo()
    opened = RandBinSession.open(tmp_path / "lease", mechanism, draw=never) if leased else None
    run = opened or RandBinSession(mechanism, draw=never)
    with pytest.raises(ArgumentError, match="round=14"):
        run.push_all(range(14))
    assert run.rounds == run.backlog == 0
    run.close()
