"""All that a piece of code does, in words that are the same wherever it is read."""

from collections.abc import Iterator
from types import CodeType

from dpcert.audit.identity import held
from dpcert.audit.kernels.label import exactly, in_full


def code_words(code: CodeType) -> Iterator[str]:
    """All that code does, and nothing of where it stands."""
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    yield in_full((code.co_name, *counts, code.co_code.hex(), code.co_exceptiontable.hex()))
    yield in_full((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_words(constant)
        else:
            yield exactly(held(constant, copying=True))
