"""What the commands of this layer have in common at their end: a document, a page and a text, each to its place."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from dpcert.audit.commands.output import Place, not_over, place, places, write_all


@dataclass(frozen=True)
class Destinations:
    """Places that were looked at before the work.

    Attributes:
        files: By option, json or html, as far as they are asked for.
        printed: Whether standard output is left for the text.
    """

    files: Mapping[str, Place]
    printed: bool

    def write(self, text: Callable[[], str], document: Callable[[], Any], page: Callable[[], str] = str) -> None:
        """Prints the text, and writes the document as JSON and the page, each where it is asked for.

        Raises: OutputError: with all that could not be written.
        """
        from dpcert.audit.render.text import encodable

        outputs = [
            (self.files.get("json"), lambda: json.dumps(document(), ensure_ascii=False, indent=1) + "\n"),
            (self.files.get("html"), page),
        ]
        write_all(
            outputs, (lambda: click.echo(encodable(text(), sys.stdout.encoding), nl=False)) if self.printed else None
        )


def destinations(json_path: str | None, html_path: str | None = None, *, reads: str | None = None) -> Destinations:
    """Where a command writes; nothing is written yet, and never in place of the file that it `reads`.

    Raises: ArgumentError: two places are one, or what is read. OutputError: it cannot be written there.
    """
    to, printed = places(json=json_path, html=html_path), "-" not in (json_path, html_path)
    if reads is not None:
        not_over(reads, *to.values())
    if printed:
        place("-")
    return Destinations(to, printed)
