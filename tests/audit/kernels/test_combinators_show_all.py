"""Whatever a part shows, the whole shows, in any nesting: also in the round in which a part halts."""

from collections.abc import Callable
from typing import Any

import pytest

from dpcert import HALT, Draw, Published, Release, both, examine, feeding, viewed


class Part:
    """Base: two inputs, one state."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: Any = 0


class Quiet(Part):
    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        del x, draw
        return Release(0, "fed"), state


class Ends(Part):
    """It halts at once, and hands its input on."""

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        del draw
        return Release(HALT, x), state


class Tells(Part):
    """It shows its input."""

    def step(self, state: int, x: Any, draw: Draw) -> tuple[Release[Any, Any], int]:
        del draw
        return Release(x), state


class EndsOnOne(Part):
    """It shows its input by halting."""

    def step(self, state: int, x: Any, draw: Draw) -> tuple[Release[Any, Any], int]:
        del draw
        return Release(HALT if x == 1 else 0), state


class Beside(Part):
    """It publishes its input beside a core release that says nothing."""

    def step(self, state: int, x: Any, draw: Draw) -> tuple[Release[Any, Any], int]:
        del draw
        return Release(Published(0, x)), state


class Publishes(Quiet):
    """A `publish` that peeks at what the last step left behind, in a state that the step hands on."""

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[Any, Any], Any]:
        del draw
        self.last = x
        return Release(0, "fed"), state

    def publish(self, core: tuple[Any, ...]) -> int:
        del core
        return self.last


class StateOfHalt(Tells):
    """Its state is HALT, which ends nothing."""

    initial: Any = HALT


def same(visible: Any) -> Any:
    return visible


WHOLES: dict[str, Callable[[], Any]] = {
    "both, one ends": lambda: both(Ends(), Tells()),
    "both, the other ends": lambda: both(Tells(), Ends()),
    "both, ended by an input": lambda: both(Quiet(), EndsOnOne()),
    "both, beside": lambda: both(Quiet(), Beside()),
    "both, publish": lambda: both(Publishes(), Quiet()),
    "both, a state of HALT": lambda: both(StateOfHalt(), Quiet()),
    "viewed, beside": lambda: viewed(Beside(), same),
    "viewed, ended": lambda: viewed(EndsOnOne(), lambda _: 0),
    "viewed, publish": lambda: viewed(Publishes(), same),
    "viewed both": lambda: viewed(both(Ends(), Tells()), same),
    "viewed both, beside": lambda: viewed(both(Ends(), Beside()), same),
    "both viewed": lambda: both(viewed(EndsOnOne(), lambda _: 0), Quiet()),
    "both both": lambda: both(both(Quiet(), Ends()), both(EndsOnOne(), Quiet())),
    "both both, publish": lambda: both(Ends(), both(Quiet(), Publishes())),
    "feeding, the first ends": lambda: feeding(Ends(), Tells(), (0, 1), slices=False),
    "feeding, the first ends, beside": lambda: feeding(Ends(), Beside(), (0, 1), slices=False),
    "feeding, both end": lambda: feeding(Ends(), EndsOnOne(), (0, 1), slices=False),
    "feeding, the second ends": lambda: feeding(Tells(), Ends(), (0, 1), slices=False),
    "feeding, the first publishes": lambda: feeding(Publishes(), Ends(), (0, 1), slices=False),
    "feeding, a first of two": lambda: feeding(both(Ends(), Tells()), Quiet(), (0, 1), slices=False),
    "feeding, a second of two": lambda: feeding(Ends(), both(Ends(), EndsOnOne()), (0, 1), slices=False),
    "both of feeding": lambda: both(feeding(Ends(), Tells(), (0, 1), slices=False), Ends()),
    "viewed feeding": lambda: viewed(feeding(Ends(), EndsOnOne(), (0, 1), slices=False), same),
    "feeding feeding": lambda: feeding(Ends(), feeding(Ends(), Tells(), (0, 1), slices=False), (0, 1), slices=False),
}


@pytest.mark.in_turns
@pytest.mark.parametrize("name", WHOLES)
def test_the_whole_shows_it(name: str) -> None:
    """The truth is 1 in round 1."""
    for horizon in (1, 2):
        record: Any = examine(WHOLES[name](), horizon=horizon, exp_epsilons=(1,))
        assert record["adaptive"]["delta"][0]["upper"] == "1"


@pytest.mark.parametrize("whole", [both(Quiet(), Ends()), viewed(Tells(), lambda _: 0), both(Ends(), Quiet())])
def test_what_shows_nothing_is_perfect(whole: Any) -> None:
    assert examine(whole, horizon=2)["adaptive"]["total_variation"] == "0"
