"""A mechanism of the npp game that shows what it makes of an event, and hides nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpcert import Release
from dpcert.audit.kernels.draws import Draw


class Anything:
    """Any two outputs are neighbours."""

    name, initial = "anything", 0

    def after(self, *_: Any) -> int:
        return 0


@dataclass(frozen=True)
class Valued:
    """Shows what it makes of an item's value, which items of the game have not."""

    look: Callable[[Any], object]
    alphabet = (0, 1)
    initial = simulation = 0
    outputs = Anything()

    def step(self, state: int, x: Any, draw: Draw) -> tuple[Release[Any, None], int]:
        del draw
        return Release(self.look(x)), state

    def simulate(self, branch: int, state: int, pair: tuple[Any, Any], draw: Draw) -> Any:
        release, after = self.step(state, pair[branch], draw)
        return Release(release.visible, (None, None)), after


@dataclass(frozen=True)
class Tabled(Valued):
    """Shows what it makes of an event and the one before."""

    alphabet: Any = tuple(range(8))
    initial = simulation = None  # type: ignore[assignment]

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, None], Any]:
        del draw
        return Release(self.look((state, x))), x
