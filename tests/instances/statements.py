"""The TeX of labelled statements and its digests, which every entry of the claims ledger pins.

`python tests/instances/statements.py --write` rewrites proofs_checked/statements.json from the paper, for all labels of
the ledger. Look at each change first: a statement that changed may need another check.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import dpcert.proofs_checked
from dpcert.proofs_checked.discovery import ledger

PAPER = Path(__file__).resolve().parents[3] / "shared" / "paper.tex"
PINNED = Path(dpcert.proofs_checked.__file__).resolve().with_name("statements.json")

LEVELS = {"part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4}
HEADING = re.compile(r"\\(" + "|".join(LEVELS) + r")\*?\s*(?=[\[{])")
BORDER = re.compile(r"\\(begin|end)\{([^}]*)\}")
COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")


PROVED = {"theorem", "lemma", "proposition", "corollary", "fact", "remark"}
"""Environments that a proof may follow, which is pinned with them."""
ALSO = {"sec:ind_decomp"}
"""Labels that are pinned though no claim has them: their text says what claims of other labels rest on."""


class StatementError(ValueError):
    """A label that names no statement of the paper, or TeX that does not close what it opens."""


def digests(tex: str, labels: set[str]) -> dict[str, str]:
    """Label -> digest of the normalised TeX of its statement, sorted by label."""
    live = without_ignored(without_comments(tex))
    return {label: digest(statement(live, label)) for label in sorted(labels)}


def digest(text: str) -> str:
    """The SHA-256 of a text whose whitespace does not count."""
    return "sha256:" + hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


def without_comments(tex: str) -> str:
    """The text without what follows a % that is not escaped."""
    return "\n".join(COMMENT.sub(r"\1", line) for line in tex.split("\n"))


def without_ignored(tex: str) -> str:
    r"""The text without its \ignore{...} blocks, which may hold braces and further blocks."""
    kept, position = [], 0
    while (start := tex.find(r"\ignore{", position)) >= 0:
        kept.append(tex[position:start])
        position = _after_group(tex, start + len(r"\ignore"))
    return "".join(kept) + tex[position:]


def _after_group(tex: str, opening: int) -> int:
    """The position after the brace that closes the one at `opening`."""
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(tex, opening):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    raise StatementError(f"Expected a closing brace but got none after position={opening}")


def statement(live: str, label: str) -> str:
    """The environment around a label; for the label of a heading, all up to the next heading of that rank or above."""
    found = [match.start() for match in re.finditer(re.escape(rf"\label{{{label}}}"), live)]
    if len(found) != 1:
        raise StatementError(f"Expected one live label={label} in the paper but got {len(found)}")
    (at,) = found
    headings = [(match.start(), LEVELS[match[1]], _title_end(live, match)) for match in HEADING.finditer(live)]
    owner = next((h for h in reversed(headings) if h[0] < at and not live[h[2] : at].strip()), None)
    if owner is None:
        return _environment(live, at, label)
    later = (start for start, level, _ in headings if start > at and level <= owner[1])
    return live[owner[0] : next(later, len(live))]


def _title_end(live: str, heading: re.Match[str]) -> int:
    """The position after the title, and after a short title in brackets if there is one."""
    opening = live.find("{", heading.end())
    if live[heading.end()] == "[":
        opening = live.find("{", live.find("]", heading.end()))
    return _after_group(live, opening)


def _environment(live: str, at: int, label: str) -> str:
    """From the \\begin of the innermost environment that is open at a position to its \\end."""
    opened: list[re.Match[str]] = []
    for border in BORDER.finditer(live):
        if border.start() > at:
            break
        if border[1] == "begin":
            opened.append(border)
        elif opened and opened[-1][2] == border[2]:
            opened.pop()
    if not opened or opened[-1][2] == "document":
        raise StatementError(f"Expected label={label} in an environment or after a heading but got it elsewhere")
    begin, depth = opened[-1], 0
    for border in BORDER.finditer(live, begin.start()):
        if border[2] == begin[2]:
            depth += 1 if border[1] == "begin" else -1
            if depth == 0:
                return live[begin.start() : _after_proof(live, border.end(), begin[2])]
    raise StatementError(f"Expected \\end{{{begin[2]}}} but got none after label={label}")


def _after_proof(live: str, end: int, name: str) -> int:
    """The end of the proof of a statement: the one that comes before the next statement or heading; else `end`."""
    if name not in PROVED:
        return end
    heading = HEADING.search(live, end)
    for border in BORDER.finditer(live, end, heading.start() if heading else len(live)):
        if border[1] == "begin" and border[2] in PROVED | {"definition"}:
            return end
        if border.group() == r"\begin{proof}":
            closing = live.find(r"\end{proof}", border.end())
            if closing < 0:
                raise StatementError("Expected \\end{proof} but got none")
            return closing + len(r"\end{proof}")
    return end


def main(arguments: list[str]) -> int:
    """Prints the labels whose digests differ from the pinned ones; with --write, pins those of the paper."""
    labels = {entry.label for entry in ledger().values()} | ALSO
    current = digests(PAPER.read_text(encoding="utf-8"), labels)
    pinned = json.loads(PINNED.read_text(encoding="utf-8")) if PINNED.exists() else {}
    changed = sorted(label for label in {*current, *pinned} if current.get(label) != pinned.get(label))
    print("\n".join(changed) or "no statement changed")
    if arguments == ["--write"]:
        PINNED.write_text(json.dumps(current, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
