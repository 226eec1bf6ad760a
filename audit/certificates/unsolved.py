"""A game that was explored and not solved: which positions are worth the same, and what each may choose from."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import Level
from dpcert.audit.limits import look
from dpcert.audit.solving.adaptive import Option, option_of


class Choosing(Protocol):
    """What is worth something: options that lead to what comes before it in its list."""

    @property
    def options(self) -> tuple[Option, ...]:
        """What can be chosen; none where nothing is left to learn."""
        ...


class GameValues(Protocol):
    """A game whose positions have values, curves or none."""

    @property
    def levels(self) -> tuple[Level, ...]:
        """Its positions, round by round."""
        ...

    @property
    def values(self) -> Sequence[Choosing]:
        """Its values; number 0 is that of nothing left to learn."""
        ...

    @property
    def value_of(self) -> tuple[tuple[int, ...], ...]:
        """The value of each position, by round; after the last one there are none."""
        ...


@frozen
class Options:
    """A value without its curve."""

    options: tuple[Option, ...]


@frozen
class UnsolvedGame:
    """The levels of a game, its values without curves, and the value of each position, by round."""

    levels: tuple[Level, ...]
    values: tuple[Options, ...]
    value_of: tuple[tuple[int, ...], ...]


def unsolved(levels: tuple[Level, ...]) -> UnsolvedGame:
    """The values of a game that is explored to its end: positions with the same options share one.

    Args:
        levels: Its positions, round by round.
    """
    table = _Table()
    value_of: list[tuple[int, ...]] = [()]
    for level in reversed(levels):
        value_of.append(tuple(table.number({option_of(move, value_of[-1]) for move in moves}) for moves in level.moves))
    return UnsolvedGame(levels, tuple(table.values), tuple(reversed(value_of)))


@dataclass
class _Table:
    """Values by their options."""

    values: list[Options] = field(default_factory=lambda: [Options(())])
    _numbers: dict[frozenset[Option], int] = field(default_factory=dict)

    def number(self, options: set[Option]) -> int:
        """The value of a position with these options: where nothing is revealed, that of what follows."""
        look()
        if len(options) == 1:
            ((_, _, runs),) = options
            if len(runs) == 1:
                return runs[0][0]
        known = frozenset(options)
        if known not in self._numbers:
            self._numbers[known] = len(self.values)
            self.values.append(Options(tuple(sorted(options))))
        return self._numbers[known]
