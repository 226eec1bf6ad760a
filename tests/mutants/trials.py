"""Tests that are collected once and then run in copies of one process, with a fault in each.

A copy that is forked after the tests were collected has read all modules. A fault inside a function is put into it by
its code alone: the functions that the module made keep their place, wherever they were imported, and get other code.
"""

import contextlib
import gc
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

SLACK = 2
"""Seconds of processor time that a test may take beyond four times its own before it counts as one that never ends."""
WAITING = 120
"""Seconds after which a test counts as one that never ends though it does not work."""
MEMORY = 3 << 30
"""Bytes of addresses that a copy may have."""


class Session:
    """The plugin: gives the collected tests to a function in place of running them."""

    def __init__(self, work: Callable[[dict[str, pytest.Item]], None]) -> None:
        self.work = work

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Hands over the tests by their names."""
        self.work({item.nodeid: item for item in session.items})
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """How a part of a test went, and nothing of why."""
        skipped = call.excinfo is not None and call.excinfo.errisinstance(pytest.skip.Exception)
        outcome = "skipped" if skipped else "failed" if call.excinfo else "passed"
        why = (str(item.path), 1, "") if skipped else None
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, why, call.when)  # type: ignore[arg-type]


def outcome(item: pytest.Item) -> str:
    """How a test went: "passed", "failed" or "skipped"."""
    outcomes = {report.outcome for report in runtestprotocol(item, log=False)}
    return next((one for one in ("failed", "skipped") if one in outcomes), "passed")


def in_a_copy(run: Callable[[Callable[[str], None]], None]) -> tuple[list[str], int]:
    """The lines that a function says in a copy of this process, and the signal that ended it, 0 for none.

    Args:
        run: Is called in the copy, with a function that says a line.
    """
    sys.stdout.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.setpgid(0, 0)
            os.close(reading)
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1), os.dup2(quiet, 2)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            run(lambda line: (os.write(writing, f"{line}\n".encode()), None)[1])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as said:
        ended = os.waitpid(child, 0)[1]
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)  # what the tests began, in the copy's own group
        return said.read().splitlines(), os.WTERMSIG(ended) if os.WIFSIGNALED(ended) else 0


def at_most(seconds: float) -> None:
    """Ends this process where what follows takes longer."""
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    most = int(used + 4 * seconds) + SLACK
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
    signal.alarm(WAITING)


def first_failing(items: Sequence[tuple[pytest.Item, float]], say: Callable[[str], None]) -> None:
    """Says each test before it runs, and at last "failed" or "passed".

    Args:
        items: The tests with the seconds that each takes.
        say: Where it is said.
    """
    for item, seconds in items:
        say(item.nodeid)
        at_most(seconds)
        if outcome(item) == "failed":
            say("failed")
            return
    say("passed")


def functions(files: Iterable[Path]) -> dict[str, list[FunctionType]]:
    """The functions that live, by the file that they are from."""
    asked = {str(file.resolve()) for file in files}
    found: dict[str, list[FunctionType]] = {}
    gc.unfreeze()
    known: dict[str, str] = {}
    for one in gc.get_objects():
        if isinstance(one, FunctionType):
            name = one.__code__.co_filename
            real = known.setdefault(name, os.path.realpath(name))
            if real in asked:
                found.setdefault(real, []).append(one)
    gc.freeze()
    return found


def _codes(code: CodeType) -> Iterator[tuple[tuple[Any, ...], CodeType]]:
    """Every code in a code, by what it shares with the one that a fault was put in."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            column = min((where[2] for where in one.co_positions() if where[2] is not None), default=0)
            yield (one.co_qualname, one.co_firstlineno, one.co_varnames[: one.co_argcount], column), one
            yield from _codes(one)


def put_in(faulty: CodeType, plain: CodeType, live: Sequence[FunctionType]) -> int:
    """Gives functions the code that a module with a fault has; how many got some.

    Args:
        faulty: The code of the module with the fault.
        plain: The same without it.
        live: The module's functions.
    """
    before: Mapping[tuple[Any, ...], CodeType] = dict(_codes(plain))
    changed = {key: code for key, code in _codes(faulty) if before.get(key) != code}
    keys = {code: key for key, code in before.items()}
    given = 0
    for one in live:
        key = keys.get(one.__code__)
        if key in changed:
            one.__code__ = changed[key]
            given += 1
    return given
