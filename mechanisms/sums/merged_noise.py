"""The noise of the hybrid prefix sum on as few states as can be: what is used together from now on is one number."""

from typing import ClassVar

from dpcert.audit.kernels.draws import Draw
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise

Merged = tuple[int, int, tuple[int, ...]]
"""(t, error of the roots of earlier segments, sums of noises that later rounds use, by runs of binary digits of o)."""


class MergedHybridNoise(HybridNoise):
    """The same law of errors as HybridNoise has, for games: hidden states that nobody can tell apart are one.

    The cover of o has an interval for each 1 among the binary digits of o. From o to o + 1 the ones at its end go, and
    with them the newest noise where o is odd. Ones beside each other go together, for a carry that passes one passes
    all before it. So a number is kept for each run of ones, and none for those at the end of o.
    """

    initial: ClassVar[Merged] = (0, 0, ())

    def step(self, state: Merged, draw: Draw) -> tuple[int, Merged]:
        """Y_t - Q_t, t one more than in `state`."""
        t, roots, runs = state[0] + 1, state[1], state[2]
        k, o = self.schedule.place(t)
        noise = draw(self.law(t))
        error = roots + sum(runs) + noise
        if o == 1 << k:
            return error, (t, error, ())
        lowest = o & -o
        if lowest == 1:
            return error, (t, roots, runs[:-1] if o & 2 else runs)
        return error, (t, roots, (*runs[:-1], runs[-1] + noise) if o & 2 * lowest else (*runs, noise))
