"""A record as text: plain for pipes, in colour and tables on a terminal."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

from dpcert.audit.render import conditions, headline, tables, words
from dpcert.audit.render.cells import Table, plain
from dpcert.audit.render.tree import Submission, chosen, tree
from dpcert.audit.render.words import Document

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

MOST_NODES_IN_TEXT = 12
"""Nodes of an adversary, and their depth, up to which a terminal shows them."""
COLOURS = {"HOLDS": "bold green", "REFUTED": "bold red", "GAP": "bold red", "UNDECIDED": "bold yellow"}
ASKED_FOR_COLOUR = {"FORCE_COLOR", "TTY_COMPATIBLE"}
"""Variables by which rich takes what is no terminal for one."""
MORE = "With --details: every rung, whole curves, the adversary; --json and --html write all of it."
"""What a terminal says below a short report."""
ASCII = str.maketrans({"ε": "epsilon", "δ": "delta", "≈": "~", "·": "*", "₀": "0", "₁": "1"})


def summary(document: Document) -> str:
    """The report as plain text, without colour and without lines drawn."""
    parts = ["\n".join(_opening(document)), *(_aligned(table) for table in _tables(document))]
    parts += ["\n".join(lines) for lines in _closing(document)]
    return "\n\n".join(parts) + "\n"


def show(document: Document, console: "Console", *, details: bool = False) -> None:
    """Prints the report: `summary`, or on a terminal in colour, and without `details` no more than fits on it.

    With `details`, what the guarantee rests on follows.
    """
    if not console.is_terminal:
        _show_plain(document, console.file, console.encoding, details=details)
        return
    from rich.text import Text

    with console.capture() as capture:
        badge = headline.badge(document)
        opening = Text("\n".join(_opening(document)))
        opening.stylize(COLOURS.get(badge, "bold"), 0, len(badge))
        console.print(opening)
        for table in _tables(document) if details else _numbers(document):
            console.print(_rich(table))
        if not details:
            console.print(_verdicts(document))
        for table in _declared(document) if details else ():
            console.print(_rich(table))
        for lines in _closing(document) if details else _brief_closing(document):
            console.print(Text("\n".join(["", *lines])))
    print(encodable(capture.get(), console.encoding), end="", file=console.file)


def show_on_screen(document: Document, *, details: bool = False) -> None:
    """Prints the report on standard output; what is no terminal does not wait for what draws on one."""
    if not sys.stdout.isatty() and not ASKED_FOR_COLOUR & set(os.environ):
        _show_plain(document, sys.stdout, sys.stdout.encoding or "utf-8", details=details)
        return
    from rich.console import Console

    show(document, Console(highlight=False, emoji=False), details=details)


def _show_plain(document: Document, file: IO[str], encoding: str, *, details: bool) -> None:
    rest = "".join(f"\n{_aligned(table)}\n" for table in _declared(document)) if details else ""
    print(encodable(summary(document) + rest, encoding), end="", file=file)


def _declared(document: Document) -> list[Table]:
    """What the guarantee rests on."""
    from dpcert.audit.render import context

    return context.tables(document)


def _opening(document: Document) -> list[str]:
    """The badge, what was asked, the privacy itself, and what was audited."""
    cells = {cell[0].text: cell[1].text for cell in tables.scope(document).rows}
    parameters = [f"{name.removeprefix('Parameter ')}={cells[name]}" for name in cells if name.startswith("Parameter ")]
    return [
        f"{headline.badge(document)}: {words.headline(document)}",
        *words.remarks(document),
        "",
        f"Mechanism: {cells['Mechanism']}" + (f" with {', '.join(parameters)}" if parameters else ""),
        f"Scope: {cells['Scope']}; alphabet {cells['Alphabet']}; {cells['Positions solved']} positions solved",
    ]


def _tables(document: Document) -> list[Table]:
    makers: tuple[Callable[[Document], Table], ...] = (
        tables.deltas,
        tables.bound,
        tables.epsilons,
        tables.deltas_at_epsilons,
        tables.constants,
        tables.requirements,
    )
    if headline.nothing_known(document):
        makers = (tables.bound, tables.requirements)
    checklist = () if tables.undecided_checklist(document) else (tables.checklist(document),)
    brief = (tables.titled(one) for one in document["sections"] if one.get("brief"))
    return tables.present([*(make(document) for make in makers), tables.lifts(document), *checklist, *brief])


def _numbers(document: Document) -> list[Table]:
    """The tables of numbers that were asked for."""
    made = (tables.deltas, tables.epsilons, tables.deltas_at_epsilons)
    return [] if headline.nothing_known(document) else tables.present(make(document) for make in made)


def _verdicts(document: Document) -> "Text":
    """Requirements, the bound and the conditions, a line each; of what does not hold, why."""
    from rich.text import Text

    lines = Text()
    decided = () if tables.undecided_checklist(document) else document["checklist"]
    for title, listed in (("Requirements", document["requirements"]), (tables.CHECKLIST, decided)):
        lines.append(f"{title}\n" if listed else "", "bold")
        for one in listed:
            verdict = words.verdict_of(one)
            rung = f", by {plain(one['rung'])}" if one.get("rung") else ""
            name = plain(one.get("requirement") or one["item"].replace("_", " ").lower())
            why = "" if verdict == "HOLDS" else f": {plain(one['detail'])}"
            lines.append(f"  {verdict:9}", COLOURS.get(verdict, ""))
            lines.append(f"  {name}{rung}{why}\n")
    lines.append(MORE)
    return lines


def _brief_closing(document: Document) -> list[list[str]]:
    """The evidence, where something is refuted."""
    made = [_checklist(document)]
    if words.verdict_of(document) == "REFUTED":
        made += [list(conditions.brief(document)), list(adversary(document))]
    return [lines for lines in made if lines]


def sections_text(lead: str, sections: Iterable[Mapping[str, Any]]) -> str:
    """Titled tables, as a record's `sections` holds them, below a line that says what they show."""
    return "\n\n".join([lead, *(_aligned(table) for table in tables.present(map(tables.titled, sections)))]) + "\n"


def _closing(document: Document) -> list[list[str]]:
    """What follows the tables, without what is empty."""
    made = (_checklist(document), list(conditions.brief(document)), list(adversary(document)))
    return [lines for lines in made if lines]


def _checklist(document: Document) -> list[str]:
    line = tables.undecided_checklist(document)
    return [line] if line else []


def adversary(document: Document) -> Iterator[str]:
    """The adversary behind the verdict, unfolded if it is small, and the check of its value by hand."""
    strategy = chosen(document)
    if strategy is None:
        return
    branches = tree(strategy, MOST_NODES_IN_TEXT, MOST_NODES_IN_TEXT)
    yield f"Adversary for {words.strategy_title(strategy)}"
    if branches.start is None:
        yield f"  {branches.note}"
    elif branches.note:
        size = (
            f"{len(strategy['nodes'])} nodes" if strategy["complete"] else f"more than {len(strategy['nodes'])} nodes"
        )
        yield f"  It has {size}; the JSON record and the HTML page show them."
    else:
        yield from _unfolded(branches.start, "  ")
    yield from (f"  {line.text}" for line in words.hand_check(strategy))


def _unfolded(step: Submission, indent: str) -> Iterator[str]:
    yield f"{indent}{step.submits} [node {step.number}]"
    for way in step.ways:
        if way.after is None:
            yield f"{indent}  {way.sees.text}: {way.ends}"
        else:
            yield f"{indent}  {way.sees.text}:"
            yield from _unfolded(way.after, indent + "    ")


def _aligned(table: Table) -> str:
    """Columns padded to their widest entry; the last one is left as it is."""
    rows = [table.columns, *([cell.inline for cell in row] for row in table.rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.columns))]
    lines = ["  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([table.caption, *(f"  {line}" for line in lines)])


def _rich(table: Table) -> "RichTable":
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(title=Text(table.caption), box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for i, name in enumerate(table.columns):
        number = any(row[i].number for row in table.rows)
        grid.add_column(Text(name), justify="right" if number else "left", overflow="fold")
    for row in table.rows:
        grid.add_row(*(Text(c.inline, style=COLOURS.get(c.text, "") if c.verdict else "") for c in row))
    return grid


def encodable(text: str, encoding: str) -> str:
    """The text in words that the stream can carry."""
    if encoding.lower().startswith("utf"):
        return text
    return text.translate(ASCII).encode(encoding, "backslashreplace").decode(encoding)
