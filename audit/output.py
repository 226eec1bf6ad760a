"""Where results go: standard output, files, and a line of progress on a terminal."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from dpcert.audit.budget import silent
from dpcert.audit.errors import OutputError, one_line


@contextlib.contextmanager
def progress_line(quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line on standard error that says what is being done, on a terminal only."""
    console = Console(stderr=True, highlight=False, emoji=False)
    if quiet or not (console.is_terminal and sys.stderr.isatty()):
        yield silent
        return
    with console.status("") as status:
        yield lambda text: status.update(escape(text))


def write_all(outputs: list[tuple[str | None, Any]]) -> None:
    """Writes what can be written, and only then says what could not."""
    failures = []
    for path, make in outputs:
        if path is not None:
            try:
                write(path, make())
            except OutputError as error:
                failures.append(str(error))
    for failure in failures:
        click.echo(f"dpcert: {failure}", err=True)


def write(path: str, text: str) -> None:
    """The text in a file, or on standard output for `-`. Raises: OutputError: it cannot be written there."""
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise OutputError(f"Expected a writable file but got path={one_line(path)} ({reason(error)})") from None


def reason(error: Exception) -> str:
    """What the system says of an error."""
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
