"""Games of few hidden states: which states there are, and what a pair of inputs can show from each."""

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np

from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.grids.stages import ROUNDLESS
from dpcert.audit.grids.units import Wholes
from dpcert.audit.kernels.release import HALT
from dpcert.audit.limits import look, within
from dpcert.audit.relations.adjacency import OVER, innermost

FEW_HIDDEN = 3
"""Hidden states up to which beliefs are laid on a grid at once; past it, where those that are met are too many."""
MOST_HIDDEN = 8
"""Hidden states past which beliefs are not laid on a grid."""


LEAST_OF = 256
"""Parts in which it is told what a hidden state weighs at least in every belief."""


@frozen
class ShownPair:
    """What a pair of inputs can show: matrices of whole weights over one denominator, from state to state.

    Attributes:
        worlds: Per world, the weights of going from a state to another while this is seen.
        over: Whether nothing follows.
    """

    worlds: tuple[Wholes, Wholes]
    over: bool


@dataclass
class HiddenGame:
    """A game of few hidden states.

    Attributes:
        game: It.
        states: The hidden states that there can be after round 1.
        denominator: The common one of all laws.
        swapped: Whether what is shown has the worlds of the game swapped.
    """

    game: BeliefGame
    states: tuple[Hashable, ...]
    denominator: int
    swapped: bool = False
    _pairs: dict[Any, tuple[ShownPair, ...]] = field(default_factory=dict)
    _relations: list[dict[Any, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._relations.append({self.game.adjacency.initial: True})

    @classmethod
    def of(cls, game: BeliefGame) -> "HiddenGame | None":
        """The game, where it has few states, and each can be handed every input; None where it is not so."""
        if not isinstance(innermost(game.adjacency), ROUNDLESS):  # edits have tags, and branches are handed pairs
            return None
        later: dict[Hashable, None] = {}
        todo, denominator = [game.view.initial], 1
        while todo:
            state = todo.pop()
            for x in game.inputs:
                kernel = game.met(state, x)
                denominator = lcm(denominator, kernel.denominator)
                for visible, after, _ in kernel.entries:
                    if visible is not HALT and after not in later:
                        later[after] = None
                        todo.append(after)
                if len(later) > MOST_HIDDEN:
                    return None
        return cls(game, tuple(later), denominator) if later else None

    def with_worlds_swapped(self) -> "HiddenGame":
        """The same game, whose world 0 is world 1 of this one."""
        return HiddenGame(self.game, self.states, self.denominator, not self.swapped)

    @cached_property
    def symmetric(self) -> bool:
        """Whether each pair may be handed in with its worlds swapped as well, and the same may follow."""
        for round_ in range(1, self.game.horizon + 1):
            for relation in self.relations(round_):
                look()
                then = dict(self.legal(relation, round_))
                if any(pair[::-1] not in then or then[pair[::-1]] != after for pair, after in then.items()):
                    return False
        return True

    def legal(self, relation: Any, round_: int) -> list[tuple[Any, Any]]:
        """Pairs, and the relation's state after each."""
        return list(self.game.adjacency.legal(relation, round_, self.game.view.alphabet))

    def seen(self, froms: tuple[Hashable, ...], pair: Any, over: bool) -> tuple[ShownPair, ...]:
        """What a pair can show, from some states."""
        key = froms, pair, over
        if key not in self._pairs:
            self._pairs[key] = self._shown(froms, pair, over)
        return self._pairs[key]

    def _shown(self, froms: tuple[Hashable, ...], pair: Any, over: bool) -> tuple[ShownPair, ...]:
        place = {state: i for i, state in enumerate(self.states)}
        by_sight: dict[Any, tuple[Wholes, Wholes]] = {}
        for world, x in enumerate((pair[-1], pair[0]) if self.swapped else (pair[0], pair[-1])):
            for row, state in enumerate(froms):
                look()
                kernel = self.game.met(state, x)
                for visible, after, weight in kernel.entries:
                    zeros = tuple(np.full((len(froms), len(place)), 0, dtype=object) for _ in range(2))
                    matrices = by_sight.setdefault(visible, (zeros[0], zeros[1]))
                    at = place.get(after, 0)
                    matrices[world][row, at] += weight * (self.denominator // kernel.denominator)
        return tuple(ShownPair(worlds, over or visible is HALT) for visible, worlds in by_sight.items())

    @cached_property
    def least(self) -> tuple[int, ...]:
        """What each state weighs at least in every belief after a round, in parts of LEAST_OF; less than that in all.

        A belief after a round is a mean of those that single states lead to, so that these say how small it can be.
        """
        least = [LEAST_OF] * len(self.states)
        for froms in (self.game.view.initial,), self.states:
            for x in self.game.inputs:
                for shown in self.seen(froms, (x, x), False):
                    for row in shown.worlds[0] if not shown.over else ():
                        if any(row):
                            total = sum(row)
                            least = [min(a, int(m) * LEAST_OF // int(total)) for a, m in zip(least, row, strict=True)]
        return tuple(least) if sum(least) < LEAST_OF else (0,) * len(least)

    def relations(self, round_: int) -> dict[Any, bool]:
        """The relation's states before a round; whether both worlds were handed the same, however it was reached."""
        while len(self._relations) < round_:
            look()
            t, before = len(self._relations), self._relations[-1]
            after: dict[Any, bool] = {}
            for state, alike in before.items():
                for pair, then in self.legal(state, t):
                    if then is not OVER:
                        after[then] = after.get(then, True) and alike and pair[0] == pair[-1]
            self._relations.append(after)
        return self._relations[round_ - 1]


def by_hidden_states(game: object, budget: Budget) -> HiddenGame | None:
    """A game of few hidden states by them; None for any other, and where there is no time left.

    Its laws are asked for apart, so that they are not among those of the game; a mechanism need not have any of states
    that it only reaches after its last round.
    """
    if not isinstance(game, BeliefGame):
        return None
    with best_so_far(budget), suppress(MechanismError), within(budget.check):
        return HiddenGame.of(BeliefGame(game.view, game.adjacency, game.horizon))
    return None
