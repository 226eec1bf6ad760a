"""One guarantee (epsilon, delta) of a mechanism whose native parameter is mu, with the kind of bound that it is."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from dpcert.audit.algebra.enclosure import Enclosure
from dpcert.mechanisms.accounting.product import GaussianProduct, checked_epsilon
from dpcert.mechanisms.accounting.shift import GaussianShift


class BoundKind(Enum):
    """What the two ends of an enclosed number say of the mechanism.

    EXACT: the least number that is true of f ⊗ f_mu lies between them.
    UPPER: the bound's own value lies between them; it is never below the exact one, and may be far above it.
    """

    EXACT = "exact"
    UPPER = "upper bound"


class TrueOf(Enum):
    """Of which mechanisms a number is true.

    GAUSSIAN: of Gaussian noise with this mu, and of what is as private.
    ZCDP: of every mechanism with this rho-zCDP.
    """

    GAUSSIAN = "Gaussian noise"
    ZCDP = "every rho-zCDP mechanism"


@dataclass(frozen=True, slots=True)
class PrivacyPoint:
    """(epsilon, delta) of f_mu: the number that was asked for is exact, the other one is enclosed.

    Args:
        epsilon: In nats.
        delta: A probability.
        kind: What the ends say.
        way: How it was found, in words.
        shift: f_mu, by its native parameter.
        order: The order alpha of the Rényi divergence that was converted, where there is one.
        true_of: Of which mechanisms it is true.
    """

    epsilon: Enclosure
    delta: Enclosure
    kind: BoundKind
    way: str
    shift: GaussianShift
    order: Fraction | None = None
    true_of: TrueOf = TrueOf.GAUSSIAN


def known(value: Fraction) -> Enclosure:
    """The enclosure of a number that is known exactly."""
    return Enclosure(value, value)


def exact_at_delta(product: GaussianProduct, delta: Fraction) -> PrivacyPoint:
    """The least epsilon for a delta."""
    return PrivacyPoint(product.epsilon_for(delta), known(delta), BoundKind.EXACT, _way(product), product.shift)


def exact_at_epsilon(product: GaussianProduct, epsilon: Fraction) -> PrivacyPoint:
    """The least delta for an epsilon.

    >>> point = exact_at_epsilon(GaussianProduct(GaussianShift.of_mu(1)), Fraction(0))
    >>> point.kind.value, 0.3829 < point.delta.lower < 0.383
    ('exact', True)
    """
    at = checked_epsilon(epsilon)
    return PrivacyPoint(known(at), product.delta_at(at), BoundKind.EXACT, _way(product), product.shift)


def _way(product: GaussianProduct) -> str:
    return "f_mu itself" if len(product.chain.segments) == 1 else "f ⊗ f_mu itself"
