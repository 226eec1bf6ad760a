"""Real signals and real terminals: one interrupt keeps what is known, two end at once, progress is said to people."""

import os
import re
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.cut_short import written

from dpcert import examine
from dpcert.audit.commands import single
from dpcert.audit.commands.cli import Interrupts, run
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

signals = pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")

PATIENCE = 300
"""Seconds after which a process is taken for one that hangs."""
LONG = ["two-round-repeated", "--horizon", "64", "--challenge-round", "1"]
SAYS_PROGRESS = "output.silent = lambda text: print(text, file=sys.stderr, flush=True)"
LINGERS = """
def lingers(*_, **__):
    print("cut short", file=sys.stderr, flush=True)
    time.sleep(60)
analysis._enumerated = lingers  # where a first interrupt would be made use of
"""


def children() -> float:
    """Seconds of the processor that processes of ours have used which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass
class Running:
    """A `dpcert audit` of its own, with the lines of `patch` run first; its standard error is a file."""

    folder: Path
    process: "subprocess.Popen[str]"

    def wait_for(self, said: str) -> None:
        """Returns once standard error holds the text."""
        give_up = time.monotonic() + PATIENCE
        while said not in self.err():
            assert self.process.poll() is None, self.err()
            assert time.monotonic() < give_up, self.err()
            time.sleep(0.01)

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def err(self) -> str:
        return (self.folder / "err").read_text(encoding="utf-8")

    def ended(self) -> tuple[int, str, str]:
        """Exit status, standard output, and standard error without its progress lines."""
        out, _ = self.process.communicate(timeout=PATIENCE)
        lines = self.err().splitlines(keepends=True)
        progress = ("exploring ", "solved ", "enumerating ", "deciding ", "reading ", "comparing ", "cut short")
        return self.process.returncode, out, "".join(line for line in lines if not line.startswith(progress))


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Starts audits, and ends those that a failed test leaves behind."""
    started: list[Running] = []

    def run_it(*arguments: str, patch: str = SAYS_PROGRESS) -> Running:
        script = (
            "import os, signal, sys, time\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may have it ignored
            "from dpcert.audit.commands import cli, output\n"
            f"from dpcert.audit.solving import analysis\n{patch}\ncli.main(sys.argv[1:])\n"
        )
        outputs = ["--json", str(tmp_path / "r.json"), "--html", str(tmp_path / "p.html")]
        with (tmp_path / "err").open("w", encoding="utf-8") as err:
            process = subprocess.Popen(
                [sys.executable, "-c", script, "audit", *arguments, *outputs],
                stdout=subprocess.PIPE,
                stderr=err,
                encoding="utf-8",
                env={**os.environ, "PYTHONUTF8": "1"},
            )
        started.append(Running(tmp_path, process))
        return started[-1]

    yield run_it
    for running in started:
        if running.process.poll() is None:
            running.process.kill()
        running.process.communicate()


@pytest.mark.real("signals")
@signals
@pytest.mark.in_turns
def test_one_interrupt_of_a_long_solve_ends_with_bounds(start: Callable[..., Running], tmp_path: Path) -> None:
    used = children()
    running = start(*LONG)
    running.wait_for("solved 12 of 64")
    running.interrupt()
    found = written(*running.ended(), tmp_path / "r.json", tmp_path / "p.html")
    assert children() - used < 20  # where all 64 rounds take minutes
    assert found.status == 3
    assert found.err == ""
    assert "is not decided: interrupted." in found.out
    for side in ("adaptive", "fixed_stream"):
        assert all(0 < low <= high for low, high in found.ends(side))


@pytest.mark.in_turns(few=True)
@pytest.mark.real("signals")
@signals
def test_two_interrupts_end_at_once(start: Callable[..., Running], tmp_path: Path) -> None:
    running = start(*LONG, patch=f"{SAYS_PROGRESS}\n{LINGERS}")
    running.wait_for("solved 12 of 64")
    running.interrupt()
    running.wait_for("cut short")
    running.interrupt()
    status, out, err = running.ended()  # else it would linger, and then say what it knows
    assert (status, out, err) == (3, "", "dpcert: interrupted; nothing was decided\n")
    assert not (tmp_path / "r.json").exists()


@pytest.mark.real("signals")
@pytest.mark.in_turns
@signals
def test_many_interrupts_print_no_traceback(start: Callable[..., Running]) -> None:
    running = start(*LONG, patch=f"{SAYS_PROGRESS}\n{LINGERS}")
    running.wait_for("solved 12 of 64")
    while running.process.poll() is None:
        running.interrupt()
        time.sleep(0.002)
    status, out, err = running.ended()
    assert (status, out) == (3, "")
    assert err in ("", "dpcert: interrupted; nothing was decided\n")


def interrupted(times: int, *arguments: str) -> int:
    """The exit status of a command that gets so many interrupts when it comes to say what it found."""
    show, before = single.show_on_screen, signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupting(*given: Any, **named: Any) -> None:
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
        show(*given, **named)

    interrupts = Interrupts()
    interrupts.install()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(single, "show_on_screen", interrupting)
            return run([*arguments], interrupts)
    finally:
        signal.signal(signal.SIGINT, before)


@signals
def test_an_interrupt_of_the_report_loses_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record, page = tmp_path / "r.json", tmp_path / "p.html"
    command = ["audit", "two-round", "--json", str(record), "--html", str(page)]
    found = written(interrupted(1, *command), *capfd.readouterr(), record, page)
    assert (found.status, found.err) == (1, "")
    assert (interrupted(2, *command), *capfd.readouterr()) == (3, "", "dpcert: interrupted; nothing was decided\n")


def test_an_interrupt_that_nothing_makes_use_of_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dpcert.audit.kernels.targets.find", interrupted)
    assert run(["audit", "two-round"]) == 3
    assert capfd.readouterr() == ("", "dpcert: interrupted; nothing was decided\n")


@signals
def test_an_ignored_interrupt_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        Interrupts().install()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        signal.signal(signal.SIGINT, signal.default_int_handler)
        interrupts = Interrupts()
        interrupts.install()
        assert signal.getsignal(signal.SIGINT) == interrupts.handle
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.in_turns
def test_a_second_is_a_second(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = time.process_time()
    record, page = tmp_path / "r.json", tmp_path / "p.html"
    status = run(["audit", *LONG, "--max-seconds", "1", "--json", str(record), "--html", str(page)])
    assert time.process_time() - before < 20  # three with all that is loaded
    found = written(status, *capfd.readouterr(), record, page)
    assert found.status == 3
    ways = (
        "--max-seconds 1 was reached",
        "than its share of --max-seconds 1",
        "its curves are enclosed between bounds",
    )
    assert any(way in found.out for way in ways)  # which of them is a matter of how busy the machine is
    assert found.err == ""
    exact = examine(TwoRoundRepeated(), horizon=10, challenge_round=1)
    for (low, high), delta in zip(found.ends("adaptive"), exact["adaptive"]["delta"], strict=True):
        assert Fraction(delta["lower"]) <= low <= high  # ten rounds are the least that a second is good for


# --- progress

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
BUSY = ["two-round-repeated", "--horizon", "32", "--challenge-round", "1"]


def on_a_terminal(*arguments: str) -> tuple[str, str]:
    """Standard output, a pipe, and what a terminal got as standard error."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    seen = b""
    with subprocess.Popen(
        [sys.executable, "-m", "dpcert", "audit", *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "PYTHONUTF8": "1"},
    ) as process:
        os.close(theirs)
        while select.select([ours], [], [], PATIENCE)[0]:
            try:
                read_now = os.read(ours, 4096)
            except OSError:  # what Linux says once nobody holds the other end any more
                break
            if not read_now:
                break
            seen += read_now
        out, _ = process.communicate(timeout=PATIENCE)
    os.close(ours)
    return out.decode(), ANSI.sub("", seen.decode())


@pytest.mark.real("pipes")
@pytest.mark.in_turns
@signals
def test_a_terminal_gets_progress() -> None:
    out, seen = on_a_terminal(*BUSY)
    assert re.search(r"solved \d+ of 32 rounds", seen), seen
    assert "solved" not in out.partition("positions solved")[0]
    assert out.startswith("GAP: ")


@pytest.mark.real("pipes")
@pytest.mark.in_turns
@signals
def test_a_quiet_audit_says_one_line_on_a_terminal() -> None:
    out, err = on_a_terminal(*BUSY, "--quiet")
    assert out == ""
    assert err.startswith("dpcert: two-round-repeated: GAP: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("setting", ["NONE", "FORCE_COLOR", "TTY_COMPATIBLE"])
@pytest.mark.in_turns
def test_a_pipe_gets_no_progress(
    setting: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(setting, "1")
    assert run(["audit", *BUSY]) == 1
    assert capfd.readouterr().err == ""
