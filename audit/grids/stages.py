"""A game of many rounds as few tables: positions with one future are one class, and rounds that are alike share one."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpcert.audit.budget import Budget
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import END, Exploration, Game, Move, Outcome, PairedGame, foreseen
from dpcert.audit.limits import look, within
from dpcert.audit.relations.adjacency import AnyRounds, Hamming, UnitHamming, ZeroOut

ROUNDLESS = (Hamming, UnitHamming, ZeroOut, AnyRounds)
"""Relations whose legal pairs depend on their state alone, and not on the round."""
NOTHING = 0
"""The class of what reveals nothing more."""

TABLES_KEPT = 16
"""Tables kept while those before them are made: a round with the moves and the next classes of one of them has its."""

Run = tuple[int, Fraction, Fraction]
"""(class of what follows, probability in world 0, in world 1); outcomes of one class and one ratio are one run."""
Release = tuple[Run, ...]
"""What a move can bring about."""


@frozen
class RoundTable:
    """One round: its classes, and who leads where.

    Attributes:
        releases: The distinct releases of the round.
        classes: Per class, the numbers of the releases that can be chosen; none for NOTHING.
        class_of: The class of each position, by its number in the round.
    """

    releases: tuple[Release, ...]
    classes: tuple[tuple[int, ...], ...]
    class_of: tuple[int, ...]


@frozen
class StageRound:
    """The positions of a round, and the moves of each, whose outcomes number the positions of the next round."""

    positions: tuple[Any, ...]
    moves: tuple[tuple[Move, ...], ...]


@frozen
class Stages:
    """A game of `rounds` rounds.

    Attributes:
        rounds: How many.
        levels: The first rounds, one by one; where there are fewer than `rounds`, the last of them is every later one.
    """

    rounds: int
    levels: tuple[StageRound, ...]

    def level(self, round_: int) -> StageRound:
        """What is played in a round, from 1."""
        return self.levels[min(round_, len(self.levels)) - 1]

    def tables(self) -> Iterator[RoundTable]:
        """The tables from the last round to the first; those that are equal, one after another, are one object.

        So are those of rounds that come again, as where what is held is there in every second round.
        """
        after = RoundTable((), (), ())
        levels = {id(level): level for level in self.levels}

        @lru_cache(maxsize=TABLES_KEPT)
        def table(level: int, class_of: tuple[int, ...], last: bool) -> RoundTable:
            return _table(levels[level], class_of, last)

        settled: StageRound | None = None
        for round_ in range(self.rounds, 0, -1):
            look()
            level, last = self.level(round_), round_ == self.rounds
            if level is not settled:
                before, after = after, table(id(level), after.class_of, last)
                after = before if before is after or before == after else after
                settled = level if before is after and not last else None  # the same again leads to the same
            yield after


def stages(game: Game[Any], budget: Budget) -> Stages:
    """The rounds of a game; exploring ends where a round has the positions of the one before it.

    Raises: Stopped: the budget ended first; or, where it bounds nothing, a round is foreseen to be past a limit.
    """
    roundless = isinstance(game, PairedGame) and type(game.adjacency) in ROUNDLESS
    levels: list[StageRound] = []
    known: dict[tuple[Any, ...], StageRound] = {}
    positions: dict[Any, int] = {game.initial: 0}
    with within(budget.check):
        for round_ in range(1, game.horizon + 1):
            budget.progress(f"exploring round {round_} of {game.horizon}: {len(positions)} positions")
            with foreseen(game, positions, budget):
                level, following = _explored(game, positions, round_, budget)
            if roundless and round_ < game.horizon and following.keys() == positions.keys():
                order = {number: positions[position] for position, number in following.items()}
                levels.append(_renumbered(level, order))
                return Stages(game.horizon, tuple(levels))
            levels.append(known.setdefault(level.positions, level))
            if levels[-1] != level:
                levels[-1] = known[level.positions] = level
            positions = following
    return Stages(game.horizon, tuple(levels))


def explored_stages(explored: Exploration) -> Stages:
    """The same of a game that is explored to its end."""
    return Stages(len(explored.levels), tuple(StageRound(one.positions, one.moves) for one in explored.levels))


def swapped_stages(whole: Stages) -> Stages:
    """A game whose world 0 is world 1 of this one."""
    return Stages(
        whole.rounds, tuple(StageRound(one.positions, tuple(map(_swapped_moves, one.moves))) for one in whole.levels)
    )


def _swapped_moves(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    look()
    return tuple(
        Move(
            one.pair,
            tuple(Outcome(o.observation, o.weight1, o.weight0, o.after) for o in one.outcomes),
            one.denominator1,
            one.denominator0,
        )
        for one in moves
    )


def _explored(
    game: Game[Any], positions: dict[Any, int], round_: int, budget: Budget
) -> tuple[StageRound, dict[Any, int]]:
    following: dict[Any, int] = {}

    def place(after: Any) -> int:
        return END if round_ == game.horizon else following.setdefault(after, len(following))

    moves = []
    for position in positions:
        budget.explored()
        moves.append(game.moves(position, round_, place))
        if not moves[-1]:
            raise expected("a legal pair of inputs in every round", round=round_, legal_pairs=0)
    return StageRound(tuple(positions), tuple(moves)), following


def _renumbered(level: StageRound, order: dict[int, int]) -> StageRound:
    """The level with positions that follow under their numbers in `order`."""

    def moved(move: Move) -> Move:
        outcomes = tuple(replace(o, after=o.after if o.after == END else order[o.after]) for o in move.outcomes)
        return Move(move.pair, outcomes, move.denominator0, move.denominator1)

    return StageRound(level.positions, tuple(tuple(map(moved, moves)) for moves in level.moves))


def _table(level: StageRound, class_of: Sequence[int], last: bool) -> RoundTable:
    """The classes of a round, given those of the next."""
    releases: dict[Release, int] = {}
    classes: dict[frozenset[int], int] = {frozenset(): NOTHING}
    numbers = []
    for moves in level.moves:
        look()
        move_releases = {release_of(move, class_of, last) for move in moves}
        telling = frozenset(releases.setdefault(one, len(releases)) for one in move_releases if not _tells_nothing(one))
        waiting = move_releases and not telling
        numbers.append(NOTHING if waiting else classes.setdefault(telling, len(classes)))
    return RoundTable(tuple(releases), tuple(tuple(sorted(one)) for one in classes), tuple(numbers))


def _tells_nothing(release: Release) -> bool:
    return all(after == NOTHING and k0 == k1 for after, k0, k1 in release)


def release_of(move: Move, class_of: Sequence[int], last: bool) -> Release:
    """The move without labels."""
    sums: dict[tuple[int, Fraction | None], tuple[int, int]] = {}
    for o in move.outcomes:
        look()
        after = NOTHING if last or o.after == END or not (o.weight0 and o.weight1) else class_of[o.after]
        ratio = Fraction(o.weight0, o.weight1) if o.weight1 else None
        sum0, sum1 = sums.get((after, ratio), (0, 0))
        sums[after, ratio] = sum0 + o.weight0, sum1 + o.weight1
    runs: Iterable[Run] = (
        (after, Fraction(w0, move.denominator0), Fraction(w1, move.denominator1))
        for (after, _), (w0, w1) in sums.items()
    )
    return tuple(sorted(runs))
