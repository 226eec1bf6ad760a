"""Which code is so plain that nothing is left unseen of what it keeps: its states alone are merged.

Python has more ways to tell two objects apart than a list of what they hold can name: identity of what a library keeps,
caches behind classes, names of functions, flags of texts. So this names what code may use, not what it must not: plain
values in lists, tuples and dictionaries, attributes of plain classes, plain functions, some of Python's own, some of
`math`, and the generator. Everything else is run as it is, through all that it may draw.
"""

import builtins
import math
from collections import deque
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

from dpcert.audit.kernels.release import HALT
from dpcert.audit.layout import SPACE
from dpcert.audit.outside.guards import original, place_of
from dpcert.audit.scripted import generated
from dpcert.audit.scripted.plain_arrays import (
    OF_ARRAYS,
    is_array,
    is_number,
    is_numpy,
    loaded,
    unchanged,
    unusual_with_arrays,
)
from dpcert.audit.scripted.plain_code import (
    FUNCTIONS,
    OF_MATH,
    PARTS,
    PATTERNS_KNOWN,
    GlobalNames,
    is_constant,
    nested,
    raised_steps,
    unusual,
)
from dpcert.audit.scripted.plain_sets import is_called_with_sets, makes_dictionaries, makes_sets, unusual_with_sets
from dpcert.audit.scripted.plain_texts import leads_to_numpy, loads_text
from dpcert.audit.scripted.readable import attributes_named, globals_read, is_users_class, is_users_function
from dpcert.audit.scripted.remembered import nothing_was_changed, numpy_is_unchanged
from dpcert.audit.scripted.traversal import KEPT_BY_PYTHON
from dpcert.audit.scripted.unknown import Unknown

DRAWS = {
    "binomial", "choice", "choices", "getrandbits", "integers", "permutation", "randint", "random", "randrange",
    "sample", "shuffle", "uniform",
}  # fmt: skip
"""What code may name of the generator."""
OF_CLASSES = {"__init__", "__call__", "__post_init__"}
"""Names of Python's own that a class may define; code may name none of them."""
_PLAIN = (bool, int, range)
_KEYS = (int, str, bytes, bool, float, type(None))
_ERRORS = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and not value.__flags__ & (1 << 9)
}
"""Python's own errors, of which none can be changed."""
_NAMED = {**FUNCTIONS, **_ERRORS, "super": super}
"""What of Python's own code may name, each by its own name."""
KNOWN_WITH_SETS = frozenset(OF_MATH | PARTS)
"""Names of `math` and of numbers, of which code with sets may use those that go through nothing."""


def only_plain(
    roots: Iterable[Any], generator: Any, *, errors: bool = False, unread: frozenset[tuple[type, str]] = frozenset()
) -> Mapping[int, Any]:
    """Looks at all that can be reached from some values; `errors` says whether errors are outcomes.

    Attributes that are `unread`, of a class under a name, are not looked at; no code may name them, and they are no
    fields of dataclasses, which Python reads by functions that it writes.

    Returns: All that was looked at, by its place.
    Raises: Unknown: something is not so plain that all of it is known.
    """
    looker = _Looker(generator, with_texts=not errors, unread=unread)
    nothing_was_changed()
    try:
        for root in roots:
            looker.look(root)
        looker.look_at_spaces()
        looker.look_at_fields()
        looker.look_at_arrays()
        looker.look_at_sets()
    except RecursionError:
        raise Unknown("it is nested too deeply") from None
    return {**looker.seen, **looker.spaces, **looker.noted}


class _Looker:
    """Looks at everything once."""

    def __init__(self, generator: Any, *, with_texts: bool, unread: frozenset[tuple[type, str]]) -> None:
        self.generator, self.with_texts, self.unread = generator, with_texts, unread
        self.unnameable = frozenset(name for _, name in unread)
        self.seen: dict[int, Any] = {}
        self.noted: dict[int, Any] = {}
        self.codes: dict[tuple[CodeType, GlobalNames], None] = {}
        self.spaces: dict[int, Any] = {}
        self.arrays = any(k.__module__.startswith("numpy") for k in type(generator).__mro__)
        self.text = self.unnamed = self.sets = False
        self.met: list[Any] = []
        self.fields: set[str] = set()
        self.properties: set[str] = set()

    def look(self, value: Any) -> None:
        """Raises: Unknown: it is nothing plain."""
        kind = type(value)
        if place_of(value) in self.seen:
            return
        self.seen[place_of(value)] = value
        if _is_text(value):
            if not is_constant(value):
                raise Unknown("it holds a text by which others can be formatted")
            self.text = True
        elif kind is Fraction:
            if not (type(value._numerator) is int and type(value._denominator) is int):
                raise Unknown("a fraction has parts that are no whole numbers")
        elif value is None or value is self.generator or value is HALT or _among(kind, _PLAIN):
            return
        elif kind is float:
            if value != value:
                raise Unknown("it holds a number that is none")
        elif _among(kind, (tuple, list, deque)):
            self._all(value)
        elif kind is dict:
            self._dictionary(value)
        elif kind is set or kind is frozenset:
            self._set(value)
        elif is_number(value) or is_array(value):
            self.arrays = True
        else:
            self._other(kind, value)

    def _known(self, values: Iterable[Any]) -> None:
        """Notes what was looked at otherwise, and what it is made of."""
        for value in values:
            self.noted.setdefault(place_of(value), value)
            if type(value) is tuple:
                self._known(value)

    def _all(self, values: Iterable[Any]) -> None:
        for value in values:
            self.look(value)

    def _dictionary(self, value: dict[Any, Any]) -> None:
        for key, item in value.items():
            if not _is_key(key):
                raise Unknown(f"a key is a {type(key).__name__}")
            self.look(key)
            self.look(item)

    def _set(self, value: set[Any] | frozenset[Any]) -> None:
        self.sets = True
        for member in value:
            if not _is_key(member):
                raise Unknown(f"a set holds a {type(member).__name__}")
            self.look(member)

    def _other(self, kind: type, value: Any) -> None:
        if kind is FunctionType:
            self._function(value)
        elif kind is CellType:
            self._cell(value)
        elif kind is type or value is Fraction:
            self._class(value)
        elif kind is MethodType:
            self._all([value.__func__, value.__self__])
        elif kind is BuiltinFunctionType or kind is ModuleType:
            self.unnamed = self.unnamed or value is pow
            self.met.append(value)
            if value is not math and not _among(value, FUNCTIONS.values()):
                raise Unknown(f"it leads to {getattr(value, '__name__', 'a function')}")
        else:
            self._object(kind, value)

    def _cell(self, value: CellType) -> None:
        try:
            inside = value.cell_contents
        except ValueError:
            return
        self.look(inside)

    def _object(self, kind: type, value: Any) -> None:
        """An object of a plain class: what stands in its own dictionary, in its slots, or in it as a tuple."""
        if type(kind) is not type or not is_users_class(kind) or issubclass(kind, BaseException):
            raise Unknown(f"it holds a {kind.__name__}")
        self.look(kind)
        if tuple in kind.__mro__:
            self._all(tuple.__iter__(value))
        spaces = [SPACE.__get__(k) for k in kind.__mro__[:-1]]
        reader = next((space["__dict__"] for space in spaces if "__dict__" in space), None)
        if reader is not None:
            own = _attributes(reader, value)
            if type(own) is not dict:
                raise Unknown(f"a {kind.__name__} has attributes of its own making")
            if not all(type(name) is str for name in own):
                raise Unknown(f"a {kind.__name__} has an attribute that has no name")
            if any(name.startswith("__") for name in own):
                raise Unknown(f"a {kind.__name__} has an attribute of a name of Python's own")
            self.spaces[place_of(own)] = own
            self._known(own)
            self._all(own.values())
        for slot in (slot for space in spaces for slot in space.values() if type(slot) is MemberDescriptorType):
            self._slot(slot, value)

    def _slot(self, slot: Any, value: Any) -> None:
        try:
            inside = slot.__get__(value)
        except AttributeError:
            return
        self.look(inside)

    def _class(self, kind: Any) -> None:
        """One of Python's own that code may name, or a plain one of the user's."""
        self.unnamed = self.unnamed or kind is dict
        self.sets = self.sets or kind is set or kind is frozenset
        self.met.append(kind)
        if _among(kind, (*FUNCTIONS.values(), object, deque, Fraction)) or _is_error(kind):
            return
        own = kind.__mro__[:1] if generated.is_named_tuple(kind) else kind.__mro__[:-1]
        own = [k for k in own if not (_is_users_error(kind) and _is_error(k))]
        if not all(type(k) is type and is_users_class(k) for k in own):
            raise Unknown(f"it leads to {kind.__name__}")
        self._all(kind.__bases__)
        if generated.has_init_variable(kind):
            raise Unknown(f"{kind.__name__} has an InitVar")
        if not generated.fields_are_known(kind):
            raise Unknown(f"{kind.__name__} says of itself what its fields are")
        self.fields.update(SPACE.__get__(kind).get("__dataclass_fields__", ()))
        written = generated.written(kind)
        for name, value in SPACE.__get__(kind).items():
            if (kind, name) in self.unread:
                continue
            if name in written:
                self._all(written[name])
            elif name not in KEPT_BY_PYTHON and name not in generated.KEPT:
                self._attribute(kind, name, value)

    def _attribute(self, kind: Any, name: str, value: Any) -> None:
        """What stands in a class under a name."""
        if name.startswith("__") and name not in OF_CLASSES:
            raise Unknown(f"{kind.__name__} has {name}")
        if name in ("_fields", "_field_defaults") and generated.is_named_tuple(kind) and _are_names(value):
            self._known((value, *value))
            self._all(value.values() if type(value) is dict else ())  # where there are arrays, code cannot name these
            return
        if type(value) is MemberDescriptorType:
            if value.__objclass__ is not kind or value.__name__ != name:
                raise Unknown(f"{kind.__name__} has a slot of another name")
        elif type(value) is property:
            self.properties.add(name)
            self._all([value.fget, value.fset, value.fdel])
        else:
            is_wrapped = type(value) is staticmethod or type(value) is classmethod
            self.look(value.__func__ if is_wrapped else original(value))

    def _function(self, function: FunctionType) -> None:
        if generated.is_replace(function):
            return
        space, own = function.__globals__, getattr(function, "__builtins__", None)
        if type(space) is not dict or own is not vars(builtins) or vars(function):
            raise Unknown(f"{function.__qualname__} is no plain function")
        if not is_users_function(function):
            raise Unknown(f"it leads to {function.__qualname__}")
        self._code(function)
        for name in globals_read(function.__code__):
            if is_numpy(space.get(name)):
                self.arrays = True
                self._known([space[name]])
            elif name in space:
                self.look(original(space[name]))
            elif not _is_pythons(name):
                raise Unknown(f"it names {name}")
        self._all(function.__closure__ or ())
        self._all([function.__defaults__, function.__kwdefaults__])

    def _code(self, function: FunctionType) -> None:
        code, space = function.__code__, function.__globals__
        pythons = frozenset(name for name in globals_read(code) if name not in space)
        numpys = frozenset(name for name in globals_read(code) if is_numpy(space.get(name)))
        errors = frozenset(name for name in globals_read(code) if _is_users_error(space.get(name)))
        names = GlobalNames(pythons, numpys, errors, self.with_texts)
        self.codes[code, names] = None
        self.spaces[place_of(space)] = space
        why = unusual(code, names)
        if why:
            raise Unknown(why)
        for part in nested(code):
            self._known(part.co_consts)
        for name in attributes_named(code):
            if name in self.unnameable:
                raise Unknown(f"it names {name}")
            if name not in DRAWS and name != "__init__" and hasattr(self.generator, name):
                raise Unknown(f"it names {name}")

    def look_at_spaces(self) -> None:
        """Raises: Unknown: what code names can be changed behind its names."""
        if self.spaces.keys() & self.seen.keys():
            raise Unknown("it holds the names of a module, or of an object's attributes, as a dictionary")

    def look_at_fields(self) -> None:
        """Raises: Unknown: a field of a dataclass has the name of what nobody has looked at."""
        if self.fields & self.unnameable:
            raise Unknown("a field has the name of something else that is not looked at")

    def look_at_arrays(self) -> None:
        """Raises: Unknown: there are arrays, and something that is plain only where there are none."""
        if not self.arrays:
            return
        unchanged()
        numpy_is_unchanged(loaded())
        if self.unnamed:
            raise Unknown("it has dict or pow under another name, where there are arrays")
        self._look_at_texts()
        for code, names in self.codes:
            for part in nested(code):
                why = unusual_with_arrays(part, names.pythons, names.numpys)
                if why:
                    raise Unknown(why)

    def _look_at_texts(self) -> None:
        """Raises: Unknown: there are texts beside arrays, and numpy may be told one."""
        parts = [(part, names) for code, names in self.codes for part in nested(code)]
        loads = any(loads_text(part, raised_steps(part, names)) for part, names in parts)
        if not (loads or self.text):
            return
        if any(names.numpys for _, names in parts):
            raise Unknown(f"it {'has' if loads else 'holds'} texts, where numpy is named")
        why = next(filter(None, (leads_to_numpy(part, OF_ARRAYS) for part, _ in parts)), "")
        if why:
            raise Unknown(why)

    def look_at_sets(self) -> None:
        """Raises: Unknown: there are sets, and something by which their order may show."""
        parts = [(part, names) for code, names in self.codes for part in nested(code)]
        if not (self.sets or any(makes_sets(part, names.pythons) for part, names in parts)):
            return
        if self.arrays or not self.with_texts or not PATTERNS_KNOWN:
            raise Unknown("it has sets, where there are arrays or the texts of errors are outcomes")
        kinds = {type(value) for value in self.seen.values()}
        if kinds & {list, deque} or not all(map(_is_met_with_sets, self.met)):
            raise Unknown("it holds lists, or what makes them, where there are sets")
        if self.fields & self.properties:  # what Python writes of fields calls these, member by member
            raise Unknown("a property stands for a field, where there are sets")
        dictionaries = dict in kinds or any(makes_dictionaries(part) for part, _ in parts)
        for part, names in parts:
            why = unusual_with_sets(part, names.pythons, KNOWN_WITH_SETS, dictionaries=dictionaries)
            if why:
                raise Unknown(why)


def _is_met_with_sets(value: Any) -> bool:
    """Whether a function or class of Python's own goes through nothing that it is handed, or is a user's."""
    of_pythons = _among(value, (*FUNCTIONS.values(), deque)) or _is_error(value)
    return is_called_with_sets(value) if of_pythons else True


def _attributes(reader: Any, value: Any) -> Any:
    """An object's own attributes, by what its class has to read them with; None where that is another's."""
    try:
        return reader.__get__(value) if type(reader) is GetSetDescriptorType else None
    except TypeError:
        return None


def _is_text(value: Any) -> bool:
    return type(value) is str or type(value) is bytes


def _are_names(value: Any) -> bool:
    """Whether it holds nothing but names of items, or what these are where nothing is given."""
    return (type(value) is dict or type(value) is tuple) and all(
        type(name) is str and is_constant(name) for name in value
    )


def _is_pythons(name: str) -> bool:
    """Whether Python's own of this name is one that code may name."""
    return name in _NAMED and vars(builtins).get(name) is _NAMED[name]


def _among(value: Any, known: Iterable[Any]) -> bool:
    """Whether it is one of these very objects: a user's == is not asked."""
    return any(value is one for one in known)


def _is_key(key: Any) -> bool:
    return _among(type(key), _KEYS) or (type(key) is tuple and all(map(_is_key, key)))


def _is_error(value: Any) -> bool:
    """Whether it is one of Python's own exceptions."""
    return _among(value, _ERRORS.values())


def _is_users_error(value: Any) -> bool:
    """Whether it is an exception of the user's, which nobody but code that is looked at raises."""
    return type(value) is type and issubclass(value, BaseException) and is_users_class(value)
