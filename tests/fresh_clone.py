"""The README's two commands in a fresh clone with an environment of its own: `make thorough` runs this last."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """0 if `make demo` and `make test` both succeed in a clone of the last commit."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "dpcert")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        return max(subprocess.run(["make", goal], cwd=clone, check=False).returncode for goal in ("demo", "test"))


if __name__ == "__main__":
    sys.exit(main())
