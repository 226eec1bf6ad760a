"""Annotations on GitHub: a workflow command a check that does not pass."""

from collections.abc import Iterator, Sequence

from dpcert.audit.errors import one_line
from dpcert.audit.exchange.checks import Check, CheckedCase, Result

LEVELS = {Result.FAILED: "error", Result.ERROR: "error", Result.OPEN: "warning"}


def annotations(cases: Sequence[CheckedCase], absent: Sequence[Check] = ()) -> Iterator[str]:
    """Lines such as `::error file=...,line=...,title=...::...`, which the runner reads on standard output."""
    for one in cases:
        for check in one.checks:
            yield from _line(check, one.outcome.case.name, one)
    for check in absent:
        yield from _line(check, "baseline", None)


def _line(check: Check, name: str, of: CheckedCase | None) -> Iterator[str]:
    level = LEVELS.get(check.result)
    if level is None:
        return
    place = None if of is None else of.place
    where = {"file": place.file, "line": str(place.line)} if place is not None and place.below else {}
    known = where | {"title": f"dpcert: {name}, {check.name}"}
    properties = ",".join(f"{key}={_property(value)}" for key, value in known.items())
    yield f"::{level} {properties}::{_data(chr(10).join([one_line(check.detail, 1_000), *check.witness]))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
