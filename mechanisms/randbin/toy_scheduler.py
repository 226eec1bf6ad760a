"""A bounded scheduler: the exact sum of the loads plus fresh noise, clipped to its error and to the last sum."""

from dataclasses import dataclass
from typing import Any, ClassVar

from dpcert.audit.algebra.common_laws import from_weights, point, uniform
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.noise.geometric import even

NOISES: dict[str, Pmf[int]] = {
    "uniform": uniform((-1, 0, 1)),
    "triangular": from_weights({-2: 1, -1: 2, 0: 3, 1: 2, 2: 1}),
    "none": point(0),
}


@dataclass(frozen=True)
class ToyScheduler:
    """S = clip(Y, S' + U, S' + 2U), Y = clip(A + xi, A - E, A + E), A the exact sum of the loads, S' the last S.

    Args:
        level: U, even.
        error: E[i] for every i of at least 1; E[0] = 0. At least 1.
        noise: The law of xi: uniform on -1..1, triangular on -2..2, or none.
    """

    level: int = 2
    error_bound: int = 1
    noise: str = "uniform"
    initial: ClassVar[int | None] = None

    def __post_init__(self) -> None:
        even(self.level)
        if self.error_bound < 1:
            raise expected("an error of at least 1", error=self.error_bound)
        if self.noise not in NOISES:
            raise expected(f"a noise ({', '.join(NOISES)})", noise=self.noise)

    def error(self, state: int | None) -> int:
        """E[i]: 0 before the first load."""
        return 0 if state is None else self.error_bound

    def step(self, state: int | None, load: int, draw: Draw) -> tuple[Release[int, Any], int]:
        """State: S - A, None before the first load."""
        off = state or 0
        wanted = max(-self.error_bound, min(self.error_bound, draw(NOISES[self.noise])))
        advance = max(self.level, min(2 * self.level, load + wanted - off))
        return Release(advance), off + advance - load
