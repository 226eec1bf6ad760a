"""What is told apart by something hidden is told apart by its form, or not merged."""

import builtins
import dataclasses
import fractions
import random
import sys
import types
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from instances.arraying import ARRAYING
from instances.both_ways import assert_merged, assert_unmerged, both
from instances.hiding import HIDDEN, HIDING, OfTyped
from instances.keeping import Count

from dpcert import MechanismError, scripted
from dpcert.audit.scripted.plain import only_plain
from dpcert.audit.scripted.unknown import Unknown


@pytest.mark.parametrize("factory", HIDING)
def test_states_with_something_hidden_behave_alike(factory: Any) -> None:
    assert_merged(factory)


@pytest.mark.parametrize("factory", HIDDEN)
def test_what_tells_more_than_is_looked_at_is_not_merged(factory: Any) -> None:
    assert_unmerged(factory)


def spying(function: Any) -> Any:
    """The same, by a function of the user's."""
    return lambda *given, **named: function(*given, **named)


CHANGES: list[tuple[Any, str, Any]] = [
    (dataclasses, "_is_dataclass_instance", spying),
    (fractions, "math", lambda module: types.SimpleNamespace(**vars(module))),
    (random.Random, "choice", spying),
    (sys, "intern", spying),
]
"""What plain code calls without naming it, and what it can be changed into."""


@pytest.mark.parametrize(("owner", "name", "change"), CHANGES)
def test_functions_that_were_put_into_pythons_libraries_are_noticed(
    owner: Any, name: str, change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scripted(Count, alphabet=(0, 1)).machine(2) is not None
    monkeypatch.setattr(owner, name, change(vars(owner)[name]))
    mechanism = scripted(Count, alphabet=(0, 1))
    assert mechanism.machine(2) is None
    assert "was changed" in mechanism.why_unmerged(2)


def test_names_that_what_python_wrote_looks_up_elsewhere_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scripted(OfTyped, alphabet=(0, 1)).machine(2) is not None
    monkeypatch.setattr(types, "NotImplemented", 1, raising=False)
    mechanism = scripted(OfTyped, alphabet=(0, 1))
    assert mechanism.machine(2) is None
    assert mechanism.why_unmerged(2) == "Typed has __eq__"


@pytest.mark.parametrize(("part", "name"), [("fromnumeric", "_wrapreduction"), ("arrayprint", "_array2string")])
def test_functions_that_numpy_calls_are_looked_at(part: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = getattr(np._core, part)  # type: ignore[attr-defined]
    monkeypatch.setattr(inner, name, spying(vars(inner)[name]))
    mechanism = scripted(ARRAYING[0], alphabet=(0, 1))
    assert mechanism.machine(2) is None
    assert "numpy" in mechanism.why_unmerged(2) or "was changed" in mechanism.why_unmerged(2)


def test_numpy_that_calls_back_is_not_plain() -> None:
    before, called = np.geterr(), np.seterrcall(lambda *_: None)
    try:
        mechanism = scripted(ARRAYING[0], alphabet=(0, 1))
        assert mechanism.machine(2) is None
        assert "seterrcall" in mechanism.why_unmerged(2)
    finally:
        np.seterrcall(called)
        np.seterr(**before)


def test_numpy_that_calls_back_where_it_writes_is_not_plain() -> None:
    """An error that is caught has a text, which is made all the same."""
    with np.printoptions(formatter={"all": str}):
        mechanism = scripted(ARRAYING[0], alphabet=(0, 1))
        assert mechanism.machine(2) is None
        assert "set_printoptions" in mechanism.why_unmerged(2)


@pytest.mark.parametrize(("name", "value"), [("abs", tuple), ("filter", map), ("ValueError", RecursionError)])
def test_a_name_of_pythons_that_stands_for_another_of_its_own_is_not_plain(
    name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    space: dict[str, Any] = {"__name__": "renamed"}
    exec(f"def told(value):\n    return {name}(value)", space)
    only_plain((space["told"],), None)
    monkeypatch.setattr(builtins, name, value)
    with pytest.raises(Unknown, match=f"it names {name}|{name} of builtins was changed"):
        only_plain((space["told"],), None)


def test_a_profile_of_the_users_sees_more_than_the_code_says() -> None:
    before = sys.getprofile()
    sys.setprofile(lambda *_: None)
    try:
        mechanism = scripted(Count, alphabet=(0, 1))
        assert mechanism.machine(2) is None
        assert "sys.setprofile" in mechanism.why_unmerged(2)
    finally:
        sys.setprofile(before)


def mine() -> Any:
    """An error of one's own."""
    return type("Mine", (Exception,), {"told": 0, "__module__": __name__})


class OnError(Count):
    def __call__(self, x: int) -> Any:
        told, Mine.told = Mine.told, self.rng.getrandbits(1)  # type: ignore[name-defined] # noqa: F821
        return x, told


def test_an_error_that_was_put_among_pythons_is_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "Mine", mine(), raising=False)
    mechanism = scripted(OnError, alphabet=(0, 1))
    with suppress(MechanismError):
        assert mechanism.machine(2) is None
    assert mechanism.why_unmerged(2) == "it names Mine"


class Handled(Count):
    def __call__(self, x: Any) -> Any:
        try:
            return [0, 1][x] + self.rng.getrandbits(1)
        except IndexError:
            raise ValueError(f"no {x} of {self.count:d}") from None


def test_errors_may_be_raised_from_none() -> None:
    machine = both(scripted(Handled, alphabet=(0, 1)), 2)
    assert machine is not None
    assert machine.merged
