"""The states that code is in between rounds, how they are come to, and the ways on from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dpcert.audit.frozen import frozen
from dpcert.audit.scripted.cells import Path
from dpcert.audit.scripted.tape import Interval, Key


@frozen
class History:
    """A way to a state: the inputs by number, what is known of the draws, and what was released."""

    inputs: tuple[int, ...] = ()
    draws: Mapping[Key, Interval] = field(default_factory=dict)
    outputs: tuple[Any, ...] = ()


@frozen
class RoundWay:
    """A way through a round: what is known of its draws and those before, its output, and the state after by number."""

    path: Path
    draws: Mapping[Key, Interval]
    output: Any
    after: int


@dataclass
class State:
    """A state by its number and form, with the first and the last way that led to it, and the ways on by input."""

    number: int
    form: Any
    first: History
    last: History
    ways: dict[int, list[RoundWay]] = field(default_factory=dict)


FoundWay = tuple[RoundWay, History, Any]
"""A way through a round, the history after it, and the form of the state that it led to."""


@frozen
class LastWay:
    """A way through a round, after the last history that led to its state, with the form after it."""

    round: int
    history: History
    input: int
    way: RoundWay
    form: Any


def longer(t: int, history: History, number: int, way: RoundWay) -> History:
    """The history after a way through round t, under an input by its number, that was run after another history."""
    own = {key: interval for key, interval in way.draws.items() if key[0] == t}
    return History((*history.inputs, number), {**history.draws, **own}, (*history.outputs, way.output))
