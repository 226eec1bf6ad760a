"""Exact composition inside the bounds of two numerical accountants, which share no code with us.

They run in the environment that `make bench` sets up; without it this file is skipped.
"""

import json
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dpcert import PowerFunction, from_weights
from dpcert.audit.algebra.enclosure import exponential

pytestmark = pytest.mark.real("peers")

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / ".venv-peers" / "bin" / "python"
SCRIPT = ROOT / "tests" / "benchmarks" / "peers" / "accountants.py"
COPIES = [1, 2, 16, 64]
EPSILONS = ["0", "1/2", "1", "2"]
ROUNDING = Fraction(1, 10**10)  # the peers sum floats, and their bounds do not count it

PAIRS = {
    "two segments": ([68, 32], [65, 35]),
    "three segments of one rational": ([1, 2, 4], [4, 2, 1]),
    "three segments of two": ([20, 25, 27], [25, 27, 20]),
    "a head and a foot": ([0, 18, 27, 1], [1, 27, 18, 0]),
    "a foot alone": ([1, 50], [0, 51]),
}


@cache
def absent() -> str:
    """Why the peers cannot run; empty when they can."""
    if not PYTHON.exists():
        return "the peers' environment is missing: `make bench` sets it up"
    probe = [str(PYTHON), "-c", "import dp_accounting.pld, prv_accountant"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"the peers do not import: {done.stderr.strip().splitlines()[-1]}"


@cache
def answers(pair: str) -> list[dict[str, Any]]:
    """Every accountant's record for one pair of laws."""
    law0, law1 = ([str(w) for w in law] for law in PAIRS[pair])
    command = [str(PYTHON), str(SCRIPT), "--law0", *law0, "--law1", *law1, "--interval", "1e-4"]
    command += ["--copies", *map(str, COPIES), "--epsilons", *(str(float(Fraction(e))) for e in EPSILONS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def compared(pair: str, record: dict[str, Any], more: int = 0) -> Iterator[bool]:
    """For each number of copies and epsilon whether the exact delta of n + more copies lies in the bounds."""
    law0, law1 = PAIRS[pair]
    single = PowerFunction.from_laws(from_weights(dict(enumerate(law0))), from_weights(dict(enumerate(law1))))
    for n, row in zip(COPIES, record["deltas"], strict=True):
        power = single.tensor_power(n + more)
        for epsilon, (lower, _, upper) in zip(EPSILONS, row, strict=True):
            e = exponential(Fraction(epsilon))
            assert e.lower is not None
            assert e.upper is not None
            above = upper is None or power.hockey_stick(e.lower) <= Fraction(upper) + ROUNDING
            below = lower is None or power.hockey_stick(e.upper) >= Fraction(lower) - ROUNDING
            yield above and below


@pytest.fixture(autouse=True)
def _peers() -> None:
    if reason := absent():
        pytest.skip(reason)


@pytest.mark.parametrize("pair", PAIRS)
def test_exact_deltas_lie_within_the_accountants_bounds(pair: str) -> None:
    records = answers(pair)
    assert [record["peer"] for record in records] == ["dp-accounting", "dp-accounting", "prv-accountant"]
    for record in records:
        assert all(compared(pair, record)), record


def test_one_copy_more_or_less_lies_outside() -> None:
    up, down, variable = answers("two segments")
    assert not all(compared("two segments", up, more=1))
    assert not all(compared("two segments", down, more=-1))
    assert not all(compared("two segments", variable, more=1))
    assert not all(compared("two segments", variable, more=-1))
