"""Code of the npp game that tells values apart and asks items for nothing is given values in all ways."""

import binascii
import builtins
import itertools
import json
import marshal
import math
import operator
import statistics
import struct
import unicodedata
from builtins import isinstance as of_kind
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import pytest
from instances.valued import Tabled, Valued

from dpcert import Release, examine
from dpcert.audit.errors import MechanismError
from dpcert.audit.finding import Verdict
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.relations.looks import Looks
from dpcert.audit.relations.tags import NEW, OTHER, Tag

npp = partial(examine, game="npp", exp_epsilons=(1, 2))
OTHERWISE = "to do with every event what it does with any other"
kind_of = type
ASKED: dict[str, Any] = {"kind": type, "same": operator.is_}
is_four = (4).__eq__


class Colour(Enum):
    """Eight events, of which the first and the fifth never follow one another where each has each name once."""

    RED, ORANGE, YELLOW, LIME, GREEN, TEAL, BLUE, PINK = range(8)


class Green:
    """Equals one event, and says so itself."""

    def __eq__(self, other: object) -> bool:
        return other is Colour.GREEN

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "look",
    [
        lambda both: both[0] is Colour.RED and both[1] is Colour.GREEN,
        lambda both: operator.is_(both[0], Colour.RED) and not operator.is_not(both[1], Colour.GREEN),
        lambda both: ASKED["same"](both[0], Colour.RED) and ASKED["same"](both[1], Colour.GREEN),
        lambda both: both[0] is Colour.RED and Green() == both[1],
    ],
)
def test_events_that_are_told_by_which_object_they_are(look: Callable[[Any], object]) -> None:
    with pytest.raises(MechanismError, match=OTHERWISE):
        npp(Tabled(look, tuple(Colour)), horizon=3)


@pytest.mark.parametrize(
    "look",
    [
        lambda both: kind_of(both[0]) is kind_of(both[1]) is int and both == (0, 4),
        lambda both: [*map(ASKED["kind"], both)] == [int, int] and both == (0, 4),
        lambda both: all(of_kind(x, int) for x in both) and both == (0, 4),
        lambda both: is_four(both[1]) is True and (0).__eq__(both[0]) is True,
        lambda both: getattr(operator, "i" + "s_")(both[1].__class__, int) and both == (0, 4),
    ],
)
def test_events_that_are_told_by_functions_under_other_names(look: Callable[[Any], object]) -> None:
    with pytest.raises(MechanismError, match=OTHERWISE):
        npp(Tabled(look), horizon=3)


@dataclass(frozen=True)
class Purchase:
    """Two of one buyer are equal, and are two events."""

    buyer: str
    day: int = field(default=0, compare=False)


NAN = float("nan")


@pytest.mark.parametrize(
    "alphabet",
    [
        tuple(Purchase(*of) for of in (("a", 1), ("b",), ("c",), ("d",), ("a", 2), ("e",), ("f",), ("g",))),
        ((1,), (2,), (3,), (4,), (True,), (5,), (6,), (7,)),
        (0.0, 1.0, 2.0, 3.0, -0.0, 4.0, 5.0, 6.0),
    ],
)
def test_events_that_equal_each_other_are_no_items_that_do_not(alphabet: tuple[Any, ...]) -> None:
    with pytest.raises(MechanismError, match=OTHERWISE):
        npp(Tabled(lambda both: both[0] == both[1], alphabet), horizon=3)


def test_events_that_equal_each_other_and_are_not_compared_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.games.npp.MOST_STEPS_TO_OUTPUT", 100)  # it has none
    record = npp(Tabled(lambda both: both[0] is None, (0.0, -0.0, NAN)), horizon=3)
    assert record.verdict is Verdict.HOLDS


class Neighbours:
    """Outputs are neighbours, but after two certain events."""

    name, initial = "neighbours", None

    def after(self, state: Any, items: tuple[Any, Any], _: Any) -> Any:
        return None if (state, items[0]) in {(0, 4)} else items[0]


class Knowing:
    """Any outputs are neighbours; what it knows of two certain events it keeps."""

    name, initial = "knowing", (None, False)

    def after(self, state: Any, items: tuple[Any, Any], _: Any) -> Any:
        return items[0], (state[0], items[0]) in {(0, 4)}


@pytest.mark.parametrize(("relation", "said"), [(Neighbours(), "hidden outputs neighbours"), (Knowing(), OTHERWISE)])
def test_a_relation_that_looks_events_up_is_found_as_a_step_is(relation: Any, said: str) -> None:
    class Related(Tabled):
        outputs = relation

    with pytest.raises(MechanismError, match=said):
        npp(Related(lambda _: None), horizon=3)


@dataclass(frozen=True)
class Both:
    """Two events, and whether they are certain ones: a part that no field has."""

    one: Any
    other: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "certain", (self.one, self.other) in {(0, 4)})


class _Pair(NamedTuple):
    one: Any
    other: Any
    certain: bool = False


class Pair(_Pair):
    """The same, of a tuple."""

    def __new__(cls, one: Any, other: Any, certain: bool = False) -> "Pair":
        del certain
        return super().__new__(cls, one, other, (one, other) in {(0, 4)})


@dataclass(frozen=True)
class WorksOut(Valued):
    """Keeps the first two events as one value, and shows what that has worked out."""

    alphabet = tuple(range(8))  # type: ignore[assignment]
    initial = simulation = ()  # type: ignore[assignment]

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, None], Any]:
        del draw
        kept = (*state, x) if len(state) < 2 else state
        return Release(kept[2].certain if len(kept) > 2 else None), self.look(kept) if len(kept) == 2 else kept


@pytest.mark.parametrize("kind", [Both, Pair])
def test_what_a_kept_value_works_out_as_it_is_made_is_looked_up(kind: Callable[[Any, Any], Any]) -> None:
    """Where it is made it works out the same of values that are put in the place of items."""
    with pytest.raises(MechanismError, match=OTHERWISE):
        npp(WorksOut(lambda kept: (*kept, kind(*kept))), horizon=4)


PLACES = ((0, 0), (100, 0), (0, 200), (2, 0), (0, 100), (100, 100), (500, 300))
DAYS = tuple((n, n + 1, n + 2) for n in range(8))


@pytest.mark.parametrize(
    ("look", "alphabet"),
    [
        (lambda both: math.dist(*both) == 2, PLACES),
        (lambda both: "%s-%s-%s" % both[0] + "%s-%s-%s" % both[1] == "0-1-24-5-6", DAYS),  # noqa: UP031 - as it is met
    ],
)
def test_code_written_in_c_finds_nothing_in_an_item(look: Callable[[Any], object], alphabet: tuple[Any, ...]) -> None:
    """It read what tuples hold past all methods, and each pair of events was not among those that were tried."""
    with pytest.raises(MechanismError):
        npp(Tabled(lambda both: both[0] is not None and look(both), alphabet), horizon=3)


ASIDE = {"breakpoint", "exit", "quit", "input", "help", "copyright", "credits", "license", "open", "print"}
"""What would end the tests, or wait for somebody."""
KNOWN = {"callable", "id", "is_", "is_not", "isinstance", "issubclass", "type"}
"""What is known by its name (`outside/unasked`)."""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{module.__name__}.{name}": function
    for module in (builtins, math, operator, json, struct, statistics, itertools, marshal, binascii, unicodedata)
    for name, function in vars(module).items()
    if callable(function) and not name.startswith("_") and name not in ASIDE | KNOWN
} | {
    f"{value!r}.{name}": getattr(value, name)
    for value in ("%s%s%s", b"%a%a%a", (1, 2), 3, 0.5, frozenset({1}), Fraction(1, 2))
    for name in dir(value)
    if callable(getattr(value, name)) and name not in {"__eq__", "__ne__", "__class__", "__init_subclass__", "__new__"}
}


def told(value: Any, handed: tuple[Any, ...]) -> Any:
    """A result, with the places of items among what was handed in place of the items."""
    for place, one in enumerate(handed):
        if value is one:
            return f"item {place}"
    if isinstance(value, tuple | list):
        return [told(part, handed) for part in value]
    return repr(value) if isinstance(value, int | float | str | bytes | None) else type(value).__name__


def unnoted(function: Callable[..., Any]) -> dict[int, set[str]]:
    """By how many items a function was handed, what it said of some and of others; nothing if it was noted."""
    looks, said = Looks(), dict[int, set[str]]()
    for one, other in ((NEW, OTHER), (OTHER, NEW), (Tag(1), NEW), (Tag(2), Tag(3, other=True)), (Tag(9), Tag(1))):
        for handed in ((one,), (one, other), (one, other, Tag(4))):
            with looks.noted(), suppress(Exception):
                result = told(function(*handed), handed)
                said.setdefault(len(handed), set()).add(str(result))
    return {} if looks.found else said


def test_no_function_of_pythons_tells_items_apart_unless_that_is_noted() -> None:
    """What it says of some items it says of all others, or it is refused, or it notes that it was asked."""
    said = {name: unnoted(function) for name, function in FUNCTIONS.items()}
    assert {name: of for name, of in said.items() if any(len(results) > 1 for results in of.values())} == {}
    assert unnoted(lambda *items: items[0])
    assert len(unnoted(id)[1]) > 1
