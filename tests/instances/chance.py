"""How unlikely counts are under a law."""

from collections.abc import Mapping
from fractions import Fraction
from math import inf, log
from typing import Any

FEWEST = 5  # expected runs of a cell of its own
SURPRISE = 20  # nats


def surprise(counts: Mapping[Any, int], law: Mapping[Any, Fraction]) -> float:
    """-ln of a bound on the chance of counts this far from the law; infinite for an outcome of probability 0.

    Cells that expect fewer than FEWEST runs are pooled.
    """
    runs = sum(counts.values())
    if any(n and not law.get(y) for y, n in counts.items()):
        return inf
    expected = {y: runs * w for y, w in law.items() if w}
    cells = [(counts.get(y, 0), e) for y, e in expected.items() if e >= FEWEST]
    small = [(counts.get(y, 0), e) for y, e in expected.items() if e < FEWEST]
    cells += [(sum(n for n, _ in small), sum((e for _, e in small), Fraction(0)))] if small else []
    distance = sum(n * log(n / e) for n, e in cells if n)
    free = len(cells) - 1
    return distance - free * (1 + log(distance / free)) if distance > free > 0 else float(0)
