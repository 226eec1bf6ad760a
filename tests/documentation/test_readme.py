"""What the README shows is run, and it is short; everything longer stands in docs/."""

from pathlib import Path

import pytest
from documentation.pages import PAGES, ROOT, blocks, run_page
from documentation.test_pages import check_inline_commands

README = ROOT / "README.md"


@pytest.mark.real("pages")
def test_the_readme_does_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "400")
    assert run_page(README, capfd) == len(blocks(README))
    assert (tmp_path / "mine.html").is_file()
    check_inline_commands(README)


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_a_primitive_of_ones_own_is_short() -> None:
    source = next(block.text for block in blocks(README) if "class Mine" in block.text)
    assert len(source.strip().splitlines()) <= 20


def test_the_readme_links_to_every_kind_of_page() -> None:
    text = README.read_text(encoding="utf-8")
    listed = [page for page in PAGES if page.parent.name in {"how-to", "explanation", "reference"}]
    own = {"build-these-pages.md"}
    missing = [page.name for page in listed if f"({page.relative_to(ROOT)})" not in text and page.name not in own]
    assert missing == []
