"""Chromium, where it is installed, and what a page that it opened asked for."""

import json
from pathlib import Path

import pytest
from selenium import webdriver

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
NEEDED = pytest.mark.skipif(
    not (CHROMIUM.exists() and DRIVER.exists()),
    reason=f"needs {CHROMIUM} and {DRIVER} (Debian packages chromium and chromium-driver)",
)


def requested(browser: webdriver.Chrome) -> list[str]:
    """The addresses asked for since the page was opened, the page's own aside."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return [url for url in sent if not url.endswith("/page.html") and not url.startswith("data:")]
