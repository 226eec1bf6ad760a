"""The pages under docs/: each is run by the one test that it names, links lead somewhere, the site builds."""

import doctest
import importlib.util
import json
import re
import sys
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import click
import pytest
from documentation.pages import DOCS, GENERATED, PAGES, ROOT, blocks, built, inline, matches, name, prose, run_page

import dpcert
from dpcert.audit.commands.cli import cli
from dpcert.audit.commands.unread import whole
from dpcert.audit.scripted import generators, generators_numpy, tape
from dpcert.audit.search.tabulated import Tabulated, worth

README = ROOT / "README.md"
OWNER = re.compile(r"^<!-- owner: (\S+) -->$", flags=re.M)
PACKAGE = Path(dpcert.__file__).parent
BY_HAND = [name(page) for page in PAGES if name(page) not in GENERATED]
SLOW = {
    f"how-to/{page}.md"
    for page in (
        "black-boxes", "certificates", "claims-and-tables", "hidden-state", "large-games", "learning", "matrices",
        "plan-learning", "pytest", "randbin", "random-generator", "reports", "run-learning", "search", "suite",
    )
}  # fmt: skip
"""Pages that run for more than a second: they take turns."""


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """docs/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["generate"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.real("pages")
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.in_turns) if page in SLOW else page for page in BY_HAND]
)
def test_a_page_does_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every block is run, in order, in an empty folder, and prints what the page shows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "400")
    assert run_page(DOCS / page, capfd) == len(blocks(DOCS / page))
    check_inline_commands(DOCS / page)


@pytest.mark.parametrize("page", sorted(GENERATED))
def test_a_generated_page_is_fresh(page: str, generate: ModuleType) -> None:
    assert (DOCS / page).read_text(encoding="utf-8") == generate.PAGES[page](), "run python docs/generate.py"


def test_a_stale_page_is_told(generate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "DOCS", tmp_path)
    (tmp_path / "reference").mkdir()
    assert generate.main(["--check"]) == 1
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    limits = tmp_path / "reference" / "limits.md"
    limits.write_text(limits.read_text(encoding="utf-8").replace("20,000", "20,001", 1), encoding="utf-8")
    assert generate.stale() == ["reference/limits.md"]


def test_each_page_names_its_one_owner() -> None:
    for page in PAGES:
        test = "test_a_generated_page_is_fresh" if name(page) in GENERATED else "test_a_page_does_what_it_shows"
        assert OWNER.findall(page.read_text(encoding="utf-8")) == [
            f"tests/documentation/test_pages.py::{test}[{name(page)}]"
        ]


def check_inline_commands(page: Path) -> None:
    """What stands in backticks as a command has a command and options that there are."""
    for text in inline(page):
        words = text.split()
        if words[0] == "dpcert" and len(words) > 1:
            check_command(words[1:], text)
        if words[0] == "make" and len(words) > 1:
            makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
            assert re.search(rf"^{words[1]}:", makefile, flags=re.M), text


def check_command(words: list[str], text: str) -> None:
    """The command exists, and so does every option in it."""
    command: click.Command = cli
    context = click.Context(cli)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words.pop(0))
        assert found is not None, text
        command = whole(found)
    known = {option for p in command.params for option in p.opts}
    options = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert options <= {*known, "--help", "-h", "--version"}, text


def test_a_command_that_there_is_not_is_noticed() -> None:
    for wrong in ("audit x --horizons 3", "adit x", "plan randbins"):
        with pytest.raises(AssertionError):
            check_command(wrong.split(), wrong)


def test_output_that_differs_is_noticed() -> None:
    assert matches("a\n...", "a\nb\nc")
    assert not matches("a\nc\n...", "a\nb\nc")


def test_bounds_are_written_as_they_are_read(generate: ModuleType) -> None:
    assert doctest.testmod(generate).failed == 0


def test_one_name_one_value(generate: ModuleType) -> None:
    """No two modules define one name for a number, and no name stands for another name."""
    defined = [(limit_name, limit.module) for limit in generate.limits() for limit_name in limit.names]
    names = [limit_name for limit_name, _ in defined]
    assert sorted({pair for pair in defined if names.count(pair[0]) > 1}) == []
    assert list(generate.aliases()) == []


def test_every_bound_says_what_it_bounds(generate: ModuleType) -> None:
    limits = generate.limits()
    assert [limit.names for limit in limits if not limit.text] == []
    names = {limit_name for limit in limits for limit_name in limit.names}
    assert {"MOST_STATES", "FEW", "MANY", "BATCH", "PATIENCE", "DEEPEST", "MOST_LEVEL"} <= names
    assert {
        n for n in (n for limit in generate.numbers() for n in limit.names) if n.lstrip("_").startswith("MOST")
    } <= names


def test_what_bounds_nothing_is_still_there(generate: ModuleType) -> None:
    there = {limit_name for limit in generate.numbers() for limit_name in limit.names}
    assert [left for left in " ".join(generate.NO_BOUND.values()).split() if left not in there] == []


@pytest.fixture(scope="module")
def values(generate: ModuleType) -> dict[str, str]:
    """Names of bounds -> their values, as pages write them."""
    return {
        n: generate.written(v) for limit in generate.limits() for n, v in zip(limit.names, limit.values, strict=True)
    }


@pytest.mark.parametrize("page", [README, *PAGES], ids=name)
def test_bounds_in_prose_have_the_values_of_the_code(page: Path, values: dict[str, str]) -> None:
    """ "up to 5,000 (`MANY`)": the number before a bound's name is its value; a name MOST_... is one that there is."""
    if name(page) in GENERATED:
        return
    assert [text for text in inline(page) if re.fullmatch(r"MOST_\w+", text) and text not in values] == []
    said = re.findall(
        r"(?<![\w^])(\d[\d,]*(?:\^\d+)?) [^\d.;`]{0,40}[(,] ?`([A-Z_]+)`\)?", " ".join(prose(page).split())
    )
    assert [(number, of) for number, of in said if of in values and number.rstrip(",") != values[of]] == []


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and MyST make it."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).strip().lower())
    return kept.replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {slug(text) for text in re.findall(r"^#+ (.+)$", prose(page), flags=re.M)}


@pytest.mark.parametrize("page", [README, ROOT / "CHANGELOG.md", *PAGES], ids=name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        parts = urlsplit(target)
        if parts.scheme:
            continue
        file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        assert file.exists(), target
        assert not parts.fragment or parts.fragment in anchors(file), target
        assert DOCS not in page.parents or DOCS in file.parents, f"{target} leads out of the site"


class Elements(HTMLParser):
    """What a page of the site links to, what it loads, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.ids |= {given["id"]} if "id" in given else set()
        self.links += [given["href"]] if tag == "a" and "href" in given else []
        self.loads += [
            given[key] for key in ("src", "href") if tag in {"link", "script", "img", "iframe"} and key in given
        ]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does."""
    return built(tmp_path_factory)


@pytest.mark.real("pages")
@pytest.mark.in_turns(together="site")
def test_every_page_is_in_the_site_and_in_a_table_of_contents(site: Path) -> None:
    for page in PAGES:
        assert (site / page.relative_to(DOCS)).with_suffix(".html").is_file()


@pytest.mark.real("pages")
@pytest.mark.in_turns(together="site")
def test_links_and_anchors_of_the_site_lead_somewhere(site: Path) -> None:
    made = {path: Elements(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(made) > len(PAGES)
    for path, elements in made.items():
        for target in (*elements.links, *elements.loads):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert file.exists(), f"{path.name}: {target}"
            if parts.fragment and file in made:
                assert parts.fragment in made[file].ids, f"{path.name}: {target}"


@pytest.mark.real("pages")
@pytest.mark.in_turns(together="site")
def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        loads = Elements(path.read_text(encoding="utf-8")).loads
        assert [load for load in loads if urlsplit(load).scheme not in {"", "data"} or urlsplit(load).netloc] == [], (
            path.name
        )
    for path in site.rglob("*.css"):
        assert re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^\"')]+", path.read_text(encoding="utf-8")) == []


def test_the_picture_is_small_and_has_words() -> None:
    picture = DOCS / "images" / "report.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < 300_000
    assert re.search(r"!\[[^\]]{20,}\]\(docs/images/report\.png\)", README.read_text(encoding="utf-8"))


def test_the_supported_calls_are_all_in_the_table() -> None:
    table = (DOCS / "how-to" / "random-generator.md").read_text(encoding="utf-8")
    for call in (*generators.SUPPORTED, *generators_numpy.SUPPORTED):
        assert re.search(rf"^\|.*`{call}[`(].*\|$", table, flags=re.M), call
    assert f"At most {tape.MOST_SEEDS:,} seeds" in table


def test_the_notation_names_what_exists() -> None:
    table = (DOCS / "reference" / "notation.md").read_text(encoding="utf-8")
    for public in ("Pmf", "PowerFunction", "dp_power", "supremum", "HAMMING", "PrefixCore", "MarkovCore"):
        assert f"`{public}" in table
        assert hasattr(dpcert, public)


def test_the_record_page_names_every_field_of_the_schema() -> None:
    page = (DOCS / "reference" / "record.md").read_text(encoding="utf-8")
    schema = json.loads((PACKAGE / "audit" / "records" / "schemas" / "audit-1.json").read_text(encoding="utf-8"))
    assert [field for field in schema["properties"] if f"| `{field}` |" not in page] == []


def test_the_core_that_the_search_found_is_worth_what_the_page_says() -> None:
    text = (DOCS / "how-to" / "search.md").read_text(encoding="utf-8")
    laws = re.findall(r"^[01 ]{3,}  +(\S+) (\S+)$", text, flags=re.M)
    value = worth(Tabulated(2, 2, tuple((Fraction(a), Fraction(b)) for a, b in laws)), Fraction(2))
    assert f"δ = {value.adaptive} (" in text
    assert f"fixed streams {value.fixed} (" in text
    assert f"ratio {value.ratio} (" in text


def test_the_changelog_has_a_line_a_change() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith(" ") or (line.startswith("-") and len(line) > 120)] == []
    released = [re.fullmatch(r"## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d", line) for line in lines if line.startswith("## ")]
    assert [found for found in released[1:] if found is None] == []
    assert lines.index("## Unreleased") < lines.index(f"## {dpcert.__version__} - 2026-11-28")
