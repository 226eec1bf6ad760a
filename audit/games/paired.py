"""Two-world games as levels of positions: who may move how, and what each release reveals."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Protocol, TypeVar, runtime_checkable

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.errors import Stopped, expected
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import checked_rounds
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.draws import within
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.limits import look
from dpcert.audit.relations.adjacency import OVER, Adjacency

P = TypeVar("P", bound=Hashable)
Place = Callable[[P], int]
"""The number of a position among those of the next round, END after the last."""
Pair = tuple[Any, ...]
"""The inputs of a move: the first goes to world 0, the last to world 1."""
Weighed = tuple[tuple[Any, int], ...]
"""(state of the mechanism, integer weight)."""
MOST_PREFIX_PAIRS = 1 << 18
"""Positions of a round past which it is not explored where every prefix is a state and nobody bounds the work."""
END = -1
"""In place of a number: the interaction is over, or one world has become impossible, so nothing more can matter."""


@frozen(slots=True)
class Outcome:
    """One observation of a release: integer weights in both worlds, and the number of the position that follows.

    `after` counts the positions of the next round; it is END where nothing follows.
    """

    observation: Hashable
    weight0: int
    weight1: int
    after: int


@frozen(slots=True)
class Move:
    """A pair that the adversary may submit, and the release that answers it.

    The weights of world b sum to denominator_b.
    """

    pair: Pair
    outcomes: tuple[Outcome, ...]
    denominator0: int
    denominator1: int


class Game(Protocol[P]):
    """A two-world game of finitely many rounds, on positions of type P."""

    @property
    def horizon(self) -> int:
        """The number of rounds."""
        ...

    @property
    def initial(self) -> P:
        """The position before round 1."""
        ...

    def moves(self, position: P, round_: int, place: Place[P]) -> tuple[Move, ...]:
        """The legal moves in round `round_` (from 1); `place` numbers the positions that they lead to."""
        ...

    def describe(self, position: P) -> str:
        """A position for a report."""
        ...

    def laws(self) -> Iterable[tuple[object, Pmf[Any]]]:
        """Every law met so far, each under what it depends on."""
        ...


States = tuple[Any, Any, Any]
"""A position of a paired game: the relation's state, the state in world 0, the state in world 1."""


@frozen
class PairedGame:
    """The paired simulation: world b runs the mechanism on the b-th input of each pair. Source: def:paired_sim.

    The likelihood ratio is no part of a position.
    """

    core: Core
    adjacency: Adjacency[Any]
    horizon: int
    _laws: dict[Hashable, Pmf[Any]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        checked_rounds(self.horizon, self.core.horizon)

    @property
    def initial(self) -> States:
        """The position before round 1."""
        return self.adjacency.initial, self.core.initial, self.core.initial

    def moves(self, position: States, round_: int, place: Place[States]) -> tuple[Move, ...]:
        """One move a legal pair."""
        relation, state0, state1 = position
        moves = []
        for pair, after in self.adjacency.legal(relation, round_, self.core.alphabet):
            look()
            next0 = self.core.advance(state0, pair[0])
            next1 = next0 if (state0, pair[0]) == (state1, pair[-1]) else self.core.advance(state1, pair[-1])
            laws = self._law(next0), self._law(next1)
            moves.append(released(pair, *laws, END if after is OVER else place((after, next0, next1))))
        return tuple(moves)

    def describe(self, position: States) -> str:
        """Relation state, and the mechanism's state in both worlds."""
        relation, state0, state1 = position
        return f"({label(relation)}, {self.core.describe(state0)}, {self.core.describe(state1)})"

    def states(self, position: States) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The states that the mechanism may be in, in world 0 and in world 1: one in each."""
        _, state0, state1 = position
        return (state0,), (state1,)

    def weighed(self, position: States) -> tuple[Any, Weighed, Weighed]:
        """The relation's state, and the states that the mechanism may be in with their weights, in either world."""
        relation, state0, state1 = position
        return relation, ((state0, 1),), ((state1, 1),)

    def kernel(self, state: Any, x: Any) -> Kernel:
        """One round of the mechanism."""
        return self.core.kernel(state, x)

    def foresee(self, positions: Iterable[States] | None) -> None:
        """Refuses a round of too many positions where every prefix is a state: those after it have many times more.

        Args:
            positions: Those of the round that comes; None for no limit.
        Raises: Stopped: they are too many.
        """
        if positions is not None and self.core.tells_prefixes_apart and len(list(positions)) > MOST_PREFIX_PAIRS:
            raise Stopped(
                f"a round has more than {MOST_PREFIX_PAIRS:,} positions, with a state for every prefix "
                "(MOST_PREFIX_PAIRS)"
            )

    def _law(self, state: Hashable) -> Pmf[Any]:
        law = self._laws.get(state)
        if law is None:
            law = self._laws[state] = self.core.law(state)
        return law

    def laws(self) -> Iterable[tuple[object, Pmf[Any]]]:
        """The law of each state met so far; where states were merged, of every one of them."""
        return self._laws.items() if self.core.whole is None else self.core.laws()


def released(pair: Pair, law0: Pmf[Any], law1: Pmf[Any], after: int) -> Move:
    """The move of a core: after every observation the same position follows."""
    weights0, denominator0 = law0.token_weights()
    weights1, denominator1 = law1.token_weights()
    outcomes = tuple(
        Outcome(y, weights0.get(y, 0), weights1.get(y, 0), after) for y in dict.fromkeys([*weights0, *weights1])
    )
    return Move(pair, outcomes, denominator0, denominator1)


@frozen(slots=True)
class Level:
    """The distinct positions before one round, and the moves of each."""

    positions: tuple[Any, ...]
    moves: tuple[tuple[Move, ...], ...]


@frozen(slots=True)
class Exploration:
    """The reachable positions of a game, level by level, equal positions merged.

    Where the budget ended the exploration, `levels` are those that were finished, `beyond` counts the positions that
    the last of them leads to, and `stopped` says why; else `beyond` is 0 and `stopped` is None.
    """

    levels: tuple[Level, ...]
    beyond: int = 0
    stopped: str | None = None

    @property
    def positions(self) -> int:
        """The number of distinct non-terminal positions."""
        return sum(len(level.positions) for level in self.levels)


def closed(exploration: Exploration) -> tuple[Level, ...]:
    """The explored levels as a whole game: where they lead on, all is over."""
    if not exploration.levels or not exploration.beyond:
        return exploration.levels
    *before, last = exploration.levels
    return (*before, over_after(last))


def over_after(level: Level) -> Level:
    """The level as the last one: after each of its releases all is over."""
    return Level(level.positions, tuple(tuple(map(_ended, moves)) for moves in level.moves))


def _ended(move: Move) -> Move:
    look()
    outcomes = tuple(Outcome(o.observation, o.weight0, o.weight1, END) for o in move.outcomes)
    return Move(move.pair, outcomes, move.denominator0, move.denominator1)


@runtime_checkable
class Foreseeing(Protocol):
    """A game that can refuse a round whose work it estimates to be past a limit."""

    def foresee(self, positions: Iterable[Any] | None) -> None:
        """Takes the positions of the round that comes; None where somebody has bounded the work."""
        ...


@contextmanager
def foreseen(game: Game[Any], positions: Iterable[Any], budget: Budget | None) -> Iterator[None]:
    """Has a game refuse a round whose work is past a limit, where there is a budget that bounds nothing.

    Raises: Stopped: it does.
    """
    if budget is None or not isinstance(game, Foreseeing):
        yield
        return
    try:
        if budget.max_positions is None and budget.max_seconds is None:
            game.foresee(positions)
        yield
    finally:
        game.foresee(None)


def explore(game: Game[Any], budget: Budget | None = None) -> Exploration:
    """The reachable positions of a game; an interrupt or the end of the budget keeps the levels that are finished.

    So does, under a budget that bounds nothing, the estimate that a round is past a limit.
    """
    asked, budget = budget, budget or Budget()
    levels: list[Level] = []
    positions: dict[Any, int] = {game.initial: 0}
    for round_ in range(1, game.horizon + 1):
        budget.progress(f"exploring round {round_} of {game.horizon}: {len(positions)} positions")
        with best_so_far(budget) as part, within(budget.check), foreseen(game, positions, asked):
            level, positions = _level(game, positions, round_, budget)
        if part.stopped:
            return Exploration(tuple(levels), len(positions), part.stopped)
        levels.append(level)
    return Exploration(tuple(levels))


def _level(game: Game[P], positions: dict[P, int], round_: int, budget: Budget) -> tuple[Level, dict[P, int]]:
    """One level, and the positions that it leads to, by their numbers."""
    following: dict[P, int] = {}
    last = round_ == game.horizon

    def place(after: P) -> int:
        return END if last else following.setdefault(after, len(following))

    moves = []
    for position in positions:
        budget.explored()
        available = game.moves(position, round_, place)
        look()
        if not available:
            raise expected("a legal pair of inputs in every round", round=round_, legal_pairs=0)
        moves.append(available)
    return Level(tuple(positions), tuple(moves)), following
