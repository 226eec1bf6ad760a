"""Annotations: one line a failed check, whatever stands in it."""

from dpcert.audit.exchange.annotations import annotations
from dpcert.audit.exchange.checks import Check, CheckedCase, Result


def test_what_does_not_pass_has_a_line_at_its_law(cases: list[CheckedCase]) -> None:
    lines = list(annotations(cases))
    assert all(line.startswith(("::error ", "::warning ")) for line in lines)
    leak = next(line for line in lines if "title=dpcert%3A leak%2C" in line)
    assert leak.startswith("::error file=primitives/leak.py,line=10,title=dpcert%3A leak%2C no gap between")
    assert "%0AAn adversary reaches delta 991/10000" in leak
    assert sum(line.startswith("::warning ") for line in lines) == 2  # bounded, and never run


def test_nothing_in_a_text_ends_its_line_or_begins_another_command() -> None:
    text = "a\r\n::error::b%0A,c:d\x1b"
    (line,) = annotations([], [Check("BASELINE", text, Result.FAILED, text, (text,))])
    assert "\n" not in line
    assert "\r" not in line
    head = line.removeprefix("::error ").partition("::")[0]
    assert head.count("=") == head.count(",") + 1


def test_what_was_not_asked_for_has_none(cases: list[CheckedCase]) -> None:
    asides = [check.name for one in cases for check in one.checks if check.result is Result.ASIDE]
    assert asides
    assert not [line for line in annotations(cases) if "STABLE_COST" in line]
