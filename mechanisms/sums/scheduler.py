"""What RandBin asks of the mechanism that schedules it: private prefix sums of the loads that are never far off."""

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar

from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release

Z = TypeVar("Z", bound=Hashable)


class Scheduler(Protocol[Z]):
    """An Interactive on loads C[1], C[2], ... that releases S[i] - S[i-1], S[i] the noisy sum of the first i loads.

    On loads in [U..2U] every release lies in [U..2U], and S[i] is within E[i] of C[1] + ... + C[i], whatever was drawn;
    on other integers it goes on all the same. E never falls and E[0] = 0. State is a value that may be compared;
    it need not hold sums, only how far off they are, so that positions merge. Source: paper.tex, th:prefix_sum.
    """

    @property
    def initial(self) -> Z:
        """The state before the first load."""
        ...

    def step(self, state: Z, load: int, draw: Draw) -> tuple[Release[int, Any], Z]:
        """The release S[i] - S[i-1] for load C[i], and the state after it."""
        ...

    def error(self, state: Z) -> int:
        """E[i], in events, in a state after i loads: the same in all of them, for it is public."""
        ...
