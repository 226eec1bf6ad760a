"""A Dask scheduler and its workers, as processes of this machine."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cluster:
    """A scheduler that listens, and the processes of its workers."""

    address: str
    workers: list["subprocess.Popen[bytes]"]


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """A cluster whose processes stand in a folder, and end with the block."""
    place, log = folder / "scheduler.json", (folder / "cluster.log").open("wb")
    shared = ["--no-dashboard", "--host", "127.0.0.1"]
    started = [_started("scheduler", [*shared, "--port", "0", "--scheduler-file", str(place)], folder, log)]
    try:
        while not (place.exists() and place.read_text()):
            assert started[0].poll() is None, (folder / "cluster.log").read_text()
            time.sleep(0.05)
        options = [*shared, "--no-nanny", "--nthreads", "1", "--scheduler-file", str(place)]
        own = [*options, "--local-directory", str(folder / "spill")]
        started += [_started("worker", own, folder, log) for _ in range(workers)]
        address = place.read_text().partition('"address": "')[2].partition('"')[0]
        yield Cluster(address, started[1:])
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
        log.close()


def _started(what: str, options: list[str], folder: Path, log: object) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
    return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)  # type: ignore[call-overload,no-any-return]
