"""No number is rounded on its way to a reader but by `audit/algebra/decimals.py`, where losses are rounded up.

Read off the sources: formats of floats, and `measured`, which rounds to the nearest, stand in the files named
here alone, each with what it shows instead of a privacy loss.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from instances.sources import nodes

import dpcert

PACKAGE = Path(dpcert.__file__).resolve().parent
ROOMS = ("audit", "mechanisms", "proofs_checked")
SPEC = re.compile(r"[^a-zA-Z]*[eEfFgGn%]")
"""A format that writes a number in floating point."""
PERCENT = re.compile(r"%[-+ #0]*\d*(\.\d+)?[eEfFgG]")
"""The same of the operator %."""
FORMATTED = {
    "audit/render/shades.py": "coordinates",
    "audit/render/svg.py": "coordinates",
    "audit/render/ticks.py": "round places along an axis",
    "audit/render/risk.py": "rates that are written in the code",
    "mechanisms/commands/run.py": "the mean delay of one run, which proves nothing",
}
"""Files with formats of floats."""
MEASURED = {
    "audit/algebra/decimals.py": "where it stands",
    "audit/render/figures.py": "which places of a curve say their value; that is worked out there, exactly",
    "mechanisms/probe/report.py": "what was recovered from runs of code in floating point",
    "mechanisms/probe/document.py": "the same; what follows from it stands in rationals",
    "mechanisms/probe/recovered.py": "what was released, and should have been",
    "mechanisms/probe/claimed_noise.py": "the noise that was recovered beside what was claimed",
    "mechanisms/training/report.py": "accuracy and waiting of runs",
}
"""Files that round to the nearest."""


def formats(said: Iterable[ast.AST]) -> Iterator[str]:
    """Formats of floats in f-strings, in `format`, and behind %."""
    for node in said:
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            parts = node.format_spec.values
            last = parts[-1] if parts else None
            if isinstance(last, ast.Constant) and SPEC.fullmatch(str(last.value)):
                yield str(last.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\{[^{}]*:[^{}a-zA-Z]*[eEfFgG%]\}", node.value)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            yield from (found[0] for found in PERCENT.finditer(str(node.left.value)))


def named(said: Iterable[ast.AST], name: str) -> bool:
    """Whether a function of this name of `decimals` is called or brought in."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "dpcert.audit.algebra.decimals"
        and name in {one.name for one in node.names}
        for node in said
    )


def sources() -> dict[str, tuple[ast.AST, ...]]:
    """All that each file says, by its place below the rooms."""
    listed = (path for room in ROOMS for path in sorted((PACKAGE / room).resolve().rglob("*.py")))
    roots = {room: (PACKAGE / room).resolve().parent for room in ROOMS}
    return {
        str(path.relative_to(next(root for root in roots.values() if root in path.parents))): nodes(path)
        for path in listed
    }


def test_floats_are_formatted_where_no_loss_is_shown_and_nowhere_else() -> None:
    assert {place for place, said in sources().items() if list(formats(said))} == set(FORMATTED)


def test_what_is_rounded_to_the_nearest_was_measured() -> None:
    found = {place for place, said in sources().items() if named(said, "measured")}
    assert found | {"audit/algebra/decimals.py"} == set(MEASURED)


def test_a_format_that_is_planted_is_found() -> None:
    planted = 'a = f"{x:.3g}"; b = "δ = {:.6g}".format(x); c = "%.3f" % x; d = f"{x:,.1f}"; e = f"{x:>{w}.2e}"'
    assert len(list(formats(ast.walk(ast.parse(planted))))) == 5
    assert not list(formats(ast.walk(ast.parse('a = f"{n:,} {n:>5} {m!r:>12} {s:^9s}"; b = "%d %s" % (n, s)'))))
