"""DP_{epsilon,delta} as the least of three lines, and hops through it; for Fractions and for symbols alike.

A power function is concave, so it is the least of the lines that its pieces lie on. Lines that do not fall keep
minima: the composite of two such curves is the least of the composites of their lines.
"""

from collections.abc import Iterable
from itertools import product
from typing import Any

from dpcert.proofs_checked.cases.symbols import nonnegative

Line = tuple[Any, Any]
"""(value at 0, slope)."""


def lines(exp_epsilon: Any, delta: Any) -> tuple[Line, Line, Line]:
    """The lines of the three pieces as they are printed, in their order."""
    return (delta, exp_epsilon), (1 - (1 - delta) / exp_epsilon, 1 / exp_epsilon), (1, 0)


def at(line: Line, alpha: Any) -> Any:
    """The line's value at alpha."""
    return line[0] + line[1] * alpha


def then(first: Iterable[Line], second: Iterable[Line]) -> list[Line]:
    """The composites of all lines, `second` applied last."""
    return [(at(outer, inner[0]), outer[1] * inner[1]) for inner, outer in product(first, second)]


def below(lower: Iterable[Line], upper: Iterable[Line]) -> bool:
    """Whether each upper line provably has a lower one below it on [0, 1]; then the least lower one is below all."""
    listed = list(lower)
    return all(any(_under(line, bound) for line in listed) for bound in upper)


def _under(line: Line, bound: Line) -> bool:
    return all(nonnegative(at(bound, end) - at(line, end)) for end in (0, 1))
