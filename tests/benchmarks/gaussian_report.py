"""epsilon of Gaussian noise: our enclosure and dp-accounting, in one run. Prints Markdown.

Where a bound or an estimate of the peer lies below our lower end, which the truth is above, both are printed.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from accountants_report import named, records

from dpcert.audit.algebra.enclosure import Ends
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.shift import GaussianShift

Row = tuple[float, float, Ends, dict[str, Any], tuple[float | None, ...]]


def of(mu: float) -> GaussianProduct:
    """The mechanism, its mu taken as the float is."""
    return GaussianProduct(GaussianShift.of_mu(Fraction(mu)))


def seconds(work: Callable[[], object], rounds: int = 9) -> float:
    """The median."""
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def times(mus: list[float], deltas: list[float], peers: list[dict[str, Any]]) -> Iterator[str]:
    """Seconds for a number, and how many times the peer's they are."""
    ours = statistics.median(seconds(lambda: of(mu).epsilon_for(Fraction(d)), 3) for mu in mus for d in deltas)  # noqa: B023
    single = seconds(lambda: of(1.0).delta_at(Fraction(4)))
    yield "| | seconds a number | ours / it |"
    yield "|---|---|---|"
    yield f"| dpcert, delta(epsilon) enclosed | {single:.5f} | |"
    yield f"| dpcert, epsilon(delta) enclosed | {ours:.5f} | 1 |"
    for peer in peers:
        yield f"| {named(peer)}, epsilon(delta) | {peer['seconds']:.5f} | {ours / peer['seconds']:.3g} |"


def rows(mus: list[float], deltas: list[float], peers: list[dict[str, Any]]) -> Iterator[Row]:
    """Every number of every peer beside ours."""
    for i, mu in enumerate(mus):
        for j, delta in enumerate(deltas):
            ours = of(mu).epsilon_for(Fraction(delta)).finite()
            for peer in peers:
                yield mu, delta, ours, peer, tuple(peer["epsilons"][i][j])


def table(listed: list[Row]) -> Iterator[str]:
    """The rows, the peer's number marked where it is said to be, or taken for, no less than the truth, and is less."""
    yield "| mu | delta | ours, lower | ours, upper | peer | lower | estimate | upper | below the truth by |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for mu, delta, ours, peer, bounds in listed:
        by = missing(ours, bounds)
        shown = " | ".join("" if bound is None else f"{bound:.16g}" for bound in bounds)
        ends = f"{float(ours.lower):.16g} | {float(ours.upper):.16g}"
        yield f"| {mu:g} | {delta:g} | {ends} | {named(peer)} | {shown} | {'' if by is None else f'{float(by):.1e}'} |"


def missing(ours: Ends, bounds: tuple[float | None, ...]) -> Fraction | None:
    """How far the peer's upper bound, or its estimate, lies below our lower end, if it does."""
    _, estimate, upper = bounds
    found = upper if upper is not None else estimate
    return ours.lower - Fraction(found) if found is not None and Fraction(found) < ours.lower else None


def main() -> None:
    """Both tables; without peers, our times alone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", default="", help="the Python of the peers' environment")
    parser.add_argument("--mus", nargs="+", type=float, default=[0.125, 1.0, 4.0])
    parser.add_argument("--deltas", nargs="+", type=float, default=[1e-2, 1e-5, 1e-10, 1e-18])
    arguments = parser.parse_args()
    mus, deltas = arguments.mus, arguments.deltas
    asked = ["--mus", *map(str, mus), "--deltas", *map(str, deltas)]
    peers = records(arguments.peers, "peers/gaussian.py", *asked) if arguments.peers else []
    print("## Gaussian noise\n")
    print("\n".join(times(mus, deltas, peers)))
    if peers:
        listed = list(rows(mus, deltas, peers))
        print("\n### epsilon for delta\n")
        print("\n".join(table(listed)))
        below = sum(missing(ours, bounds) is not None for _, _, ours, _, bounds in listed)
        above = sum(low is not None and low > ours.upper for _, _, ours, _, (low, *_) in listed)
        print(f"\nOf {len(listed)} numbers {below} lie below our lower end, and {above} lower bounds above ours.")


if __name__ == "__main__":
    main()
