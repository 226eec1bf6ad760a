"""`make bench`: draws, private sums and the whole pipeline, beside peers; a stranger's audit. Prints Markdown."""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from accountants_report import named, records
from instances.audited_runs import QUARTER, WISH, Audited, scores

from dpcert.mechanisms.aggregators.core import VectorCore
from dpcert.mechanisms.aggregators.stream import VectorStream
from dpcert.mechanisms.aggregators.toeplitz_sums import square_root_sums
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.grid_noise.sampling import sampled_gaussian
from dpcert.mechanisms.learning.calibration import Wish
from dpcert.mechanisms.training.setting import SgdSetting
from dpcert.mechanisms.training.trained import trained

HERE = Path(__file__).parent
SIGMA, LARGEST = Fraction(1_000_000), 1 << 20


def sampling(dimension: int, rounds: int) -> float:
    """Rounds a second of CPU, of drawing alone."""
    noise = sampled_gaussian(SIGMA)
    noise.sample(dimension)
    began = time.process_time()
    for _ in range(rounds):
        noise.sample(dimension)
    return rounds / (time.process_time() - began)


def summing(core: VectorCore) -> float:
    """Rounds a second of CPU, of a live stream of sums."""
    run, x = VectorStream(core, sampled_gaussian(SIGMA)), np.ones(core.dimension, dtype=np.int64)
    began = time.process_time()
    for _ in range(core.rounds):
        run.add(x)
    return core.rounds / (time.process_time() - began)


def sums(dimension: int, rounds: int, peers: str) -> Iterator[str]:
    """Ours and theirs, against drawing the same noise alone."""
    alone = sampling(dimension, rounds)
    yield "| | rounds / CPU s | share of drawing alone |"
    yield "|---|---|---|"
    yield f"| drawing alone, {alone * dimension / 1e6:.1f} million coordinates / s | {alone:,.0f} | 1 |"
    ours = (("tree", TreeSums), ("band of 8", lambda *size: square_root_sums(*size, bandwidth=8)))
    for name, core in ours:
        rate = summing(core(rounds, dimension, LARGEST))
        yield f"| dpcert, {name} | {rate:,.0f} | {rate / alone:.2f} |"
    asked = ["--dimension", str(dimension), "--rounds", str(rounds)]
    for peer in records(peers, "peers/streaming_sums.py", *asked) if peers else []:
        yield f"| {named(peer)}, in floats | {peer['rate']:,.0f} | {peer['rate'] / alone:.2f} |"


def pipeline(events: int) -> Iterator[str]:
    """Digits, softmax of 650 weights."""
    yield "| calibration | ε | models | seconds | CPU seconds | events / CPU s |"
    yield "|---|---|---|---|---|---|"
    for epsilon in (1, 8):
        for method in ("paper", "sharp", "gaussian"):
            began = time.process_time()
            run = trained(SgdSetting("digits", Wish(Fraction(epsilon), Fraction(1, 10**6), events)), method, 1)
            spent, models = time.process_time() - began, len(run.measures.left)
            numbers = f"{run.seconds:.1f} | {spent:.1f} | {events / spent:,.0f}"
            yield f"| {method} | {epsilon} | {models:,} | {numbers} |"


def audited(runs: int, peers: str) -> Iterator[str]:
    """epsilon at least, by a stranger's auditor: of the build as it is, behind two cores, and of one with a fault."""
    yield f"Claimed: ε = {float(WISH.epsilon):g} at δ = {float(WISH.delta):g}; {runs:,} runs of each."
    yield ""
    yield "| build | auditor | significance | ε at least | AUROC |"
    yield "|---|---|---|---|---|"
    builds = {
        "as it is, tree": Audited("tree"),
        "as it is, noise of its own for each bin": Audited("band=1"),
        "the same, an edit taken to move a bin by G / 2U": Audited("band=1", QUARTER),
    }
    for name, build in builds.items():
        found: dict[str, Any] = json.loads(
            subprocess.run(
                [peers, str(HERE / "peers" / "auditing.py")],
                input=json.dumps(scores(build, runs)), capture_output=True, text=True, check=True,
            ).stdout
        )  # fmt: skip
        least, area = f"{found['epsilon']:.3f}", f"{found['auroc']:.3f}"
        yield f"| {name} | {found['name']} | {found['significance']} | {least} | {area} |"


def main() -> None:
    """All tables; without peers, ours alone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", default="", help="the Python of the peers' environment")
    parser.add_argument("--rounds", type=int, default=1 << 16)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=10_000)
    asked = parser.parse_args()
    print(f"## Private sums of vectors, d = 1,000, T = {asked.rounds:,}, one core\n")
    for line in sums(1_000, asked.rounds, asked.peers):
        print(line, flush=True)
    print(f"\n## The whole pipeline on digits, {asked.events:,} events\n")
    for line in pipeline(asked.events):
        print(line, flush=True)
    if asked.peers:
        print("\n## Audited by a stranger\n")
        for line in audited(asked.runs, asked.peers):
            print(line, flush=True)


if __name__ == "__main__":
    main()
