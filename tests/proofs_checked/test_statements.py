"""Every label of the ledger pins the TeX of its statement; the extractor on a small paper."""

import json
import re

import pytest
from instances.statements import (
    ALSO,
    PAPER,
    PINNED,
    StatementError,
    digest,
    digests,
    statement,
    without_comments,
    without_ignored,
)

from dpcert.proofs_checked.discovery import ledger

SMALL = r"""
\begin{document}
\section{One}
\label{sec:one}
Text with 5\% and a brace \{ in it. % a comment with \label{thm:commented} and a }
\begin{theorem}[Name]
\label{thm:first}
Outside \emph{this} it   holds: % why
\begin{enumerate} \item one \item two \end{enumerate}
\end{theorem}
\begin{proof} Easy. \end{proof}
\ignore{ \begin{theorem} \label{thm:gone} {nested \ignore{deeper}} \} \end{theorem} }
\subsection[Short]{Part of One, with {braces}}
\label{sec:part}
Part.
\begin{align}
a &= b \label{eq:line}
\end{align}
\section*{Two}
\label{sec:two}
\begin{theorem}\label{thm:second}Two.\end{theorem}
\end{document}
"""
LIVE = without_ignored(without_comments(SMALL))


def flat(label: str) -> str:
    return " ".join(statement(LIVE, label).split())


def test_environment_of_a_label() -> None:
    assert flat("thm:first") == (
        r"\begin{theorem}[Name] \label{thm:first} Outside \emph{this} it holds: "
        r"\begin{enumerate} \item one \item two \end{enumerate} \end{theorem} \begin{proof} Easy. \end{proof}"
    )
    assert flat("thm:second") == r"\begin{theorem}\label{thm:second}Two.\end{theorem}"
    assert flat("eq:line") == r"\begin{align} a &= b \label{eq:line} \end{align}"


def test_section_of_a_label() -> None:
    assert statement(LIVE, "sec:one").startswith(r"\section{One}")
    assert statement(LIVE, "sec:one").rstrip().endswith(r"\end{align}")
    assert statement(LIVE, "sec:part").startswith(r"\subsection[Short]")
    assert "Two" not in statement(LIVE, "sec:part")
    assert statement(LIVE, "sec:two").rstrip().endswith(r"\end{document}")


def test_comments_and_ignored_text_are_gone() -> None:
    assert r"5\% and a brace \{" in LIVE
    assert not re.search("comment|gone|nested|deeper|why", LIVE)


@pytest.mark.parametrize("label", ["thm:gone", "thm:commented", "thm:none"])
def test_a_label_that_is_not_live(label: str) -> None:
    with pytest.raises(StatementError, match=f"^Expected one live label={label} in the paper but got 0$"):
        statement(LIVE, label)


def test_a_label_twice_or_outside_everything() -> None:
    with pytest.raises(StatementError, match=r"but got 2$"):
        statement(LIVE + r"\label{thm:first}", "thm:first")
    with pytest.raises(StatementError, match=r"elsewhere$"):
        statement(r"\begin{document} text \label{here} \end{document}", "here")
    with pytest.raises(StatementError, match="closing brace"):
        without_ignored(r"\ignore{ never closed")


LABELS = {"thm:first", "thm:second", "sec:one"}


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("it   holds", "it fails", {"thm:first", "sec:one"}),
        ("it   holds", "it\nholds", set()),
        ("% why", "% for another reason", set()),
        ("deeper", "deepest", set()),
        ("Two.", "Three.", {"thm:second"}),
        ("Easy.", "Hard.", {"sec:one", "thm:first"}),
    ],
)
def test_a_changed_statement_is_noticed(old: str, new: str, changed: set[str]) -> None:
    before, after = digests(SMALL, LABELS), digests(SMALL.replace(old, new), LABELS)
    assert {label for label in LABELS if before[label] != after[label]} == changed


def pinned() -> dict[str, str]:
    found: dict[str, str] = json.loads(PINNED.read_text(encoding="utf-8"))
    return found


def test_every_label_of_the_ledger_is_pinned_and_no_other() -> None:
    assert set(pinned()) == {entry.label for entry in ledger().values()} | ALSO
    assert list(pinned()) == sorted(pinned())
    assert all(re.fullmatch("sha256:[0-9a-f]{64}", value) for value in pinned().values())


def test_pinned_statements_are_those_of_the_paper() -> None:
    if not PAPER.exists():
        pytest.skip("the paper's source is not beside this repository")
    current = digests(PAPER.read_text(encoding="utf-8"), set(pinned()))
    changed = [label for label in pinned() if current[label] != pinned()[label]]
    assert changed == [], "look at these statements and their checks, then run tests/instances/statements.py --write"


def test_statements_of_different_labels_differ() -> None:
    assert len(set(pinned().values())) == len(pinned())
    assert digest(" a  b\n") == digest("a b") != digest("ab")
