"""Processor seconds of the enclosed tier on long games, and what audits say of usual mechanisms at T = 20.

Run as `python tests/benchmarks/enclosed_report.py`; each row is a process of its own, gaps are those of the records.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from merging_game import ROWS

from dpcert import Budget, Pmf, Release, bernoulli, examine
from dpcert.audit.grids.replay import PlayedPolicy
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

WEAK = TwoRoundRepeated(Fraction(1, 100))


@dataclass(frozen=True)
class Counter:
    """A count that is clipped at 32, and a bit that grows likelier with it."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def advance(self, state: int, x: int) -> int:
        return min(32, state + x)

    def law(self, state: int) -> Any:
        return bernoulli(Fraction(1, 4) + Fraction(state, 128))


@dataclass(frozen=True)
class Drifting:
    """A hidden walk on two places, pulled up by an input of 1, of which is seen, by a coin, where it stands."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def step(self, state: int, x: int, draw: Callable[[Pmf[Any]], Any]) -> tuple[Release[Any, Any], int]:
        """Moves, and says by a coin where it stands."""
        place = draw(bernoulli(Fraction(2 + 2 * state + x, 8)))
        return Release(draw(bernoulli(Fraction(3 + place, 8)))), place


@dataclass
class Played:
    """Processor seconds that playing the adversaries of lower bounds forwards took."""

    seconds: float = 0.0

    def watched(self, point: Callable[[PlayedPolicy], Any]) -> Callable[[PlayedPolicy], Any]:
        """The same play, timed."""

        def timed(policy: PlayedPolicy) -> Any:
            started = time.process_time()
            made = point(policy)
            self.seconds += time.process_time() - started
            return made

        return timed


def gap(record: Any) -> float:
    """The largest gap at the e^epsilon that were asked for."""
    return max(float(Fraction(d["upper"]) - Fraction(d["lower"])) for d in record["adaptive"]["delta"])


GAMES: dict[str, tuple[Any, int, Fraction, tuple[int, ...]]] = {
    "two-round-repeated, leak 1/100": (WEAK, 10_000, Fraction(1, 10**6), (1,)),
    "the same, longer": (WEAK, 100_000, Fraction(1, 10**4), (1,)),
    "counter of 33 states": (Counter(), 1_000, Fraction(1, 10**5), (1,)),
    "hidden walk on two places": (Drifting(), 100, Fraction(1, 10**4), (1, 2, 10)),
}


def one(name: str) -> None:
    """Prints the row of a long game."""
    mechanism, rounds, asked, slopes = GAMES[name]
    played, options = Played(), {"gap": asked, "tier": "enclosed", "exp_epsilons": slopes}
    PlayedPolicy.point = played.watched(PlayedPolicy.point)  # type: ignore[method-assign]
    started = time.process_time()
    record = examine(mechanism, horizon=rounds, budget=Budget(max_seconds=600), **options)
    spent = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    at, times = ", ".join(map(str, slopes)), f"{spent - played.seconds:.1f} | {played.seconds:.1f}"
    print(f"| {name} | {rounds} | {at} | {float(asked):.0e} | {gap(record):.1e} | {times} | {peak} |", flush=True)


def at_twenty(row: str) -> None:
    """Prints what an audit says of one kind of mechanism at T = 20 within a minute, when nothing is asked for."""
    make, options = ROWS[row]
    started = time.process_time()
    record = examine(make(20), horizon=20, budget=Budget(max_seconds=60), **options)
    spent, tier = time.process_time() - started, record["adaptive"]["tier"]
    curve = record["lifts"]["curve"]
    print(f"| {row} | {tier} | {gap(record):.1e} | {curve['verdict']} | {spent:.1f} |", flush=True)


def alone(*arguments: str) -> None:
    """Runs a row in a process of its own; what has none ends with its error, and the others go on."""
    subprocess.run([sys.executable, __file__, *arguments], check=False)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", choices=GAMES)
    parser.add_argument("--row", choices=ROWS)
    arguments = parser.parse_args()
    if arguments.game:
        one(arguments.game)
    elif arguments.row:
        at_twenty(arguments.row)
    else:
        tables()


def tables() -> None:
    """Prints all rows."""
    print("| game | T | e^epsilon | gap asked | gap | s | play, s | MB |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in GAMES:
        alone("--game", name)
    print(
        "\n| T = 20, a minute each | tier | gap | do fixed streams do as well? | s |\n|---|---|---|---|---|", flush=True
    )
    for row in ROWS:
        alone("--row", row)


if __name__ == "__main__":
    main()
