"""JUnit XML: a test case a check, with the place of the law; the strict form is that of pytest's schema."""

import xml.etree.ElementTree as ET

import pytest

from dpcert.audit.exchange.checks import Check, CheckedCase, Result
from dpcert.audit.exchange.junit import junit

STRICT = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": ({"name", "time", "classname", "group"}, {"skipped", "errors", "failure", "system-out", "system-err"}),
    "failure": ({"type", "message"}, set()),
    "skipped": ({"type", "message"}, set()),
}
"""Attributes and children by element, as pytest's own schema of JUnit XML allows them: it has no element `error`."""


@pytest.mark.parametrize("strict", [False, True])
def test_counts_are_those_of_the_elements(cases: list[CheckedCase], strict: bool) -> None:
    root = ET.fromstring(junit(cases, strict=strict))
    assert [suite.get("name") for suite in root] == [
        *("flip[lie=1/4]", "flip[lie=1/3]", "leak", "bounded", "not there <&>\N{REPLACEMENT CHARACTER}", "never"),
    ]
    for suite, one in zip(root, cases, strict=True):
        assert len(suite) == int(suite.get("tests", "")) == len(one.checks)
        for kind, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert len(suite.findall(f"testcase/{kind}")) == int(suite.get(count, ""))
        bad = sum(check.result in (Result.FAILED, Result.ERROR, Result.OPEN) for check in one.checks)
        assert int(suite.get("failures", "")) + int(suite.get("errors", "")) == bad
    assert [int(s.get("failures", "")) + int(s.get("errors", "")) for s in root] == [0, 1, 1, 1, 1, 1]


def test_the_strict_form_has_what_the_schema_allows_and_no_more(cases: list[CheckedCase]) -> None:
    for element in ET.fromstring(junit(cases, strict=True)).iter():
        attributes, children = STRICT[element.tag]
        assert set(element.keys()) <= attributes
        assert {child.tag for child in element} <= children


def test_a_case_says_where_its_law_stands(cases: list[CheckedCase]) -> None:
    root = ET.fromstring(junit(cases))
    case = root.find("testsuite[@name='leak']/testcase")
    assert case is not None
    assert (case.get("file"), case.get("line")) == ("primitives/leak.py", "10")
    failure = root.find("testsuite[@name='leak']/testcase/failure")
    assert failure is not None
    assert "An adversary reaches delta 991/10000 at e^eps = 1" in str(failure.text)
    assert root.find("testsuite[@name='leak']/testcase/skipped") is not None  # STABLE_COST was not asked for


def test_what_xml_cannot_hold_is_replaced() -> None:
    text = "".join(map(chr, [*range(0x300), 0xFFFE, 0xFFFF, 0x1F600])) + "\ud800]]>"
    root = ET.fromstring(junit([], [Check("BASELINE", text, Result.FAILED, text, (text,))]))
    assert root.find("testsuite/testcase/failure") is not None
