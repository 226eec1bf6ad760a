"""Writes the pages that are made from the program: `python docs/generate.py`; `--check` says which one is stale.

The command line comes from the help of every command, the limits from every number that a module keeps under a name in
capitals. Modules are looked for wherever they lie in the package.
"""

import ast
import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import click

import dpcert
from dpcert.audit.commands.cli import cli
from dpcert.audit.commands.unread import whole

DOCS = Path(__file__).resolve().parent
PACKAGE = Path(dpcert.__file__).parent
CASES = "proofs_checked"
"""Its numbers are the cases that claims are decided on; the scope of each claim says them."""
COLUMNS = 100

AREAS = {
    "audit.render": ("What a page and a terminal show", "Nothing is lost past these: the JSON record has the rest."),
    "audit": ("What an audit looks at", "Past a bound the answer is a bracket, or UNDECIDED with the bound's name."),
    "verify_certificate": ("What the checker of certificates reads", "Past these a certificate is refused."),
    "mechanisms": ("What the mechanisms bound", "Sizes of noise laws, of designs, of plans and of live runs."),
}
"""Part of the package, the longest name first: the heading of its limits, and what to know about them."""

NO_BOUND = {
    "exit statuses": "BAD_INPUT UNDECIDED NONE_FOUND INTERRUPTED CUT_SHORT",
    "marks that stand for something else": "END FIRST MARK APPLICATION VERSION NEVER BY_NAME _TOO_LARGE _UNBOUNDED "
    "_DEATH_OF_PARENT _END _BINS _SUMS",
    "defaults that an option or a parameter replaces": (
        "DEFAULT_HORIZON DEFAULT_EXP_EPSILONS DEFAULT_DELTA DEFAULT_END REFERENCE SIZE SMALL USUAL_DELTA "
        "SOLUTION_DIGITS DEFAULT_MATRIX_DELTA DEFAULT_PROBE_HORIZON DEFAULT_GAP USUAL_HORIZON EVEN_SPLIT"
    ),
    "constants of a formula": (
        "BLOCK PRIME UNIT STEPS LOG_SHIFT SHAPE WHOLE CENTRE NICE WINDOW FACTOR HALF _FIRST _MASK"
    ),
    "what streams, models and sums are made with": ("CELL_SCALES HYPERPLANE_CHANGE LED_NOISE SEA_VARIANTS START_SEED"),
    "points at which curves are shown or tried": "SLOPES DENOMINATORS SIMPLE RATES PRIORS RAREST SWEPT",
    "digits that are shown": (
        "DIGITS READ_DIGITS RATE_DIGITS USER_DIGITS TABLE_DIGITS DOCUMENT_DIGITS CLAIM_DIGITS SHOWN_DIGITS "
        "ENCODER_DIGITS"
    ),
    "ends of every chain": "START _START _END",
}
"""Numbers that bound neither work nor size, by what they are instead."""


@dataclass(frozen=True)
class Limit:
    """One bound: its names (those of one line share an explanation), their values, and where it stands."""

    names: tuple[str, ...]
    values: tuple[Any, ...]
    module: str
    text: str


def _names(node: ast.stmt) -> tuple[str, ...]:
    """The names in capitals that a statement of a module binds."""
    target = (
        node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
    )
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return tuple(part.id for part in parts if isinstance(part, ast.Name) and part.id.isupper())


def _is_number(value: Any) -> bool:
    if isinstance(value, tuple):
        return len(value) > 0 and all(map(_is_number, value))
    return isinstance(value, (int, float, Fraction)) and not isinstance(value, bool)


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """Every module of the package but the cases of claims, by its import name."""
    found = []
    for path in sorted({*PACKAGE.glob("*.py"), *(p for part in PACKAGE.iterdir() for p in part.rglob("*.py"))}):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] != CASES and parts[-1] != "__main__":
            name = ".".join(part for part in parts if part != "__init__")
            found.append((name, ast.parse(path.read_text(encoding="utf-8"))))
    return tuple(found)


def numbers() -> Iterator[Limit]:
    """Every number that a module keeps under a name in capitals, bound or not, with the docstring below it."""
    for module, tree in modules():
        for node, after in zip(tree.body, [*tree.body[1:], ast.Pass()], strict=True):
            if not (names := _names(node)):
                continue
            loaded = importlib.import_module(f"dpcert.{module}".rstrip("."))
            found = [(name, getattr(loaded, name)) for name in names]
            if kept := [(name, value) for name, value in found if _is_number(value)]:
                told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                text = " ".join(str(after.value.value).split()) if told else ""
                yield Limit(*map(tuple, zip(*kept, strict=True)), module, text)  # type: ignore[arg-type]


def aliases() -> Iterator[str]:
    """Names in capitals that are another name in capitals and nothing else: two names for one value."""
    for module, tree in modules():
        for node in tree.body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if _names(node) and isinstance(value, ast.Name) and value.id.isupper():
                yield f"{module}.{_names(node)[0]}"


def limits() -> list[Limit]:
    """The bounds on work and size, by name."""
    rest = set(" ".join(NO_BOUND.values()).split())
    kept = (
        Limit(*map(tuple, zip(*pairs, strict=True)), one.module, one.text)  # type: ignore[arg-type]
        for one in numbers()
        if (pairs := [pair for pair in zip(one.names, one.values, strict=True) if pair[0] not in rest])
    )
    return sorted(kept, key=lambda one: one.names[0].lstrip("_"))


def written(value: Any) -> str:
    """A bound as it is read: 20,000, 2^64, 10^8, 1/1,024.

    >>> [written(v) for v in (20_000, 2**64, 10**8, Fraction(1, 1024), (1, 16))]
    ['20,000', '2^64', '10^8', '1/1,024', '1, 16']
    """
    if isinstance(value, tuple):
        return ", ".join(map(written, value))
    if isinstance(value, Fraction) and value.denominator > 1:
        return f"{written(value.numerator)}/{written(value.denominator)}"
    if isinstance(value, float):
        return f"{value:g}" if value < 1e9 else f"2^{int(value).bit_length() - 1}"
    whole = int(value)
    if whole >= 1 << 16 and whole & (whole - 1) == 0:
        return f"2^{whole.bit_length() - 1}"
    if whole >= 10**8 and set(str(whole)[1:]) == {"0"} and str(whole)[0] == "1":
        return f"10^{len(str(whole)) - 1}"
    return f"{whole:,}"


def _area(module: str) -> str:
    return next(area for area in AREAS if f"{module}.".startswith(f"{area}."))


def limits_page() -> str:
    """reference/limits.md."""
    lines = [
        *_head("limits"),
        "# Limits",
        "",
        "Every number in the code that bounds work or size, under its one name. A finding that meets a bound says the",
        "name. A name stands for one value in the whole package, and a value that two places need is imported. Where a",
        "row has several names, the explanation goes through them in order.",
        "",
        "The bounds that you set yourself are `--max-positions` and `--max-seconds`",
        "([large games](../how-to/large-games.md)).",
    ]
    found = limits()
    for area, (heading, text) in sorted(AREAS.items(), key=lambda item: list(AREAS).index(item[0]) != 1):
        lines += ["", f"## {heading}", "", text, "", "| name | value | what it bounds | module |", "|---|---|---|---|"]
        for one in (one for one in found if _area(one.module) == area):
            names = "<br>".join(f"`{name}`" for name in one.names)
            values = "<br>".join(map(written, one.values))
            lines.append(f"| {names} | {values} | {one.text.replace('|', chr(92) + '|')} | `{one.module}` |")
    return "\n".join(lines) + "\n"


def commands(command: click.Command, path: tuple[str, ...], parent: click.Context | None) -> Iterator[tuple[str, str]]:
    """The command and those below it: what is typed, and its help on a terminal of COLUMNS columns."""
    context = click.Context(command, info_name=path[-1], parent=parent, terminal_width=COLUMNS - 2)
    context.help_option_names = ["-h", "--help"]
    yield " ".join(path), command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            child = child and whole(child)
            if child is not None and (child.callback is None or child.callback.__module__.startswith("dpcert.")):
                yield from commands(child, (*path, name), context)


def command_line_page() -> str:
    """reference/command-line.md."""
    lines = [
        *_head("command-line"),
        "# Command line",
        "",
        "The help of every command, as `--help` prints it. Exit statuses and first words are explained in",
        "[reading the result](../tutorial.md#reading-the-result).",
    ]
    for typed, text in commands(cli, ("dpcert",), None):
        lines += ["", f"## {typed}", "", "```text", f"$ {typed} --help", text, "```"]
    return "\n".join(lines) + "\n"


def _head(page: str) -> list[str]:
    owner = f"tests/documentation/test_pages.py::test_a_generated_page_is_fresh[reference/{page}.md]"
    return [f"<!-- owner: {owner} -->", "<!-- Written by docs/generate.py: change the code, then run it. -->", ""]


PAGES = {"reference/command-line.md": command_line_page, "reference/limits.md": limits_page}


def stale() -> list[str]:
    """The generated pages that are not what would be written now."""
    return [name for name, page in PAGES.items() if not _same(DOCS / name, page())]


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def main(arguments: list[str]) -> int:
    """0 when every page is fresh, or was written; 1 when `--check` finds a stale one."""
    if arguments == ["--check"]:
        for name in (late := stale()):
            print(f"docs/{name} is stale: run python docs/generate.py", file=sys.stderr)
        return int(bool(late))
    if arguments:
        sys.exit("Expected --check, or nothing")
    for name in stale():
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
