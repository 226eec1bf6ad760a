"""Coordinate-wise symmetric geometric noise, unbounded, under a shift: its atoms as symbols in alpha."""

from itertools import product
from typing import Any

Shift = tuple[int, ...]
Atom = tuple[int, Any]
"""(e, mass in world 0); the mass in world 1 is smaller by alpha^e."""


def _line_atoms(s: int, alpha: Any) -> list[Atom]:
    """eta against s + eta, P(eta = k) = (alpha - 1) / (alpha + 1) alpha^-|k|; equal likelihood ratios merged."""
    if s == 0:
        return [(0, alpha / alpha)]
    inner = [(s - 2 * k, (alpha - 1) / (alpha + 1) / alpha**k) for k in range(1, s)]
    return [(s, alpha / (alpha + 1)), *inner, (-s, 1 / (alpha + 1) / alpha ** (s - 1))]


def atoms(shift: Shift, alpha: Any) -> list[Atom]:
    """The atoms of independent noise on every coordinate, for shifts of at least 0."""
    found: list[Atom] = [(0, alpha / alpha)]
    for s in shift:
        found = [(e + d, mass * more) for (e, mass), (d, more) in product(found, _line_atoms(s, alpha))]
    return found


def surplus(shift: Shift, alpha: Any, j: int) -> Any:
    """The hockey-stick divergence at e^epsilon = alpha^j; alpha exceeds 1, so the atoms that count are known."""
    return sum((mass * (1 - alpha**j / alpha**e) for e, mass in atoms(shift, alpha) if e > j), alpha - alpha)
