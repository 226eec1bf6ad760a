"""`dpcert report`: a record read again, refused where it contradicts itself, and shown as a page."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpcert.audit.commands.interrupts import reading
from dpcert.audit.commands.output import Place, not_over, place, reason
from dpcert.audit.errors import ArgumentError, one_line

if TYPE_CHECKING:
    from dpcert.audit.records.contract import PageDocument


@click.command()
@click.argument("record", metavar="RECORD")
@click.option("-o", "--output", required=True, metavar="PAGE", help="Where the page goes; - is standard output.")
@click.option(
    "--format", "form", type=click.Choice(("html", "md")), default="html", show_default=True, help="md: Markdown."
)
@click.option("--title", metavar="TEXT", help="A title of your own for the page.")
@click.option("--note", metavar="TEXT", help="What the page says in your own words, in one line or several.")
def report(record: str, output: str, form: str, title: str | None, note: str | None) -> int:
    """Turn a record into its page: RECORD.json of an audit, RECORD.jsonl of a suite.

    A record that contradicts itself is refused. The record of a suite may be that of a run that was killed: PAGE is the
    index, and the page of each case goes to a folder beside it. For a PDF, print the HTML page from a browser.
    """
    with reading():  # here and not above, so that help need not wait for it
        from dpcert.audit.commands.pages import FORMS
        from dpcert.audit.records.beside import said, with_page
        from dpcert.audit.records.record import Record, read
    where, page = place(output), said(title, note)
    not_over(record, where)
    try:
        text = sys.stdin.read() if record == "-" else Path(record).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # a name that no file can have, or no UTF-8
        raise ArgumentError(f"Expected a readable record but got record={one_line(record)} ({reason(error)})") from None
    if _is_suite(text):
        _suite(text, where, form, page)
    else:
        where.write(FORMS[form](Record(with_page(read(text).document, page))))
    return 0


def _is_suite(text: str) -> bool:
    """Whether the first line is that of a suite's record."""
    from dpcert.audit.suites import journal

    try:
        first = json.loads(text.partition("\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("schema") == journal.SCHEMA


def _suite(text: str, where: Place, form: str, page: "PageDocument") -> None:
    """The pages of a suite, from its record."""
    from dpcert.audit.commands.pages import write_index
    from dpcert.audit.exchange.checks import checked
    from dpcert.audit.exchange.recorded import recorded

    name, outcomes = recorded(text)
    spent = sum(one.milliseconds for one in outcomes)
    where.write(write_index([checked(one) for one in outcomes], (), where, name, page, spent, form))
