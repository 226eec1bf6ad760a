"""What Gaussian noise gives away, as one value, as a document and in the words of a table."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypedDict

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.enclosure import Enclosure, Ends
from dpcert.audit.algebra.rational import text
from dpcert.mechanisms.accounting.group import group_epsilon
from dpcert.mechanisms.accounting.point import PrivacyPoint, exact_at_delta, exact_at_epsilon
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.renyi_bounds import paper_delta, paper_epsilon, sharper_delta, sharper_epsilon
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.accounting.solving import TargetNumber

DOCUMENT_DIGITS = 15
"""Significant digits to which the ends of an enclosure are rounded outward in a document."""


class EndsDocument(TypedDict):
    """A number between two rationals; an upper end that is null was not found, or is infinite."""

    lower: str | None
    upper: str | None


class NativeDocument(TypedDict):
    """f_mu by its native parameter, and rho = mu^2 / 2; `mu_exact` is false where rho was given, of Gaussian noise."""

    mu: EndsDocument
    rho: EndsDocument
    mu_exact: bool


class WayDocument(TypedDict):
    """How a number was found: exactly or as which bound, true of what, by what, and at which order of Renyi."""

    bound: str
    of: str
    way: str
    alpha: str | None


class AtDeltaDocument(EndsDocument, WayDocument):
    """epsilon for a delta."""

    delta: str


class AtEpsilonDocument(EndsDocument, WayDocument):
    """delta for an epsilon."""

    epsilon: str


class SolvedDocument(TypedDict):
    """A solution, and the next number with less noise, each with delta at the target's epsilon."""

    parameter: str
    epsilon: str
    delta: str
    value: str
    of: str
    kept: EndsDocument
    beyond: str
    broken: EndsDocument
    tightest: bool


class GaussianDocument(TypedDict):
    """Gaussian accounting, as `audit/records/schemas/gaussian-1.json` describes it."""

    schema: str
    hops: int
    one_hop: NativeDocument | None
    all_hops: NativeDocument | None
    epsilon: list[AtDeltaDocument]
    delta: list[AtEpsilonDocument]
    solved: list[SolvedDocument]


@dataclass(frozen=True)
class GaussianAccount:
    """What was found of one Gaussian mechanism, `hops` neighbours apart, and for targets.

    Args:
        shift: f_mu of one hop; None where only targets were asked for.
        hops: How many hops the points are of.
        at_deltas: epsilon for deltas, the exact one first, then bounds.
        at_epsilons: delta for epsilons.
        targets: Solutions for targets.
        by_rho: Whether rho was given, which other mechanisms have as well: mu is then that of Gaussian noise alone.
    """

    shift: GaussianShift | None
    hops: int
    at_deltas: tuple[PrivacyPoint, ...]
    at_epsilons: tuple[PrivacyPoint, ...]
    targets: tuple[TargetNumber, ...] = ()
    by_rho: bool = False

    @property
    def document(self) -> GaussianDocument:
        """As JSON values; ends of enclosures are rounded outward."""
        return {
            "schema": "dpcert.gaussian/1",
            "hops": self.hops,
            "one_hop": None if self.shift is None else _native(self.shift, self.by_rho),
            "all_hops": None if self.shift is None else _native(self.shift.hops(self.hops), self.by_rho),
            "epsilon": [_at_delta(one) for one in self.at_deltas],
            "delta": [_at_epsilon(one) for one in self.at_epsilons],
            "solved": [_solved(one) for one in self.targets],
        }


def account(
    shift: GaussianShift, deltas: Iterable[Fraction], epsilons: Iterable[Fraction], hops: int = 1
) -> GaussianAccount:
    """The exact numbers of f_{hops mu}, with what the usual bounds make of it beside them.

    >>> made = account(GaussianShift.of_mu(1), [Fraction(1, 10**5)], [])
    >>> [point.kind.value for point in made.at_deltas]
    ['exact', 'upper bound', 'upper bound']
    """
    whole = shift.hops(hops)
    group = (partial(group_epsilon, shift, hops),) if hops > 1 else ()
    exact = GaussianProduct(whole)
    of_delta = (partial(exact_at_delta, exact), partial(sharper_epsilon, whole), partial(paper_epsilon, whole), *group)
    of_epsilon = (partial(exact_at_epsilon, exact), partial(sharper_delta, whole), partial(paper_delta, whole))
    return GaussianAccount(shift, hops, tuple(_each(deltas, of_delta)), tuple(_each(epsilons, of_epsilon)))


def _each(numbers: Iterable[Fraction], ways: tuple[Callable[[Fraction], PrivacyPoint], ...]) -> Iterator[PrivacyPoint]:
    return (way(number) for number in numbers for way in ways)


def _native(shift: GaussianShift, by_rho: bool) -> NativeDocument:
    """mu and rho of f_mu."""
    return {"mu": ends(shift.mu), "rho": ends(shift.rho), "mu_exact": not by_rho}


def ends(found: Enclosure | Ends) -> EndsDocument:
    """A number, exactly where it is known exactly, else rounded outward."""
    low, high = found.lower, found.upper
    if low is not None and low == high:
        return {"lower": text(low), "upper": text(low)}
    return {
        "lower": None if low is None else text(Fraction(down(low, DOCUMENT_DIGITS))),
        "upper": None if high is None else text(Fraction(up(high, DOCUMENT_DIGITS))),
    }


def _at_delta(point: PrivacyPoint) -> AtDeltaDocument:
    return {"delta": text(point.delta.finite().lower), **ends(point.epsilon), **_way(point)}


def _at_epsilon(point: PrivacyPoint) -> AtEpsilonDocument:
    return {"epsilon": text(point.epsilon.finite().lower), **ends(point.delta), **_way(point)}


def _way(point: PrivacyPoint) -> WayDocument:
    alpha = None if point.order is None else text(point.order)
    return {"bound": point.kind.value, "of": point.true_of.value, "way": point.way, "alpha": alpha}


def _solved(one: TargetNumber) -> SolvedDocument:
    return {
        "parameter": one.name,
        "epsilon": text(one.target[0]),
        "delta": text(one.target[1]),
        "value": text(one.value),
        "of": one.kept.true_of.value,
        "kept": ends(one.kept.delta),
        "beyond": text(one.beyond),
        "broken": ends(one.broken.delta),
        "tightest": one.is_tightest,
    }
