"""What code names, imports and stores, by its own account: nothing of it is run."""

from collections import deque
from dis import get_instructions
from functools import lru_cache
from types import CodeType


def names_of(code: CodeType) -> list[str]:
    """Every name that code and the code inside it reads from somewhere else."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= dict.fromkeys(names_of(constant))
    return list(names)


@lru_cache(maxsize=4_096)
def asked_of(code: CodeType) -> tuple[str, ...]:
    """The same, and texts by which it may ask for attributes."""
    names = names_of(code)
    if "getattr" not in names:
        return tuple(names)
    parts = deque([code])
    while parts:
        for constant in parts.popleft().co_consts:
            if isinstance(constant, CodeType):
                parts.append(constant)
            elif isinstance(constant, str):
                names.append(constant)
    return tuple(dict.fromkeys(names))


@lru_cache(maxsize=4_096)
def imported_by(code: CodeType) -> tuple[str, ...]:
    """The modules that code imports when it runs, with the packages in which they stand."""
    named = [step.argval for step in get_instructions(code) if step.opname == "IMPORT_NAME"]
    whole = [".".join(name.split(".")[: n + 1]) for name in named for n in range(name.count(".") + 1)]
    return (*whole, *(name for part in code.co_consts if isinstance(part, CodeType) for name in imported_by(part)))


@lru_cache(maxsize=4_096)
def stores(code: CodeType) -> bool:
    """Whether code looks as if it changed something that is not its own: by what it does, or by what it calls."""
    for step in get_instructions(code):
        if step.opname in _STORING or (step.opname == "STORE_DEREF" and step.argval in code.co_freevars):
            return True
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return not _CHANGING.isdisjoint(code.co_names) or any(map(stores, inner))


_STORING = {
    "STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_SUBSCR", "DELETE_SUBSCR", "IMPORT_NAME",
    "YIELD_VALUE",
}  # fmt: skip
_CHANGING = {
    "append", "appendleft", "extend", "extendleft", "insert", "remove", "pop", "popleft", "popitem", "clear", "reverse",
    "sort", "rotate", "update", "setdefault", "add", "discard", "difference_update", "intersection_update",
    "next", "setattr", "delattr", "__setattr__", "__dict__", "vars", "globals", "locals", "exec", "eval", "__import__",
    "import_module", "send", "write", "open", "super", "setitem", "delitem", "iadd", "ior", "iconcat", "heappush",
    "heappop", "heapreplace", "heappushpop", "heapify", "insort", "insort_left", "insort_right", "subtract",
    "move_to_end", "symmetric_difference_update", "__setitem__", "__delitem__", "__iadd__", "__ior__", "__ixor__",
    "__iand__", "__isub__", "__imul__", "__init__", "__next__", "seed", "shuffle", "setstate", "fill", "put", "itemset",
    "resize", "setflags", "cache_clear", "reduce",
}  # fmt: skip
