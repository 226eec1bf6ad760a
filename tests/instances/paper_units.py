"""What the paper says that can be checked: each piece with the label of the statement or section it stands in.

`python tests/instances/paper_units.py --write` brings pieces.json in step with the paper: a piece whose text is the
same keeps its claims, and a new one stands there without any, for somebody to say what it claims.
"""

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from instances.statements import PAPER, digest, statement, without_comments, without_ignored

PIECES = Path(__file__).with_name("pieces.json")

LABEL = re.compile(r"\\label\{([^}]*)\}")
DISPLAY = re.compile(
    r"(?<!\\)\\\[(.*?)\\\]|\$\$(.*?)\$\$|\\begin\{(equation|align)(\*?)\}(.*?)\\end\{\3\4\}", re.DOTALL
)
RELATION = re.compile(r"[=<>]|\\(le|ge|leq|geq|lt|gt|neq|equiv|approx|sim|subseteq|in|to|mapsto|longmapsto|preceq)\b")
STEPS = "State|If|For|While|Return|Require|Ensure|ForAll|ElsIf|Repeat|Until|Input|Output"
LINE = re.compile(rf"\\(?:{STEPS})\b.*?(?=\\(?:{STEPS}|End\w*|end)\b|\Z)", re.DOTALL | re.IGNORECASE)
ROW = re.compile(r"\\begin\{(array|tabularx?)\}(.*?)\\end\{\1\}", re.DOTALL)
INLINE = re.compile(r"\\.|\$\$.*?\$\$|\$([^$]*)\$", re.DOTALL)
UNLABELLED = re.compile(
    r"\\begin\{(theorem|corollary|fact|lemma|proposition|definition|remark|assumption)\}(?P<text>.*?)\\end\{\1\}",
    re.DOTALL,
)
NUMBER = re.compile(r"(?<![\w.^_{-])\d+(?:\.\d+|/\d+)?(?![\w}])")
KINDS = ("environment", "statement", "display", "line", "row", "number")


@dataclass(frozen=True)
class Unit:
    """One piece of the paper.

    Attributes:
        kind: One of KINDS.
        label: The statement or the section it stands in, the innermost that has a label.
        text: It, on one line.
        number: Which of its kind under that label, from 1 on.
    """

    kind: str
    label: str
    text: str
    number: int = 1

    @property
    def key(self) -> str:
        """Label, kind and number."""
        return f"{self.label} {self.kind} {self.number}"

    @property
    def pin(self) -> str:
        """What stays the same as long as its text does."""
        return digest(self.text)[7:15]


def units(tex: str) -> list[Unit]:
    """Every labelled environment, statement without a label, display, line of an algorithm, row, number in prose.

    A display is also what stands between single dollars on lines of its own, if it has a relation.
    """
    live = without_ignored(without_comments(tex))
    body = live[live.index(r"\begin{document}") :]
    lines, spans = _lines(body)
    displays = [(m.start(), m.end()) for m in DISPLAY.finditer(body)] + _lone(body, spans)
    found = [(m.start(), "environment", m[1]) for m in LABEL.finditer(body)]
    found += [(m.start(), "statement", m["text"]) for m in UNLABELLED.finditer(body) if not LABEL.search(m["text"])]
    found += [*lines, *_rows(body), *((start, "display", body[start:end]) for start, end in displays)]
    found += _numbers(body, [*spans, *displays])
    owners = _owners(body)
    counts = Counter[tuple[str, str]]()
    made = []
    for at, kind, text in sorted(found):
        label = _owner(owners, at)
        counts[label, kind] += 1
        made.append(Unit(kind, label, " ".join(text.split()), counts[label, kind]))
    return made


Found = list[tuple[int, str, str]]
"""(position, kind, text) of pieces."""
Spans = list[tuple[int, int]]


def _lines(body: str) -> tuple[Found, Spans]:
    """The lines of all algorithms, and where the algorithms stand."""
    blocks = list(re.finditer(r"\\begin\{algorithmic\}.*?\\end\{algorithmic\}", body, re.DOTALL))
    lines = [(block.start() + m.start(), "line", m[0]) for block in blocks for m in LINE.finditer(block.group())]
    return lines, [(block.start(), block.end()) for block in blocks]


def _lone(body: str, algorithms: Spans) -> Spans:
    """Where something with a relation stands between single dollars that share no line with other words."""
    spans = []
    for match in INLINE.finditer(body):
        before = body[body.rfind("\n", 0, match.start()) + 1 : match.start()]
        after = body[match.end() : body.find("\n", match.end())]
        inside = any(start <= match.start() < end for start, end in algorithms)
        if match[1] and RELATION.search(match[1]) and not before.strip() and not after.strip(" \t.,;") and not inside:
            spans.append((match.start(), match.end()))
    return spans


def _rows(body: str) -> Found:
    rows = []
    for table in ROW.finditer(body):
        at = table.start(2)
        for row in table[2].split(r"\\"):
            rows += [(at, "row", row)] if "&" in row else []
            at += len(row) + 2
    return rows


def _numbers(body: str, elsewhere: Spans) -> Found:
    """Numbers of more than one character outside displays, algorithms and commands, with what stands around them."""
    commands = [(m.start(), m.end()) for m in re.finditer(r"\\\w+\*?(\{[^}]*\}|\[[^]]*\])", body)]
    prose = _blanked(body, [*elsewhere, *commands])
    return [(m.start(), "number", _around(body, m)) for m in NUMBER.finditer(prose) if len(m.group()) > 1]


def _around(body: str, number: re.Match[str]) -> str:
    return f"{number.group()} in {body[max(0, number.start() - 30) : number.end() + 30]}"


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    letters = list(text)
    for start, end in spans:
        letters[start:end] = " " * (end - start)
    return "".join(letters)


def _owners(body: str) -> list[tuple[int, int, str]]:
    """(start, end, label) of each section, statement with its proof, other labelled environment, outer ones first."""
    found = []
    for match in LABEL.finditer(body):
        if match[1].startswith("eq:"):
            continue
        text = statement(body, match[1])
        start = body.index(text)  # it holds its label, so it is there once
        found.append((start, start + len(text), match[1]))
    return sorted(found, key=lambda owner: owner[0] - owner[1])


def _owner(owners: list[tuple[int, int, str]], at: int) -> str:
    inner = [label for start, end, label in owners if start <= at < end]
    return inner[-1] if inner else ""


def pinned() -> dict[str, list[str]]:
    """Key -> the pin of the text, then ids of the claims that decide it, or one word why it is no claim."""
    pieces: dict[str, list[str]] = json.loads(PIECES.read_text(encoding="utf-8"))
    return pieces


def in_step(tex: str, before: dict[str, list[str]]) -> dict[str, list[str]]:
    """The pieces of a paper but for environments, each with what was pinned for its text under that label and kind."""
    known = {(*key.rsplit(" ", 1)[:1], words[0]): words[1:] for key, words in before.items()}
    return {
        unit.key: [unit.pin, *known.get((unit.key.rsplit(" ", 1)[0], unit.pin), [])]
        for unit in units(tex)
        if unit.kind != "environment"
    }


def main(arguments: list[str]) -> int:
    """Prints the pieces that are not as pinned; with --write, pins those of the paper."""
    before = pinned() if PIECES.exists() else {}
    tex = PAPER.read_text(encoding="utf-8")
    current = in_step(tex, before)
    texts = {unit.key: unit.text for unit in units(tex)}
    changed = [key for key, words in current.items() if before.get(key) != words or not words[1:]]
    print("\n".join(f"{key}  {texts[key]}" for key in changed) or "no piece changed")
    if arguments == ["--write"]:
        lines = (f" {json.dumps(key)}: {json.dumps(words)}" for key, words in current.items())
        PIECES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return 0
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
