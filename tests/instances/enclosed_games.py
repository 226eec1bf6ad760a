"""Random games of few rounds, to be enclosed: cores of states and of prefixes, under several relations."""

import random
from typing import Any

from instances.random_core import noisy_core, random_core
from instances.random_markov import random_markov

from dpcert.audit.games.paired import PairedGame
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import ANY, HAMMING, Adjacency, ChallengeAt
from dpcert.audit.relations.hops import Hops


def game_of(seed: int) -> PairedGame:
    """The game of a seed."""
    rng = random.Random(seed)
    rounds = rng.randint(1, 7)
    if seed % 5 == 0:
        return PairedGame(core_of(random_core(seed, 2, 2, 3)), HAMMING, 3)
    if seed % 5 == 1:
        return PairedGame(core_of(noisy_core(seed, 2, 3, 3)), HAMMING, rng.randint(1, 3))
    relation: Adjacency[Any] = rng.choice([HAMMING, HAMMING, ANY, ChallengeAt(HAMMING, 1), Hops(HAMMING, 2, rounds)])
    return PairedGame(core_of(random_markov(seed)), relation, rounds)


def no_bound() -> None:
    """No bound on the work."""
