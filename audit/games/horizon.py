"""How many rounds: what was asked for, what the mechanism has, and what is explored are three numbers."""

from dataclasses import replace
from typing import Literal

from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen

EVERY: Literal["inf"] = "inf"
"""In place of a number of rounds: every horizon at once."""
DEFAULT_ROUNDS = 3
"""Rounds explored where neither anybody nor the mechanism names a number."""
Asked = int | Literal["inf"] | None
"""A number of rounds, EVERY, or nothing, as arguments and options have it."""


@frozen
class Horizon:
    """The rounds of one question, checked where they are made.

    Attributes:
        rounds: Rounds of the game, and of the curves that are read off it; at least 1, at most `own`.
        own: All the rounds that the mechanism has; None for any number.
        question: What was asked for, as it came.
        every: Whether the ladder is decided for every horizon at once; curves are those of the rounds explored.
    Raises: ArgumentError: rounds that cannot be explored.
    """

    rounds: int
    own: int | None = None
    question: Asked = None
    every: bool = False

    def __post_init__(self) -> None:
        checked_rounds(self.rounds, self.own)

    @property
    def named(self) -> bool:
        """Whether somebody chose the rounds: who asks, or who wrote the mechanism."""
        return self.question is not None or self.own is not None

    def exploring(self, rounds: int, *, every: bool = False) -> "Horizon":
        """The same over other rounds; with `every`, for every horizon at once from now on."""
        return replace(self, rounds=rounds, every=self.every or every)

    @property
    def in_words(self) -> str:
        """How many rounds are explored."""
        return rounds_in_words(self.rounds)


def horizon_of(request: Asked, own: int | None) -> Horizon:
    """The horizon for what was asked of a mechanism with so many rounds of its own.

    Raises: ArgumentError: neither a number nor `inf`, less than one round, or more than the mechanism has.

    >>> horizon_of(None, None).rounds, horizon_of("inf", 2).rounds, horizon_of("inf", None).every
    (3, 2, True)
    """
    if isinstance(request, int):
        return Horizon(request, own, request)
    if not (request is None or request == EVERY):
        raise expected(f"a whole number of rounds or {EVERY}", horizon=request)
    return Horizon(own or DEFAULT_ROUNDS, own, request, every=request == EVERY and own is None)


def checked_rounds(rounds: int, own: int | None) -> int:
    """Rounds that can be explored. Raises: ArgumentError: no positive number, or more than the mechanism has."""
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise expected("a horizon of at least 1 round", horizon=rounds)
    if own is not None and rounds > own:
        raise expected(f"a horizon of at most {rounds_in_words(own)}, all the mechanism has,", horizon=rounds)
    return rounds


def rounds_in_words(rounds: int) -> str:
    """A number of rounds, in words.

    >>> rounds_in_words(1), rounds_in_words(2)
    ('1 round', '2 rounds')
    """
    return "1 round" if rounds == 1 else f"{rounds} rounds"
