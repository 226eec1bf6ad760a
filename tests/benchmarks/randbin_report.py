"""`make bench`: RandBin live, events a second, beside a bare queue in the same run. Prints Markdown."""

import os
import statistics
import tempfile
import time
import tracemalloc
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from dpcert.mechanisms.design.plan import choices
from dpcert.mechanisms.design.promise import Promise
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.noise.bounded_geometric import bounded_geometric
from dpcert.mechanisms.noise.geometric import exp_epsilon_below
from dpcert.mechanisms.randbin.algorithm import Binning
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_profile import hybrid_power
from dpcert.mechanisms.sums.hybrid_schedule import BUDGETS

LIVE = RandBinToy(Fraction(11, 10), 130, 7, "triangular")
EVENTS = 1_000_000
PROMISE = Promise(exp_epsilon_below(Fraction(1))[0], Fraction(1, 10**6), EVENTS)


def bare() -> None:
    """What any queue costs: every event goes in and comes out."""
    queue: deque[int] = deque(range(300))
    append, popleft = queue.append, queue.popleft
    for event in range(EVENTS):
        append(event)
        popleft()


def push(mechanism: Binning = LIVE) -> None:
    """Without a lease."""
    run = RandBinSession(mechanism)
    for event in range(EVENTS):
        run.push(event)


def leased(folder: str, events: int, batch: int) -> None:
    """With a lease; bins are acknowledged as they come."""
    run = RandBinSession.open(Path(folder, f"{events}-{batch}-{time.time_ns()}"), LIVE)
    for first in range(0, events, batch):
        made = run.push_all(range(first, first + batch))
        if made:
            run.acknowledge(made[-1].number)
    run.close()


def syncs(folder: str, count: int) -> None:
    """What the disk costs: a write of 4 KiB and a sync, `count` times."""
    opened = os.open(Path(folder, "syncs"), os.O_CREAT | os.O_WRONLY)
    for _ in range(count):
        os.pwrite(opened, b"x" * 4096, 0)
        os.fsync(opened)
    os.close(opened)


def rate(count: int, work: Callable[[], None]) -> float:
    """How many a second."""
    began = time.perf_counter()
    work()
    return count / (time.perf_counter() - began)


def peak(events: int) -> int:
    """Bytes at the most, events included."""
    run = RandBinSession(LIVE)
    run.push(0)
    tracemalloc.start()
    for event in range(events):
        run.push(str(event))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def designed() -> None:
    """`push` for the designs of (1, 1e-6): the first run of a process makes the laws that it draws from."""
    print(f"## RandBin live, designed for (1, 1e-6) and {EVENTS:,} events, one core\n")
    print("| design | first run, events / s | later runs, events / s | / bare deque in the same run | laws kept |")
    print("|---|---|---|---|---|")
    for choice in choices(PROMISE):
        mechanism = choice.make(**choice.given)
        first = rate(EVENTS, lambda: push(mechanism))  # noqa: B023  # used at once
        made = bounded_geometric.cache_info().currsize
        runs = [(rate(EVENTS, bare), rate(EVENTS, lambda: push(mechanism))) for _ in range(5)]  # noqa: B023  # here too
        later, ratio = statistics.median(b for _, b in runs), statistics.median(b / a for a, b in runs)
        print(f"| {choice.name} | {first:,.0f} | {later:,.0f} | {ratio:.3f} | {made:,} |", flush=True)
        bounded_geometric.cache_clear()
    print()


def profiles() -> None:
    """The curve of the scheduler's core over all rounds."""
    print(f"## `hybrid_power`, e^ε of 1, {EVENTS:,} rounds\n")
    print("| budget | truncation | exact | seconds |\n|---|---|---|---|")
    for budget in BUDGETS:
        for bits in (20, 100):
            noise = HybridNoise(PROMISE.exp_epsilon, budget, Fraction(1, 2**bits))
            began = time.perf_counter()
            profile = hybrid_power(noise, EVENTS)
            print(f"| {budget} | 2^-{bits} | {'yes' if profile.exact else 'no'} | {time.perf_counter() - began:.2f} |")
    print()


def main() -> None:
    """Prints the tables; medians of five alternating runs."""
    runs = [(rate(EVENTS, bare), rate(EVENTS, push)) for _ in range(5)]
    queue, ours = (statistics.median(column) for column in zip(*runs, strict=True))
    ratio = statistics.median(b / a for a, b in runs)
    print(f"## RandBin live, U = {LIVE.level}, constant E = {LIVE.error}, one core\n")
    print("| what | events / s |\n|---|---|")
    print(f"| a bare `collections.deque`, append and popleft | {queue:,.0f} |")
    print(f"| `push`, no lease | {ours:,.0f} (ratio {ratio:.2f}) |")
    with tempfile.TemporaryDirectory(dir=".") as folder:
        os.environ["XDG_STATE_HOME"] = os.path.abspath(folder)
        for events, batch in ((3_000, 1), (100_000, 100), (300_000, 1_000)):
            several = statistics.median(rate(events, lambda: leased(folder, events, batch)) for _ in range(3))  # noqa: B023
            what = "`push`" if batch == 1 else f"`push_all` of {batch:,}"
            print(f"| {what}, with a lease ({several / batch:,.0f} commits / s) | {several:,.0f} |")
        print(f"\n4 KiB written and synced: {rate(2_000, lambda: syncs(folder, 2_000)):,.0f} a second.\n")
    print("| events taken | peak memory, KiB |\n|---|---|")
    for events in (10_000, 100_000, EVENTS):
        print(f"| {events:,} | {peak(events) / 1024:.0f} |")
    print()
    designed()
    profiles()


if __name__ == "__main__":
    main()
