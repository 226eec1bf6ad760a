"""Who takes part: users who stay away or come twice, by chance or by what the released model says of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.model import Model
from dpcert.mechanisms.streams.labelled import LabelledEvents

Place = tuple[int, int, int, int]
"""Events offered so far, whether the last one comes again, events deleted, events inserted."""
CHANCES = 4
"""Chances that are drawn for an event that is offered."""
LOOKED_AHEAD = 256
"""Events for which a model's predictions are worked out at a time."""


@dataclass(frozen=True)
class Habits:
    """How users take part: an event that is deleted never comes, one that is inserted comes twice in a row.

    Args:
        churn: The chance that an event is deleted, and that it is inserted, whatever the model.
        feedback: The chance that one whom the released model gets wrong stays away, and that one whom it gets right
            comes again: what comes next depends on what was released.
    Raises: ArgumentError: a chance outside [0, 1/2].
    """

    churn: Fraction = Fraction(0)
    feedback: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not 0 <= self.churn <= Fraction(1, 2) or not 0 <= self.feedback <= Fraction(1, 2):
            raise expected("chances from 0 to 1/2", churn=self.churn, feedback=self.feedback)

    @property
    def reacting(self) -> bool:
        """Whether anybody looks at the model."""
        return self.feedback > 0

    @property
    def steady(self) -> bool:
        """Whether each event comes once."""
        return not self.churn and not self.feedback


class Users:
    """Numbers of events, one a round, as users with habits send them; they see the model that is public now.

    Args:
        events: What would come of users without habits; it is gone through again and again.
        habits: Theirs.
        model: By which they see what a released model says of them.
        seed: Of their chances, never of any noise.
    """

    def __init__(self, events: LabelledEvents, habits: Habits, model: Model, seed: int) -> None:
        self._events, self._habits, self._model = events, habits, model
        self._seed, self._right = [seed, len(events)], dict[int, bool]()
        self.place = (0, 0, 0, 0)

    @property
    def place(self) -> Place:
        """Where they are: together with the model that is public, it decides all that comes."""
        return self._next, int(self._again), self.deleted, self.inserted

    @place.setter
    def place(self, place: Sequence[int]) -> None:
        self._next, again, self.deleted, self.inserted = place
        self._again, bits = bool(again), np.random.PCG64(np.random.SeedSequence(self._seed))
        self._dice = np.random.Generator(bits.advance(CHANCES * self._next))

    def coming(self, weights: Floats) -> int:
        """The number of the event of the next round.

        Args:
            weights: The model that is public.
        """
        if self._again:
            self._again = False
            return (self._next - 1) % len(self._events)
        for at in self._offered():
            stays, again = self._mood(weights, at)
            if stays:
                self.deleted += 1
                continue
            self._again = again
            self.inserted += again
            return at
        raise AssertionError

    def released(self) -> None:
        """Says that there is another model."""
        self._right.clear()

    def _offered(self) -> Iterator[int]:
        while True:
            at = self._next % len(self._events)
            self._next += 1
            yield at

    def _mood(self, weights: Floats, at: int) -> tuple[bool, bool]:
        """Whether the event of that number stays away, and whether it comes twice."""
        churn, feedback = float(self._habits.churn), float(self._habits.feedback)
        chances = self._dice.random(CHANCES)
        stays, again = bool(chances[0] < churn), bool(chances[1] < churn)
        if feedback:
            right = self.is_right(weights, at)
            stays = stays or (not right and bool(chances[2] < feedback))
            again = again or (right and bool(chances[3] < feedback))
        return stays, again

    def is_right(self, weights: Floats, at: int) -> bool:
        """Whether the public model foretells the label of the event of that number."""
        if at not in self._right:
            rows = np.arange(at, min(at + LOOKED_AHEAD, len(self._events)))
            right = self._model.predict(weights, self._events.x[rows]) == self._events.y[rows]
            self._right.update(zip(rows.tolist(), right.tolist(), strict=True))
        return self._right[at]
