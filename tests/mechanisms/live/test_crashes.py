"""Runs with a lease that are killed: nothing lost, nothing twice, nothing drawn again, no state resumed twice.

The writer and its checks are in `crashing.py`, a process of its own that forks the ones it kills.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.real("kills"), pytest.mark.skipif(os.name != "posix", reason="forks and kills")]

SCRIPT = Path(__file__).parents[2] / "instances" / "crashing.py"


def crashing(folder: Path, *arguments: object, mutant: str = "none") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(SCRIPT), mutant, arguments[0], str(folder), *arguments[1:]]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    return subprocess.run([*map(str, command)], env=environment, capture_output=True, encoding="utf-8", check=False)


def did(done: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    assert done.returncode == 0, (done.args, done.stderr)
    return dict(json.loads(done.stdout))


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("crashes", [15, pytest.param(300, marks=pytest.mark.thorough)])
def test_killed_at_random_moments(tmp_path: Path, crashes: int) -> None:
    done = did(crashing(tmp_path, "random", crashes, random.randrange(2**32)))
    assert done["crashes"] == crashes
    assert done["events"] >= 40 * crashes
    assert done["bins"] > done["events"] // 4 - 4


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("every", [37, pytest.param(1, marks=pytest.mark.thorough)])
def test_killed_before_the_lines_of_the_leases_modules(tmp_path: Path, every: int) -> None:
    done = did(crashing(tmp_path, "lines", every, random.randint(1, every)))
    assert done["lines"] > 400
    assert abs(done["crashes"] - done["lines"] / every) < 2


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("mutant", "said"),
    [
        ("hands_out_first", ("drawn again", "events were taken")),
        ("keeps_no_register", ("resumed a second time",)),
        ("forgets_the_journal", ("changed by hand",)),
    ],
)
def test_a_fault_is_found(tmp_path: Path, mutant: str, said: tuple[str, ...]) -> None:
    done = crashing(tmp_path, "lines", 5, 1, mutant=mutant)
    assert done.returncode != 0
    assert any(text in done.stderr for text in said), done.stderr


# ---------------------------------------------------------------- the command


class Command:
    """`dpcert run randbin` on a file or a pipe, with a lease and an output in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self, events: str, *, stdin: Any = None) -> "subprocess.Popen[bytes]":
        options = ["--lease", "lease", "-o", "bins", "--batch", "20"]
        return subprocess.Popen(
            [sys.executable, "-m", "dpcert", "run", "randbin", "--target", "randbin-toy", events, *options],
            cwd=self.folder,
            env={**os.environ, "XDG_STATE_HOME": str(self.folder / "state")},
            stdin=stdin,
            stderr=subprocess.PIPE,
        )

    def bins(self) -> list[Any]:
        try:  # no look whether it is there first: the command tries whether it can write, and takes that file away
            written = (self.folder / "bins").read_bytes()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in written.rpartition(b"\n")[0].splitlines()]


@pytest.mark.in_turns
def test_the_command_killed_and_started_again_gives_each_event_once(tmp_path: Path) -> None:
    command, total, killed, before = Command(tmp_path), 5_000, 0, 0
    (tmp_path / "events").write_text("".join(f"{n}\n" for n in range(total)))
    while killed < 3:
        process = command.start("events")
        give_up = time.monotonic() + 300
        while process.poll() is None and len(command.bins()) == before:
            assert time.monotonic() < give_up
        time.sleep(random.uniform(0, 0.02))
        process.kill()
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        before = len(command.bins())
    process = command.start("events")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    bins = command.bins()
    assert [out["bin"] for out in bins] == list(range(1, len(bins) + 1))
    assert [event for out in bins for event in out["events"]] == [str(n) for n in range(total)][: -total_waiting(err)]


def total_waiting(err: bytes) -> int:
    """What the summary says still waits."""
    return int(err.decode().split(" waiting")[0].split(", ")[-1])
