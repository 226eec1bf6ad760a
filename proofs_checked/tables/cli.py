"""`dpcert tables`: the counterexample's tables printed, written, or compared with those on disk."""

import os
import sys
from itertools import zip_longest
from pathlib import Path

import click

from dpcert.audit.commands.output import place, reason
from dpcert.audit.errors import ArgumentError, OutputError, one_line
from dpcert.audit.render.text import encodable
from dpcert.proofs_checked.tables.content import tables
from dpcert.proofs_checked.tables.formats import FORMATS, markdown

PUBLISHED = Path("reports") / "tables"


@click.command("tables")
@click.option("--check", "checking", is_flag=True, help="Compare with the files, byte for byte, instead.")
@click.option(
    "--write", "folder", metavar="DIR", help="Write Markdown, CSV and LaTeX; with --check, compare [reports/tables]."
)
def tables_command(checking: bool, folder: str | None) -> int:
    """Compute the tables of the two-round counterexample.

    Kernels, fixed pairs of streams, transcripts, hulls, the interval of the gap, and a family of larger gaps, as exact
    fractions. Printed as Markdown, or written to a folder. Exit status with --check: 0 every file is what is computed,
    1 one is not, and it says where.
    """
    if checking:
        return _checked(Path(folder) if folder is not None else PUBLISHED)
    if folder is None:
        click.echo(encodable("\n".join(map(markdown, tables())), sys.stdout.encoding), nl=False)
        return 0
    _make(Path(folder))
    place(str(Path(folder) / "a file"))
    made = files()
    for name, where in [(name, place(str(Path(folder) / name))) for name in made]:
        where.write(made[name])
    click.echo(f"Wrote {len(made)} files to {one_line(folder)}.")
    return 0


def files() -> dict[str, str]:
    """File name -> content, every table in every format."""
    return {f"{table.name}.{suffix}": form(table) for table in tables() for suffix, form in FORMATS.items()}


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError(
            f"Expected a folder to write to but got write={one_line(str(folder))} ({reason(error)})"
        ) from None


def _checked(folder: Path) -> int:
    if not os.path.isdir(folder):
        raise ArgumentError(f"Expected a folder of tables but got write={one_line(str(folder))}, which is none")
    made = files()
    differing = [line for name, content in made.items() for line in _difference(folder / name, content)]
    for line in differing:
        click.echo(line)
    click.echo(f"{len(made) - len(differing)} of {len(made)} files in {one_line(str(folder))} are what is computed.")
    return 1 if differing else 0


def _difference(path: Path, content: str) -> list[str]:
    """Where the file first differs; nothing where it does not."""
    where = one_line(str(path))
    try:
        kept, due = path.read_bytes(), content.encode()
    except OSError as error:
        return [f"{where}: cannot be read ({reason(error)})"]
    if kept == due:
        return []
    pairs = enumerate(zip_longest(kept.splitlines(True), due.splitlines(True), fillvalue=b""), 1)
    number, (here, computed) = next((n, pair) for n, pair in pairs if pair[0] != pair[1])
    return [f"{where}:{number}: Expected {_line(computed)} but got {_line(here)}"]


def _line(line: bytes) -> str:
    return one_line(repr(line.decode(errors="backslashreplace"))) if line else "the end"
