"""`dpcert run sgd`: continual DP-SGD on a stream, its calibrations and baselines side by side."""

import time
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from dpcert.audit.commands.arguments import Rational, WholeNumber
from dpcert.audit.commands.interrupts import reading
from dpcert.audit.commands.output import progress_line
from dpcert.audit.commands.worker_options import worker_options, workers_asked
from dpcert.mechanisms.commands.answers import destinations
from dpcert.mechanisms.commands.learning_options import learning_options

if TYPE_CHECKING:
    from dpcert.mechanisms.training.setting import SgdSetting

TITLE = "Continual DP-SGD, run"
USUAL_HORIZON = 10_000
"""Events of a run, unless --horizon says otherwise."""
CUT_SHORT = 3
"""The exit status after an interrupt, where runs were kept."""


@click.command("sgd")
@click.argument("stream")
@click.option("--epsilon", "epsilons", multiple=True, type=Rational(), required=True, help="Promised; repeatable.")
@click.option("--delta", "deltas", multiple=True, type=Rational(), required=True, help="Promised; repeatable.")
@click.option("--horizon", "horizons", multiple=True, type=WholeNumber(), help="Events [default: 10000]; repeatable.")
@click.option(
    "--split", "splits", multiple=True, type=Rational(), help="Buffering's ε share [default: 1/2]; repeatable."
)
@click.option(
    "--calibration",
    "calibrations",
    multiple=True,
    metavar="paper|sharp|gaussian",
    help="How noise is worked out [default: all three]; repeatable.",
)
@click.option("--no-baselines", is_flag=True, help="Leave out batches at fixed times, and runs without noise.")
@click.option("--model", default="", metavar="logistic|softmax|hidden-layer", help="[default: by the classes]")
@learning_options("1/2")
@click.option("--batch-size", "batch", type=WholeNumber(), help="Of baselines [default: the least U there is].")
@click.option(
    "--churn", type=Rational(), default="0", show_default=True, help="Chance of an event to stay away or return."
)
@click.option(
    "--feedback", type=Rational(), default="0", show_default=True, help="The same, by what the model says of it."
)
@click.option("--seeds", type=WholeNumber(), default=1, show_default=True, help="Runs of each, in other data orders.")
@worker_options("Processes at once [default: 1].", "make the runs")
@click.option("--simulate", type=WholeNumber(), metavar="SEED", help="All noise from a seed: NOT PRIVATE.")
@click.option("--edit", type=WholeNumber(), metavar="N", help="With --simulate: what leaving out event N changes.")
@click.option("--releases", default="", metavar="FILE", help="One run: write each model and its round, as JSON lines.")
@click.option("--state", default="", metavar="FOLDER", help="One run: keep it there, and go on after a stop.")
@click.option("--json", "json_path", metavar="FILE", help="Write all numbers as JSON; - is standard output.")
@click.option("--html", "html_path", metavar="FILE", help="Write a page with figures; - is standard output.")
def sgd(
    stream: str,
    epsilons: tuple[Fraction, ...],
    deltas: tuple[Fraction, ...],
    horizons: tuple[int, ...],
    splits: tuple[Fraction, ...],
    calibrations: tuple[str, ...],
    no_baselines: bool,
    releases: str,
    state: str,
    json_path: str | None,
    html_path: str | None,
    jobs: int | None,
    scheduler: str | None,
    **options: Any,
) -> int:
    """Learn from a stream that comes with river or scikit-learn, as it would be learned live.

    STREAM is sea, hyperplane or led (their concepts drift; they never end), or phishing, bananas, segments, digits or
    breast-cancer (files, which come again). Every combination of --epsilon, --delta, --horizon and --split is run by
    every calibration and baseline. Seeds are of the data's order alone: noise is from the system's entropy, but for
    --simulate, which is not private. An interrupt (Ctrl-C) keeps the runs that were made, with exit status 3.
    With --state, one run of one calibration goes on where it was killed or stopped; --releases is the file of what may
    be seen of it, written as it goes. Give the same options again.
    """
    with reading():  # here and not above, so that help need not wait for it
        from dpcert.audit.records.digest import provenance
        from dpcert.audit.render.page import page_of_sections
        from dpcert.audit.render.text import sections_text
        from dpcert.mechanisms.training.asked import RunsQuestion, answered
        from dpcert.mechanisms.training.kept import Keeping
    many = {name: options.pop(name) for name in ("seeds", "simulate", "edit")}
    wishes = product(horizons or (USUAL_HORIZON,), splits or (Fraction(1, 2),), deltas, epsilons)
    settings = tuple(_setting(stream, (e, d, events, split), **options) for events, split, d, e in wishes)
    many["workers"] = workers_asked(jobs, scheduler, otherwise=1)
    request = RunsQuestion(settings, calibrations, not no_baselines, **many, keep=Keeping(state, releases))
    to, began = destinations(json_path, html_path), time.perf_counter()
    with progress_line(quiet=False) as say:
        answer = answered(request, say)
        if not answer.summaries:
            click.echo("dpcert: interrupted; it goes on from its state", err=True)
            return CUT_SHORT
        words, said, sections = answer.lead, answer.remarks, answer.sections
    origin = provenance(time.perf_counter() - began)
    to.write(
        lambda: sections_text(words, sections[:2]) + "\n" + "".join(f"{one}\n" for one in said),
        lambda: answer.document,
        lambda: page_of_sections(TITLE, words, sections, facts=request.facts, provenance=origin),
    )
    return CUT_SHORT if answer.stopped else 0


def _setting(
    stream: str, wish: tuple[Fraction, Fraction, int, Fraction], *, core: str, model: str, clip: str,
    learning_rate: str, churn: Fraction, feedback: Fraction, optimiser: str, batch: int | None, events_per_user: int,
    apart: int,
) -> "SgdSetting":  # fmt: skip
    """One promise on the stream, checked."""
    with reading():
        from dpcert.mechanisms.learning.calibration import Wish
        from dpcert.mechanisms.learning.per_user import UserEvents
        from dpcert.mechanisms.learning.rates import named_schedule
        from dpcert.mechanisms.models.adaptive_clip import named_clip
        from dpcert.mechanisms.streams.participation import Habits
        from dpcert.mechanisms.training.setting import SgdSetting
    rates, user = named_schedule(learning_rate), UserEvents(events_per_user, apart)
    habits = Habits(churn, feedback)
    return SgdSetting(stream, Wish(*wish), core, model, named_clip(clip), rates, habits, optimiser, batch, user)
