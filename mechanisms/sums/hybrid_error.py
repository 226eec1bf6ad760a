"""E, the public error function of the hybrid prefix sum: in closed form, or by exact convolution of its noises."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.errors import expected
from dpcert.mechanisms.sums.error_convolution import convolution_segment, shared_sums
from dpcert.mechanisms.sums.error_explicit import explicit_error, explicit_segment
from dpcert.mechanisms.sums.error_function import ROUNDINGS, ErrorFunction, whole
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_schedule import HybridSchedule
from dpcert.mechanisms.sums.union_bound import UnionBound

KINDS = ("explicit", "convolution")
FINE = 6
"""Under the sharp budget a segment is bounded in blocks of at most 1/2^FINE of it, each from its worst cover."""


class Segment(NamedTuple):
    """Rounds at which E rises, from the segment's first on; E from each of them on; by convolution, B at its end."""

    starts: tuple[int, ...]
    errors: tuple[int, ...]
    bound: int


@dataclass(frozen=True)
class HybridError:
    """E(t) with P(|Y_t - Q_t| >= E(t) for some t) <= beta, nondecreasing; made segment by segment, as t gets there.

    By convolution it is the envelope of B, rounded: exactly so under the uniform budget, and under the sharp one at
    the ends of blocks (and at the horizon); in between it is an upper bound. Make it by `error_function`.
    """

    kind: str
    noise: HybridNoise
    union: UnionBound
    rounding: str
    _segments: dict[int, Segment] = field(default_factory=dict, repr=False, compare=False)

    @property
    def horizon(self) -> int | None:
        """The last round, None where it goes on for ever."""
        return self.union.horizon

    def __call__(self, t: int) -> int:
        """E(t), in units of the inputs."""
        if t < 0 or (self.horizon is not None and t > self.horizon):
            within = "of at least 0" if self.horizon is None else f"from 0 to {integer_text(self.horizon)}"
            raise expected(f"a round {within}", t=t)
        if t == 0:
            return 0
        k = t.bit_length() - 1
        if k not in self._segments:
            for needed in range(k if self.kind == "explicit" else 0, k + 1):
                self._segments[needed] = self._segments.get(needed) or self._segment(needed)
        starts, errors, _ = self._segments[k]
        return errors[bisect_right(starts, t) - 1]

    def _segment(self, k: int) -> Segment:
        last = (2 << k) - 1 if self.horizon is None else self.horizon
        if self.kind == "explicit":
            starts, errors = zip(*explicit_segment(self.noise, self.union, k, last, self.rounding), strict=True)
            return Segment(starts, errors, 0)
        before = self._segments[k - 1].bound if k else 0
        grain = 0 if self.noise.budget == "uniform" else max(0, k - FINE)
        sums = shared_sums(self.noise.exp_epsilon, self.noise.budget)
        rises = dict(convolution_segment(sums, self.union, k, last, before, grain))
        bounds = {1 << k: before} | rises
        return Segment(tuple(bounds), tuple(whole(b, self.rounding) for b in bounds.values()), max(bounds.values()))


def error_function(
    kind: str, *, noise: HybridNoise, beta: Fraction, rounding: str, horizon: int | None
) -> ErrorFunction:
    """E(t) such that Y_t is within it at every round at once, but for a probability of at most beta.

    Args:
        kind: "explicit", the closed form, or "convolution", the least that the union bound over rounds allows.
        noise: The noise that runs.
        beta: Above 0 and below 1.
        rounding: "paper" or "tight", see `whole`.
        horizon: T in rounds (of RandBin: bins), public, each round failing with beta / T; None for any number of
            rounds, round t failing with beta / (t (t + 1)).
    Raises: ArgumentError: one of these is something else; the result raises it for t beyond the horizon.
    Source: paper.tex, th:prefix_sum; claims 76, 77, 82.

    >>> E = error_function("convolution", noise=HybridNoise(Fraction(2)), beta=Fraction(1, 10), rounding="tight",
    ...                    horizon=None)
    >>> [E(t) for t in (0, 1, 2, 3, 10**6)]
    [0, 5, 14, 16, 1774]
    """
    _known(kind, noise, rounding)
    return HybridError(kind, noise, UnionBound(beta, horizon), rounding)


def final_error(kind: str, *, noise: HybridNoise, beta: Fraction, rounding: str, horizon: int) -> int:
    """E(horizon) of the error function with that public horizon, without the steps that lead there.

    >>> final_error("convolution", noise=HybridNoise(Fraction(2)), beta=Fraction(1, 10), rounding="tight", horizon=100)
    137
    """
    _known(kind, noise, rounding)
    if kind == "explicit":
        return explicit_error(noise, UnionBound(beta, horizon), horizon, rounding)
    bound = 0
    for risen in _risen(noise, beta, horizon, bound):
        bound = risen
    return whole(bound, rounding)


def final_error_within(
    most: int, kind: str, *, noise: HybridNoise, beta: Fraction, rounding: str, horizon: int
) -> int | None:
    """The same where it is at most so much, else None, which takes a small part of the time.

    >>> final_error_within(136, "convolution", noise=HybridNoise(Fraction(2)), beta=Fraction(1, 10), rounding="tight",
    ...                    horizon=100)
    """
    _known(kind, noise, rounding)
    bound = most - whole(0, rounding)
    if kind == "convolution" and (bound < 0 or any(_risen(noise, beta, horizon, bound))):
        return None
    error = final_error(kind, noise=noise, beta=beta, rounding=rounding, horizon=horizon)
    return error if error <= most else None


def _risen(noise: HybridNoise, beta: Fraction, horizon: int, bound: int) -> Iterator[int]:
    """What B rises to from `bound` on, block by block, the latest rounds first; nothing where it is within that."""
    sums, union = shared_sums(noise.exp_epsilon, noise.budget), UnionBound(beta, horizon)
    for k in reversed(range(horizon.bit_length())):
        for _, risen in convolution_segment(sums, union, k, horizon, bound, k):
            bound = risen
            yield bound


def _known(kind: str, noise: HybridNoise, rounding: str) -> None:
    """Raises what the noise's schedule does, and ArgumentError for unknown words."""
    if kind not in KINDS:
        raise expected(f"a kind of error function ({', '.join(KINDS)})", kind=kind)
    HybridSchedule(noise.budget)
    if rounding not in ROUNDINGS:
        raise expected(f"a rounding ({', '.join(ROUNDINGS)})", rounding=rounding)
