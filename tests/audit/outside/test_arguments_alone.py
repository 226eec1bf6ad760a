"""Code that reads its arguments alone, and one by one the ways in which code may know more."""

# ruff: noqa: ARG001, ARG005, C417, RET504, UP031 - what methods leave alone is part of what is tried

import builtins
import dis
import math
import sys
from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from types import CodeType, FunctionType, MethodType
from typing import Any, ClassVar

import pytest

from dpcert.audit.outside.arguments_alone import NotAlone, arguments_alone, is_plain

LIMIT = 3
KEPT: list[int] = []
NAN = float("nan")


def halved(values: tuple[int, ...], by: int = 2) -> list[int]:
    made = []
    for i, value in enumerate(values):
        made.append(value // by if i % 2 else value)
    made[0] += math.floor(LIMIT / 2)
    return made


def rising(values: tuple[int, ...]) -> Any:
    total = 0
    for value in values:
        total += value
        yield total


@lru_cache
def remembered(value: int) -> int:
    return value


def handed(holder: Any, core: Any) -> Any:
    return holder.left, core


class Sums:
    """What its code reads beside the core never changes, as long as nobody sets it."""

    scale, names, left = 2, ("a", "b"), 0
    kept: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.offset = 1

    @property
    def twice(self) -> int:
        return 2 * self.scale

    @cached_property
    def thrice(self) -> int:
        return 3 * self.scale

    @staticmethod
    def last(core: tuple[int, ...]) -> int:
        return core[-1]

    def shown(self) -> int:
        return self.total(())

    @classmethod
    def known(cls) -> int:
        return cls.scale

    def total(self, core: tuple[int, ...]) -> int:
        return sum(y * self.scale for y in core) + self.offset


def of_sums(function: Callable[..., Any]) -> Any:
    return MethodType(function, Sums())


ALONE: list[Callable[[Any, Any], Any]] = [
    lambda self, core: sum(core),
    lambda self, core: self.total(core) + self.twice,
    lambda self, core: (self.last(core), self.names[core[0] % 2], *halved(core)[:1]),
    lambda self, core: tuple(rising(core))[-1] if core[0] > LIMIT or len(core) > 2 else max(*core, 0),
    lambda self, core: sorted(core, key=lambda y: -y * self.scale)[0],
    lambda self, core: [y for y in core if 0 <= y < self.offset].count(1),
]


@pytest.mark.parametrize("number", range(len(ALONE)))
def test_code_of_the_core_and_of_constants_reads_these_alone(number: int) -> None:
    assert not arguments_alone(of_sums(ALONE[number])).changed()


class Hiding(Sums):
    """Says that it has no attributes, and has one in place of a method."""

    __dict__ = {}  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "total", len)


class Looking(Sums):
    def __getattr__(self, name: str) -> int:
        return len(name)


class Answering(Sums):
    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, name)


class Met(type):
    pass


class Made(Sums, metaclass=Met):
    pass


def by_default(self: Any, core: Any, kept: list[int] = []) -> Any:  # noqa: B006 - this is what is tried
    kept.append(1)
    return len(kept), core


def by_name(self: Any, core: Any, *, kept: int = 1) -> Any:
    return kept, core


def of_many(*both: Any) -> Any:
    return both[1]


def catching(self: Any, core: Any) -> Any:
    try:
        return core[5]
    except IndexError:
        return 0


def importing(self: Any, core: Any) -> Any:
    import random

    return random.random()


def naming_two(self: Any, core: Any) -> Any:
    return list(map(lambda self: self.left, core)), self.scale


def renaming(self: Any, core: Any) -> Any:
    self = core
    return self


def keeping(self: Any, core: Any) -> Any:
    self.left = core
    return 0


def closing(kept: list[int]) -> Callable[[Any, Any], Any]:
    return lambda self, core: (len(kept), core)


def marked(core: Any) -> Any:
    return core


marked.count = KEPT.count  # type: ignore[attr-defined]


def keeping_itself(self: Any, core: Any) -> Any:
    return list(map(lambda y: y + self.offset, core))


def by_hand(name: str) -> Any:
    """The same with another name for its object in the code within: by that name all of it is had."""
    code = keeping_itself.__code__
    parts = tuple(p.replace(co_freevars=(name,)) if isinstance(p, CodeType) else p for p in code.co_consts)
    return FunctionType(code.replace(co_consts=parts), globals())


def without_call() -> Any:
    """Code that looks up a method and gives what the look leaves below it, which is the object."""
    code = Sums.shown.__code__
    steps, call = list(dis.get_instructions(code)), dis.opmap["PRECALL"]
    at = next(step.offset for step in steps if step.opcode == call)
    made = code.co_code[:at] + bytes([dis.opmap["RETURN_VALUE"], 0]) + code.co_code[at + 2 :]
    return FunctionType(code.replace(co_code=made), globals())


NOT_ALONE: dict[str, Any] = {
    "a list of its own": of_sums(lambda self, core: self.kept[-1:]),
    "a list of the module": of_sums(lambda self, core: len(KEPT)),
    "nan": of_sums(lambda self, core: NAN),
    "the object itself": of_sums(lambda self, core: handed(self, core)),
    "the object in a list": of_sums(lambda self, core: [self][0].left),
    "what is remembered": of_sums(lambda self, core: remembered(core[0])),
    "a cached property": of_sums(lambda self, core: self.thrice),
    "a class method": of_sums(lambda self, core: self.known()),
    "the class": of_sums(lambda self, core: self.__class__),
    "its attributes": of_sums(lambda self, core: vars(self)),
    "where it lies": of_sums(lambda self, core: id(core)),
    "a hash": of_sums(lambda self, core: hash(core)),
    "which object": of_sums(lambda self, core: core[0] is core[-1]),
    "a set": of_sums(lambda self, core: {*core}),
    "a set of constants": of_sums(lambda self, core: core[0] in {1, 2}),
    "a dictionary": of_sums(lambda self, core: dict.fromkeys(core, 1)),
    "a text": of_sums(lambda self, core: f"{core}"),
    "a name of math that is none": of_sums(lambda self, core: math.dist(core, core)),
    "math itself": of_sums(lambda self, core: (math, core)),
    "a method of texts": of_sums(lambda self, core: "{0}".format(core)),  # noqa: UP030, UP032
    "defaults that change": of_sums(by_default),
    "defaults by name": of_sums(by_name),
    "all in one": of_sums(of_many),
    "errors": of_sums(catching),
    "modules": of_sums(importing),
    "two of one name": of_sums(naming_two),
    "another of one name": of_sums(renaming),
    "what it keeps": of_sums(keeping),
    "a closure": of_sums(closing(KEPT)),
    "attributes looked up": MethodType(ALONE[1], Looking()),
    "attributes answered": MethodType(ALONE[1], Answering()),
    "a class of a class": MethodType(ALONE[1], Made()),
    "an object that is called": partial(sum),
    "an attribute of a function": of_sums(lambda self, core: marked.count(core)),  # type: ignore[attr-defined]
    "how an object is written": of_sums(lambda self, core: "%s" % self.total),
    "how a function is written": of_sums(lambda self, core: b"%a" % halved),
    "an attribute that hides": MethodType(ALONE[1], Hiding()),
    "another name within": of_sums(by_hand("other")),
    "what is on the stack": of_sums(without_call()),
    "code of no file": of_sums(eval("lambda self, core: sum(core)")),
}


@pytest.mark.parametrize("what", NOT_ALONE)
def test_all_else_may_know_more(what: str) -> None:
    with pytest.raises(NotAlone):
        arguments_alone(NOT_ALONE[what])


def test_a_method_that_is_also_something_of_the_object_is_neither() -> None:
    holder = Sums()
    vars(holder)["total"] = len
    with pytest.raises(NotAlone, match="total is a method, and something else"):
        arguments_alone(MethodType(ALONE[1], holder))


def test_a_property_or_static_method_that_is_made_anew_is_another_one() -> None:
    class Twice(Sums):
        @property
        def twice(self) -> int:
            return 2

        @staticmethod
        def last(core: tuple[int, ...]) -> int:
            return core[-1]

    for name, function in (("twice", lambda _: 3), ("last", lambda core: core[0])):
        alone = arguments_alone(MethodType(lambda self, core: (self.twice, self.last(core)), Twice()))
        assert not alone.changed()
        vars(Twice)[name].__init__(function)
        assert name in alone.changed()


def test_what_watches_every_call_may_change_what_it_reads() -> None:
    alone, before = arguments_alone(of_sums(ALONE[0])), sys.getprofile()
    sys.setprofile(lambda *_: None)
    changed = alone.changed()
    sys.setprofile(before)
    assert changed


CHANGES: dict[str, Callable[[Any, pytest.MonkeyPatch], None]] = {
    "offset": lambda holder, _: setattr(holder, "offset", 2),
    "scale": lambda holder, _: setattr(holder, "scale", 3),
    "Sums.scale": lambda _, patch: patch.setattr(Sums, "scale", property(lambda _: 2)),
    "twice": lambda _, patch: patch.setattr(Sums, "twice", property(lambda _: 2)),
    "a property's function": lambda _, patch: patch.setattr(Sums.twice.fget, "__code__", (lambda _: 2).__code__),
    "total": lambda holder, _: vars(holder).update(total=len),
    "Sums.total": lambda _, patch: patch.setattr(Sums, "total", lambda *_: 0),
    "the class": lambda holder, _: setattr(holder, "__class__", type("Other", (Sums,), {})),
    "how attributes are looked up": lambda _, patch: patch.setattr(Sums, "__getattribute__", lambda *_: 2),
    "what is looked up past them": lambda _, patch: patch.setattr(Sums, "__getattr__", lambda *_: 2, raising=False),
    "an attribute of halved": lambda _, patch: patch.setattr(halved, "count", 1, raising=False),
    "Python's own functions": lambda _, patch: patch.setitem(globals(), "__builtins__", {"sum": max}),
    "LIMIT": lambda _, patch: patch.setitem(globals(), "LIMIT", 4),
    "halved": lambda _, patch: patch.setitem(globals(), "halved", lambda core: core),
    "its code": lambda _, patch: patch.setattr(halved, "__code__", rising.__code__),
    "its defaults": lambda _, patch: patch.setattr(halved, "__defaults__", (3,)),
    "sum": lambda _, patch: patch.setattr(builtins, "sum", max),
    "sum of the module": lambda _, patch: patch.setitem(globals(), "sum", max),
    "math.floor": lambda _, patch: patch.setattr(math, "floor", math.ceil),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_it_reads_is_looked_at_again(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    holder = Sums()
    alone = arguments_alone(MethodType(lambda self, core: (self.total(core), self.twice, halved(core)), holder))
    assert not alone.changed()
    CHANGES[change](holder, monkeypatch)
    changed = alone.changed()
    monkeypatch.undo()
    assert changed


def test_plain_values_are_those_that_nobody_can_change() -> None:
    assert all(map(is_plain, (1, True, None, "a", b"a", 0.5, (1, ("a", None)), range(3))))
    assert not any(map(is_plain, (NAN, [1], {1}, (1, [2]), 1j, len, object(), (NAN,))))
