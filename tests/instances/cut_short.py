"""Audits that are cut short, with everything that they leave behind."""

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpcert.audit.commands.cli import run
from dpcert.audit.records.record import read

EXACT = Fraction(991, 10000)
"""What adaptive adversaries reach against two-round at e^epsilon = 1."""


@dataclass(frozen=True)
class Audited:
    """What one audit left behind: exit status, report, standard error, record and page."""

    status: int
    out: str
    err: str
    record: dict[str, Any]

    def ends(self, side: str) -> list[tuple[Fraction, Fraction]]:
        """The bounds on delta of one side."""
        return [(Fraction(d["lower"]), Fraction(d["upper"])) for d in self.record[side]["delta"]]


def written(status: int, out: str, err: str, json_path: Path, html_path: Path) -> Audited:
    """The outputs of an audit that was cut short, each whole and in the right place."""
    assert "Traceback" not in out + err
    assert len(re.findall(r"^(UNDECIDED|GAP|NO GAP|REFUTED|HOLDS): ", out, flags=re.M)) == 1
    text = json_path.read_text(encoding="utf-8")
    record = read(text)
    assert html_path.read_text(encoding="utf-8") == record.to_html()
    assert out.startswith(f"{record['headline']['badge']}: ")
    return Audited(status, out, err, json.loads(text))


def audited(capfd: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> Audited:
    """An audit in this process that writes both outputs."""
    status = run(["audit", *arguments, "--json", str(folder / "r.json"), "--html", str(folder / "p.html")])
    out, err = capfd.readouterr()
    return written(status, out, err, folder / "r.json", folder / "p.html")
