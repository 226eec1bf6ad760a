"""The account of an event in words, tables and as JSON values."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import TypedDict

from dpcert.audit.algebra.decimals import down, near, up
from dpcert.audit.algebra.enclosure import Enclosure
from dpcert.audit.algebra.rational import text
from dpcert.audit.records.section import Section, section
from dpcert.mechanisms.accounting.document import EndsDocument, ends
from dpcert.mechanisms.accounting.point import BoundKind
from dpcert.mechanisms.foreign.event_account import EventAccount, EventPoint

EVENT_DIGITS = 10
"""Significant digits of a number in the tables of `dpcert gaussian --event`."""
THEIR_DIGITS = 12
"""Significant digits of another library's number there."""


class EventPointDocument(EndsDocument):
    """One number of ours and theirs; `short` is how far theirs lies below our lower end."""

    at: str
    theirs: str | None
    short: str | None


class EventDocument(TypedDict):
    """The account of one event, as `audit/records/schemas/event-1.json` describes it."""

    schema: str
    event: str
    composes: list[str]
    neighbours: str
    bound: str
    library: str
    epsilon: list[EventPointDocument]
    delta: list[EventPointDocument]


def document(account: EventAccount) -> EventDocument:
    """All that was found, ends rounded outward."""
    return {
        "schema": "dpcert.event/1",
        "event": account.name,
        "composes": list(account.composed.words),
        "neighbours": account.relation,
        "bound": account.kind.value,
        "library": account.by,
        "epsilon": [_point(account, one) for one in account.epsilons],
        "delta": [_point(account, one) for one in account.deltas],
    }


def _point(account: EventAccount, one: EventPoint) -> EventPointDocument:
    low, short = ends(one.ours), one.short(account.kind)
    return {
        "at": text(one.at),
        "lower": None if account.kind is BoundKind.UPPER else low["lower"],
        "upper": low["upper"],
        "theirs": None if one.theirs is None else text(one.theirs),
        "short": None if short is None else text(short),
    }


def lead(account: EventAccount) -> str:
    """What was composed, for which neighbours, and by whom theirs is."""
    composes = ", ".join(account.composed.words) or "nothing"
    where = ", a record in one coordinate of each" if account.composed.releases else ""
    return f"{account.name} composes {composes}{where}; neighbours: {account.relation}. Theirs: {account.by}."


def sections(account: EventAccount) -> Iterator[Section]:
    """The tables, those without rows included."""
    yield _points("ε for δ", "δ", "ε", account, account.epsilons)
    yield _points("δ for ε", "ε", "δ", account, account.deltas)


def _points(title: str, given: str, found: str, account: EventAccount, points: Iterable[EventPoint]) -> Section:
    columns = (given, f"{found} at least", f"{found} at most", "kind", "theirs", "theirs is below ours by")
    return section(title, "", columns, (_row(account, one) for one in points))


def _row(account: EventAccount, one: EventPoint) -> tuple[str, ...]:
    low, high = _ends(one.ours)
    short = one.short(account.kind)
    kept = "-" if account.kind is BoundKind.UPPER else low
    theirs = "-" if one.theirs is None else up(one.theirs, THEIR_DIGITS)
    return near(one.at), kept, high, account.kind.value, theirs, "" if short is None else up(short, 2)


def _ends(found: Enclosure) -> tuple[str, str]:
    return _shown(found.lower, down), _shown(found.upper, up)


def _shown(value: Fraction | None, rounded: Callable[[Fraction, int], str]) -> str:
    return "infinite" if value is None else rounded(value, EVENT_DIGITS)
