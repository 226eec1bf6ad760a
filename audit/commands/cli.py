"""The command line: `dpcert audit`, `dpcert list`, `dpcert report`, and the commands of other modules."""

import contextlib
import sys
import traceback
from collections.abc import Iterator, Mapping
from fractions import Fraction
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpcert.audit import entries
from dpcert.audit.budget import Budget
from dpcert.audit.commands.arguments import Assignment, Rational, RoundsOrInf, WholeNumber, assigned
from dpcert.audit.commands.completion import complete_target
from dpcert.audit.commands.interrupts import Ended, Interrupts, reading
from dpcert.audit.commands.output import (
    Aside,
    abandon,
    not_over,
    place,
    places,
    progress_line,
    reason,
    shown,
    write_all,
)
from dpcert.audit.commands.unread import Unread
from dpcert.audit.defaults import DEFAULT_ADJACENCY, DEFAULT_EXP_EPSILONS
from dpcert.audit.errors import ArgumentError, DpcertError, ReplayError, one_line
from dpcert.audit.kernels.border import described, frame_of, place_of

if TYPE_CHECKING:
    from dpcert.audit.records.record import Record
    from dpcert.audit.verdicts.requirements import Requirements

OWN = {
    name: EntryPoint(name, f"dpcert.audit.commands.{name}:{name}", entries.COMMANDS)
    for name in ("completion", "doctor", "explain", "new", "search")
}
"""Commands of this layer that stand in modules of their own, read once they are called."""
BAD_INPUT = 2
UNDECIDED = 3
UNSTEADY = (
    "Expected a mechanism that answers alike when it is asked again (no hidden randomness, no changed state; "
    "with neither, this is a fault of dpcert) but got, in a replay"
)


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
@click.argument("target", shell_complete=complete_target)
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
@click.option("--challenge-round", type=WholeNumber(), help="The one round in which the streams differ [default: any].")
@click.option("--param", "params", multiple=True, type=Assignment(), help="A parameter of the mechanism; repeatable.")
@click.option(
    "--exp-epsilon",
    "exp_epsilons",
    multiple=True,
    type=Rational(),
    help="Rational e^epsilon at which delta is exact; repeatable [default: 1, 3/2, 2, 3, 5, 10].",
)
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
    "--claim", "claims", multiple=True, metavar="CLAIM", help="eps=E,delta=D or rho=R or mu=M to hold; repeatable."
)
@click.option("--require-delta", "deltas_at", multiple=True, metavar="Q:D", help="delta at most D at e^epsilon = Q.")
@click.option(
    "--require-no-gap", is_flag=True, help="Adaptive adversaries gain nothing [default, if nothing is asked]."
)
@click.option("--require-certified", is_flag=True, help="Every condition of Checklist 1 holds.")
@click.option("--slack", type=Rational(), default="0", metavar="D", help="An excess of delta that is let pass.")
@click.option("--max-positions", type=WholeNumber(), help="Positions explored before bounds are given instead.")
@click.option("--max-seconds", type=WholeNumber(), help="Seconds after which bounds are given instead.")
@click.option("--quiet", is_flag=True, help="Print no report; the exit status tells.")
@click.pass_obj
def audit(
    interrupts: Interrupts,
    /,
    target: str,
    params: tuple[tuple[str, str], ...],
    json_path: str | None,
    html_path: str | None,
    quiet: bool,
    claims: tuple[str, ...],
    deltas_at: tuple[str, ...],
    require_no_gap: bool,
    require_certified: bool,
    slack: Fraction,
    max_positions: int | None,
    max_seconds: int | None,
    **scope: Any,
) -> int:
    """Compute the exact privacy of TARGET against fixed streams and against adaptive adversaries.

    TARGET is a built-in name (see `dpcert list`), package.module:Name, or path/to/file.py:Name. An interrupt (Ctrl-C)
    or a bound on the work ends with the best bounds so far and exit status 3; a second interrupt ends at once.
    """
    with reading():  # here and not above, so that lists and help need not wait for it
        from dpcert.audit.verdicts.requirements import Requirements, claim, required_delta
    given = assigned(params)
    bounds = (*map(claim, claims), *map(required_delta, deltas_at))
    requirements = Requirements(bounds, require_no_gap, require_certified, slack)
    to = places(json=json_path, html=html_path)
    printed = not quiet and "-" not in (json_path, html_path)
    if printed:
        place("-")
    not_over(target.rpartition(":")[0], *to.values())
    with progress_line(quiet) as progress, _foreign_prints_on_stderr():
        record = _examined(target, given, requirements, Budget(max_positions, max_seconds, progress), scope)
        interrupts.working = False
    show_report = (lambda: _show(record.document)) if printed else None
    write_all([(to.get("json"), record.to_json), (to.get("html"), record.to_html)], show_report)
    return record.exit_status


def _examined(
    target: str, given: dict[str, str], requirements: "Requirements", budget: Budget, scope: dict[str, Any]
) -> "Record":
    """The record of a target in the scope that the options name."""
    with reading():
        from dpcert.audit.examine import examine
        from dpcert.audit.kernels import targets
    found = targets.find(target, given)
    defaults = {
        "adjacency": targets.relation(scope["adjacency"]),
        "exp_epsilons": scope["exp_epsilons"] or DEFAULT_EXP_EPSILONS,
    }
    return examine(
        found.mechanism,
        target=found.name,
        parameters=found.parameters,
        spelled=given,
        requirements=requirements,
        budget=budget,
        **scope | defaults,
    )


@cli.command("list")
@click.option("--broken", is_flag=True, help="List the deliberate faults, each with its repaired twin, instead.")
def list_targets(broken: bool) -> int:
    """List the built-in mechanisms, one a line."""
    listed = entries.broken() if broken else entries.built_in()
    width = max(map(len, listed), default=0) + 2
    for name, entry in listed.items():
        click.echo(f"{name:{width}}{_first_line(entry)}")
    return 0


@cli.command()
@click.argument("record", metavar="RECORD.json")
@click.option("-o", "--output", required=True, metavar="PAGE.html", help="Where the page goes; - is standard output.")
def report(record: str, output: str) -> int:
    """Turn a record into its HTML page."""
    where = place(output)
    not_over(record, where)
    try:
        text = sys.stdin.read() if record == "-" else Path(record).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # a name that no file can have, or no UTF-8
        raise ArgumentError(f"Expected a readable record but got record={one_line(record)} ({reason(error)})") from None
    with reading():  # here and not above, so that lists and help need not wait for it
        from dpcert.audit.records.record import read
    where.write(read(text).to_html())
    return 0


def _first_line(entry: EntryPoint) -> str:
    try:
        return one_line((entries.docstring(entry) or entry.load().__doc__ or "").strip().split("\n")[0])
    except Exception as error:  # noqa: BLE001 - another package's target may fail in any way; the list goes on
        return f"(does not load: {type(error).__name__})"


def _show(document: Mapping[str, Any]) -> None:
    """The report on standard output."""
    from rich.console import Console  # only now is a report shown

    from dpcert.audit.render.text import show

    show(document, Console(highlight=False, emoji=False))


@contextlib.contextmanager
def _foreign_prints_on_stderr() -> Iterator[None]:
    """Keeps what a mechanism prints out of our standard output."""
    with contextlib.redirect_stdout(Aside()):
        yield


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
    except DpcertError as error:
        return _said(str(error))
    except ReplayError as error:
        return _said(f"{UNSTEADY}: {one_line(str(error))}")
    except BrokenPipeError:
        abandon()
        return BAD_INPUT
    except (Ended, KeyboardInterrupt, click.Abort):
        return _said("interrupted; nothing was decided", UNDECIDED)
    except BaseException as error:  # noqa: BLE001 - the last line of defence: no traceback of ours reaches a user
        return _blamed(error)


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


def _blamed(error: BaseException) -> int:
    """Whose fault it was, by the frames that it came through: the user's if one of theirs is among them."""
    frame = frame_of(error)
    if frame is None and isinstance(error, SystemExit):  # of the parser, whose work is done
        raise error
    if frame is not None:
        return _said(f"{one_line(frame.name)} raised {described(error)}{place_of(error)}")
    if isinstance(error, MemoryError):
        return _said("Expected a scope that fits into the memory but got more than there is", UNDECIDED)
    return _said(f"a fault of dpcert, not of yours: {_fault(error)}", UNDECIDED)


def _fault(error: BaseException) -> str:
    """What happened and where, on one line, for a report to us."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return one_line(f"{described(error)} ({Path(frame.filename).name}:{frame.lineno})")
