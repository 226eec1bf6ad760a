"""Marks: what is counted anywhere that code can reach shows in them."""

import itertools
from abc import ABCMeta
from collections.abc import Callable
from contextvars import Context
from typing import Any

import pytest
from instances.holders import HOLDERS

from dpcert.audit.outside.marks import changed
from dpcert.audit.outside.reach import reach
from dpcert.audit.outside.settings import settings


class Mech:
    """A mechanism that keeps something."""

    def __init__(self, kept: Any) -> None:
        self.kept = kept


@pytest.mark.parametrize("where", HOLDERS)
def test_what_counts_is_seen(where: str) -> None:
    made, tick, read = HOLDERS[where]
    mech = Mech(made())
    first = read(mech.kept)
    before, again = reach(mech).marks(), reach(mech).marks()
    assert changed(before, again) == []
    assert read(mech.kept) == first
    tick(mech.kept)
    assert changed(before, reach(mech).marks()) != []


def _doubled(n: int) -> int:
    return 2 * n


class Noted:
    """0"""


def _annotated() -> None:
    Noted.__annotations__["times"] = Noted.__annotations__.get("times", 0) + 1


def _told() -> None:
    Noted.__doc__ = f"{int(Noted.__doc__ or 0) + 1}"


def _named() -> None:
    _doubled.__name__ += "'"


def _other_code() -> None:
    _doubled.__code__ = (lambda n: 2 * n).__code__


@pytest.mark.parametrize("tick", [_annotated, _told, _named, _other_code])
def test_what_counts_in_a_class_or_a_function_is_seen(tick: Callable[[], None]) -> None:
    Noted.__annotations__ = {}
    mech = Mech((Noted(), _doubled))
    before = reach(mech).marks()
    assert changed(before, reach(mech).marks()) == []
    tick()
    assert changed(before, reach(mech).marks()) != []


def _accumulated() -> Any:
    return itertools.accumulate(itertools.repeat(1))


def _chained() -> Any:
    return itertools.chain(itertools.count())


def _cycled() -> Any:
    return itertools.cycle([1, 2, 3])


def _cut() -> Any:
    return itertools.islice(itertools.count(), 9)


@pytest.mark.parametrize("made", [_accumulated, _chained, _cycled, _cut])
def test_how_far_an_iterator_is_shows(made: Callable[[], Any]) -> None:
    mech = Mech(made())
    next(mech.kept)
    before = reach(mech).marks()
    next(mech.kept)
    assert changed(before, reach(mech).marks()) != []


def test_a_look_changes_nothing() -> None:
    """Python puts decimal's context among the context variables when it is first asked for."""
    before, after = Context().run(lambda: (settings(), settings()))
    assert before == after


class Unnamed(type):
    """Of classes that cannot be written."""

    def __repr__(cls) -> str:
        raise RuntimeError("no name")


def test_what_is_registered_is_seen_whatever_its_name() -> None:
    kind = ABCMeta("Kind", (), {"__module__": __name__})
    one, two = (Unnamed("Registered", (), {}) for _ in range(2))
    kind.register(one)
    mech = Mech(kind())
    before = reach(mech).marks()
    assert changed(before, reach(mech).marks()) == []
    kind.register(two)
    assert changed(before, reach(mech).marks()) == ["Kind"]
