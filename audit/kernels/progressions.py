"""Rounds in arithmetic progressions that weigh their past alike and add one noise: a core in a few lines, once for all.

All that a round does is worked out from these, so nothing is asked of the mechanism round by round.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations
from math import gcd
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.stretches import Stretches

MOST_PROGRESSIONS = 200
"""Progressions of rounds, and stretches in each of them, past which a mechanism that tells them is refused."""

Weighed = tuple[int, int | None, int]
"""(near, far, weight): the inputs of `far` up to `near` rounds before; from round 1 on where far is None."""
_WANTED = "tuples (first round, last round or None, step, ((near, far or None, weight), ...), law)"


@frozen
class Progression:
    """Rounds first, first + step, ... up to last, for ever where that is None, with what each weighs and its noise."""

    first: int
    last: int | None
    step: int
    weighed: tuple[Weighed, ...]
    noise: Pmf[Any]

    def holds(self, t: int) -> bool:
        """Whether round t is one of them."""
        return self.first <= t and (self.last is None or t <= self.last) and (t - self.first) % self.step == 0

    def stretches(self, t: int) -> Stretches:
        """What round t weighs, in order of the rounds that are weighed."""
        cut = ((1 if far is None else max(1, t - far), t - near, weight) for near, far, weight in self.weighed[::-1])
        return tuple(one for one in cut if one[1] >= 1)

    def until(self, rounds: int) -> int:
        """The last of its rounds up to `rounds`; 0 where there is none."""
        end = rounds if self.last is None else min(rounds, self.last)
        return 0 if end < self.first else end - (end - self.first) % self.step

    def between(self, low: int, high: int) -> int:
        """How many of its rounds lie from low to high, both counted."""
        start = max(self.first, low + (self.first - low) % self.step)
        end = self.until(high)
        return 0 if end < start else (end - start) // self.step + 1

    def met(self, i: int, near: int, far: int | None, rounds: int) -> int:
        """In how many of its rounds, up to `rounds`, the input of round i is near to far rounds back."""
        return self.between(i + near, rounds if far is None else min(rounds, i + far))

    def most_met(self, near: int, far: int | None, rounds: int) -> int:
        """The most of that over all i: of rounds that reach back to round 1, those within far - near of each other."""
        reaching = self.between(1 + near, rounds)
        return reaching if far is None else min(reaching, (far - near) // self.step + 1)

    def within(self, rounds: int) -> tuple[int, int, int, tuple[tuple[int, int, int], ...]]:
        """The same cut to what there is of it up to `rounds`, which has some of it."""
        end = self.until(rounds)
        cut = ((near, end - 1 if far is None else min(far, end - 1), b) for near, far, b in self.weighed)
        return self.first, end, self.step if end > self.first else 1, tuple(one for one in cut if one[0] < end)


Progressions = tuple[Progression, ...]


def checked_progressions(name: str, answer: object, law: Callable[[str, object], Pmf[Any]]) -> Progressions:
    """What a mechanism says of its rounds, as progressions of which no two have a round in common.

    Args:
        name: The mechanism's.
        answer: What it says.
        law: Looks at one of the laws, named by its place, and gives it back.
    Raises: MechanismError: anything else.
    """
    demand = f"Expected {name}.progressions() to be a tuple of {_WANTED}"
    if type(answer) is not tuple or not answer:
        raise MechanismError(f"{demand} but got {label(answer)}")
    if max([len(answer), *(len(one[3]) for one in answer if _is_told(one))]) > MOST_PROGRESSIONS:
        what = f"{demand}, at most {MOST_PROGRESSIONS} of them, with as many weights each (MOST_PROGRESSIONS)"
        raise MechanismError(f"{what}, but got more")
    found = []
    for number, one in enumerate(answer):
        if not _is_told(one):
            raise MechanismError(f"{demand}, whole numbers exactly of type int, but got {label(one)}")
        first, last, step, weighed, noise = one
        if first < 1 or step < 1 or (last is not None and last < first) or not _in_order(weighed):
            what = "from round 1 on, the inputs from near to far, each once, by weights other than 0"
            raise MechanismError(f"{demand}, {what}, but got {label(one)}")
        found.append(Progression(first, last, step, weighed, law(f"progressions()[{number}]", noise)))
    for (i, one), (j, other) in combinations(enumerate(found), 2):
        if (t := common_round(one, other)) is not None:
            both = f"{label(answer[i][:3])} and {label(answer[j][:3])}"
            what = f"Expected {name}.progressions() to hold each round once but got round {integer_text(t)} in {both}"
            raise MechanismError(what)
    return tuple(found)


def _is_told(one: object) -> bool:
    """Whether a value has the form of a progression, its numbers exactly of type int."""
    if type(one) is not tuple or len(one) != 5 or type(one[3]) is not tuple:
        return False
    numbers, ends = [one[0], one[2]], [one[1]]
    for weighs in one[3]:
        if type(weighs) is not tuple or len(weighs) != 3:
            return False
        numbers += [weighs[0], weighs[2]]
        ends.append(weighs[1])
    return all(type(n) is int for n in numbers) and all(n is None or type(n) is int for n in ends)


def _in_order(weighed: Iterable[Weighed]) -> bool:
    """Whether these go further and further back, none of weight 0 and none into another."""
    beyond: int | None = 0
    for near, far, weight in weighed:
        if beyond is None or near < beyond or (far is not None and far < near) or not weight:
            return False
        beyond = None if far is None else far + 1
    return True


def common_round(one: Progression, other: Progression) -> int | None:
    """The first round that is in both; None where there is none.

    >>> from dpcert.audit.algebra.common_laws import point
    >>> odd, third = (Progression(1, None, step, (), point(0)) for step in (2, 3))
    >>> common_round(odd, third), common_round(odd, Progression(2, None, 4, (), point(0)))
    (1, None)
    """
    shared = gcd(one.step, other.step)
    apart, rest = divmod(other.first - one.first, shared)
    if rest:
        return None
    step, modulus = one.step // shared, other.step // shared
    t = one.first + one.step * (apart * pow(step, -1, modulus) % modulus)
    every = one.step * modulus
    first = max(one.first, other.first)
    t += -((t - first) // every) * every
    return t if all(p.last is None or t <= p.last for p in (one, other)) else None


def missing_round(progressions: Progressions, rounds: int) -> int | None:
    """The first round up to `rounds` that is in none of them, of which no two share one; None where all are."""

    def all_held(n: int) -> bool:
        return sum(one.between(1, n) for one in progressions) == n

    if all_held(rounds):
        return None
    low, high = 0, rounds
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if all_held(middle) else (low, middle)
    return high


def first_untold(progressions: Progressions) -> int | None:
    """The first round of all that is in none of them, of which no two share one; None where every round is in one.

    Those without an end hold all rounds from the last of their firsts on if their shares of them come to 1; otherwise
    some round is missing, and is looked for up to twice as many rounds each time.

    >>> from dpcert.audit.algebra.common_laws import point
    >>> odd, even, few = (Progression(a, last, 2, (), point(0)) for a, last in ((1, None), (2, None), (2, 8)))
    >>> first_untold((odd, even)), first_untold((odd, few))
    (None, 10)
    """
    endless = [one for one in progressions if one.last is None]
    rounds = max((one.first for one in endless), default=1)
    if sum(Fraction(1, one.step) for one in endless) == 1:
        return missing_round(progressions, rounds)
    while (t := missing_round(progressions, rounds)) is None:
        rounds *= 2
    return t


def kinds_of_rounds(progressions: Progressions, rounds: int) -> tuple[int, ...]:
    """Of each progression its last round up to `rounds`, which weighs all that any of them does."""
    return tuple(t for t in (one.until(rounds) for one in progressions) if t)


def weights_of_input(progressions: Progressions, i: int, rounds: int) -> list[int]:
    """How rounds i to `rounds` weigh the input of round i."""
    weights = [0] * (rounds - i + 1)
    for one in progressions:
        for near, far, weight in one.weighed:
            low, high = max(one.first, i + near), one.until(rounds if far is None else min(rounds, i + far))
            for t in range(low + (one.first - low) % one.step, high + 1, one.step):
                weights[t - i] = weight
    return weights
