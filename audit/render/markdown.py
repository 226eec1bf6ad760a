"""A record as Markdown, with tables as GitHub reads them: the page for where HTML cannot go. No name is markup."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from dpcert.audit.render import conditions, facts, headline, plainly, reproduction, tables, words
from dpcert.audit.render.cells import Cell, Table, plain
from dpcert.audit.render.text import adversary
from dpcert.audit.render.words import Document

MARKUP = frozenset("\\`*_{}[]#|~<>&$@^")
"""Characters that mean something in Markdown, as plain words have them."""
BREAK = "\\"
"""At the end of a line: the next one begins below it."""
_ADDRESS = re.compile(r"(?i)(https?|ftp|mailto|xmpp)(?=:)|www(?=\.)")
_MARK_OF_LINE = re.compile(r"^((?:&nbsp;)*)([-+=:]|\d+(?=[.)](?:\s|$)))")


def markdown(document: Document) -> str:
    """The report of one audit as Markdown."""
    own = document.get("page", {})
    first = f"{headline.badge(document)}: {words.headline(document)}"
    parts = ["\n".join(opening(escaped(words.title(document)), own)), f"**{escaped(first)}**"]
    parts += [escaped(line) for line in (plainly.anybody(document), plainly.odds(document)) if line]
    parts += [escaped(remark) for remark in words.remarks(document)]
    parts += _section("Facts", [facts.facts(document)])
    parts += _section("What was audited", [tables.scope(document)])
    parts += _section("Requirements", [tables.requirements(document)])
    parts += _section("Checklist 1", [tables.checklist(document)])
    parts += _section("Numbers", _numbers(document))
    parts += _section("Does it lift", [tables.lifts(document), tables.bound(document)])
    parts += _lines("Evidence", conditions.brief(document))
    parts += _lines("Adversary", adversary(document))
    for one in document["sections"]:
        parts += _extra(one)
    parts += _again(document)
    parts += _section("Provenance", [tables.provenance(document)])
    return "\n\n".join(parts) + "\n"


def opening(title: str, own: Mapping[str, Any]) -> Iterator[str]:
    """The heading, and what the author says: a title above, a note as a quotation.

    Args:
        title: The page's, escaped.
        own: `title` and `note`, either of which may be missing.
    """
    if own.get("title"):
        yield from (f"# {escaped(own['title'])}", "", title)
    else:
        yield f"# {title}"
    if own.get("note"):
        yield ""
        lines = [escaped(line) for line in own["note"].split("\n")]
        for line, below in zip(lines, [*lines[1:], ""], strict=True):
            yield f"> {line}{BREAK if line.strip() and below.strip() else ''}".rstrip(" ")


def escaped(text: str) -> str:
    """Plain words in Markdown: nothing of them is markup, a link or a mention, and they stay in their cell.

    >>> print(escaped("a|b <i> [c](d) www.e.org"))
    a\\|b \\<i\\> \\[c\\](d) www\\.e.org
    """
    literal = "".join(f"\\{c}" if c in MARKUP else c for c in plain(text))
    bare = literal.lstrip(" ")
    literal = "&nbsp;" * (len(literal) - len(bare)) + bare  # four blanks would begin a block of code
    literal = _ADDRESS.sub(lambda match: f"{match[0]}\\", literal)
    return _MARK_OF_LINE.sub(lambda match: f"{match[1]}{_literally(match[2])}", literal)


def _literally(mark: str) -> str:
    """What would begin a list or a rule, as it stands; the full stop after a number cannot be told from one before."""
    return f"\\{mark}" if not mark.isdigit() else f"&#{ord(mark[0])};{mark[1:]}"


def link(address: str) -> str:
    """A relative address between angle brackets."""
    return quote(address, safe="/")


def table(content: Table, heading: bool = True) -> str:
    """A table with one line a row; captions are paragraphs above, notes below."""
    columns = [escaped(name) or " " for name in content.columns]
    lines = [_row(columns), _row(["---:" if _number(content, i) else "---" for i in range(len(columns))])]
    lines += [_row([_cell(cell) for cell in row]) for row in content.rows]
    parts = [f"**{escaped(content.caption)}**"] if heading and content.caption else []
    parts += ["\n".join(lines)] + ([escaped(content.note)] if content.note else [])
    return "\n\n".join(parts)


def _number(made: Table, column: int) -> bool:
    return any(cell.number for row in made.rows for cell in row[column : column + 1])  # a row may be short


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    shown = escaped(cell.inline)
    return f"**{shown}**" if (cell.verdict or cell.marked) and shown else shown


def _numbers(document: Document) -> list[Table]:
    if headline.nothing_known(document):
        return []
    made = (tables.deltas, tables.epsilons, tables.deltas_at_epsilons, tables.constants)
    return [make(document) for make in made]


def _section(title: str, made: Iterable[Table]) -> list[str]:
    """The tables that have rows, under a heading of their own."""
    shown = tables.present(made)
    alone = len(shown) == 1
    return [f"## {title}", *(table(one, heading=not alone) for one in shown)] if shown else []


def _lines(title: str, lines: Iterable[str]) -> list[str]:
    """Lines as they stand, in a block that none of them can end."""
    shown = [plain(line) for line in lines]
    longest = max((len(run) for line in shown for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"## {title}", "\n".join([f"{fence}text", *shown, fence])] if shown else []


def _extra(one: Mapping[str, Any]) -> list[str]:
    """A section that the mechanism adds; its figure is on the HTML page alone."""
    made = tables.section(one)
    shown = [escaped(one["text"])] if one.get("text") else []
    shown += [table(made, heading=False)] if made.rows and made.columns else []
    return [f"## {escaped(plain(one.get('title', '')))}", *shown] if shown else []


def _again(document: Document) -> list[str]:
    """The command that gives the same record."""
    return [
        *_lines("How to reproduce", [f"$ {reproduction.command(document)}"]),
        *map(escaped, reproduction.steps(document)),
    ]
