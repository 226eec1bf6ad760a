"""Whether code may tell what a value is and ask it for nothing: by its type, by which object it is, by what is raised.

An item of the neighbour-preserving game that is asked for anything but whether it is another one notes that. These ways
leave no such note: code that has one of them may take another way with values than it took with items.
"""

import builtins
import operator
from dis import get_instructions
from functools import lru_cache
from itertools import pairwise
from types import CodeType, FunctionType, MethodWrapperType, WrapperDescriptorType
from typing import Any

from dpcert.audit.layout import is_a
from dpcert.audit.outside.code_names import asked_of, makes_up_names
from dpcert.audit.outside.reach import Reach, reach

_ASKING = {"type", "isinstance", "issubclass", "callable", "id", "eval", "exec", "compile"}
_NAMES = {*_ASKING, "is_", "is_not", "suppress", "singledispatch", "singledispatchmethod", "ref", "proxy"}
_FUNCTIONS = (*(vars(builtins)[name] for name in sorted(_ASKING)), operator.is_, operator.is_not)
"""What code may have under a name of its own."""
_OF_NOTHING = {
    "__class__", "__name__", "__qualname__", "__module__", "__doc__", "__dict__", "__slots__", "__annotations__",
    "__init__", "__post_init__", "__new__", "__setattr__",
}  # fmt: skip
"""Names between double underscores that are no operations on values."""
_MAKING = ("__init__", "__post_init__", "__new__", "__setattr__")
_OF_DATACLASSES = "__create_fn__."
"""How the names of functions begin that `dataclasses` writes."""


def may_tell(mechanism: object) -> bool:
    """Whether a mechanism's code may tell values from items in ways that they do not note, as far as can be read."""
    places = reach(mechanism)
    own = {code for base in type(mechanism).__mro__ for code in _making(base)}  # the mechanism is made already
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
    if code.co_qualname.startswith(_OF_DATACLASSES):
        return False  # of values of its own class alone
    names = asked_of(code)
    if any(name in _NAMES or (name[:2] == name[-2:] == "__" and name not in _OF_NOTHING) for name in names):
        return True
    if getattr(code, "co_exceptiontable", True) or makes_up_names(code) or _tells_objects(code):
        return True
    return any(may_tell_values(constant) for constant in code.co_consts if isinstance(constant, CodeType))


def _tells_objects(code: CodeType) -> bool:
    """Whether it has a pattern, or asks of anything but None whether it is that very object."""
    steps = [step for step in get_instructions(code) if step.opname not in ("CACHE", "EXTENDED_ARG")]
    return any(
        step.opname.startswith("MATCH_")
        or (step.opname == "IS_OP" and not (before.opname == "LOAD_CONST" and before.argval is None))
        for before, step in pairwise(steps)
    )


def is_worked_out(kind: type) -> bool:
    """Whether code of somebody's runs where a value of a class is made: what it looks up there, it knows afterwards."""
    ours = str(kind.__module__).startswith("dpcert.")
    codes = (code for base in kind.__mro__ for code in _making(base))
    return not ours and any(not code.co_qualname.startswith(_OF_DATACLASSES) for code in codes)


def _making(kind: type) -> list[CodeType]:
    """The code of the functions that make values of a class, of those that it has itself."""
    found: list[Any] = [vars(kind).get(name) for name in _MAKING]
    functions = (getattr(one, "__func__", one) for one in found)
    own = (one for one in functions if is_a(one, FunctionType) and not one.__module__.startswith("namedtuple_"))
    return [one.__code__ for one in own]
