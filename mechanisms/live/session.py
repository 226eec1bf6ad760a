"""RandBin live: events go in one by one, bins come out; with a lease, nothing is lost, doubled or redrawn."""

import os
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpcert.audit.errors import ArgumentError, DpcertError, expected, one_line
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.label import in_full, parameters_of
from dpcert.audit.kernels.session import sample
from dpcert.mechanisms.live.lease import Lease
from dpcert.mechanisms.live.lease_tables import event_text
from dpcert.mechanisms.randbin.algorithm import Binning
from dpcert.mechanisms.randbin.state import State


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin that left: its number (from 1), the round in which it left, its oldest event's round, and its events."""

    number: int
    round: int
    first: int
    events: tuple[Any, ...]

    @property
    def inclusion_delay(self) -> range:
        """D(i) for each event i, oldest first: rounds from its arrival to the bin's leaving."""
        oldest = self.round - self.first
        return range(oldest, oldest - len(self.events), -1)


class RandBinSession:
    """One live run of a RandBin: the object that is analysed is the one that runs, on the operating system's entropy.

    Args:
        mechanism: The RandBin to run.
        draw: Where outcomes come from; another one than `sample` is for tests and recorded runs.

    Between two bins nothing is drawn, so events are only counted; when a bin is due, the mechanism's own step is made.
    Whoever sees what is drawn learns what the noise hides: keep a session's insides as secret as its events. One
    thread at a time. Where an error or an interrupt comes in the middle of a round, the session is over.

    >>> from dpcert.mechanisms.randbin.toy import RandBinToy
    >>> run = RandBinSession(RandBinToy())
    >>> bins = [out for event in "abcdefghijklmnop" if (out := run.push(event)) is not None]
    >>> "".join(event for out in bins for event in out) == "abcdefghijklmnop"[: 16 - run.backlog]
    True
    """

    def __init__(self, mechanism: Binning, *, draw: Draw = sample) -> None:
        self._mechanism, self._draw = mechanism, draw
        self._lease: Lease | None = None
        self._over: str | None = None
        self._events: deque[Any] = deque()
        self._state: State = mechanism.initial
        self._left = self._state[0]
        self._horizon: int | None = getattr(mechanism, "horizon", None)
        self._rounds = self._bins = 0
        self._latest: Bin | None = None
        self._undelivered: tuple[Bin, ...] = ()
        # no lease, not over, and room for all events until the next bin: what every `push` asks first
        self._at_once = self._fits()

    @classmethod
    def open(cls, path: str | Path, mechanism: Binning, *, draw: Draw = sample) -> "RandBinSession":
        """A session whose state is kept in the file `path`: a new one, or the one that ended there, resumed once.

        Every event is on disk before `push` returns, every bin before it is handed out. Events have to be JSON values.
        The file holds events and noise in the clear, readable by its owner alone.

        Raises: LeaseError: a lease in use, resumed before, of another mechanism or version, or changed by hand.
        """
        session, name = cls(mechanism, draw=draw), _named(mechanism)
        if not os.path.exists(path):  # nor can it be, where no file can have that name
            Lease.create(path, name, session._state)
        session._lease, snapshot = Lease.resume(path, name)
        session._at_once = False
        session._state, session._rounds, session._bins = snapshot.state, snapshot.rounds, snapshot.bins
        session._events.extend(snapshot.waiting)
        session._left = session._state[0]
        session._undelivered = tuple(Bin(*out) for out in snapshot.undelivered)
        return session

    @property
    def rounds(self) -> int:
        """Events taken so far."""
        return self._rounds + self._state[0] - self._left

    @property
    def room(self) -> int | None:
        """Events that it still takes; None for any number."""
        return None if self._horizon is None else self._horizon - self.rounds

    @property
    def bins(self) -> int:
        """Bins emitted so far; the latest has this number."""
        return self._bins

    @property
    def backlog(self) -> int:
        """Events that wait for a bin."""
        return len(self._events)

    @property
    def pending(self) -> tuple[Any, ...]:
        """Those events, oldest first."""
        return tuple(self._events)

    @property
    def latest(self) -> Bin | None:
        """The bin that left last in this run, with its number and its events' delays; None before the first."""
        return self._latest

    @property
    def undelivered(self) -> tuple[Bin, ...]:
        """Bins that an earlier run with this lease emitted and nobody acknowledged: take them first."""
        return self._undelivered

    def push(self, event: Any) -> tuple[Any, ...] | None:
        """Takes one event; the events of the bin that leaves in this round, if one does.

        Raises: OutputError: with a lease, the disk refuses; nothing is handed out, and the session is over: the lease
        can be resumed as of the last round that the disk took. ArgumentError: not taken, for it is one event more than
        the mechanism takes or, with a lease, no JSON value.
        """
        if not self._at_once:
            return next((out.events for out in self.push_all((event,))), None)
        try:
            self._events.append(event)
            self._left -= 1
            if self._left:
                return None
            out = self._due()
        except BaseException as error:
            self._end(error)
            raise
        return None if out is None else out.events

    def push_all(self, events: Iterable[Any]) -> list[Bin]:
        """Takes events in order, all or none; the bins that leave. With a lease, all in one write to the disk."""
        self._going_on()
        batch, texts = list(events), []
        # before anything is drawn: a refusal when a bin is due would tell when, and a lease could be made to tell again
        if self.room is not None and len(batch) > self.room:
            raise expected(f"at most {self._horizon} events, all that it takes,", round=self.rounds + len(batch))
        if self._lease is not None:
            pairs = [event_text(event) for event in batch]
            texts, batch = [text for text, _ in pairs], [kept for _, kept in pairs]
        try:
            bins = self._take(batch)
            if self._lease is not None:
                state = self._mechanism.waited(self._state, self._state[0] - self._left)
                self._lease.commit(state, texts, [(out.number, out.round, len(out.events)) for out in bins])
        except BaseException as error:
            self._end(error)
            raise
        return bins

    def acknowledge(self, number: int) -> None:
        """Says that all bins up to `number` have arrived where they belong, so that no later run offers them again.

        A lease holds every bin until then, and grows with them.
        """
        self._going_on()
        if self._lease is not None:
            try:
                self._lease.acknowledge(number)
            except ArgumentError:
                raise
            except BaseException as error:
                self._end(error)
                raise
        self._undelivered = tuple(out for out in self._undelivered if out.number > number)

    def close(self) -> None:
        """Ends the run; with a lease, it may be resumed."""
        if self._over is None:
            self._end("it was closed")

    def _going_on(self) -> None:
        if self._over is not None:
            raise DpcertError(f"Expected a session that goes on but got one that is over: {self._over}")

    def _end(self, why: object) -> None:
        self._over, self._at_once = one_line(str(why)) or type(why).__name__, False
        if self._lease is not None:
            self._lease.close()

    def _take(self, events: list[Any]) -> list[Bin]:
        bins = []
        for event in events:
            self._events.append(event)
            self._left -= 1
            if not self._left and (out := self._due()) is not None:
                bins.append(out)
        return bins

    def _fits(self) -> bool:
        """Whether the mechanism takes all events until the next bin is due."""
        return self._horizon is None or self._rounds + self._state[0] <= self._horizon

    def _due(self) -> Bin | None:
        """The step of a round in which a bin is due; bin 0 is empty and not shown."""
        due = self._mechanism.waited(self._state, self._state[0] - 1)
        release, after = self._mechanism.step(due, None, self._draw)
        self._rounds += self._state[0]
        self._state, self._left = after, after[0]
        self._at_once = self._at_once and self._fits()
        if release.hidden is None:
            return None
        start, length = release.hidden
        self._bins += 1
        events = tuple([self._events.popleft() for _ in range(length)])
        self._latest = Bin(self._bins, self._rounds, self._rounds - start + 1, events)
        return self._latest


def _named(mechanism: Binning) -> str:
    """A mechanism with its parameters, as its lease names it."""
    kind = type(mechanism.scheduler)
    if not hasattr(kind, "__dataclass_fields__"):
        raise expected("a dataclass, whose parameters a lease can name,", scheduler=kind.__name__)
    given = ", ".join(f"{name}={in_full(value)}" for name, value in parameters_of(mechanism).items())
    return f"{type(mechanism).__name__}({given})"
