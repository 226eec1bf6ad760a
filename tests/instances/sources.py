"""The source of a file, parsed once for all tests that look through it."""

import ast
from functools import cache
from pathlib import Path


@cache
def tree(path: Path) -> ast.Module:
    """What a file says, by its resolved path; nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))
