"""The mapping of the paper in a real browser, narrow and wide."""

from pathlib import Path
from typing import Any

import pytest
from instances.browsed import NEEDED, requested
from selenium.webdriver.common.by import By

from dpcert.proofs_checked.discovery import ledger

PAGE = Path(__file__).parents[2] / "reports" / "paper_mapping.html"

pytestmark = NEEDED


@pytest.mark.in_turns
@pytest.mark.parametrize("width", [400, 1400])
def test_the_mapping_fits_and_asks_for_nothing(opened: Any, width: int) -> None:
    driver = opened(PAGE.read_text(encoding="utf-8"), width)
    assert driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    rows = driver.find_elements(By.CSS_SELECTOR, "table.mapping tbody tr")
    assert len(rows) == len(ledger())
    verdicts = driver.find_elements(By.CSS_SELECTOR, "table.mapping td .verdict")[:20]
    assert all(badge.is_displayed() and 20 < badge.size["width"] < 200 for badge in verdicts)
    cells = rows[0].find_elements(By.TAG_NAME, "td")
    assert (cells[1].location["y"] == cells[0].location["y"]) is (width == 1400)
    assert min(float(cell.value_of_css_property("font-size").removesuffix("px")) for cell in cells) >= 12
    assert [url for url in requested(driver) if not url.startswith("chrome:")] == []
    assert not driver.get_log("browser")
