"""A question to the user's code ends when the limit is met, whatever that code does about it, and our own work never
in the middle of a step."""

import gc
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpcert import Budget, bernoulli, examine
from dpcert.audit import limits
from dpcert.audit.budget import best_so_far
from dpcert.audit.errors import MechanismError, Stopped
from dpcert.audit.kernels.border import answering
from dpcert.audit.limits import _is_swallowing, interrupt, look, within


class Limit:
    """Passes `passes` times, and raises ever after."""

    def __init__(self, passes: int = 1) -> None:
        self.left = passes

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Stopped("the limit was met")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PATIENCE", 0)


def endless() -> None:
    while True:
        pass


def caught() -> str:
    try:
        endless()
    except Exception:  # noqa: BLE001 - as users do
        return "an answer"
    return "never"


def caught_all() -> str:
    try:
        endless()
    except BaseException:  # noqa: BLE001 - as users do
        return "an answer"
    return "never"


def retried() -> str:
    for _ in range(3):
        try:
            endless()
        except BaseException:  # noqa: BLE001 - as users do
            continue
    return "an answer"


def in_its_own_question() -> str:
    with answering("Inner.law"):
        endless()
    return "never"


def inner_caught() -> str:
    try:
        in_its_own_question()
    except Exception:  # noqa: BLE001 - as users do
        return "an answer"
    return "never"


@pytest.mark.parametrize("code", [endless, caught, caught_all, retried, in_its_own_question, inner_caught])
def test_what_does_not_come_back_is_ended(code: Callable[[], object]) -> None:
    answers = []
    with within(Limit()), pytest.raises(Stopped, match="the limit was met"), answering("Users.law"):
        answers.append(code())
    assert limits._asked is None
    with answering("Users.law"):  # without a limit nothing is ended
        answers.append(1)


def interrupted_and_caught() -> str:
    try:
        interrupt()
    except BaseException:  # noqa: BLE001 - as users do
        return "an answer"
    return "never"


def test_an_interrupt_that_the_user_catches_is_one_all_the_same() -> None:
    answers = []
    budget = Budget()
    with best_so_far(budget) as part, within(budget.check), answering("Users.law"):
        answers.append(interrupted_and_caught())
    assert answers == ["an answer"]
    assert (part.stopped, part.interrupted) == ("interrupted", True)
    with pytest.raises(KeyboardInterrupt):
        part.pass_on()
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_the_timer_is_put_back_and_is_never_taken_from_another() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with within(Limit()):
        assert signal.getitimer(signal.ITIMER_REAL)[1] > 0
        with within(Limit()):
            pass
        assert signal.getitimer(signal.ITIMER_REAL)[1] > 0
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)

    def mine(*_: object) -> None:
        raise AssertionError

    signal.signal(signal.SIGALRM, mine)
    try:
        with within(Limit()):
            assert signal.getsignal(signal.SIGALRM) is mine
    finally:
        signal.signal(signal.SIGALRM, before)


def test_our_own_work_is_not_ended_between_its_looks() -> None:
    with within(Limit(0)):
        total = sum(range(5_000_000))  # many ticks long
        assert total == 5_000_000 * 4_999_999 // 2
        with pytest.raises(Stopped):
            look()


def test_a_question_of_another_thread_is_not_ended_in_this_one() -> None:
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        with within(Limit()), answering("Users.law"):
            inside.set()
            done.wait()

    thread = threading.Thread(target=other)
    with within(Limit(10**9)):
        thread.start()
        inside.wait()
        sum(range(5_000_000))
        done.set()
        thread.join()


def test_an_error_of_the_user_stays_theirs() -> None:
    with within(Limit(10)), pytest.raises(MechanismError, match=r"Users\.law raised KeyError"), answering("Users.law"):
        raise KeyError("mine")


class Endless:
    """Looks like a coin, and never answers in round 3."""

    alphabet = (0, 1)

    def __init__(self, stop: Callable[[], Any]) -> None:
        self.stop = stop

    def law(self, prefix: tuple[int, ...]) -> Any:
        if len(prefix) == 3:
            self.stop()
        return bernoulli(Fraction(1, 2) + Fraction(prefix[-1], 10))


@pytest.mark.in_turns
@pytest.mark.parametrize("stop", [endless, caught, caught_all, retried])
def test_what_was_known_before_is_kept(stop: Callable[[], Any]) -> None:
    record = examine(Endless(stop), horizon=5, exp_epsilons=[1], budget=Budget(max_seconds=2))
    assert record.exit_status == 3
    assert "2 of 5 rounds explored" in record["scope"]["text"]
    (at_one,) = record["adaptive"]["delta"]
    assert (at_one["lower"], at_one["upper"]) == ("1/10", "1")


@pytest.mark.in_turns(few=True)
def test_nothing_is_raised_where_nobody_hears_it() -> None:
    """An interruption inside a hook of the garbage collector would be printed, and lost."""
    heard: list[bool] = []

    def inside() -> None:
        heard.append(_is_swallowing(sys._getframe()))

    def hook(phase: str, info: dict[str, int]) -> None:
        del phase, info
        inside()

    class Ends:
        def __del__(self) -> None:
            inside()

    inside()
    gc.callbacks.append(hook)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(hook)
    Ends()
    assert heard == [False, True, True, True]


@pytest.mark.parametrize("error", [ValueError("mine"), GeneratorExit(), SystemExit(1)])
def test_a_part_keeps_nothing_else_to_itself(error: BaseException) -> None:
    with pytest.raises(type(error)), best_so_far(Budget()):
        raise error


def test_a_part_that_comes_to_its_end_passes_nothing_on() -> None:
    with best_so_far(Budget()) as part:
        pass
    part.pass_on()
    assert part.stopped == ""


class Standing(Budget):
    """A budget whose clock stands where it is put."""

    seconds = 0

    def nanoseconds(self) -> int:
        """Since it was made."""
        return self.seconds * 10**9


def test_what_follows_keeps_its_part_of_the_time() -> None:
    budget = Standing(max_seconds=100)
    budget.seconds = 20
    left = budget.left()
    assert left is not None
    with budget.keeping(4):
        assert budget.left() == left - left // 4
        budget.seconds = 90
        with pytest.raises(Stopped, match="its share of --max-seconds 100"):
            budget.check()
    budget.seconds = 20
    assert budget.left() == left
    with Budget().keeping(4):
        Budget().check()


def test_work_without_which_nothing_is_decided_may_leave_a_quarter_of_the_time() -> None:
    budget = Standing(max_seconds=100)
    assert budget.work is not None
    seconds = budget.work // 10**9
    for part, early, late in (
        (seconds * 2 // 5, True, True),
        (seconds * 3 // 5, False, True),
        (seconds * 4 // 5, False, False),
    ):
        budget.seconds = part
        for check, allowed in ((budget.check_early, early), (budget.check_late, late)):
            with best_so_far(Budget()) as found:
                check()
            assert (not found.stopped) == allowed
    budget.cut()
    with pytest.raises(Stopped, match="interrupt"):
        budget.check_late()


def test_an_interrupt_of_a_part_with_a_bound_of_its_own_ends_the_whole() -> None:
    budget = Standing()
    part = replace(budget, max_positions=5, positions=0)
    budget.check()
    with best_so_far(part) as cut:
        raise KeyboardInterrupt
    assert cut.interrupted
    assert budget.bounded
    budget.seconds = 2
    with pytest.raises(Stopped, match="interrupt"):
        budget.check()
    with pytest.raises(Stopped, match="interrupt"):
        replace(budget, max_positions=7).check_early()
    Standing().check_early()
