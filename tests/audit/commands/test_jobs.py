"""One audit whose states are run by several processes, or by workers of a real scheduler, some of which are killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed")

from instances.cluster import Cluster, cluster

pytestmark = [pytest.mark.real("workers"), pytest.mark.in_turns(together="cluster of one audit")]
TARGET = '''
"""Tells, while a worker reads it, which worker that is, and goes on once one was killed."""

import os
import time
from itertools import product
from pathlib import Path

from dpcert import from_weights, scripted

HERE = Path(__file__).parent
WORKERS = (HERE / "workers").read_text().split() if (HERE / "workers").exists() else []
BIAS = int((HERE / "biased").exists() and str(os.getppid()) in WORKERS)
if str(os.getppid()) in WORKERS:
    with (HERE / "at").open("a") as places:
        places.write(f"{os.getppid()}\\n")
    while not (HERE / "killed").exists():
        time.sleep(0.05)


class Slow:
    """A counter with noise that keeps all that it released, worked out slowly."""

    def __init__(self, rng):
        self.rng = rng
        self.count = BIAS
        self.released = []

    def __call__(self, x):
        for _ in range(200):
            self.count += x - x
        self.count += x
        self.released.append(self.count + self.rng.randrange(3))
        return self.released[-1]


mechanism = scripted(Slow, alphabet=(0, 1))


class Seeded:
    """The same under explicit seeds."""

    alphabet = (0, 1)

    def seeds(self, horizon):
        return from_weights(dict.fromkeys(product((0, 1, 2), repeat=horizon), 1))

    def respond(self, seeds, stream):
        count, released = BIAS, []
        for x, drawn in zip(stream, seeds):
            for _ in range(200):
                count += x - x
            count += x
            released.append(count + drawn)
        return tuple(released)
'''
SHARING = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "  # a shell may have it ignored
    "from dpcert.audit.scripted import shares; shares.WORTH_SHARING = 10**6; "  # nanoseconds
    "shares.FIRST_RUN_HERE = 4; "
    "from dpcert.audit.commands.cli import main; main(sys.argv[1:])"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(TARGET, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("elsewhere"), workers=2) as made:
        yield made


def asked(
    folder: Path, record: str, *words: str, rounds: int = 3, target: str = "mechanism"
) -> "subprocess.Popen[bytes]":
    """The audit, begun."""
    command = ["audit", f"slow.py:{target}", "--horizon", str(rounds), "--quiet", "--exit-zero", "--json", record]
    return subprocess.Popen([sys.executable, "-c", SHARING, *command, *words], cwd=folder)


def said(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """An audit, with what it says."""
    command = [sys.executable, "-c", SHARING, "audit", "slow.py:mechanism", "--horizon", "2", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def document(record: Path) -> dict[str, Any]:
    """A record, but for who made it when."""
    found: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
    del found["provenance"]
    return found


def descendants(process: int) -> list[int]:
    """The processes that a process has begun, and those that they have."""
    try:
        own = [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        own = []
    threads = Path(f"/proc/{process}/task")
    for thread in threads.iterdir() if threads.exists() else ():
        if thread.name != str(process):
            try:
                own += [int(one) for one in (thread / "children").read_text().split()]
            except OSError:
                continue
    return [*own, *(one for child in own for one in descendants(child))]


def warm(process: int) -> int:
    """A warm process of a command, once there is one."""
    while True:
        for one in descendants(process):
            try:
                if b"dpcert.audit.workers.warm" in Path(f"/proc/{one}/cmdline").read_bytes():
                    return one
            except OSError:
                continue
        time.sleep(0.01)


def alive(process: int) -> bool:
    """Whether a process is there, and not only waited for by nobody."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_killed_process_and_a_killed_worker_show_nowhere_in_the_record(folder: Path, two_workers: Cluster) -> None:
    assert asked(folder, "alone.json").wait() == 0
    several = asked(folder, "several.json", "--jobs", "2")
    os.kill(warm(several.pid), signal.SIGKILL)
    assert several.wait() == 0
    assert document(folder / "several.json") == document(folder / "alone.json")
    (folder / "workers").write_text(" ".join(str(one.pid) for one in two_workers.workers), encoding="utf-8")
    workers = asked(folder, "workers.json", "--scheduler", two_workers.address)
    while not (folder / "at").exists() or not (folder / "at").read_text().endswith("\n"):
        assert workers.poll() is None
        time.sleep(0.05)
    at = (folder / "at").read_text().split()[0]
    (victim,) = (one for one in two_workers.workers if str(one.pid) == at)
    victim.kill()
    victim.wait()
    (folder / "killed").touch()
    assert workers.wait() == 0
    assert document(folder / "workers.json") == document(folder / "alone.json")


def test_where_code_would_answer_otherwise_on_a_worker_this_process_runs_it(folder: Path, two_workers: Cluster) -> None:
    for name in ("killed", "biased"):
        (folder / name).touch()
    (folder / "workers").write_text(" ".join(str(one.pid) for one in two_workers.workers), encoding="utf-8")
    assert asked(folder, "alone.json", rounds=2).wait() == 0
    done = said(folder, "--json", "workers.json", "--scheduler", two_workers.address)
    assert (folder / "at").exists()
    assert "runs were not shared: what its code can reach is not the same there" in done.stderr
    assert document(folder / "workers.json") == document(folder / "alone.json")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_the_command_however_that_ends(folder: Path, how: signal.Signals) -> None:
    command = asked(folder, "record.json", "--jobs", "2", rounds=6)
    warm(command.pid)
    begun = descendants(command.pid)
    command.send_signal(how)
    command.wait()
    assert_ended(begun)


def assert_ended(begun: list[int]) -> None:
    until = time.monotonic() + 20
    while (left := [one for one in begun if alive(one)]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left


def test_why_runs_are_not_shared_is_said_beside_the_record(folder: Path) -> None:
    text = TARGET.replace("return self.released[-1]", "SEEN.append(x)\n        return self.released[-1]")
    text = text.replace("self.released = []", "self.released = []\n        SEEN.clear()") + "\nSEEN = []\n"
    (folder / "slow.py").write_text(text, encoding="utf-8")
    done = said(folder, "--json", "record.json", "--jobs", "2")
    why = "runs were not shared: a run changes what its code can reach"
    assert why in done.stderr
    assert why not in done.stdout
    assert why not in (folder / "record.json").read_text(encoding="utf-8")


def test_an_interrupt_ends_with_what_is_known_and_leaves_nobody_at_work(folder: Path) -> None:
    with asked(folder, "record.json", "--jobs", "2", rounds=6) as command:
        try:
            warm(command.pid)
            begun = descendants(command.pid)
            command.send_signal(signal.SIGINT)
            command.wait(timeout=300)
        finally:
            command.kill()
    assert document(folder / "record.json")["verdict"] == "UNDECIDED"
    assert "interrupted" in json.dumps(document(folder / "record.json"))
    assert_ended(begun)


def test_seconds_end_it_as_they_do_in_one_process(folder: Path) -> None:
    assert asked(folder, "record.json", "--jobs", "2", "--max-seconds", "3", rounds=7).wait() == 0
    assert "--max-seconds 3 was reached" in json.dumps(document(folder / "record.json"))


def test_questions_to_code_under_explicit_seeds_are_shared_as_well(folder: Path, two_workers: Cluster) -> None:
    ways: list[tuple[str, ...]] = [(), ("--jobs", "2"), ("--scheduler", two_workers.address)]
    audits = [asked(folder, f"{number}.json", *way, rounds=2, target="Seeded") for number, way in enumerate(ways)]
    assert [one.wait() for one in audits] == [0, 0, 0]
    alone, several, workers = (document(folder / f"{number}.json") for number in range(3))
    assert several == workers == alone


def test_where_this_process_is_set_otherwise_it_runs_the_code(folder: Path) -> None:
    """Flags of Python's, and what a file that others do not read has said of numpy's errors."""
    (folder / "relation.py").write_text(
        "import numpy\n\nfrom dpcert.audit.relations.adjacency import Hamming\n\n"
        "numpy.seterr(all='raise')\nhere = Hamming()\n",
        encoding="utf-8",
    )
    why = "runs were not shared: Python's flags, or what it takes for an error, are set otherwise there"
    for flags, words in ((["-W", "error"], ()), ([], ("--adjacency", "relation.py:here"))):
        command = [sys.executable, *flags, "-c", SHARING, "audit", "slow.py:mechanism", "--horizon", "2", "--jobs", "2"]
        done = subprocess.run([*command, *words], cwd=folder, capture_output=True, text=True, check=False)
        assert why in done.stderr


def test_other_processes_begin_with_nobody_else_at_work(folder: Path) -> None:
    text = TARGET + "\nimport signal\n\nsignal.signal(signal.SIGUSR1, lambda *_: None)\n"
    (folder / "slow.py").write_text(text, encoding="utf-8")
    assert "runs were not shared: its target starts threads or timers" in said(folder, "--jobs", "2").stderr


COUNTING = """
from itertools import product

from dpcert import from_weights


class Counts:
    alphabet = (0, 1)

    def __init__(self):
        self.asked = 0

    def seeds(self, horizon):
        return from_weights(dict.fromkeys(product((0, 1), repeat=horizon), 1))

    @property
    def respond(self):
        self.asked += 1
        return self.even if self.asked % 2 else self.odd

    def even(self, seeds, stream):
        return seeds[: len(stream)]

    def odd(self, seeds, stream):
        return stream
"""


@pytest.mark.parametrize("how", ["self.asked % 2", "self.asked <= 3", "self.asked > 3"])
def test_a_property_is_asked_for_as_often_by_several_processes(how: str, folder: Path) -> None:
    (folder / "slow.py").write_text(COUNTING.replace("self.asked % 2", how), encoding="utf-8")
    for number in (1, 2):
        assert asked(folder, f"{number}.json", "--jobs", str(number), target="Counts").wait() == 0
    assert document(folder / "1.json") == document(folder / "2.json")
