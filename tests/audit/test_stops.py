"""One interrupt, or the end of the budget, in every phase of an audit: what is known is kept."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.cut_short import EXACT, Audited, audited

from dpcert import Budget, examine
from dpcert.audit.budget import Stopped
from dpcert.audit.solving import analysis
from dpcert.audit.solving.strategy import Search, Strategy
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound


@dataclass
class StoppedIn(Budget):
    """Raises `error` once, at the first check after the progress line that starts with `phase`."""

    phase: str = ""
    error: BaseException | None = None
    said: str = ""

    def __post_init__(self) -> None:
        self.progress = self._note

    def _note(self, text: str) -> None:
        self.said = text

    def check(self) -> None:
        if self.error is not None and self.said.startswith(self.phase):
            error, self.error = self.error, None
            raise error


STOPS = [KeyboardInterrupt(), Stopped("--max-seconds 1 was reached")]


def stopped_in(
    phase: str, error: BaseException, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], folder: Path
) -> Audited:
    """The audit of two-round with a stop in one phase."""
    budgets: list[StoppedIn] = []

    def made(*_: object) -> StoppedIn:
        budgets.append(StoppedIn(phase=phase, error=error))
        return budgets[0]

    monkeypatch.setattr("dpcert.audit.suites.deciding.Budget", made)
    found = audited(capfd, folder, "two-round")
    assert budgets[0].error is None, "the phase was never reached"
    assert found.err == ""
    low, high = found.ends("adaptive")[0]
    assert low <= EXACT <= high
    return found


@pytest.mark.in_turns
@pytest.mark.parametrize("error", STOPS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    ("phase", "known"),
    [
        pytest.param(
            "exploring round 1",
            Fraction(0),
        ),
        ("exploring round 2", Fraction(3, 100)),
        ("solved 1 of 2", EXACT),
        ("enumerating", EXACT),
    ],
)
def test_a_stop_in_any_phase_keeps_what_is_known(
    phase: str,
    known: Fraction,
    error: BaseException,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    found = stopped_in(phase, error, monkeypatch, capfd, tmp_path)
    reached = found.ends("adaptive")[0][0]
    goes_on = isinstance(error, Stopped) and known != EXACT  # said once: fixed streams are then bounded in what is left
    assert known <= reached <= EXACT if goes_on else reached == known
    if known == EXACT:  # a game as small as this one is solved again within a grace, and its streams are all tried
        assert found.status == 1
        assert found.ends("fixed_stream")[0] == (Fraction(9, 100), Fraction(9, 100))
    else:
        reason = "interrupted" if isinstance(error, KeyboardInterrupt) else "--max-seconds 1 was reached"
        assert found.status == 3
        assert f"is not decided: {reason}." in found.out


@pytest.mark.parametrize("error", STOPS, ids=lambda error: type(error).__name__)
def test_a_stop_on_the_ladder_keeps_the_curves(error: BaseException) -> None:
    budget = StoppedIn(phase="deciding the ladder", error=error)
    try:
        record = examine(RandomizedResponse(), budget=budget)
    except KeyboardInterrupt:  # would stop pytest itself
        pytest.fail("interrupted")
    assert budget.error is None
    assert record["verdict"] == "HOLDS"


def test_the_end_of_the_budget_leaves_the_adversaries_out() -> None:
    whole = examine(RandomizedResponse())
    budget = StoppedIn(phase="reading off", error=Stopped("--max-seconds 1 was reached"))
    cut = examine(RandomizedResponse(), budget=budget)
    assert budget.error is None
    for got, expected in zip(cut["adaptive"]["strategies"], whole["adaptive"]["strategies"], strict=True):
        assert got["delta"] == expected["delta"]
        assert got["nodes"] == []
        assert not (got["complete"] and expected["nodes"])
    assert (cut["verdict"], cut["adaptive"]["power"]) == (whole["verdict"], whole["adaptive"]["power"])


def test_an_interrupt_of_the_fixed_streams_keeps_the_adaptive_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(analysis, "fixed_stream", interrupted)
    found = audited(capfd, tmp_path, "two-round")
    assert found.status == 3
    assert found.record["adaptive"]["tier"] == "exact"
    assert found.ends("fixed_stream")[0] == (Fraction(0), EXACT)
    assert found.record["fixed_stream"]["witnesses"] == []


@pytest.mark.in_turns
@pytest.mark.parametrize("patched", ["strategy", "replay"])
def test_an_interrupt_while_adversaries_are_read_off_keeps_those_that_are(
    patched: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = audited(capfd, tmp_path, "two-round")
    calls = []

    def third_time_interrupted(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any) -> Any:
            calls.append(arguments)
            if len(calls) == 3:
                raise KeyboardInterrupt
            return function(*arguments)

        return wrapped

    if patched == "strategy":
        original: Callable[..., Strategy | None] = Search.strategy
        monkeypatch.setattr(Search, "strategy", third_time_interrupted(original))
    else:
        from dpcert.audit.solving.replay import replay

        monkeypatch.setattr("dpcert.audit.records.adversaries.replay", third_time_interrupted(replay))
    found = audited(capfd, tmp_path, "two-round")
    assert found.status == 1
    expected, got = whole.record["adaptive"]["strategies"], found.record["adaptive"]["strategies"]
    assert got[:2] == expected[:2]
    assert [s["delta"] for s in got] == [s["delta"] for s in expected]
    assert (got[2]["complete"], got[2]["replayed"], got[2]["nodes"]) == (False, None, [])
    assert all(s["replayed"] is None or not s["nodes"] for s in got[2:])
    assert {k: v for k, v in found.record.items() if k not in ("adaptive", "provenance")} == {
        k: v for k, v in whole.record.items() if k not in ("adaptive", "provenance")
    }


def test_two_round_is_what_the_phases_assume() -> None:
    record = examine(TwoRound(), horizon=1, exp_epsilons=[1])
    assert record["adaptive"]["total_variation"] == "3/100"
