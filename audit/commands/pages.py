"""Pages where they go: the index of a suite, and the page of each case in a folder beside it."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpcert.audit.commands.output import Place, place
from dpcert.audit.errors import OutputError, one_line
from dpcert.audit.exchange import index, markdown
from dpcert.audit.exchange.checks import Check, CheckedCase
from dpcert.audit.outside import repository
from dpcert.audit.records.command_case import case_markdown, case_page, is_command_case
from dpcert.audit.records.contract import PageDocument
from dpcert.audit.records.record import Record

FORMS: Mapping[str, Callable[[Record], str]] = {"html": Record.to_html, "md": Record.to_markdown}
"""How a record is written, by the name of the form."""
OF_COMMAND: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"html": case_page, "md": case_markdown}
"""The same of a case that a command decided."""


def write_index(
    cases: Sequence[CheckedCase],
    absent: Sequence[Check],
    where: Place,
    name: str,
    page: PageDocument,
    milliseconds: int,
    form: str = "html",
) -> str:
    """The index page, the page of each case written beside it; on standard output it stands alone.

    Args:
        cases: All cases.
        absent: Lines of the baseline whose case is gone.
        where: Where the index is to go.
        name: Of the suite.
        page: What its author says.
        milliseconds: How long all of it took.
        form: One of FORMS.
    Raises: OutputError: a page that cannot be written.
    """
    pages_in = ""
    if where.file is not None:
        folder = where.file.parent / index.folder(where.file.name)
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            said = f"path={one_line(str(folder))} ({error.strerror})"
            raise OutputError(f"Expected a folder for pages but got {said}") from None
        for file, text in index.pages(cases, lambda document: _page(document, form), form):
            place(str(folder / file)).write(text)
        pages_in = folder.name
    title = f"dpcert: {one_line(Path(name).name)}"
    if form == "md":
        return markdown.index(title, cases, absent, list(index.names(cases, form)), pages_in, page)
    return index.index(title, cases, absent, pages_in, milliseconds, page, repository.state(os.getcwd()))


def write_certificates(cases: Sequence[CheckedCase], folder: Path) -> None:
    """The certificate of every case that has one, named as its page is, in a folder that is there.

    Args:
        cases: All cases.
        folder: Where they go.
    Raises: OutputError: one that cannot be written.
    """
    for one, name in zip(cases, index.names(cases, "jsonl"), strict=True):
        if one.outcome.certificate:
            place(str(folder / name)).write(one.outcome.certificate)


def _page(document: Mapping[str, Any], form: str) -> str:
    return OF_COMMAND[form](document) if is_command_case(document) else FORMS[form](Record(document))
