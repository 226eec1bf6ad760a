"""The site of the documentation in a real browser: nothing is wider than the window, nothing is fetched."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from documentation.pages import DOCS, PAGES, built, name
from instances.browsed import CHROMIUM, DRIVER, FLAGS, NEEDED, requested
from instances.seeds import by_turns, spread
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

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


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    yield driver
    driver.quit()


@by_turns(4, 1)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(window: webdriver.Chrome, site: Path, width: int) -> None:
    """Tables and code scroll in boxes of their own; nothing comes from anywhere but the site's folder."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    window.get("about:blank")
    window.get_log("performance")
    for page in spread(PAGES, 4):
        window.get((site / page.relative_to(DOCS)).with_suffix(".html").as_uri())
        assert not window.execute_script(WIDER), name(page)
        assert window.execute_script(SPILLS) == [], name(page)
    assert [address for address in requested(window) if not address.startswith(("file:", "data:"))] == []
