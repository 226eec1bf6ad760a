"""Draw enumeration: every outcome of a step, by replaying it through every outcome of every draw.

The code that is enumerated is the code that a live session runs; only `draw` differs.
"""

import random
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import gcd, lcm
from typing import Any, Protocol, TypeVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import MechanismError, Stopped
from dpcert.audit.identity import value_of
from dpcert.audit.limits import OWN_VARIABLES, Limit, limit_now, within

__all__ = ["Draw", "enumerated", "hidden_randomness", "not_a_law", "tried_once", "within"]

T = TypeVar("T")

MOST_DRAWS = 1_000
"""Draws in one step past which it is taken to be endless."""
LOOPING = 30
"""Draws in one step from which it is tried whether they go on for ever: sequence by sequence that shows late."""
MOST_PATHS = 1_000_000
"""Sequences of draw outcomes in one step past which enumeration stops."""
BETWEEN = 1_000
"""Sequences of draw outcomes between two looks at the limit."""
_ONCE = ContextVar("_ONCE", default=False)
"""Whether steps are tried once alone."""
OWN_VARIABLES.add(_ONCE)


class Draw(Protocol):
    """y ~ P: the only source of randomness of a step, handed to it as `draw`.

    Source: paper.tex, sec:prelim (finite sample spaces).

    >>> from dpcert.mechanisms.shared_coin import SharedCoin
    >>> SharedCoin().step(None, 1, lambda law: max(law.support))
    (Release(visible=1, hidden=None), 1)
    """

    def __call__(self, law: Pmf[T]) -> T:
        """An outcome of a law, independent of all draws before.

        Args:
            law: P, any finite law.
        Returns: One of its outcomes; in a live run, with exactly its probability.
        """
        ...


@dataclass(slots=True, eq=False, repr=False)
class _Script:
    """Plays back chosen outcomes, then takes outcome number `then` of each new law, the last if there are fewer;
    remembers every law it was given.

    `outcomes[i]` are law i's outcomes with their integer weights; `weights[i]` is the probability of the first i + 1
    outcomes that were taken, as numerator and denominator.
    """

    name: str
    choices: list[int] = field(default_factory=list)
    laws: list[Pmf[Any]] = field(default_factory=list)
    outcomes: list[tuple[tuple[Any, int], ...]] = field(default_factory=list)
    weights: list[tuple[int, int]] = field(default_factory=list)
    then: int = 0
    position: int = 0

    def __call__(self, law: Pmf[T]) -> T:
        if not isinstance(law, Pmf):
            raise MechanismError(not_a_law(self.name, law))
        at = self.position
        if at >= MOST_DRAWS:
            raise MechanismError(
                f"Expected at most {MOST_DRAWS} draws in one {self.name}.step: an endless loop of draws?"
            )
        self.position += 1
        if at == len(self.laws):
            self.laws.append(law)
            self.outcomes.append(tuple(law.token_weights()[0].items()))
            self._choose(min(self.then, len(law) - 1))
        elif self.laws[at] is not law and self.laws[at] != law:
            raise MechanismError(hidden_randomness(self.name, f"draw {at + 1} asked for another law on replay"))
        outcome: T = value_of(self.outcomes[at][self.choices[at]][0])
        return outcome

    def advance(self) -> bool:
        """Moves on to the next sequence of outcomes; False after the last."""
        while self.choices:
            self.weights.pop()
            following = self.choices.pop() + 1
            if following < len(self.outcomes[-1]):
                self._choose(following)
                return True
            self.laws.pop()
            self.outcomes.pop()
        return False

    def _choose(self, choice: int) -> None:
        """Takes an outcome of the last law."""
        numerator, denominator = self.weight()
        self.choices.append(choice)
        self.weights.append((numerator * self.outcomes[-1][choice][1], denominator * self.laws[-1].token_weights()[1]))

    def going_on(self) -> "_Script":
        """The same outcomes but the last, and from there the one before it again and again."""
        return _Script(
            self.name, self.choices[:-1], self.laws[:-1], self.outcomes[:-1], self.weights[:-1], self.choices[-2]
        )

    def weight(self) -> tuple[int, int]:
        """The probability of the sequence, as numerator and denominator."""
        return self.weights[-1] if self.weights else (1, 1)


def not_a_law(name: str, law: object) -> str:
    """One line for a step that draws from something else."""
    return f"Expected {name}.step to draw from a Pmf but got {type(law).__name__}"


def hidden_randomness(name: str, what: str) -> str:
    """One line for a step that is random beyond its draws."""
    return f"Expected {name}.step to be a function of its draws: {what} (hidden randomness, or a changed state)"


@contextmanager
def tried_once() -> Iterator[None]:
    """In its body steps are enumerated in one pass: for mechanisms of ours, which tests enumerate in two.

    >>> from fractions import Fraction
    >>> with tried_once():
    ...     enumerated("coin", lambda draw: draw(Pmf({0: Fraction(1, 2), 1: Fraction(1, 2)})))
    ({0: 1, 1: 1}, 2)
    """
    before = _ONCE.set(True)
    try:
        yield
    finally:
        _ONCE.reset(before)


def enumerated(name: str, step: Callable[[Draw], Hashable]) -> tuple[dict[Hashable, int], int]:
    """The law of `step`'s result over all its draws: integer weights and what they sum to.

    Every sequence of draws is tried twice, in two passes: a result that changes has another source of randomness; only
    where steps are `tried_once` there is one. Results are told apart by ==, so that they are to be made of tokens.

    Raises: MechanismError: draws that are not from a Pmf, that differ between replays, or that never end; results that
    differ between the passes. Stopped: the work ended `within` a limit.
    """
    generator = random.getstate()
    results = _pass(name, step)
    again = results if _ONCE.get() else _pass(name, step)
    if random.getstate() != generator:
        raise MechanismError(hidden_randomness(name, "it used the random module"))
    if again != results:
        raise MechanismError(hidden_randomness(name, "the same draws gave another result when they were tried again"))
    return _summed(results)


def _pass(name: str, step: Callable[[Draw], Hashable]) -> list[tuple[Hashable, int, int]]:
    """(result, numerator, denominator of its probability) for every sequence of draws, in order."""
    script, limit = _Script(name), limit_now()
    results: list[tuple[Hashable, int, int]] = []
    looping = False
    while True:
        if limit is not None and len(results) % BETWEEN == 0:
            limit()
        script.position = 0
        result = step(script)
        if script.position != len(script.laws):
            drawn, before = script.position, len(script.laws)
            raise MechanismError(hidden_randomness(name, f"{drawn} draws on replay where there were {before}"))
        results.append((result, *script.weight()))
        if len(script.laws) >= LOOPING and not looping:
            looping = True
            step(script.going_on())
        if len(results) > MOST_PATHS:
            raise _too_many(name, limit)
        if not script.advance():
            return results


def _too_many(name: str, limit: Limit | None) -> BaseException:
    if limit is None:
        return MechanismError(f"Expected at most {MOST_PATHS} sequences of draws in one {name}.step")
    return Stopped(f"one {name}.step has more than {MOST_PATHS} sequences of draws (MOST_PATHS)")


def _summed(results: list[tuple[Hashable, int, int]]) -> tuple[dict[Hashable, int], int]:
    denominator = lcm(*{own for _, _, own in results})
    weights: dict[Hashable, int] = {}
    for result, weight, own in results:
        weights[result] = weights.get(result, 0) + weight * (denominator // own)
    common = gcd(denominator, *weights.values())
    return {result: weight // common for result, weight in weights.items()}, denominator // common
