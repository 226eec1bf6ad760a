"""Which faults of the modules that decide a fast part of the tests finds: `make mutants`.

Each fault is tried in a process of its own, a copy of this one in which the libraries are read already and the package
is not. The tests of a room are timed once without a fault; then the shortest are asked first, up to `--each` seconds in
all, and the first that fails ends a trial. What was found is kept in a file, by module, digest and fault, so that a run
goes on where one was ended.
"""

import argparse
import ast
import contextlib
import hashlib
import importlib.abc
import importlib.machinery
import json
import os
import random
import resource
import sys
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest
from _pytest.assertion import rewrite

ROOT = Path(__file__).parents[2]
TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS)]

from mutants.mutations import count, mutant  # noqa: E402 - found by the path above
from mutants.suites import FLOORS, ROOMS, WANTED  # noqa: E402

LIBRARIES = ("numpy", "flint", "click", "jsonschema", "mpmath", "rich", "scipy")
SECONDS = 30
"""Of processor time after which a fault counts as found: something does not end."""


class _Loader(importlib.machinery.SourceFileLoader):
    """Reads one module with its fault."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - as loaders are asked
        """That of the source with the fault."""
        return compile(self.source, self.path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module with its fault."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        """That module's; nothing for any other."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path) if fullname == self.name else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, self.source)
        return spec


def _before_rewriting(finder: _Finder) -> None:
    """Puts a finder first: pytest, which reads the modules of its plugins itself, leaves that module alone."""
    sys.meta_path.insert(0, finder)
    theirs = rewrite.AssertionRewritingHook.find_spec

    def find_spec(hook: Any, name: str, *rest: Any) -> Any:
        return None if name == finder.name else theirs(hook, name, *rest)

    rewrite.AssertionRewritingHook.find_spec = find_spec  # type: ignore[method-assign]  # in a process of its own


class _Clock:
    """Writes down how long each test takes."""

    def __init__(self, file: Path) -> None:
        self.file, self.seconds = file, Counter[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Adds a part of a test."""
        self.seconds[report.nodeid] += report.duration  # type: ignore[assignment]

    def pytest_sessionfinish(self) -> None:
        """Writes the file."""
        self.file.write_text(json.dumps(self.seconds), encoding="utf-8")


class _Shortest:
    """Leaves the shortest tests that take so many seconds in all, the shortest first."""

    def __init__(self, seconds: dict[str, float], most: float) -> None:
        self.seconds, self.most = seconds, most

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Sorts and cuts; a test that was not timed comes last, and one is always left."""
        items.sort(key=lambda item: self.seconds.get(item.nodeid, self.most))
        total = list(accumulate(self.seconds.get(item.nodeid, self.most) for item in items))
        del items[max(1, bisect_right(total, self.most)) :]


def survives(module: str, source: str, suite: Sequence[str], plugin: object) -> bool:
    """Whether the tests pass with another source for a module."""
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1), os.dup2(quiet, 2)
            _before_rewriting(_Finder(module, source))
            plain = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not thorough"]
            status = int(pytest.main([*plain, *(str(ROOT / one) for one in suite)], [plugin]))
        os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def modules(rooms: Sequence[str]) -> Iterator[tuple[str, Path, Sequence[str]]]:
    """Name, file and tests of every module of some rooms."""
    for room in rooms:
        folder, suite = ROOMS[room]
        files = [ROOT / folder] if folder.endswith(".py") else sorted((ROOT / folder).glob("*.py"))
        for file in files:
            if file.name != "__init__.py":
                name = "dpcert." + file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
                yield name.replace("dpcert.src.dpcert", "dpcert"), file, suite


@dataclass(frozen=True)
class Fault:
    """A fault that can be tried.

    Attributes:
        module: The module's name.
        file: Its file.
        number: Which of its faults.
        suite: The tests that are asked.
        times: Where it is written how long each of them takes.
        each: Of how many seconds those are that are asked.
    """

    module: str
    file: Path
    number: int
    suite: Sequence[str]
    times: Path
    each: float

    def shortest(self) -> _Shortest:
        """The choice of the tests."""
        return _Shortest(json.loads(self.times.read_text(encoding="utf-8")), self.each)

    def survives(self, kept: Path, known: dict[str, bool]) -> bool:
        """Whether it is not found; looked up where it was tried before.

        Args:
            kept: Where what was found is written.
            known: What is there already.
        """
        source = self.file.read_text(encoding="utf-8")
        key = f"{self.module} {hashlib.sha256(source.encode()).hexdigest()[:12]} {self.number} {self.each:g}"
        if key not in known:
            made = mutant(source, self.number)
            known[key] = survives(self.module, made.source, self.suite, self.shortest())
            said = {"key": key, "line": made.line, "fault": made.fault, "survives": known[key]}
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(said) + "\n")
        return known[key]

    def tests_tell(self) -> bool:
        """Whether the tests pass where there is no fault, and fail where the module cannot be read at all."""
        plain = ast.unparse(ast.parse(self.file.read_text(encoding="utf-8")))
        if not self.times.exists() and not survives(self.module, plain, self.suite, _Clock(self.times)):
            return False
        if not survives(self.module, plain, self.suite, self.shortest()):
            return False
        return not survives(self.module, "raise ImportError", self.suite, self.shortest())

    def __str__(self) -> str:
        made = mutant(self.file.read_text(encoding="utf-8"), self.number)
        return f"{self.module}:{made.line}: {made.fault}"


def main() -> int:
    """The exit status: 0 where at least the wanted part of the faults is found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--room", action="append", choices=list(ROOMS))
    parser.add_argument("--module", help="Only modules whose name holds this.")
    parser.add_argument("--sample", type=int, help="So many faults of each room, chosen by the seed.")
    parser.add_argument("--seed", type=int, default=None, help="Chosen by the commit where none is given.")
    parser.add_argument("--seconds", type=int, default=10**6)
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "mutants.jsonl")
    parser.add_argument("--each", type=float, default=6, help="Seconds of tests that a fault is tried by.")
    parser.add_argument("--number", type=int, action="append", help="Only these faults, with --module.")
    asked = parser.parse_args()
    for library in LIBRARIES:
        if find_spec(library) is not None:
            __import__(library)
    from instances.seeds import commit

    seed = (commit() or 0) if asked.seed is None else asked.seed
    asked.kept.parent.mkdir(exist_ok=True)
    lines = asked.kept.read_text(encoding="utf-8").splitlines() if asked.kept.exists() else []
    known: dict[str, bool] = {one["key"]: one["survives"] for one in map(json.loads, lines)}
    ends, counts = time.monotonic() + asked.seconds, Counter[tuple[str, bool]]()
    for room in asked.room or ROOMS:
        faults = _chosen(room, asked, seed)
        if faults and not faults[0].tests_tell():
            print(f"{room}: its tests do not tell a module without a fault from none", flush=True)
            return 2
        for fault in faults:
            if time.monotonic() > ends:
                break
            lives = fault.survives(asked.kept, known)
            counts[room, lives] += 1
            if lives:
                print(fault, flush=True)
        _line(room, counts[room, False], counts[room, True])
    killed, alive = (sum(n for (_, lives), n in counts.items() if lives is state) for state in (False, True))
    _line("all", killed, alive)
    low = [room for room in ROOMS if below_floor(room, counts[room, False], counts[room, True])]
    print(f"below what was measured: {', '.join(low)}" if low else f"{WANTED} percent are wanted", flush=True)
    return int(bool(low))


def below_floor(room: str, killed: int, alive: int) -> bool:
    """Whether so few of the faults of a room that were tried are found that it cannot be the chance of the choice."""
    return bool(killed + alive) and 100 * interval(killed, alive)[1] < FLOORS[room]


def _chosen(room: str, asked: Any, seed: int) -> list[Fault]:
    found = [
        Fault(name, file, number, suite, asked.kept.parent / f"mutants-{room}.json", asked.each)
        for name, file, suite in modules([room])
        if asked.module is None or asked.module in name
        for number in asked.number or range(count(file.read_text(encoding="utf-8")))
    ]
    print(f"{room}: {len(found)} faults", flush=True)
    return found if asked.sample is None else random.Random(seed).sample(found, min(asked.sample, len(found)))


def interval(killed: int, alive: int) -> tuple[float, float]:
    """The ends of Wilson's interval of 95 percent for the part of the faults that is found."""
    count = killed + alive
    part, z2 = killed / count, 1.96**2
    middle, half = part + z2 / (2 * count), (z2 * (part * (1 - part) / count + z2 / (4 * count * count))) ** 0.5
    return (middle - half) / (1 + z2 / count), (middle + half) / (1 + z2 / count)


def _line(room: str, killed: int, alive: int) -> None:
    """Found and not, with the interval, in percent."""
    count = killed + alive
    if not count:
        return
    part, (low, high) = killed / count, interval(killed, alive)
    print(f"{room}: {killed} of {count} found, {100 * part:.1f} % ({100 * low:.1f} to {100 * high:.1f})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
