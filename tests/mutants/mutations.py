"""Small faults put into a module one at a time, by its syntax tree."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from mutants.exclusions import rule

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.Add, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Site:
    """A place of a module where a fault can be put.

    Attributes:
        number: Its place among those of the module.
        node: Which node of the tree, in the order of `Source`.
        change: Which of the node's changes.
        lines: First and last line of the node.
        inside: Whether it stands in the body of a function, so that it runs with the function.
        rule: The rule by which it is left out, None where it is tried.
    """

    number: int
    node: int
    change: int
    lines: tuple[int, int]
    inside: bool
    rule: str | None


@dataclass(frozen=True)
class Source:
    """The text of a module, and the faults that it can be given."""

    text: str

    @cached_property
    def sites(self) -> list[Site]:
        """Every place where a fault can be put."""
        made: list[Site] = []
        for at, (node, above) in enumerate(_nodes(ast.parse(self.text))):
            for change in _changes(node):
                lines = _line(node, above), getattr(node, "end_lineno", 0) or 0
                made.append(Site(len(made), at, change, lines, _inside(node, above), rule(node, above)))
        return made

    def faulty(self, site: Site) -> tuple[ast.Module, str]:
        """The module's tree with the fault in it, and what was there and what is there now."""
        tree = ast.parse(self.text)
        node, _ = _nodes(tree)[site.node]
        before = _said(node)
        _change(node, site.change)
        return ast.fix_missing_locations(tree), f"{before} -> {_said(node)}"


def _said(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0][:80]


def _line(node: ast.AST, above: tuple[ast.AST, ...]) -> int:
    """The line of a node, that of what it stands in where it has none."""
    return next((one.lineno for one in (node, *reversed(above)) if hasattr(one, "lineno")), 0)


def _inside(node: ast.AST, above: tuple[ast.AST, ...]) -> bool:
    """Whether a node runs with a function: its defaults do not."""
    chain = (*above, node)
    return any(
        isinstance(one, FUNCTIONS) and (below in one.body if isinstance(one.body, list) else below is one.body)
        for one, below in pairwise(chain)
    )


def _nodes(tree: ast.AST) -> list[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """The nodes that run, with those above them, in an order that copies share: no annotations and no bases."""
    made: list[tuple[ast.AST, tuple[ast.AST, ...]]] = []
    left: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while left:
        node, above = left.pop()
        made.append((node, above))
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list", "type_params", "bases"):
                below = value if isinstance(value, list) else [value]
                left += [(one, (*above, node)) for one in below if isinstance(one, ast.AST)]
    return made


def _changes(node: ast.AST) -> Iterator[int]:
    """The numbers of the changes that a node can be given."""
    match node:
        case ast.Compare(ops=ops):
            yield from (i for i, op in enumerate(ops) if type(op) in COMPARISONS)
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in OPERATORS:
            yield 0
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.IfExp() | ast.If() | ast.While():
            yield 0
        case ast.Constant(value=bool() | int()):
            yield 0
        case ast.Name(id=name) if name in NAMES:
            yield 0
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield 0
        case ast.Continue() | ast.Break():
            yield 0


def _change(node: ast.AST, which: int) -> None:
    """Puts the fault in."""
    match node:
        case ast.Compare():
            node.ops[which] = COMPARISONS[type(node.ops[which])]()
        case ast.BinOp() | ast.AugAssign():
            node.op = OPERATORS[type(node.op)]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp():
            node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
        case ast.IfExp() | ast.If() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Constant():
            node.value = not node.value if isinstance(node.value, bool) else node.value + 1  # type: ignore[operator]
        case ast.Name():
            node.id = NAMES[node.id]
        case ast.Return():
            node.value = ast.Constant(None)
        case ast.Continue() | ast.Break():
            node.__class__ = ast.Break if isinstance(node, ast.Continue) else ast.Continue  # type: ignore[assignment]
