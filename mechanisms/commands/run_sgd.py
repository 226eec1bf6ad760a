"""`dpcert run sgd`: continual DP-SGD on a stream, its calibrations and baselines side by side."""

import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from dpcert.audit.commands.arguments import Rational, WholeNumber
from dpcert.audit.commands.interrupts import reading
from dpcert.audit.commands.output import progress_line
from dpcert.audit.errors import ArgumentError, expected
from dpcert.mechanisms.commands.answers import destinations

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
@click.option("--core", default="tree", show_default=True, metavar="tree|square-root|band=B", help="The private sums.")
@click.option("--model", default="", metavar="logistic|softmax|hidden-layer", help="[default: by the classes]")
@click.option("--clip", type=Rational(), default="1", show_default=True, help="G: the norm gradients are clipped to.")
@click.option("--learning-rate", "rate", type=Rational(), default="1/2", show_default=True, help="η: the step size.")
@click.option(
    "--churn", type=Rational(), default="0", show_default=True, help="Chance of an event to stay away or return."
)
@click.option(
    "--feedback", type=Rational(), default="0", show_default=True, help="The same, by what the model says of it."
)
@click.option("--seeds", type=WholeNumber(), default=1, show_default=True, help="Runs of each, in other data orders.")
@click.option("--jobs", type=WholeNumber(), default=1, show_default=True, help="Processes at once.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, whose workers make the runs.")
@click.option("--simulate", type=WholeNumber(), metavar="SEED", help="All noise from a seed: NOT PRIVATE.")
@click.option("--edit", type=WholeNumber(), metavar="N", help="With --simulate: what leaving out event N changes.")
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
    core: str,
    model: str,
    clip: Fraction,
    rate: Fraction,
    churn: Fraction,
    feedback: Fraction,
    seeds: int,
    jobs: int,
    scheduler: str | None,
    simulate: int | None,
    edit: int | None,
    json_path: str | None,
    html_path: str | None,
) -> int:
    """Learn from a stream that comes with river or scikit-learn, as it would be learned live.

    STREAM is sea, hyperplane or led (their concepts drift; they never end), or phishing, bananas, segments, digits or
    breast-cancer (files, which come again). Every combination of --epsilon, --delta, --horizon and --split is run by
    every calibration and baseline. Seeds are of the data's order alone: noise is from the system's entropy, but for
    --simulate, which is not private. An interrupt (Ctrl-C) keeps the runs that were made, with exit status 3.
    """
    with reading():  # here and not above, so that help need not wait for it
        from dpcert.audit.budget import Budget, best_so_far
        from dpcert.audit.records.digest import provenance
        from dpcert.audit.render.page import page_of_sections
        from dpcert.audit.render.text import sections_text
        from dpcert.mechanisms.learning.calibration import Wish
        from dpcert.mechanisms.streams.named import labelled
        from dpcert.mechanisms.streams.participation import Habits
        from dpcert.mechanisms.training.document import document
        from dpcert.mechanisms.training.edit_pair import edit_document
        from dpcert.mechanisms.training.report import lead, remarks, sections
        from dpcert.mechanisms.training.setting import CALIBRATIONS, SgdSetting
        from dpcert.mechanisms.training.summary import summaries
        from dpcert.mechanisms.training.sweep import runs, tasks
        from dpcert.mechanisms.training.trained import BASELINES, TrainedRun
    if edit is not None and simulate is None:
        raise expected("--simulate with --edit, for both runs share their randomness", edit=edit)
    if jobs > 1 and scheduler is not None:
        raise ArgumentError("Expected --jobs or --scheduler but got both")
    habits = Habits(churn, feedback)
    settings = [
        SgdSetting(stream, Wish(epsilon, delta, horizon, split), core, model, clip, rate, habits)
        for horizon in horizons or (USUAL_HORIZON,)
        for split in splits or (Fraction(1, 2),)
        for delta in deltas
        for epsilon in epsilons
    ]
    methods = (*dict.fromkeys(calibrations or CALIBRATIONS), *(() if no_baselines else BASELINES))
    to, began, budget = destinations(json_path, html_path), time.perf_counter(), Budget()
    made: list[TrainedRun] = []
    edits: list[dict[str, Any]] = []
    with progress_line(quiet=False) as say:
        listed = tasks(settings, methods, seeds, simulate)
        passes = labelled(stream, max(one.wish.events for one in settings), 1).passes
        with best_so_far(budget) as part:
            for run in runs(listed, jobs, say, scheduler):
                made.append(run)
            if edit is not None and simulate is not None:
                say("Comparing the runs with and without an event")
                edits += [
                    edit_document(one, name, edit, simulate)
                    for one in settings
                    for name in methods
                    if name in CALIBRATIONS
                ]
        if not made:
            part.pass_on()
        found = summaries(made, settings, methods)
        said = remarks(found, passes)
        words, shown = (
            lead(found, simulated=simulate is not None, stopped=bool(part.stopped)),
            list(sections(found, edits, said)),
        )
    facts = _asked(settings[0], methods, seeds)
    to.write(
        lambda: sections_text(words, shown[:1]) + "\n" + "".join(f"{one}\n" for one in said),
        lambda: document(found, edits, said, simulated=simulate is not None, stopped=bool(part.stopped)),
        lambda: page_of_sections(TITLE, words, shown, asked=facts, provenance=provenance(time.perf_counter() - began)),
    )
    return CUT_SHORT if part.stopped else 0


def _asked(setting: "SgdSetting", methods: tuple[str, ...], seeds: int) -> dict[str, str]:
    """For a page, name by name."""
    from dpcert.audit.algebra.rational import decimal

    habits = setting.habits
    return {
        "Stream": setting.stream,
        "Model": f"{type(setting.learner).__name__}, {setting.learner.dimension} weights",
        "δ": decimal(setting.wish.delta),
        "Clip, learning rate": f"{decimal(setting.clip)}, {decimal(setting.rate)}",
        "Sums": setting.core,
        "Methods": ", ".join(methods),
        "Seeds": f"{seeds}",
        "Users": "each event once"
        if habits.steady
        else f"churn {decimal(habits.churn)}, feedback {decimal(habits.feedback)}",
    }
