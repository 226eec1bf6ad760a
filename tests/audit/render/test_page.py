"""The page: no foreign markup, nothing from outside, and the same on every run."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from typing import Any

import matplotlib
import pytest
from instances.rendered import IMAGE, SCRIPT, Elements, Hostile, document

from dpcert.audit.render.page import page
from dpcert.audit.render.text import summary


def test_no_foreign_name_becomes_markup() -> None:
    made = document(Hostile(), target=SCRIPT)
    made["sections"] = [{"title": SCRIPT, "text": IMAGE, "columns": [SCRIPT], "rows": [[IMAGE]]}]
    made["lifts"]["curve"]["detail"] = SCRIPT
    made["provenance"] |= {"command": [SCRIPT], "versions": {IMAGE: SCRIPT}}
    html = page(made)
    elements = Elements(html)
    assert elements.count("script") == elements.count("img") == 0
    assert not [name for _, attributes in elements.tags for name in attributes if name.startswith("on")]
    shown = "".join(elements.text)
    assert f"{SCRIPT}: NO GAP" in shown
    assert shown.count("onerror=alert(1)") >= 6


def test_the_page_forbids_scripts_and_refers_to_nothing_outside(two_round: dict[str, Any]) -> None:
    html = page(two_round)
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', html)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert html.index("Content-Security-Policy") < html.index("<style>")
    assert "://" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", html)
    assert not re.search(r"@import|url\((?!#)|javascript:", html)
    for _, attributes in Elements(html).tags:
        assert all(attributes.get(name, "#").startswith(("#", "data:")) for name in ("href", "src"))


def test_ids_are_unique_and_every_reference_is_met(two_round: dict[str, Any]) -> None:
    html = page(two_round)
    ids = Counter(attributes["id"] for _, attributes in Elements(html).tags if "id" in attributes)
    assert set(ids.values()) == {1}
    used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', html))
    assert used
    assert {a or b for a, b in used} <= set(ids)


def test_both_figures_are_named_for_screen_readers(two_round: dict[str, Any]) -> None:
    html = page(two_round)
    figures = re.findall(r"<svg [^>]*>.*?</svg>", html, re.DOTALL)
    assert len(figures) == 4
    for figure, name in zip(figures, ("profile", "power", "rare", "refuted-1"), strict=True):
        assert 'role="img"' in figure
        assert f'aria-labelledby="{name}-title {name}-desc"' in figure
        assert f'<title id="{name}-title">' in figure
        assert f'<desc id="{name}-desc">' in figure
        assert "stroke-dasharray" in figure
    assert "var(--round-1, #00745a)" in figures[3]
    assert "var(--round-2, #b5467f)" in figures[3]
    for figure in figures[:3]:
        assert "var(--adaptive, #0072b2)" in figure
        assert "var(--fixed, #d55e00)" in figure
        assert "fixed stream</text>" in figure


def test_every_run_gives_the_same_page(two_round: dict[str, Any]) -> None:
    first = page(two_round)
    with matplotlib.rc_context({"font.size": 30, "axes.labelsize": 30, "lines.solid_capstyle": "butt"}):
        assert page(two_round) == first
    assert summary(two_round) == summary(two_round)


@pytest.mark.real("hash seed")
@pytest.mark.in_turns
def test_the_page_does_not_depend_on_the_hash_seed(repeated: dict[str, Any]) -> None:
    code = (
        "import hashlib, json, sys; from dpcert.audit.render.page import page; "
        "print(hashlib.sha256(page(json.load(sys.stdin)).encode()).hexdigest())"
    )
    text = json.dumps(repeated)
    digests = {
        subprocess.run(
            [sys.executable, "-c", code], input=text, env=os.environ | {"PYTHONHASHSEED": seed}, text=True, check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(digests) == 1


def test_plain_text_has_no_escape_codes_and_no_drawn_lines(two_round: dict[str, Any]) -> None:
    text = summary(two_round | {"target": "a\x1b[31mb\u202ec\n\nd", "parameters": {"p\x07": "\x1b]0;x\x07"}})
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "a\\x1b[31mb\\u202ec  d" in text
    assert not re.search("[\u2500-\u259f]", text)
