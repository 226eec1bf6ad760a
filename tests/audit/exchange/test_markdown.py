"""The summary: failures first, no markup of anybody else's, and never longer than it may be."""

import re

import pytest

from dpcert.audit.exchange.checks import CheckedCase
from dpcert.audit.exchange.markdown import MOST_SUMMARY_BYTES, markdown


def test_failures_stand_first_with_their_adversary_and_place(cases: list[CheckedCase]) -> None:
    text = markdown(cases)
    assert text.startswith("## dpcert: 6 cases, 1 as expected, 2 failed, 1 error, 2 undecided\n")
    assert text.index("### ❌ leak in `primitives/leak.py:10`") < text.index("| | case |")
    assert "An adversary reaches delta 991/10000" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(cases)
    assert {row.count("|") - row.count(r"\|") for row in rows} == {7}


def test_nothing_of_a_name_is_markup(cases: list[CheckedCase]) -> None:
    text = markdown(cases)
    assert not re.search(r"(?<!\\)<", text.replace("<summary>", ""))
    assert "\x1b" not in text


def test_one_case_is_no_cases(cases: list[CheckedCase]) -> None:
    assert markdown(cases[:1]).startswith("## dpcert: 1 case, ")
    assert markdown([]).startswith("## dpcert: 0 cases, none\n")


@pytest.mark.in_turns
def test_it_is_cut_between_cases_and_says_so(cases: list[CheckedCase]) -> None:
    text = markdown(cases * 2_000)
    assert len(text.encode()) <= MOST_SUMMARY_BYTES
    assert re.search(r"\n\d+ more parts are left out, for a summary has no more room.\n$", text)
    assert "left out" not in markdown(cases)
