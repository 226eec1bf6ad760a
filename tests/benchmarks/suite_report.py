"""A suite of small audits against the same audits as single commands: seconds of wall time, and their ratio.

python tests/benchmarks/suite_report.py [CASES]
"""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

CASES = 40
DPCERT = [sys.executable, "-m", "dpcert", "audit"]


def seconds(commands: list[list[str]], folder: Path) -> float:
    """Wall time of commands that run one after another."""
    started = time.perf_counter()
    for command in commands:
        subprocess.run([*DPCERT, *command, "--quiet"], cwd=folder, check=True)
    return time.perf_counter() - started


def main() -> None:
    """Single commands, the suite with one process, and with two, in one run."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    lies = [f"{cases + n}/{2 * cases + 1}" for n in range(1, cases + 1)]
    one = ["randomized-response", "--horizon", "2"]
    with TemporaryDirectory() as name:
        folder = Path(name)
        quoted = ", ".join(f'"{lie}"' for lie in lies)
        text = f'[audit.many]\ntarget = "randomized-response"\nhorizon = 2\nparams = {{ truth = [{quoted}] }}\n'
        (folder / "dpcert.toml").write_text(text, encoding="utf-8")
        singles = seconds([[*one, "--param", f"truth={lie}"] for lie in lies], folder)
        print(f"{cases} single commands: {singles:.1f} s")
        for jobs in ("1", "2"):
            took = seconds([["--suite", "dpcert.toml", "--jobs", jobs, "--json", "out.jsonl"]], folder)
            print(f"one suite, --jobs {jobs}: {took:.1f} s, {took / singles:.2f} of that")


if __name__ == "__main__":
    main()
