"""JUnit XML: a test suite a case, a test case a check.

Two forms: the one that continuous integration reads (`file` and `line`), and the strict one of pytest's schema.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from dpcert.audit.exchange.checks import Check, CheckedCase, Result

_KINDS = {Result.FAILED: "failure", Result.ERROR: "error", Result.OPEN: "error", Result.ASIDE: "skipped"}


def junit(cases: Sequence[CheckedCase], absent: Sequence[Check] = (), *, strict: bool = False) -> str:
    """All checks as JUnit XML; of what is open or was not to be asked, errors.

    Args:
        cases: All cases with their checks.
        absent: Checks of no case that is there: lines of a baseline that are not found any more.
        strict: As pytest's schema has it: without `file` and `line`, and with failures in place of errors.
    """
    root = ET.Element("testsuites")
    for one in cases:
        _suite(root, one.outcome.case.name, one.checks, one, strict)
    if absent:
        _suite(root, "baseline", absent, None, strict)
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, name: str, checks: Sequence[Check], of: CheckedCase | None, strict: bool) -> None:
    """One test suite."""
    suite = ET.SubElement(root, "testsuite", name=_clean(name), tests=str(len(checks)))
    kinds = [_kind(check, strict) for check in checks]
    suite.set("failures", str(kinds.count("failure")))
    suite.set("errors", str(kinds.count("error")))
    suite.set("skipped", str(kinds.count("skipped")))
    milliseconds = 0 if of is None else of.outcome.milliseconds
    suite.set("time", _seconds(milliseconds))
    for number, check in enumerate(checks):
        case = ET.SubElement(suite, "testcase", classname=_clean(name), name=_clean(check.name))
        case.set("time", _seconds(0 if number else milliseconds))
        if of is not None and of.place is not None and not strict:
            case.set("file", _clean(of.place.file))
            case.set("line", str(of.place.line))
        _result(case, check, strict)


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds // 1_000}.{milliseconds % 1_000:03}"


def _kind(check: Check, strict: bool) -> str | None:
    """The element that says what a check came to; none where it passed."""
    kind = _KINDS.get(check.result)
    return "failure" if strict and kind == "error" else kind


def _result(case: ET.Element, check: Check, strict: bool) -> None:
    """What a test case came to, inside it."""
    kind = _kind(check, strict)
    if kind is None:
        return
    message = f"not asked for: {check.detail}" if check.result is Result.ASIDE else check.detail
    made = ET.SubElement(case, kind, message=_clean(message), type=check.result.value)
    made.text = _clean("\n".join([check.detail, *check.witness]))


def _clean(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return "".join(c if _is_allowed(ord(c)) else "\N{REPLACEMENT CHARACTER}" for c in text)


def _is_allowed(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
