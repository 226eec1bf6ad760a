"""Whether a user's modules look as if they could differ between two processes: by what their source names.

Python orders sets of strings, and tells objects apart, by what is new in each process; and what a module reads from
outside while it is imported is read before any audit begins.
"""

from collections.abc import Iterable
from dis import Instruction, get_instructions
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType

_NAMES = {
    "set", "frozenset", "hash", "__hash__", "id", "repr", "__repr__", "object", "union", "intersection", "difference",
    "symmetric_difference", "random", "secrets", "uuid", "time", "datetime", "urandom", "getrandom", "environ",
    "getenv", "default_rng", "getpid", "perf_counter", "monotonic",
}  # fmt: skip
_MAKING = {"BUILD_SET", "SET_ADD", "SET_UPDATE"}


def may_differ(modules: Iterable[ModuleType]) -> bool:
    """Whether the source of any of the modules names sets, hashes, identities, or what comes from outside."""
    return any(_source_names_any(*_source(getattr(module, "__file__", None))) for module in modules)


def _source(file: str | None) -> tuple[str, bytes]:
    """A file and what is in it; nothing where there is no source to read."""
    try:
        return file or "", Path(file or "").read_bytes()
    except (OSError, ValueError):
        return "", b""


@lru_cache(maxsize=64)
def _source_names_any(file: str, source: bytes) -> bool:
    try:
        return _names_any(compile(source, file, "exec", dont_inherit=True))
    except (SyntaxError, ValueError):
        return False


@lru_cache(maxsize=256)
def _names_any(code: CodeType) -> bool:
    steps = list(get_instructions(code))
    pairs = list(zip(steps, (*steps[1:], None), strict=True))
    named = {*code.co_names, *(s.argval for s in steps if s.opname == "IMPORT_NAME")}
    if all(_sets_attribute(step, after) for step, after in pairs if step.argval == "object"):
        named.discard("object")
    if not _NAMES.isdisjoint(named):
        return True
    if any(_makes_set(step, after) for step, after in pairs):
        return True
    return any(isinstance(constant, CodeType) and _names_any(constant) for constant in code.co_consts)


def _makes_set(step: Instruction, after: Instruction | None) -> bool:
    """Whether a step makes a set; one that is only looked into, as in `x in {1, 2}`, has no order that counts."""
    constant = step.opname == "LOAD_CONST" and isinstance(step.argval, frozenset)
    return step.opname in _MAKING or (constant and (after is None or after.opname != "CONTAINS_OP"))


def _sets_attribute(step: Instruction, after: Instruction | None) -> bool:
    """Whether a step that names `object` is for `object.__setattr__`, as in a frozen dataclass: it makes none."""
    if step.opname not in ("LOAD_GLOBAL", "LOAD_NAME") or after is None:
        return False
    return after.opname in ("LOAD_ATTR", "LOAD_METHOD") and after.argval == "__setattr__"
