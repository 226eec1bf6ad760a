"""Which faults of the modules that decide a fast part of the tests finds: `make mutants`.

The tests of a room are collected once, and measured once: how long each takes, and which lines it runs. Then each fault
is tried in a copy of that process, by the shortest tests that run its line, up to `--each` seconds in all; the first
that fails ends the trial. What was found is kept in a file, by module, digest and fault, so that a run goes on where
one was ended; what was not is tried again.
"""

import argparse
import ast
import contextlib
import hashlib
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS)]
os.environ.setdefault("DPCERT_SEEDS", "0")  # the same tests again and again

import pytest  # noqa: E402 - the path and the seeds come first
from hypothesis import Phase, settings  # noqa: E402
from mutants import at_import  # noqa: E402
from mutants.mutations import Site, Source  # noqa: E402
from mutants.pool import Pool, measured  # noqa: E402
from mutants.suites import FLOORS, ROOMS, SECONDS, WANTED  # noqa: E402
from mutants.trials import Session, first_failing, functions, in_a_copy, put_in  # noqa: E402

EXAMPLES = 15
"""That a test draws, where it draws some."""
LIBRARIES = ("numpy", "flint", "click", "jsonschema", "mpmath", "rich", "scipy")


@dataclass(frozen=True)
class Fault:
    """A fault that can be tried.

    Attributes:
        module: The module's name.
        file: Its file.
        site: Where it is put.
    """

    module: str
    file: Path
    site: Site

    @property
    def source(self) -> Source:
        """The module as it is."""
        return Source(self.file.read_text(encoding="utf-8"))

    @property
    def key(self) -> str:
        """Names it as long as the module stays as it is."""
        digest = hashlib.sha256(self.file.read_bytes()).hexdigest()[:12]
        return f"{self.module} {digest} {self.site.number}"

    def __str__(self) -> str:
        return f"{self.module}:{self.site.lines[0]}: {self.source.faulty(self.site)[1]} (--number {self.site.number})"


@dataclass(frozen=True)
class Tried:
    """How the trial of a fault went.

    Attributes:
        found: Whether it was found.
        by: The test that found it or, of one that was not, how many tests passed.
        ended: The signal that ended the trial, 0 for none.
        seconds: That it took.
    """

    found: bool
    by: str
    ended: int
    seconds: float


def asked_of(fault: Fault, pool: Pool, *, reading: bool = False) -> list[str]:
    """The tests that a fault is tried by: those that were seen to run its lines, else those of the module.

    Args:
        fault: The fault.
        pool: The tests, measured.
        reading: Whether the module is read again, and its functions may be called then: both are asked.
    """
    first, last = fault.site.lines
    running = pool.running(fault.module, range(first, last + 1)) if fault.site.inside else []
    others = pool.running(fault.module, None) if reading or not running else []
    return [*dict.fromkeys((*running, *others))]


def tried(fault: Fault, pool: Pool, items: Mapping[str, pytest.Item], live: Sequence[object]) -> Tried | None:
    """How the trial of a fault inside a function went, None where the function cannot be given other code.

    Args:
        fault: The fault.
        pool: The tests, measured.
        items: The same, collected.
        live: The module's functions.
    """
    tree, _ = fault.source.faulty(fault.site)
    file, begun = str(fault.file), time.monotonic()
    faulty, plain = (compile(one, file, "exec", dont_inherit=True) for one in (tree, fault.source.text))
    names = asked_of(fault, pool)

    def run(say: Callable[[str], None]) -> None:
        if not put_in(faulty, plain, live):  # type: ignore[arg-type]
            say("not put in")
            return
        first_failing([(items[name], pool.tests[name].seconds) for name in names], say)

    said, ended = in_a_copy(run)
    return None if said[-1:] == ["not put in"] else verdict(said, ended, begun)


def tried_at_import(fault: Fault, pool: Pool) -> Tried:
    """How the trial of a fault went that may take effect while its module is read."""
    tree, _ = fault.source.faulty(fault.site)
    names, begun = asked_of(fault, pool, reading=True), time.monotonic()
    seconds = sum(pool.tests[name].seconds for name in names)
    command = [sys.executable, at_import.__file__, fault.module, str(seconds), *names]
    done = subprocess.run(command, input=ast.unparse(tree), cwd=ROOT, capture_output=True, text=True, check=False)
    passed = done.returncode == 0
    failing = [line.split()[1] for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    by = str(len(names)) if passed else (failing or ["reading it"])[0]
    return Tried(not passed, by, max(0, -done.returncode), round(time.monotonic() - begun, 2))


def verdict(said: Sequence[str], ended: int, begun: float) -> Tried:
    """What the lines of a trial tell."""
    passed = said[-1:] == ["passed"]
    by = str(len(said) - 1) if passed else next((one for one in reversed(said) if one != "failed"), "")
    return Tried(not passed, by, ended, round(time.monotonic() - begun, 2))


def modules(room: str) -> Iterator[tuple[str, Path]]:
    """Name and file of every module of a room."""
    folder = ROOT / ROOMS[room][0]
    for file in [folder] if folder.suffix else sorted(folder.glob("*.py")):
        if file.name != "__init__.py":
            name = "dpcert." + file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
            yield name.replace("dpcert.src.dpcert", "dpcert"), file


def _suite(room: str) -> list[str]:
    folder, suite = ROOMS[room]
    doctests = ROOT / folder if folder.startswith("src") else ROOT / "src/dpcert" / folder
    return [str(doctests), *(str(ROOT / one) for one in suite)]


def all_faults(room: str) -> list[Fault]:
    """Every fault of a room, those that a rule leaves out as well."""
    return [Fault(name, file, site) for name, file in modules(room) for site in Source(file.read_text()).sites]


class Record:
    """What was tried, kept in a file of lines."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.parent.mkdir(exist_ok=True)
        self.tried: dict[str, Tried] = {}
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
            one = json.loads(line)
            self.tried[one.pop("key")] = Tried(one["found"], one["by"], one["ended"], one["seconds"])

    def add(self, fault: Fault, how: Tried) -> None:
        """Writes down one trial."""
        said = {"key": fault.key, **how.__dict__, "fault": str(fault)}
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(said) + "\n")


def try_all(room: str, faults: Sequence[Fault], asked: argparse.Namespace) -> None:
    """Tries faults of a room, in a copy of this process that collects the room's tests."""
    record, terminal = Record(asked.kept), os.dup(1)
    say = lambda line: (os.write(terminal, f"{line}\n".encode()), None)[1]  # noqa: E731
    deciding = {name: file.resolve() for one in ROOMS for name, file in modules(one)}
    ends, each = time.monotonic() + asked.seconds, asked.each or SECONDS.get(room, 1)

    def work(items: dict[str, pytest.Item]) -> None:
        pool = measured(items, asked.kept.with_name("mutants-tests.jsonl"), deciding, each, say)
        live = functions(file for _, file in modules(room))
        for fault in faults:
            if time.monotonic() > ends:
                return
            how = tried(fault, pool, items, live[str(fault.file.resolve())]) if fault.site.inside else None
            if how is None or not how.found:  # the function may be called while its module is read
                how = tried_at_import(fault, pool)
            record.add(fault, how)
            if not how.found or asked.loud:
                say(f"{'found' if how.found else 'SURVIVES'} {fault} [{how.by}, {how.ended}, {how.seconds} s]")

    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            _few_examples()
            pytest.main([*at_import.PLAIN, *_suite(room)], [Session(work)])
        os._exit(0)
    os.waitpid(child, 0)
    os.close(terminal)


def _few_examples() -> None:
    """Tests that draw examples draw fewer: a fault is found by the first ones or by hardly any."""
    from instances import experiments

    experiments.PROFILE = settings(experiments.PROFILE, max_examples=EXAMPLES)


def main() -> int:
    """The exit status: 0 where no room is below what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--room", action="append", choices=list(ROOMS))
    parser.add_argument("--module", help="Only modules whose name holds this.")
    parser.add_argument("--sample", type=int, help="So many faults of each room, chosen by the seed.")
    parser.add_argument("--seed", type=int, default=None, help="Chosen by the commit where none is given.")
    parser.add_argument("--seconds", type=int, default=10**6, help="For each room.")
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "mutants.jsonl")
    parser.add_argument("--each", type=float, help="Seconds of tests that a fault is tried by; as the room says.")
    parser.add_argument("--number", type=int, action="append", help="Only these faults, with --module.")
    parser.add_argument("--line", type=int, action="append", help="Only faults of these lines, with --module.")
    parser.add_argument("--loud", action="store_true", help="Shows what was found, too.")
    asked = parser.parse_args()
    settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate], database=None, deadline=None)
    settings.load_profile("mutants")
    for library in LIBRARIES:
        if find_spec(library) is not None:
            __import__(library)
    return report(asked)


def report(asked: argparse.Namespace) -> int:
    """Tries what was asked for, and says what was found."""
    from instances.seeds import commit

    seed = (commit() or 0) if asked.seed is None else asked.seed
    counts = Counter[tuple[str, bool]]()
    for room in asked.room or ROOMS:
        faults = chosen(room, asked, seed)
        known = Record(asked.kept).tried
        open_ones = [one for one in faults if one.key not in known or not known[one.key].found]
        if open_ones:
            try_all(room, open_ones, asked)
        known = Record(asked.kept).tried
        counts.update((room, known[one.key].found) for one in faults if one.key in known)
        _line(room, counts[room, True], counts[room, False])
    found, alive = (sum(n for (_, how), n in counts.items() if how is state) for state in (True, False))
    _line("all", found, alive)
    low = [room for room in ROOMS if below_floor(room, counts[room, True], counts[room, False])]
    print(f"below what was measured: {', '.join(low)}" if low else f"{WANTED} percent are wanted", flush=True)
    return int(bool(low))


def chosen(room: str, asked: argparse.Namespace, seed: int) -> list[Fault]:
    """The faults of a room that are asked for and that no rule leaves out."""
    every = all_faults(room)
    rules = Counter(one.site.rule for one in every if one.site.rule)
    kept = [one for one in every if one.site.rule is None and (asked.module is None or asked.module in one.module)]
    without = ", ".join(f"{name} {count}" for name, count in sorted(rules.items()))
    print(f"{room}: {len(every)} faults, left out: {without or 'none'}", flush=True)
    if asked.number or asked.line:
        numbers, lines = asked.number or [], asked.line or []
        return [one for one in kept if one.site.number in numbers or one.site.lines[0] in lines]
    return kept if asked.sample is None else random.Random(seed).sample(kept, min(asked.sample, len(kept)))


def below_floor(room: str, found: int, alive: int) -> bool:
    """Whether so few of the faults of a room that were tried are found that it cannot be the chance of the choice."""
    return bool(found + alive) and 100 * interval(found, alive)[1] < FLOORS[room]


def interval(found: int, alive: int) -> tuple[float, float]:
    """The ends of Wilson's interval of 95 percent for the part of the faults that is found."""
    count = found + alive
    part, z2 = found / count, 1.96**2
    middle, half = part + z2 / (2 * count), (z2 * (part * (1 - part) / count + z2 / (4 * count * count))) ** 0.5
    return (middle - half) / (1 + z2 / count), (middle + half) / (1 + z2 / count)


def _line(room: str, found: int, alive: int) -> None:
    """Found and not, with the interval, in percent."""
    count = found + alive
    if not count:
        return
    part, (low, high) = found / count, interval(found, alive)
    print(f"{room}: {found} of {count} found, {100 * part:.1f} % ({100 * low:.1f} to {100 * high:.1f})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
