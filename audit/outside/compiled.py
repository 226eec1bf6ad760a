"""Code as Python's compiler gives it: what its steps do in which order is known then, and no step is put between.

Code that was put together by hand may leave anything on the stack. Whatever text it is that compiles to the same
steps and names: if there is one, the compiler gives them.
"""

import ast
import linecache
import warnings
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import Any

FILES_KEPT = 64
"""Files whose code is remembered, by their text."""


def is_compiled(code: CodeType, names: dict[str, Any]) -> bool:
    """Whether the file in which code says that it stands compiles to it; `names` are those of its module."""
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, names))
    return any(_told(code) == _told(one) for one in _codes_of(text) if one.co_firstlineno == code.co_firstlineno)


@lru_cache(FILES_KEPT)
def _codes_of(text: str) -> tuple[CodeType, ...]:
    """All code of a text; none where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = compile(ast.parse(text), "<text>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return ()
    return tuple(_within(whole))


def _within(code: CodeType) -> Iterator[CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _within(part)


def _told(code: CodeType) -> tuple[Any, ...]:
    """The steps of code, the names that they use, and the same of all code within."""
    names = code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    parts = (_told(part) if isinstance(part, CodeType) else None for part in code.co_consts)
    return code.co_code, names, arguments, code.co_flags, code.co_exceptiontable, tuple(parts)
