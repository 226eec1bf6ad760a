"""Which seeds a run of the tests takes: a quarter of them, chosen by the commit, so that over time all have their turn.

`make thorough` takes all (DPCERT_SEEDS=all in its environment); a number there stands for a commit. Without a
repository it is the first quarter.
"""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")
PARTS = 4
"""Blocks into which seeds are cut."""
TURNS = 12
"""Commits that share the cases of a test marked `in_turns`, each with the same block of seeds."""
TOGETHER = 6
"""Commits of which one runs all tests that share what takes long to make: a divisor of TURNS."""
FEW = 4
"""Commits that share the cases of a test marked `in_turns(few=True)`: a divisor of TURNS."""

BEGINS: dict[str, int] = json.loads((Path(__file__).parent / "begins.json").read_text())
"""With which turn a test begins that takes long, as `tests/balance.py` found; once written it stays."""
FIRST = "tests/structure/test_numbers_in_text.py::"
"""Takes half a minute: begun last, it would leave the other workers without work."""

EVERY_COMMIT = frozenset(json.loads((Path(__file__).parent / "every_commit.json").read_text()))
"""Cases of tests marked `in_turns` that run on every commit: each alone reaches lines that no other test does then."""


@dataclass(frozen=True)
class Turns:
    """How a test's cases are shared out.

    Attributes:
        commits: Among how many.
        together: The name of what takes long to make, if tests share that: one of those commits runs all of them.
    """

    commits: int = TURNS
    together: str | None = None

    @classmethod
    def of(cls, together: str | None = None, *, few: bool = False) -> "Turns":
        """Those of a mark."""
        return cls(TOGETHER if together else FEW if few else TURNS, together)


@cache
def commit() -> int | None:
    """The commit as a number, 0 without a repository; None where all seeds are asked for."""
    asked = os.environ.get("DPCERT_SEEDS", "")
    if asked:
        return None if asked == "all" else int(asked)
    command = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return int(done.stdout.strip() or "0", 16)


def chosen(seeds: Sequence[T], parts: int = PARTS) -> list[T]:
    """The seeds of this run: one block of `parts`, not every so-many-th, for what a seed makes may turn on its rest."""
    number = commit()
    if number is None:
        return list(seeds)
    at, size = number % parts, len(seeds)
    return list(seeds[at * size // parts : (at + 1) * size // parts])


def spread(cases: Sequence[T], parts: int) -> list[T]:
    """The cases of this run, one in `parts` of a list whose neighbours are alike."""
    number = commit()
    return list(cases) if number is None else list(cases[number % parts :: parts])


def out_of_turn(cases: Mapping[str, Turns]) -> set[str]:
    """Of all cases of tests marked `in_turns`, those that other commits run.

    With which case a test begins is told by `begins.json`, which makes the turns weigh alike, or else by its name, so
    that tests of one case do not all fall on one commit.

    Args:
        cases: By their names, in order, how they are shared out.
    """
    number = None if os.environ.get("DPCERT_TURNS") == "all" else commit()
    if number is None:
        return set()
    seen: Counter[str] = Counter()
    others = set()
    for case, turns in cases.items():
        test = turns.together or case.split("[")[0]
        at = begin(test) + (0 if turns.together else seen[test])
        if (at - number // PARTS) % turns.commits and case not in EVERY_COMMIT:
            others.add(case)
        seen[test] += 1
    return others


def begin(test: str) -> int:
    """The turn of a test's first case, or of all tests that share what has this name."""
    return BEGINS.get(test, crc32(test.encode()) % TURNS)
