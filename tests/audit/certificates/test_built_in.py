"""Certificates of the mechanisms that come with the package, from the command line on."""

import base64
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpcert import verify_certificate
from dpcert.audit.commands.cli import run

CASES = [
    ("two-round", "--horizon 2"),
    ("two-round-repeated", "--horizon 6"),
    ("two-round-repeated", "--horizon 4 --hops 2"),
    ("two-round-repeated", "--horizon 4 --challenge-round 2"),
    ("two-round-repeated", "--horizon 3 --adjacency any"),
    ("randomized-response", "--horizon 3"),
    ("interval-sums", "--horizon 3"),
    ("interval-sums", "--horizon 2 --adjacency zero-out"),
    ("binary-tree", "--horizon 3 --adjacency unit-hamming"),
    ("shared-coin", "--horizon 3"),
    ("clipped-sum", "--horizon 3"),
    ("sparse-vector", "--horizon 3"),
    ("private-halt", "--horizon 3"),
    ("reused-noise", "--horizon 2"),
]
GIVEN = [("two-round-repeated", "--horizon 4 --adjacency edit"), ("randbin-toy", "--game npp --horizon 6")]


def certified(target: str, options: str, gap: str, file: Path) -> int:
    """The exit status of `dpcert verify` on a new certificate."""
    arguments = ["audit", target, *options.split(), "--quiet", "--exit-zero"]
    assert run([*arguments, "--certificate", str(file), "--certificate-gap", gap]) == 0
    return run(["verify", str(file)])


@pytest.mark.in_turns
@pytest.mark.parametrize("gap", ["0", "1e-9"])
@pytest.mark.parametrize(("target", "options"), CASES)
def test_certificates_of_built_ins_are_valid(target: str, options: str, gap: str, tmp_path: Path) -> None:
    assert certified(target, options, gap, tmp_path / "c.jsonl") == 0


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(("target", "options"), GIVEN)
def test_a_relation_that_the_file_cannot_show_is_named(
    target: str, options: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "c.jsonl"
    assert certified(target, options, "0", file) == 3
    assert capsys.readouterr().out == "valid but for relation:edit\n"
    assert run(["verify", str(file), "--kernel", target]) == 0


@pytest.mark.real("start-up")
def test_the_checker_is_one_file_that_needs_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    assert certified("two-round", "--horizon 2", "0", file) == 0
    alone = tmp_path / "alone.py"
    alone.write_text(Path(verify_certificate.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(alone), str(file)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "valid\n", "")


def test_another_mechanism_is_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.jsonl"
    assert certified("two-round", "--horizon 2", "0", file) == 0
    assert run(["verify", str(file), "--kernel", "two-round"]) == 0
    capsys.readouterr()
    assert run(["verify", str(file), "--kernel", "randomized-response"]) == 1
    assert "expected the game of randomized-response" in capsys.readouterr().out


def test_what_is_no_certificate_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "other.json"
    file.write_text(json.dumps({"schema": "dpcert.audit/1"}) + "\n", encoding="utf-8")
    for name in (str(file), str(tmp_path / "nothing")):
        assert run(["verify", name]) == 2
        assert capsys.readouterr().err.startswith("dpcert: Expected a certificate but got FILE=")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hidden-counter"], "a certificate"),
        (["randomized-response", "--horizon", "500"], "500 rounds"),
        (["two-round-repeated", "--horizon", "9", "--max-positions", "5"], "--max-positions 5 was reached"),
    ],
)
def test_an_audit_without_a_certificate_says_so_and_leaves_its_record(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "c.jsonl"
    assert run(["audit", *arguments, "--quiet", "--certificate", str(file), "--json", str(tmp_path / "record")]) == 2
    assert words in capsys.readouterr().err
    assert not file.exists()
    assert "verdict" in json.loads((tmp_path / "record").read_text(encoding="utf-8"))


@pytest.mark.in_turns
def test_a_page_carries_the_certificate_that_was_written(tmp_path: Path) -> None:
    file, page = tmp_path / "c.jsonl", tmp_path / "page.html"
    written = ["--certificate", str(file), "--html", str(page), "--quiet", "--exit-zero"]
    assert run(["audit", "two-round", *written]) == 0
    (link,) = re.findall(
        r'<a download="certificate.jsonl" href="data:application/jsonl;base64,([^"]*)">', page.read_text()
    )
    assert base64.b64decode(link) == file.read_bytes()
    assert run(["audit", "two-round", "--html", str(page), "--quiet", "--exit-zero"]) == 0
    assert "certificate.jsonl" not in page.read_text()
