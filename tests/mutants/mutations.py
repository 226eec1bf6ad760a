"""Small faults put into a module one at a time, by its syntax tree."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.Add, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
SILENT = ("look", "expected", "progress")
"""Calls that do not decide: what they are given is left alone."""


@dataclass(frozen=True)
class Mutant:
    """A module with one fault.

    Attributes:
        number: Its place among those of the module.
        line: Where the fault is.
        fault: What was there, and what is there now.
        source: The module.
    """

    number: int
    line: int
    fault: str
    source: str


def count(source: str) -> int:
    """How many faults a module can be given.

    Args:
        source: The module as it is.
    """
    return sum(1 for _ in _sites(ast.parse(source)))


def mutant(source: str, number: int) -> Mutant:
    """The module with one of its faults.

    Args:
        source: The module as it is.
        number: Which fault, from 0.
    """
    tree = ast.parse(source)
    at, change = next(islice(_sites(tree), number, None))
    node = _nodes(tree)[at]
    before, line = _said(node), getattr(node, "lineno", 0)
    _change(node, change)
    return Mutant(number, line, f"{before} -> {_said(node)}", ast.unparse(ast.fix_missing_locations(tree)))


def _said(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0][:80]


def _nodes(tree: ast.AST) -> list[ast.AST]:
    """The nodes that run, in an order that copies share: no annotations, texts or calls that do not decide."""
    made: list[ast.AST] = []
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        made.append(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params", "bases"):
                continue
            if isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and _name(node) in SILENT):
                continue
            left += [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST)]
    return made


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _sites(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """(number of the node, which of its changes) for every fault."""
    for at, node in enumerate(_nodes(tree)):
        match node:
            case ast.Compare(ops=ops):
                yield from ((at, i) for i, op in enumerate(ops) if type(op) in COMPARISONS)
            case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in OPERATORS:
                yield at, 0
            case ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.IfExp() | ast.If() | ast.While():
                yield at, 0
            case ast.Constant(value=bool() | int()):
                yield at, 0
            case ast.Name(id=name) if name in NAMES:
                yield at, 0
            case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
                yield at, 0
            case ast.Continue() | ast.Break():
                yield at, 0


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
