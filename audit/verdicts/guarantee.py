"""What a mechanism says it keeps to: one epsilon and one delta, and whether a curve does."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypedDict, TypeVar

from dpcert.audit.algebra.power import ORDERS, Order, PowerFunction, dp_power
from dpcert.audit.algebra.rational import text
from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.border import answering, member, name_of, static
from dpcert.audit.kernels.label import label


@frozen(slots=True)
class Excess:
    """A slope and order at which an adversary reaches more than is allowed."""

    exp_epsilon: Fraction
    order: Order
    reached: Fraction
    allowed: Fraction


class GuaranteeDocument(TypedDict):
    """An (epsilon, delta) that is promised, as it stands in a record."""

    exp_epsilon: str
    delta: str


@frozen(slots=True)
class Guarantee:
    """DP_{eps,delta}, in both orders.

    Args:
        exp_epsilon: e^epsilon, at least 1.
        delta: In [0, 1].
    """

    exp_epsilon: Fraction
    delta: Fraction

    @property
    def power(self) -> PowerFunction:
        """DP_{eps,delta} as a power function."""
        return dp_power(self.exp_epsilon, self.delta)

    def exceeded(self, reached: PowerFunction) -> Excess | None:
        """Where a curve that is surely reached is not (epsilon, delta)-private, in the order in which it is so most."""
        excess = max(
            (Excess(self.exp_epsilon, o, reached.hockey_stick(self.exp_epsilon, o), self.delta) for o in ORDERS),
            key=lambda one: one.reached,
        )
        return excess if excess.reached > self.delta else None

    def document(self) -> GuaranteeDocument:
        """As it stands in a record."""
        return {"exp_epsilon": text(self.exp_epsilon), "delta": text(self.delta)}

    def __str__(self) -> str:
        return f"delta {text(self.delta)} at e^epsilon = {text(self.exp_epsilon)}"


_DELTAS: dict[type, Callable[[Any, Fraction], Fraction]] = {}
M = TypeVar("M", bound=type)


def by_theorem(mechanism: M) -> M:
    """Marks a class of dpcert's own whose `delta_at(exp_epsilon)` the ledger of claims proves, at any size.

    It holds for the class itself: a subclass may do something else.
    """
    _DELTAS[mechanism] = mechanism.delta_at  # type: ignore[attr-defined]  # what is marked has one
    return mechanism


def proven_delta(mechanism: object, exp_epsilon: Fraction) -> Fraction | None:
    """At least delta at e^epsilon, over all that the mechanism takes, where dpcert itself proves it; else None.

    A `guarantee` or a `bound` that a mechanism merely has is no proof.
    """
    delta_at = _DELTAS.get(type(mechanism))
    if delta_at is None:
        return None
    try:
        return delta_at(mechanism, exp_epsilon)
    except MechanismError:  # its certificate does not give what it promises
        return None


def stated(mechanism: Any) -> Guarantee | None:
    """The mechanism's own `guarantee`, None where it has none.

    Raises: MechanismError: one that is no pair of rationals, e^epsilon of at least 1 and delta in [0, 1].
    """
    with answering(f"{name_of(mechanism)}.guarantee", static(mechanism, "guarantee"), type(mechanism)):
        guarantee = member(mechanism, "guarantee")
        if guarantee is None:
            return None
        if isinstance(guarantee, tuple) and len(guarantee) == 2 and all(map(_rational, guarantee)):
            exp_epsilon, delta = map(Fraction, guarantee)
            if exp_epsilon >= 1 and 0 <= delta <= 1:
                return Guarantee(exp_epsilon, delta)
        wanted = "to be (e^epsilon, delta), two rationals, e^epsilon at least 1 and delta in [0, 1],"
        raise MechanismError(f"Expected {name_of(mechanism)}.guarantee {wanted} but got {label(guarantee)}")


def _rational(value: object) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)
