"""`dpcert tables`: those of the counterexample, or of a mechanism, printed, written, or compared with files."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from dpcert.audit.commands.arguments import WholeNumber
from dpcert.audit.commands.completion import complete_target
from dpcert.audit.commands.interrupts import Interrupts
from dpcert.audit.commands.output import place
from dpcert.audit.commands.scope_options import challenge_round_option, exp_epsilon_option, param_option
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.render.text import encodable
from dpcert.proofs_checked.files import compare_files, make_folder, write_files
from dpcert.proofs_checked.tables.content import tables
from dpcert.proofs_checked.tables.formats import FORMATS, markdown
from dpcert.proofs_checked.tables.of_target import SUFFIXES, AskedTables, made

PUBLISHED = Path("reports") / "tables"


class Suffixes(click.ParamType[tuple[str, ...]]):
    """Formats, with commas between them."""

    name = "FORMATS"

    def convert(self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None) -> tuple[str, ...]:
        """The formats in our order, each once."""
        given = value if isinstance(value, tuple) else tuple(part.strip() for part in str(value).split(","))
        if not set(given) <= set(SUFFIXES) or not given:
            raise expected(f"formats among {', '.join(SUFFIXES)}, with commas between them,", format=value)
        return tuple(suffix for suffix in SUFFIXES if suffix in given)


@click.command("tables")
@click.argument("target", required=False, shell_complete=complete_target)
@click.option("--check", "checking", is_flag=True, help="Compare with the files, byte for byte, instead.")
@click.option(
    "--write",
    "--out",
    "folder",
    metavar="DIR",
    help="Write a file a table and format; with --check, compare [reports/tables without TARGET].",
)
@click.option("--format", "suffixes", type=Suffixes(), help="With TARGET and --write: some of md,csv,tex,pdf [all].")
@click.option("--horizon", type=WholeNumber(), help="Rounds played [default: its own, or 3].")
@click.option("--adjacency", metavar="NAME", help="Neighbouring relation [default: hamming].")
@click.option("--hops", type=WholeNumber(), help="Neighbours apart the streams are [default: 1].")
@challenge_round_option
@param_option()
@exp_epsilon_option("in the table of the gap")
@click.option("--max-positions", type=WholeNumber(), help="Positions explored at most [default: 20000].")
@click.option("--max-seconds", type=WholeNumber(), help="Seconds after which what is known is tabulated.")
@click.pass_context
def tables_command(
    context: click.Context, /, target: str | None, checking: bool, folder: str | None, **options: Any
) -> int:
    """Compute the tables of the two-round counterexample, or of TARGET.

    Kernels, fixed pairs of streams, transcripts, hulls, the interval of the gap, and a family of larger gaps, as exact
    fractions. Printed as Markdown, or written to a folder. Exit status with --check: 0 every file is what is computed,
    1 one is not, and it says where.

    With a TARGET as for `dpcert audit`, the same of that mechanism: kernels, pairs of them, hulls, the gap, the fixed
    pairs of streams that attain and an adversary that does, with their transcripts; the figures as PDF. A table that
    is too long, or not known, is left out by name: exit status 3.
    """
    if target is not None:
        request = AskedTables(target, folder, checking, **options)
        return _of_target(request, context.obj or Interrupts())
    beside = next((name for name, value in options.items() if value not in (None, ())), None)
    if beside is not None:
        option = next(p.opts[0] for p in context.command.params if p.name == beside)
        raise ArgumentError(f"Expected {option} with a TARGET, but got it without one")
    if checking:
        return compare_files(Path(folder) if folder is not None else PUBLISHED, _encoded(files()), "tables")
    if folder is None:
        click.echo(encodable("\n".join(map(markdown, tables())), sys.stdout.encoding), nl=False)
        return 0
    make_folder(Path(folder))
    place(str(Path(folder) / "a file"))
    found = files()
    for name, where in [(name, place(str(Path(folder) / name))) for name in found]:
        where.write(found[name])
    click.echo(f"Wrote {len(found)} files to {one_line(folder)}.")
    return 0


def files() -> dict[str, str]:
    """File name -> content, every table of the counterexample in every format."""
    return {f"{table.name}.{suffix}": form(table) for table in tables() for suffix, form in FORMATS.items()}


def _of_target(request: AskedTables, interrupts: Interrupts) -> int:
    """The exit status of the tables of one mechanism: each is written, or printed, as soon as it is made."""
    if request.folder is None and (request.checking or request.suffixes is not None):
        raise ArgumentError("Expected --write DIR with --check or --format of a TARGET, but got none")
    if request.folder is not None and not request.checking:
        make_folder(Path(request.folder))
        place(str(Path(request.folder) / "a file"))
    answer = made(request, interrupts)
    if request.checking:
        status = compare_files(Path(request.folder or ""), answer.files(), "tables")
    elif request.folder is not None:
        status = write_files(Path(request.folder), answer.files())
    else:
        status = _printed(answer.files())
    if answer.missing:
        click.echo(f"dpcert: left out of the tables: {one_line('; '.join(answer.missing), 2_000)}", err=True)
    return status or (3 if answer.missing else 0)


def _printed(found: Iterator[tuple[str, bytes]]) -> int:
    for number, (_, content) in enumerate(found):
        click.echo(encodable(("\n" if number else "") + content.decode(), sys.stdout.encoding), nl=False)
    return 0


def _encoded(found: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    return ((name, content.encode()) for name, content in found.items())
