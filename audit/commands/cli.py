"""The command line: `dpcert audit`, `dpcert list`, `dpcert report`, and the commands of other modules.

Every command stands in a module of its own, read once it is called: help and lists wait for nothing else.
"""

import contextlib
import os
import sys
from typing import Any

import click

from dpcert.audit import entries
from dpcert.audit.commands.interrupts import Ended, Interrupts
from dpcert.audit.commands.unread import Unread
from dpcert.audit.entries import Entry

OWN = {
    name: Entry(name, f"dpcert.audit.commands.{name}:{name}", entries.COMMANDS)
    for name in ("audit", "completion", "doctor", "explain", "new", "report", "search", "verify")
} | {"list": Entry("list", "dpcert.audit.commands.listed:list_targets", entries.COMMANDS)}
"""Commands of this layer."""


class Wide(click.Context):
    """Knows how wide the terminal is without `shutil`, which reads four libraries of compression for it."""

    def make_formatter(self) -> click.HelpFormatter:
        """As wide as the terminal, within click's bounds."""
        columns = os.environ.get("COLUMNS", "")
        width = int(columns) if columns.isascii() and columns.isdigit() else 0
        if not width:
            with contextlib.suppress(AttributeError, ValueError, OSError):
                width = os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]  # as just said
        most = self.max_content_width or 80
        return click.HelpFormatter(width=max(min(width or 80, most) - 2, 50), max_width=most)


class Commands(click.Group):
    """The commands, those of upper layers and other packages included (entry-point group `dpcert.commands`).

    An interrupt that no command made use of ends in one line.
    """

    context_class = Wide

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


def main(arguments: list[str] | None = None) -> None:
    """The entry point: runs a command and exits with its status; no traceback of ours reaches a user."""
    interrupts = Interrupts()
    interrupts.install()
    try:
        status = run(sys.argv[1:] if arguments is None else arguments, interrupts)
    except (Ended, KeyboardInterrupt):  # another one, while the line about the last was being printed
        from dpcert.audit.kernels.telling import UNDECIDED

        status = UNDECIDED
    sys.exit(status)


def run(arguments: list[str], interrupts: Interrupts | None = None) -> int:
    """The exit status of one command line."""
    try:
        return _ran(arguments, interrupts or Interrupts())
    except BaseException as error:  # noqa: BLE001 - whatever it is becomes one line
        return _ended(error)


def _ended(error: BaseException) -> int:
    """The exit status of a command that an error ended, once that was said. Raises: SystemExit: of the parser."""
    from dpcert.audit.commands.output import abandon
    from dpcert.audit.errors import one_line
    from dpcert.audit.finding import BAD_INPUT
    from dpcert.audit.kernels.border import frame_of
    from dpcert.audit.kernels.telling import UNDECIDED, told

    if isinstance(error, click.ClickException):
        return _said(one_line(error.format_message()), BAD_INPUT)
    if isinstance(error, BrokenPipeError):
        abandon()
        return BAD_INPUT
    if isinstance(error, (Ended, KeyboardInterrupt, click.Abort)):
        return _said("interrupted; nothing was decided", UNDECIDED)
    if isinstance(error, SystemExit) and frame_of(error) is None:  # its work is done
        raise error
    return _said(*told(error))


def _ran(arguments: list[str], interrupts: Interrupts) -> int:
    status = cli.main(arguments, prog_name="dpcert", standalone_mode=False, obj=interrupts)
    if sys.stdout is not None and not sys.stdout.closed:
        _flushed()
    return int(status or 0)


def _flushed() -> None:
    """What was printed arrives. Raises: OutputError: it does not."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        from dpcert.audit.commands.output import shown

        shown(sys.stdout.flush)  # which finds the same, and says so


def _said(line: str, status: int) -> int:
    """One line on standard error, where there is one."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"dpcert: {line}", err=True)
    return status
