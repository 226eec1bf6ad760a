"""Random games of which next to nothing is learnt at steep slopes: laws with entries of one part in 10^40."""

import random
from fractions import Fraction

from instances.random_markov import RandomMarkov

from dpcert.audit.games.paired import PairedGame
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import ANY, HAMMING


def steep_game(seed: int) -> PairedGame:
    """Up to ten rounds; outcomes are as likely as one another, or far from it, and some never come."""
    rng = random.Random(seed)
    states, outputs = rng.randint(2, 4), rng.randint(2, 4)
    large = rng.choice((10, 10**5, 10**20, 10**40))

    def weight() -> int:
        return rng.choice((1, 1, 2, 3, rng.randint(1, 99))) * rng.choice(
            (1, 1, large, large, large * rng.randint(1, 9))
        )

    rows = [tuple(weight() for _ in range(outputs)) for _ in range(states)]
    if rng.random() < 0.1:
        rows[0] = (0, *rows[0][1:])
    after = tuple((rng.randrange(states), rng.randrange(states)) for _ in rows)
    relation = rng.choice((HAMMING, HAMMING, ANY))
    return PairedGame(core_of(RandomMarkov((0, 1), after, tuple(rows))), relation, rng.randint(1, 10))


def steep_slope(seed: int, most: Fraction | None) -> Fraction:
    """A slope below the largest ratio, or anywhere near it; where there is none, any."""
    rng = random.Random(-seed)
    if most is None:
        return Fraction(10) ** rng.randint(1, 300)
    digits = len(str(int(most)))
    parts = rng.choice((1, 2, 5, 9, rng.randint(1, 999)))
    slope = most * parts / rng.choice((10, 100, 1000, 10 ** rng.randint(0, digits)))
    return Fraction(round(max(slope, 1) * 1000) + 1, 1000)
