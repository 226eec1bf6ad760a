"""Faults that are left out of the count, each by a rule with a reason: `docs/mutants.md` repeats them."""

import ast
from collections.abc import Callable

Above = tuple[ast.AST, ...]
SILENT = ("look", "expected", "progress")
"""Calls that report, to a bar or in an error's text."""


def _in_text(node: ast.AST, above: Above) -> bool:
    """What an error says, or a bar shows."""
    chain = (*above, node)
    return any(isinstance(one, ast.Raise) or _called(one) in SILENT for one in chain[:-1])


def _is_strict(node: ast.AST, above: Above) -> bool:
    """`strict=` of a `zip`: both lists have one length by how they are made."""
    return isinstance(above[-1], ast.keyword) and above[-1].arg == "strict" and isinstance(node, ast.Constant)


def _is_limit(node: ast.AST, above: Above) -> bool:
    """A number of a module's constant that says how much work is done, or how much at once."""
    return isinstance(node, ast.Constant | ast.BinOp) and any(name in LIMITS or _limits(name) for name in _names(above))


def _is_bookkeeping(node: ast.AST, above: Above) -> bool:
    """What `field` says of a private attribute, where what was worked out is kept."""
    return (
        isinstance(node, ast.Constant)
        and any(_called(one) == "field" for one in above)
        and any(isinstance(one, ast.AnnAssign) for one in above)
    )


def _is_alias(node: ast.AST, above: Above) -> bool:
    """A union of types under a name."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and bool(_names(above))


def _is_entry(node: ast.AST, above: Above) -> bool:
    """The lines that run where a module is a program."""
    return any(isinstance(one, ast.If) and ast.unparse(one.test) == "__name__ == '__main__'" for one in (*above, node))


def _is_for_types(node: ast.AST, above: Above) -> bool:
    """What only a type checker reads, and the condition for it."""
    return any(isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING" for one in (*above, node))


LIMITS = (
    "BLOCK", "ROW", "LONG", "WORDS", "PER_ATOM", "AT_ONCE",
    "SOLVING", "BOUNDING", "STREAMS", "REST", "FEW_STREAMS", "WIDTH", "WIDTHS", "TOGETHER", "PRUNE_FROM", "PRUNE_TO",
    "SAVED_EVERY", "OVERDRAWN", "TOLERANCE_UNIT", "TOLERATED_ANYWAY",
)  # fmt: skip
"""Constants that say how much is done, at once or in which of two ways to one answer, under other names."""
RULES: dict[str, Callable[[ast.AST, Above], bool]] = {
    "text": _in_text,
    "strict": _is_strict,
    "limit": _is_limit,
    "bookkeeping": _is_bookkeeping,
    "alias": _is_alias,
    "entry": _is_entry,
    "types": _is_for_types,
}


def rule(node: ast.AST, above: Above) -> str | None:
    """The name of the rule by which a fault at a node is left out.

    Args:
        node: Where the fault would be.
        above: The nodes that it stands in, the module first.
    """
    return next((name for name, holds in RULES.items() if above and holds(node, above)), None)


def _called(node: ast.AST) -> str:
    """The name of what is called, empty where nothing is."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _names(above: Above) -> list[str]:
    """The names that a module's assignment gives values to, where nodes stand in one."""
    if len(above) < 2 or not isinstance(above[1], ast.Assign):
        return []
    return [one.id for target in above[1].targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def _limits(name: str) -> bool:
    """Whether a constant's name says that it is a limit: `MOST_...`, `..._LIMIT`, `..._BITS`."""
    return name.startswith("MOST_") or name.endswith(("_LIMIT", "_BITS"))
