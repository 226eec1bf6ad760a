"""Which integers of typed code may have more digits than Python writes: those out of fractions, powers and products."""

from collections.abc import Iterable, Iterator
from typing import Any

from mypy.nodes import (
    ARG_NAMED,
    ARG_POS,
    AssignmentExpr,
    AssignmentStmt,
    CallExpr,
    CastExpr,
    ConditionalExpr,
    Decorator,
    DictExpr,
    DictionaryComprehension,
    Expression,
    ForStmt,
    FuncDef,
    GeneratorExpr,
    IndexExpr,
    IntExpr,
    ListComprehension,
    ListExpr,
    MemberExpr,
    NameExpr,
    Node,
    OperatorAssignmentStmt,
    OpExpr,
    OverloadedFuncDef,
    RefExpr,
    ReturnStmt,
    SetComprehension,
    SetExpr,
    StarExpr,
    TupleExpr,
    TypeInfo,
    UnaryExpr,
    Var,
    YieldExpr,
    YieldFromExpr,
)
from mypy.types import AnyType, Instance, LiteralType, TupleType, Type, UnionType, get_proper_type

PARTS = {"numerator", "denominator"}
MAKERS = {"lcm", "prod", "factorial", "comb", "perm"}
"""Of `math`: what grows beyond its arguments."""
ROUNDERS = {"int", "round", "floor", "ceil", "trunc"}
"""Large where they are given a fraction."""
KEEPERS = {
    "abs", "max", "min", "sum", "sorted", "list", "tuple", "set", "frozenset", "dict", "reversed", "zip", "enumerate",
    "iter", "next", "accumulate", "chain", "gcd", "isqrt", "divmod", "pow", "cast",
}  # fmt: skip
"""Large where an argument is."""
METHODS = {"append", "add", "extend", "update", "insert", "setdefault"}
READERS = {"values", "items", "keys", "get", "pop", "copy"}
GROWING = {"**", "<<"}
KEEPING = {"+", "-", "*", "//", "|", "^", "&"}

DEPTH = 5
"""How deep a type is looked into: some contain themselves."""

Fact = tuple[Node, Expression]
"""A variable or function, and an expression whose value it may get."""


class Large:
    """The variables and functions of some code that may hold, or give, large integers.

    Args:
        types: Of every expression.
        code: All nodes of it, each with the function around it.
    """

    def __init__(self, types: dict[Expression, Type], code: Iterable[tuple[FuncDef | None, Node]]) -> None:
        self.types, self.known = types, set[Node]()
        facts = [fact for function, node in code for fact in self._facts(function, node)]
        self.powers = {to for to, value in facts if isinstance(value, OpExpr) and value.op == "**"}
        more = True
        while more:
            left = [fact for fact in facts if fact[0] not in self.known]
            self.known |= (found := {to for to, value in left if self.is_large(value)})
            facts, more = left, bool(found)

    def is_large(self, e: Expression) -> bool:
        """Whether its value is, or has in it, an integer that may be large.

        A power of integers has no type that says so, nor has what is named after one.
        """
        typed = isinstance(e, (OpExpr, ListExpr, TupleExpr, DictExpr)) or _has_integer(self.types.get(e))
        return (typed or (isinstance(e, NameExpr) and e.node in self.powers)) and self._grows(e)

    def _grows(self, e: Expression) -> bool:
        if isinstance(e, OpExpr):
            return self._of_operator(e)
        if isinstance(e, CallExpr):
            return self._of_call(e)
        if isinstance(e, MemberExpr) and e.name in PARTS and _has_fraction(self.types.get(e.expr)):
            return True
        if isinstance(e, RefExpr):
            return any(node in self.known for node in self._meant(e))
        return any(map(self.is_large, _parts(e)))

    def _of_operator(self, e: OpExpr) -> bool:
        left, right = self.types.get(e.left), self.types.get(e.right)
        if e.op in GROWING:
            return _is_integer(left) and (not isinstance(e.right, IntExpr) or self.is_large(e.left))
        if e.op == "//" and (_has_fraction(left) or _has_fraction(right)):
            return True
        if not _has_integer(self.types.get(e)):
            return False
        if e.op == "%":
            return self.is_large(e.left) and not isinstance(e.right, IntExpr)
        return e.op in KEEPING | {"or", "and"} and (self.is_large(e.left) or self.is_large(e.right))

    def _of_call(self, e: CallExpr) -> bool:
        callee = e.callee
        if isinstance(callee, CallExpr) or not isinstance(callee, RefExpr):
            return False
        if isinstance(callee, MemberExpr) and callee.name in READERS and self._grows(callee.expr):
            return True
        name, module = (
            callee.name if isinstance(callee, (NameExpr, MemberExpr)) else "",
            callee.fullname.partition(".")[0],
        )
        if module in {"math", "builtins", "itertools", "typing", "functools"}:
            rounded = name in ROUNDERS and any(_has_fraction(self.types.get(a)) for a in e.args)
            kept = name in KEEPERS | ROUNDERS and any(map(self.is_large, e.args))
            return name in MAKERS or rounded or kept
        return any(node in self.known for node in callee_of(callee, self.types))

    def _meant(self, e: RefExpr) -> Iterator[Node]:
        """The variable, field or property that it names."""
        yield from callee_of(e, self.types)

    def _facts(self, function: FuncDef | None, node: Node) -> Iterator[Fact]:
        """What one node gives to whom."""
        if isinstance(node, AssignmentStmt):
            yield from self._given(node.lvalues, node.rvalue)
        elif isinstance(node, (OperatorAssignmentStmt, AssignmentExpr)):
            to = node.lvalue if isinstance(node, OperatorAssignmentStmt) else node.target
            yield from self._given([to], node.rvalue if isinstance(node, OperatorAssignmentStmt) else node.value)
        elif isinstance(node, ForStmt):
            yield from self._given([node.index], node.expr)
        elif isinstance(node, (GeneratorExpr, DictionaryComprehension)):
            for index, sequence in zip(node.indices, node.sequences, strict=True):
                yield from self._given([index], sequence)
        elif isinstance(node, (ReturnStmt, YieldExpr, YieldFromExpr)) and function is not None and node.expr:
            yield function, node.expr
        elif isinstance(node, CallExpr):
            yield from self._passed(node)

    def _given(self, to: Iterable[Any], value: Expression) -> Iterator[Fact]:
        for one in to:
            if isinstance(one, (TupleExpr, ListExpr)):
                paired = isinstance(value, TupleExpr) and len(value.items) == len(one.items)
                values = value.items if paired else [value] * len(one.items)  # type: ignore[attr-defined]
                for part, item in zip(one.items, values, strict=True):
                    yield from self._given([part], item)
            elif isinstance(one, (StarExpr, IndexExpr)):
                yield from self._given([one.expr if isinstance(one, StarExpr) else one.base], value)
            elif isinstance(one, RefExpr) and self._may_hold(one, value):
                yield from ((node, value) for node in self._meant(one))

    def _may_hold(self, to: RefExpr, value: Any) -> bool:
        return _has_integer(self.types.get(to)) or (isinstance(value, OpExpr) and value.op == "**")

    def _passed(self, call: CallExpr) -> Iterator[Fact]:
        """Arguments to the parameters of what is called; elements to the list that takes them."""
        callee = call.callee
        if not isinstance(callee, RefExpr):
            return
        if isinstance(callee, MemberExpr) and callee.name in METHODS:
            for value in call.args:
                yield from self._given([callee.expr], value)
        for node in callee_of(callee, self.types):
            names = _parameters(node, bound=isinstance(callee, MemberExpr))
            at = 0
            for value, kind, name in zip(call.args, call.arg_kinds, call.arg_names, strict=True):
                if kind == ARG_POS and at < len(names):
                    yield names[at][1], value
                    at += 1
                elif kind == ARG_NAMED:
                    yield from ((variable, value) for other, variable in names if other == name)


def callee_of(e: RefExpr, types: dict[Expression, Type]) -> Iterator[Node]:
    """The functions, classes or variables that a name or an attribute may stand for."""
    node: Any = e.node
    if node is None and isinstance(e, MemberExpr):
        for kind in _instances(types.get(e.expr)):
            symbol = kind.type.get(e.name)
            yield from _bare(symbol.node if symbol else None)
        return
    yield from _bare(node)


def _bare(node: Any) -> Iterator[Node]:
    if isinstance(node, Decorator):
        node = node.func
    if isinstance(node, OverloadedFuncDef):
        yield from _bare(node.impl)
    elif isinstance(node, (FuncDef, Var, TypeInfo)):
        yield node


def _parameters(node: Node, *, bound: bool) -> list[tuple[str, Var]]:
    """Of a function, or of the making of an object: the fields of a dataclass, which have the same names."""
    if isinstance(node, FuncDef):
        start = 1 if bound and node.info and not node.is_static else 0
        kept = not hasattr(node, "arguments")  # of another package, which writes nothing of ours
        return [] if kept else [(one.variable.name, one.variable) for one in node.arguments[start:]]
    if isinstance(node, TypeInfo):
        fields = node.metadata.get("dataclass", {}).get("attributes", [])
        symbols = [(field["name"], node.get(field["name"])) for field in fields]
        return [(name, one.node) for name, one in symbols if one and isinstance(one.node, Var)]
    return []


def _parts(e: Expression) -> list[Expression]:
    """What the value of an expression is put together from."""
    if isinstance(e, (TupleExpr, ListExpr, SetExpr)):
        return e.items
    if isinstance(e, DictExpr):
        return [part for item in e.items for part in item if part is not None]
    if isinstance(e, ConditionalExpr):
        return [e.if_expr, e.else_expr]
    if isinstance(e, (ListComprehension, SetComprehension)):
        return [e.generator]
    if isinstance(e, GeneratorExpr):
        return [e.left_expr]
    if isinstance(e, DictionaryComprehension):
        return [e.key, e.value]
    if isinstance(e, IndexExpr):
        return [e.base]
    if isinstance(e, AssignmentExpr):
        return [e.value]
    return [e.expr] if isinstance(e, (UnaryExpr, StarExpr, CastExpr)) else []


def _instances(kind: Type | None) -> Iterator[Instance]:
    proper = get_proper_type(kind)
    if isinstance(proper, UnionType):
        for item in proper.items:
            yield from _instances(item)
    elif isinstance(proper, TupleType):
        yield proper.partial_fallback
    elif isinstance(proper, Instance):
        yield proper


def _has_fraction(kind: Type | None) -> bool:
    return any(one.type.fullname == "fractions.Fraction" for one in _instances(kind))


def _is_integer(kind: Type | None) -> bool:
    proper = get_proper_type(kind)
    proper = proper.fallback if isinstance(proper, LiteralType) else proper
    return isinstance(proper, AnyType) or any(one.type.fullname == "builtins.int" for one in _instances(proper))


def _has_integer(kind: Type | None, depth: int = DEPTH) -> bool:
    """Whether there are integers in it, which truth values are not; code that gives some does not count."""
    proper = get_proper_type(kind) if depth else None
    if isinstance(proper, (UnionType, TupleType)):
        return any(_has_integer(item, depth - 1) for item in proper.items)
    if isinstance(proper, Instance):
        return proper.type.fullname == "builtins.int" or any(_has_integer(one, depth - 1) for one in proper.args)
    return False
