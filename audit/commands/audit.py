"""`dpcert audit`: its options, and whether it is about one target or a suite."""

from typing import Any

import click

from dpcert.audit.commands.arguments import Rational, RoundsOrInf, WholeNumber
from dpcert.audit.commands.completion import complete_target
from dpcert.audit.commands.exchanged import FILES, Baseline, exchanging
from dpcert.audit.commands.interrupts import Interrupts, reading
from dpcert.audit.commands.scope_options import challenge_round_option, exp_epsilon_option, param_option
from dpcert.audit.defaults import DEFAULT_ADJACENCY
from dpcert.audit.errors import ArgumentError, one_line

OF_ONE = frozenset(
    {
        "horizon", "adjacency", "hops", "game", "challenge_round", "params", "exp_epsilons", "epsilons", "deltas",
        "claims", "deltas_at", "require_no_gap", "require_certified", "slack", "details", "declared", "registry",
        "certificate_rung", "tier", "gap", "checkpoint", "runs", "confidence", "seed",
    }
)  # fmt: skip
"""Parameters of `dpcert audit` that are about one target."""
OF_MANY = frozenset({"only", "cache"})
"""Those that are about a suite."""
OF_SAMPLES = frozenset({"runs", "confidence", "seed"})
"""Those that are about runs of a black box."""


@click.command()
@click.argument("target", required=False, shell_complete=complete_target)
@click.option("--suite", metavar="FILE", help="Run the cases of a suite instead of one TARGET.")
@click.option("--only", multiple=True, metavar="CASE", help="With --suite: a case, or a pattern of them; repeatable.")
@click.option(
    "--jobs",
    type=WholeNumber(),
    default=1,
    show_default=True,
    help="Processes at once: for a suite's cases, sampled runs, or very many runs of scripted or seeded code.",
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="A Dask scheduler, whose workers decide a suite's cases, or make such runs."
)
@click.option(
    "--cache", metavar="FOLDER", help="With --suite: results of cases, for later runs of what has not changed."
)
@click.option("--horizon", type=RoundsOrInf(), help="Rounds played, inf for every horizon [default: its own, or 3].")
@click.option("--adjacency", metavar="NAME", help="Neighbouring relation [default: hamming; edit for npp].")
@click.option("--hops", type=WholeNumber(), default=1, show_default=True, help="Neighbours apart the streams are.")
@click.option(
    "--game",
    type=click.Choice(tuple(DEFAULT_ADJACENCY)),
    default="paired",
    show_default=True,
    help="npp: both hidden outputs are seen.",
)
@challenge_round_option
@param_option()
@exp_epsilon_option("at which delta is exact")
@click.option(
    "--epsilon",
    "epsilons",
    multiple=True,
    type=Rational(),
    metavar="DECIMAL",
    help="epsilon at which delta is enclosed; repeatable.",
)
@click.option(
    "--delta",
    "deltas",
    multiple=True,
    type=Rational(),
    metavar="DECIMAL",
    help="delta for which epsilon is enclosed; repeatable.",
)
@click.option("--json", "json_path", metavar="FILE", help="Write the record; - is standard output.")
@click.option("--html", "html_path", metavar="FILE", help="Write the report as one HTML page; - is standard output.")
@click.option(
    "--certificate",
    "certificate_path",
    metavar="FILE",
    help="Write a certificate for `dpcert verify`; with --suite, a folder of them.",
)
@click.option(
    "--certificate-gap", type=Rational(), metavar="D", help="What its bounds may exceed delta by [default: 1e-9]."
)
@click.option("--certificate-rung", is_flag=True, help="It also shows why fixed streams do as well, by a theorem.")
@click.option("--context", "declared", metavar="FILE", help="What is declared of the mechanism's use, as TOML.")
@click.option("--registry", metavar="FILE", help="Write a draft entry of a deployments registry, as YAML.")
@click.option(
    "--claim", "claims", multiple=True, metavar="CLAIM", help="eps=E,delta=D or rho=R or mu=M to hold; repeatable."
)
@click.option("--require-delta", "deltas_at", multiple=True, metavar="Q:D", help="delta at most D at e^epsilon = Q.")
@click.option(
    "--require-no-gap", is_flag=True, help="Adaptive adversaries gain nothing [default, if nothing is asked]."
)
@click.option("--require-certified", is_flag=True, help="Every condition of Checklist 1 holds.")
@click.option("--slack", type=Rational(), default="0", metavar="D", help="An excess of delta that is let pass.")
@click.option("--max-positions", type=WholeNumber(), help="Positions explored before bounds are given instead.")
@click.option(
    "--max-seconds", type=WholeNumber(), help="Seconds after which bounds are given instead; with --suite, for all."
)
@click.option(
    "--tier",
    type=click.Choice(("auto", "exact", "enclosed", "sampled")),
    default="auto",
    show_default=True,
    help="enclosed: bounds that are refined; auto: past the exact bound; sampled: a black box, by runs.",
)
@click.option("--gap", type=Rational(), metavar="G", help="How near bounds are to come [default: 1e-6].")
@click.option(
    "--checkpoint", metavar="FILE", help="Keep what was found in FILE, or in a file of a folder, and go on from there."
)
@click.option("--runs", type=WholeNumber(), metavar="N", help="With --tier sampled: runs in all [default: 20000].")
@click.option("--confidence", type=Rational(), metavar="C", help="Its bounds are right with it [default: 0.999].")
@click.option(
    "--seed", type=WholeNumber(), metavar="S", help="What its runs follow from, whatever --jobs is [default: 1]."
)
@exchanging
@click.option("--title", metavar="TEXT", help="A title of your own for the page.")
@click.option("--note", metavar="TEXT", help="What the page says in your own words, in one line or several.")
@click.option("--details", is_flag=True, help="On a terminal, print every rung, whole curves and the adversary, too.")
@click.option("--quiet", is_flag=True, help="Print one line if it is not as it should be, and nothing else.")
@click.pass_context
def audit(context: click.Context, /, target: str | None, suite: str | None, **options: Any) -> int:
    """Compute the exact privacy of TARGET against fixed streams and against adaptive adversaries.

    TARGET is a built-in name (see `dpcert list`), package.module:Name, or path/to/file.py:Name. An interrupt (Ctrl-C)
    or a bound on the work ends with the best bounds so far and exit status 3; a second interrupt ends at once. With
    --suite, the cases of a TOML file are audited, each in a process of its own.
    """
    explicit = {
        name for name in options if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
    }
    if (target is None) is (suite is None):
        got = "neither" if target is None else f"target={one_line(target or '')} and suite={one_line(suite or '')}"
        raise ArgumentError(f"Expected a TARGET or --suite FILE but got {got}")
    _check_given(context, explicit, suite)
    baseline = Baseline.read(options["baseline"], options["update_baseline"], options["accept"])
    files = {"json": options["json_path"], "html": options["html_path"], "registry": options["registry"]}
    files |= {"certificate": options["certificate_path"]}
    files |= {name: options[name] for name in FILES}
    if suite is not None:
        return _run_suite(suite, options, files, baseline, context.obj)
    with reading():  # here and not above, so that lists and help need not wait for it
        from dpcert.audit.commands import single
    return single.run(target or "", options, files, baseline, context.obj)


def _check_given(context: click.Context, explicit: set[str], suite: str | None) -> None:
    """Raises: ArgumentError: an option that is about one target beside a suite, or the other way about."""
    sampled = context.params["tier"] == "sampled"
    alone = explicit & OF_SAMPLES
    if suite is None and alone and not sampled:
        raise ArgumentError(f"Expected --{min(alone)} with --tier sampled but got it without")
    if sampled and (other := explicit & {"gap", "checkpoint"}):
        raise ArgumentError(f"Expected --{min(other)} with bounds that are refined but got it with --tier sampled")
    if suite is not None and "checkpoint" in explicit:
        raise ArgumentError("Expected --cache FOLDER with --suite but got --checkpoint, which is of one target")
    if context.params["checkpoint"] == "":
        raise ArgumentError("Expected a file or a folder but got checkpoint=")
    if sampled and "scheduler" in explicit:
        raise ArgumentError("Expected --jobs with --tier sampled but got --scheduler")
    wrong = sorted(explicit & (OF_ONE if suite is not None else OF_MANY))
    if wrong:
        option = next(p.opts[-1] for p in context.command.params if p.name == wrong[0])
        where = "in the suite, not beside --suite" if suite is not None else "with --suite"
        raise ArgumentError(f"Expected {option} {where}, but got it on the command line")
    if {"jobs", "scheduler"} <= explicit:
        raise ArgumentError("Expected --jobs or --scheduler but got both")


def _run_suite(
    suite: str, options: dict[str, Any], files: dict[str, str | None], baseline: Baseline, interrupts: Interrupts
) -> int:
    with reading():
        from dpcert.audit.commands.suite import SuiteOptions, run
        from dpcert.audit.records.beside import said
    request = SuiteOptions(
        file=suite,
        only=options["only"],
        jobs=options["jobs"],
        scheduler=options["scheduler"],
        max_positions=options["max_positions"],
        max_seconds=options["max_seconds"],
        files=files,
        style=options["junit_style"],
        annotations=options["annotations"] is not None,
        exit_zero=options["exit_zero"],
        quiet=options["quiet"],
        baseline=baseline,
        page=said(options["title"], options["note"]),
        certificate_gap=options["certificate_gap"],
        cache=options["cache"],
    )
    return run(request, interrupts)
