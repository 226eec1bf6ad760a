"""`make bench`: CPU seconds of audits of additive noise by how its rounds are told, each in a process of its own.

python tests/benchmarks/additive_report.py [HIGHEST]: horizons 2^10, 2^12, ... up to 2^HIGHEST; prints Markdown.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

TREES = '''
from dpcert import from_weights
from dpcert.mechanisms.binary_tree import BinaryTree as AtOnce


class Stretches:
    """The binary tree, each round by its one stretch of weights."""

    alphabet, modulus = (0, 1, 2), 3

    def weights(self, t):
        return AtOnce().weights(t)

    def stretches(self, t):
        return ((t - (t & -t) + 1, t, 1),)

    def noise_law(self, t):
        return from_weights({0: 2, 1: 1, 2: 1})


class Listed(AtOnce):
    """The same by weights one by one."""

    progressions = None
'''
MOST_ROUNDS = {"Listed": 1 << 12, "Stretches": 1 << 20, "AtOnce": 1 << 20}


def seconds(target: str, horizon: int) -> float:
    """User and system time of one audit."""
    command = [sys.executable, "-m", "dpcert", "audit", target, "--horizon", str(horizon), "--quiet"]
    process = os.posix_spawn(sys.executable, command, os.environ)
    _, status, used = os.wait4(process, 0)
    if status:
        raise RuntimeError(f"{target} over {horizon} rounds ended with {status}")
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Prints the table."""
    highest = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    names = list(MOST_ROUNDS)
    print(f"| rounds | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "trees.py"
        file.write_text(TREES, encoding="utf-8")
        for power in range(10, highest + 1, 2):
            told = [
                f"{seconds(f'{file}:{name}', 1 << power):.2f}" if 1 << power <= MOST_ROUNDS[name] else ""
                for name in names
            ]
            print(f"| 2^{power} | {' | '.join(told)} |", flush=True)


if __name__ == "__main__":
    main()
