"""`dpcert plan`: what a promise of privacy costs in waiting, design by design, before anything runs."""

import json
import sys
from collections.abc import Sequence
from fractions import Fraction

import click

from dpcert.audit.algebra.rational import text
from dpcert.audit.commands.arguments import Rational, WholeNumber
from dpcert.audit.commands.output import place, places, progress_line, write_all
from dpcert.audit.errors import expected
from dpcert.audit.render.page import page_of_sections
from dpcert.audit.render.text import encodable, sections_text
from dpcert.mechanisms.design.designed import wanted
from dpcert.mechanisms.design.plan import PlanDocument, Planned, Promise, Unmade, planned
from dpcert.mechanisms.design.plan_report import missing, profile, saved, table


@click.group("plan")
def plan() -> None:
    """Plan a mechanism for a promise of privacy."""


@plan.command()
@click.option("--epsilon", type=Rational(), help="The promised epsilon, a decimal.")
@click.option("--exp-epsilon", type=Rational(), help="e^epsilon itself, a rational, instead.")
@click.option("--delta", type=Rational(), required=True, help="The promised delta, above 0 and below 1.")
@click.option("--horizon", type=WholeNumber(), default=1_000_000, show_default=True, help="Events.")
@click.option("--live", type=WholeNumber(), help="Run each design on so many events as well, at most the horizon.")
@click.option("--json", "json_path", metavar="FILE", help="Write the plan as JSON; - is standard output.")
@click.option("--html", "html_path", metavar="FILE", help="Write a page with figures; - is standard output.")
def randbin(
    epsilon: Fraction | None,
    exp_epsilon: Fraction | None,
    delta: Fraction,
    horizon: int,
    live: int | None,
    json_path: str | None,
    html_path: str | None,
) -> int:
    """Compare the designs of RandBin that keep the same (epsilon, delta).

    For each: the level U, the scheduler's error E, the most events that ever wait, the inclusion delay, and the delta
    that is proven. All of it is certain; --live adds what one run of each showed. A design that cannot keep the
    promise says why.
    """
    if epsilon is None and exp_epsilon is None:
        raise expected("a promised epsilon or exp_epsilon", epsilon=None)
    to = places(json=json_path, html=html_path)
    printed = "-" not in (json_path, html_path)
    if printed:
        place("-")
    promise = Promise(wanted(exp_epsilon, epsilon), delta, horizon)
    with progress_line(quiet=False) as say:
        rows = planned(promise, live, say)
        lead, shown = saved(rows), [table(rows), missing(rows), profile(rows)]
    write_all(
        [
            (to.get("json"), lambda: json.dumps(document(promise, rows, lead), ensure_ascii=False, indent=1) + "\n"),
            (to.get("html"), lambda: page_of_sections("RandBin, planned", lead, [one for one in shown if one["rows"]])),
        ],
        (lambda: click.echo(encodable(sections_text(lead, shown), sys.stdout.encoding), nl=False)) if printed else None,
    )
    return 0


def document(promise: Promise, rows: Sequence[Planned | Unmade], lead: str) -> PlanDocument:
    """The plan as JSON values, as audit/records/schemas/plan-1.json describes them."""
    return {
        "schema": "dpcert.plan/1",
        "exp_epsilon": text(promise.exp_epsilon),
        "delta": text(promise.delta),
        "events": promise.events,
        "designs": [one.document for one in rows],
        "saved": lead,
    }
