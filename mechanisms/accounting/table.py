"""Gaussian accounting in words and tables."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from dpcert.audit.algebra.decimals import ROUNDED_UP, down, near, up
from dpcert.audit.algebra.enclosure import Enclosure, Ends
from dpcert.audit.records.section import Section, section
from dpcert.mechanisms.accounting.document import GaussianAccount
from dpcert.mechanisms.accounting.point import BoundKind, PrivacyPoint
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.accounting.solving import TargetNumber

TABLE_DIGITS = 10
"""Significant digits of a number in the tables of `dpcert gaussian`."""
ABSENT = "-"


def lead(account: GaussianAccount) -> str:
    """What was accounted for; where only rho was given, that other mechanisms may keep less."""
    if account.shift is None:
        return "Gaussian noise for a target, rounded so that the target is kept."
    words = f"Gaussian noise with {stated_shift(account.shift)}: D_alpha = alpha rho at every order."
    if account.hops > 1:
        words += (
            f" Over {account.hops} hops: {stated_shift(account.shift.hops(account.hops))}, attained where they line up."
        )
    if account.by_rho:
        words += " Exact is exact for Gaussian noise; any other rho-zCDP mechanism keeps the bounds by RDP alone."
    return words


def sections(account: GaussianAccount) -> Iterator[Section]:
    """The tables, those without rows included."""
    yield _points("ε for δ", "δ", "ε", ((p.delta, p.epsilon, p) for p in account.at_deltas))
    yield _points("δ for ε", "ε", "δ", ((p.epsilon, p.delta, p) for p in account.at_epsilons))
    columns = ("ε", "δ", "parameter", "value", "δ at it", "next", "δ at the next")
    yield section("Noise for a target", "", columns, map(_solution, account.targets))


def _points(title: str, given: str, found: str, rows: Iterable[tuple[Enclosure, Enclosure, PrivacyPoint]]) -> Section:
    columns = (given, f"{found} at least", f"{found} at most", "kind", "by")
    return section(title, "", columns, (_row(known, enclosed, point) for known, enclosed, point in rows))


def _row(argument: Enclosure, value: Enclosure, point: PrivacyPoint) -> tuple[str, ...]:
    """One point; a bound says nothing from below."""
    low = _down(value.lower) if point.kind is BoundKind.EXACT else ABSENT
    order = "" if point.order is None else f" (alpha = {up(point.order)})"
    return near(argument.finite().upper), low, _up(value.upper), point.kind.value, f"{point.way}{order}"


def _solution(one: TargetNumber) -> tuple[str, ...]:
    epsilon, delta = map(near, one.target)
    kept = f"at most {_up(one.kept.delta.upper)}"
    broken = f"at least {_down(one.broken.delta.lower)}"
    return epsilon, delta, one.name, _plain(one.value), kept, _plain(one.beyond), broken


def _plain(value: Fraction) -> str:
    """A number of at most MOST_SOLUTION_DIGITS digits, whole."""
    return up(value, 12)


def stated_shift(shift: GaussianShift) -> str:
    """mu and rho, rounded outward where they are not exact."""
    return f"mu {_stated(shift.mu)} and rho {_stated(shift.rho)}"


def _stated(found: Enclosure | Ends) -> str:
    low, high = found.lower, found.upper
    if low is not None and low == high and not (shown := near(low)).startswith(ROUNDED_UP):
        return f"= {shown}"
    return f"in [{_down(low)}, {_up(high)}]"


def _down(value: Fraction | None) -> str:
    return "infinite" if value is None else down(value, TABLE_DIGITS)


def _up(value: Fraction | None) -> str:
    return "infinite" if value is None else up(value, TABLE_DIGITS)
