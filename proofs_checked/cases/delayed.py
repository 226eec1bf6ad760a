"""Wrappers that change when things are seen."""

from dataclasses import dataclass
from typing import Any

from dpcert.audit.kernels.combine import stepped
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.audit.kernels.view import view_of


@dataclass(frozen=True)
class Delayed:
    """Shows nothing before round `horizon`, and then all releases at once."""

    mechanism: Any
    horizon: int

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """The mechanism's own."""
        return tuple(self.mechanism.alphabet)

    @property
    def initial(self) -> tuple[Any, tuple[Any, ...]]:
        """The mechanism's own, and nothing released."""
        return view_of(self.mechanism).initial, ()

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, None], Any]:
        """State: the mechanism's, and the releases so far."""
        release, after = stepped(self.mechanism, state[0], x, draw)
        seen = (*state[1], release.visible)
        return Release(seen if len(seen) == self.horizon else None), (after, seen)
