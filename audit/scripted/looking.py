"""What may look at frames, and so at locals that no instruction reads any more.

Known by name: of what code asks for, of what it imports, of the modules that functions come from. A name that is put
together at run time is asked for with `getattr` or its like, which are among these names.
"""

from dis import get_instructions
from functools import lru_cache
from types import CodeType

from dpcert.audit.outside.beyond import HARMLESS, WATCHED

LOOKING = {
    "locals", "vars", "dir", "eval", "exec", "compile", "globals", "settrace", "gettrace", "setprofile", "getprofile",
    "_getframe", "_current_frames", "_current_exceptions", "currentframe", "f_locals", "f_back", "tb_frame", "gi_frame",
    "cr_frame", "ag_frame", "get_referrers", "get_objects", "getattr", "__getattribute__", "attrgetter", "methodcaller",
    "__builtins__", "__import__", "import_module", "modules", "__globals__", "f_globals", "__subclasses__", "__self__",
    "__defaults__", "__kwdefaults__",
}  # fmt: skip
"""Names by which code may read what it otherwise could not."""


def nested(code: CodeType) -> list[CodeType]:
    """Code, and all that is defined in it."""
    return [code, *(inner for part in code.co_consts if isinstance(part, CodeType) for inner in nested(part))]


def is_blind(module: str | None) -> bool:
    """Whether a module is known to hand out no frames.

    >>> is_blind("numpy.random"), is_blind("inspect")
    (True, False)
    """
    return module is None or module.partition(".")[0].lstrip("_") in HARMLESS | WATCHED


@lru_cache(maxsize=4096)
def may_look(code: CodeType) -> bool:
    """Whether code, or what is defined in it, names what looks at frames, or imports what may."""
    inner = nested(code)
    imported = (step.argval for part in inner for step in get_instructions(part) if step.opname == "IMPORT_NAME")
    return any(LOOKING.intersection(part.co_names) for part in inner) or not all(map(is_blind, imported))
