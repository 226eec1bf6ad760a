"""Row 66: clipping the core's releases makes adaptive adversaries stronger than fixed streams."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert import Pmf, from_weights
from dpcert.audit.adjacency import HAMMING
from dpcert.audit.fixed import fixed_stream
from dpcert.audit.game import PairedGame, explore
from dpcert.audit.solve import solve
from dpcert.audit.view import core_of

NOISE = from_weights({-2: 1, -1: 4, 0: 6, 1: 4, 2: 1})


@dataclass(frozen=True)
class PrefixSums:
    """Z1 = x1 + eta, Z2 = x1 + x2 + eta', as they are or clipped to [0, 1] and [0, 2]."""

    clipped: bool
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    horizon: ClassVar[int] = 2

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        total, top = sum(prefix), len(prefix)
        noisy = NOISE.map(lambda eta: total + eta)
        return noisy.map(lambda z: max(0, min(top, z))) if self.clipped else noisy


def test_clipped_and_ideal_core() -> None:
    found = {}
    for clipped in (True, False):
        solution = solve(explore(PairedGame(core_of(PrefixSums(clipped)), HAMMING, 2)))
        found[clipped] = fixed_stream(solution.levels).power.total_variation, solution.power.total_variation
    assert found[True] == (Fraction(55, 128), Fraction(31, 64))
    assert found[False] == (Fraction(63, 128), Fraction(63, 128))
