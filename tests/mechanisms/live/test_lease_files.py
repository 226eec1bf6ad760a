"""The file of a lease: refused when it is anything but what a run wrote, private, and durable or an error."""

import os
import re
import resource
import signal
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from instances.leases import TOY, begun, copied, edited, refusal

from dpcert.audit.errors import DpcertError, OutputError
from dpcert.mechanisms.live import lease_register, lease_tables
from dpcert.mechanisms.live.lease import Lease
from dpcert.mechanisms.live.lease_tables import LeaseError
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.randbin.toy import RandBinToy


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lease"


# ---------------------------------------------------------------- what is refused

COLUMNS = [("header", "fields"), ("header", "seal"), *(("events", c) for c in ("number", "event", "seal")),
           *(("bins", c) for c in ("number", "round", "length", "seal"))]  # fmt: skip
EDITS = {
    **{
        f"{table}.{column}": [
            f"UPDATE {table} SET {column} = {column} || '0' WHERE rowid = (SELECT max(rowid) FROM {table})"
        ]
        for table, column in COLUMNS
    },
    "an event is gone": ["DELETE FROM events WHERE number = (SELECT max(number) FROM events)"],
    "the first event is gone": ["DELETE FROM events WHERE number = (SELECT min(number) FROM events)"],
    "an event more": ["INSERT INTO events SELECT number + 1, event, seal FROM events ORDER BY number DESC LIMIT 1"],
    "two events change places": [
        "UPDATE events SET number = -1 WHERE number = 1",
        "UPDATE events SET number = 1 WHERE number = 2",
        "UPDATE events SET number = 2 WHERE number = -1",
    ],
    "a bin is gone": ["DELETE FROM bins WHERE number = 1"],
    "no header": ["DELETE FROM header"],
    "two headers": ["INSERT INTO header SELECT * FROM header"],
    "a table more": ["CREATE TABLE notes (text TEXT)"],
    "a trigger": ["CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM bins; END"],
    "a table less": ["DROP TABLE bins"],
    "a column renamed": ["ALTER TABLE events RENAME COLUMN event TO text"],
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_by_hand_is_noticed(path: Path, edit: str) -> None:
    begun(path)
    edited(path, *EDITS[edit])
    assert "changed by hand" in refusal(path)


def test_every_field_of_the_header_is_under_seal(path: Path) -> None:
    begun(path)
    with closing(sqlite3.connect(path)) as connection:
        (fields,) = connection.execute("SELECT fields FROM header").fetchone()
    for field in lease_tables.Header.__dataclass_fields__:
        assert f'"{field}":' in fields
        copy = copied(path, f"copy-{field}")
        edited(copy, f"UPDATE header SET fields = replace(fields, '\"{field}\":', '\"{field}\": ')")
        assert "header was changed by hand" in refusal(copy)


def test_rows_of_another_lease_are_noticed(path: Path, tmp_path: Path) -> None:
    begun(path)
    other = tmp_path / "other"
    begun(other)
    edited(path, f"ATTACH '{other}' AS other", "UPDATE events SET seal = (SELECT o.seal FROM other.events o "
           "WHERE o.number = events.number)")  # fmt: skip
    assert "events were changed by hand" in refusal(path)


def test_another_version_is_refused(path: Path) -> None:
    begun(path)
    edited(path, "PRAGMA user_version = 2")
    assert "of version 2, where 1 is read" in refusal(path)


def test_another_mechanism_is_refused(path: Path) -> None:
    begun(path)
    assert "error=1, noise='uniform'), where RandBinToy(exp_epsilon=2, level=2, error=2" in refusal(
        path, RandBinToy(error=2)
    )
    assert RandBinSession.open(path, TOY).rounds == 20


@pytest.mark.parametrize("content", [b"", b"no lease", b"\0" * 5000, b"SQLite format 3\0" + b"x" * 500])
def test_what_is_no_lease_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    path.chmod(0o600)
    refusal(path)


def test_another_sqlite_file_and_a_folder_are_refused(path: Path, tmp_path: Path) -> None:
    edited(path, "CREATE TABLE header (fields TEXT, seal TEXT)")
    path.chmod(0o600)
    assert "something else" in refusal(path)
    assert "which is no file" in refusal(tmp_path)


def test_a_damaged_file_is_refused(path: Path) -> None:
    begun(path, 400)
    content = path.read_bytes()
    assert len(content) > 3 * 4096
    for cut in (content[: len(content) // 2], content[:4096] + os.urandom(4096) + content[8192:]):
        path.write_bytes(cut)
        refusal(path)


def test_a_state_that_cannot_be_written_is_refused(path: Path) -> None:
    with pytest.raises(LeaseError, match="Expected a state of numbers, texts, tuples and None but got a object"):
        Lease.create(path, "m", object())
    assert not path.exists()
    for state in (1, -1.5, None, "a'b\n", (1, (None, ("x", True)))):
        assert lease_tables.state_of(lease_tables.state_text(state)) == state


# ---------------------------------------------------------------- private


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_nobody_else_can_read_it_nor_what_sqlite_puts_beside_it(path: Path) -> None:
    before = os.umask(0)
    try:
        run = RandBinSession.open(path, TOY)
        for event in range(30):
            run.push(event)
        beside = sorted(path.parent.glob("*lease*"))
        assert [p.name for p in beside] == ["lease", "lease-journal"]
        assert {stat.S_IMODE(p.stat().st_mode) for p in beside} == {0o600}
        assert stat.S_IMODE((path.parent / "state" / "dpcert").stat().st_mode) == 0o700
        run.close()
        assert [p.name for p in path.parent.glob("*lease*")] == ["lease"]
    finally:
        os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_one_that_others_can_read_is_refused(path: Path) -> None:
    begun(path)
    path.chmod(0o640)
    assert "mode=640" in refusal(path)


def test_the_register_holds_no_event_and_nothing_of_the_state(path: Path) -> None:
    run = RandBinSession.open(path, TOY)
    run.push_all(["secret"] * 30)
    run.close()
    with closing(sqlite3.connect(lease_register.folder() / "leases.sqlite")) as connection:
        ((name, turn, bins),) = connection.execute("SELECT * FROM turns")
    assert (len(name), len(turn), bins) == (32, 32, run.bins)


def test_a_relative_state_folder_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "here")
    assert lease_register.folder() == tmp_path / ".local" / "state" / "dpcert"


# ---------------------------------------------------------------- durable, or an error


def test_a_new_lease_appears_whole_or_not_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(lease_tables, "make", dies)
    with pytest.raises(KeyboardInterrupt):
        Lease.create(path, "m", (1,))
    assert list(path.parent.iterdir()) == []


def test_the_name_it_was_made_under_goes_when_it_is_resumed(path: Path) -> None:
    begun(path)
    draft = path.with_name(".dpcert-lease-0")
    os.link(path, draft)
    RandBinSession.open(path, TOY).close()
    assert not draft.exists()


def test_one_that_is_there_is_not_made_again(path: Path) -> None:
    begun(path)
    before = path.read_bytes()
    with pytest.raises(LeaseError, match="which is there"):
        Lease.create(path, "m", (1,))
    assert path.read_bytes() == before


def full(run: RandBinSession) -> int:
    """Pushes until the disk refuses; the events that were taken."""
    n, said = run.rounds - 1, ""
    while not said:
        n += 1
        try:
            run.push(n)
        except OutputError as error:
            said = str(error)
    assert re.fullmatch(r"Expected a disk that takes the lease but got path=[^\n]*", said)
    return n


def test_what_a_full_disk_does_not_take_is_not_handed_out(path: Path) -> None:
    run = RandBinSession.open(path, TOY)
    run._lease._connection.execute("PRAGMA max_page_count = 12")  # type: ignore[union-attr]
    taken = full(run)
    assert taken > 20
    with pytest.raises(DpcertError, match=r"Expected a session that goes on but got one that is over: .* full"):
        run.push(0)
    again = RandBinSession.open(path, TOY)
    assert again.rounds == taken
    assert [e for out in again.undelivered for e in out.events] + list(again.pending) == list(range(taken))


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
def test_a_file_that_may_not_grow(path: Path) -> None:
    """The file size that the system allows: SQLite's writes fail in the middle."""
    run = RandBinSession.open(path, TOY)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
    try:
        taken = full(run)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    again = RandBinSession.open(path, TOY)
    assert again.rounds == taken > 20
    assert [e for out in again.undelivered for e in out.events] + list(again.pending) == list(range(taken))


def unwritable(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")


def not_sqlite(tmp_path: Path) -> None:
    (tmp_path / "state" / "dpcert").mkdir(parents=True)
    (tmp_path / "state" / "dpcert" / "leases.sqlite").write_text("no register" * 100)


@pytest.mark.parametrize("fault", [unwritable, not_sqlite])
def test_without_a_register_nothing_is_resumed(path: Path, tmp_path: Path, fault: Callable[[Path], None]) -> None:
    fault(tmp_path)
    with pytest.raises(OutputError, match=r"^Expected a register of leases .* but got path=.*\)$"):
        RandBinSession.open(path, TOY)


def test_no_place_for_a_lease_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"^Expected a place for a new lease but got path=.*Not a directory"):
        RandBinSession.open(tmp_path / "file" / "lease", TOY)
    with pytest.raises(OutputError, match=r"^Expected a place for a new lease but got path=.*No such file"):
        RandBinSession.open(tmp_path / "nowhere" / "lease", TOY)
    assert not (tmp_path / "nowhere").exists()
