"""What the guarantee for one event becomes for a user who has several: k edits are k hops.

Streams that differ in k events are k steps of one edit apart, and an adversary who adapts gains no more than by these
steps. What several edits would cost together, were they accounted for as one pattern, is not claimed here.
"""

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.enclosure import ball, enclosed
from dpcert.audit.errors import expected

MOST_EVENTS_PER_USER = 10_000
"""Events of one user that a guarantee is worked out for."""


@dataclass(frozen=True)
class UserEvents:
    """At most `most` events of one user within the horizon, any two at least `apart` events from each other.

    Args:
        most: k, at least 1.
        apart: b, at least 1, in events of the stream.
    Raises: ArgumentError: a parameter outside its domain.

    >>> UserEvents(5, 400).within(1000)
    3
    """

    most: int
    apart: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.most <= MOST_EVENTS_PER_USER:
            raise expected(f"from 1 to {MOST_EVENTS_PER_USER} events of one user", events_per_user=self.most)
        if self.apart < 1:
            raise expected("events that are at least 1 apart", apart=self.apart)

    @property
    def words(self) -> str:
        """For a page."""
        return f"at most {self.most}, at least {self.apart} events apart"

    def within(self, events: int) -> int:
        """How many of them fit so many events of the stream: 1 + floor((T - 1) / b) at most."""
        return min(self.most, 1 + (events - 1) // self.apart)


@dataclass(frozen=True)
class UserGuarantee:
    """What is kept for all events of one user.

    Attributes:
        edits: k, as many as fit.
        epsilon, delta: k epsilon and delta (1 + e^epsilon + ... + e^((k - 1) epsilon)), at most 1.
        each: (epsilon / k, delta over that sum at epsilon / k): promised for one event, it keeps what was promised for
            all of them.
    """

    edits: int
    epsilon: Fraction
    delta: Fraction
    each: tuple[Fraction, Fraction]


def user_guarantee(epsilon: Fraction, delta: Fraction, edits: int) -> UserGuarantee:
    """Of so many events, by group privacy.

    Args:
        epsilon, delta: What is kept for one event.
        edits: k.
    Source: paper.tex, sec:setting ("Extension to Multiple Edits"), fact:multi_hop_DP; claims 12, capped at 1.

    >>> found = user_guarantee(Fraction(1), Fraction(1, 1000), 2)
    >>> found.epsilon, found.delta < Fraction(3719, 10**6)
    (Fraction(2, 1), True)
    """
    whole = min(Fraction(1), delta * _times(epsilon, edits))
    each = epsilon / edits, delta / _times(epsilon / edits, edits)
    return UserGuarantee(edits, edits * epsilon, whole, each)


def _times(epsilon: Fraction, edits: int) -> Fraction:
    """1 + e^epsilon + ... + e^((k - 1) epsilon), rounded up; 1 for a single event."""
    if edits == 1:
        return Fraction(1)

    def compute() -> arb:
        e = ball(epsilon)
        return (edits * e).expm1() / e.expm1()

    return enclosed(compute).finite().upper
