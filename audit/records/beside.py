"""What is said beside what was found: the commit that a target stands at, and its author's title and note."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dpcert.audit.errors import expected
from dpcert.audit.outside import repository

if TYPE_CHECKING:
    from dpcert.audit.records.contract import PageDocument

MOST_TITLE = 200
"""Characters of a page's own title."""
MOST_NOTE = 10_000
"""Characters of a page's own note."""

Document = Mapping[str, Any]


def said(title: str | None, note: str | None) -> "PageDocument":
    """What an author says on a page; a note may have several lines.

    Raises: ArgumentError: too long, or with characters that are not to be seen.
    """
    document: PageDocument = {}
    if title is not None:
        if not 0 < len(title) <= MOST_TITLE or not title.isprintable():
            raise expected(f"a title of one line of printable characters, at most {MOST_TITLE},", title=title)
        document["title"] = title
    if note is not None:
        lines = note.replace("\r\n", "\n").replace("\t", "    ").strip("\n")
        if not 0 < len(lines) <= MOST_NOTE or not all(line.isprintable() for line in lines.split("\n")):
            raise expected(f"a note of printable characters in lines, at most {MOST_NOTE},", note=note)
        document["note"] = lines
    return document


def with_page(document: Document, page: "PageDocument") -> Document:
    """The record with what its author says, in its place; what was said before stays where nothing new is."""
    whole = {**document.get("page", {}), **page}
    if not whole:
        return document
    rest = {name: value for name, value in document.items() if name != "page"}
    before = [name for name in rest if name not in ("sections", "context", "provenance")]
    return {name: rest[name] for name in before} | {"page": whole} | rest


def with_commit(document: Document, target: str) -> Document:
    """The record with the commit of its target, where there is a repository.

    Args:
        document: The record.
        target: As the user named it.
    """
    state = repository.state(*repository.asked_for(target, document["location"]["file"]))
    return document if state is None else {**document, "provenance": {**document["provenance"], "git": state}}
