"""The tests: how long each takes, and which lines of the modules that decide it runs; kept in a file."""

import contextlib
import hashlib
import json
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import accumulate, takewhile
from pathlib import Path

import pytest
from mutants.touching import Lines
from mutants.trials import in_a_copy, outcome


@dataclass(frozen=True)
class Measured:
    """A test, measured.

    Attributes:
        name: The test.
        digest: Of the test's file and the modules that it runs, as they were.
        outcome: How it went without a fault.
        seconds: Of processor time, while it was followed: some times what it takes alone.
        ran: By module, the lines that it runs.
    """

    name: str
    digest: str
    outcome: str
    seconds: float
    ran: dict[str, list[int]]


@dataclass(frozen=True)
class Pool:
    """The tests that pass, measured.

    Attributes:
        tests: By their names.
        each: Seconds of tests that a fault is tried by.
    """

    tests: Mapping[str, Measured]
    each: float

    def running(self, module: str, lines: Iterable[int] | None) -> list[str]:
        """The shortest tests that run one of some lines of a module, any where None is given."""
        asked = None if lines is None else set(lines)
        able = [
            test
            for test in self.tests.values()
            if module in test.ran and (asked is None or asked.intersection(test.ran[module]))
        ]
        able.sort(key=lambda test: (test.seconds, test.name))
        total = accumulate(test.seconds for test in able)
        return [test.name for test, _ in takewhile(lambda pair: pair[1] <= self.each, zip(able, total, strict=True))]


def measured(
    items: Mapping[str, pytest.Item], kept: Path, modules: Mapping[str, Path], each: float, say: Callable[[str], None]
) -> Pool:
    """The tests that pass, measured where the file does not know them as they are.

    Args:
        items: The tests by their names.
        kept: The file.
        modules: The files of all modules that decide, by their names.
        each: Seconds of tests that a fault is tried by; a longer one is not asked.
        say: Is told what is done.
    """
    file = cache(lambda path: path.read_bytes())

    def digest(item: pytest.Item, ran: Iterable[str]) -> str:
        parts = (file(item.path), *(file(modules[name]) for name in sorted(ran)))
        return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]

    def known() -> dict[str, Measured]:
        lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
        tests = {one.name: one for one in (Measured(**json.loads(line)) for line in lines)}
        return {
            name: test
            for name, test in tests.items()
            if name in items and modules.keys() >= test.ran.keys() and test.digest == digest(items[name], test.ran)
        }

    new = [item for name, item in items.items() if name not in known()]
    if new:
        say(f"{len(new)} tests are measured")
        in_a_copy(partial(_measure, new, kept, modules, each, digest))
    tests = known()
    for name in sorted(name for name, test in tests.items() if test.outcome == "failed"):
        say(f"{name} fails without a fault")
    return Pool({name: test for name, test in tests.items() if test.outcome == "passed"}, each)


def _measure(
    items: Sequence[pytest.Item],
    kept: Path,
    modules: Mapping[str, Path],
    each: float,
    digest: Callable[[pytest.Item, Iterable[str]], str],
    _: Callable[[str], None],
) -> None:
    """Follows the tests and writes down each; what one longer than a trial runs is not looked at to the end."""

    def too_long(*_: object) -> None:
        raise pytest.skip.Exception("too long")

    signal.signal(signal.SIGPROF, too_long)
    names = {str(file): name for name, file in modules.items()}
    with kept.open("a", encoding="utf-8") as file:
        for item in items:
            lines, begun, how = Lines(names), time.process_time(), "too long"
            with contextlib.suppress(pytest.skip.Exception):
                signal.setitimer(signal.ITIMER_PROF, each)
                how = lines.follow(partial(outcome, item))
            signal.setitimer(signal.ITIMER_PROF, 0)
            seconds = time.process_time() - begun
            how = how if seconds < 0.9 * each else "too long"
            ran = {name: sorted(ran) for name, ran in lines.ran.items()}
            test = Measured(item.nodeid, digest(item, ran), how, round(seconds, 4), ran)
            file.write(json.dumps(asdict(test)) + "\n")
            file.flush()
