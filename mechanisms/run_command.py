"""`dpcert run`: mechanisms live, on events from a file or standard input."""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import click

from dpcert.audit.arguments import Assignment, WholeNumber
from dpcert.audit.errors import ArgumentError, OutputError, expected, one_line
from dpcert.audit.output import reason
from dpcert.audit.targets import find
from dpcert.mechanisms.randbin import RandBin
from dpcert.mechanisms.randbin_session import Bin, RandBinSession

BATCH = 1_000


@click.group("run")
def run() -> None:
    """Run a mechanism live."""


@run.command()
@click.argument("events", default="-", metavar="[EVENTS]")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where bins go, as JSON lines; - is standard output.")
@click.option("--jsonl", is_flag=True, help="Every line is a JSON value [default: every line is a text].")
@click.option("--lease", metavar="FILE", help="Keep the run in FILE, so that it goes on after a stop.")
@click.option("--batch", type=WholeNumber(), default=BATCH, show_default=True, help="Events a write to the lease.")
@click.option("--param", "params", multiple=True, type=Assignment(), help="A parameter of randbin-toy; repeatable.")
def randbin(
    events: str, output: str, jsonl: bool, lease: str | None, batch: int, params: tuple[tuple[str, str], ...]
) -> int:
    """Put the events of a file (or -) into bins of random size.

    One event a line. A bin is written as {"bin": number, "round": when, "events": [...]}; what waits at the end stays
    unwritten. With --lease, a file of events is gone on with behind those taken before, and bins that an earlier run
    emitted and did not write are written first; give the same --output. Statistics go to standard error.
    """
    mechanism = find("randbin-toy", dict(params)).mechanism
    if not isinstance(mechanism, RandBin):
        raise expected("a RandBin", mechanism=type(mechanism).__name__)
    with ExitStack() as stack:
        source = stack.enter_context(_opened(events, "r", sys.stdin))
        session = RandBinSession(mechanism) if lease is None else RandBinSession.open(lease, mechanism)
        stack.callback(session.close)
        sink = Sink.on(output, stack, continued=lease is not None)
        for out in session.undelivered:
            sink.write(out)
        lines = _lines(source, jsonl)
        if lease is not None and events != "-":
            _skip(lines, session.rounds, events)
        try:
            _feed(session, sink, lines, batch if lease is not None else 1)
        finally:
            sink.flush()
            session.acknowledge(sink.last)
            click.echo(sink.summary(session), err=True)
    return 0


def _feed(session: RandBinSession, sink: "Sink", lines: Iterator[Any], batch: int) -> None:
    """Takes all events; where a line is refused, those before it are taken all the same."""
    taken: list[Any] = []
    try:
        for event in lines:
            taken.append(event)
            if len(taken) == batch:
                _push(session, sink, taken)
                taken = []
    finally:
        if taken:
            _push(session, sink, taken)


def _push(session: RandBinSession, sink: "Sink", events: list[Any]) -> None:
    for out in session.push_all(events):
        sink.write(out)


def _skip(lines: Iterator[Any], count: int, events: str) -> None:
    for taken in range(count):
        if next(lines, _END) is _END:
            raise expected(f"the {count} events that the lease has taken", events=one_line(events), there=taken)


_END = object()


def _lines(source: IO[str], jsonl: bool) -> Iterator[Any]:
    """One event a line. Raises: ArgumentError: the last line does not end, or a line is no JSON value."""
    for number, line in enumerate(source, 1):
        if not line.endswith("\n"):
            raise ArgumentError(
                f"Expected events that end with their line but got line={number}, which ends in the middle; "
                "those before it were taken"
            )
        text = line[:-1]
        if jsonl:
            try:
                yield json.loads(text)
            except ValueError:
                raise expected("a JSON value on every line", line=number, text=one_line(text, 60)) from None
        else:
            yield text


def _opened(path: str, mode: str, standard: IO[str]) -> AbstractContextManager[IO[str]]:
    """A file, or standard input or output, which stays open."""
    if path == "-":
        return nullcontext(standard)
    try:
        return Path(path).open(mode, encoding="utf-8", newline="")
    except OSError as error:
        named = f"path={one_line(path)} ({reason(error)})"
        raise ArgumentError(f"Expected a file that can be opened but got {named}") from None


@dataclass
class Sink:
    """Where bins go, and what is counted on the way."""

    stream: IO[str]
    last: int = 0
    backlogs: Counter[int] = field(default_factory=Counter)
    delays: Counter[int] = field(default_factory=Counter)

    @classmethod
    def on(cls, path: str, stack: ExitStack, *, continued: bool) -> "Sink":
        """A file or standard output; a file that an earlier run began is gone on with behind its last whole line."""
        if path != "-" and continued and Path(path).exists():
            whole = Path(path).read_bytes()
            whole = whole[: whole.rfind(b"\n") + 1]
            os.truncate(path, len(whole))
            stream = stack.enter_context(_opened(path, "a", sys.stdout))
            lines = whole.splitlines()
            return cls(stream, json.loads(lines[-1])["bin"] if lines else 0)
        return cls(stack.enter_context(_opened(path, "w", sys.stdout)))

    def write(self, out: Bin) -> None:
        """Writes a bin that was not written before."""
        if out.number <= self.last:
            return
        self.delays.update(out.inclusion_delay)
        before = out.round - out.first + 1
        self.backlogs.update((before, before - len(out.events)))
        document = {"bin": out.number, "round": out.round, "events": out.events}
        self.stream.write(json.dumps(document, ensure_ascii=False) + "\n")
        self.last = out.number

    def flush(self) -> None:
        """Everything written is on its way, or an OutputError."""
        try:
            self.stream.flush()
            if self.stream is not sys.stdout:
                os.fsync(self.stream.fileno())
        except OSError as error:
            raise OutputError(f"Expected an output that takes the bins but got {reason(error)}") from None

    def summary(self, session: RandBinSession) -> str:
        """Backlog and delay, in events and rounds."""
        parts = [f"{session.rounds} events, {session.bins} bins, {session.backlog} waiting"]
        if self.delays:
            total = self.delays.total()
            mean = sum(delay * count for delay, count in self.delays.items()) / total
            parts.append(f"backlog around bins {min(self.backlogs)} to {max(self.backlogs)} events")
            parts.append(f"inclusion delay {min(self.delays)} to {max(self.delays)} rounds, mean {mean:.1f}")
        return "; ".join(parts)
