"""Every kind of page as it reads, against what it read before: a change of words or numbers shows in the review.

`DPCERT_SNAPSHOTS=write` writes the texts anew. What changes between runs and machines is left out: provenance, code,
digests of files, and the strokes of figures.
"""

import os
import re
from pathlib import Path

import pytest
from instances.pages import PAGES, made
from instances.rendered import Elements

SNAPSHOTS = Path(__file__).parent / "snapshots"
CHANGING = ("code", "reproduce", "provenance")
"""Sections that are of one run and one machine."""


def readable(html: str) -> str:
    """The words of a page, a line for each piece of text; of figures, what is said to those who do not see them."""
    for section in CHANGING:
        html = re.sub(rf'<section id="{section}">.*?</section>', "", html, flags=re.DOTALL)
    html = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    html = re.sub(r"<svg.*?</svg>", lambda found: said(found[0]), html, flags=re.DOTALL)
    lines = (line.strip() for part in Elements(html).text for line in part.splitlines())
    text = "\n".join(filter(None, lines))
    text = re.sub(r"sha256:[0-9a-f]{64}", "sha256:...", text)
    text = re.sub(r"\d{4}-\d\d-\d\d · dpcert \S+ · Python \S+", "DAY · dpcert VERSION · Python VERSION", text)
    return re.sub(r"^\d+\.\d$", "SECONDS", text, flags=re.MULTILINE) + "\n"


def said(svg: str) -> str:
    """Title and description of a figure, and the names of its curves."""
    words = re.findall(r"<(?:title|desc) id=[^>]*>([^<]*)<", svg)
    names = re.findall(r"<text[^>]*>([^<]*[A-Za-z]{4}[^<]*)</text>", svg)
    return f"<p>[figure] {' | '.join([*words, *names])}</p>"


@pytest.mark.in_turns
@pytest.mark.parametrize("name", PAGES)
def test_a_page_reads_as_before(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = readable(made(name, tmp_path))
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("DPCERT_SNAPSHOTS") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_a_changed_number_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    html = made("two-round", tmp_path)
    assert readable(html) != readable(html.replace("991/10000", "990/10000"))
    assert readable(html) != readable(html.replace("REFUTED", "HOLDS"))
    assert readable(html) == readable(re.sub(r"\d{4}-\d\d-\d\d", "2001-01-01", html))
