"""Each labelled environment, display, algorithm line, table row and number of the paper has an entry or is no claim."""

import json
from collections import Counter
from pathlib import Path

import pytest
from instances.paper_units import KINDS, Unit, units
from instances.statements import PAPER

from dpcert.proofs_checked.discovery import ledger

NOT_CLAIMS = Path(__file__).parents[1] / "instances" / "not_claims.json"

SMALL = r"""
\begin{document}
\section{One}
\label{sec:one}
Between 12 and $x_{13}$ we have
\[ x \le y \]
and \\[-1pt] no display.
\begin{lemma}
\label{lem:a}
\begin{align*} a &= b \end{align*} % \[ c = d \]
\[ notation \]
\end{lemma}
\begin{proof}
\[ \begin{array}{c|c} p & 0.25 \\ q & 0.5 \end{array} = 1 \]
\end{proof}
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
    """Pieces under a label that neither the ledger nor the list has."""
    return [
        unit
        for unit in units(tex)
        if (unit.text if unit.kind == "environment" else unit.label) not in labels | not_claims
    ]


def test_what_is_found_in_a_small_paper() -> None:
    found = [(unit.kind, unit.label) for unit in units(SMALL)]
    assert Counter(found) == {
        ("environment", "sec:one"): 1, ("environment", "lem:a"): 1, ("environment", "alg:a"): 1,
        ("number", "sec:one"): 1, ("display", "sec:one"): 1, ("display", "lem:a"): 2, ("row", "lem:a"): 2,
        ("line", "alg:a"): 3,
    }  # fmt: skip
    assert {kind for kind, _ in found} == set(KINDS)


@pytest.mark.parametrize("label", ["sec:one", "lem:a", "alg:a"])
def test_a_label_without_an_entry_is_noticed(label: str) -> None:
    labels = {"sec:one", "lem:a", "alg:a"}
    assert uncovered(SMALL, labels, set()) == []
    missing = uncovered(SMALL, labels - {label}, set())
    assert {unit.label for unit in missing} == {label}
    assert uncovered(SMALL, labels - {label}, {label}) == []


def test_every_piece_of_the_paper_has_an_entry_or_a_word_why_not() -> None:
    if not PAPER.exists():
        pytest.skip("the paper's source is not beside this repository")
    tex = PAPER.read_text(encoding="utf-8")
    labels = {entry.label for entry in ledger().values()}
    assert [f"{unit.key} {unit.text[:80]}" for unit in uncovered(tex, labels, set(listed()))] == []
    assert set(listed()) <= {unit.text for unit in units(tex) if unit.kind == "environment"}, "of no label any more"


def test_what_is_listed_as_no_claim_has_a_reason_and_no_entry() -> None:
    assert all(words.strip() for words in listed().values())
    assert set(listed()).isdisjoint(entry.label for entry in ledger().values()), "stale: the ledger has these"
