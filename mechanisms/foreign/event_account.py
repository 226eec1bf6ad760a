"""epsilon and delta of an event of dp-accounting, enclosed, with what dp-accounting itself makes of it beside them."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from dpcert.audit.algebra.bracket import Bracket, exactly
from dpcert.audit.algebra.enclosure import INFINITE, Enclosure, Ends
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.accounting.point import BoundKind
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.renyi_bounds import sharper_delta, sharper_epsilon
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.foreign.event import Composition
from dpcert.mechanisms.foreign.their_epsilon import Accountant
from dpcert.mechanisms.foreign.undecided import UndecidedError

MOST_EVENT_ATOMS = 20_000
"""Atoms of all that is composed beside Gaussian noise; a quarter of it where there is Gaussian noise."""
MOST_EVENT_BITS = 1 << 26
"""Bits of all masses of them."""


@dataclass(frozen=True)
class EventPoint:
    """One number: what it is of, ours and theirs.

    Args:
        at: The delta, or the epsilon, that was asked for.
        ours: The least epsilon, or delta, between two ends; of a bound, the lower end says nothing.
        theirs: By dp-accounting; None where it gives none.
    """

    at: Fraction
    ours: Enclosure
    theirs: Fraction | None

    def short(self, kind: BoundKind) -> Fraction | None:
        """How far theirs lies below our lower end, which the truth is not below; None where it does not."""
        low = self.ours.lower
        if kind is BoundKind.UPPER or self.theirs is None or low is None or self.theirs >= low:
            return None
        return low - self.theirs


@dataclass(frozen=True)
class EventAccount:
    """What was found of an event.

    Args:
        name: What was asked.
        composed: What it composes.
        relation: How neighbours differ.
        epsilons: epsilon for deltas.
        deltas: delta for epsilons.
        by: What theirs is by, or why there is none.
    """

    name: str
    composed: Composition
    relation: str
    epsilons: tuple[EventPoint, ...]
    deltas: tuple[EventPoint, ...]
    by: str

    @property
    def kind(self) -> BoundKind:
        """Whether our numbers enclose the exact ones, or a bound."""
        return BoundKind.UPPER if self.composed.is_bound and self.composed.is_private else BoundKind.EXACT


def event_account(
    name: str,
    composition: Composition,
    relation: str,
    points: tuple[Iterable[Fraction], Iterable[Fraction]],
    accountant: Accountant,
) -> EventAccount:
    """Everything that was asked of an event.

    Args:
        name: What an answer calls it.
        composition: The event.
        relation: How neighbours differ, in words.
        points: Deltas, and epsilons.
        accountant: Theirs.
    Raises: UndecidedError: too much is composed, or kinds of it that no bound is known for together.
    """
    curves = _curves(composition)
    epsilons = (EventPoint(d, curves.epsilon_for(d), accountant.epsilon(d)) for d in points[0])
    deltas = (EventPoint(e, curves.delta_at(e), accountant.delta(e)) for e in points[1])
    return EventAccount(name, composition, relation, tuple(epsilons), tuple(deltas), accountant.by)


@dataclass(frozen=True)
class _Curves:
    """epsilon and delta of what is composed, between those of two power functions beside Gaussian noise."""

    composed: Composition
    bracket: Bracket

    def epsilon_for(self, delta: Fraction) -> Enclosure:
        """The least epsilon for a delta."""
        if not self.composed.is_private:
            return INFINITE
        if self.composed.is_bound:
            return self._epsilon_bound(delta)
        low, high = (self._of(power).epsilon_for(delta) for power in (self.bracket.lower, self.bracket.upper))
        return Enclosure(low.lower, high.upper)

    def delta_at(self, epsilon: Fraction) -> Enclosure:
        """The least delta for an epsilon."""
        if not self.composed.is_private:
            return Enclosure(Fraction(1), Fraction(1))
        if self.composed.is_bound:
            return self._delta_bound(epsilon)
        low, high = (self._of(power).delta_at(epsilon) for power in (self.bracket.lower, self.bracket.upper))
        return Enclosure(low.lower, high.upper)

    def _of(self, power: PowerFunction) -> GaussianProduct | PowerFunction:
        square = self.composed.mu_squared
        return GaussianProduct(GaussianShift(Ends(square, square)), power) if square else power

    def _epsilon_bound(self, delta: Fraction) -> Enclosure:
        """xi + the bound of rho, which is the Rényi divergence xi + rho alpha converted."""
        rho, xi = self._rho, self.composed.xi
        if not rho:
            return Enclosure(xi, xi)
        found = sharper_epsilon(GaussianShift.of_rho(rho), delta).epsilon
        return Enclosure(xi, None if found.upper is None else xi + found.upper)

    def _delta_bound(self, epsilon: Fraction) -> Enclosure:
        rho, xi = self._rho, self.composed.xi
        if epsilon < xi or (rho and epsilon == xi):
            return Enclosure(Fraction(1), Fraction(1))
        if not rho:
            return Enclosure(Fraction(0), Fraction(0))
        return sharper_delta(GaussianShift.of_rho(rho), epsilon - xi).delta

    @property
    def _rho(self) -> Fraction:
        return self.composed.rho + self.composed.mu_squared / 2


def _curves(composition: Composition) -> _Curves:
    releases = composition.releases if composition.is_private else ()
    if composition.is_bound and releases:
        raise UndecidedError("zCDP beside other noise than Gaussian is not accounted for here")
    whole = [one.bracket for one in releases]
    alone = releases[0].alone if len(releases) == 1 and releases[0].count == 1 and not composition.mu_squared else None
    if alone is not None:
        return _Curves(composition, alone)
    ends = []
    for end in (0, 1):
        sides = [(one.lower, one.upper)[end] for one in whole]
        powers = [_power(side, one.count) for side, one in zip(sides, releases, strict=True)]
        ends.append(reduce(_beside, powers, PowerFunction.identity()))
    most = MOST_EVENT_ATOMS // 4 if composition.mu_squared else MOST_EVENT_ATOMS
    if max(len(end.chain) for end in ends) > most:
        raise UndecidedError(_too_much(most))
    return _Curves(composition, exactly(ends[0]) if ends[0] == ends[1] else Bracket(*ends))


def _power(power: PowerFunction, count: int) -> PowerFunction:
    try:
        atoms = count * (len(power.chain) - 1) + 1
        if atoms > MOST_EVENT_ATOMS:
            raise UndecidedError(_too_much(MOST_EVENT_ATOMS))
        if atoms * count * power.chain.total0.bit_length() > MOST_EVENT_BITS:
            raise UndecidedError(f"more than {MOST_EVENT_BITS} bits would be composed (MOST_EVENT_BITS)")
        return power.tensor_power(count)
    except ArgumentError as error:
        raise UndecidedError(f"its composition is too large: {error}") from None


def _beside(one: PowerFunction, other: PowerFunction) -> PowerFunction:
    if len(one.chain) * len(other.chain) > 10 * MOST_EVENT_ATOMS:
        raise UndecidedError(_too_much(MOST_EVENT_ATOMS))
    return one.tensor(other)


def _too_much(most: int) -> str:
    return f"more than {most} atoms would be composed (MOST_EVENT_ATOMS)"
