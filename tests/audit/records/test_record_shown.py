"""A record in a console, in a notebook and in a browser."""

import re
import webbrowser
from html import unescape
from pathlib import Path

import pytest

from dpcert import ArgumentError, Record, examine
from dpcert.mechanisms.two_round import TwoRound


@pytest.fixture(scope="module")
def record() -> Record:
    return examine(TwoRound())


def test_a_console_shows_one_short_line(record: Record) -> None:
    assert repr(record) == "<Record of two-round: GAP over 2 rounds>"


def test_a_name_cannot_break_the_line(record: Record) -> None:
    assert "\n" not in repr(Record({**record.document, "target": "a\nb" * 100}))


@pytest.mark.in_turns
def test_a_notebook_shows_the_page_in_a_frame_that_runs_nothing(record: Record) -> None:
    html = record._repr_html_()
    found = re.fullmatch(r'<iframe sandbox srcdoc="([^"]*)" width="100%" height="600"></iframe>', html)
    assert found is not None
    assert unescape(found[1]) == record.to_html()


def test_a_browser_is_given_the_page(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    path = record.open()
    assert opened == [path.as_uri()]
    assert Path(path).read_text(encoding="utf-8") == record.to_html()
    path.unlink()


@pytest.mark.parametrize("name", ["exp_epsilons", "epsilons", "deltas"])
@pytest.mark.parametrize("value", [2, "3/2", None])
def test_one_number_in_place_of_several_is_refused_in_one_line(name: str, value: object) -> None:
    with pytest.raises(ArgumentError) as error:
        examine(TwoRound(), **{name: value})  # type: ignore[arg-type]  # what is refused
    assert str(error.value).startswith(
        f"Expected several numbers for {name}, such as [2, Fraction(3, 2)], but got {name}="
    )
    assert "\n" not in str(error.value)
