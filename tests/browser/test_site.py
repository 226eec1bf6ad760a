"""The site of the documentation in a real browser: nothing is wider than the window, nothing is fetched."""

from pathlib import Path

import pytest
from documentation.pages import DOCS, PAGES, built, name
from instances.browsed import NEEDED, requested
from instances.seeds import spread
from selenium import webdriver

WIDTHS = (400, 1400)
WIDER = "return document.documentElement.scrollWidth > window.innerWidth"
SPILLS = """
return [...document.querySelectorAll('article .table-wrapper, article pre, article p, article li, article img')]
    .filter(each => each.matches('.table-wrapper') || !each.closest('.table-wrapper'))
    .filter(each => each.getBoundingClientRect().right > document.documentElement.clientWidth)
    .map(each => each.textContent.slice(0, 60));
"""

pytestmark = [pytest.mark.real("pages"), NEEDED]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory)


@pytest.mark.in_turns(together="site")
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(browser: webdriver.Chrome, site: Path, width: int) -> None:
    """Tables and code scroll in boxes of their own; nothing comes from anywhere but the site's folder."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get("about:blank")
    browser.get_log("performance")
    for page in spread(PAGES, 4):
        browser.get((site / page.relative_to(DOCS)).with_suffix(".html").as_uri())
        assert not browser.execute_script(WIDER), name(page)
        assert browser.execute_script(SPILLS) == [], name(page)
    assert [address for address in requested(browser) if not address.startswith(("file:", "data:"))] == []
