"""Lives of a small writer with a lease, each in a process of its own that is killed; run as a script.

`crashing.py MUTANT random FOLDER CRASHES SEED` kills at random moments, `crashing.py MUTANT lines FOLDER EVERY FIRST`
before every EVERYth line that the lease's modules run, from line FIRST on. Either prints what it did, as JSON, and
fails where something was lost, doubled, drawn again or resumed twice. MUTANT: `none`, or a fault to be found.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

from dpcert.mechanisms.live import durable, lease, lease_register, lease_tables
from dpcert.mechanisms.live.lease import Lease
from dpcert.mechanisms.live.lease_tables import LeaseError
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.randbin.toy import RandBinToy

TRACED = {module.__file__ for module in (durable, lease, lease_register, lease_tables)}


class Log:
    """What a writer did, one line each, there even if it is killed right after."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "log"
        self.opened = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def say(self, *words: Any) -> None:
        os.write(self.opened, json.dumps(words).encode() + b"\n")

    def read(self) -> list[Any]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]


def live(folder: Path, log: Log, until: int, name: str = "lease") -> None:
    """Takes the events that come next, up to number `until`; says what it took, handed out and acknowledged."""
    run = RandBinSession.open(folder / name, RandBinToy())
    log.say("opened", run.rounds)
    for out in run.undelivered:
        log.say("handed", out.number, out.round, out.events)
    while run.rounds < until:
        batch = range(run.rounds + 1, min(until, run.rounds + 1 + run.rounds % 5) + 1)
        made = run.push_all(batch)
        log.say("taken", run.rounds)
        for out in made:
            log.say("handed", out.number, out.round, out.events)
        if run.bins and run.rounds % 3 == 0:
            run.acknowledge(run.bins)
            log.say("acknowledged", run.bins)
    log.say("end", run.bins, run.pending)
    run.close()


def in_a_child(work: Callable[..., None], *arguments: Any, kill_after: float | None = None) -> bool:
    """Runs it in a process of its own; whether it was killed."""
    child = os.fork()
    if not child:
        try:
            work(*arguments)
        except BaseException as error:  # noqa: BLE001 - a child must not go on as the parent
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
        os._exit(0)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return True
    assert status == 0, status
    return False


def check(said: list[Any]) -> tuple[int, int]:
    """No event lost, no bin drawn again, none handed out after it was acknowledged; events and bins at the end."""
    bins: dict[int, Any] = {}
    taken = acknowledged = 0
    for what, *words in said:
        if what == "opened":
            assert words[0] >= taken, f"{taken} events were taken and {words[0]} are there"
        elif what == "taken":
            assert words[0] > taken
            taken = words[0]
        elif what == "handed":
            number, *rest = words
            assert number > acknowledged, f"bin {number} again"
            assert bins.setdefault(number, rest) == rest, f"bin {number} drawn again"
        elif what == "acknowledged":
            acknowledged = words[0]
    what, last, pending = said[-1]
    assert (what, sorted(bins)) == ("end", list(range(1, last + 1)))
    events = [event for number in sorted(bins) for event in bins[number][1]] + pending
    assert events == list(range(1, taken + 1))
    rounds = [bins[number][0] for number in sorted(bins)]
    assert rounds == sorted(set(rounds))
    return taken, last


def refused(path: Path) -> None:
    """A lease that must not be resumed."""
    said = "resumed a second time"
    try:
        RandBinSession.open(path, RandBinToy())
    except LeaseError as error:
        said = str(error)
    assert "resumed before" in said, said


def killed_at_random(folder: Path, crashes: int, seed: int) -> dict[str, int]:
    """Lives that are killed within milliseconds; now and then a copy of the lease is tried too, before or after."""
    chance, log, copy, path = random.Random(seed), Log(folder), folder / "copy", folder / "lease"
    killed = tried = until = 0
    while killed < crashes:
        until += 40
        copied = path.exists() and chance.random() < 0.3
        if copied:
            copy.write_bytes(path.read_bytes())
            copy.chmod(0o600)
            hot = folder / "lease-journal"
            if hot.exists():
                (folder / "copy-journal").write_bytes(hot.read_bytes())
        lives = len(log.read())
        killed += in_a_child(live, folder, log, until, kill_after=chance.uniform(0, 0.04))
        if copied and any(what == "opened" for what, *_ in log.read()[lives:]):
            in_a_child(refused, copy)
            tried += 1
        elif copied:  # the killed life may not have come to resume it: then one of both goes on, and only one
            os.replace(copy, folder / "other")
            in_a_child(live, folder, log, until)
            in_a_child(refused, folder / "other")
            tried += 1
        for left in ("copy", "copy-journal", "other"):
            (folder / left).unlink(missing_ok=True)
    until += 40
    in_a_child(live, folder, log, until)
    events, bins = check(log.read())
    return {"crashes": killed, "copies": tried, "events": events, "bins": bins}


def killed_before_lines(folder: Path, every: int, first: int) -> dict[str, int]:
    """For every line of the lease's modules that three rounds run: a life that is killed before it, and one more."""
    at, killed = first, 0
    while True:
        place = folder / str(at)
        place.mkdir()
        os.environ["XDG_STATE_HOME"] = str(place)
        log = Log(place)

        def doomed(place: Path = place, log: Log = log, at: int = at) -> None:
            left = at

            def trace(frame: FrameType, event: str, _: Any) -> Any:
                nonlocal left
                if frame.f_code.co_filename not in TRACED:
                    return None
                left -= event == "line"
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)
                return trace

            sys.settrace(trace)
            live(place, log, 12)

        if not in_a_child(doomed):
            return {"lines": at, "crashes": killed}
        killed += 1
        path, copy = place / "lease", place / "copy"
        if path.exists():
            copy.write_bytes(path.read_bytes())
            copy.chmod(0o600)
            if (place / "lease-journal").exists():
                (place / "copy-journal").write_bytes((place / "lease-journal").read_bytes())
        original_first = not copy.exists() or killed % 2
        in_a_child(live, place, log, 24, "lease" if original_first else "copy")
        if copy.exists():
            in_a_child(refused, copy if original_first else path)
        check(log.read())
        assert not list(place.glob(".dpcert-lease-*")) or not path.samefile(next(place.glob(".dpcert-lease-*")))
        at += every


def hands_out_first() -> None:
    """The fault that bins are shown before they are durable."""
    commit = Lease.commit

    def late(self: Lease, *what: Any) -> None:
        later.append(lambda: commit(self, *what))

    def first(method: Any) -> Any:
        def flushing(self: Any, *what: Any) -> Any:
            while later:
                later.pop()()
            return method(self, *what)

        return flushing

    later: list[Callable[[], None]] = []
    commit = Lease.commit
    for name in ("push_all", "acknowledge", "close"):
        setattr(RandBinSession, name, first(getattr(RandBinSession, name)))
    Lease.commit = late  # type: ignore[method-assign]


def keeps_no_register() -> None:
    """The fault that nobody remembers which states were resumed."""
    lease_register.known = lambda header: header.turn
    lease_register.note = lambda *_: None


def forgets_the_journal() -> None:
    """The fault that rounds are written in the clear of any transaction."""
    lease._transaction = lambda *_: nullcontext()


MUTANTS = {f.__name__: f for f in (hands_out_first, keeps_no_register, forgets_the_journal)}

if __name__ == "__main__":
    mutant, mode, where, *numbers = sys.argv[1:]
    MUTANTS.get(mutant, lambda: None)()
    work = {"random": killed_at_random, "lines": killed_before_lines}[mode]
    print(json.dumps(work(Path(where), *map(int, numbers))))
