"""A game with its worlds as they are, or swapped: where slopes are steep it is bounded both ways, at slopes from 1 on.

A bound at a slope far below 1 has to be taken from 1, and what it is off by then counts many times in delta. With the
worlds swapped it is a bound at a slope far above 1, of which it is off by a part.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from dpcert.audit.algebra.power import Point
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import Pair
from dpcert.audit.grids.bounding import Line, swapped_line, swapped_point
from dpcert.audit.grids.grid import MOST_RATIO
from dpcert.audit.grids.units import RelativeUnits, Units

FLAT, ROUNDINGS = 64, Fraction(1, 1 << 48)
"""The e^epsilon up to which slopes are not steep; and what the roundings of a round come to, of 1, about."""
Game_ = TypeVar("Game_")


def are_steep(exp_epsilons: Iterable[Fraction], rounds: int, gap: Fraction) -> bool:
    """Whether at the largest e^epsilon roundings leave more open than may be: each is worth that many times more."""
    most = max(exp_epsilons)
    return most > FLAT and most * rounds * ROUNDINGS > gap / 16


def asked_slopes(exp_epsilons: Iterable[Fraction]) -> tuple[Fraction, ...]:
    """The slopes of both orders; those past what grids know as the last that they do: W falls."""
    kept = (min(e, MOST_RATIO) for e in exp_epsilons)
    return tuple(dict.fromkeys(s for e in kept for s in (e, 1 / e)))


@frozen
class Orientation(Generic[Game_]):
    """A game, and how what is known of it is turned back.

    Attributes:
        game: It, or what it is with its worlds swapped.
        slopes: Where it is bounded.
        units: What its policies are worked out in.
        turns: Whether what is known of it is swapped: yes or no, or both where the game is its own mirror image.
    """

    game: Game_
    slopes: tuple[Fraction, ...]
    units: Units
    turns: tuple[bool, ...] = (False,)

    @property
    def asked(self) -> Iterator[Fraction]:
        """The slopes as those of the game that was asked for."""
        for turn in self.turns:
            yield from (1 / s if turn else s for s in self.slopes)

    def within(self, asked: Container[Fraction]) -> "Orientation[Game_]":
        """The same at those slopes alone that lead to one that is asked for."""
        slopes = (s for s in self.slopes if any((1 / s if turn else s) in asked for turn in self.turns))
        return Orientation(self.game, tuple(slopes), self.units, self.turns)

    def lines(self, lines: Sequence[Line]) -> Iterator[Line]:
        """Bounds on this game as bounds on the one that was asked for."""
        for turn in self.turns:
            yield from map(swapped_line, lines) if turn else lines

    def points(self, points: Sequence[Point]) -> Iterator[Point]:
        """Points that are attained in this game, as points of the other."""
        for turn in self.turns:
            yield from map(swapped_point, points) if turn else points

    def points_by_slope(self, points: Mapping[Fraction, Point]) -> Iterator[tuple[Fraction, Point]]:
        """The same of points that are good at a slope, and the slopes at which they are good there."""
        for turn in self.turns:
            for slope, point in points.items():
                yield (1 / slope, swapped_point(point)) if turn else (slope, point)

    def streams(
        self, pairs: tuple[Pair, ...], points: Sequence[Point]
    ) -> Iterator[tuple[tuple[Pair, ...], list[Point]]]:
        """Pairs of inputs round by round, and points that they attain; of a mirror image the pairs are swapped too."""
        for turn in self.turns:
            mirrored = turn and len(self.turns) > 1
            yield (
                tuple(one[::-1] for one in pairs) if mirrored else pairs,
                [swapped_point(one) if turn else one for one in points],
            )


def orientations(
    game: Game_, swapped: Callable[[Game_], Game_], slopes: Iterable[Fraction], *, steep: bool, symmetric: bool = False
) -> Iterator[Orientation[Game_]]:
    """The ways in which a game is bounded: as it is at all slopes; where they are steep both ways, from slope 1 on.

    Args:
        game: The game.
        swapped: What makes it one with its worlds swapped.
        slopes: Where bounds are wanted: of each its inverse as well.
        steep: Whether they are steep.
        symmetric: Whether the game is its own mirror image, so that one way is enough.
    """
    if not steep and not symmetric:
        yield Orientation(game, tuple(slopes), Units())
        return
    units, flat = RelativeUnits() if steep else Units(), tuple(s for s in slopes if s >= 1)
    yield Orientation(game, flat, units, (False, True) if symmetric else (False,))
    if not symmetric:
        yield Orientation(swapped(game), flat, units, (True,))
