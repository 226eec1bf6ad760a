"""Leases: resumed once, refused while they are in use, and gone on with by one of two."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from instances.leases import TOY, begun, copied, refusal

from dpcert.audit.errors import DpcertError, OutputError
from dpcert.mechanisms.live import lease_register
from dpcert.mechanisms.live.lease import Lease
from dpcert.mechanisms.live.lease_tables import LeaseError
from dpcert.mechanisms.live.session import RandBinSession


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lease"


# ---------------------------------------------------------------- resumed, and once


def test_a_resumed_run_holds_what_the_last_one_held(path: Path) -> None:
    rounds, bins, waiting = begun(path)
    run = RandBinSession.open(path, TOY)
    assert (run.rounds, run.bins, run.pending) == (rounds, bins, waiting)
    assert [out.number for out in run.undelivered] == list(range(1, bins + 1))
    assert [e for out in run.undelivered for e in out.events] + list(run.pending) == list(range(20))
    assert all(out.events[0] == out.first - 1 for out in run.undelivered)


@pytest.mark.real("locks")
def test_it_is_refused_while_it_is_in_use(path: Path) -> None:
    first = RandBinSession.open(path, TOY)
    first.push_all(range(9))
    assert "in use" in refusal(path)
    assert "in use" in refusal(path)  # reading the file dropped SQLite's own lock
    script = (
        "from dpcert.mechanisms.randbin.toy import RandBinToy\n"
        "from dpcert.mechanisms.live.session import RandBinSession\n"
        f"RandBinSession.open({str(path)!r}, RandBinToy())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=False)
    assert "which is in use" in done.stderr
    first.push(9)
    first.close()
    assert RandBinSession.open(path, TOY).rounds == 10


@pytest.mark.parametrize("copy_first", [False, True])
def test_of_a_lease_and_its_copy_one_goes_on(path: Path, copy_first: bool) -> None:
    begun(path)
    copy = copied(path, "copy")
    first, second = (copy, path) if copy_first else (path, copy)
    run = RandBinSession.open(first, TOY)
    assert "resumed before" in refusal(second)
    run.close()
    assert "resumed before" in refusal(second)
    assert RandBinSession.open(first, TOY).rounds == 20


def test_an_older_copy_is_refused_once_a_bin_has_left(path: Path) -> None:
    """Within one turn: the copy is of a run that went on, and would draw again what was handed out."""
    run = RandBinSession.open(path, TOY)
    run.push_all(range(4))
    copy = copied(path, "copy")
    run.push_all(range(4, 20))
    run.close()
    assert "resumed before" in refusal(copy)


def test_a_live_run_of_which_a_copy_went_on_hands_nothing_out(path: Path) -> None:
    run = RandBinSession.open(path, TOY)
    run.push_all(range(7))
    second = RandBinSession.open(copied(path, "copy"), TOY)
    with pytest.raises(LeaseError, match="resumed before"):
        run.push_all(range(7, 20))
    with pytest.raises(DpcertError, match=r"is over: .*resumed before"):
        run.push(20)
    assert second.push_all(range(7, 20))
    assert "resumed before" in refusal(path)


def test_a_register_that_fails_leaves_a_lease_that_goes_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(path)
    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(lease_register, "note", fails)
            with pytest.raises(OutputError):
                RandBinSession.open(path, TOY)
    copy = copied(path, "copy")
    assert RandBinSession.open(path, TOY).rounds == 20
    assert "resumed before" in refusal(copy)


def fails(*_: object) -> None:
    raise OutputError("Expected a register but got none")


def test_what_is_committed_and_not_handed_out_is_offered_later(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RandBinSession.open(path, TOY)
    with monkeypatch.context() as patch:
        patch.setattr(lease_register, "note", fails)
        with pytest.raises(OutputError):
            run.push_all(range(20))
    again = RandBinSession.open(path, TOY)
    assert again.rounds == 20
    assert len(again.undelivered) == again.bins > 0


def test_another_machine_takes_a_copy_and_this_one_cannot_know(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of what is promised, as docs/how-to/leases.md says."""
    begun(path)
    copy = copied(path, "copy")
    RandBinSession.open(path, TOY).close()
    monkeypatch.setenv("XDG_STATE_HOME", str(path.parent / "elsewhere"))
    assert RandBinSession.open(copy, TOY).rounds == 20


def test_two_that_resume_at_once_are_not_both_taken(path: Path) -> None:
    begun(path)
    leases = [path, *(copied(path, f"copy{n}") for n in range(5))]
    opened: list[RandBinSession] = []

    def try_it(lease: Path) -> None:
        with suppress(LeaseError):
            opened.append(RandBinSession.open(lease, TOY))

    threads = [threading.Thread(target=try_it, args=(lease,)) for lease in leases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 1


@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_a_forked_process_does_not_write(path: Path) -> None:
    Lease.create(path, "m", (1,))
    lease, _ = Lease.resume(path, "m")
    lease._process += 1
    with pytest.raises(LeaseError, match="forked"):
        lease.commit((2,), ["1"], [])


# ---------------------------------------------------------------- acknowledged


def test_acknowledged_bins_and_their_events_are_gone(path: Path) -> None:
    secret = "4711" * 5
    run = RandBinSession.open(path, TOY)
    run.push_all([secret] * 30)
    assert path.read_bytes().count(secret.encode()) >= 30
    run.acknowledge(run.bins - 1)
    run.close()
    waiting = run.backlog
    run = RandBinSession.open(path, TOY)
    assert [out.number for out in run.undelivered] == [run.bins]
    assert path.read_bytes().count(secret.encode()) == waiting + len(run.undelivered[0].events)
    run.acknowledge(run.bins)
    run.acknowledge(1)
    assert run.undelivered == ()
    run.close()
    assert path.read_bytes().count(secret.encode()) == waiting
    assert RandBinSession.open(path, TOY).undelivered == ()


def test_a_bin_that_did_not_leave_cannot_be_acknowledged(path: Path) -> None:
    run = RandBinSession.open(path, TOY)
    run.push_all(range(20))
    with pytest.raises(DpcertError, match=f"at most {run.bins} but got number={run.bins + 1}"):
        run.acknowledge(run.bins + 1)
    run.push(20)
