"""The draws of one run of somebody's code: uniform numbers in [0, 1), each known to the interval in which it lies."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import NoReturn

from dpcert.audit.errors import MechanismError

MOST_DRAWS_A_ROUND = 400
"""Draws in one round past which it is taken to be endless."""
MOST_SEEDS = 100_000
"""Seeds of all rounds together past which code is not run under every one of them."""

Key = tuple[int, int]
"""Round t, from 1, and draw k within it, from 0."""
Points = tuple[Fraction, ...]
Interval = tuple[Fraction, Fraction]
Told = dict[int, int]
"""Of one cell, by count: which of so many whole numbers, each as likely as any other, a draw in it is."""


class Rejected(BaseException):
    """Ends a run whose loop would begin anew: what it threw away is as if it had never been drawn.

    Code that caught that, or a refusal, and goes on is handed any numbers, so that loops end: nothing comes of it.
    """


def next_of(number: int) -> int:
    """The next of a sequence of numbers of 64 bits that looks random."""
    return (number * 6364136223846793005 + 1442695040888963407) % 2**64


@dataclass
class Tape:
    """U[t, k] for every draw k of every round t.

    Attributes:
        name: Whose draws they are.
        start: The interval in which U[t, k] is known to lie before anything is asked about it.
        split: The one of the intervals between these increasing ends in which U[t, k] lies.
        round: The round that is played.
        drawn: Draws made in it.
        over: Whether the run has ended.
        real: Whether `random()` gives floats, one of those that it may be, in place of what stands for all of them.
        refusal: The first call that was refused; the run fails with it even if the code goes on.
        loops: Says of a draw that is about to be made, by its number in the round, at which earlier draw the code was
            in the same state, if at any.
        rejected: That earlier draw, once there is one: the run has ended where it would begin anew.
        gone_on: What code is handed that goes on after its run has ended.
        made: The draws so far.
        told: Where draws are known by their cells: which of so many whole numbers each is, as far as that was asked.
            All runs share it, since none learns more of a cell than another, and nothing in it is the code's.
        numbers: Those of them that are numbers which `random()` returned.
    """

    name: str
    start: Callable[[Key], Interval]
    split: Callable[[Key, Points], Interval]
    round: int = 1
    drawn: int = 0
    over: bool = False
    real: bool = False
    refusal: MechanismError | None = None
    made: "dict[Key, Uniform]" = field(default_factory=dict)
    loops: Callable[[int, int], int | None] | None = None
    rejected: Key | None = None
    numbers: set[Key] = field(default_factory=set)
    told: Callable[[Key], Told] | None = None
    gone_on: int | None = None

    def path(self, round_: int) -> tuple[Interval, ...]:
        """What is known of the draws of a round, in order."""
        known: list[Interval] = []
        while (draw := self.made.get((round_, len(known)))) is not None:
            known.append((draw.low, draw.high))
        return tuple(known)

    def begin(self, round_: int) -> None:
        """Round `round_` begins; what the constructor drew belongs to round 1."""
        if round_ != self.round:
            self.round, self.drawn = round_, 0

    def once(self) -> "Tape":
        """Itself, before a call that makes one draw; ends the run where the code is back in an earlier state."""
        if self.loops is not None and not (self.ended or self.over):
            before = self.loops(self.round, self.drawn)
            if before is not None:
                self.rejected = self.round, before
                raise Rejected
        return self

    @property
    def ended(self) -> bool:
        """Whether the run has come to its end, and the code has not left it yet."""
        return not self.over and (self.rejected is not None or self.refusal is not None)

    def any_below(self, count: int) -> int:
        """Any whole number from 0 to count - 1, for code that goes on after its run has ended."""
        self.gone_on = next_of(self.gone_on or 0)
        return self.gone_on * count >> 64

    def uniform(self) -> "Uniform":
        """The next draw."""
        if self.over:
            self.refuse(not_a_function(self.name, "it drew from the generator of an earlier run"))
        if self.drawn >= MOST_DRAWS_A_ROUND:
            self.refuse(
                f"Expected at most {MOST_DRAWS_A_ROUND} draws in one round of {self.name}: a loop without an end? "
                "(bound it, or draw what it gives from its law: dpcert.laws.geometric, Pmf.condition)"
            )
        key = self.round, self.drawn
        self.drawn += 1
        made = self.made[key] = Uniform(self, key, *self.asked(self.start, key))
        return made

    def asked(self, question: Callable[..., Interval], *about: object) -> Interval:
        """What `start` or `split` answers, its refusal kept."""
        try:
            return question(*about)
        except MechanismError as error:
            self.refusal = self.refusal or error
            raise

    def below(self, count: int) -> int:
        """A whole number from 0 to count - 1, each as likely as any other."""
        if self.ended:
            return self.any_below(count)
        if count > MOST_SEEDS:
            self.refuse(too_many_seeds(self.name))
        draw = self.uniform()
        if self.told is None:
            return draw.passed(_even(count))
        told = self.told(draw.key)
        number = told.get(count)
        if number is None:
            number = told[count] = draw.passed(_even(count))
        return number

    def pick(self, weights: tuple[Fraction, ...]) -> int:
        """A position in `weights`, as likely as its share of their sum, which is positive."""
        if len(weights) > MOST_SEEDS:
            self.refuse(too_many_seeds(self.name))
        possible, points = _shares(weights)
        if self.ended:
            return possible[self.any_below(len(possible))]
        return possible[self.uniform().passed(points)]

    def refuse(self, text: str) -> NoReturn:
        """Ends the run with `text`; what code catches that has caught an end before is harder to catch."""
        if self.ended:
            raise Rejected
        self.refusal = MechanismError(text)
        raise self.refusal


@dataclass
class Uniform:
    """U[t, k], of which nothing is known but that low <= U < high."""

    tape: Tape
    key: Key
    low: Fraction
    high: Fraction

    def passed(self, points: Points) -> int:
        """How many of the `points`, each greater than the one before, are at most U."""
        if self.tape.over:
            self.tape.refuse(not_a_function(self.tape.name, "it used a draw of an earlier run"))
        first, last = bisect_right(points, self.low), bisect_left(points, self.high)
        if first < last:
            ends = (self.low, *points[first:last], self.high)
            self.low, self.high = self.tape.asked(self.tape.split, self.key, ends)
            first = bisect_right(points, self.low)
        return first


@lru_cache(maxsize=1024)
def _even(count: int) -> Points:
    return tuple(Fraction(i, count) for i in range(1, count))


@lru_cache(maxsize=1024)
def _shares(weights: tuple[Fraction, ...]) -> tuple[tuple[int, ...], Points]:
    """The positions of positive weight, and the ends between their shares of [0, 1)."""
    possible = tuple(i for i, weight in enumerate(weights) if weight)
    *reached, total = accumulate(weights[i] for i in possible)
    return possible, tuple(part / total for part in reached)


def not_a_function(name: str, what: str) -> str:
    """One line for code that is random, or remembers, beyond its draws."""
    return f"Expected {name} to be a function of its inputs and draws: {what} (hidden randomness, or a changed state)"


def too_many_seeds(name: str) -> str:
    """One line for code that draws too much."""
    reason = "a draw with too many outcomes, a loop of draws without an end, or too many rounds"
    instead = (
        "; the count of a loop is drawn from dpcert.laws.geometric(...) in a step, what is rejected by Pmf.condition"
    )
    return f"Expected at most {MOST_SEEDS} seeds in all but {name} draws more: {reason}{instead}"
