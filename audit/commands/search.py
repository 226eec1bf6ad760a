"""`dpcert search`: small cores that adaptive adversaries learn much more from than fixed streams do."""

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TypedDict

import click

from dpcert.audit.algebra.decimals import near, up
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import INTERRUPTED, Budget, best_so_far
from dpcert.audit.commands.arguments import Rational, WholeNumber
from dpcert.audit.commands.interrupts import Interrupts
from dpcert.audit.commands.new import class_name, rendered
from dpcert.audit.commands.output import Place, place, places, progress_line, write_all
from dpcert.audit.commands.worker_options import worker_options, workers_asked
from dpcert.audit.errors import expected, one_line
from dpcert.audit.frozen import frozen
from dpcert.audit.render.text import encodable
from dpcert.audit.search.climb import Shape
from dpcert.audit.search.polish import Polisher
from dpcert.audit.search.restarts import Restart, tops
from dpcert.audit.search.tabulated import Law, Tabulated, Worth
from dpcert.audit.workers.workers import THIS_PROCESS, Workers

SCHEMA = "dpcert.search/1"
TEMPLATE = "found.py.j2"
MOST_SEARCH_ROWS, MOST_SEARCH_ROUNDS = 5_000, 12
"""Unknown terms of a search, counted as its error message does, and rounds, past which it is refused."""
LARGEST_EXP_EPSILON = 1_000
"""The largest e^epsilon at which can be searched."""
LEAST_DELTA = Fraction(1, 10**9)
"""Far from where floats, in which is searched, lose it."""
NONE_FOUND = 3


@frozen
class TableSearch:
    """One search: the size of the tables, the slope, the least fixed-stream delta that counts, and the chance."""

    shape: Shape
    exp_epsilon: Fraction
    least_delta: Fraction
    seed: int
    restarts: int

    def __post_init__(self) -> None:
        shape = self.shape
        for name, value in asdict(shape).items():
            if value < 2:
                raise expected(f"a number of at least 2 (with 1 there is never a gap) for {name}", **{name: value})
        if not 1 <= self.exp_epsilon <= LARGEST_EXP_EPSILON:
            raise expected(f"e^epsilon from 1 to {LARGEST_EXP_EPSILON}", exp_epsilon=self.exp_epsilon)
        if not LEAST_DELTA <= self.least_delta < 1:
            raise expected("a delta of at least 1e-9 and below 1", least_delta=self.least_delta)
        if shape.horizon > MOST_SEARCH_ROUNDS or shape.rows > MOST_SEARCH_ROWS:
            raise expected(
                f"(inputs - 1) inputs^horizon (outputs + ... + outputs^horizon) of at most {MOST_SEARCH_ROWS}",
                inputs=shape.inputs,
                outputs=shape.outputs,
                horizon=shape.horizon,
            )

    @property
    def command(self) -> str:
        """The command that asks the same."""
        s = self.shape
        return (
            f"dpcert search --inputs {s.inputs} --outputs {s.outputs} --horizon {s.horizon}"
            f" --exp-epsilon {text(self.exp_epsilon)} --least-delta {text(self.least_delta)}"
            f" --restarts {self.restarts} --seed {self.seed}"
        )


@frozen
class Answer:
    """The best core found, if any, what it is worth exactly, and how far the search went."""

    core: Tabulated | None
    worth: Worth | None
    restarts: int
    stopped: str | None


def answered(settings: TableSearch, budget: Budget, workers: Workers = THIS_PROCESS) -> Answer:
    """The best core among the restarts; an interrupt or the end of the time keeps the best so far.

    Args:
        settings: What is looked for.
        budget: Bounds the work.
        workers: Who makes the restarts; the answer is the same.
    """
    shape = settings.shape
    first = Restart(shape, settings.exp_epsilon, settings.least_delta, settings.seed, 0)
    polisher = Polisher(shape.inputs, shape.horizon, settings.exp_epsilon, settings.least_delta)
    best: Tabulated | None = None
    count = 0
    with best_so_far(budget) as part:
        for top in tops(first, settings.restarts, budget, workers):
            count += 1
            if top is not None and top.ratio > (1 if best is None else polisher.ratio(best)):
                core = polisher.rounded(top.laws)
                if polisher.ratio(core) > 1 and (best is None or polisher.merit(core) > polisher.merit(best)):
                    best = core
            so_far = "none yet" if best is None else f"ratio {up(polisher.ratio(best))}"
            budget.progress(f"restart {count} of {settings.restarts}: {so_far}")
        if best is not None:
            budget.progress("polishing")
            for better in polisher.improvements(best, budget):
                best = better
    return Answer(best, None if best is None else polisher.worth(best), count, _why(part, budget))


def _why(part: best_so_far, budget: Budget) -> str | None:
    """What ended a search early, if anything did."""
    if part.interrupted:
        return INTERRUPTED
    return "the time was over" if part.stopped == budget.time_over else part.stopped or None


def shown(settings: TableSearch, answer: Answer) -> str:
    """The answer for a reader."""
    counted = f"{answer.restarts} restart{'' if answer.restarts == 1 else 's'}"
    effort = f"{counted} with seed {settings.seed}" + (f" ({answer.stopped})" if answer.stopped else "")
    if answer.core is None or answer.worth is None:
        return f"No core with a gap was found in {effort}. That does not show that there is none."
    worth = answer.worth
    table = [(" ".join(map(str, prefix)), law) for prefix, law in answer.core.table.items()]
    width = max(len("inputs so far"), *(len(prefix) for prefix, _ in table)) + 2
    return "\n".join(
        [
            f"At e^ε = {text(settings.exp_epsilon)} adaptive adversaries reach δ = {_number(worth.adaptive)}, "
            f"fixed streams {_number(worth.fixed)}: ratio {_number(worth.ratio)}.",
            "",
            f"{'inputs so far':{width}}probabilities of the outputs 0, 1, ...",
            *(f"{prefix:{width}}{_weights(law)}" for prefix, law in table),
            "",
            f"The best of {effort}; there may be better ones.",
        ]
    )


def _number(value: Fraction) -> str:
    """Always exact, however long: the table above is worth exactly this."""
    return f"{text(value)} ({near(value)})"


def _weights(law: Law) -> str:
    return " ".join(map(text, law))


class LawDocument(TypedDict):
    """The law of the next output after some inputs, as rationals."""

    prefix: list[int]
    law: list[str]


class CoreDocument(TypedDict):
    """A core that was found, and what it is worth, exactly."""

    fixed_stream_delta: str
    adaptive_delta: str
    ratio: str
    laws: list[LawDocument]


class SearchDocument(TypedDict):
    """A search and its answer."""

    schema: str
    inputs: int
    outputs: int
    horizon: int
    exp_epsilon: str
    least_delta: str
    seed: int
    restarts: int
    stopped: str | None
    found: CoreDocument | None


def document(asked_search: TableSearch, answer: Answer) -> SearchDocument:
    """The answer as JSON, the same on every run unless the time ended it."""
    core: CoreDocument | None = None
    if answer.core is not None and answer.worth is not None:
        worth = answer.worth
        core = {
            "fixed_stream_delta": text(worth.fixed),
            "adaptive_delta": text(worth.adaptive),
            "ratio": text(worth.ratio),
            "laws": [{"prefix": [*p], "law": [*map(text, law)]} for p, law in answer.core.table.items()],
        }
    return {
        "schema": SCHEMA,
        "inputs": asked_search.shape.inputs,
        "outputs": asked_search.shape.outputs,
        "horizon": asked_search.shape.horizon,
        "exp_epsilon": text(asked_search.exp_epsilon),
        "least_delta": text(asked_search.least_delta),
        "seed": asked_search.seed,
        "restarts": answer.restarts,
        "stopped": answer.stopped,
        "found": core,
    }


def source(settings: TableSearch, core: Tabulated, worth: Worth, path: Path) -> str:
    """The core as a Python file that runs on its own."""
    return rendered(
        path,
        TEMPLATE,
        alphabet=core.alphabet,
        horizon=core.horizon,
        table=[(prefix, _weights(law)) for prefix, law in core.table.items()],
        command=settings.command,
        exp_epsilon=text(settings.exp_epsilon),
        fixed=text(worth.fixed),
        adaptive=text(worth.adaptive),
        ratio=text(worth.ratio),
    )


@click.command()
@click.option("--inputs", type=WholeNumber(), required=True, help="Inputs of one round, at least 2.")
@click.option("--outputs", type=WholeNumber(), required=True, help="Outputs of one round, at least 2.")
@click.option("--horizon", type=WholeNumber(), required=True, help="Rounds played, at least 2.")
@click.option("--exp-epsilon", type=Rational(), required=True, help="Rational e^epsilon at which delta is compared.")
@click.option(
    "--least-delta", type=Rational(), default="1/20", show_default=True, help="Fixed-stream delta that counts."
)
@click.option("--restarts", type=WholeNumber(), default=40, show_default=True, help="Random beginnings.")
@worker_options("Processes that climb at once [default: 1].", "climb")
@click.option(
    "--seconds", type=WholeNumber(), default=60, show_default=True, help="Seconds after which the best so far is given."
)
@click.option(
    "--seed",
    type=WholeNumber(),
    default=1,
    show_default=True,
    help="Same seed, same answer, but for what the time cuts off.",
)
@click.option("--json", "json_path", metavar="FILE", help="Write what was found; - is standard output.")
@click.option("-o", "--output", metavar="NAME.py", help="Write the mechanism as a file that `dpcert audit` takes.")
@click.pass_obj
def search(
    interrupts: Interrupts,
    /,
    inputs: int,
    outputs: int,
    horizon: int,
    exp_epsilon: Fraction,
    least_delta: Fraction,
    restarts: int,
    seconds: int,
    seed: int,
    jobs: int | None,
    scheduler: str | None,
    json_path: str | None,
    output: str | None,
) -> int:
    """Search small cores for one whose adaptive delta is many times its fixed-stream delta.

    The search uses floats; what it prints is a rational table and its exact deltas, the larger of both orders of
    worlds. Finding none proves nothing. An interrupt (Ctrl-C) ends with the best so far. Exit status: 0 a core with a
    gap was found, 3 none was.
    """
    settings = TableSearch(Shape(inputs, outputs, horizon), exp_epsilon, least_delta, seed, restarts)
    workers = workers_asked(jobs, scheduler, otherwise=1)
    path = Path(output or "found.py")
    class_name(path)  # refuses a bad name before the work
    to = places(json=json_path, output=output)
    if json_path != "-":
        place("-")
    with progress_line(False) as progress:
        answer = answered(settings, Budget(max_seconds=seconds, progress=progress), workers)
        interrupts.working = False
    written = encodable(shown(settings, answer), sys.stdout.encoding)
    write_all(_results(settings, answer, path, to), None if json_path == "-" else lambda: click.echo(written))
    if answer.core is None:
        return NONE_FOUND
    if output is not None:
        command = ["dpcert", "audit", f"{output}:{class_name(path)}", "--exp-epsilon", text(exp_epsilon)]
        click.echo(f"Wrote {one_line(output)}. Next:\n  {shlex.join(command)}", err=json_path == "-")
    return 0


def _results(
    settings: TableSearch, answer: Answer, path: Path, to: Mapping[str, Place]
) -> list[tuple[Place | None, Callable[[], str]]]:
    """What is written where: the answer as JSON and, where there is a core, the mechanism."""
    core, worth = answer.core, answer.worth
    outputs: list[tuple[Place | None, Callable[[], str]]] = [
        (to.get("json"), lambda: json.dumps(document(settings, answer), indent=1) + "\n")
    ]
    if core is not None and worth is not None:
        outputs.append((to.get("output"), lambda: source(settings, core, worth, path)))
    return outputs
