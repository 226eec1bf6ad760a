"""Where exact numbers turn into text by Python's own conversion, which ends at 4,300 digits: found by their types."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mypy.build import BuildSource, build
from mypy.nodes import CallExpr, Expression, FuncDef, MemberExpr, Node, OpExpr, RefExpr, StrExpr, TypeInfo, Var
from mypy.options import Options
from mypy.types import Instance, TupleType, Type, UnionType, get_proper_type
from structure.large_integers import DEPTH, Large

WRITERS = {
    *(f"builtins.{name}" for name in ("str", "repr", "ascii", "format", "print")),
    *("click.echo", "click.utils.echo", "json.dumps", "json.dump"),
}
"""What writes its arguments, or what is in them."""
MAPPED = {"builtins.str", "builtins.repr", "builtins.ascii"}
CHILDREN = (
    "defs", "body", "expr", "callee", "args", "items", "left", "right", "lvalues", "rvalue", "lvalue", "value",
    "target", "base", "index", "operands", "cond", "if_expr", "else_expr", "generator", "left_expr", "sequences",
    "condlists", "indices", "key", "begin_index", "end_index", "stride", "msg", "else_body", "handlers",
    "finally_body", "func", "decorators", "arguments", "initializer", "from_expr", "impl", "bodies", "subject",
    "guards",
)  # fmt: skip


@dataclass(frozen=True, order=True)
class Place:
    """A number that Python writes itself: module, function, line, what it is."""

    module: str
    function: str
    line: int
    what: str


@dataclass(frozen=True)
class Inside:
    """A node of a module's tree, and the function around it."""

    module: str
    function: FuncDef | None
    node: Node


def places(sources: list[BuildSource], options: Options, packages: tuple[str, ...], kept: Path) -> list[Place]:
    """Every place in these packages where a Fraction, or an integer that may be large, is written by Python.

    Args:
        kept: A copy of what the type checker has kept of other packages; these are read anew, for the types in them.
    """
    options.export_types, options.preserve_asts, options.cache_dir = True, True, str(kept)
    for package in packages:
        options.per_module_options[f"{package}.*"] = {"always_false": ["NAMED_NOWHERE"]}  # kept under other options
    options.build_per_module_cache()
    built = build(sources, options)
    assert not any(state.meta for name, state in built.graph.items() if name.partition(".")[0] in packages)
    trees = {name: state.tree for name, state in built.graph.items() if name.partition(".")[0] in packages}
    inside = [one for name, tree in trees.items() if tree is not None for one in walked(name, tree)]
    large = Large(built.types, ((one.function, one.node) for one in inside))
    return sorted({place for one in inside for place in _found(one, built.types, large)})


def walked(module: str, tree: Node) -> Iterator[Inside]:
    """All nodes of a module, from the top."""
    todo = [Inside(module, None, tree)]
    while todo:
        one = todo.pop()
        yield one
        function = one.node if isinstance(one.node, FuncDef) else one.function
        todo.extend(
            Inside(module, function, child)
            for name in _children(type(one.node))
            for child in _flat(getattr(one.node, name, 0))
        )


@cache
def _children(kind: type[Node]) -> list[str]:
    """Which of them nodes of this kind have."""
    return [name for name in CHILDREN if hasattr(kind, name)]


def _flat(value: object) -> Iterator[Node]:
    if isinstance(value, Node) and not isinstance(value, (TypeInfo, Var)):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _flat(one)


def _found(one: Inside, types: dict[Expression, Type], large: Large) -> Iterator[Place]:
    name = one.function.name if one.function else ""
    for expression in written(one.node, types):
        kind = types.get(expression)
        if holds_fraction(kind):
            yield Place(one.module, name, expression.line, f"a {kind}")
        elif large.is_large(expression):
            yield Place(one.module, name, expression.line, "an integer that may be large")


def written(node: Node, types: dict[Expression, Type]) -> Iterable[Expression]:
    """What this node writes out: parts of f-strings, arguments of `str` and its kin, what stands behind a %."""
    if isinstance(node, OpExpr) and node.op == "%" and _is_text(node.left, types):
        return [node.right]
    if not isinstance(node, CallExpr):
        return []
    callee = node.callee
    if isinstance(callee, MemberExpr) and callee.name == "format" and isinstance(callee.expr, StrExpr):
        return node.args  # an f-string as well
    if not isinstance(callee, RefExpr):
        return []
    if callee.fullname == "builtins.map" and isinstance(node.args[0], RefExpr) and node.args[0].fullname in MAPPED:
        return node.args[1:]
    if isinstance(callee, MemberExpr) and callee.name in {"__str__", "__repr__", "__format__"}:
        return [callee.expr]
    return node.args if callee.fullname in WRITERS else []


def _is_text(e: Expression, types: dict[Expression, Type]) -> bool:
    return isinstance(e, StrExpr) or "builtins.str" in str(types.get(e))


def holds_fraction(kind: Type | None, depth: int = DEPTH) -> bool:
    """Whether the text of such a value is, or has in it, that of a Fraction."""
    proper = get_proper_type(kind) if depth else None
    if isinstance(proper, (UnionType, TupleType)):
        return any(holds_fraction(item, depth - 1) for item in proper.items)
    if not isinstance(proper, Instance):
        return False
    builtin = proper.type.module_name in {"builtins", "typing", "collections"}
    parts = [*_fields(proper.type), *(proper.args if builtin else ())]
    return proper.type.fullname == "fractions.Fraction" or any(holds_fraction(one, depth - 1) for one in parts)


def _fields(info: TypeInfo) -> list[Type | None]:
    """Of a dataclass that is written out field by field."""
    own = "__str__" in info.names or "__repr__" in info.names
    fields = [] if own else info.metadata.get("dataclass", {}).get("attributes", [])
    symbols = [info.get(field["name"]) for field in fields]
    return [one.node.type for one in symbols if one is not None and isinstance(one.node, Var)]
