"""The whole pipeline killed at random moments: the models are those of an unbroken run with the same recorded draws."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.real("kills"), pytest.mark.skipif(os.name != "posix", reason="forks and kills")]
SCRIPT = Path(__file__).parents[2] / "instances" / "crashing_sgd.py"


def crashing(folder: Path, mutant: str, crashes: int) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(SCRIPT), mutant, str(folder), str(crashes), str(random.randrange(2**32))]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    return subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.in_turns
@pytest.mark.parametrize("crashes", [4, pytest.param(100, marks=pytest.mark.thorough)])
def test_killed_anywhere_it_goes_on_to_the_same_models(tmp_path: Path, crashes: int) -> None:
    done = crashing(tmp_path, "none", crashes)
    assert done.returncode == 0, done.stderr
    models, events = map(int, done.stdout.split())
    assert models > crashes / 2
    assert events > 4 * models


@pytest.mark.in_turns
@pytest.mark.parametrize("mutant", ["uses_twice", "fresh"])
def test_a_fault_is_found(tmp_path: Path, mutant: str) -> None:
    tries = (crashing(tmp_path, mutant, 6) for _ in range(5))  # where a kill falls is a matter of chance
    done = next((one for one in tries if one.returncode), None)
    assert done is not None
    assert any(text in done.stderr for text in ("another trajectory", "drawn again", "a model was lost")), done.stderr
