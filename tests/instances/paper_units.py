"""What the paper says that can be checked: each piece with the label of the statement or section it stands in."""

import re
from dataclasses import dataclass

from instances.statements import digest, statement, without_comments, without_ignored

LABEL = re.compile(r"\\label\{([^}]*)\}")
DISPLAY = re.compile(
    r"(?<!\\)\\\[(.*?)\\\]|\$\$(.*?)\$\$|\\begin\{(equation|align)(\*?)\}(.*?)\\end\{\3\4\}", re.DOTALL
)
RELATION = re.compile(r"[=<>]|\\(le|ge|leq|geq|lt|gt|neq|equiv|approx|sim|subseteq|in|to|mapsto|longmapsto|preceq)\b")
STEPS = "State|If|For|While|Return|Require|Ensure|ForAll|ElsIf|Repeat|Until|Input|Output"
LINE = re.compile(rf"\\(?:{STEPS})\b.*?(?=\\(?:{STEPS}|End\w*|end)\b|\Z)", re.DOTALL | re.IGNORECASE)
ROW = re.compile(r"\\begin\{(array|tabularx?)\}(.*?)\\end\{\1\}", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.^_{-])\d+(?:\.\d+|/\d+)?(?![\w}])")
KINDS = ("environment", "display", "line", "row", "number")


@dataclass(frozen=True)
class Unit:
    """One piece of the paper.

    Attributes:
        kind: One of KINDS.
        label: The statement or the section it stands in, the innermost that has a label.
        text: It, on one line.
    """

    kind: str
    label: str
    text: str

    @property
    def key(self) -> str:
        """What stays the same as long as its text does."""
        return f"{self.kind}:{self.label}:{digest(self.text)[7:15]}"


def units(tex: str) -> list[Unit]:
    """Every labelled environment, display with a relation, line of an algorithm, row of a table and number in prose."""
    live = without_ignored(without_comments(tex))
    body = live[live.index(r"\begin{document}") :]
    owners = _owners(body)
    spans = [(m.start(), m.end()) for m in DISPLAY.finditer(body)]
    found = [(m.start(), "environment", m[1]) for m in LABEL.finditer(body)]
    found += [(m.start(), "display", m.group()) for m in DISPLAY.finditer(body) if RELATION.search(m.group())]
    for block in re.finditer(r"\\begin\{algorithmic\}.*?\\end\{algorithmic\}", body, re.DOTALL):
        found += [(block.start() + m.start(), "line", m[0]) for m in LINE.finditer(block.group())]
        spans.append((block.start(), block.end()))
    for table in ROW.finditer(body):
        rows = table[2].split(r"\\")
        found += [(table.start(), "row", row) for row in rows if "&" in row]
    prose = _blanked(
        body, [*spans, *((m.start(), m.end()) for m in re.finditer(r"\\\w+\*?(\{[^}]*\}|\[[^]]*\])", body))]
    )
    found += [(m.start(), "number", _around(body, m)) for m in NUMBER.finditer(prose) if len(m.group()) > 1]
    return [Unit(kind, _owner(owners, at), " ".join(text.split())) for at, kind, text in sorted(found)]


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
        start = body.rindex(text[:60], 0, match.end()) if text[:60] in body[: match.end()] else match.start()
        found.append((start, start + len(text), match[1]))
    return sorted(found, key=lambda owner: owner[0] - owner[1])


def _owner(owners: list[tuple[int, int, str]], at: int) -> str:
    inner = [label for start, end, label in owners if start <= at < end]
    return inner[-1] if inner else ""
