"""The page in a real browser: what a reader sees, and what must never happen."""

from base64 import b64decode
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from instances.browsed import NEEDED, requested
from instances.rendered import IMAGE, SCRIPT, Hostile
from instances.seeds import spread
from instances.suites import repository
from pypdf import PdfReader
from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.by import By

from dpcert.audit.commands.cli import run
from dpcert.audit.examine import examine
from dpcert.audit.records.beside import said, with_page
from dpcert.audit.render.page import page
from dpcert.audit.verdicts.requirements import Requirements, claim
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

CONTROL = "<!DOCTYPE html><title>as sent</title><p>{}</p>"

pytestmark = NEEDED


@pytest.fixture(scope="module")
def two_round() -> str:
    return page(examine(TwoRound(), deltas=[Fraction(1, 20)]).document)


def test_the_verdict_is_what_a_reader_sees_first(opened: Any, two_round: str) -> None:
    driver = opened(two_round)
    first = driver.find_element(By.CSS_SELECTOR, "h1, h2, h3, p")
    assert first.tag_name == "h1"
    assert first.text.replace("\n", " ") == "GAP two-round"
    said = [driver.find_element(By.ID, name).text for name in ("anybody", "odds", "headline")]
    assert said[0].endswith("learns more than an analysis with fixed inputs says.")
    assert said[1].startswith("In 2 rounds an observer who reacts guesses one changed input right about 54.96 times")
    assert said[2] == (
        "Adaptive adversaries beat every fixed stream: at eε = 1 they reach δ = 991/10000 (0.0991), "
        "fixed streams 9/100 (0.09)."
    )
    assert first.location["y"] < 100
    badge = first.find_element(By.CLASS_NAME, "verdict")
    assert badge.value_of_css_property("background-color") == "rgba(168, 32, 26, 1)"


def test_the_page_is_in_the_order_of_a_reader(opened: Any, two_round: str) -> None:
    sections = opened(two_round).find_elements(By.CSS_SELECTOR, "main > section")
    order = ["facts", "checklist", "curves", "risk", "numbers", "evidence", "code"]
    order += ["reproduce", "context", "provenance"]
    assert [section.get_attribute("id") for section in sections] == [*order, "glossary", "sign"]


def test_all_figures_are_drawn(opened: Any, two_round: str) -> None:
    driver = opened(two_round)
    figures = driver.find_elements(By.CSS_SELECTOR, "#curves figure svg")
    assert len(figures) == 3
    for figure in figures:
        assert figure.is_displayed()
        assert figure.size["width"] > 300
        assert figure.size["height"] > 200
    for name, colour in (("--adaptive", "rgb(0, 114, 178)"), ("--fixed", "rgb(213, 94, 0)")):
        drawn = driver.execute_script(
            "return [...document.querySelectorAll('figure svg path')].filter(p => getComputedStyle(p).stroke ==="
            " arguments[1] && p.outerHTML.includes(arguments[0]) && p.getBoundingClientRect().width > 100).length",
            name,
            colour,
        )
        assert drawn == 3


def test_the_curves_change_colour_in_the_dark(opened: Any, two_round: str) -> None:
    driver = opened(two_round, scheme="dark")
    paper = driver.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")
    assert paper == "rgba(20, 24, 29, 1)"
    strokes = driver.execute_script(
        "return [...document.querySelectorAll('figure svg path')].map(p => getComputedStyle(p).stroke)"
    )
    assert "rgb(86, 180, 233)" in strokes
    assert "rgb(0, 114, 178)" not in strokes


def test_data_and_adversaries_fold_without_a_script(opened: Any, two_round: str) -> None:
    driver = opened(two_round)
    folded = driver.find_elements(By.CSS_SELECTOR, "details.data")
    assert len(folded) == 2
    for details in folded:
        table = details.find_element(By.TAG_NAME, "table")
        assert not table.is_displayed()
        details.find_element(By.TAG_NAME, "summary").click()
        assert table.is_displayed()
    assert "247/2000" in folded[1].text
    adversaries = driver.find_elements(By.CSS_SELECTOR, "details.adversary")
    assert [bool(a.get_attribute("open")) for a in adversaries] == [True, False, False, False]
    assert "Round 1: submit 0 in world 0 and 1 in world 1" in adversaries[0].text


def test_the_evidence_of_a_refuted_condition_unfolds(opened: Any, two_round: str) -> None:
    driver = opened(two_round, width=400)
    stable, dominated = driver.find_elements(By.CSS_SELECTOR, "#evidence > details.evidence:not(#adversaries)")
    assert (stable.get_attribute("open"), dominated.get_attribute("open")) == ("true", None)
    assert "stable cost, SCALAR, VECTOR, CONTEXT_STABLE and FUTURE_STABLE" in stable.text
    figure = stable.find_element(By.TAG_NAME, "svg")
    assert figure.is_displayed()
    assert figure.size["width"] > 200
    assert figure.rect["x"] + figure.size["width"] <= 400
    strokes = driver.execute_script(
        "return [...arguments[0].querySelectorAll('path')].map(p => getComputedStyle(p).stroke)", figure
    )
    assert {"rgb(0, 116, 90)", "rgb(181, 70, 127)"} <= set(strokes)
    bold = stable.find_elements(By.CSS_SELECTOR, "td strong")
    assert [cell.text for cell in bold] == ["0", "1", "0", "1"]
    exact = stable.find_element(By.CSS_SELECTOR, "details.vertices")
    assert "18/25" not in exact.text
    exact.find_element(By.TAG_NAME, "summary").click()
    assert "0.72 18/25 0.81 81/100" in exact.text


def test_hostile_names_run_nothing(opened: Any) -> None:
    driver = opened(page(examine(Hostile(), target=SCRIPT).document))
    with pytest.raises(NoAlertPresentException):
        _ = driver.switch_to.alert.text
    assert driver.title == f"{SCRIPT}: NO GAP, dpcert audit"
    assert SCRIPT in driver.find_element(By.ID, "facts").text
    adversaries = driver.find_element(By.ID, "adversaries")
    adversaries.find_element(By.TAG_NAME, "summary").click()
    assert IMAGE in adversaries.text
    assert not driver.find_elements(By.CSS_SELECTOR, "script, img, [onerror]")
    assert driver.get_log("browser") == []
    assert requested(driver) == []


def test_hostile_names_would_be_noticed(opened: Any) -> None:
    driver = opened(CONTROL.format(SCRIPT))
    assert driver.switch_to.alert.text == "1"
    driver.switch_to.alert.accept()
    driver = opened(CONTROL.format("<img src=nowhere.png>"))
    assert [url for url in requested(driver) if url.endswith("/nowhere.png")]
    assert driver.get_log("browser") != []


def test_a_script_that_slipped_in_would_be_stopped_by_the_policy(opened: Any, two_round: str) -> None:
    driver = opened(two_round.replace("</main>", "<script>document.title = 'run'</script><img src=a.png></main>"))
    assert driver.title == "two-round: GAP, dpcert audit"
    assert any("Content Security Policy" in entry["message"] for entry in driver.get_log("browser"))


def test_the_page_asks_for_nothing(opened: Any, two_round: str) -> None:
    driver = opened(two_round)
    assert driver.get_log("browser") == []
    assert requested(driver) == []
    names = driver.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [name for name in names if not name.startswith("data:")] == []


@pytest.mark.parametrize("width", [375, 768, 1200])
def test_only_tables_scroll_sideways(opened: Any, width: int) -> None:
    document = dict(examine(TwoRoundRepeated(), horizon=8).document)
    document["parameters"] = {"a" * 120: "b" * 300}
    driver = opened(page(document), width=width)
    driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true })")
    inner, outer = driver.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert inner <= outer <= width
    wide = driver.execute_script(
        "return [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
    )
    assert wide > 0


def commanded(folder: Path, *arguments: str) -> str:
    """The page that a command writes."""
    assert run([*arguments, "--html", str(folder / "made.html")]) == 0
    return (folder / "made.html").read_text(encoding="utf-8")


def drawn(driver: webdriver.Chrome) -> dict[str, str]:
    """Title -> description of every picture of a section, each of which is on show, large enough, and has curves."""
    pictures = driver.find_elements(By.CSS_SELECTOR, "svg[aria-labelledby^=section-]")
    for picture in pictures:
        assert picture.is_displayed()
        assert picture.size["width"] > 300
        assert picture.size["height"] > 200
        wide = "return [...arguments[0].querySelectorAll('path')].map(p => p.getBoundingClientRect().width)"
        assert sum(width > 100 for width in driver.execute_script(wide, picture)) >= 1
    words = "return [...arguments[0].querySelectorAll(':scope > title, :scope > desc')].map(e => e.textContent)"
    return dict(driver.execute_script(words, picture) for picture in pictures)


def test_a_plan_shows_both_figures_and_a_table_that_fits(opened: Any, tmp_path: Path) -> None:
    promise = ("--epsilon", "4", "--delta", "1/1000", "--horizon", "2000", "--live", "2000")
    driver = opened(commanded(tmp_path, "plan", "randbin", *promise))
    assert driver.find_element(By.TAG_NAME, "h1").text == "RandBin, planned"
    assert driver.find_element(By.CSS_SELECTOR, "header p").text.startswith("At the same ε and δ at most ")
    names = "the paper's, closed-form error, the paper's, error by convolution, sharp, Gaussian"
    assert drawn(driver) == {
        "most events waiting against events": f"Curves: {names}.",
        "proven δ against e^ε": f"Curves: {names}.",
    }
    over = "return [...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth)"
    assert driver.execute_script(over) == [0, 0]
    assert driver.get_log("browser") == []
    assert requested(driver) == []


def test_an_audit_of_randbin_shows_its_waiting(opened: Any, tmp_path: Path) -> None:
    promise = ("--param", "epsilon=1", "--param", "delta=1e-6")
    driver = opened(commanded(tmp_path, "audit", "randbin", "--game", "npp", "--adjacency", "edit", *promise))
    assert drawn(driver) == {"most events waiting against events": "Curves: bound."}
    for title in ("Parts", "Error", "Certificate", "Proven profile"):
        assert driver.find_element(By.XPATH, f"//*[self::h2 or self::h3][text()='{title}']").is_displayed()
    assert driver.get_log("browser") == []
    assert requested(driver) == []


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1400, "dark")])
def test_an_index_leads_to_its_pages_and_fits(
    opened: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int, scheme: str
) -> None:
    repository(tmp_path)
    (tmp_path / "dpcert.toml").write_text(
        "[audit.a-rather-long-name-of-a-section-that-goes-on-and-on]\ntarget = 'primitives/*.py'\nhorizon = 2\n"
        "status = 'holds'\nparams = { }\n[audit.lost]\ntarget = 'no-<b>such</b>-target'\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    run(["audit", "--suite", "dpcert.toml", "--quiet", "--html", "made.html"])
    driver = opened((tmp_path / "made.html").read_text(encoding="utf-8"), width, scheme)
    inner, outer = driver.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert inner <= outer <= width
    words = [cell.text for cell in driver.find_elements(By.CSS_SELECTOR, "#cases tbody tr td:first-child")]
    assert words == ["PASSED", "FAILED", "ERROR"]
    assert "no-<b>such</b>-target" in driver.find_element(By.ID, "failed").text
    colour = driver.find_element(By.CSS_SELECTOR, "#cases a").value_of_css_property("color")
    assert colour != "rgba(0, 0, 238, 1)"  # the browser's own, which cannot be read in the dark
    assert driver.get_log("browser") == []
    assert requested(driver) == []
    driver.find_element(By.CSS_SELECTOR, "#failed a").click()
    assert driver.find_element(By.CSS_SELECTOR, "h1 .verdict").text == "GAP"


def printed(driver: webdriver.Chrome) -> PdfReader:
    """The page as the browser prints it on A4 paper, whatever the screen looks like."""
    sheet = {"preferCSSPageSize": True, "printBackground": False}
    made = driver.execute_cdp_cmd("Page.printToPDF", sheet)
    return PdfReader(BytesIO(b64decode(made["data"])))


def said_on(paper: PdfReader) -> str:
    """All words of a printed page, in the order in which they stand."""
    return " ".join(" ".join(sheet.extract_text() for sheet in paper.pages).split())


def right_edges(paper: PdfReader) -> float:
    """The furthest to the right that a word begins, as a share of the paper."""
    found: list[float] = []
    for sheet in paper.pages:
        wide = float(sheet.mediabox.width)

        def visit(text: str, cm: Any, tm: Any, *_: Any, wide: float = wide) -> None:
            if text.strip():
                found.append((tm[4] * cm[0] + tm[5] * cm[2] + cm[4]) / wide)

        sheet.extract_text(visitor_text=visit)
    return max(found)


@pytest.mark.parametrize("scheme", spread(["light", "dark"], 2))
@pytest.mark.in_turns
def test_a_printed_page_has_all_that_a_reader_signs(opened: Any, scheme: str) -> None:
    asked = Requirements((claim("eps=1/10,delta=1/1000"),), no_gap=True, certified=True)
    document = examine(TwoRound(), requirements=asked).document
    words_ = said("Release of spring", "Looked at by A.\nSigned by B.")
    driver = opened(page(with_page(document, words_)), scheme=scheme)
    paper = printed(driver)
    text = said_on(paper)
    assert [round(float(side)) for side in paper.pages[0].mediabox[2:]] == [595, 842]
    assert text.startswith("Release of spring Looked at by A. Signed by B. REFUTED")
    for one in (*document["checklist"], *document["requirements"], *document["checklist"][3]["rungs"]):
        assert " ".join(one["detail"].split()[:6]) in text  # folded on the screen or not
    for vertex in ("18/25", "81/100"):  # of a certificate that is folded twice
        assert vertex in text
    assert document["source_digest"].removeprefix("sha256:")[:32] in text.replace(" ", "")
    assert text.count("folded in print; unfold it on the page, or see the JSON record") == len(
        driver.find_elements(By.CSS_SELECTOR, "details.adversary:not([open]), details.data:not([open])")
    )
    assert 0 < right_edges(paper) < 0.95


def test_print_is_light_and_breaks_no_row_and_no_figure(opened: Any) -> None:
    driver = opened(page(examine(TwoRoundRepeated(), horizon=8).document), scheme="dark")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    paper = driver.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")
    assert paper == "rgba(255, 255, 255, 1)"
    within = (
        "return [...new Set([...document.querySelectorAll(arguments[0])].map(e => getComputedStyle(e).breakInside))]"
    )
    for what in ("tr", "figure", "dl > div"):
        assert driver.execute_script(within, what) == ["avoid"]
    over = "return [...document.querySelectorAll('.scroll')].map(e => getComputedStyle(e).overflowX)"
    assert set(driver.execute_script(over)) == {"visible"}
    strokes = driver.execute_script(
        "return [...document.querySelectorAll('figure svg path')].map(p => getComputedStyle(p).stroke)"
    )
    assert "rgb(0, 114, 178)" in strokes
    assert "rgb(86, 180, 233)" not in strokes


@pytest.mark.in_turns
def test_without_the_rules_for_print_the_evidence_would_be_missing(opened: Any) -> None:
    document = examine(TwoRound()).document
    whole = page(document)
    text = said_on(printed(opened(whole)))
    assert "18/25" in text
    assert "Vertices of A" in text
    assert "Vertices of A" not in said_on(printed(opened(whole.replace("@media print", "@media speech"))))
