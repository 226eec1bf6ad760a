"""A folder in memory for tests that write leases: to sync costs nothing there, and who is killed loses nothing written.

What a lease is for, a process that dies, is the same on any file system; a power cut is tested nowhere.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """As pytest's own, in memory where the system has a file system there."""
    there = MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
    with tempfile.TemporaryDirectory(prefix="dpcert-", dir=MEMORY if there else None) as folder:
        yield Path(folder)
