"""What a mechanism may say about its own certificate: an invariant pair, index sets, one-round curves."""

from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.errors import MechanismError, expected
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held, value_of
from dpcert.audit.kernels.border import answering, member, placing


@frozen
class InvariantPair:
    """(d, ⊕): an aggregate of inputs and a distance of aggregates that common inputs do not change.

    Args:
        distance: d(u, v), a rational of at least 0; or an invariant difference, of any other hashable kind.
        aggregate: u ⊕ v.
        zero: 0_⊕, the aggregate of no inputs.
    Source: paper.tex, defn:inv_pair; rem:vector_quant_decomp.

    >>> sums = InvariantPair(distance=lambda u, v: abs(u - v), aggregate=lambda u, v: u + v)
    >>> sums.distance(sums.aggregate(sums.zero, 3), 1)
    2
    """

    distance: Callable[[Any, Any], Any]
    aggregate: Callable[[Any, Any], Any]
    zero: Any = 0


@frozen
class Hints:
    """A mechanism's own `invariant_pair`, `index_set(t)` and `round_power(t, distance)`; the last may be missing."""

    pair: InvariantPair
    _index_set: Callable[[int], Collection[int]]
    _round_power: Callable[[int, Any], PowerFunction] | None

    @property
    def zero(self) -> Any:
        """0_⊕."""
        with answering("invariant_pair.zero", self._index_set):
            return held(self.pair.zero, "zero")

    def index_set(self, t: int) -> tuple[int, ...]:
        """I_t, ascending. Raises: MechanismError: rounds outside 1 to t."""
        with answering("index_set", self._index_set):
            rounds = tuple(sorted(set(self._index_set(t))))
            if any(not isinstance(r, int) or not 1 <= r <= t for r in rounds):
                raise expected(f"an index set within rounds 1 to {t}", index_set=rounds)
        return rounds

    def distance(self, u: Any, v: Any) -> Any:
        """d(u, v) of two aggregates; a number as it is, anything else as a token."""
        with answering("invariant_pair.distance", self.pair.distance):
            distance = self.pair.distance(value_of(u), value_of(v))
            return distance if type(distance) in (int, Fraction) else held(distance, "distance")

    def aggregate(self, u: Any, v: Any) -> Any:
        """u ⊕ v, a token of two tokens."""
        with answering("invariant_pair.aggregate", self.pair.aggregate):
            return held(self.pair.aggregate(value_of(u), value_of(v)), "aggregate")

    def round_power(self, t: int, distance: Any) -> PowerFunction | None:
        """g_t(distance), where the mechanism gives it."""
        if self._round_power is None:
            return None
        with answering("round_power", self._round_power):
            power = self._round_power(t, value_of(distance))
            if not isinstance(power, PowerFunction):
                raise MechanismError(f"Expected round_power to return a PowerFunction but got {type(power).__name__}")
        return power


def hints_of(mechanism: Any) -> Hints | None:
    """The hints of a mechanism, None if it gives none.

    Raises: MechanismError: one of `invariant_pair` and `index_set` without the other.
    """
    pair, index_set = member(mechanism, "invariant_pair"), member(mechanism, "index_set")
    power = member(mechanism, "round_power")
    if pair is None and index_set is None and power is None:
        return None
    with placing(mechanism):
        if not isinstance(pair, InvariantPair) or not callable(index_set):
            wanted = "an InvariantPair as `invariant_pair` and an `index_set(t)`"
            raise MechanismError(f"Expected {wanted} but got other hints")
    return Hints(pair, index_set, power)
