"""The noise that a run is given, number by number, and the list of what the code asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple, NoReturn

from dpcert.audit.errors import MechanismError, expected

MOST_SCRIPTED_DRAWS = 4_096
"""Numbers that one run of a probed mechanism may draw."""


class Family(StrEnum):
    """The law of a draw, for a location of 0 and a scale of 1."""

    NORMAL = "normal"
    LAPLACE = "laplace"


class DrawPlace(NamedTuple):
    """Which number of which generator: 0, 1, ... of the one that was handed over, or of one that it spawned."""

    generator: tuple[int, ...]
    number: int


class ScriptedDraw(NamedTuple):
    """One number that was drawn.

    Args:
        place: Which one. A generator that was copied, or set back, draws those of before again.
        family: Its law.
        scale: The scale that was asked for, an exact number.
        round: In which round it was first drawn, from 1; 0 before the first.
    """

    place: DrawPlace
    family: Family
    scale: Fraction
    round: int


@dataclass
class Script:
    """The numbers of one run, for a location of 0 and a scale of 1; those that are not named are 0.

    Args:
        values: What is drawn at a place.
        round: The round that runs.
        draws: What was drawn, in order, each place once.
        repeated: Places that were drawn again.
        spawned: Generators that each generator has spawned.
        refused: Why the run is none, once it is.
    """

    values: Mapping[DrawPlace, float]
    round: int = 0
    draws: dict[DrawPlace, ScriptedDraw] = field(default_factory=dict)
    repeated: set[DrawPlace] = field(default_factory=set)
    spawned: dict[tuple[int, ...], int] = field(default_factory=dict)
    refused: str | None = None

    def number(self, place: DrawPlace, family: Family, scale: Fraction) -> float:
        """The number at a place, before scale and location. Raises: MechanismError: too many, or by another law."""
        draw = self.draws.get(place)
        if draw is None:
            if len(self.draws) >= MOST_SCRIPTED_DRAWS:
                self.refuse(
                    str(expected(f"at most {MOST_SCRIPTED_DRAWS} draws in a run (MOST_SCRIPTED_DRAWS)", draws="more"))
                )
            self.draws[place] = ScriptedDraw(place, family, scale, self.round)
        else:
            self.repeated.add(place)
            if draw.family is not family:
                self.refuse(f"Expected one law for a draw but got {draw.family.value}, then {family.value} again")
        return self.values.get(place, 0.0)

    def spawn(self, generator: tuple[int, ...], count: int) -> list[tuple[int, ...]]:
        """Names for generators that one spawns."""
        first = self.spawned.get(generator, 0)
        self.spawned[generator] = first + count
        return [(*generator, first + i) for i in range(count)]

    def refuse(self, why: str) -> NoReturn:
        """Ends the run, even where the code goes on after the error. Raises: MechanismError."""
        self.refused = why
        raise MechanismError(why)
