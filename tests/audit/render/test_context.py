"""The table from the guarantee down to the data: what each row claims is in the record, and no more than that."""

import copy
import math
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from instances.declared import CONTEXT
from instances.rendered import IMAGE, SCRIPT, Elements, Hostile, Open, Silent, document

from dpcert import Budget, Record, Requirements, examine
from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.render.context import LEVELS, KnownBy, epsilon_at_most, rows, tables
from dpcert.audit.render.page import page
from dpcert.mechanisms.broken.hidden_counter import HiddenCounter
from dpcert.mechanisms.broken.peeking_value import PeekingValue
from dpcert.mechanisms.clipped_sum import ClippedSum
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

NEVER_EXAMINED = (
    "Sampler", "Floating point", "Timing and other side channels", "Utility and bias", "Query model", "Trust model",
    "Other releases from the same data", "At exhaustion", "Security and access control", "Data collection", "Code",
    "Unit of privacy", "Situations not to be told apart", "Contribution of one unit",
)  # fmt: skip
"""What no audit of laws sees: declared, or not examined."""
RECORDS: dict[str, Callable[[], dict[str, Any]]] = {
    "certified": lambda: document(RandomizedResponse(), horizon=2, requirements=Requirements(certified=True)),
    "certified for every horizon": lambda: document(RandomizedResponse(), horizon="inf"),
    "refuted": lambda: document(TwoRound()),
    "undecided": lambda: document(TwoRoundRepeated(), horizon=30, budget=Budget(max_positions=5)),
    "neighbour-preserving": lambda: document(RandBinToy(), game="npp", horizon=3),
    "silent": lambda: document(Silent(), horizon=2),
    "open": lambda: document(Open()),
    "hidden state": lambda: document(ClippedSum()),
}


@cache
def record(name: str) -> dict[str, Any]:
    return RECORDS[name]()


def declaring(made: dict[str, Any], text: str = CONTEXT) -> dict[str, Any]:
    return dict(Record(made).in_context(tomllib.loads(text, parse_float=str)).document)


def by_item(made: dict[str, Any]) -> dict[str, tuple[KnownBy, str]]:
    return {row.item: (row.standing, row.text) for row in rows(made)}


def standings(made: dict[str, Any], *items: str) -> list[str]:
    found = by_item(made)
    return [found[item][0].value for item in items]


def at(made: Any, path: str) -> Any:
    for key in path.split("."):
        made = made[key]
    return made


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("declared", [False, True])
def test_every_claim_is_traced_to_the_record(name: str, declared: bool) -> None:
    made = declaring(record(name)) if declared else record(name)
    for row in rows(made):
        assert row.level in LEVELS
        assert row.text
        assert (row.field == "") == (row.standing is KnownBy.NOT_EXAMINED), row
        if row.field:
            assert at(made, row.field) not in (None, "", [], {}), row
            assert row.field.startswith("context.") == (row.standing is KnownBy.DECLARED), row
        if row.standing is KnownBy.PROVED:
            assert made["lifts"]["curve"]["verdict"] == "HOLDS"
            assert any(one["rung"] for one in made["checklist"])


@pytest.mark.parametrize("name", RECORDS)
def test_what_no_audit_sees_is_somebodys_word_or_not_examined(name: str) -> None:
    assert set(standings(record(name), *NEVER_EXAMINED)) == {"not examined"}
    assert set(standings(declaring(record(name)), *NEVER_EXAMINED)) == {"declared"}
    assert {row.standing for row in rows(declaring(record(name), ""))} == {row.standing for row in rows(record(name))}


def test_each_kind_of_record_has_its_standings() -> None:
    items = ("Privacy loss", "Later rounds", "Adversaries that adapt", "Certificate")
    found = {name: standings(record(name), *items) for name in RECORDS}
    assert found == {
        "certified": ["computed", "not examined", "proved", "proved"],
        "certified for every horizon": ["computed", "proved", "proved", "proved"],
        "refuted": ["computed", "not examined", "computed", "computed"],
        "undecided": ["computed", "not examined", "not examined", "not examined"],
        "neighbour-preserving": ["computed", "not examined", "computed", "not examined"],
        "silent": ["computed", "not examined", "proved", "proved"],
        "open": ["computed", "not examined", "proved", "proved"],
        "hidden state": ["computed", "not examined", "computed", "computed"],
    }


def test_numbers_are_those_of_the_record() -> None:
    refuted = by_item(record("refuted"))
    assert "ε ≈ 0.432881 at δ = 1e-6" in refuted["Privacy loss"][1]
    assert "991/10000" in refuted["Adversaries that adapt"][1]
    assert "refuted: fresh randomness; not decided: stable cost." in by_item(record("hidden state"))["Certificate"][1]
    assert "refuted: stable cost." in refuted["Certificate"][1]
    assert "no upper bound is known" in by_item(record("undecided"))["Privacy loss"][1]
    assert "--max-positions 5 was reached" in by_item(record("undecided"))["Rounds"][1]
    assert by_item(record("certified"))["What was asked for"][1] == "Holds: every condition of Checklist 1."
    assert by_item(record("neighbour-preserving"))["Proven bound"][1].startswith("HOLDS: ")
    assert "none, there is no ε" in by_item(record("open"))["Privacy loss"][1]


@pytest.mark.parametrize("name", ["silent", "neighbour-preserving"])
def test_where_nothing_can_happen_it_is_said(name: str) -> None:
    assert "says nothing of longer use" in by_item(record(name))["Privacy loss"][1]


def test_a_record_that_knows_nothing_claims_nothing() -> None:
    made = copy.deepcopy(document(TwoRoundRepeated(), horizon=30, budget=Budget(max_positions=1)))
    for side in ("adaptive", "fixed_stream"):
        made[side]["lower"] = made[side]["lower"] | {"total_variation": "0"}
        made[side] |= {"total_variation": "1"}
    assert standings(made, "Privacy loss") == ["not examined"]


def test_a_rung_proves_nothing_where_another_condition_is_refuted() -> None:
    made = document(PeekingValue(), horizon=2)
    assert any(one.get("rung") for one in made["checklist"])
    assert standings(made, "Adversaries that adapt") == ["computed"]


def test_why_nothing_is_known_is_said_as_it_is() -> None:
    found = by_item(document(HiddenCounter(), horizon=2))["Privacy loss"]
    assert "does not answer alike" in found[1]


def test_a_headline_alone_proves_no_later_round() -> None:
    made = copy.deepcopy(record("certified for every horizon"))
    assert standings(made, "Later rounds") == ["proved"]
    for key in ("headline", "scope", "rung"):
        other = copy.deepcopy(made)
        if key == "headline":
            other["headline"]["privacy"]["scope"] = "3 rounds"
        elif key == "scope":
            del other["scope"]["every_horizon"]
        else:
            for one in other["checklist"]:
                one["rung"] = None
        assert standings(other, "Later rounds") == ["not examined"]


@dataclass(frozen=True)
class Answer:
    """Tells a bit with some chance, and gives it away with another."""

    law0: Pmf[int]
    law1: Pmf[int]
    alphabet: tuple[int, ...] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return self.law1 if prefix[-1] else self.law0


@pytest.mark.parametrize("delta", ["1/100", "1/20", "1/3", "1e-9", "0", "1"])
def test_epsilon_at_the_organisations_delta_is_an_upper_bound(delta: str) -> None:
    """Against a sum by hand over the outcomes of one round."""
    pairs = (
        (Fraction(6, 10), Fraction(3, 10)),
        (Fraction(7, 20), Fraction(13, 20)),
        (Fraction(1, 20), Fraction(1, 20)),
    )
    law0, law1 = (Pmf({y: pair[world] for y, pair in enumerate(pairs)}) for world in (0, 1))
    made = declaring(document(Answer(law0, law1), horizon=1), f"delta = '{delta}'")
    most = epsilon_at_most(made, Fraction(delta))
    assert most is not None

    def reached(epsilon: float) -> float:
        slope = math.exp(epsilon)
        sums = [sum(max(0.0, float(pair[one]) - slope * float(pair[1 - one])) for pair in pairs) for one in (0, 1)]
        return max(sums)

    assert reached(float(most)) <= float(Fraction(delta)) + 1e-12
    assert most < Fraction(1, 10**9) or reached(float(most) - 1e-6) > float(Fraction(delta))
    assert f"ε of at most {up(most)} at δ = " in by_item(made)["Privacy loss at the organisation's δ"][1]


def test_where_there_is_no_epsilon_it_is_said() -> None:
    made = declaring(record("open"), "delta = '1/2'")
    found = by_item(made)["Privacy loss at the organisation's δ"]
    assert found == (KnownBy.COMPUTED, "None: there is no ε at δ = 1/2 (0.5).")
    made = declaring(record("undecided"), "delta = '1/2'")
    assert standings(made, "Privacy loss at the organisation's δ") == ["not examined"]


def test_the_page_has_the_table_before_its_provenance() -> None:
    made = record("refuted")
    html = page(made)
    assert html.index('<section id="context">') < html.index('<section id="provenance">')
    shown = " ".join("".join(Elements(html).text).split())
    for row in rows(made):
        assert row.item in shown
    assert shown.count("not examined") >= sum(row.standing is KnownBy.NOT_EXAMINED for row in rows(made))
    assert sum(len(table.rows) for table in tables(made)) == len(rows(made))


def test_nothing_declared_becomes_markup_or_controls_a_terminal() -> None:
    foreign = f"{SCRIPT}{IMAGE}\x1b[31m\u202e\r\n{{{{ 7 * 7 }}}}"
    made = document(Hostile(), target=SCRIPT)
    keys = ("trust", "queries", "other_releases", "at_exhaustion", "security", "sampler", "utility")
    made["context"] = dict.fromkeys(keys, foreign)
    made["context"]["unit"] = {
        "name": foreign,
        "situations": [foreign, IMAGE],
        "contribution": foreign,
        "resets": foreign,
    }
    html = page(made)
    elements = Elements(html)
    assert elements.count("script") == elements.count("img") == 0
    assert "{{ 7 * 7 }}" in html
    for text in (html, *(cell.text for table in tables(made) for row in table.rows for cell in row)):
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_a_table_is_a_matter_of_the_document_alone() -> None:
    record = examine(Answer(bernoulli(Fraction(1, 3)), bernoulli(Fraction(1, 2))), horizon=1)
    assert rows(record.document) == rows(copy.deepcopy(record.document))
