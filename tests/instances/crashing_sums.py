"""Lives of a stream of private sums with a lease, each in a process of its own that is killed; run as a script.

`crashing_sums.py MUTANT FOLDER CRASHES SEED` fails where a round is released twice with different noise, or lost.
MUTANT is `none`, or `late`: releases are handed out before they are on disk.
"""

import json
import os
import random
import signal
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

from dpcert.mechanisms.aggregators.stream import ReleasedSum, VectorStream
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.grid_noise.sampling import sampled_gaussian

CORE, NOISE = TreeSums(1 << 20, 2, 1 << 40), sampled_gaussian(Fraction(100))


def say(log: Path, out: ReleasedSum) -> None:
    with log.open("a") as file:
        file.write(json.dumps([out.number, out.row.tolist(), out.value.tolist()]) + "\n")


def live(folder: Path, rounds: int, mutant: str) -> None:
    """Takes the updates (t, -t) that come next."""
    run, log = VectorStream.open(folder / "lease", CORE, NOISE), folder / "log"
    if mutant == "late":
        kept, run._lease = run._lease, None
    for out in run.undelivered:
        say(log, out)
    for _ in range(rounds):
        t = run.rounds + 1
        out = run.add(np.array([t, -t]))
        say(log, out)
        if mutant == "late":
            time.sleep(0.001)
            kept.commit(run._state(), [json.dumps(["", ""])], [(t, t, 1)])
        elif t % 3 == 0:
            run.acknowledge(t)


def lines(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def main(mutant: str, folder: Path, crashes: int, seed: int) -> None:
    chance, killed = random.Random(seed), 0
    while killed < crashes:
        child = os.fork()
        if not child:
            live(folder, 400, mutant)
            os._exit(0)
        wanted = lines(folder / "log") + chance.randrange(5)
        while lines(folder / "log") < wanted:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFEXITED(status) is False or os.WEXITSTATUS(status) == 0, status
        killed += os.WIFSIGNALED(status)
    live(folder, 5, mutant)
    said: dict[int, list[object]] = {}
    for line in (folder / "log").read_text().splitlines():
        number, *rest = json.loads(line)
        assert said.setdefault(number, rest) == rest, f"round {number} drawn again"
    assert sorted(said) == list(range(1, len(said) + 1)), "a round was lost"
    for number, (row, value) in said.items():
        low = number & -number
        exact = sum(range(number - low + 1, number + 1))
        assert abs(row[0] - exact) < 1400 > abs(row[1] + exact), "an update was lost or taken twice"
        assert abs(value[0] - number * (number + 1) / 2) < 14_000
    print(len(said))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
