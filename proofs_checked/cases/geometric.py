"""Coordinate-wise symmetric geometric noise, unbounded, under a shift: its atoms as symbols in alpha."""

from collections.abc import Callable
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
    """The hockey-stick divergence at e^epsilon = alpha^j."""
    return surplus_of(atoms(shift, alpha), alpha, j)


def surplus_of(atoms: list[Atom], alpha: Any, j: int) -> Any:
    """sum max(0, P - alpha^j Q) over atoms; alpha exceeds 1, so those that count are known."""
    return sum((mass * (1 - alpha**j / alpha**e) for e, mass in atoms if e > j), alpha - alpha)


Height = Callable[[int], int]
"""h: the noise weighs c alpha^-h(m) at m, with steps of slope 1 away from -3..3."""


def shifted_atoms(height: Height, shift: int, alpha: Any) -> list[Atom]:
    """(e, mass / c of P(eta)): where P(eta + shift) is P(eta) / alpha^e; both tails are geometric series."""
    ends = range(-4 - abs(shift), 5 + abs(shift))
    atoms = [(height(m - shift) - height(m), alpha ** -height(m)) for m in ends]
    series = alpha / (alpha - 1)
    return [(e, mass * series if m in (ends[0], ends[-1]) else mass) for m, (e, mass) in zip(ends, atoms, strict=True)]


def is_convex(height: Height) -> bool:
    """Whether noise of these heights is symmetric and log-concave: outside -3..3 its steps have slope 1."""
    inside = range(-5, 6)
    mirrored = all(height(m) == height(-m) for m in inside)
    return mirrored and all(height(m - 1) + height(m + 1) >= 2 * height(m) for m in inside)
