"""`dpcert run`: mechanisms live, on events from a file or standard input."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpcert.audit.commands.arguments import WholeNumber, assigned
from dpcert.audit.commands.interrupts import reading
from dpcert.audit.commands.output import not_over, place, reason
from dpcert.audit.commands.scope_options import param_option
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.mechanisms.commands.run_sgd import sgd

if TYPE_CHECKING:
    from dpcert.mechanisms.live.bin_lines import BinLines
    from dpcert.mechanisms.live.event_lines import Source
    from dpcert.mechanisms.live.session import Bin, RandBinSession

EVENTS_A_WRITE = 1_000
"""Events that `dpcert run` puts into one write to the lease, unless `--batch` says otherwise."""
INTERRUPTED = 3


@click.group("run")
def run() -> None:
    """Run a mechanism live."""


run.add_command(sgd)


@run.command()
@click.argument("events", default="-", metavar="[EVENTS]")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where bins go, as JSON lines; - is standard output.")
@click.option("--jsonl", is_flag=True, help="Every line is a JSON value [default: every line is a text].")
@click.option("--lease", metavar="FILE", help="Keep the run in FILE, so that it goes on after a stop.")
@click.option(
    "--batch", type=WholeNumber(), default=EVENTS_A_WRITE, show_default=True, help="Most events a write to the lease."
)
@click.option("--target", default="randbin", show_default=True, help="The RandBin to run: see `dpcert list`.")
@param_option("the target")
def randbin(
    events: str,
    output: str,
    jsonl: bool,
    lease: str | None,
    batch: int,
    target: str,
    params: tuple[tuple[str, str], ...],
) -> int:
    """Put the events of a file (or -) into bins of random size.

    Give the promise to keep: --param epsilon=1 --param delta=1e-6. One event a line, taken as it comes. A bin is
    written as {"bin": number, "round": when, "events": [...]}; what waits at the end stays unwritten. With --lease, a
    file of events is gone on with behind those taken before, and bins that an earlier run emitted and did not write are
    written first; give the same --output. Statistics go to standard error. An interrupt (Ctrl-C) ends the run with exit
    status 3.
    """
    with reading():  # here and not above, so that help need not wait for it
        from dpcert.audit.kernels.targets import find
        from dpcert.mechanisms.live.bin_lines import BinLines
        from dpcert.mechanisms.live.event_lines import batches, behind
        from dpcert.mechanisms.live.session import RandBinSession
        from dpcert.mechanisms.randbin.algorithm import Binning
    mechanism = find(target, assigned(params)).mechanism
    if not isinstance(mechanism, Binning):
        raise expected("a RandBin", target=target)
    not_over(events, place(output))
    with ExitStack() as stack:
        event_batches = batches(_source(events, stack), jsonl=jsonl, most=batch)
        session = RandBinSession(mechanism) if lease is None else RandBinSession.open(lease, mechanism)
        stack.callback(session.close)
        sink = (
            BinLines.on(output, stack)
            if lease is None
            else BinLines.behind(output, stack, bins=session.bins, pending=session.undelivered)
        )
        if lease is not None and events != "-":
            event_batches = behind(event_batches, session.rounds, session.pending, events)
        counts = Counts()
        try:
            _feed(session, sink, event_batches, counts)
        except KeyboardInterrupt:
            rest = "it goes on from its lease" if lease is not None else f"{session.backlog} events waited"
            click.echo(f"dpcert: interrupted; {rest}", err=True)
            return INTERRUPTED
        click.echo(counts.summary(session), err=True)
    return 0


def _feed(session: "RandBinSession", sink: "BinLines", event_batches: Iterator[list[Any]], counts: "Counts") -> None:
    """Takes all events, and where they are too many those that there is room for; a bin is acknowledged once it is
    written."""
    _deliver(session, sink, list(session.undelivered), counts)
    for batch in event_batches:
        taken = batch[: session.room]
        _deliver(session, sink, session.push_all(taken), counts)
        if len(taken) < len(batch):
            session.push_all(batch[len(taken) :])  # refused


def _deliver(session: "RandBinSession", sink: "BinLines", bins: "list[Bin]", counts: "Counts") -> None:
    if bins:
        sink.write(bins)
        session.acknowledge(bins[-1].number)
        counts.add(bins)


def _source(path: str, stack: ExitStack) -> "Source":
    """A file, or standard input, which stays open."""
    if path == "-":
        if sys.stdin is None:
            raise ArgumentError("Expected events on standard input but got none")
        return sys.stdin.buffer  # type: ignore[return-value]  # it has a read1
    try:
        return stack.enter_context(Path(path).open("rb"))
    except (OSError, ValueError) as error:
        named = f"path={one_line(path)} ({reason(error)})"
        raise ArgumentError(f"Expected a file that can be opened but got {named}") from None


@dataclass
class Counts:
    """What is counted on the way: backlogs right before and after a bin, and the delay of every event."""

    backlogs: Counter[int] = field(default_factory=Counter)
    delays: Counter[int] = field(default_factory=Counter)

    def add(self, bins: "list[Bin]") -> None:
        """Counts bins."""
        for out in bins:
            before = out.inclusion_delay[0] + 1
            self.backlogs.update((before, before - len(out.events)))
            self.delays.update(out.inclusion_delay)

    def summary(self, session: "RandBinSession") -> str:
        """Backlog and delay, in events and rounds."""
        parts = [f"{session.rounds} events, {session.bins} bins, {session.backlog} waiting"]
        if self.delays:
            total = self.delays.total()
            mean = sum(delay * count for delay, count in self.delays.items()) / total
            parts.append(f"backlog around bins {min(self.backlogs)} to {max(self.backlogs)} events")
            parts.append(f"inclusion delay {min(self.delays)} to {max(self.delays)} rounds, mean {mean:.1f}")
        return "; ".join(parts)
