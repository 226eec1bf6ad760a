"""A browser for all files of tests, and pages opened in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from instances.browsed import CHROMIUM, DRIVER, FLAGS
from selenium import webdriver
from selenium.webdriver.chrome.service import Service


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.set_capability("unhandledPromptBehavior", "ignore")
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    driver.get("about:blank")  # what the browser's first page asks for is no page's of ours
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser: webdriver.Chrome, tmp_path: Path) -> Any:
    """Opens HTML from a file, at a width in pixels and in a colour scheme."""

    def open_(html: str, width: int = 1200, scheme: str = "light") -> webdriver.Chrome:
        for log in ("browser", "performance"):
            browser.get_log(log)
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        browser.get(path.as_uri())
        return browser

    return open_
