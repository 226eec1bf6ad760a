"""Each environment, display, algorithm line, table row and number of the paper has entries, or a word why it has none.

What has a label is named by the claims of that label; each other piece by its line in pieces.json, under its label,
kind and number, with a digest of its text: a piece that is new, or is another one now, has to be looked at.
"""

import json
import re
from collections import Counter

import pytest
from instances.paper_units import KINDS, PIECES, Unit, in_step, pinned, units
from instances.statements import PAPER

from dpcert.proofs_checked.discovery import ledger

NOT_CLAIMS = PIECES.with_name("not_claims.json")
WHY_NOT = {"notation", "definition", "input", "output", "loop", "heading", "reference"}
"""Words for pieces that claim nothing."""

SMALL = r"""
\begin{document}
\section{One}
\label{sec:one}
Between 12 and $x_{13}$ and \\$u \le v$ we have
\[ x \le y \]
and
$
  r \le s
$.
So is $t \le u$
and \\[-1pt] no display.
\begin{lemma}
\label{lem:a}
\begin{align*} a &= b \end{align*} % \[ c = d \]
\[ notation \]
\end{lemma}
\begin{proof}
\[ \begin{array}{c|c} p & 0.25 \\ q & 0.5 \end{array} = 1 \]
\end{proof}
\begin{remark} No label. \end{remark}
\begin{algorithm}
\label{alg:a}
\begin{algorithmic}[1]
\STATE first
\IF{so} \STATE second \ENDIF
\end{algorithmic}
\end{algorithm}
\ignore{ \[ e = f \] }
\end{document}
"""


def listed() -> dict[str, str]:
    words: dict[str, str] = json.loads(NOT_CLAIMS.read_text(encoding="utf-8"))
    return words


def uncovered(tex: str, labels: set[str], not_claims: set[str]) -> list[Unit]:
    """Labelled environments that neither the ledger nor the list has."""
    known = labels | not_claims
    return [unit for unit in units(tex) if unit.kind == "environment" and unit.text not in known]


def unnamed(tex: str, pieces: dict[str, list[str]], ids: set[str]) -> dict[str, str]:
    """Piece -> what is wrong with its line among those pinned; none if all is well."""
    current = {unit.key: unit.pin for unit in units(tex) if unit.kind != "environment"}
    wrong = dict.fromkeys(set(pieces) - set(current), "there is no such piece")
    for key, pin in current.items():
        was, *words = pieces.get(key, [""])
        if was != pin:
            wrong[key] = f"its text has {pin}, pinned is {was or 'nothing'}"
        elif not words or not (set(words) <= ids or (len(words) == 1 and words[0] in WHY_NOT)):
            wrong[key] = f"no claim, and no word why: {words}"
    return wrong


def test_what_is_found_in_a_small_paper() -> None:
    found = [(unit.kind, unit.label) for unit in units(SMALL)]
    assert Counter(found) == {
        ("environment", "sec:one"): 1, ("environment", "lem:a"): 1, ("environment", "alg:a"): 1,
        ("number", "sec:one"): 1, ("display", "sec:one"): 2, ("display", "lem:a"): 3, ("row", "lem:a"): 2,
        ("line", "alg:a"): 3, ("statement", "sec:one"): 1,
    }  # fmt: skip
    assert {kind for kind, _ in found} == set(KINDS)
    assert [unit.text for unit in units(SMALL) if unit.key == "sec:one display 2"] == ["$ r \\le s $"]


@pytest.mark.parametrize("label", ["sec:one", "lem:a", "alg:a"])
def test_a_label_without_an_entry_is_noticed(label: str) -> None:
    labels = {"sec:one", "lem:a", "alg:a"}
    assert uncovered(SMALL, labels, set()) == []
    missing = uncovered(SMALL, labels - {label}, set())
    assert [unit.text for unit in missing] == [label]
    assert uncovered(SMALL, labels - {label}, {label}) == []


NAMED = {key: [words[0], "lem:a/holds"] for key, words in in_step(SMALL, {}).items()}


@pytest.mark.parametrize("key", NAMED)
def test_a_piece_without_an_entry_is_noticed(key: str) -> None:
    assert unnamed(SMALL, NAMED, {"lem:a/holds"}) == {}
    assert unnamed(SMALL, {**NAMED, key: [NAMED[key][0], "notation"]}, {"lem:a/holds"}) == {}
    for words in ([], ["lem:a/gone"], ["because"], ["lem:a/holds", "notation"]):
        assert set(unnamed(SMALL, {**NAMED, key: [NAMED[key][0], *words]}, {"lem:a/holds"})) == {key}
    rest = {name: words for name, words in NAMED.items() if name != key}
    assert set(unnamed(SMALL, rest, {"lem:a/holds"})) == {key}


@pytest.mark.parametrize(
    ("was", "now", "key"),
    [
        (r"x \le y", r"x < y", "sec:one display 1"),
        (r"\STATE second", r"\STATE other", "alg:a line 3"),
        ("0.25", "0.35", "lem:a row 1"),
        ("Between 12", "Between 13", "sec:one number 1"),
        ("No label", "Still no label", "sec:one statement 1"),
    ],
)
def test_a_piece_that_changed_is_noticed(was: str, now: str, key: str) -> None:
    assert key in unnamed(SMALL.replace(was, now), NAMED, {"lem:a/holds"})


def test_a_piece_that_moves_keeps_its_claims() -> None:
    more = SMALL.replace(r"\[ x \le y \]", r"\[ v \le w \] \[ x \le y \]")
    moved = in_step(more, NAMED)
    assert moved["sec:one display 2"] == NAMED["sec:one display 1"]
    assert moved["sec:one display 1"][1:] == []


def test_every_piece_of_the_paper_has_an_entry_or_a_word_why_not() -> None:
    if not PAPER.exists():
        pytest.skip("the paper's source is not beside this repository")
    tex = PAPER.read_text(encoding="utf-8")
    labels = {entry.label for entry in ledger().values()}
    assert [unit.text for unit in uncovered(tex, labels, set(listed()))] == []
    assert unnamed(tex, pinned(), set(ledger())) == {}
    assert set(listed()) <= {unit.text for unit in units(tex) if unit.kind == "environment"}, "of no label any more"


def test_pieces_name_claims_of_the_ledger() -> None:
    names = {word for words in pinned().values() for word in words[1:]}
    assert names - WHY_NOT <= set(ledger())
    assert all(re.fullmatch("[0-9a-f]{8}", words[0]) and words[1:] for words in pinned().values())


def test_what_is_listed_as_no_claim_has_a_reason_and_no_entry() -> None:
    assert all(words.strip() for words in listed().values())
    assert set(listed()).isdisjoint(entry.label for entry in ledger().values()), "stale: the ledger has these"
