"""`dpcert plan`: what a promise of privacy costs in waiting, design by design, before anything runs."""

import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from dpcert.audit.commands.arguments import Rational, WholeNumber
from dpcert.audit.commands.interrupts import reading
from dpcert.audit.commands.output import progress_line
from dpcert.audit.commands.worker_options import worker_options, workers_asked
from dpcert.audit.errors import expected
from dpcert.mechanisms.commands.answers import Destinations, destinations
from dpcert.mechanisms.commands.learning_options import learning_options

if TYPE_CHECKING:
    from dpcert.audit.records.section import Section
    from dpcert.mechanisms.learning.plan import SgdQuestion

TITLE, SGD_TITLE = "RandBin, planned", "Continual DP-SGD, planned"


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
    facts = asked(promise, epsilon, live)
    made = provenance(time.perf_counter() - began)
    return _answered(to, TITLE, lead, shown, lambda: document(promise, rows, lead), facts, made)


@plan.command()
@click.option("--epsilon", type=Rational(), required=True, help="The promised epsilon, a decimal.")
@click.option("--delta", type=Rational(), required=True, help="The promised delta, above 0 and below 1.")
@click.option("--horizon", type=WholeNumber(), default=1_000_000, show_default=True, help="Events.")
@click.option("--split", default="1/2", show_default=True, help="Share of epsilon for buffering; or auto, the best.")
@click.option("--minimise", default="noise", show_default=True, help="What auto looks at: noise, delay or mix=W.")
@click.option("--dimension", type=WholeNumber(), default=1, show_default=True, help="Components of a model.")
@learning_options("1")
@click.option("--sweep", is_flag=True, help="Try other splits as well; a page does so anyway.")
@worker_options("Processes that try them [default: the cores there are].", "try them")
@click.option("--json", "json_path", metavar="FILE", help="Write the plan as JSON; - is standard output.")
@click.option("--html", "html_path", metavar="FILE", help="Write a page with figures; - is standard output.")
def sgd(
    json_path: str | None, html_path: str | None, sweep: bool, jobs: int | None, scheduler: str | None, **options: Any
) -> int:
    """Compare three calibrations of continual DP-SGD that keep the same (epsilon, delta).

    For each: RandBin's level and error, how many events wait and for how long, how many models are released, the
    noise of a coordinate, mu and rho of the sums, and the delta that is proven of all that is released. paper is as the
    paper splits it; sharp and gaussian account for an edit's two bins, the load and the scheduler jointly.
    """
    to = destinations(json_path, html_path)
    question, began = _question(**options), time.perf_counter()
    with reading():
        from dpcert.audit.records.digest import provenance
        from dpcert.mechanisms.learning.plan import SWEPT, sgd_planned
        from dpcert.mechanisms.learning.plan_document import sgd_asked, sgd_document
        from dpcert.mechanisms.learning.plan_report import sgd_lead, sgd_sections
    workers = workers_asked(jobs, scheduler)
    with progress_line(quiet=False) as say:
        splits = SWEPT if sweep or html_path is not None or question.split is None else ()
        comparison = sgd_planned(question, splits, workers, say)
        lead, sections = sgd_lead(comparison), list(sgd_sections(comparison, say))
    facts = sgd_asked(question)
    by = provenance(time.perf_counter() - began)
    return _answered(to, SGD_TITLE, lead, sections, lambda: sgd_document(comparison, lead), facts, by)


def _question(
    *, dimension: int, clip: str, learning_rate: str, split: str, minimise: str, events_per_user: int, apart: int,
    epsilon: Fraction, delta: Fraction, horizon: int, core: str, optimiser: str,
) -> "SgdQuestion":  # fmt: skip
    """What was asked for, checked."""
    with reading():
        from dpcert.audit.algebra.rational import written
        from dpcert.mechanisms.learning.objective import named_objective
        from dpcert.mechanisms.learning.per_user import UserEvents
        from dpcert.mechanisms.learning.plan import SgdQuestion
        from dpcert.mechanisms.learning.rates import named_schedule
        from dpcert.mechanisms.learning.updates import Updates
        from dpcert.mechanisms.models.adaptive_clip import AdaptiveClip, charged_clip, named_clip
    norm = named_clip(clip)
    adaptive = norm if isinstance(norm, AdaptiveClip) else None
    return SgdQuestion(
        epsilon=epsilon,
        delta=delta,
        events=horizon,
        split=None if split == "auto" else written(split, "split"),
        updates=Updates(dimension + bool(adaptive), charged_clip(norm), named_schedule(learning_rate)),
        adaptive=adaptive,
        core=core,
        optimiser=optimiser,
        user=UserEvents(events_per_user, apart),
        objective=named_objective(minimise),
    )


def _answered(
    to: Destinations,
    title: str,
    lead: str,
    sections: Sequence["Section"],
    as_json: Callable[[], Any],
    facts: Mapping[str, str],
    provenance: Mapping[str, Any],
) -> int:
    """A plan written to where it is asked for; the page leaves out tables without rows."""
    from dpcert.audit.render.page import page_of_sections
    from dpcert.audit.render.text import sections_text

    tables = [one for one in sections if one["rows"]]
    to.write(
        lambda: sections_text(lead, sections),
        as_json,
        lambda: page_of_sections(title, lead, tables, facts=facts, provenance=provenance),
    )
    return 0
