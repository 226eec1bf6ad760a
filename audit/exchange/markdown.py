"""Outcomes in Markdown, for the summary of a job: what failed first, then a row a case; never cut inside a case."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.rational import parse
from dpcert.audit.errors import one_line
from dpcert.audit.exchange.checks import Check, CheckedCase, Result
from dpcert.audit.records.command_case import is_command_case
from dpcert.audit.render.headline import badge
from dpcert.audit.render.markdown import escaped, link, opening
from dpcert.audit.suites.case import cases_in_words

MOST_SUMMARY_BYTES = 1_000_000
"""Bytes of a summary: GitHub takes 1 MiB, and refuses all of what is longer."""
_ROOM = 200
"""Bytes of it kept for the word about what is left out."""
_MARKS = {Result.PASSED: "✅", Result.FAILED: "❌", Result.ERROR: "❌", Result.OPEN: "❔"}
_WORDS = {Result.PASSED: "as expected", Result.FAILED: "failed", Result.ERROR: "error", Result.OPEN: "undecided"}


def markdown(cases: Sequence[CheckedCase], absent: Sequence[Check] = ()) -> str:
    """The summary, of at most MOST_SUMMARY_BYTES bytes; what is left out is said."""
    parts = [_opening(cases, absent)]
    parts += [_told("baseline", check) for check in absent]
    parts += [_failed(one) for one in cases if one.worst is not Result.PASSED]
    parts.append("\n| | case | badge | certified | epsilon at delta | seconds |\n|---|---|---|---|---|---|\n")
    parts += [_row(one) for one in cases]
    return _kept(parts)


def index(
    title: str,
    cases: Sequence[CheckedCase],
    absent: Sequence[Check],
    pages: Sequence[str],
    pages_in: str,
    own: Mapping[str, Any],
) -> str:
    """The summary as a page of its own, with what its author says, and a link to the page of each case.

    Args:
        title: The page's.
        cases: All cases.
        absent: Lines of a baseline whose case is gone.
        pages: The names of the cases' pages.
        pages_in: Their folder, from where the index stands; nothing where they are not written.
        own: What its author says.
    """
    head = [*opening(escaped(title), own), ""]
    links = [
        f"- [{_text(one.outcome.case.name)}](<{link(f'{pages_in}/{name}')}>)\n"
        for one, name in zip(cases, pages, strict=True)
        if pages_in and one.outcome.document is not None
    ]
    return "\n".join(head) + "\n" + markdown(cases, absent) + ("\n## Pages\n\n" + "".join(links) if links else "")


def _kept(parts: Sequence[str]) -> str:
    """As many whole parts as there is room for, and a word about the others."""
    pieces: list[str] = []
    size = 0
    for number, part in enumerate(parts):
        size += len(part.encode())
        if size > MOST_SUMMARY_BYTES - _ROOM:
            return "".join(
                [*pieces, f"\n{len(parts) - number} more parts are left out, for a summary has no more room.\n"]
            )
        pieces.append(part)
    return "".join(pieces)


def _opening(cases: Sequence[CheckedCase], absent: Sequence[Check]) -> str:
    counts = {result: sum(one.worst is result for one in cases) for result in _WORDS}
    said = ", ".join(f"{count} {_WORDS[result]}" for result, count in counts.items() if count)
    rest = f"; {len(absent)} lines of the baseline are not found any more" if absent else ""
    return f"## dpcert: {cases_in_words(len(cases))}, {said or 'none'}{rest}\n\n"


def _failed(one: CheckedCase) -> str:
    place = f" in `{_code(one.place.file)}:{one.place.line}`" if one.place is not None else ""
    lines = [f"### {_MARKS[one.worst]} {_text(one.outcome.case.name)}{place}\n\n"]
    lines += [_told("", check) for check in one.checks if check.bad]
    return "".join(lines)


def _told(where: str, check: Check) -> str:
    title = f"{where}, {check.name}" if where else check.name
    shown = [f"- **{_text(title)}**: {_text(one_line(check.detail, 1_000))}\n"]
    if check.witness:
        shown.append("\n  ```text\n" + "".join(f"  {_fenced(line)}\n" for line in check.witness) + "  ```\n")
    return "".join(shown) + "\n"


def _row(one: CheckedCase) -> str:
    outcome = one.outcome
    cells = [_MARKS[one.worst], _text(outcome.case.name), *map(_text, facts(one)), outcome.seconds]
    return f"| {' | '.join(cells)} |\n"


def facts(one: CheckedCase) -> Iterator[str]:
    """Badge, how it is certified, and epsilon."""
    document = one.outcome.document
    if document is None:
        yield from (one.outcome.result, "", "")
        return
    of_command = is_command_case(document)
    yield document["verdict"] if of_command else badge(document)
    yield next((entry["rung"] for entry in document["checklist"] if entry["rung"]), "no")
    yield document["epsilon"] if of_command else epsilon(document)


def epsilon(document: Mapping[str, Any]) -> str:
    """epsilon at the delta of the record's headline, rounded up; `none` where there is none, a bound where only that
    is known."""
    known = document["headline"]["privacy"]
    low, high = known["epsilon"]["lower"], known["epsilon"]["upper"]
    at = up(parse(known["delta"], "delta"))
    if high != "infinite":
        return f"{up(parse(high, 'epsilon'))} at {at}"
    return f"none at {at}" if low == "infinite" else f"at least {down(parse(low, 'epsilon'))} at {at}"


def _text(text: str) -> str:
    """Plain words in Markdown, of at most 2,000 characters."""
    return escaped(one_line(text, 2_000))


def _code(text: str) -> str:
    return text.replace("`", "'").replace("|", "/")


def _fenced(text: str) -> str:
    return text.replace("```", "'''")
