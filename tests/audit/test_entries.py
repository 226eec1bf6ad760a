"""Installed entries are read once, and again when a package comes or goes."""

import os
import shutil
from pathlib import Path

import pytest

from dpcert.audit.entries import TARGETS, entries


def test_a_package_that_comes_or_goes_meanwhile_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(entries(TARGETS))
    os.utime(tmp_path, (1, 1))  # clocks of file systems may tick slowly
    assert set(entries(TARGETS)) == before
    about = tmp_path / "newcomer-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: newcomer\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[{TARGETS}]\nnewcomer = newcomer:Newcomer\n", encoding="utf-8")
    assert set(entries(TARGETS)) == {*before, "newcomer"}
    shutil.rmtree(about)
    os.utime(tmp_path, (2, 2))
    assert set(entries(TARGETS)) == before
