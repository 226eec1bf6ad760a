"""Calls, as they are written down in code: from what is called over all that is handed to it up to the call itself."""

import builtins
from collections.abc import Iterator, Sequence
from dis import Instruction, hasjrel, stack_effect

HANDLED = {"IndexError", "KeyError", "LookupError", "ZeroDivisionError"}
"""Python's own errors that plain code may catch: they come of values alone, and are none of those that follow."""
RAISED = {"NotImplementedError", "OverflowError", "RuntimeError", "ValueError"}
"""Python's own errors whose texts may say anything, where they are raised at once: nothing plain catches them."""


def raised_at_once(steps: Sequence[Instruction], pythons: frozenset[str]) -> Iterator[int]:
    """The places of the steps that make what is handed to an error which is raised at once."""
    for i, step in enumerate(steps):
        if step.opname == "LOAD_GLOBAL" and step.argval in RAISED & pythons & vars(builtins).keys():
            end = end_of_call(steps, i)
            if end is not None and _is_raised(steps[end : end + 3]):
                yield from range(i, end)


def _is_raised(steps: Sequence[Instruction]) -> bool:
    """Whether these steps call something, and raise at once what it gives."""
    kinds = [step.opname for step in steps]
    if kinds != ["PRECALL", "CALL", "RAISE_VARARGS"] or steps[2].arg != 1:
        return False
    return not any(step.is_jump_target for step in steps[1:])


def without_names(steps: Sequence[Instruction], pythons: frozenset[str]) -> set[int]:
    """The places where `dict` makes no texts of the names of arguments: called without names, or for `isinstance`."""
    places = set()
    for i, step in enumerate(steps):
        end = end_of_call(steps, i) if step.opname == "LOAD_GLOBAL" and (step.arg or 0) & 1 else None
        if end is not None and step.argval == "dict" and steps[end - 1].opname != "KW_NAMES":
            places.add(i)
        elif end is not None and step.argval == "isinstance" and "isinstance" in pythons:
            inside = range(i + 1, end)
            if not any(steps[k].opname.startswith(("PRECALL", "CALL", "STORE")) for k in inside):
                places.update(inside)
    return places


def end_of_call(steps: Sequence[Instruction], begin: int) -> int | None:
    """The place of the step PRECALL that belongs to a function which a step loads; None where that is not sure.

    Followed is how many values lie on the stack above the function, on every way there.
    """
    depth: int | None = 0
    awaited: dict[int, int] = {}
    for i in range(begin + 1, len(steps)):
        step = steps[i]
        if step.is_jump_target:
            before = awaited.pop(step.offset, None)
            if before is None or depth not in (None, before):
                return None
            depth = before
        if depth is None or depth < 0:
            return None
        if step.opname == "PRECALL" and step.arg == depth:
            return None if awaited else i
        if step.opcode in hasjrel:
            after = depth + stack_effect(step.opcode, step.arg, jump=True)
            if "BACKWARD" in step.opname or awaited.setdefault(step.argval, after) != after:
                return None
            depth = None if step.opname == "JUMP_FORWARD" else depth + stack_effect(step.opcode, step.arg, jump=False)
        elif step.opname.startswith(("RETURN", "RAISE", "RERAISE", "YIELD")):
            return None
        else:
            depth += stack_effect(step.opcode, step.arg)
    return None


def catches_more(steps: Sequence[Instruction], pythons: frozenset[str]) -> bool:
    """Whether code with handlers catches other errors than some of Python's, or looks at what it has caught."""
    begins = [i + 1 for i, step in enumerate(steps) if step.opname == "PUSH_EXC_INFO"]
    matches = {i for i, step in enumerate(steps) if step.opname == "CHECK_EXC_MATCH"}
    place = {step.offset: i for i, step in enumerate(steps)}
    while begins:
        i = begins.pop()
        if steps[i].opname == "RERAISE":
            continue
        at = _match(steps, i, pythons)
        if at is None:
            return True
        matches.discard(at)
        begins.append(place[steps[at + 1].argval])
    return bool(matches)


def _match(steps: Sequence[Instruction], begin: int, pythons: frozenset[str]) -> int | None:
    """The place where an error is held against some of Python's, named there and then; None where it is not so."""
    i = begin
    while steps[i].opname == "LOAD_GLOBAL" and steps[i].argval in HANDLED & pythons:
        i += 1
    if i - begin > 1 and (steps[i].opname, steps[i].arg) == ("BUILD_TUPLE", i - begin):
        i += 1
    kinds = [step.opname for step in steps[i : i + 3]]
    known = kinds == ["CHECK_EXC_MATCH", "POP_JUMP_FORWARD_IF_FALSE", "POP_TOP"] and i > begin
    return i if known and not any(step.is_jump_target for step in steps[begin + 1 : i + 3]) else None
