"""Two-world games as levels of positions: who may move how, and what each release reveals."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol

from dpcert.audit.adjacency import Adjacency
from dpcert.audit.errors import expected
from dpcert.audit.mechanism import Core
from dpcert.audit.pmf import Pmf

Position = Any
Pair = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One observation of a release: integer weights in both worlds, and the position (or its index) that follows."""

    observation: Hashable
    weight0: int
    weight1: int
    after: Any


@dataclass(frozen=True, slots=True)
class Move:
    """A pair that the adversary may submit, and the release that answers it.

    The weights of world b sum to denominator_b.
    """

    pair: Pair
    outcomes: tuple[Outcome, ...]
    denominator0: int
    denominator1: int


class Game(Protocol):
    """A two-world game of finitely many rounds."""

    @property
    def horizon(self) -> int:
        """The number of rounds."""
        ...

    @property
    def initial(self) -> Position:
        """The position before round 1."""
        ...

    def moves(self, position: Position, round_: int) -> tuple[Move, ...]:
        """The legal moves in round `round_` (from 1); `after` holds positions."""
        ...


@dataclass(frozen=True)
class PairedGame:
    """The paired simulation: world b runs the mechanism on the b-th input of each pair. Source: def:paired_sim.

    A position is (relation state, state in world 0, state in world 1); the likelihood ratio is no part of it.
    """

    core: Core
    adjacency: Adjacency[Any]
    horizon: int
    _laws: dict[Hashable, Pmf[Any]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.horizon, bool) or not isinstance(self.horizon, int) or self.horizon < 1:
            raise expected("a horizon of at least 1 round", horizon=self.horizon)
        if self.core.horizon is not None and self.horizon > self.core.horizon:
            rounds = "round" if self.core.horizon == 1 else "rounds"
            raise expected(
                f"a horizon of at most {self.core.horizon} {rounds}, all the mechanism has,", horizon=self.horizon
            )

    @property
    def initial(self) -> Position:
        """The position before round 1."""
        return self.adjacency.initial, self.core.initial, self.core.initial

    def moves(self, position: Position, round_: int) -> tuple[Move, ...]:
        """One move a legal pair."""
        relation, state0, state1 = position
        made = []
        for pair, after in self.adjacency.legal(relation, round_, self.core.alphabet):
            next0 = self.core.advance(state0, pair[0])
            next1 = next0 if (state0, pair[0]) == (state1, pair[1]) else self.core.advance(state1, pair[1])
            made.append(released(pair, self._law(next0), self._law(next1), (after, next0, next1)))
        return tuple(made)

    def _law(self, state: Hashable) -> Pmf[Any]:
        law = self._laws.get(state)
        if law is None:
            law = self._laws[state] = self.core.law(state)
        return law

    def laws(self) -> tuple[tuple[Hashable, Pmf[Any]], ...]:
        """Every law met so far, by state."""
        return tuple(self._laws.items())


def released(pair: Pair, law0: Pmf[Any], law1: Pmf[Any], after: Position) -> Move:
    """The move of a core: after every observation the same position follows."""
    weights0, denominator0 = law0.integer_weights()
    weights1, denominator1 = law1.integer_weights()
    outcomes = tuple(
        Outcome(y, weights0.get(y, 0), weights1.get(y, 0), after) for y in dict.fromkeys([*weights0, *weights1])
    )
    return Move(pair, outcomes, denominator0, denominator1)


@dataclass(frozen=True, slots=True)
class Level:
    """The distinct positions before one round, and the moves of each; `after` holds indices into the next level."""

    positions: tuple[Position, ...]
    moves: tuple[tuple[Move, ...], ...]


def explore(game: Game, on_level: Callable[[int, int], None] | None = None) -> tuple[Level, ...]:
    """The reachable positions of a game, level by level, equal positions merged; after the last round there is one."""
    levels: list[Level] = []
    positions: dict[Position, int] = {game.initial: 0}
    for round_ in range(1, game.horizon + 1):
        last = round_ == game.horizon
        following: dict[Position, int] = {}
        moves = []
        for position in positions:
            available = game.moves(position, round_)
            if not available:
                raise expected("a legal pair of inputs in every round", round=round_, alphabet_pairs=0)
            moves.append(tuple(_indexed(move, following, last) for move in available))
        levels.append(Level(tuple(positions), tuple(moves)))
        if on_level is not None:
            on_level(round_, len(positions))
        positions = following
    return tuple(levels)


def _indexed(move: Move, following: dict[Position, int], last: bool) -> Move:
    """The move with its positions numbered; all terminal positions are number 0."""
    outcomes = tuple(
        Outcome(o.observation, o.weight0, o.weight1, 0 if last else following.setdefault(o.after, len(following)))
        for o in move.outcomes
    )
    return Move(move.pair, outcomes, move.denominator0, move.denominator1)
