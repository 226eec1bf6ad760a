"""Calls, as they are written down in code: from what is called over all that is handed to it up to the call itself."""

import builtins
from collections.abc import Iterator, Sequence
from dis import Instruction, hasjrel, stack_effect

HANDLED = frozenset({"IndexError", "KeyError", "LookupError", "OverflowError", "ValueError", "ZeroDivisionError"})
"""Python's own errors that plain code may catch: they come of values alone, and nobody looks at what they say."""
RAISED = {"NotImplementedError", "OverflowError", "RuntimeError", "ValueError"}
"""Python's own errors whose texts may say anything, where they are raised at once: nothing plain looks at them."""

_TAKEN: dict[str, int] = {
    **dict.fromkeys(("LOAD_FAST", "LOAD_DEREF", "LOAD_CONST", "LOAD_GLOBAL", "PUSH_NULL", "JUMP_FORWARD", "NOP"), 0),
    **dict.fromkeys(("LOAD_CLOSURE", "KW_NAMES"), 0),
    **dict.fromkeys(("LOAD_ATTR", "LOAD_METHOD", "UNARY_NEGATIVE", "UNARY_NOT", "UNARY_INVERT"), 1),
    **dict.fromkeys(("STORE_FAST", "STORE_DEREF", "GET_ITER", "POP_TOP"), 1),
    **dict.fromkeys(("POP_JUMP_FORWARD_IF_FALSE", "POP_JUMP_FORWARD_IF_TRUE"), 1),
    **dict.fromkeys(("JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP"), 1),
    **dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP", "CONTAINS_OP", "CALL"), 2),
}
"""How many values a step takes off the stack, of those that may stand where an error is made; a call takes what was
made before it, that is, its arguments, in the step PRECALL."""


def raised_at_once(steps: Sequence[Instruction], pythons: frozenset[str]) -> Iterator[int]:
    """The places of the steps that make what is handed to an error which is raised at once."""
    for i, step in enumerate(steps):
        if step.opname == "LOAD_GLOBAL" and step.argval in RAISED & pythons & vars(builtins).keys():
            end = end_of_call(steps, i)
            if end is not None and _is_raised(steps[end : end + 4]) and _goes_nowhere_else(steps[i + 1 : end]):
                yield from range(i, end)


def _is_raised(steps: Sequence[Instruction]) -> bool:
    """Whether these steps call something, and raise at once what it gives, `from None` or not."""
    kinds = [step.opname for step in steps]
    if kinds == ["PRECALL", "CALL", "LOAD_CONST", "RAISE_VARARGS"]:
        is_known = steps[2].argval is None and steps[3].arg == 2
    else:
        steps = steps[:3]
        is_known = kinds[:3] == ["PRECALL", "CALL", "RAISE_VARARGS"] and steps[2].arg == 1
    return is_known and not any(step.is_jump_target for step in steps[1:])


def _goes_nowhere_else(steps: Sequence[Instruction]) -> bool:
    """Whether the texts that are made between an error and its call go into longer ones, and into that call alone.

    Followed is at which depths of the stack there may be a text, on any way; none is forgotten.
    """
    texts: set[int] = set()
    before = None
    for step, low, high in _with_depths(steps):
        if step.opname == "FORMAT_VALUE":
            by_text = (step.arg or 0) & 4
            if by_text and (step.is_jump_target or before is None or before.opname != "LOAD_CONST"):
                return False
            texts.add(low)
        elif step.opname == "BUILD_STRING":
            texts.add(low)
        elif low < 0 or any(low <= text < high for text in texts):
            return False
        elif step.opname == "LOAD_CONST" and type(step.argval) in (str, bytes, tuple, frozenset):
            texts.add(low)
        before = step
    return True


def is_left_alone(steps: Sequence[Instruction], begin: int) -> bool:
    """Whether a function that a step loads is called, and nothing else is done with it."""
    end = end_of_call(steps, begin)
    return end is not None and all(low >= 0 for _, low, _ in _with_depths(steps[begin + 1 : end]))


def _with_depths(steps: Sequence[Instruction]) -> Iterator[tuple[Instruction, int, int]]:
    """Each step with how many values lie on the stack below those that it takes, and before it takes them.

    Counted is from the first step on; a step that is not known takes more than there are.
    """
    depth = 0
    after: dict[int, int] = {}
    for step in steps:
        depth = after.get(step.offset, depth)
        taken = _taken(step)
        yield step, -1 if taken is None else depth - taken, depth
        if step.opcode in hasjrel:
            after[step.argval] = depth + stack_effect(step.opcode, step.arg, jump=True)
            depth += stack_effect(step.opcode, step.arg, jump=False)
        else:
            depth += stack_effect(step.opcode, step.arg)


def _taken(step: Instruction) -> int | None:
    """How many values a step takes off the stack, or looks at there; None of one that is not known."""
    count = step.arg or 0
    if step.opname in ("BUILD_STRING", "BUILD_TUPLE", "BUILD_LIST", "BUILD_SLICE", "PRECALL", "COPY", "SWAP"):
        return count
    if step.opname == "MAKE_FUNCTION":
        return 1 + count.bit_count()
    if step.opname == "FORMAT_VALUE":
        return 2 if count & 4 else 1
    if step.opname in ("LIST_EXTEND", "LIST_APPEND", "BUILD_CONST_KEY_MAP"):
        return count + 1
    return _TAKEN.get(step.opname)


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


def catches_more(steps: Sequence[Instruction], known: frozenset[str]) -> bool:
    """Whether code with handlers catches other errors than those of known names, or looks at what it has caught."""
    begins = [i + 1 for i, step in enumerate(steps) if step.opname == "PUSH_EXC_INFO"]
    matches = {i for i, step in enumerate(steps) if step.opname == "CHECK_EXC_MATCH"}
    place = {step.offset: i for i, step in enumerate(steps)}
    while begins:
        i = begins.pop()
        if steps[i].opname == "RERAISE":
            continue
        at = _match(steps, i, known)
        if at is None:
            return True
        matches.discard(at)
        begins.append(place[steps[at + 1].argval])
    return bool(matches)


def _match(steps: Sequence[Instruction], begin: int, known: frozenset[str]) -> int | None:
    """The place where an error is held against known ones, named there and then; None where it is not so."""
    i = begin
    while steps[i].opname == "LOAD_GLOBAL" and steps[i].argval in known:
        i += 1
    if i - begin > 1 and (steps[i].opname, steps[i].arg) == ("BUILD_TUPLE", i - begin):
        i += 1
    kinds = [step.opname for step in steps[i : i + 3]]
    is_held = kinds == ["CHECK_EXC_MATCH", "POP_JUMP_FORWARD_IF_FALSE", "POP_TOP"] and i > begin
    return i if is_held and not any(step.is_jump_target for step in steps[begin + 1 : i + 3]) else None
