"""A plan as a document, and as the tables, figures and facts of a page."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from dpcert.audit.algebra.decimals import ROUNDED_UP, near, up
from dpcert.audit.algebra.enclosure import logarithm
from dpcert.audit.algebra.rational import text
from dpcert.audit.records.section import Section
from dpcert.mechanisms.design.plan import DesignPlan, PlanDocument, Unmade
from dpcert.mechanisms.design.plan_report import missing, profile, table
from dpcert.mechanisms.design.promise import Promise


def sections(rows: Sequence[DesignPlan | Unmade], say: Callable[[str], None]) -> Iterator[Section]:
    """The tables and figures, each announced before it is worked out."""
    say("Working out how long events wait")
    yield table(rows)
    yield missing(rows)
    say("Working out the curves of privacy")
    yield profile(rows)


def asked(promise: Promise, epsilon: Fraction | None, live: int | None) -> dict[str, str]:
    """The promise for a page, name by name; epsilon rounded up where e^epsilon was given instead."""
    known = logarithm(promise.exp_epsilon).upper if epsilon is None else epsilon
    events = promise.planned
    facts = {
        "ε": "unknown" if known is None else number(known) if epsilon is not None else f"{ROUNDED_UP}{up(known)}",
        "e^ε": number(promise.exp_epsilon),
        "δ": number(promise.delta),
        "Horizon": horizon(events),
    }
    return facts if live is None else facts | {"Live runs": f"{min(live, events):,} events of each design"}


def horizon(events: int) -> str:
    """So many events, in words."""
    return "1 event" if events == 1 else f"{events:,} events"


def number(value: Fraction) -> str:
    """A number that was asked for: exactly where it is short or a short decimal, else rounded up and marked."""
    return near(value) if value.denominator > 1 or value >= 10**9 else text(value)


def document(promise: Promise, rows: Sequence[DesignPlan | Unmade], lead: str) -> PlanDocument:
    """The plan as JSON values, as audit/records/schemas/plan-1.json describes them."""
    return {
        "schema": "dpcert.plan/1",
        "exp_epsilon": text(promise.exp_epsilon),
        "delta": text(promise.delta),
        "events": promise.planned,
        "designs": [one.document for one in rows],
        "saved": lead,
    }
