"""What a mechanism is to keep: delta at e^epsilon, over so many events or any number of them."""

from dataclasses import dataclass
from fractions import Fraction

from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected
from dpcert.mechanisms.noise.geometric import above_one, exp_epsilon_below

DEFAULT_EXP_EPSILON = Fraction(16)
"""e^epsilon where neither it nor epsilon is given: little enough noise for exact games."""
DEFAULT_DELTA = Fraction(1, 2)
"""delta where none is given."""
REFERENCE = 10**6
"""Events for which a design without a horizon is optimised."""
MOST_DELTA_BITS = 4_096
"""Binary digits of the denominator of a promised delta: laws are written out with ends as thin as it."""


@dataclass(frozen=True)
class Promise:
    """(epsilon, delta) over a stream of events, checked here and nowhere else.

    Attributes:
        exp_epsilon: e^epsilon, rational and above 1.
        delta: Above 0 and below 1.
        events: At least 1; None for any number.
    Raises: ArgumentError: anything out of range, under the name by which a user gives it.
    """

    exp_epsilon: Fraction
    delta: Fraction
    events: int | None = None

    def __post_init__(self) -> None:
        above_one(self.exp_epsilon)
        if not 0 < exact(self.delta, "delta") < 1:
            raise expected("a delta above 0 and below 1", delta=self.delta)
        if self.delta.denominator.bit_length() > MOST_DELTA_BITS:
            raise expected(f"a delta whose denominator is at most 2^{MOST_DELTA_BITS}", delta=self.delta)
        if self.events is not None and (type(self.events) is not int or self.events < 1):
            raise expected("a horizon of at least 1 event", horizon=self.events)

    @property
    def planned(self) -> int:
        """Events that are planned for: as many as are promised, REFERENCE for any number."""
        return self.events or REFERENCE


def promised(
    delta: Fraction = DEFAULT_DELTA,
    events: int | None = None,
    *,
    exp_epsilon: Fraction | int | None = None,
    epsilon: Fraction | int | None = None,
) -> Promise:
    """The promise with e^epsilon given as itself, or as a decimal epsilon, of which the rational below is taken.

    >>> promised(Fraction(1, 100), epsilon=1).exp_epsilon < promised(Fraction(1, 100), exp_epsilon=3).exp_epsilon
    True
    """
    if exp_epsilon is not None and epsilon is not None:
        raise expected("exp_epsilon or epsilon, not both,", exp_epsilon=exp_epsilon, epsilon=epsilon)
    if epsilon is not None:
        return Promise(exp_epsilon_below(exact(epsilon, "epsilon"))[0], delta, events)
    whole = DEFAULT_EXP_EPSILON if exp_epsilon is None else exact(exp_epsilon, "exp_epsilon")
    return Promise(whole, delta, events)
