"""A share of the tests: one file with all its seeds, run by whoever is asked to."""

import os
import subprocess
import sys
from dataclasses import dataclass

NO_TESTS = 5
"""Exit status of pytest where a file has none."""
SHOWN = 30
"""Last lines of what a share printed that did not pass."""


@dataclass(frozen=True)
class Share:
    """What became of one file.

    Attributes:
        passed: Whether every test in it did, or there is none.
        words: The last line; of a share that did not pass, the last lines.
    """

    passed: bool
    words: str


def share(path: str) -> Share:
    """The tests of one file, run in a process of their own, with all seeds."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:benchmark", "-p", "no:cacheprovider", path]
    environment = os.environ | {"DPCERT_SEEDS": "all"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    passed = done.returncode in (0, NO_TESTS)
    return Share(passed, "\n".join(lines[-1:] if passed else lines[-SHOWN:]))
