"""Random mechanisms of few hidden states, and the games on them."""

import random
from dataclasses import dataclass
from fractions import Fraction

from dpcert import Release
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.relations.adjacency import ANY, HAMMING, ZERO_OUT, Adjacency, ChallengeAt
from dpcert.audit.relations.hops import Hops


@dataclass(frozen=True)
class Modes:
    """Joint laws of output and next state by state and input, as tables of weights."""

    tables: tuple[tuple[tuple[int, ...], ...], ...]
    states: int
    initial: int = 0
    alphabet: tuple[int, ...] = (0, 1)

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        row = self.tables[state][x]
        drawn = draw(Pmf({i: Fraction(w, sum(row)) for i, w in enumerate(row)}))
        return Release(drawn // self.states, None), drawn % self.states


def random_modes(rng: random.Random) -> Modes:
    """One to four hidden states, two outputs; some things never happen, or hardly ever."""
    states, usual = rng.choice((1, 2, 2, 3, 3, 4)), rng.choice(((0, 1, 1, 2, 3), (0, 0, 1, 1, 40), (0, 1, 2**70)))
    table = tuple(
        tuple(
            tuple(max(w, int(i == 0)) for i, w in enumerate(rng.choice(usual) for _ in range(2 * states)))
            for _ in range(2)
        )
        for _ in range(states)
    )
    return Modes(table, states)


def modes_game(seed: int) -> BeliefGame:
    """A random game of few rounds."""
    rng = random.Random(seed)
    rounds = rng.randint(1, 4)
    relation: Adjacency = rng.choice(
        [HAMMING, ANY, ChallengeAt(HAMMING, 1), type(ZERO_OUT)(null=0), Hops(HAMMING, 2, rounds)]
    )
    return BeliefGame(any_view_of(random_modes(rng)), relation, rounds)  # type: ignore[arg-type]


TWO_MODES = Modes((((3, 1, 1, 3), (1, 3, 3, 1)), ((1, 2, 3, 2), (2, 2, 1, 3))), 2)
