"""Words explained once, where they first stand; foreign text stays text."""

import re
from typing import Any

from instances.rendered import SCRIPT

from dpcert.audit.render.explained import MARKED, Explainer
from dpcert.audit.render.glossary import GLOSSARY
from dpcert.audit.render.page import page


def test_a_word_is_explained_once() -> None:
    explain = Explainer()
    first = explain("Two hulls, one hull, and a challenge.")
    assert first.count("<dfn") == 2
    assert f'<dfn title="{GLOSSARY["hull"].split("&")[0][:20]}' in first
    assert "<dfn" not in explain("another hull, another Challenge")


def test_markup_and_other_words_stay(two_round: dict[str, Any]) -> None:
    assert Explainer()(f"{SCRIPT} a rungs hullabaloo e^ε") == (
        f"&lt;script&gt;alert(1)&lt;/script&gt; a {Explainer()('rungs')} hullabaloo e<sup>ε</sup>"
    )
    html = page(two_round)
    defined = re.findall(r"<dfn title=[^>]*>([^<]*)</dfn>", html)
    assert len(defined) == len({word.lower().rstrip("s") for word in defined})
    assert {"rung", "position", "power function"} <= {word.lower().rstrip("s") for word in defined}
    visible = re.sub(r"<(style|svg|title|code)\b.*?</\1>", "", html, flags=re.DOTALL)
    for word in MARKED:
        first = re.search(rf">[^<]*\b{word}s?\b", visible, re.IGNORECASE)
        if first is not None and word not in {"position", "challenge"}:
            assert "<dfn" in visible[: first.end()]


def test_the_page_lists_every_word(two_round: dict[str, Any]) -> None:
    html = page(two_round)
    glossary = html[html.index('id="glossary"') :]
    assert all(f"<dt>{word}</dt>" in glossary for word in GLOSSARY)
