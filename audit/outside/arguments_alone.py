"""Functions that read their arguments alone: what they answer follows from these, by the steps of their code.

Beside its arguments such code reads numbers, texts and tuples of them, Python's own functions and functions of its
kind. All of that is noted, so that it can be looked at again whether the same still stands there. As in plain code
(`scripted/plain`), what a function may do is named, and all else makes it one of which this is not known.
"""

import builtins
import math
import operator
import sys
from abc import ABCMeta
from collections.abc import Callable
from dis import Instruction, get_instructions
from itertools import accumulate
from types import CodeType, FunctionType, MemberDescriptorType, MethodType
from typing import Any

from dpcert.audit.frozen import frozen
from dpcert.audit.outside.compiled import is_compiled

STEPS_KNOWN = sys.version_info[:2] == (3, 11)
"""Whether it is known what the steps of this Python do: on any other, nothing is known of a function."""
_STEPS = {
    "BINARY_OP", "BINARY_SUBSCR", "BUILD_LIST", "BUILD_SLICE", "BUILD_TUPLE", "CALL", "CALL_FUNCTION_EX", "COMPARE_OP",
    "CONTAINS_OP", "COPY", "COPY_FREE_VARS", "DELETE_FAST", "EXTENDED_ARG", "FOR_ITER", "GET_ITER", "JUMP_BACKWARD",
    "JUMP_FORWARD", "JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP", "KW_NAMES", "LIST_APPEND", "LIST_EXTEND",
    "LIST_TO_TUPLE", "LOAD_CLOSURE", "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "LOAD_GLOBAL", "MAKE_CELL",
    "MAKE_FUNCTION", "NOP", "POP_JUMP_BACKWARD_IF_FALSE", "POP_JUMP_BACKWARD_IF_NONE", "POP_JUMP_BACKWARD_IF_NOT_NONE",
    "POP_JUMP_BACKWARD_IF_TRUE", "POP_JUMP_FORWARD_IF_FALSE", "POP_JUMP_FORWARD_IF_NONE",
    "POP_JUMP_FORWARD_IF_NOT_NONE", "POP_JUMP_FORWARD_IF_TRUE", "POP_TOP", "PRECALL", "PUSH_NULL", "RESUME",
    "RETURN_GENERATOR", "RETURN_VALUE", "STORE_DEREF", "STORE_FAST", "STORE_SUBSCR", "SWAP", "UNARY_INVERT",
    "UNARY_NEGATIVE", "UNARY_NOT", "UNARY_POSITIVE", "UNPACK_EX", "UNPACK_SEQUENCE", "YIELD_VALUE",
}  # fmt: skip
"""Steps on numbers, texts, tuples and lists of one's own: none that leads to modules, classes, dictionaries or sets."""
_OF_PYTHON = {
    name: vars(builtins)[name]
    for name in (
        "abs", "all", "any", "bool", "divmod", "enumerate", "filter", "float", "int", "isinstance", "len", "list",
        "map", "max", "min", "pow", "range", "reversed", "round", "sorted", "sum", "tuple", "zip",
    )
}  # fmt: skip
_OF_MATH = {
    name: vars(math)[name]
    for name in ("ceil", "comb", "exp", "floor", "gcd", "isqrt", "lcm", "log", "log2", "prod", "sqrt", "trunc")
}
_OTHERS = (
    accumulate, operator.add, operator.and_, operator.floordiv, operator.mod, operator.mul, operator.neg, operator.or_,
    operator.sub, operator.truediv, operator.xor,
)  # fmt: skip
_METHODS = {"append", "bit_count", "bit_length", "copy", "count", "extend", "index", "insert", "pop", "reverse", "sort"}
"""What it may name of numbers, tuples and lists of its own."""
_PLAIN = (bool, int, range)
_MARKS = {"__override__", "__no_type_check__"}
"""Attributes of functions that mark them and lead nowhere."""
_MISSING = object()


class NotAlone(Exception):
    """Why it is not known that a function reads its arguments alone, in words."""


@frozen
class _Read:
    """Something that stands outside of the arguments, and what it was; `now` looks at it again."""

    name: str
    now: Callable[[], Any]
    was: Any


@frozen
class ArgumentsAlone:
    """A function that reads its arguments, and what is noted here."""

    reads: tuple[_Read, ...]

    def changed(self) -> str:
        """The name of something that is no longer what it was; empty where there is nothing."""
        return next((read.name for read in self.reads if read.now() is not read.was), "")


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a text or a tuple of such, which nobody can change and which keeps nothing.

    A text with a per cent sign is none: it can ask any object how it is written.
    """
    if type(value) is tuple:
        return all(map(is_plain, value))
    if type(value) is str or type(value) is bytes:
        return ord("%") not in value if type(value) is bytes else "%" not in value
    return value is None or any(type(value) is kind for kind in _PLAIN) or (type(value) is float and value == value)


def arguments_alone(function: Callable[..., Any]) -> ArgumentsAlone:
    """Looks at a function, or a method, and at all that it calls.

    Raises: NotAlone: it is not known that it reads its arguments alone.
    """
    if not STEPS_KNOWN:
        raise NotAlone("it is not known how this Python writes down code")
    reader = _Reader()
    if type(function) is MethodType and type(function.__func__) is FunctionType:
        reader.function(function.__func__, function.__self__)
    elif type(function) is FunctionType:
        reader.function(function, _MISSING)
    else:
        raise NotAlone(f"it is a {type(function).__name__}")
    return ArgumentsAlone(tuple(reader.reads))


class _Reader:
    """Notes what functions read beside their arguments."""

    def __init__(self) -> None:
        watching = (("what watches every step", sys.gettrace), ("what watches every call", sys.getprofile))
        self.reads = [_Read(name, now, now()) for name, now in watching]
        self._seen: set[tuple[FunctionType, int]] = set()

    def function(self, function: FunctionType, holder: Any) -> None:
        """One function; `holder` is what its first argument is, where it is called as a method."""
        if (function, id(holder)) in self._seen:
            return
        self._seen.add((function, id(holder)))
        name, code, defaults = function.__qualname__, function.__code__, function.__defaults__
        own = getattr(function, "__builtins__", None)
        if type(function.__globals__) is not dict or own is not vars(builtins) or function.__closure__:
            raise NotAlone(f"{name} is made by another function")
        if function.__kwdefaults__ or not is_plain(defaults):
            raise NotAlone(f"{name} has arguments that are given where nobody gives them")
        if not is_compiled(code, function.__globals__):
            raise NotAlone(f"{name} is not what the file compiles to in which it says that it stands")
        self._functions_own(function)
        self._note(f"the code of {name}", lambda: function.__code__, code)
        self._note(f"the defaults of {name}", lambda: function.__defaults__, defaults)
        self._note(f"the defaults of {name}", lambda: function.__kwdefaults__, function.__kwdefaults__)
        bound = "" if holder is _MISSING or not code.co_argcount else code.co_varnames[0]
        if holder is not _MISSING and not bound:
            raise NotAlone(f"{name} takes its object as one of many arguments")
        self._code(code, function, bound, holder)

    def _functions_own(self, function: FunctionType) -> None:
        """What a function has besides its code: attributes, and where the functions within it find Python's own."""
        name, space = function.__qualname__, function.__globals__
        self._note(f"attributes of {name}", lambda: _has_attributes(function), was=False)
        if _has_attributes(function):
            raise NotAlone(f"{name} has attributes")
        builtin = space.get("__builtins__", builtins)
        self._note(f"Python's own functions in {name}", lambda: space.get("__builtins__", builtins), builtin)
        if builtin is not builtins and builtin is not vars(builtins):
            raise NotAlone(f"the module of {name} has other functions in place of Python's own")

    def _note(self, name: str, now: Callable[[], Any], was: Any) -> None:
        self.reads.append(_Read(name, now, was))

    def _code(self, code: CodeType, function: FunctionType, bound: str, holder: Any) -> None:
        steps = list(get_instructions(code))
        loaded = [step.argval for step in steps if step.opname == "LOAD_CONST"]
        if code.co_exceptiontable:
            raise NotAlone("it catches errors")
        for i, step in enumerate(steps):
            following = steps[i + 1] if i + 1 < len(steps) else step
            if bound and step.argval == bound and not step.opname.startswith(("MAKE_CELL", "LOAD_CLOSURE", "COPY_")):
                self._own(step, following, holder)
            elif step.opname == "LOAD_GLOBAL":
                self._global(step.argval, following, function)
            elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                self._attribute(steps[i - 1] if i else step, step, function, bound)
            elif step.opname not in _STEPS:
                raise NotAlone(f"it has a step {step.opname}")
        for part in code.co_consts:
            if isinstance(part, CodeType):
                if bound and bound in part.co_varnames:
                    raise NotAlone(f"it names two things {bound}")
                self._code(part, function, bound, holder)
            elif part is not Ellipsis and not is_plain(part) and (type(part) is not str or part in loaded):
                raise NotAlone(f"it has a constant {part!r}")

    def _own(self, step: Instruction, following: Instruction, holder: Any) -> None:
        """What stands in the object whose method it is: that may be read by name, and nothing else be done with it."""
        reads = step.opname in ("LOAD_FAST", "LOAD_DEREF") and following.opname in ("LOAD_ATTR", "LOAD_METHOD")
        if not reads or following.is_jump_target:
            raise NotAlone("it hands on the object that it belongs to")
        self._of_object(holder, following.argval)

    def _of_object(self, holder: Any, name: str) -> None:
        kind: Any = type(holder)
        self._note(f"how {kind.__name__} looks up attributes", lambda: _looks_up(kind), was=False)
        if type(kind) not in (type, ABCMeta) or _looks_up(kind):
            raise NotAlone(f"{kind.__name__} looks up its attributes itself")
        self._note(f"the class {kind.__name__}", lambda: type(holder), kind)
        static = _static(kind, name)
        self._note(f"{kind.__name__}.{name}", lambda: _static(kind, name), static)
        if type(static) is property:
            self._note(f"the function of {name}", lambda: static.fget, static.fget)
            self._called(name, static.fget, holder)
        elif type(static) is FunctionType or type(static) is staticmethod:
            inside = static.__func__ if isinstance(static, staticmethod) else static
            self._note(name, lambda: _called_by(holder, name), inside)
            if _called_by(holder, name) is not inside:
                raise NotAlone(f"{name} is a method, and something else of this object")
            self._called(name, inside, _MISSING if isinstance(static, staticmethod) else holder)
        elif static is _MISSING or type(static) is MemberDescriptorType or is_plain(static):
            value = getattr(holder, name, _MISSING)
            if not is_plain(value):
                raise NotAlone(f"it reads {name}, which is no number, text or tuple of them")
            self._note(name, lambda: getattr(holder, name, _MISSING), value)
        else:
            raise NotAlone(f"it reads {name}, a {type(static).__name__}")

    def _called(self, name: str, function: Any, holder: Any) -> None:
        if type(function) is not FunctionType:
            raise NotAlone(f"it reads {name}")
        self.function(function, holder)

    def _global(self, name: str, following: Instruction, function: FunctionType) -> None:
        """What stands in the module under a name, or in Python's own."""
        space = function.__globals__
        value = space.get(name, _MISSING)
        self._note(name, lambda: space.get(name, _MISSING), value)
        if value is _MISSING:
            self._note(name, lambda: vars(builtins).get(name, _MISSING), _OF_PYTHON.get(name))
            if vars(builtins).get(name, _MISSING) is not _OF_PYTHON.get(name):
                raise NotAlone(f"it names {name}")
        elif value is math:
            if following.opname not in ("LOAD_ATTR", "LOAD_METHOD") or following.is_jump_target:
                raise NotAlone("it hands on a module")
        elif type(value) is FunctionType:
            self.function(value, _MISSING)
        elif not is_plain(value) and not any(value is one for one in (*_OTHERS, *_OF_MATH.values())):
            raise NotAlone(f"it names {name}, which is no number, text or tuple of them")

    def _attribute(self, before: Instruction, step: Instruction, function: FunctionType, bound: str) -> None:
        """A name after a dot: of the object and of math that was looked at, of others where it is a known method."""
        if before.opname == "LOAD_GLOBAL" and function.__globals__.get(before.argval) is math:
            if vars(math).get(step.argval, _MISSING) is not _OF_MATH.get(step.argval):
                raise NotAlone(f"it names math.{step.argval}")
            self._note(f"math.{step.argval}", lambda: vars(math).get(step.argval), _OF_MATH[step.argval])
        elif bound and before.argval == bound and before.opname in ("LOAD_FAST", "LOAD_DEREF"):
            return
        elif step.opname != "LOAD_METHOD" or step.argval not in _METHODS:
            raise NotAlone(f"it names {step.argval}")


def _static(kind: type, name: str) -> Any:
    """What a class has under a name, before anybody is asked for it."""
    return next((vars(one)[name] for one in kind.__mro__ if name in vars(one)), _MISSING)


def _looks_up(kind: Any) -> bool:
    """Whether a class says itself what its objects have under a name."""
    return kind.__getattribute__ is not object.__getattribute__ or hasattr(kind, "__getattr__")


def _called_by(holder: Any, name: str) -> Any:
    """The function that is called where a method is, of this object and no other."""
    found = getattr(holder, name, _MISSING)
    return found.__func__ if type(found) is MethodType and found.__self__ is holder else found


def _has_attributes(function: FunctionType) -> bool:
    """Whether a function has attributes beside those that mark it."""
    own = vars(function)
    return type(own) is not dict or not own.keys() <= _MARKS
