"""The source of a file, parsed and walked through once for all tests that look at it."""

import ast
from functools import cache
from pathlib import Path


@cache
def tree(path: Path) -> ast.Module:
    """What a file says, by its resolved path; nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All that a file says, whole and in parts, by its resolved path."""
    return tuple(ast.walk(tree(path)))
