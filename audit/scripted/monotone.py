"""Monotone functions of what random() returns, as Python computes them on floats, and where their answers change.

random() is k / 2^53 for a whole number k. A function that never turns back, rounded at every step, still never turns
back. So where one answer about it ends and the next begins is found by halving, on the floats themselves.
"""

from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from typing import Any

from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look

STEPS = 2**53
"""What `random()` returns is a whole multiple of 1 / STEPS, each as likely as any other."""
NEAR = 16
"""Neighbours of an end that are looked at, on each side, after a function of the C library, which may be a bit off."""

Key = tuple[str, ...]


class TurnsBack(Exception):
    """A function that is not monotone where it is looked at."""


@frozen(slots=True)
class NoAnswer:
    """In place of an answer: the exception that was raised."""

    kind: type


@frozen(eq=False, slots=True)
class MonotoneFunction:
    """A monotone function; two of one key are the same function."""

    key: Key
    function: Callable[[Any], Any]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MonotoneFunction) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def about(self, value: Any) -> Any:
        """The answer, or what was raised."""
        try:
            return self.function(value)
        except (ArithmeticError, ValueError) as error:
            return NoAnswer(type(error))


@frozen(slots=True)
class MonotoneSteps:
    """What was computed from k / STEPS, one monotone step after the other.

    Attributes:
        taken: The steps.
        loose: Whether one of them is a function of the C library, whose last bit may be off.
    """

    taken: tuple[MonotoneFunction, ...] = ()
    loose: bool = False

    def then(self, step: MonotoneFunction, *, loose: bool = False) -> "MonotoneSteps":
        """One step more."""
        return MonotoneSteps((*self.taken, step), self.loose or loose)

    def at(self, k: int) -> Any:
        """The number that k / STEPS becomes."""
        value: Any = k / STEPS
        for step in self.taken:
            value = step.function(value)
        return value


def kind_of(value: Any) -> str:
    """Whether further steps may follow, as they may from what is finite; else which infinity or exception it is.

    >>> kind_of(3), kind_of(1e308 * 10), kind_of(NoAnswer(ValueError))
    ('finite', 'inf', 'ValueError')
    """
    if isinstance(value, NoAnswer):
        return value.kind.__name__
    return "finite" if isfinite(value) else str(float(value))


@lru_cache(maxsize=4096)
def ends(steps: MonotoneSteps, question: MonotoneFunction, first: int, last: int, most: int) -> tuple[int, ...] | None:
    """Every k after `first`, up to `last`, at which the answer is another than at k - 1; None if more than `most`.

    Raises: TurnsBack: the answers near an end are not those on its sides.

    >>> ends(MonotoneSteps(), MonotoneFunction(("below", "1/4"), lambda u: u < 0.25), 0, STEPS - 1, 10) == (STEPS // 4,)
    True
    """

    def answer(k: int) -> Any:
        return question.about(steps.at(k))

    split_points: list[int] = []
    open_ = [(first, answer(first), last, answer(last))]
    while open_:
        low, at_low, high, at_high = open_.pop()
        if same(at_low, at_high):
            continue
        if high == low + 1:
            split_points.append(high)
            if len(split_points) > most:
                return None
            continue
        look()
        middle = (low + high) // 2
        at_middle = answer(middle)
        open_.append((middle, at_middle, high, at_high))
        open_.append((low, at_low, middle, at_middle))
    if steps.loose:
        _steady_near(split_points, answer, first, last)
    return tuple(split_points)


def _steady_near(found: list[int], answer: Callable[[int], Any], first: int, last: int) -> None:
    """Raises TurnsBack where an answer comes again on the wrong side of an end."""
    for before, end, after in zip([first, *found], found, [*found[1:], last + 1], strict=False):
        left, right = answer(end - 1), answer(end)
        for k in range(max(before, end - NEAR), end - 1):
            if not same(answer(k), left):
                raise TurnsBack
        for k in range(end + 1, min(after, end + NEAR)):
            if not same(answer(k), right):
                raise TurnsBack


def same(one: Any, other: Any) -> bool:
    """Whether two answers are the same number of the same type, zeros by their sign."""
    if type(one) is not type(other):
        return False
    return bool(one == other) and (bool(one) or isinstance(one, NoAnswer) or str(one) == str(other))
