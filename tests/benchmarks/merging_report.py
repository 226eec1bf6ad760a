"""How far whole audits get in so many CPU seconds: this checkout beside another one, in one run. Prints Markdown."""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

GAME = Path(__file__).parent / "merging_game.py"
STEPS: dict[str, tuple[int, Callable[[int], int]]] = {
    "two-inputs": (9, lambda t: t + 1),
    "six-inputs": (3, lambda t: t + 1),
    "counter": (7, lambda t: t + 1),
    "learner": (6, lambda t: t + 1),
    "interval-sums": (6, lambda t: t + 1),
    "walk": (9, lambda t: t + 1),
    "scripted": (3, lambda t: t + 1),
    "scripted-record": (3, lambda t: t + 1),
    "scripted-array": (3, lambda t: t + 1),
    "binary-tree": (64, lambda t: t * 5 // 4),
    "npp-toy": (48, lambda t: t * 5 // 4),
}
"""The first horizon that is tried of each row, and the one after a horizon."""


def once(python: str, row: str, horizon: int, patience: float, tier: str = "") -> dict[str, Any] | None:
    """What one audit says; None where it takes far too long."""
    command = [python, str(GAME), "--row", row, "--horizon", str(horizon), *(["--tier", tier] if tier else [])]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return None
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def reached(python: str, row: str, seconds: float) -> list[dict[str, Any]]:
    """The audits of ever longer horizons, up to the last that takes no more than so long."""
    horizon, step = STEPS[row]
    made: list[dict[str, Any]] = []
    while (found := once(python, row, horizon, 40 * seconds)) is not None and found["seconds"] <= seconds:
        made.append(found)
        horizon = step(horizon)
    return made


def bounded(rows: list[str], seconds: float) -> None:
    """Prints how far bounds get: the adaptive curve's of npp, both curves' of all else."""
    print("| row | T | CPU s | adaptive bounds apart | fixed-stream bounds apart |")
    print("|---|---|---|---|---|")
    for row in rows:
        last = None
        horizon, step = STEPS[row]
        while (found := once(sys.executable, row, horizon, 40 * seconds, "enclosed")) is not None:
            curves = ("adaptive",) if row == "npp-toy" else ("adaptive", "fixed_stream")
            if found["seconds"] > seconds or max(found["apart"][curve] for curve in curves) > 1e-6:
                break
            last, horizon = found, step(horizon)
        if last is not None:
            both = " | ".join(f"{last['apart'][curve]:.1e}" for curve in ("adaptive", "fixed_stream"))
            print(f"| {row} | {last['horizon']} | {last['seconds']:.1f} | {both} |", flush=True)


def main() -> None:
    """Prints a line a row; a curve that differs between the two ends the run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--other", help="the Python of the checkout to compare with")
    parser.add_argument("--enclosed", action="store_true", help="bounds of this checkout alone, 1e-6 apart at most")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rows", nargs="+", choices=STEPS, default=list(STEPS))
    arguments = parser.parse_args()
    if arguments.enclosed:
        bounded(arguments.rows, arguments.seconds)
        return
    if not arguments.other:
        parser.error("Expected --other PYTHON or --enclosed but got neither")
    print("| row | T before | s | T now | s | rung before | now | s at the last T of before: before | now | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for row in arguments.rows:
        before, now = (reached(python, row, arguments.seconds) for python in (arguments.other, sys.executable))
        by_horizon = {one["horizon"]: one for one in now}
        for one in before:
            other = by_horizon.get(one["horizon"], one)
            if (one["adaptive"], one["fixed"], one["verdict"]) != (other["adaptive"], other["fixed"], other["verdict"]):
                raise SystemExit(f"bench: the answers differ: {one} and {other}")
        if not before or not now:
            print(f"| {row} | - | - | - | - | - | - | - | - | - |", flush=True)
            continue
        a, b = before[-1], now[-1]
        same = by_horizon.get(a["horizon"])
        at = "-" if same is None else f"{same['seconds']:.2f}"
        ratio = "-" if same is None else f"{same['seconds'] / a['seconds']:.2f}"
        print(
            f"| {row} | {a['horizon']} | {a['seconds']:.1f} | {b['horizon']} | {b['seconds']:.1f} | "
            f"{a['rung']} | {b['rung']} | {a['seconds']:.2f} | {at} | {ratio} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
