"""The command line: `dpcert audit`, `dpcert list`, `dpcert report`, and the commands of other modules."""

import contextlib
import sys
from importlib.metadata import EntryPoint
from typing import Any

import click

from dpcert.audit import entries
from dpcert.audit.commands.arguments import Rational, RoundsOrInf, WholeNumber
from dpcert.audit.commands.completion import complete_target
from dpcert.audit.commands.exchanged import FILES, Baseline, exchanging
from dpcert.audit.commands.interrupts import Ended, Interrupts, reading
from dpcert.audit.commands.output import abandon, shown
from dpcert.audit.commands.scope_options import challenge_round_option, exp_epsilon_option, param_option
from dpcert.audit.commands.unread import Unread
from dpcert.audit.defaults import DEFAULT_ADJACENCY
from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.finding import BAD_INPUT
from dpcert.audit.kernels.border import frame_of
from dpcert.audit.kernels.telling import UNDECIDED, told

OWN = {
    name: EntryPoint(name, f"dpcert.audit.commands.{name}:{name}", entries.COMMANDS)
    for name in ("completion", "doctor", "explain", "new", "report", "search", "verify")
}
"""Commands of this layer that stand in modules of their own, read once they are called."""

OF_ONE = frozenset(
    {
        "horizon", "adjacency", "hops", "game", "challenge_round", "params", "exp_epsilons", "epsilons", "deltas",
        "claims", "deltas_at", "require_no_gap", "require_certified", "slack", "details", "declared", "registry",
        "certificate_rung", "tier", "gap", "checkpoint", "runs", "confidence", "seed",
    }
)  # fmt: skip
"""Parameters of `dpcert audit` that are about one target."""
OF_MANY = frozenset({"only", "jobs", "scheduler"})
"""Those that are about a suite."""
OF_SAMPLES = frozenset({"runs", "confidence", "seed"})
"""Those that are about runs of a black box."""


class Commands(click.Group):
    """The commands, those of upper layers and other packages included (entry-point group `dpcert.commands`).

    An interrupt that no command made use of ends in one line.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all commands."""
        return sorted({*super().list_commands(ctx), *OWN, *entries.entries(entries.COMMANDS)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Our own command of that name, else an installed one; read once it is called."""
        entry = OWN.get(cmd_name) or entries.entries(entries.COMMANDS).get(cmd_name)
        return super().get_command(ctx, cmd_name) or (Unread(entry) if entry is not None else None)

    def invoke(self, ctx: click.Context) -> Any:
        """Keeps click from printing a line of its own."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Ended from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="dpcert", prog_name="dpcert")
def cli() -> None:
    """Exact privacy of interactive, continually releasing mechanisms.

    Exit status: 0 every check asked for holds; 1 refuted, with a witness; 2 bad input; 3 undecided.
    """


@cli.command()
@click.argument("target", required=False, shell_complete=complete_target)
@click.option("--suite", metavar="FILE", help="Run the cases of a suite instead of one TARGET.")
@click.option("--only", multiple=True, metavar="CASE", help="With --suite: a case, or a pattern of them; repeatable.")
@click.option(
    "--jobs",
    type=WholeNumber(),
    default=1,
    show_default=True,
    help="With --suite or --tier sampled: processes at once.",
)
@click.option("--scheduler", metavar="ADDRESS", help="With --suite: a Dask scheduler, whose workers decide the cases.")
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
@click.option("--checkpoint", metavar="FILE", help="Keep what was found in FILE, and go on from there after a kill.")
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
    given = {name for name in options if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT}
    if (target is None) is (suite is None):
        got = "neither" if target is None else f"target={one_line(target or '')} and suite={one_line(suite or '')}"
        raise ArgumentError(f"Expected a TARGET or --suite FILE but got {got}")
    _check_given(context, given, suite)
    baseline = Baseline.read(options["baseline"], options["update_baseline"], options["accept"])
    files = {"json": options["json_path"], "html": options["html_path"], "registry": options["registry"]}
    files |= {"certificate": options["certificate_path"]}
    files |= {name: options[name] for name in FILES}
    if suite is not None:
        return _run_suite(suite, options, files, baseline, context.obj)
    with reading():  # here and not above, so that lists and help need not wait for it
        from dpcert.audit.commands import single
    return single.run(target or "", options, files, baseline, context.obj)


def _check_given(context: click.Context, given: set[str], suite: str | None) -> None:
    """Raises: ArgumentError: an option that is about one target beside a suite, or the other way about."""
    sampled = context.params["tier"] == "sampled"
    alone = given & OF_SAMPLES
    if suite is None and alone and not sampled:
        raise ArgumentError(f"Expected --{min(alone)} with --tier sampled but got it without")
    if sampled and (other := given & {"gap", "checkpoint"}):
        raise ArgumentError(f"Expected --{min(other)} with bounds that are refined but got it with --tier sampled")
    wrong = sorted(given & (OF_ONE if suite is not None else OF_MANY - ({"jobs"} if sampled else set())))
    if wrong:
        option = next(p.opts[-1] for p in context.command.params if p.name == wrong[0])
        where = "in the suite, not beside --suite" if suite is not None else "with --suite"
        raise ArgumentError(f"Expected {option} {where}, but got it on the command line")
    if {"jobs", "scheduler"} <= given:
        raise ArgumentError("Expected --jobs or --scheduler but got both")


def _run_suite(
    suite: str, options: dict[str, Any], files: dict[str, str | None], baseline: Baseline, interrupts: Interrupts
) -> int:
    with reading():
        from dpcert.audit.commands.suite import Asked, run
        from dpcert.audit.records.beside import said
    asked = Asked(
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
    )
    return run(asked, interrupts)


@cli.command("list")
@click.option("--broken", is_flag=True, help="List the deliberate faults, each with its repaired twin, instead.")
def list_targets(broken: bool) -> int:
    """List the built-in mechanisms, one a line."""
    listed = entries.broken() if broken else entries.built_in()
    width = max(map(len, listed), default=0) + 2
    for name, entry in listed.items():
        click.echo(f"{name:{width}}{_first_line(entry)}")
    return 0


def _first_line(entry: EntryPoint) -> str:
    try:
        return one_line((entries.docstring(entry) or entry.load().__doc__ or "").strip().split("\n")[0])
    except Exception as error:  # noqa: BLE001 - another package's target may fail in any way; the list goes on
        return f"(does not load: {type(error).__name__})"


def main(arguments: list[str] | None = None) -> None:
    """The entry point: runs a command and exits with its status; no traceback of ours reaches a user."""
    interrupts = Interrupts()
    interrupts.install()
    try:
        status = run(sys.argv[1:] if arguments is None else arguments, interrupts)
    except (Ended, KeyboardInterrupt):  # another one, while the line about the last was being printed
        status = UNDECIDED
    sys.exit(status)


def run(arguments: list[str], interrupts: Interrupts | None = None) -> int:
    """The exit status of one command line."""
    try:
        return _ran(arguments, interrupts or Interrupts())
    except click.ClickException as error:
        return _said(one_line(error.format_message()))
    except BrokenPipeError:
        abandon()
        return BAD_INPUT
    except (Ended, KeyboardInterrupt, click.Abort):
        return _said("interrupted; nothing was decided", UNDECIDED)
    except BaseException as error:
        if isinstance(error, SystemExit) and frame_of(error) is None:  # of the parser, whose work is done
            raise
        return _said(*told(error))


def _ran(arguments: list[str], interrupts: Interrupts) -> int:
    status = cli.main(arguments, prog_name="dpcert", standalone_mode=False, obj=interrupts)
    if sys.stdout is not None and not sys.stdout.closed:
        shown(sys.stdout.flush)
    return int(status or 0)


def _said(line: str, status: int = BAD_INPUT) -> int:
    """One line on standard error, where there is one."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"dpcert: {line}", err=True)
    return status
