"""A lease as a run leaves it, copies and edits of it, and the line by which one is refused."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dpcert.mechanisms.live.lease_tables import LeaseError
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.randbin.toy import RandBinToy

TOY = RandBinToy()


def begun(path: Path, events: int = 20) -> tuple[int, int, tuple[Any, ...]]:
    """A run that took some events and ended: rounds, bins, and what waits."""
    run = RandBinSession.open(path, TOY)
    run.push_all(range(events))
    run.close()
    return run.rounds, run.bins, run.pending


def copied(path: Path, name: str) -> Path:
    other = path.with_name(name)
    shutil.copy2(path, other)
    return other


def refusal(path: Path, mechanism: RandBinToy = TOY) -> str:
    """The one line by which a lease is refused; the file stays as it was."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(LeaseError) as caught:
        RandBinSession.open(path, mechanism)
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith("Expected ")
    assert str(path) in said
    assert before is None or path.read_bytes() == before
    return said


def edited(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
