"""Where a call stands in compiled code: in a loop or not, what is read after it, and what waits for it on the stack."""

import dis
from functools import lru_cache
from types import CodeType
from typing import Any

from dpcert.audit.frozen import frozen

Source = tuple[Any, ...]
"""Where a value comes from: a local or global name, an attribute of such, a constant, or somewhere else."""
NULL: Source = ("null",)
NOTHING: Source = ("else",)
STEADY = {"null", "constant", "global"}
"""Values that cannot have been computed in an earlier turn of a loop, globals as long as nobody writes to them."""


@frozen(slots=True)
class Site:
    """What is known of a call.

    Attributes:
        looping: Whether a loop surrounds it.
        live: The locals that are read after it, and all that are shared with other functions.
        bare: Whether nothing but constants and globals waits on the stack of values for it to return.
        waiting: The names of these globals.
        callee: Where what is called comes from.
    """

    looping: bool
    live: tuple[str, ...]
    bare: bool
    callee: Source
    waiting: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def site(code: CodeType, at: int) -> Site:
    """What is known of the call at an instruction."""
    instructions = {i.offset: i for i in dis.get_instructions(code)}
    order = list(instructions)
    at = max(offset for offset in order if offset <= at)  # while a call is made, the last of its caches is shown
    after = dict(zip(order, [*order[1:], None], strict=True))
    jumps = {o: i.argval for o, i in instructions.items() if i.opcode in dis.hasjrel or i.opcode in dis.hasjabs}
    looping = any(target <= at <= origin for origin, target in jumps.items())
    here = instructions.get(at)
    if here is None or here.opname != "CALL":
        return Site(looping, (), False, NOTHING)
    following = {o: _following(i, after[o], jumps.get(o)) for o, i in instructions.items()}
    live = set(code.co_varnames) if code.co_exceptiontable else _live(instructions, following)[at]
    names = live | set(code.co_cellvars) | set(code.co_freevars)
    stack = _stack_at(instructions, following, jumps, at)
    if stack is None or len(stack) < 2:
        return Site(looping, (), False, NOTHING)
    callee = stack[-1] if stack[-2] == NULL else stack[-2]
    below = stack[:-2]
    waiting = tuple(source[1] for source in below if source[0] == "global")
    return Site(looping, tuple(sorted(names)), all(source[0] in STEADY for source in below), callee, waiting)


def _following(instruction: dis.Instruction, after: int | None, target: int | None) -> list[int]:
    name = instruction.opname
    if name in ("RETURN_VALUE", "RAISE_VARARGS", "RERAISE"):
        return []
    if name.startswith(("JUMP_FORWARD", "JUMP_BACKWARD")):
        return [target] if target is not None else []
    return [offset for offset in (after, target) if offset is not None]


def _live(instructions: dict[int, dis.Instruction], following: dict[int, list[int]]) -> dict[int, set[str]]:
    """The locals that are read after each instruction before they are written."""
    before: dict[int, set[str]] = {offset: set() for offset in instructions}
    out: dict[int, set[str]] = {offset: set() for offset in instructions}
    changed = True
    while changed:
        changed = False
        for offset in reversed(instructions):
            instruction = instructions[offset]
            out[offset] = set().union(*(before[f] for f in following[offset]))
            now = set(out[offset])
            if instruction.opname == "STORE_FAST":
                now.discard(instruction.argval)
            elif instruction.opname.endswith("_FAST"):
                now.add(instruction.argval)
            if now != before[offset]:
                before[offset], changed = now, True
    return out


def _stack_at(
    instructions: dict[int, dis.Instruction], following: dict[int, list[int]], jumps: dict[int, int], at: int
) -> tuple[Source, ...] | None:
    """Where the values on the stack come from at a call, its arguments left out."""
    stacks: dict[int, tuple[Source, ...]] = {0: ()}
    open_ = [0]
    while open_:
        offset = open_.pop()
        for target in following[offset]:
            stack = _stack_after(instructions[offset], stacks[offset], jumped=target == jumps.get(offset))
            known = stacks.get(target)
            if known is not None:
                stack = tuple(a if a == b else NOTHING for a, b in zip(stack, known, strict=False))
            if stack != known:
                stacks[target] = stack
                open_.append(target)
    return stacks.get(at)


def _stack_after(instruction: dis.Instruction, stack: tuple[Source, ...], *, jumped: bool) -> tuple[Source, ...]:
    name, argument = instruction.opname, instruction.arg if instruction.opcode >= dis.HAVE_ARGUMENT else None
    effect = dis.stack_effect(instruction.opcode, argument, jump=jumped)
    if name == "PUSH_NULL":
        return (*stack, NULL)
    if name == "LOAD_CONST":
        return (*stack, ("constant", instruction.offset))  # where two paths meet, which one it is tells them apart
    if name == "LOAD_GLOBAL":
        return (*stack, *(NULL,) * (effect - 1), ("global", instruction.argval))
    if name in ("LOAD_FAST", "LOAD_DEREF"):
        return (*stack, ("local", instruction.argval))
    if name in ("LOAD_ATTR", "LOAD_METHOD"):
        found: Source = ("attribute", instruction.argval, stack[-1])
        return (*stack[:-1], found, *(NOTHING,) * effect)
    if name in ("SWAP", "COPY"):
        return (NOTHING,) * (len(stack) + effect)
    if name in ("NOP", "RESUME", "CACHE", "KW_NAMES", "PRECALL", "JUMP_BACKWARD", "JUMP_FORWARD"):
        return stack[: len(stack) + effect]
    if effect < 0:
        stack, effect = stack[:effect], 0
    return (*stack[:-1], *(NOTHING for _ in stack[-1:]), *(NOTHING,) * effect)
