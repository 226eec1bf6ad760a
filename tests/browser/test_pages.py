"""Every kind of page in a real browser: rules for everybody's eyes, nothing clipped, asked for or complained of."""

from pathlib import Path
from typing import Any

import pytest
from instances.browsed import NEEDED, requested
from instances.pages import PAGES, made
from selenium import webdriver

AXE = Path(__file__).parents[2] / ".tools/node_modules/axe-core/axe.min.js"
RUN = (
    "axe.run(document, {resultTypes: ['violations']}).then(arguments[0], e => arguments[0]({violations: [String(e)]}))"
)
WINDOWS = [(400, "light"), (1400, "dark")]

pytestmark = NEEDED


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {}


def page(name: str, pages: dict[str, str], folder: Path) -> str:
    """A page, made once."""
    if name not in pages:
        pages[name] = made(name, folder)
    return pages[name]


def unfolded(driver: webdriver.Chrome) -> None:
    driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true })")


def broken_rules(driver: webdriver.Chrome) -> list[str]:
    """Rule and element of what axe finds."""
    driver.execute_script(AXE.read_text(encoding="utf-8"))
    found = driver.execute_async_script(RUN)["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" if isinstance(one, dict) else one for one in found]


@pytest.mark.in_turns
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_asks_for_nothing_and_breaks_no_rule(
    opened: Any, pages: dict[str, str], tmp_path: Path, name: str
) -> None:
    html = page(name, pages, tmp_path)
    for width, scheme in WINDOWS:
        driver = opened(html, width, scheme)
        assert driver.get_log("browser") == []
        assert requested(driver) == []
        unfolded(driver)
        inner, outer = driver.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert inner <= outer <= width, (width, scheme)
        if AXE.is_file():
            assert broken_rules(driver) == [], (width, scheme)


@pytest.mark.in_turns
@pytest.mark.skipif(not AXE.is_file(), reason="needs `make axe` (npm)")
def test_a_page_that_breaks_rules_is_seen(opened: Any) -> None:
    driver = opened(
        "<!DOCTYPE html><title>x</title><main><h1>a</h1><p style='color:#ccc'>pale</p><img src='data:,'></main>"
    )
    found = {one.partition(":")[0] for one in broken_rules(driver)}
    assert {"color-contrast", "image-alt", "html-has-lang"} <= found
