"""Adversaries as lines: what they submit at a position, and what they make of each output."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpcert.audit.certificates.game_lines import GameLines
from dpcert.audit.games.paired import END, Level, Move, Outcome, Pair
from dpcert.audit.kernels.label import exactly
from dpcert.audit.solving.strategy import Branch, Node, Strategy

Named = tuple[str, Any, str]
"""What an adversary is for: adaptive or fixed, e^epsilon, order."""


@dataclass
class PlayLines:
    """Writes the nodes of adversaries, those of the last round first.

    Attributes:
        game: Where positions were written.
        strategies: Adversaries by what they are for.
    """

    game: GameLines
    strategies: Mapping[Named, Strategy]
    _numbers: dict[tuple[Named, int], int] = field(default_factory=dict)
    _by_round: dict[int, list[tuple[Named, int, Node]]] = field(default_factory=dict)
    _numbers_of: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, strategy in self.strategies.items():
            for number, node in enumerate(strategy.nodes):
                self._by_round.setdefault(node.round, []).append((name, number, node))

    def write(self, round_: int, positions: Mapping[Any, int]) -> None:
        """The nodes of a round, whose positions were written.

        Args:
            round_: The round.
            positions: The lines of its positions.
        """
        self._numbers_of.clear()
        for name, number, node in self._by_round.get(round_, ()):
            then = {exactly(branch.observation): self._then(name, branch) for branch in node.branches}
            place, pair = positions[node.position], self.game.pair(node.pair)
            key = place, *pair, *then.items()
            if key not in self._numbers_of:
                uses = [place, *(line for line in then.values() if type(line) is int)]
                self._numbers_of[key] = self.game.lines.add({"play": place, "pair": pair, "then": then}, uses)
            self._numbers[name, number] = self._numbers_of[key]

    def start(self, name: Named) -> int | None:
        """The line with which an adversary begins; None for one that is not written, or stops at once."""
        return self._numbers.get((name, 0))

    def _then(self, name: Named, branch: Branch) -> int | bool:
        if branch.after is None:
            return bool(branch.in_event)
        return self._numbers[name, branch.after]


def narrowed(levels: Sequence[Level], pairs: Iterable[Pair]) -> tuple[Level, ...]:
    """The game in which these pairs are submitted, one a round, and no other: its positions, each with one move."""
    rounds: list[Level] = []
    live = {0: 0}
    chosen = list(zip(levels, pairs, strict=False))
    for round_, (level, pair) in enumerate(chosen, 1):
        following: dict[int, int] = {}
        last = round_ == len(chosen)
        moves = [_only(level.moves[at], pair) for at in live]
        numbered = tuple((_renumbered(move, following, last),) for move in moves)
        rounds.append(Level(tuple(level.positions[at] for at in live), numbered))
        live = following
        if not live:
            break
    return tuple(rounds)


def _only(moves: Sequence[Move], pair: Pair) -> Move:
    return next(move for move in moves if move.pair == pair)


def _renumbered(move: Move, following: dict[int, int], last: bool) -> Move:
    outcomes = tuple(
        Outcome(
            o.observation,
            o.weight0,
            o.weight1,
            END if last or o.after == END else following.setdefault(o.after, len(following)),
        )
        for o in move.outcomes
    )
    return Move(move.pair, outcomes, move.denominator0, move.denominator1)
