"""`dpcert report`: a record read again, refused where it contradicts itself, and shown as a page."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpcert.audit.commands.interrupts import reading
from dpcert.audit.commands.output import Place, not_over, places, reason, write_all
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
@click.option("--context", "declared", metavar="FILE", help="What is declared of the mechanism's use, as TOML.")
@click.option("--registry", metavar="FILE", help="Write a draft entry of a deployments registry, as YAML.")
def report(record: str, output: str, form: str, declared: str | None, registry: str | None, **words: str | None) -> int:
    """Turn a record into its page: RECORD.json of an audit, RECORD.jsonl of a suite.

    A record that contradicts itself is refused. The record of a suite may be that of a run that was killed: PAGE is the
    index, and the page of each case goes to a folder beside it. For a PDF, print the HTML page from a browser.
    """
    with reading():  # here and not above, so that help need not wait for it
        from dpcert.audit.commands.pages import FORMS
        from dpcert.audit.records.beside import said, with_page
        from dpcert.audit.records.record import Record, read
    to, page = places(output=output, registry=registry), said(words["title"], words["note"])
    not_over(record, *to.values())
    try:
        text = sys.stdin.read() if record == "-" else Path(record).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # a name that no file can have, or no UTF-8
        raise ArgumentError(f"Expected a readable record but got record={one_line(record)} ({reason(error)})") from None
    if _is_suite(text):
        if declared is not None or registry is not None:
            raise ArgumentError("Expected --context and --registry with the record of one audit but got a suite")
        _suite(text, to["output"], form, page)
        return 0
    audit_record = read(text)
    if declared is not None:
        not_over(declared, *to.values())
        audit_record = audit_record.in_context(declared)
    audit_record = Record(with_page(audit_record.document, page))
    outputs: list[tuple[Place | None, Callable[[], str]]] = [(to["output"], lambda: FORMS[form](audit_record))]
    if registry is not None:
        from dpcert.audit.exchange.registry import entry

        outputs.append((to["registry"], lambda: entry(audit_record.document)))
    write_all(outputs)
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
