"""One whole audit of one kind of mechanism at one horizon, alone in its process: CPU seconds and what was found."""

import argparse
import json
import random
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpcert.audit.algebra.common_laws import bernoulli, from_weights, uniform
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.examine import examine
from dpcert.audit.kernels.release import Release
from dpcert.audit.scripted.code import scripted
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.interval_sums import IntervalSums, noisy
from dpcert.mechanisms.randbin.toy import RandBinToy


@dataclass(frozen=True)
class Majority:
    """Says by a coin whether most inputs so far were 1."""

    alphabet: tuple[int, ...] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """Of the sign of the sum."""
        ones = sum(prefix)
        return bernoulli(Fraction(1 + (2 * ones > len(prefix)) + (2 * ones >= len(prefix)), 4))


@dataclass(frozen=True)
class SumModulo:
    """The sum so far plus noise, modulo 6."""

    alphabet: tuple[int, ...] = (0, 1, 2, 3, 4, 5)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """Of the noisy sum."""
        return noisy(sum(prefix), (4, 2, 1, 1, 1, 2))


@dataclass(frozen=True)
class Counter:
    """The number of ones so far plus noise of up to 10 either way, written as a law of the whole prefix."""

    alphabet: tuple[int, ...] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """Of the noisy count."""
        count = sum(prefix)
        return from_weights({count + eta: 11 - abs(eta) for eta in range(-10, 11)})


@dataclass(frozen=True)
class Learner:
    """A parameter of five values that follows its inputs, released through a channel with five outputs."""

    alphabet: tuple[int, ...] = (-1, 0, 1)
    initial: int = 2

    def advance(self, state: int, x: int) -> int:
        """One step towards the input, within the range."""
        return min(4, max(0, state + x))

    def law(self, state: int) -> Pmf[int]:
        """More weight near the parameter, less so at the ends."""
        return from_weights({y: 12 - 2 * abs(y - state) + (state == y == 2) for y in range(5)})


@dataclass(frozen=True)
class Walk:
    """A hidden walk on four places, pushed by the inputs, of which is seen whether it stands at the upper end."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 1

    def step(self, state: int, x: int, draw: Callable[[Pmf[Any]], Any]) -> tuple[Release[Any, Any], int]:
        """Moves by a fair step, which an input of 1 makes less likely to go down, and says whether it is at the end."""
        place = min(3, max(0, state + 2 * draw(bernoulli(Fraction(1 + x, 2 + x))) - 1))
        return Release(int(place == 3)), place


class NoisyCount:
    """A counter as somebody writes it: every answer rounds the count and a uniform number."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.count = rng, 0

    def __call__(self, x: int) -> int:
        """The count and a step up, down or none."""
        self.count += x
        return self.count + self.rng.choice((-1, 0, 0, 1))


@dataclass
class CountSoFar:
    """The state of a counter: what was counted, and the input before."""

    count: int = 0
    last: int = 0


class RecordedCount:
    """The same counter, whose state is a record."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.state = rng, CountSoFar()

    def __call__(self, x: int) -> int:
        """The count and a step up, down or none."""
        self.state = replace(self.state, count=self.state.count + x, last=x)
        return self.state.count + self.rng.choice((-1, 0, 0, 1))


class Histogram:
    """Counts its inputs in an array of numpy, and tells the first count, rounded with a uniform number."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.counts = rng, np.zeros(2, dtype=np.int64)

    def __call__(self, x: int) -> int:
        """The count of ones and a step up, down or none."""
        self.counts[x] += 1
        return int(self.counts[1]) + self.rng.choice((-1, 0, 0, 1))


def sums(horizon: int) -> IntervalSums:
    """Interval sums as a tree takes them."""
    return IntervalSums(tuple((t - (t & -t) + 1, t) for t in range(1, horizon + 1)))


ROWS: dict[str, tuple[Callable[[int], Any], dict[str, Any]]] = {
    "two-inputs": (lambda _: Majority(), {}),
    "six-inputs": (lambda _: SumModulo(), {}),
    "counter": (lambda _: Counter(), {}),
    "learner": (lambda _: Learner(), {}),
    "interval-sums": (sums, {}),
    "walk": (lambda _: Walk(), {}),
    "scripted": (lambda _: scripted(NoisyCount, alphabet=(0, 1)), {}),
    "scripted-record": (lambda _: scripted(RecordedCount, alphabet=(0, 1)), {}),
    "scripted-array": (lambda _: scripted(Histogram, alphabet=(0, 1)), {}),
    "binary-tree": (lambda _: BinaryTree(), {}),
    "npp-toy": (lambda _: RandBinToy(), {"game": "npp"}),
    "uniform": (lambda _: _Uniform(), {}),
}


@dataclass(frozen=True)
class _Uniform:
    """Nothing to see: the cost of an audit as such."""

    alphabet: tuple[int, ...] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """The same whatever comes."""
        return uniform((0, len(prefix)))


def apart(curve: Any) -> float:
    """The largest distance of its bounds at the e^epsilon that were asked for."""
    return max(float(Fraction(point["upper"]) - Fraction(point["lower"])) for point in curve["delta"])


def main() -> None:
    """Prints one JSON line: CPU seconds of `examine`, and what the record says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--row", choices=ROWS, required=True)
    parser.add_argument("--horizon", type=int, required=True)
    parser.add_argument("--tier", choices=("auto", "exact", "enclosed"), default="auto")
    arguments = parser.parse_args()
    make, options = ROWS[arguments.row]
    started = time.process_time()
    record = examine(make(arguments.horizon), horizon=arguments.horizon, tier=arguments.tier, **options)
    seconds = time.process_time() - started
    cost = next((entry for entry in record["checklist"] if entry["item"] == "STABLE_COST"), {"rung": None})
    print(
        json.dumps(
            {
                "row": arguments.row,
                "horizon": arguments.horizon,
                "seconds": round(seconds, 3),
                "adaptive": record["adaptive"]["delta"][0]["upper"],
                "fixed": record["fixed_stream"]["delta"][0]["lower"],
                "apart": {curve: apart(record[curve]) for curve in ("adaptive", "fixed_stream")},
                "positions": record["scope"]["positions"],
                "verdict": record["verdict"],
                "rung": cost["rung"],
                "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    )


if __name__ == "__main__":
    main()
