"""n-fold composition: ours, the bare recurrence and two numerical accountants, in one run. Prints Markdown."""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROUNDS = 3
"""The peers take most of a round, fifteen seconds of processor time; ours is timed three times in each."""


def records(python: str, script: str, *arguments: str) -> list[dict[str, Any]]:
    """The JSON lines that a timing script prints."""
    done = subprocess.run([python, str(HERE / script), *arguments], capture_output=True, text=True, check=True)
    return [dict(json.loads(line)) for line in done.stdout.splitlines() if line.startswith("{")]


def named(record: dict[str, Any]) -> str:
    """A peer, its version and its setting."""
    return f"{record['peer']} {record['version']}, {record['setting']}"


def times(ours: list[dict[str, Any]], peers: list[list[dict[str, Any]]], points: int) -> list[str]:
    """Medians over the rounds: seconds to compose, seconds per delta, and the ratio of ours to each."""
    mine = statistics.median(s for r in ours for s in r["seconds"])
    bare = statistics.median(s for r in ours for s in r["bare_seconds"])
    query = statistics.median(r["deltas_seconds"] for r in ours) / points
    rows = [
        "| | compose s | ours / it | s per delta |",
        "|---|---|---|---|",
        f"| dpcert, exact | {mine:.4f} | 1 | {query:.3f} |",
        f"| bare integer recurrence, both worlds | {bare:.4f} | {mine / bare:.2f} | |",
    ]
    for same in zip(*peers, strict=True):
        seconds = statistics.median(r["seconds"] for r in same)
        each = statistics.median(r["deltas_seconds"] for r in same) / points
        rows.append(f"| {named(same[0])} | {seconds:.4f} | {mine / seconds:.4f} | {each:.3f} |")
    return rows


def number(value: float | None) -> str:
    """A peer's figure, where it gives one."""
    return "" if value is None else f"{value:.9g}"


def errors(exact: list[list[str]], peers: list[dict[str, Any]], epsilons: list[str]) -> list[str]:
    """Per epsilon and peer: our value, the peer's bounds and estimate, and how far the peer's figure is off."""
    rows = [
        "| epsilon | exact | peer | lower | estimate | upper | off by | relative |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for i, epsilon in enumerate(epsilons):
        value = float(exact[i][0])
        for peer in peers:
            lower, estimate, upper = peer["deltas"][0][i]
            off = next(x for x in (estimate, upper, lower) if x is not None) - value
            shown = " | ".join(map(number, (lower, estimate, upper)))
            rows.append(
                f"| {epsilon} | {exact[i][0]} | {named(peer)} | {shown} | {off:+.1e} | {abs(off) / value:.1e} |"
            )
    return rows


def main() -> None:
    """Alternates our process with the peers', then prints both tables; without peers, our times alone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", default="", help="the Python of the peers' environment")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--copies", type=int, default=4096)
    parser.add_argument("--epsilons", nargs="+", default=["4", "8", "16", "24"])
    arguments = parser.parse_args()
    common = ["--copies", str(arguments.copies), "--epsilons", *arguments.epsilons]
    ours, peers = [], []
    for _ in range(arguments.rounds):
        ours += records(sys.executable, "tensor_power.py", *common, "--repeats", "3")
        if arguments.peers:
            peers.append(records(arguments.peers, "peers/accountants.py", *common))
    print(f"## {arguments.copies} runs of Bernoulli(68/100) against Bernoulli(65/100), medians\n")
    print("\n".join(times(ours, peers, len(arguments.epsilons))))
    if peers:
        print("\n### delta of the ordered pair\n")
        print("\n".join(errors(ours[0]["deltas"], peers[0], arguments.epsilons)))


if __name__ == "__main__":
    main()
