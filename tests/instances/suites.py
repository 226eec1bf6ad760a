"""Suites of audits in a folder: a certified, a failing and an undecided primitive, and what reads their outputs."""

from pathlib import Path

FLIP = '''
from dataclasses import dataclass
from fractions import Fraction

from dpcert import bernoulli


@dataclass(frozen=True)
class Flip:
    """A fair answer about each bit."""

    lie: Fraction = Fraction(1, 4)
    alphabet = (0, 1)

    def law(self, prefix):
        return bernoulli(1 - self.lie if prefix[-1] else self.lie)
'''
LEAK = '''
from fractions import Fraction

from dpcert import bernoulli

FIRST = (Fraction(68, 100), Fraction(65, 100))
SECOND = ((Fraction(28, 100), Fraction(20, 100)), (Fraction(19, 100), Fraction(28, 100)))


class Leak:
    """Fresh noise each round; how much the second says about the first bit depends on the second bit."""

    alphabet = (0, 1)

    def law(self, prefix):
        return bernoulli(FIRST[prefix[0]] if len(prefix) == 1 else SECOND[prefix[0]][prefix[1]])
'''
SUITE = """
[defaults]
horizon = 2

[audit.flip]
target = "primitives/flip.py:Flip"
params = { lie = ["1/4", "1/3"] }
certified = true
delta = "3:0"

[audit.leak]
target = "primitives/leak.py:Leak"
no_gap = true

[audit.bounded]
target = "two-round-repeated"
horizon = 30
max_positions = 5
claim = "eps=0.01,delta=0.3"
"""


def repository(folder: Path, suite: str = SUITE) -> Path:
    """A folder with primitives and a suite; returns the suite."""
    primitives = folder / "primitives"
    primitives.mkdir()
    (primitives / "flip.py").write_text(FLIP, encoding="utf-8")
    (primitives / "leak.py").write_text(LEAK, encoding="utf-8")
    file = folder / "dpcert.toml"
    file.write_text(suite, encoding="utf-8")
    return file
