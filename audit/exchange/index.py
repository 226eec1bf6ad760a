"""The index page of a suite, and where the page of each case goes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from dpcert.audit.errors import one_line
from dpcert.audit.exchange.checks import Check, CheckedCase, Result
from dpcert.audit.exchange.markdown import facts
from dpcert.audit.outside.repository import RepositoryDocument
from dpcert.audit.records.digest import provenance
from dpcert.audit.render.page import page, page_of_cases
from dpcert.audit.suites.case import cases_in_words

MOST_NAME = 60
"""Characters of a case's name in the name of its page."""
_COUNTED = {
    Result.PASSED: "as expected",
    Result.FAILED: "failed",
    Result.ERROR: "with an error",
    Result.OPEN: "undecided",
}


def counted(cases: Sequence[CheckedCase], absent: Sequence[Check] = ()) -> str:
    """How many cases came to what, in words."""
    counts = {result: sum(one.worst is result for one in cases) for result in _COUNTED}
    said = ", ".join(f"{count} {_COUNTED[result]}" for result, count in counts.items() if count) or "none"
    rest = f"; {len(absent)} findings of the baseline are gone" if absent else ""
    return f"{cases_in_words(len(cases))}: {said}{rest}"


def folder(index: str) -> str:
    """The name of the folder of pages beside an index page."""
    return f"{PurePath(index).stem}.cases"


def pages(
    cases: Sequence[CheckedCase], make: Callable[[Mapping[str, Any]], str] = page, form: str = "html"
) -> Iterator[tuple[str, str]]:
    """Name and text of the page of every case that has a record."""
    for one, name in zip(cases, names(cases, form), strict=True):
        if one.outcome.document is not None:
            yield name, make(one.outcome.document)


def names(cases: Sequence[CheckedCase], form: str = "html") -> Iterator[str]:
    """The name of the page of every case."""
    yield from (_name(number, one, form) for number, one in enumerate(cases, 1))


def index(
    title: str,
    cases: Sequence[CheckedCase],
    absent: Sequence[Check],
    pages_in: str,
    milliseconds: int,
    own: Mapping[str, Any] | None = None,
    git: RepositoryDocument | None = None,
) -> str:
    """The index page.

    Args:
        title: The page's.
        cases: All cases.
        absent: Lines of a baseline whose case is gone.
        pages_in: The folder of the other pages, from where the index stands.
        milliseconds: How long all of them took.
        own: What its author says.
        git: The commit at which they ran.
    """
    rows = [_row(number, one, pages_in) for number, one in enumerate(cases, 1)]
    failures = [
        {"name": row["name"], "page": row["page"], "lines": _lines(one.checks)}
        for row, one in zip(rows, cases, strict=True)
        if one.worst is not Result.PASSED
    ]
    failures += [{"name": "baseline", "page": None, "lines": _lines([check])} for check in absent]
    made: dict[str, Any] = {**provenance(milliseconds / 1_000)} | ({} if git is None else {"git": git})
    return page_of_cases(title, f"{counted(cases, absent)}.", rows, failures, made, own or {})


def _lines(checks: Sequence[Check]) -> list[str]:
    return [f"{check.name}: {one_line(check.detail, 1_000)}" for check in checks if check.bad]


def _row(number: int, one: CheckedCase, pages_in: str) -> dict[str, Any]:
    outcome = one.outcome
    badge, rung, epsilon = facts(one)
    return {
        "name": outcome.case.name,
        "page": None if outcome.document is None or not pages_in else f"{pages_in}/{_name(number, one)}",
        "result": one.worst.value.upper(),
        "badge": badge if outcome.document is not None else "",
        "certified": rung,
        "epsilon": epsilon,
        "seconds": outcome.seconds,
    }


def _name(number: int, one: CheckedCase, form: str = "html") -> str:
    name = re.sub(r"[^A-Za-z0-9]+", "-", one.outcome.case.name).strip("-")[:MOST_NAME]
    return f"{number:03}-{name}.{form}"
