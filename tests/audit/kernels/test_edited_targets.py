"""A target's file is read as it stands, also where an edit keeps its size and its time."""

import os
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from dpcert.audit.kernels.targets import find

FILE = "from fractions import Fraction\n\n\nclass Kept:\n    alphabet = (0, 1)\n    truth = Fraction(1, {})\n"


def test_an_edit_within_a_second_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = tmp_path / "mine.py"
    for part in (4, 5):
        path.write_text(FILE.format(part), encoding="utf-8")
        os.utime(path, (1_000_000_000, 1_000_000_000))
        made = find(f"{path}:Kept", {}).mechanism
        assert made.truth == Fraction(1, part)
