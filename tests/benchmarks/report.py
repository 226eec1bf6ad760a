"""`make bench`: our solver beside the peers, in one run, as ratios of medians. Prints Markdown."""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def run(python: str, script: str, *arguments: str) -> dict[str, Any]:
    """The JSON line that a timing script prints."""
    done = subprocess.run([python, str(HERE / script), *arguments], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def median(runs: list[dict[str, Any]], *keys: str) -> float:
    """The median over runs of the sum of some of their figures."""
    return statistics.median(sum(float(r[key]) for key in keys) for r in runs)


def growth(horizons: list[int], *extra: str) -> list[str]:
    """Cost per position and per vertex as the horizon grows."""
    rows = [
        "| T | seconds | positions | vertices | ms / position | µs / vertex of the root | peak MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for horizon in horizons:
        r = run(sys.executable, "game.py", "--horizon", str(horizon), *extra)
        rows.append(
            f"| {horizon} | {r['seconds']:.2f} | {r['positions']} | {r['vertices']} | "
            f"{1e3 * r['seconds'] / r['positions']:.2f} | {1e6 * r['seconds'] / r['vertices']:.1f} | {r['peak_mb']} |"
        )
    return rows


def gain(horizon: int, device: str, repeats: int) -> str:
    """One row: the solver as it is against the solver without one device, alternating."""
    pairs = [
        [run(sys.executable, "game.py", "--horizon", str(horizon), *extra) for extra in ((), ("--without", device))]
        for _ in range(repeats)
    ]
    full, bare = (median([pair[i] for pair in pairs], "seconds") for i in (0, 1))
    return f"| {horizon} | {device} | {full:.2f} | {bare:.2f} | {full / bare:.2f} |"


METHODS = {
    "prism": "count encoding as a PRISM program",
    "counts": "count encoding as a matrix built in bulk",
    "split": "the fastest found: decided states folded away, fair coins, one model a first output",
}


def storm(peers: str, horizon: int, repeats: int) -> list[str]:
    """Ours for every epsilon against Storm's exact engine for one, several encodings, alternating."""
    ours: list[dict[str, Any]] = []
    theirs: dict[str, list[dict[str, Any]]] = {method: [] for method in METHODS}
    for _ in range(repeats):
        ours.append(run(sys.executable, "game.py", "--horizon", str(horizon)))
        for method, runs in theirs.items():
            runs.append(run(peers, "peers/storm_two_round.py", "--horizon", str(horizon), "--method", method))
            if ours[0]["total_variation"] != runs[-1]["value"]:
                raise SystemExit(f"bench: the answers differ: {ours[0]['total_variation']} and {runs[-1]['value']}")
    mine = median(ours, "seconds")
    rows = []
    for method, runs in theirs.items():
        peer = median(runs, "build_seconds", "solve_seconds")
        rows.append(f"| {horizon} | {METHODS[method]} | {mine:.2f} | {peer:.2f} | {mine / peer:.2f} |")
    return rows


def main() -> None:
    """Prints every table; without the peers' environment, those of our own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", default="", help="the Python of the peers' environment")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--horizons", type=int, nargs="+", default=[8, 16, 24, 32, 41, 64, 96])
    arguments = parser.parse_args()
    print("## Adaptive supremum, all epsilon, exact (two-round-repeated, challenge in round 1)\n")
    print("\n".join(growth(arguments.horizons)))
    print("\n### Challenge in any round\n")
    print("\n".join(growth([h for h in arguments.horizons if h <= 41], "--any-round")))
    print("\n### leak = 1/100\n")
    print("\n".join(growth([h for h in arguments.horizons if h <= 41], "--leak", "1/100")))
    print("\n### What each device gains: with it against without it, medians\n")
    print("| T | left out | with s | without s | ratio |\n|---|---|---|---|---|")
    for horizon in (32, 41):
        for device in ("keys", "codes", "mirror"):
            print(gain(horizon, device, arguments.repeats))
    if arguments.peers:
        print("\n### Against Storm, exact engine, one epsilon, build and solve; medians\n")
        print("| T | Storm's model | dpcert, all epsilon, s | Storm, one epsilon, s | ratio |\n|---|---|---|---|---|")
        for horizon in (20, 41, 64):
            print("\n".join(storm(arguments.peers, horizon, arguments.repeats)))


if __name__ == "__main__":
    main()
