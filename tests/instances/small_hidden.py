"""Random games of few hidden states and rounds, and what they are by differences."""

import random
from typing import Any

from instances.hidden_state import random_interactive
from instances.modes import modes_game

from dpcert.audit.beliefs.differences import DifferenceGame
from dpcert.audit.beliefs.hidden import HiddenGame
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.relations.adjacency import HAMMING, ZERO_OUT, ChallengeAt


def differences(game: BeliefGame) -> DifferenceGame | None:
    """The game by differences, if its streams part once and not every round is its last."""
    hidden = HiddenGame.of(game)
    return None if hidden is None else DifferenceGame.of(hidden)


def small_hidden(seed: int) -> BeliefGame:
    """A random game, every other of which may halt."""
    if seed % 2:
        return modes_game(seed)
    rng = random.Random(seed)
    rounds = rng.randint(1, 4)
    mechanism, _ = random_interactive(seed, rng.randint(2, 3), rng.randint(1, 4), rng.randint(1, 3), rng.random() < 0.7)
    relation: Any = rng.choice((HAMMING, ChallengeAt(HAMMING, rng.randint(1, rounds)), type(ZERO_OUT)(null=0)))
    return BeliefGame(any_view_of(mechanism), relation, rounds)  # type: ignore[arg-type]
