"""Sensitivities beside jax-privacy's and epsilons beside dp-accounting's, in one run. Prints Markdown.

A number of theirs that is said to be no less than the truth, or taken for it, and lies below our lower end is marked
with how far.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from accountants_report import named, records
from instances import foreign as events

from dpcert.audit.algebra.enclosure import Ends
from dpcert.mechanisms.foreign.event import composition
from dpcert.mechanisms.foreign.event_account import event_account
from dpcert.mechanisms.foreign.their_epsilon import Accountant
from dpcert.mechanisms.matrices.buffered import Buffers
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.encoder import DenseEncoder, Encoder
from dpcert.mechanisms.matrices.participations import Once, Participation, Separated
from dpcert.mechanisms.matrices.toeplitz import toeplitz

DECAY, SCALE = (0.9, 0.4), (0.3, 0.2)
Ours = Callable[[], Ends]


def timed(work: Ours, rounds: int) -> tuple[Ends, float]:
    """The number, and the median seconds that it takes."""
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        found = work()
        taken.append(time.perf_counter() - began)
    return found, statistics.median(taken)


def square_root(rounds: int) -> Any:
    """The same floats as the peer's."""
    k = np.arange(1, rounds)
    return np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))])


def dense(rounds: int) -> Any:
    """The same floats as the peer's."""
    return np.tril(np.random.default_rng(0).random((rounds, rounds)))


def sensitivities(long: int, whole: int, patterns: int) -> dict[str, Ours]:
    """Each by the name that the peer's script gives it; what is made of a file before is not timed, as of theirs."""
    root, matrix, small, fewer = square_root(long), dense(whole), square_root(patterns), dense(patterns)
    buffers = Buffers(tuple(map(Fraction, DECAY)), tuple(map(Fraction, SCALE)))
    several = Separated(8, patterns // 8)

    def of(make: Callable[[], Encoder], participation: Participation) -> Ours:
        return lambda: column_sensitivity(make(), participation, exact=False).l2_squared

    return {
        f"Toeplitz, T = {long}": of(lambda: toeplitz(root), Once()),
        f"BLT of two buffers, T = {long}": of(lambda: buffers.encoder(long), Once()),
        f"dense, T = {whole}": of(lambda: DenseEncoder(matrix), Once()),
        f"Toeplitz, 8 participations, T = {patterns}": of(lambda: toeplitz(small), several),
        f"dense, 8 participations, T = {patterns}": of(lambda: DenseEncoder(fewer), several),
    }


def epsilons(delta: Fraction) -> dict[str, Ours]:
    """The same events as the peer's, by the names that its script gives them."""
    noise = {
        "100 x Gaussian(10)": events.SelfComposedDpEvent(events.GaussianDpEvent(10.0), 100),
        "100 x DiscreteLaplace(0.1, 1)": events.SelfComposedDpEvent(events.DiscreteLaplaceDpEvent(0.1, 1), 100),
        "20 x DiscreteLaplace(0.1, 4)": events.SelfComposedDpEvent(events.DiscreteLaplaceDpEvent(0.1, 4), 20),
        "10 x Laplace(5)": events.SelfComposedDpEvent(events.LaplaceDpEvent(5.0), 10),
        "Gaussian(2), 20 x DiscreteLaplace(0.1, 1)": events.ComposedDpEvent(
            [events.GaussianDpEvent(2.0), events.SelfComposedDpEvent(events.DiscreteLaplaceDpEvent(0.1, 1), 20)]
        ),
    }

    def of(event: Any) -> Ours:
        asked = ([delta], [])
        return lambda: event_account("", composition(event), "", asked, Accountant("")).epsilons[0].ours.finite()

    return {name: of(event) for name, event in noise.items()}


def table(title: str, ours: dict[str, Ours], peers: Iterable[dict[str, Any]], rounds: int) -> Iterator[str]:
    """A row a quantity."""
    by = {peer["name"]: peer for peer in peers}
    yield f"### {title}, {named(next(iter(by.values())))}\n"
    yield "| | ours s | theirs s | ours / theirs | ours, lower | ours, upper | theirs | below ours by |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, work in ours.items():
        found, seconds = timed(work, rounds)
        peer = by[name]
        value = Fraction(peer["value"])
        short = f"{float(found.lower - value):.1e}" if value < found.lower else ""
        ends = f"{float(found.lower):.12g} | {float(found.upper):.12g} | {float(value):.12g}"
        ratio = seconds / peer["seconds"]
        yield f"| {name} | {seconds:.4f} | {peer['seconds']:.4f} | {ratio:.3g} | {ends} | {short} |"


def main() -> None:
    """Both tables, in one run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", required=True, help="the Python of the peers' environment")
    parser.add_argument("--toeplitz", type=int, default=100_000)
    parser.add_argument("--dense", type=int, default=2_048)
    parser.add_argument("--patterns", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=3)
    a = parser.parse_args()
    sizes = ["--toeplitz", str(a.toeplitz), "--dense", str(a.dense), "--patterns", str(a.patterns)]
    print("## Objects of other libraries\n")
    matrices = records(a.peers, "peers/matrices.py", *sizes)
    ours = sensitivities(a.toeplitz, a.dense, a.patterns)
    print("\n".join(table("Squared sensitivity", ours, matrices, a.rounds)))
    composed = records(a.peers, "peers/events.py")
    print("\n" + "\n".join(table("epsilon for delta = 1e-5", epsilons(Fraction(1, 10**5)), composed, a.rounds)))


if __name__ == "__main__":
    main()
