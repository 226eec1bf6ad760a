"""`dpcert claims graph`, `mapping` and `assumptions`: on made-up claims and on the ledger as it is published."""

from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest
from instances.claims import HOLDS, REFUTED, even

from dpcert.audit.commands.cli import run
from dpcert.proofs_checked.discovery import by_id, files, ledger
from dpcert.proofs_checked.expected import expected_standings
from dpcert.proofs_checked.ledger import cite
from dpcert.proofs_checked.ledger import run as decided
from dpcert.proofs_checked.published.assumptions import assumed
from dpcert.proofs_checked.published.errata import errata
from dpcert.proofs_checked.published.mapping import KINDS, as_page, mapped

ROOT = Path(__file__).parents[2]
CHILD = even("lem:child", ("lem:odd",), subject=2, mutant=3)
GRANDCHILD = even("thm:last", ("lem:child", "lem:even"), subject=2, condition="it is <2>", without=3)
KNOWN = cite("fact:old", "known", "It is known.", row=None, source="a book")
CLAIMS = by_id([HOLDS, REFUTED, CHILD, GRANDCHILD, KNOWN])
STANDINGS = {name: decided(entry).standing.value for name, entry in CLAIMS.items()}


def test_a_refuted_claim_shows_below_and_its_descendants_are_named() -> None:
    rows = {row.entry.id: row for row in mapped(CLAIMS, STANDINGS)}
    shown = {name: (row.kind, row.direct.value, row.passed_on.value) for name, row in rows.items()}
    assert shown["lem:child/is_even"] == ("lemma", "HOLDS", "REFUTED")
    assert shown["thm:last/is_even"] == ("theorem", "CONDITIONAL", "REFUTED")
    assert shown["lem:even/is_even"] == ("lemma", "HOLDS", "HOLDS")
    words = errata(CLAIMS, STANDINGS, lambda name: decided(CLAIMS[name]))
    part = words.split("### `lem:odd/is_even`")[1].split("###")[0]
    assert '- **Witness**: `{"number": 3}`' in part
    assert "- **Affected**: `lem:child/is_even`, `thm:last/is_even`." in part
    assert r"It holds if it is \<2\>." in words


def test_what_is_not_decided_is_so_in_the_mapping() -> None:
    assert {row.direct.value for row in mapped(CLAIMS, {})} == {"UNDECIDED"}
    page = as_page(mapped(CLAIMS, STANDINGS | {"lem:even/is_even": "UNDECIDED"}))
    assert "UNDECIDED" in page


def test_what_a_claim_assumes() -> None:
    assert assumed(["lem:even/is_even"], CLAIMS, STANDINGS) == ["Nothing: each of the 1 claims holds by its own check."]
    refuted, condition = assumed(["thm:last/is_even"], CLAIMS, STANDINGS)
    assert refuted.startswith("REFUTED     lem:odd/is_even: ")
    assert condition == "CONDITIONAL thm:last/is_even: if it is <2>"
    assert assumed(["fact:old/known"], CLAIMS, STANDINGS) == ["CITED       fact:old/known: It is known. (a book)"]


def test_every_label_has_a_kind_and_every_claim_a_file() -> None:
    assert {entry.label.partition(":")[0] for entry in ledger().values()} <= set(KINDS)
    assert set(files()) == set(ledger())
    assert all((ROOT / file).is_file() for file in files().values())


def test_graphs_hold_every_claim_and_every_use(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    svg, graphml = tmp_path / "g.svg", tmp_path / "g.graphml"
    assert [run(["claims", "graph", str(path)]) for path in (svg, graphml)] == [0, 0]
    assert capfd.readouterr().out.count(f"Wrote {len(ledger())} claims") == 2
    graph = nx.read_graphml(graphml)
    assert set(graph) == set(ledger())
    assert {name: data["verdict"] for name, data in graph.nodes(data=True)} == expected_standings()
    drawn = ElementTree.parse(svg).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert len(drawn.findall(f"{space}g")) == len(ledger())
    assert len(drawn.findall(f"{space}path")) == graph.number_of_edges()
    assert "<script" not in svg.read_text(encoding="utf-8")
    assert run(["claims", "graph", "g.pdf"]) == 2
    assert capfd.readouterr().err == "dpcert: Expected a file that ends in .svg or .graphml but got path='g.pdf'\n"


@pytest.mark.in_turns
def test_the_published_files_are_what_is_computed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    assert run(["claims", "mapping", "--check"]) == 0
    for name in ("paper_mapping.html", "errata.md"):
        (tmp_path / name).write_bytes((ROOT / "reports" / name).read_bytes().replace(b"REFUTED", b"HOLDS", 1))
    assert run(["claims", "mapping", "--check", "--write", str(tmp_path)]) == 1


def test_errata_name_a_witness_and_what_is_true_for_each_refuted_claim() -> None:
    words = (ROOT / "reports" / "errata.md").read_text(encoding="utf-8")
    for name, standing in expected_standings().items():
        if standing not in {"REFUTED", "CONDITIONAL", "AMBIGUOUS"}:
            assert f"### `{name}`" not in words
            continue
        part = words.split(f"### `{name}`")[1].split("###")[0]
        assert all(f"- **{head}" in part for head in ("Says", "Found", "Affected", "Instead", "Check"))
        assert standing == "AMBIGUOUS" or "- **Witness**" in part
