"""Mechanisms with steps of very many sequences of draws."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpcert import Draw, Release, bernoulli, uniform
from dpcert.mechanisms.randbin.toy import RandBinToy

WIDE = uniform(range(2**9))


@dataclass(frozen=True)
class Huge:
    """A coin a round; from round 3 on also two draws that have 2^18 outcomes together, kept in the state."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: Any = (0, 0)

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[int, None], Any]:
        t, kept = state
        seen = draw(bernoulli(Fraction(1 + x, 3)))
        if t >= 2:
            kept = draw(WIDE) * 2**9 + draw(WIDE)
        return Release(seen), (t + 1, kept)


class HugeBins(RandBinToy):
    """The toy, whose simulation draws 2^18 outcomes of its own once bins leave."""

    def simulate(self, branch: int, state: Any, pair: tuple[Any, Any], draw: Draw) -> Any:
        answer = super().simulate(branch, state, pair, draw)
        if answer[0].visible:
            draw(WIDE), draw(WIDE)
        return answer
