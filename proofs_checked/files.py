"""Folders of published files: written, and compared byte for byte with what is computed."""

import os
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path

import click

from dpcert.audit.commands.output import place, reason
from dpcert.audit.errors import ArgumentError, OutputError, one_line

Named = Iterable[tuple[str, bytes]]
"""Names of files in a folder with what is due in them."""


def make_folder(folder: Path) -> None:
    """The folder and those above it, if they are not there. Raises: OutputError: it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError(
            f"Expected a folder to write to but got write={one_line(str(folder))} ({reason(error)})"
        ) from None


def write_files(folder: Path, found: Named) -> int:
    """Writes each file as soon as it is made, says how many, and returns exit status 0."""
    count = 0
    for name, content in found:
        place(str(folder / name)).write(content)
        count += 1
    click.echo(f"Wrote {count} files to {one_line(str(folder))}.")
    return 0


def compare_files(folder: Path, contents: Named, what: str) -> int:
    """Says where each file differs first; exit status 0 if none does, else 1.

    Raises: ArgumentError: there is no such folder, `what` naming what was looked for in it.
    """
    if not os.path.isdir(folder):
        raise ArgumentError(f"Expected a folder of {what} but got write={one_line(str(folder))}, which is none")
    due = dict(contents)
    differing = [line for name, content in due.items() for line in _difference(folder / name, content)]
    for line in differing:
        click.echo(line)
    click.echo(f"{len(due) - len(differing)} of {len(due)} files in {one_line(str(folder))} are what is computed.")
    return 1 if differing else 0


def _difference(path: Path, due: bytes) -> list[str]:
    """Where the file first differs; nothing where it does not."""
    where = one_line(str(path))
    try:
        content = path.read_bytes()
    except OSError as error:
        return [f"{where}: cannot be read ({reason(error)})"]
    if content == due:
        return []
    pairs = enumerate(zip_longest(content.splitlines(True), due.splitlines(True), fillvalue=b""), 1)
    number, (here, computed) = next((n, pair) for n, pair in pairs if pair[0] != pair[1])
    return [f"{where}:{number}: Expected {_line(computed)} but got {_line(here)}"]


def _line(line: bytes) -> str:
    return one_line(repr(line.decode(errors="backslashreplace"))) if line else "the end"
