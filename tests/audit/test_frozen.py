"""Frozen values are what `dataclass(frozen=True)` makes of the same class, but for how long that takes."""

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

import pytest
from instances.seeds import chosen

from dpcert.audit.frozen import frozen


@frozen
class Plain:
    """Kept where pickling finds it."""

    one: int
    two: Any = Fraction(1, 2)


@frozen(slots=True)
class Slotted:
    """The same in slots."""

    one: int
    two: Any = Fraction(1, 2)


def random_kind(random: Random) -> Callable[[], type]:
    """A class body with up to five fields; the same again at each call."""
    names = random.sample(("a", "b", "self", "name", "value", "kind", "cls", "object"), random.randint(0, 5))
    defaults = sorted(random.choice((0, 0, 1, 2)) for _ in names)
    flags = [(random.random() < 0.8, random.random() < 0.8, random.choice((None, None, True, False))) for _ in names]
    own = random.sample(("__eq__", "__hash__", "__repr__", "__post_init__", "twice"), random.randint(0, 2))

    def body() -> type:
        made: dict[str, Any] = {"__annotations__": dict.fromkeys(names, Any), "__module__": __name__, "__doc__": "Any."}
        for name, kind, (compare, shown, hashed) in zip(names, defaults, flags, strict=True):
            how: dict[str, Any] = {"compare": compare, "repr": shown, "hash": hashed}
            if kind:
                how |= {"default": 7} if kind == 1 else {"default_factory": list}
            made[name] = field(**how)
        methods: dict[str, Any] = {
            "__eq__": lambda _self, _other: True,
            "__hash__": lambda _self: 5,
            "__repr__": lambda _self: "shown",
            "__post_init__": lambda self: seen.append(type(self).__name__),
            "twice": cached_property(lambda self: len(fields(self)) * 2),
        }
        return type("Kind", (), made | {name: methods[name] for name in own})

    return body


seen: list[str] = []


def outcome(compute: Callable[[], Any]) -> Any:
    """A value, or the kind of error and what it says."""
    try:
        return compute()
    except Exception as error:  # noqa: BLE001 - whatever the one raises the other does
        return type(error), str(error)


def told(kind: type, arguments: tuple[Any, ...], others: tuple[Any, ...]) -> list[Any]:
    """What a class and its values say of themselves."""
    made = [outcome(lambda given=given: kind(*given)) for given in (arguments, arguments, others)]
    if any(isinstance(one, tuple) for one in made):
        return [[one for one in made if isinstance(one, tuple)]]
    first, again, other = made
    names = [one.name for one in fields(kind)]  # type: ignore[arg-type]
    free = () if "__slots__" in vars(kind) else ("else_",)  # there dataclasses fall over their own feet
    asked: list[Callable[[], Any]] = [
        lambda: (first == again, first == other, first == 5, first != again),
        lambda: hash(first) == hash(again),
        lambda: hash(first) == hash(tuple(getattr(first, one.name) for one in compared(kind))),
        lambda: repr(first).partition(" object at ")[0],
        lambda: [getattr(first, name) for name in names],
        lambda: replace(first, **dict.fromkeys(names[:1], 11)) == first,
        lambda: copy.copy(first) == first,
        lambda: [outcome(lambda name=name: setattr(first, name, 1)) for name in (*names, *free)],
        lambda: [outcome(lambda name=name: delattr(first, name)) for name in names],
        lambda: first.twice,
        lambda: str(inspect.signature(kind)),
        lambda: (is_dataclass(kind), kind.__match_args__, repr(vars(kind).get("__slots__"))),  # type: ignore[attr-defined]
        lambda: [(one.name, one.compare, one.repr, one.hash) for one in fields(kind)],  # type: ignore[arg-type]
    ]
    return [outcome(one) for one in asked]


def compared(kind: type) -> list[Any]:
    return [one for one in fields(kind) if (one.compare if one.hash is None else one.hash)]  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", chosen(range(200)))
def test_a_frozen_value_does_what_one_of_dataclasses_does(seed: int) -> None:
    random = Random(seed)
    body = random_kind(random)
    how = {name: random.random() < 0.7 for name in ("eq", "repr")} | {"slots": random.random() < 0.3}
    arguments = tuple(random.choice((1, 2, "x", None, 2.5, [])) for _ in range(random.randint(0, 6)))
    others = tuple(random.choice((1, 2, "x")) for _ in arguments)
    seen.clear()
    theirs = outcome(lambda: told(dataclass(frozen=True, **how)(body()), arguments, others))
    there = list(seen)
    seen.clear()
    assert outcome(lambda: told(frozen(**how)(body()), arguments, others)) == theirs  # type: ignore[call-overload]
    assert seen == there


def test_values_are_pickled_and_copied() -> None:
    for kind, copied in product((Plain, Slotted), (copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value)))):
        value = kind(3, (1, [2]))
        assert copied(value) == value
        assert copied(value) is not value


def test_who_inherits_is_made_by_dataclasses_frozen_or_refused() -> None:
    @dataclass(frozen=True)
    class Heir(Plain):
        three: int = 3

    @frozen
    class Other(Plain):
        three: int = 3

    for kind in (Heir, Other):
        assert repr(kind(1)).endswith("(one=1, two=Fraction(1, 2), three=3)")
        with pytest.raises(FrozenInstanceError):
            kind(1).three = 4  # type: ignore[misc]
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        dataclass(type("Free", (Plain,), {"__annotations__": {"three": int}}))


def test_a_field_that_is_no_argument_is_left_to_dataclasses() -> None:
    @frozen
    class Counted:
        one: int
        two: int = field(init=False, default=4)

    assert (Counted(1).two, str(inspect.signature(Counted))) == (4, "(one: int) -> None")
    with pytest.raises(TypeError):
        Counted(1, 2)  # type: ignore[call-arg]


def test_an_heir_without_fields_may_keep_what_is_its_own() -> None:
    class Free(Plain):
        """Not frozen itself."""

    value = Free(1)
    value.mine = 2  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'one'"):
        value.one = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'one'"):
        del value.one
    del value.mine  # type: ignore[attr-defined]
