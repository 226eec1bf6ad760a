"""`dpcert run randbin`: events in, bins out, once each; what is bad is one line, and nothing is lost or doubled."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass
from io import BufferedReader, BytesIO, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from dpcert.audit.commands import cli
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.live import bin_lines
from dpcert.mechanisms.live.event_lines import batches, behind
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.randbin.toy import RandBinToy

TOY = ("--target", "randbin-toy")
"""Small bins, and soon."""


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it wrote."""

    returncode: int
    stdout: bytes
    stderr: bytes


class Place:
    """A folder with events, a lease and bins, and the command in it: in this process, or in one of its own."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        self.folder, self.monkeypatch, self.captured = folder, monkeypatch, capfdbinary
        self.environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "PYTHONUTF8": "1"}
        monkeypatch.setenv("XDG_STATE_HOME", self.environment["XDG_STATE_HOME"])
        monkeypatch.chdir(folder)

    def write(self, text: str | bytes, name: str = "events") -> None:
        (self.folder / name).write_bytes(text.encode() if isinstance(text, str) else text)

    def read(self, name: str = "bins") -> bytes:
        return (self.folder / name).read_bytes()

    def run(self, *arguments: str, text: str | bytes = b"") -> Done:
        given = BytesIO(text.encode() if isinstance(text, str) else text)
        self.monkeypatch.setattr("sys.stdin", TextIOWrapper(given, encoding="utf-8"))
        self.captured.readouterr()
        status = cli.run(["run", "randbin", *TOY, *arguments])
        return Done(status, *self.captured.readouterr())

    def refused(self, *arguments: str, text: str | bytes = b"") -> str:
        done = self.run(*arguments, text=text)
        assert done.returncode == 2, done
        assert done.stderr.startswith(b"dpcert: Expected ")
        assert done.stderr.count(b"\n") == 1
        return done.stderr.decode()

    def start(self, *arguments: str, **streams: Any) -> "subprocess.Popen[bytes]":
        script = (
            "import signal, sys\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may have it ignored
            "from dpcert.audit.commands.cli import main\n"
            "main(['run', 'randbin', '--target', 'randbin-toy', *sys.argv[1:]])\n"
        )
        command = [sys.executable, "-c", script, *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, **streams)


LEASED = ("events", "--lease", "lease", "-o", "bins", "--batch", "7")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Place:
    return Place(tmp_path, monkeypatch, capfdbinary)


def numbers(first: int, last: int) -> str:
    return "".join(f"{n}\n" for n in range(first, last + 1))


def events_of(written: bytes) -> list[Any]:
    """All events of all bins, which are numbered from 1 without a gap."""
    bins = [json.loads(line) for line in written.splitlines()]
    assert [out["bin"] for out in bins] == list(range(1, len(bins) + 1))
    return [event for out in bins for event in out["events"]]


def prefix(found: list[Any], total: int) -> None:
    """All but a backlog came through."""
    assert found == [str(n) for n in range(1, len(found) + 1)]
    assert total - 4 * 2 - 2 < len(found) <= total


# ---------------------------------------------------------------- events in, bins out


def test_events_come_out_in_bins_with_statistics(place: Place) -> None:
    done = place.run(text=numbers(1, 100))
    assert done.returncode == 0
    found = events_of(done.stdout)
    prefix(found, 100)
    said = done.stderr.decode()
    assert said.startswith(f"100 events, {len(done.stdout.splitlines())} bins, {100 - len(found)} waiting; backlog ")
    assert "inclusion delay 4 to " in said
    assert said.endswith("\n")


def test_values_are_written_as_they_came(place: Place) -> None:
    lines = ['{"a": [1, null, 1.5]}', '"\\ud800"', '"é"', "true", "-0.0", str(2**70)] * 4
    done = place.run("--jsonl", text="\n".join(lines) + "\n")
    found = events_of(done.stdout)
    assert done.returncode == 0
    assert len(found) > 12
    assert found == [json.loads(line) for line in lines][: len(found)]


def test_no_events_are_no_bins(place: Place) -> None:
    done = place.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"0 events, 0 bins, 0 waiting\n")


class Open(RawIOBase):
    """Twenty events, and then an input that stays open: when more is asked of it, what was written is looked at."""

    def __init__(self, captured: pytest.CaptureFixture[bytes]) -> None:
        self.captured, self.rest, self.written = captured, numbers(1, 20).encode(), list[bytes]()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self.rest:
            self.written.append(self.captured.readouterr().out)
            return 0
        now, self.rest = self.rest, b""
        buffer[: len(now)] = now
        return len(now)


def test_bins_are_written_as_soon_as_they_leave(place: Place) -> None:
    given = Open(place.captured)
    place.monkeypatch.setattr("sys.stdin", TextIOWrapper(BufferedReader(given), encoding="utf-8"))
    assert cli.run(["run", "randbin", *TOY]) == 0
    assert json.loads(given.written[0].splitlines()[0])["events"][0] == "1"  # while the input is open


def test_parameters_are_the_toys(place: Place) -> None:
    done = place.run("--param", "level=6", "--param", "noise=none", text=numbers(1, 200))
    sizes = [len(json.loads(line)["events"]) for line in done.stdout.splitlines()]
    assert sizes
    assert 6 <= min(sizes) <= max(sizes) <= 12
    done = place.run("--param", "level=3")
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"Expected an even level of at least 2 but got level=3" in done.stderr


# ---------------------------------------------------------------- with a lease


def test_a_run_goes_on_behind_the_events_and_bins_it_had(place: Place) -> None:
    for last in (3, 30, 30, 31, 80):
        place.write(numbers(1, last))
        assert place.run(*LEASED).returncode == 0
        prefix(events_of(place.read()) if place.read() else [], last)


def test_standard_input_brings_new_events_each_time(place: Place) -> None:
    for first in (1, 21, 41):
        assert place.run(*LEASED[1:], text=numbers(first, first + 19)).returncode == 0
    prefix(events_of(place.read()), 60)


def test_every_cut_of_an_output_is_gone_on_with_to_the_same_bytes(tmp_path: Path) -> None:
    bins = RandBinSession(RandBinToy()).push_all(range(60))
    whole, cut = b"".join(map(bin_lines.line, bins)), tmp_path / "cut"
    for at in range(0, len(whole) + 1, 7):
        cut.write_bytes(whole[:at])
        with ExitStack() as stack:
            sink = bin_lines.BinLines.behind(str(cut), stack, bins=len(bins), pending=bins)
            sink.write(bins)
        assert cut.read_bytes() == whole


@pytest.mark.parametrize(
    "content",
    ["a note without an end", "a note\n", '{"bin": 500, "round": 1, "events": []}\n', '{"bin": 0}\n', "[1]\n",
     '{"bin": 1, "round": 9, "events": ["other"]}\n', '{"bin": true}\n', "[" * 100_000 + "\n"],
)  # fmt: skip
def test_an_output_of_another_run_is_refused_and_stays(place: Place, content: str) -> None:
    place.write(numbers(1, 40))
    run = RandBinSession(RandBinToy())
    bins = run.push_all(range(40))
    place.write(content, "bins")
    with ExitStack() as stack, pytest.raises(ArgumentError, match=r"^Expected the output of this run"):
        bin_lines.BinLines.behind(str(place.folder / "bins"), stack, bins=len(bins), pending=bins)
    assert place.read() == content.encode()


def test_a_refused_output_costs_nothing(place: Place) -> None:
    place.write(numbers(1, 40))
    place.write("a note without an end", "bins")
    assert "ends with a note without an end" in place.refused(*LEASED)
    assert place.read() == b"a note without an end"
    (place.folder / "bins").unlink()
    assert place.run(*LEASED).returncode == 0
    prefix(events_of(place.read()), 40)


def test_an_output_with_a_gap_is_refused(place: Place) -> None:
    place.write(numbers(1, 40))
    place.run(*LEASED)
    place.write(b"".join(place.read().splitlines(keepends=True)[:-1]), "bins")
    assert "Expected the output of this run" in place.refused(*LEASED)


def test_other_events_than_those_taken_are_refused(place: Place) -> None:
    place.write(numbers(1, 40))
    place.run(*LEASED)
    before = place.read()
    place.write(numbers(2, 60))
    assert "Expected the 40 events that the lease has taken but got events='events'" in place.refused(*LEASED)
    place.write(numbers(1, 39))
    assert "there=39" in place.refused(*LEASED)
    place.write(numbers(1, 60))
    assert place.run(*LEASED).returncode == 0
    assert place.read().startswith(before)


def test_a_lease_in_use_or_of_another_run_is_one_line(place: Place) -> None:
    place.write(numbers(1, 40))
    place.run(*LEASED)
    assert "of RandBinToy(" in place.refused(*LEASED, "--param", "error=2")
    with closing(RandBinSession.open(place.folder / "lease", RandBinToy())):
        assert "in use" in place.refused(*LEASED)
    assert place.run(*LEASED).returncode == 0


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"x\ny", "line=32, which ends in the middle; those before it were taken"),
        (b"\xff\n", "Expected events in UTF-8 but got line=31"),
    ],
)
@pytest.mark.parametrize("leased", [False, True])
def test_bad_lines_are_refused_and_those_before_them_taken(place: Place, text: bytes, said: str, leased: bool) -> None:
    arguments = LEASED if leased else ("events", "-o", "bins")
    place.write(numbers(1, 30).encode() + text)
    refusal = place.refused(*arguments)
    assert said in refusal
    prefix([e for e in events_of(place.read()) if e != "x"], 30)
    if leased:
        place.write(numbers(1, 30) + ("x\nyz\n" if b"x" in text else "31\n"))
        assert place.run(*LEASED).returncode == 0


@pytest.mark.parametrize("line", ["", "{", "NaN", "-Infinity", "1e999", "[" * 100_000, "1 2", "'a'", "1" * 5000])
def test_a_line_that_is_no_json_value(line: str) -> None:
    found = batches(BytesIO(f"1\n{line}\n3\n".encode()), jsonl=True, most=10)
    assert next(found) == [1]
    with pytest.raises(ArgumentError, match=r"^Expected a JSON value on every line but got line=2, text=[^\n]*$"):
        next(found)


def test_a_line_that_is_no_json_value_is_one_line(place: Place) -> None:
    assert "Expected a JSON value on every line but got line=2, text='{'" in place.refused("--jsonl", text="1\n{\n")


def test_files_that_are_not_there(place: Place) -> None:
    assert "No such file" in place.refused("nowhere")
    assert "directory" in place.refused(".")
    assert "path=nowhere/bins" in place.refused("-o", "nowhere/bins")
    assert "path=nowhere/lease" in place.refused("--lease", "nowhere/lease")
    place.write("1\n")
    assert "Expected another file for what is written" in place.refused("events", "-o", "events")
    assert place.read("events") == b"1\n"


@pytest.mark.real("pipes")
@pytest.mark.in_turns
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
@pytest.mark.parametrize("leased", [False, True])
@pytest.mark.parametrize("said", ["No space left", "Broken pipe"])
def test_an_output_that_takes_nothing_is_one_line_and_nothing_is_lost(place: Place, leased: bool, said: str) -> None:
    place.write(numbers(1, 40))
    arguments = ("--lease", "lease") if leased else ()
    if said == "Broken pipe":
        reading, output = os.pipe()
        os.close(reading)
    else:
        assert said in place.refused("events", "-o", "/dev/full", *arguments)
        output = os.open("/dev/full", os.O_WRONLY)
    process = place.start("events", *arguments, stdout=output)
    os.close(output)
    _, err = process.communicate()
    assert process.returncode == 2
    assert err.startswith(b"dpcert: Expected an output that takes the bins but got ")
    assert said.encode() in err
    assert err.count(b"\n") == 1
    if leased:
        assert place.run(*LEASED).returncode == 0
        prefix(events_of(place.read()), 40)


@pytest.mark.real("signals")
@pytest.mark.in_turns
@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("leased", [False, True])
def test_an_interrupt_ends_the_run_and_what_was_taken_stays(place: Place, leased: bool) -> None:
    process = place.start(*(LEASED[1:] if leased else ("-o", "bins")), stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(numbers(1, 40).encode())
    process.stdin.flush()
    give_up = time.monotonic() + 300
    while not (place.folder / "bins").exists() or place.read().count(b"\n") < 9:
        assert time.monotonic() < give_up
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 3
    rest = b"it goes on from its lease" if leased else b"events waited"
    assert err.startswith(b"dpcert: interrupted; ")
    assert err.endswith(rest + b"\n")
    if leased:
        assert place.run(*LEASED[1:], text=numbers(41, 60)).returncode == 0
        prefix(events_of(place.read()), 60)


@pytest.mark.in_turns(few=True)
@pytest.mark.real("pipes")
@pytest.mark.skipif(os.name != "posix", reason="closes descriptors in a shell")
def test_closed_standard_streams_are_one_line(place: Place) -> None:
    for closed, what in (("<&-", "standard input"), (">&- </dev/null", "standard output")):
        command = f'"{sys.executable}" -m dpcert run randbin --target randbin-toy {closed}'
        done = subprocess.run(
            ["sh", "-c", command], cwd=place.folder, env=place.environment, capture_output=True, check=False
        )
        assert done.returncode == 2
        assert done.stderr.startswith(b"dpcert: Expected ")
        assert what.encode() in done.stderr


# ---------------------------------------------------------------- reading


class Dripping(RawIOBase):
    """Gives its chunks one at a time."""

    def __init__(self, chunks: list[bytes]) -> None:
        self.chunks = chunks

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self.chunks.pop(0) if self.chunks else b""
        buffer[: len(chunk)] = chunk
        return len(chunk)


def test_what_is_there_is_taken_and_lines_may_come_in_pieces() -> None:
    source = BufferedReader(Dripping([b"a\nb\n", b"c", b"", b"d\n"]))
    assert next(batches(source, jsonl=False, most=10)) == ["a", "b"]
    text = "é1\né2\r\n\n".encode()
    for cut in range(len(text)):
        source = BufferedReader(Dripping([piece for piece in (text[:cut], text[cut:]) if piece]))
        assert [e for batch in batches(source, jsonl=False, most=10) for e in batch] == ["é1", "é2", ""]


@pytest.mark.in_turns
def test_a_long_line_is_put_together_once() -> None:
    text = b"x" * 2**26
    assert next(batches(BytesIO(text + b"\n"), jsonl=False, most=10)) == [text.decode()]


def test_batches_have_their_size() -> None:
    found = list(batches(BytesIO(b"1\n" * 25), jsonl=False, most=10))
    assert [len(batch) for batch in found] == [10, 10, 5]


@pytest.mark.parametrize("taken", range(8))
@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_events_taken_are_left_out(taken: int, size: int) -> None:
    every = list(range(7))
    found = iter([every[at : at + size] for at in range(0, 7, size)])
    waiting = tuple(every[max(0, taken - 2) : taken])
    if taken > 7:
        with pytest.raises(ArgumentError):
            list(behind(found, taken, waiting, "events"))
        return
    rest = [event for batch in behind(found, taken, waiting, "events") for event in batch]
    assert rest == every[taken:]


@pytest.mark.in_turns
def test_the_real_one_runs_and_goes_on_from_its_lease(place: Place) -> None:
    promise = ("--target", "randbin-sharp", "--param", "epsilon=1", "--param", "delta=1e-6", "--param", "horizon=10000")
    place.write(numbers(1, 3000))
    assert place.run(*promise, *LEASED).returncode == 0
    before = place.read()
    place.write(numbers(1, 6000))
    assert place.run(*promise, *LEASED).returncode == 0
    assert place.read().startswith(before)
    taken = events_of(place.read())
    assert taken == [str(n) for n in range(1, len(taken) + 1)]
    assert len(taken) > len(events_of(before))
    other = tuple(part.replace("delta=1e-6", "delta=1e-7") for part in promise)
    assert "of another mechanism" in place.refused(*other, *LEASED) or "lease" in place.refused(*other, *LEASED)


def test_a_target_that_is_no_randbin_is_refused(place: Place) -> None:
    assert "target='two-round'" in place.refused("--target", "two-round")
    assert "at most 50 events" in place.refused("--target", "randbin", "--param", "horizon=50", text=numbers(1, 200))


def test_of_events_too_many_those_with_room_are_taken(place: Place) -> None:
    small = ("--target", "randbin", "--param", "exp_epsilon=10000", "--param", "horizon=50", *LEASED)
    place.write(numbers(1, 200))
    for _ in range(2):
        assert "at most 50 events" in place.refused(*small)
        taken = events_of(place.read())
        assert 0 < len(taken) <= 50
    place.write(numbers(1, 50))
    done = place.run(*small)
    assert done.returncode == 0
    assert done.stderr.startswith(b"50 events")
    assert events_of(place.read()) == taken
