"""Whether code may tell what a value is and ask it for nothing: by its type, by which object it is, by what is raised.

An item of the neighbour-preserving game that is asked for anything but whether it is another one notes that. These ways
leave no such note: code that has one of them may take another way with values than it took with items.
"""

import builtins
import operator
from dis import get_instructions
from functools import lru_cache
from types import CodeType, FunctionType, MemberDescriptorType, MethodWrapperType, WrapperDescriptorType
from typing import Any

from dpcert.audit.layout import is_a
from dpcert.audit.outside.code_names import OF_DATACLASSES, asked_of, asks_which_object, makes_up_names, stores
from dpcert.audit.outside.reach import Reach, reach
from dpcert.audit.outside.states import LEAVES

_ASKING = {"type", "isinstance", "issubclass", "callable", "id", "eval", "exec", "compile"}
_NAMES = {*_ASKING, "is_", "is_not", "suppress", "singledispatch", "singledispatchmethod", "ref", "proxy"}
_FUNCTIONS = (*(vars(builtins)[name] for name in sorted(_ASKING)), operator.is_, operator.is_not)
"""What code may have under a name of its own."""
_OF_NOTHING = {
    "__class__", "__name__", "__qualname__", "__module__", "__doc__", "__dict__", "__slots__", "__annotations__",
    "__init__", "__post_init__", "__new__", "__setattr__",
}  # fmt: skip
"""Names between double underscores that are no operations on values."""
_KNOWN = (*LEAVES, FunctionType, MemberDescriptorType)
_OF_VALUES = {*vars(builtins), *(name for kind in (int, str, tuple, frozenset) for name in dir(kind))}
"""Names of Python's, of which those that change anything are known (`stores`)."""
_MAKING = ("__init__", "__post_init__", "__new__", "__setattr__")


def may_tell(mechanism: object) -> bool:
    """Whether a mechanism's code may tell values from items in ways that they do not note, as far as can be read."""
    places = reach(mechanism)
    own = {
        function.__code__ for base in type(mechanism).__mro__ for function in _making(base).values()
    }  # the mechanism is made already
    codes = (code for code in (*places.code, *places.making) if code not in own)
    return not places.complete or any(map(may_tell_values, codes)) or _holds_one_that_does(places)


def _holds_one_that_does(places: Reach) -> bool:
    """Whether code has a function of Python's that does, under whatever name: `(5).__eq__` as well."""
    held = (value for name, value in places.values.items() if name.rpartition(".")[2] not in _NAMES)
    return any(
        any(value is one for one in _FUNCTIONS) or is_a(value, (MethodWrapperType, WrapperDescriptorType))
        for value in held
    )


@lru_cache(maxsize=4_096)
def may_tell_values(code: CodeType) -> bool:
    """The same of a function's code: by a name, a pattern, `is`, or as it catches what is raised.

    An operation that is called by its own name, as in `(5).__eq__(x)`, says of an item that it is not implemented.
    """
    if code.co_qualname.startswith(OF_DATACLASSES):
        return False  # of values of its own class alone
    names = asked_of(code)
    if any(name in _NAMES or (name[:2] == name[-2:] == "__" and name not in _OF_NOTHING) for name in names):
        return True
    if getattr(code, "co_exceptiontable", True) or makes_up_names(code) or _tells_objects(code):
        return True
    return any(may_tell_values(constant) for constant in code.co_consts if isinstance(constant, CodeType))


def _tells_objects(code: CodeType) -> bool:
    """Whether it has a pattern, or asks of anything but None whether it is that very object."""
    patterns = any(step.opname.startswith("MATCH_") for step in get_instructions(code))
    return patterns or asks_which_object(code, (None,))


def is_worked_out(kind: type) -> bool:
    """Whether code of somebody's runs where a value of a class is made, and may leave there what it has looked up.

    Code that is only called as a dataclass is made does so where it stores, or where it leads to a function that does.
    """
    ours = str(kind.__module__).startswith("dpcert.")
    return not ours and any(
        name != "__post_init__" or _leaves_something(function, kind)
        for base in kind.__mro__
        for name, function in _making(base).items()
        if not function.__code__.co_qualname.startswith(OF_DATACLASSES)
    )


def _leaves_something(function: FunctionType, kind: type) -> bool:
    """Whether a function, or one that it has a name for, looks as if it stored anything."""
    pending, seen = [function], set[CodeType]()
    fields = getattr(kind, "__dataclass_fields__", None) or {}
    while pending:
        one = pending.pop()
        if one.__code__ in seen:
            continue
        seen.add(one.__code__)
        if stores(one.__code__) or one.__closure__:
            return True
        for name in (name for name in asked_of(one.__code__) if name not in fields):
            met = [vars(base)[name] for base in kind.__mro__ if name in vars(base) and base is not object]
            met += [one.__globals__[name]] if name in one.__globals__ else []
            functions: list[Any] = [getattr(value, "fget", None) or getattr(value, "__func__", value) for value in met]
            pending.extend(value for value in functions if is_a(value, FunctionType))
            if not all(_is_known(value) for value in functions) or not (functions or name in _OF_VALUES):
                return True
    return False


def _is_known(value: Any) -> bool:
    """Whether what a name stands for leaves nothing anywhere, or does as functions do that are looked at."""
    return is_a(value, _KNOWN) or (is_a(value, type) and value.__module__ == "builtins")


def _making(kind: type) -> dict[str, FunctionType]:
    """The functions that make values of a class, of those that it has itself, by name."""
    found: dict[str, Any] = {name: vars(kind).get(name) for name in _MAKING}
    functions = {name: getattr(one, "__func__", one) for name, one in found.items()}
    own = {name: one for name, one in functions.items() if is_a(one, FunctionType)}
    return {name: one for name, one in own.items() if not one.__module__.startswith("namedtuple_")}
