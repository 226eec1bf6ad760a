"""A channel between two experiments of which one has the larger curve, built exactly, atom by atom."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from dpcert.audit.algebra.power import PowerFunction

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class SharedMass:
    """Mass in both worlds, and the share of each atom of the larger experiment that it is made of."""

    mass0: Fraction
    mass1: Fraction
    shares: dict[int, Fraction]

    def times(self, share: Fraction) -> "SharedMass":
        """A part of the piece, alike in both worlds."""
        return SharedMass(self.mass0 * share, self.mass1 * share, {i: s * share for i, s in self.shares.items()})


def channel(strong: PowerFunction, weak: PowerFunction) -> list[SharedMass]:
    """A piece for each atom of `weak`, made of the atoms of `strong`; `weak` lies below it, and neither has zeros.

    Each line through a segment of `weak` cuts a cap off the curve that is left; to flatten it is to merge its atoms.
    """
    pieces = [SharedMass(a, b, {i: ONE}) for i, (a, b) in enumerate(strong.segments)]
    for (x0, y0), (x1, y1) in pairwise(weak.vertices):
        slope = (y1 - y0) / (x1 - x0)
        curve = PowerFunction.from_segments((piece.mass0, piece.mass1) for piece in pieces)
        corners = [(x, y - y0 - slope * (x - x0)) for x, y in curve.vertices]
        above = [x for x, d in corners if d >= 0]
        above += [x + (u - x) * d / (d - e) for (x, d), (u, e) in pairwise(corners) if d * e < 0]
        left, rest = _cut(pieces, min(above))
        cap, right = _cut(rest, max(above) - min(above))
        pieces = [*left, *([_merged(cap)] if cap else []), *right]
    atoms = []
    for mass, _ in weak.segments:
        atom, pieces = _cut(pieces, mass)
        atoms.append(_merged(atom))
    return atoms


def _merged(pieces: Iterable[SharedMass]) -> SharedMass:
    mass0 = mass1 = ZERO
    shares: dict[int, Fraction] = {}
    for piece in pieces:
        mass0, mass1 = mass0 + piece.mass0, mass1 + piece.mass1
        for i, s in piece.shares.items():
            shares[i] = shares.get(i, ZERO) + s
    return SharedMass(mass0, mass1, shares)


def _cut(pieces: list[SharedMass], x: Fraction) -> tuple[list[SharedMass], list[SharedMass]]:
    """The pieces left and right of world-0 mass x; one of them may be split."""
    left: list[SharedMass] = []
    right: list[SharedMass] = []
    for piece in pieces:
        share = min(ONE, max(ZERO, x / piece.mass0))
        x -= piece.mass0
        left += [piece.times(share)] if share else []
        right += [piece.times(1 - share)] if share < 1 else []
    return left, right
