"""What is found of the sensitivity of an encoder: both norms of R x between bounds, and the arguments for them."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from dpcert.audit.algebra.enclosure import Ends
from dpcert.mechanisms.matrices.participations import Pattern


class Stream(Enum):
    """What one participation changes: a number of size at most 1, or a vector of L2 norm at most 1.

    SCALAR: a number; then the worst change is 1 or -1 in every participation.
    VECTOR: a vector, of any dimension; then changes may have any directions towards each other.
    """

    SCALAR = "scalar"
    VECTOR = "vector"


class Argument(Enum):
    """Why the squared L2 norm is at most what is said.

    ONE_COLUMN: one participation; the norms of single columns.
    EARLIEST: earlier participations, and nearer ones, have products at least as large; the earliest pattern is worst.
    NON_NEGATIVE: no product is negative, so equal changes are worst; patterns by dynamic programming and bounds.
    BALANCED: the sum of sizes of products, attained by signs under which no product of the worst pattern is negative.
    SIGNS: products of mixed signs; patterns and signs of numbers by branch and bound.
    DIRECTIONS: products of mixed signs; vectors on the worst pattern, and for every pattern that may be worse a matrix
        whose positive definiteness proves that it is not.
    SIZES: products of mixed signs and too many patterns; the sum of sizes, which vectors may not attain.
    """

    ONE_COLUMN = "one column"
    EARLIEST = "earliest pattern"
    NON_NEGATIVE = "non-negative products"
    BALANCED = "balanced signs"
    SIGNS = "patterns and signs"
    DIRECTIONS = "patterns and directions"
    SIZES = "sizes of products"


class Justification(Enum):
    """Why the same holds against inputs that adapt to what was released, with Gaussian noise.

    ONE_COLUMN: the change is one column, times what the adversary chose in its round, whatever comes later.
    PER_ROUND: no entry is negative and the pattern is settled by its start, so that each release is shifted by at most
        what the worst fixed input shifts it by.
    FULLY_ADAPTIVE: the squares of all shifts sum to at most the squared sensitivity on every run, which bounds the
        loss of Gaussian noise though each shift is chosen after the releases before it.
    """

    ONE_COLUMN = "one column"
    PER_ROUND = "per-round domination"
    FULLY_ADAPTIVE = "fully adaptive Gaussian composition"


@dataclass(frozen=True)
class Attainment:
    """Participations that attain a lower bound: rounds counted from 1, and the change in each.

    Args:
        rounds: Counted from 1.
        signs: The changes, 1 or -1 each (times one vector of norm 1); none where only vectors attain it.
        directions: Those vectors, of norm at most 1, then.
    """

    rounds: tuple[int, ...]
    signs: tuple[int, ...]
    directions: tuple[tuple[Fraction, ...], ...] = ()


@dataclass(frozen=True)
class Sensitivity:
    """Both norms of R x, at most over all patterns and changes of norm at most 1.

    Args:
        l2_squared: The squared L2 norm: at least, at most.
        l1: The L1 norm, of scalar streams: at least, at most.
        attained_by: What attains the lower end of `l2_squared`.
        l1_attained_by: What attains the lower end of `l1`.
        argument: Why `l2_squared` is not larger.
        justification: Why it bounds the loss to adaptive inputs as well.
        stream: What kind of changes it is of.
    """

    l2_squared: Ends
    l1: Ends
    attained_by: Attainment
    l1_attained_by: Attainment
    argument: Argument
    justification: Justification
    stream: Stream

    @property
    def is_exact(self) -> bool:
        """Whether both bounds on the squared L2 norm are one number."""
        return self.l2_squared.lower == self.l2_squared.upper


@dataclass(frozen=True)
class NormBracket:
    """One norm between bounds, with what attains the lower one."""

    ends: Ends
    pattern: Pattern
    signs: tuple[int, ...]
    directions: tuple[tuple[Fraction, ...], ...] = ()

    @property
    def attained(self) -> Attainment:
        """With rounds counted from 1."""
        return Attainment(tuple(i + 1 for i in self.pattern), self.signs, self.directions)
