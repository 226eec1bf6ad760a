"""A live stream of private sums: an update in, a sum out; with a lease, no noise is drawn twice for one round."""

import base64
import json
import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.algebra.rational import text
from dpcert.audit.errors import DpcertError, expected, one_line
from dpcert.mechanisms.aggregators.core import MOST_DIMENSION, VectorCore, as_floats
from dpcert.mechanisms.grid_noise.sampling import GridNoise, Words
from dpcert.mechanisms.live.lease import Lease
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.participations import Participation

MOST_LEASED = MOST_DIMENSION >> 4
"""Numbers that a stream with a lease remembers at most: all are written in every round."""


@dataclass(frozen=True, eq=False)
class ReleasedSum:
    """What a round released: its number (from 1), the row R x + z in units of rows, and the sum worked out of rows."""

    number: int
    row: Words
    value: Floats


class VectorStream:
    """One live run of private prefix sums of vectors.

    Args:
        core: The factorisation that runs.
        noise: In units of rows.

    Updates are whole numbers in some unit, and so are sums. An error in the middle of a round ends the stream. One
    thread at a time. What is remembered of inputs is as secret as they are.

    >>> from dpcert.mechanisms.aggregators.tree_sums import TreeSums
    >>> from dpcert.mechanisms.grid_noise.sampling import sampled_gaussian
    >>> run = VectorStream(TreeSums(4, 2, 10), sampled_gaussian(Fraction(1, 100)))
    >>> [run.add(np.array([1, -2])).value.tolist() for _ in range(3)]
    [[1.0, -2.0], [2.0, -4.0], [3.0, -6.0]]
    """

    def __init__(self, core: VectorCore, noise: GridNoise) -> None:
        self._core, self._noise = core, noise
        self._memory, self._rounds, self._latest = core.start(), 0, np.zeros(core.dimension)
        self._lease: Lease | None = None
        self._over: str | None = None
        self._undelivered: tuple[ReleasedSum, ...] = ()

    @classmethod
    def open(cls, path: str | Path, core: VectorCore, noise: GridNoise) -> "VectorStream":
        """A stream whose state is kept in the file `path`: a new one, or the one that ended there, resumed once.

        Every release is on disk before it is handed out. The file holds secrets, readable by its owner alone.

        Raises: LeaseError: a lease in use, resumed before, of another stream or version, or changed by hand.
        ArgumentError: a stream that remembers too much to be written in every round.
        """
        stream, name = cls(core, noise), _named(core, noise)
        size = sum(a.size for part in stream._memory for a in part)
        if size > MOST_LEASED:
            raise expected(f"a stream that remembers at most {MOST_LEASED} numbers, for a lease,", numbers=size)
        if not os.path.exists(path):
            Lease.create(path, name, stream._state())
        stream._lease, snapshot = Lease.resume(path, name)
        stream._rounds, latest, arrays = snapshot.state
        stream._latest[...] = _array(latest, stream._latest.dtype)
        for array, kept in zip(stream._arrays(), arrays, strict=True):
            array[...] = _array(kept, array.dtype).reshape(array.shape)
        stream._undelivered = tuple(_sum_of(number, events[0]) for number, _, _, events in snapshot.undelivered)
        return stream

    @property
    def rounds(self) -> int:
        """Rounds so far; the latest release has this number."""
        return self._rounds

    @property
    def latest(self) -> Floats:
        """The sum that was released last; zeros before the first."""
        return self._latest.copy()

    @property
    def room(self) -> int:
        """Rounds that are left."""
        return self._core.rounds - self._rounds

    @property
    def undelivered(self) -> tuple[ReleasedSum, ...]:
        """Releases that an earlier run with this lease made and nobody acknowledged: the same ones, not drawn again."""
        return self._undelivered

    def mu(self, change: Fraction, participation: Participation) -> Fraction:
        """At least mu for which the ideal release is mu-GDP, for such changes of updates."""
        return self._core.shift(change, participation) / self._noise.sigma

    @property
    def distance(self) -> Fraction | None:
        """At least the total variation distance of a whole run to the ideal one; None where nothing is proven."""
        each = self._noise.distance
        return None if each is None else each * self._core.rounds * self._core.dimension

    def add(self, update: Words) -> ReleasedSum:
        """Takes the update of one bin and releases the sum so far.

        Raises: ArgumentError: not taken, and nothing is drawn: one bin more than the horizon has, no vector of d whole
        numbers, or a component that is too large. OutputError: with a lease, the disk refuses; nothing is released.
        """
        if self._over is not None:
            raise DpcertError(f"Expected a stream that goes on but got one that is over: {self._over}")
        if not self.room:
            raise expected(f"at most {self._core.rounds} bins, all that the horizon has,", bin=self._rounds + 1)
        self._check(update)
        try:
            release = self._released(update)
            if self._lease is not None:
                event = json.dumps([_text(release.row), _text(release.value)])
                self._lease.commit(self._state(), [event], [(release.number, release.number, 1)])
        except BaseException as error:
            self._end(error)
            raise
        return release

    def acknowledge(self, number: int) -> None:
        """Says that all releases up to `number` have arrived, so that no later run offers them again."""
        if self._lease is not None and self._over is None:
            self._lease.acknowledge(number)
        self._undelivered = tuple(out for out in self._undelivered if out.number > number)

    def close(self) -> None:
        """Ends the run; with a lease, it may be resumed."""
        if self._over is None:
            self._end("it was closed")

    def _released(self, update: Words) -> ReleasedSum:
        t = self._rounds + 1
        row = self._core.measure(self._memory.inputs, t, update) + self._noise.sample(self._core.dimension)
        shifted = as_floats(row)
        if self._noise.shift:
            shifted -= float(self._noise.shift)
        value = self._core.publish(self._memory.outputs, t, shifted)
        self._rounds, self._latest = t, value
        return ReleasedSum(t, row, value.copy())

    def _check(self, update: Words) -> None:
        if update.shape != (self._core.dimension,) or update.dtype != np.int64:
            got = f"an array of shape {update.shape} and {update.dtype}"
            raise expected(f"an update of {self._core.dimension} whole numbers of 64 bits", update=got)
        low, high = int(update.min()), int(update.max())
        if max(-low, high) > self._core.largest:
            raise expected(f"components of size at most {self._core.largest}", component=max(-low, high))

    def _arrays(self) -> list[NDArray[np.generic]]:
        return [a for part in self._memory for a in part]

    def _state(self) -> tuple[int, str, tuple[str, ...]]:
        return self._rounds, _text(self._latest), tuple(map(_text, self._arrays()))

    def _end(self, why: object) -> None:
        self._over = one_line(str(why)) or type(why).__name__
        if self._lease is not None:
            self._lease.close()


def _named(core: VectorCore, noise: GridNoise) -> str:
    covered = "" if noise.distance is not None else ", not covered"
    return f"{core.name} with sigma={text(noise.sigma)}, shift={text(noise.shift)}{covered}"


def _text(array: NDArray[np.generic]) -> str:
    return base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode("ascii")


def _array(kept: str, kind: np.dtype[np.generic]) -> NDArray[np.generic]:
    return np.frombuffer(base64.b64decode(kept), dtype=kind.newbyteorder("<")).astype(kind)


def _sum_of(number: int, event: list[str]) -> ReleasedSum:
    row, value = event
    words, floats = np.dtype(np.int64), np.dtype(np.float64)
    return ReleasedSum(number, _array(row, words), _array(value, floats))  # type: ignore[arg-type] # of these kinds
