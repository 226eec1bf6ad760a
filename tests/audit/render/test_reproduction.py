"""How to reproduce a record: the command on the page gives the record again, and the digest is of its bytes."""

import hashlib
import shlex
from pathlib import Path
from typing import Any

import pytest
from instances.rendered import document

from dpcert.audit.commands.cli import run
from dpcert.audit.examine import examine
from dpcert.audit.records.record import Record, read
from dpcert.audit.render.page import page
from dpcert.audit.render.reproduction import command, digest, steps
from dpcert.mechanisms.randomized_response import RandomizedResponse

PLAIN = '''
from dpcert import bernoulli


class Plain:
    """Says <b>nothing</b> of its input.

    Not at all.
    """

    alphabet = ("a b", "c'd")

    def law(self, prefix):
        return bernoulli(1 / 2 if False else "1/2")
'''


def test_the_command_gives_the_record_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["dpcert", "audit", "randomized-response", "--horizon", "2", "--json", "a b.json"])
    assert run(["audit", "randomized-response", "--horizon", "2", "--json", "a b.json", "--quiet"]) == 0
    first = read(Path("a b.json").read_text(encoding="utf-8"))
    again = shlex.split(command(first.document))
    assert again == ["dpcert", "audit", "randomized-response", "--horizon", "2", "--json", "a b.json"]
    assert run([*again[1:], "--quiet"]) == 0
    second = read(Path("a b.json").read_text(encoding="utf-8"))
    assert {**first.document, "provenance": {}} == {**second.document, "provenance": {}}


def test_what_was_called_from_python_has_a_command_too() -> None:
    made = document(RandomizedResponse(), horizon=2, adjacency="zero-out", target="randomized-response")
    made["provenance"]["command"] = []
    assert command(made) == "dpcert audit randomized-response --horizon 2 --adjacency zero-out"
    assert "call from Python" in steps(made)[0]


def test_the_digest_is_of_the_records_bytes(two_round: dict[str, Any]) -> None:
    text = Record(two_round).to_json()
    assert digest(two_round) == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    assert digest(two_round) in page(two_round)


def test_the_users_code_stands_beside_its_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain.py").write_text(PLAIN.replace('1 / 2 if False else "1/2"', "1"), encoding="utf-8")
    assert run(["audit", "plain.py:Plain", "--horizon", "1", "--json", "r.json", "--html", "r.html", "--quiet"]) == 0
    record = read(Path("r.json").read_text(encoding="utf-8"))
    subject = record["provenance"]["subject"]
    assert subject["about"] == "Says <b>nothing</b> of its input."
    assert subject["code"].startswith("class Plain:")
    html = Path("r.html").read_text(encoding="utf-8")
    assert "Says &lt;b&gt;nothing&lt;/b&gt; of its input." in html
    assert "    def law(self, prefix):\n        return bernoulli(1)" in html
    assert "<b>" not in html


def test_a_docstring_that_dataclasses_make_up_is_none() -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Undocumented:
        alphabet: tuple[int, ...] = (0, 1)
        law = RandomizedResponse.law
        truth: str = "3/4"

    assert examine(RandomizedResponse(), horizon=1)["provenance"]["subject"]["about"].startswith("Y_t = x_t with")
    from dpcert.audit.records.digest import subject

    assert subject(Undocumented())["about"] == ""
