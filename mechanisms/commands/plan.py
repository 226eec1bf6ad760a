"""`dpcert plan`: what a promise of privacy costs in waiting, design by design, before anything runs."""

import time
from fractions import Fraction

import click

from dpcert.audit.commands.arguments import Rational, WholeNumber
from dpcert.audit.commands.interrupts import reading
from dpcert.audit.commands.output import progress_line
from dpcert.audit.errors import expected
from dpcert.mechanisms.commands.answers import destinations

TITLE = "RandBin, planned"


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
    with reading():  # here and not above, so that help need not wait for it
        from dpcert.audit.records.digest import provenance
        from dpcert.audit.render.page import page_of_sections
        from dpcert.audit.render.text import sections_text
        from dpcert.mechanisms.design.plan import planned
        from dpcert.mechanisms.design.plan_document import asked, document, sections
        from dpcert.mechanisms.design.plan_report import saved
        from dpcert.mechanisms.design.promise import promised
    if epsilon is None and exp_epsilon is None:
        raise expected("a promised epsilon or exp_epsilon", epsilon=None)
    to = destinations(json_path, html_path)
    promise, began = promised(delta, horizon, exp_epsilon=exp_epsilon, epsilon=epsilon), time.perf_counter()
    with progress_line(quiet=False) as say:
        rows = planned(promise, live, say)
        lead, shown = saved(rows), list(sections(rows, say))
    made, listed = provenance(time.perf_counter() - began), [one for one in shown if one["rows"]]
    facts = asked(promise, epsilon, live)
    to.write(
        lambda: sections_text(lead, shown),
        lambda: document(promise, rows, lead),
        lambda: page_of_sections(TITLE, lead, listed, asked=facts, provenance=made),
    )
    return 0
