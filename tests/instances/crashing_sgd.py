"""Lives of the whole pipeline in a folder, each in a process of its own that is killed; run as a script.

`crashing_sgd.py MUTANT FOLDER CRASHES SEED` kills at random moments, and fails where the models that were handed out
are not those of an unbroken run with the same recorded draws. MUTANT is `none`, or a fault to be found: `uses_twice`,
in which nobody notes which bins were used; `fresh`, whose noise is of another seed in every life.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.grid_noise.sampling import sampled_gaussian
from dpcert.mechanisms.learning.pipeline import ContinualSgd, ReleasedModel
from dpcert.mechanisms.learning.recorded import RecordedRandomness
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.randbin.toy import RandBinToy

UPDATES = Updates(3, Fraction(1), Fraction(1, 4), 16)
TOY, CORE, SIGMA, START = RandBinToy(level=4), TreeSums(1 << 16, 3, UPDATES.largest), Fraction(1000), np.ones(3)


def event(number: int) -> list[float]:
    """Event number `number`, from 0."""
    return [number % 7 / 4, number % 5 / 8, number % 11 / 3]


def towards(model: np.ndarray, events: Sequence[Any]) -> np.ndarray:
    """The gradients of |w - e|^2 / 2."""
    return model[None] - np.array(events)


def opened(folder: Path | None, seed: int, *, fresh: bool = False) -> ContinualSgd:
    """A run whose draws are recorded: in memory, or in a folder."""
    recorded = RecordedRandomness(seed)
    other = RecordedRandomness(random.randrange(2**32)) if fresh else recorded
    noise = other.noise(SIGMA)
    parts: Any = (TOY, CORE, noise, UPDATES, towards, START)
    made = ContinualSgd if folder is None else (lambda *given, **named: ContinualSgd.open(folder, *given, **named))
    run: ContinualSgd = made(*parts, draw=recorded.draw)
    recorded.follow(run)
    other.follow(run)
    return run


def say(log: Path, out: ReleasedModel | None) -> None:
    if out is not None:
        with log.open("a") as file:
            file.write(json.dumps([out.number, out.model.tolist()]) + "\n")


def live(folder: Path, until: int, seed: int, mutant: str) -> None:
    """Takes the events that come next, now and then many at once; acknowledges some models."""
    if mutant == "uses_twice":
        RandBinSession.acknowledge = lambda *_: None  # type: ignore[assignment,method-assign]
    run, log = opened(folder / "run", seed, fresh=mutant == "fresh"), folder / "log"
    for out in (*run.undelivered, *run.retry()):
        say(log, out)
    while run.rounds < until:
        if run.rounds % 3:
            say(log, run.push(event(run.rounds)))
        else:
            for out in run.push_all([event(n) for n in range(run.rounds, run.rounds + 5)]):
                say(log, out)
        if run.released % 3 == 1:
            run.acknowledge(run.released)
    run.close()


def lines(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def main(mutant: str, folder: Path, crashes: int, seed: int) -> None:
    chance, killed, log = random.Random(seed), 0, folder / "log"
    sampled_gaussian(SIGMA)  # here, for all lives
    while killed < crashes:
        child = os.fork()
        if not child:
            live(folder, 10**9, seed, mutant)
            os._exit(0)
        wanted = lines(log) + chance.randrange(3)
        give_up = time.monotonic() + 60
        while lines(log) < wanted and os.waitpid(child, os.WNOHANG) == (0, 0):
            assert time.monotonic() < give_up
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), status
        killed += 1
    last = opened(folder / "run", seed)
    until = last.rounds + 30
    last.close()
    live(folder, until, seed, mutant)
    said: dict[int, Any] = {}
    for line in log.read_text().splitlines():
        number, model = json.loads(line)
        assert said.setdefault(number, model) == model, f"model {number} drawn again"
    unbroken, expected = opened(None, seed), []
    while unbroken.rounds < until:
        expected += [out.model.tolist() for out in [unbroken.push(event(unbroken.rounds))] if out is not None]
    assert sorted(said) == list(range(1, len(said) + 1)), "a model was lost"
    found = [said[number] for number in sorted(said)]
    assert found == expected[: len(found)], "another trajectory"
    assert len(expected) - len(found) <= 2, "models are missing"
    print(len(found), until)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
