"""With which turn each long test begins, so that no commit's tests take longer than another's: `begins.json`.

    DPCERT_TURNS=all DPCERT_SEEDS=0 pytest -m in_turns -p no:benchmark --junitxml=build/times.xml tests
    python tests/balance.py build/times.xml

What is there stays, so that over twelve commits every case still runs once; `--anew` forgets it.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from instances.seeds import TURNS, Turns, begin

BEGINS = Path(__file__).parent / "instances" / "begins.json"
LONG = 1.0
"""Seconds from which a case makes a test one that is placed."""
Seconds = Mapping[str, tuple[Turns, Sequence[float]]]
"""By test, how its cases are shared out, and the seconds of each; by what tests share, those of all of them in one."""


def balanced(seconds: Seconds, kept: Mapping[str, int]) -> dict[str, int]:
    """The turns with which long tests begin: the heaviest is placed first, where what it meets is lightest.

    Of what tests share no commit makes two.

    Args:
        seconds: What was measured.
        kept: Turns that are settled.
    """
    turns = [0.0] * TURNS
    placed = {name: at for name, at in kept.items() if name in seconds}
    rest = sorted((name for name in seconds if name not in placed), key=lambda name: (-max(seconds[name][1]), name))
    for name in [*placed, *(name for name in rest if max(seconds[name][1]) < LONG)]:
        _add(turns, _loads(*seconds[name], placed.get(name, begin(name))))
    for name in (name for name in rest if max(seconds[name][1]) >= LONG):
        shared = seconds[name][0]
        taken = {at for other, at in placed.items() if seconds[other][0].together} if shared.together else set()
        free = sorted({*range(shared.commits)} - taken)
        loads = {at: _loads(*seconds[name], at) for at in free}
        placed[name] = min(free, key=lambda at: _heaviest(turns, loads[at]))
        _add(turns, loads[placed[name]])
    print("seconds of each turn:", *(round(turn) for turn in turns))
    return dict(sorted(placed.items()))


def _loads(shared: Turns, cases: Sequence[float], at: int) -> list[float]:
    """What a test that begins with a turn adds to each."""
    loads = [0.0] * TURNS
    for number, long in enumerate([sum(cases)] if shared.together else cases):
        for turn in range((number + at) % shared.commits, TURNS, shared.commits):
            loads[turn] += long
    return loads


def _add(turns: list[float], loads: list[float]) -> None:
    turns[:] = [turn + load for turn, load in zip(turns, loads, strict=True)]


def _heaviest(turns: list[float], loads: list[float]) -> tuple[float, float]:
    """How heavy what it makes heavier becomes at most, and then all that it comes to."""
    after = [(turn + load, load) for turn, load in zip(turns, loads, strict=True) if load > LONG / 4]
    return max(after)[0], sum(turn * load for turn, load in after)


def measured(report: str) -> Seconds:
    """What a report of pytest says."""
    seconds: dict[str, tuple[Turns, list[float]]] = {}
    for case in ElementTree.fromstring(report).iter("testcase"):
        test = f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name'].split('[')[0]}"
        told = {one.attrib["name"]: one.attrib["value"] for one in case.iter("property")}
        shared = Turns(int(told["commits"]), told.get("together"))
        seconds.setdefault(shared.together or test, (shared, []))[1].append(float(case.attrib["time"]))
    return seconds


def main() -> None:
    """Writes the file anew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("times", type=Path)
    parser.add_argument("--anew", action="store_true", help="forget what is settled")
    given = parser.parse_args()
    kept = {} if given.anew else json.loads(BEGINS.read_text(encoding="utf-8"))
    placed = balanced(measured(given.times.read_text(encoding="utf-8")), kept)
    BEGINS.write_text(json.dumps(placed, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
