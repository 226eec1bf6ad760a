"""Installed entries are read once, and again when a package comes or goes."""

import importlib.metadata
import os
import shutil
import sys
from pathlib import Path

import pytest

from dpcert.audit import entries as entries_module
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


def test_entries_are_those_that_python_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read from files or asked of `importlib.metadata`, over folders one of which hides a package of the other."""
    for folder, version in (("one", "1"), ("two", "2")):
        about = tmp_path / folder / f"Some.Package-{version}.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: Some.Package\nVersion: {version}\n", encoding="utf-8"
        )
        lines = f"# a word\n[{TARGETS}]\n\nof-{folder} = some.module:Name [extra]\n[other]\nx=y\n"
        (about / "entry_points.txt").write_text(lines, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path / folder))
    read = sorted(entries_module._installed(tuple((at, 1) for at in sys.path)))
    assert read == sorted(entries_module._installed_anywhere())
    assert [(one.name, one.module, one.attr) for one in read if "some" in one.value] == [
        ("of-two", "some.module", "Name")
    ]
    told = {(one.name, one.value) for one in importlib.metadata.entry_points(group=TARGETS)}
    assert told == {(one.name, one.value) for one in read if one.group == TARGETS}
