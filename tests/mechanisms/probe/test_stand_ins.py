"""A small discrete stand-in of each wrong stream: the exact adaptive game says that it loses more than its twin."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest

from dpcert import Pmf, examine

Bits = tuple[int, ...]
ROUNDS = 2


def triangle(width: int) -> Pmf[int]:
    """The sum of two uniform numbers of `width` values each, about 0."""
    weights = {k: width - abs(k) for k in range(1 - width, width)}
    return Pmf({k: Fraction(w, width * width) for k, w in weights.items()})


@dataclass(frozen=True)
class StandIn:
    """So many draws, and what is released of inputs and draws, as in the streaming code of the same name."""

    width: int
    draws: int
    answer: Callable[[Bits, Bits], tuple[Bits, ...]]
    alphabet: ClassVar[Bits] = (0, 1)

    def seeds(self, horizon: int) -> Pmf[tuple[Bits, ...]]:
        """All draws stand before round 1: which of them a round uses is the code's affair."""
        law: Pmf[Bits] = Pmf({(): Fraction(1)})
        for _ in range(self.draws):
            law = law.product(triangle(self.width)).map(lambda pair: (*pair[0], pair[1]))
        return law.map(lambda drawn: (drawn, *((),) * (horizon - 1)))

    def respond(self, seeds: tuple[Bits, ...], stream: Bits) -> tuple[Bits, ...]:
        """As many releases as there are inputs."""
        return self.answer((*stream, *(0,) * (ROUNDS - len(stream))), seeds[0])[: len(stream)]


def fresh(x: Bits, z: Bits) -> tuple[Bits, ...]:
    """Every input with noise of its own."""
    return ((x[0] + z[0],), (x[1] + z[1],))


def node_once(x: Bits, z: Bits) -> tuple[Bits, ...]:
    """A node with noise of its own, read twice."""
    return ((x[0] + z[0],), (x[0] + z[0], x[1] + z[1]))


def node_anew(x: Bits, z: Bits) -> tuple[Bits, ...]:
    """The same node with other noise in round 2."""
    return ((x[0] + z[0],), (x[0] + z[2], x[1] + z[1]))


def one_draw(x: Bits, z: Bits) -> tuple[Bits, ...]:
    """One draw for both leaves: also what a generator that is set back does."""
    return ((x[0] + z[0],), (x[1] + z[0],))


def folded(x: Bits, z: Bits) -> tuple[Bits, ...]:
    """The noise of round 1 beside new noise: round 2 less round 1 tells the first input again."""
    return ((x[0] + z[0],), (x[1] + z[0] + z[1],))


def fitted(x: Bits, z: Bits) -> tuple[Bits, ...]:
    """Twice the noise for an input of 1."""
    return ((x[0] + (1 + x[0]) * z[0],), (x[1] + (1 + x[1]) * z[1],))


def retold(x: Bits, z: Bits) -> tuple[Bits, ...]:
    """A true total of before under new noise."""
    return ((x[0] + z[0],), (x[0] + x[1] + z[1],))


def sparing(x: Bits, z: Bits) -> tuple[Bits, ...]:
    """Noise where there is something to hide."""
    return tuple((x[t] + z[t] if x[t] else 0,) for t in range(ROUNDS))


def bare(x: Bits, z: Bits) -> tuple[Bits, ...]:  # noqa: ARG001 - as of the others
    """Noise that is no secret is none."""
    return ((x[0],), (x[1],))


PAIRS: dict[str, tuple[StandIn, StandIn]] = {
    "Variance": (StandIn(2, 2, fresh), StandIn(4, 2, fresh)),  # of deviations below 1 the squares are smaller
    "Root": (StandIn(2, 2, fresh), StandIn(4, 2, fresh)),
    "Redrawn": (StandIn(3, 3, node_anew), StandIn(3, 2, node_once)),
    "Leaves": (StandIn(3, 1, one_draw), StandIn(3, 2, fresh)),
    "Resumed": (StandIn(3, 1, one_draw), StandIn(3, 2, fresh)),
    "Folded": (StandIn(3, 2, folded), StandIn(3, 2, fresh)),
    "Retold": (StandIn(3, 2, retold), StandIn(3, 2, fresh)),
    "Sparing": (StandIn(3, 2, sparing), StandIn(3, 2, fresh)),
    "Seeded": (StandIn(3, 2, bare), StandIn(3, 2, fresh)),
    "Fitted": (StandIn(3, 2, fitted), StandIn(3, 2, fresh)),
}
"""The stand-in of a stream in `wrong`, and what its claim is about."""


@pytest.mark.in_turns
@pytest.mark.parametrize("name", PAIRS)
def test_the_stand_in_loses_more_than_was_claimed(name: str) -> None:
    wrong, claimed = (
        examine(mechanism, horizon=ROUNDS, exp_epsilons=[1, 2, 5]).document["adaptive"]["delta"]
        for mechanism in PAIRS[name]
    )
    for more, less in zip(wrong, claimed, strict=True):
        assert Fraction(more["lower"]) == Fraction(more["upper"]) >= Fraction(less["upper"])
    assert Fraction(wrong[0]["lower"]) > Fraction(claimed[0]["upper"])
