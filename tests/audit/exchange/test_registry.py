"""A draft for a registry: of its structure, read back as it was meant, with no number below the record's."""

import json
import random
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from instances import declared
from instances.declared import CONTEXT
from instances.rendered import IMAGE, SCRIPT, Hostile, Open, Silent

from dpcert import Budget, Record, examine
from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.rational import parse
from dpcert.audit.commands.cli import run
from dpcert.audit.context.written import schema as context_schema
from dpcert.audit.exchange.block_yaml import ToFill, Unsure, YamlNumber, block, quoted
from dpcert.audit.exchange.registry import entry
from dpcert.audit.render.context import epsilon_at_most
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

STRUCTURE = json.loads(Path(declared.__file__).with_name("deployments_registry.json").read_text(encoding="utf-8"))
NAMES = ("certified", "refuted", "undecided", "npp", "silent", "open")


@cache
def record(name: str) -> Record:
    match name:
        case "certified":
            return examine(RandomizedResponse(), horizon="inf")
        case "refuted":
            return examine(TwoRound())
        case "undecided":
            return examine(TwoRoundRepeated(), horizon=30, budget=Budget(max_positions=5))
        case "npp":
            return examine(RandBinToy(), game="npp", horizon=3)
        case "silent":
            return examine(Silent(), horizon=1)
        case _:
            return examine(Open())


def table(text: str = CONTEXT) -> dict[str, Any]:
    return tomllib.loads(text, parse_float=str)


def read(text: str) -> dict[str, Any]:
    """The entry as PyYAML reads it, held against the structure."""
    found: dict[str, Any] = yaml.safe_load(text)
    jsonschema.Draft202012Validator(STRUCTURE).validate(found)
    date.fromisoformat(found["deployment"]["basic"]["publication_date"])
    return found


@pytest.mark.in_turns
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text", ["", CONTEXT, "delta = 0.3", "[registry]\nname = 'Visits'", "[unit]\nresets = 'never'"]
)
def test_every_entry_has_the_registrys_structure(name: str, text: str) -> None:
    found = read(entry(record(name).in_context(table(text)).document))
    assert found["deployment"]["administrative"]["status"] == "Draft"
    assert read(entry(record(name).document))["deployment"]["administrative"]["tier"] == 1


def test_the_structure_refuses_what_is_none() -> None:
    found = read(entry(record("refuted").document))
    for change in ({"url_slug": 3}, {"more": 1}, {"deployment": {}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(STRUCTURE).validate(found | change)


def test_what_is_declared_stands_where_the_registry_has_it() -> None:
    text = entry(record("certified").in_context(table()).document)
    found = read(text)["deployment"]
    basic, model, said = found["basic"], found["deployment_model"], table()["registry"]
    for key in ("name", "data_curators", "description", "intended_use", "data_product_type", "data_product_sector"):
        assert basic[key] == said[key]
    assert basic["publication_date"] == "2026-01-31"
    assert (model["model_name"], model["access_type"], model["data_source_type"]) == (
        "Central", "Non-interactive", "Dynamic",
    )  # fmt: skip
    assert found["privacy_loss"]["privacy_unit"] == "one visit"
    assert found["privacy_loss"]["number_of_privacy_units"] == 1000
    assert found["administrative"] == {"status": "Draft", "registry_authors": ["A. Librarian"], "tier": 3}
    todo = [line for line in text.splitlines() if "TODO" in line][1:]  # the first line says what TODO is
    assert [line.split(":")[0].strip(" #") for line in todo] == ["evidence_sources"]
    assert re.search(r"epsilon: [\d.]+ +# rounded up, over every horizon$", text, flags=re.M)


def test_what_nobody_declares_is_to_do() -> None:
    text = entry(record("refuted").document)
    told = [word for line in text.splitlines() for word in re.findall(r"^\s*# (\w+): TODO", line)]
    assert told == [
        "data_product_sector", "number_of_privacy_units", "model_name", "data_source_type", "access_type",
        "evidence_sources",
    ]  # fmt: skip
    found = read(text)["deployment"]
    assert found["basic"]["name"] == "TODO: not declared; audited as two-round"
    for part in ("basic", "dp_variant", "privacy_loss", "deployment_model", "implementation"):
        assert any(str(value).startswith("TODO") for value in found[part].values()), part
    assert re.search(r'publication_date: "1900-01-01" +# TODO', text)


def numbers(found: Mapping[str, Any]) -> dict[str, float]:
    loss = found["deployment"]["privacy_loss"].get("privacy_parameters", {})
    assert all(isinstance(value, float) for value in loss.values())
    return dict(loss)


@pytest.mark.parametrize("delta", [None, "1e-8", "0.05", "1/3", "0"])
def test_no_number_is_below_the_records(delta: str | None) -> None:
    """Read as decimals, epsilon and delta are at least those of the record's own curve."""
    for name in ("certified", "refuted"):
        made = record(name).in_context({} if delta is None else {"delta": delta})
        text = entry(made.document)
        found, at = read(text), Fraction(delta or 0)
        variant = found["deployment"]["dp_variant"]["variant_name"]
        assert variant == ("Approximate DP" if at else "Pure DP")
        written = {key: Fraction(value) for key, value in re.findall(r"^ +(epsilon|delta): (\S+)", text, flags=re.M)}
        assert {key: float(value) for key, value in written.items()} == numbers(found)
        least = epsilon_at_most(made.document, at)
        assert least is not None
        assert least <= written["epsilon"] <= least * Fraction(100_001, 100_000)
        assert written.get("delta", Fraction(0)) >= at
        low = parse(made["headline"]["privacy"]["epsilon"]["lower"], "epsilon")
        assert at > Fraction(1, 10**6) or written["epsilon"] >= low


@pytest.mark.parametrize("name", ["undecided", "npp", "silent", "open"])
def test_where_no_epsilon_is_known_none_is_written(name: str) -> None:
    """Also where nothing can happen in the rounds that were played: 0 would be said of the deployment."""
    text = entry(record(name).document)
    assert numbers(read(text)) == {}
    assert "# privacy_parameters: TODO" in text


def test_rounds_that_were_not_audited_are_said_beside_the_numbers() -> None:
    text = entry(record("refuted").document)
    assert re.search(r"epsilon: [\d.]+ +# rounded up, over 2 rounds; TODO", text)
    details = read(text)["deployment"]["privacy_loss"]["privacy_parameters_details"]
    assert "Later rounds (not examined)" in details
    assert "Other releases from the same data (not examined)" in details
    every = read(entry(record("certified").document))["deployment"]["privacy_loss"]["privacy_parameters_details"]
    assert "Later rounds (proved)" in every


def test_tiers_are_those_of_what_is_declared() -> None:
    whole = table()

    def tier(given: Mapping[str, Any], name: str = "certified") -> int:
        made = entry(record(name).in_context(given).document)
        return int(read(made)["deployment"]["administrative"]["tier"])

    second = {"trust_model": "local", "query_model": "interactive", "unit": {"name": "u"}}
    assert tier(whole) == 3
    assert tier(second) == 1
    assert tier(second | {"registry": {"data_source_type": "Static"}}) == 2
    assert tier(whole, "open") == 1
    assert tier({key: value for key, value in whole.items() if key != "trust"}) == 2


FOREIGN = [
    "yes", "null", "1e3", "~", "- a", "a: b", "a #b", "# a", "'", '"', "\\", "\\n", "{a: 1}", "[1", "*a", "&a", "!!str",
    "%", "@", "`", "---", "...", "?", "|", ">", "<<", "", " ", "\t", "\n", "\r\n", "\x00", "\x1b[31m", "\x7f", "\x85",
    "\xa0", "\u2028", "\u2029", "\ufeff", "\ufffe", "\ud800", "\U0001f600", "\U000e0001", "\U0010ffff", "ε ≤ δ", "é",
    SCRIPT, IMAGE, "2026-01-01", "0x10", "1_000", "0o7", "=", ".inf", "$(touch x)",
    "!!python/object/apply:os.system [ls]",
]  # fmt: skip


@pytest.mark.parametrize("text", FOREIGN)
def test_any_text_is_read_back_as_it_was(text: str) -> None:
    assert yaml.safe_load(quoted(text)) == text
    made = {"a": text, "b": [text, {"c": text, "d": [text]}], "e": {"f": Unsure(text, "note")}, "g": ToFill("note")}
    assert yaml.safe_load(block(made)) == {"a": text, "b": [text, {"c": text, "d": [text]}], "e": {"f": text}}


def test_random_texts_are_read_back_as_they_were() -> None:
    chance = random.Random(5)
    for _ in range(200):
        text = "".join(chance.choice(FOREIGN) or chr(chance.randrange(0x2FF)) for _ in range(chance.randint(1, 8)))
        assert yaml.safe_load(block({"a": [{"b": text}]})) == {"a": [{"b": text}]}


@pytest.mark.parametrize("value", ["0", "3", "1/3", "1e-8", "123456789/1000", "1e30", "7e-300", "1234567890123/7"])
def test_a_number_is_read_as_one(value: str) -> None:
    shown = YamlNumber.of(up(parse(value, "number") if "/" in value else Fraction(value)))
    found = yaml.safe_load(block({"a": shown}))["a"]
    assert isinstance(found, float)
    assert found == float(Fraction(shown.text))


def texts(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        yield from (text for value in node.values() for text in texts(value))
    elif isinstance(node, list):
        yield from (text for value in node for text in texts(value))
    elif isinstance(node, str):
        yield node


def test_hostile_declarations_stay_texts() -> None:
    foreign = "a: [b\n# c\x1b[31m\x00\u202e'\"\n- {{ d }}" + SCRIPT
    given = table()
    for key in ("trust", "queries", "at_exhaustion", "sampler", "security", "utility", "implementation"):
        given[key] = foreign
    for key, kind in context_schema()["properties"]["registry"]["properties"].items():
        if kind.get("$ref") == "#/$defs/text":
            given["registry"][key] = foreign
    given["unit"] = {"name": foreign, "situations": [foreign, SCRIPT], "contribution": foreign, "resets": foreign}
    made = examine(Hostile(), target=f"{IMAGE}\n: x").in_context(given)
    text = entry(made.document)
    found = read(text)
    assert found["deployment"]["basic"]["description"] == "a: [b\n# c\\x1b[31m\\x00\\u202e'\"\n- {{ d }}" + SCRIPT
    assert all(c.isprintable() or c == "\n" for one in texts(found) for c in one)
    assert text.isprintable() or set(text) - set("\n") == {c for c in text if c.isprintable()}
    assert re.fullmatch(r"[a-z0-9-]+", read(entry(examine(Hostile(), target=SCRIPT).document))["url_slug"])
    assert read(entry(examine(Hostile(), target="∅").document))["url_slug"] == "todo"


def test_commands_write_the_entry_and_the_page_says_what_is_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("context.toml").write_text(CONTEXT, encoding="utf-8")
    asked = ["audit", "randomized-response", "--horizon", "2", "--quiet"]
    assert run([*asked, "--context", "context.toml", "--registry", "one.yaml", "--json", "one.json"]) == 0
    assert run([*asked, "--json", "bare.json"]) == 0
    assert "context" not in json.loads(Path("bare.json").read_text(encoding="utf-8"))
    named = ["--context", "context.toml", "--registry", "-"]
    assert run(["report", "bare.json", *named, "-o", "page.html"]) == 0
    one = Path("one.yaml").read_text(encoding="utf-8")
    assert capfd.readouterr().out == one == entry(json.loads(Path("one.json").read_text(encoding="utf-8")))
    assert read(one)["url_slug"] == "visits"
    assert "The operations team sees visits before noise." in Path("page.html").read_text(encoding="utf-8")
    for wrong in (["--registry", "context.toml"], ["--json", "./context.toml"]):
        assert run([*asked, "--context", "context.toml", *wrong]) == 2
    assert run(["report", "bare.json", "-o", "x.html", "--context", "context.toml", "--registry", "context.toml"]) == 2
    assert run(["report", "bare.json", "-o", "-", *named]) == 2
    assert capfd.readouterr().err.count("\n") == 4
    assert Path("context.toml").read_text(encoding="utf-8") == CONTEXT
    assert not Path("x.html").exists()


def test_numbers_of_one_round_s_change_say_so() -> None:
    text = entry(examine(RandomizedResponse(), horizon=2, challenge_round=2).document)
    assert re.search(r"epsilon: [\d.]+ +# rounded up, over 2 rounds, for a change in round 2 alone; TODO", text)
