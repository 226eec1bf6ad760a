"""`dpcert plan`: what a promise of privacy costs in waiting, design by design, before anything runs."""

import json
import sys
from fractions import Fraction

import click

from dpcert.audit.arguments import Rational, WholeNumber
from dpcert.audit.output import write_all
from dpcert.audit.render.page import page_of_sections
from dpcert.audit.render.text import encodable, sections_text
from dpcert.mechanisms.designed import wanted
from dpcert.mechanisms.randbin_plan import Promise, planned, profile, saved, table

SLOPES = tuple(Fraction(n, 4) for n in (4, 5, 6, 8, 10, 12, 16, 20))


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
@click.option("--html", "html_path", metavar="FILE", help="Write a page with a figure.")
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

    For each: the level U, bins, the scheduler's error E, the most events that ever wait, the inclusion delay, and the
    delta that is proven. All of it is certain; --live adds what one run of each showed.
    """
    promise = Promise(wanted(exp_epsilon, epsilon), delta, horizon)
    made = planned(promise, live)
    lead, shown = saved(made), [table(made), profile(made, SLOPES)]
    if "-" not in (json_path, html_path):
        click.echo(encodable(sections_text(lead, shown), sys.stdout.encoding), nl=False)
    said = {"exp_epsilon": str(promise.exp_epsilon), "delta": str(delta), "events": horizon}
    document = {"schema": "dpcert.plan/1", **said, "designs": [one.document for one in made], "saved": lead}
    write_all(
        [
            (json_path, lambda: json.dumps(document, ensure_ascii=False, indent=1) + "\n"),
            (html_path, lambda: page_of_sections("RandBin, planned", lead, shown)),
        ]
    )
    return 0
