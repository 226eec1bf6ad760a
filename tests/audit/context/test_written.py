"""What a context may hold, and one line for all that it may not; nothing of it is run, fetched or written for that."""

import json
import os
import random
import threading
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from instances.declared import CONTEXT
from instances.seeds import chosen
from instances.suites import repository

from dpcert import examine
from dpcert.audit import toml
from dpcert.audit.commands.cli import run
from dpcert.audit.context.written import MOST_CONTEXT_BYTES, context, schema
from dpcert.audit.errors import DpcertError
from dpcert.audit.records.record import read
from dpcert.mechanisms.two_round import TwoRound


def written(folder: Path, text: str | bytes) -> Path:
    file = folder / "context.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    return file


def refusal(file: Path) -> str | None:
    """The line that a file is refused with; None where it is a context."""
    try:
        context(file)
    except DpcertError as error:
        return str(error)
    return None


def test_a_pipe_is_read_as_far_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(CONTEXT,), daemon=True)  # it waits for who reads
    writer.start()
    assert context(pipe) == context(written(tmp_path, CONTEXT))
    writer.join()
    monkeypatch.setattr(toml, "PIPE_PATIENCE", 1)
    assert "a pipe to which nobody writes" in str(refusal(pipe))


@pytest.mark.in_turns
def test_a_pipe_is_read_while_somebody_writes_to_it_and_else_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert run(["audit", "dpcert.mechanisms.two_round:TwoRound", "--context", str(pipe)]) == 2
    line = f"Expected a readable context but got context={pipe} (a pipe to which nobody writes)"
    assert capfd.readouterr() == ("", f"dpcert: {line}\n")
    writer = threading.Thread(target=pipe.write_text, args=(CONTEXT,), daemon=True)  # it waits for who reads
    writer.start()
    assert context(pipe) == context(written(tmp_path, CONTEXT))
    writer.join()


def test_all_keys_are_read_as_they_are_written(tmp_path: Path) -> None:
    found = context(written(tmp_path, CONTEXT))
    plain = tomllib.loads(CONTEXT, parse_float=str)
    assert found["delta"] == "1/100000000"
    assert found["registry"]["publication_date"] == "2026-01-31"
    plain["delta"], plain["registry"]["publication_date"] = found["delta"], "2026-01-31"
    assert found == plain
    assert set(found) == set(schema()["properties"])
    for name in ("unit", "registry"):
        assert set(plain[name]) == set(schema()["properties"][name]["properties"])


def test_a_table_is_read_as_its_file_is_and_not_shared(tmp_path: Path) -> None:
    table = tomllib.loads(CONTEXT)
    table["delta"] = Fraction(1, 10**8)
    found = context(table)
    assert found == context(str(written(tmp_path, CONTEXT)))
    table["unit"]["situations"].append("a third")
    assert len(found["unit"]["situations"]) == 2
    assert context({}) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trust_modle = 'central'", "got trust_modle; did you mean trust_model?"),
        ("[unit]\nsituation = ['a', 'b']", "Expected a key of [unit] of"),
        ("[unit]\nsituation = ['a', 'b']", "did you mean situations?"),
        ("[registry]\ndata_curator = 'x'", "did you mean data_curators?"),
        ("[registry]\ndata_curators = [{data_curator_nam = 'x'}]", "[registry.data_curators 1] of"),
        ("trust = ''", "trust: ''"),
        ("trust = ' '", "trust: ' '"),
        ("trust = 3", "trust: 3 is not of type 'string'"),
        ("trust_model = 'trusted'", "trust_model: 'trusted' is not one of"),
        ("unit = 'visit'", "unit: 'visit' is not of type 'object'"),
        ("[unit]\nsituations = ['only one']", "unit.situations"),
        ("[unit]\nsituations = ['same', 'same']", "unit.situations"),
        ("delta = 2", "Expected a delta in [0, 1] but got delta=2 (in "),
        ("delta = -0.1", "Expected a delta in [0, 1]"),
        ("delta = true", "delta: True is not"),
        ("delta = nan", "delta='nan'"),
        ("delta = '1e-99999999'", "a numerator and a denominator of at most"),
        ("delta = 2026-01-01", "delta: datetime.date(2026, 1, 1)"),
        ("[registry]\npublication_date = '2026-13-01'", "registry.publication_date"),
        ("[registry]\ndata_product_sector = 'Sports'", "'Sports' is not one of"),
        ("schema = 'dpcert.context/2'", "schema: 'dpcert.context/1' was expected"),
        (f"trust = '{'x' * 2001}'", "trust: more than 2000 characters"),
        ("trust = 'a'\ntrust = 'b'", "Expected TOML"),
        (b"trust = '\xff'", "Expected a readable context"),
        ("# " + "x" * MOST_CONTEXT_BYTES, f"Expected a context of at most {MOST_CONTEXT_BYTES} bytes"),
        ("a = " + "[" * 20_000, "Expected TOML"),
        (f"delta = {'9' * 5_000}", "Expected a readable context"),
    ],
)
def test_what_is_no_context_is_refused_in_one_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    line = refusal(written(tmp_path, text))
    assert line is not None
    assert said in line
    assert line.isprintable()
    assert len(line) < 1_000


@pytest.mark.parametrize("place", ["nowhere.toml", ".", "a\0b", "x" * 300])
def test_what_cannot_be_read_is_said_in_one_line(place: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "two-round", "--context", place]) == 2
    err = capfd.readouterr().err
    assert err.startswith("dpcert: Expected a readable context")
    assert err.count("\n") == 1


def test_what_never_ends_is_not_read_to_its_end() -> None:
    with pytest.raises(DpcertError, match="at most 100000 bytes"):
        context("/dev/zero")


def test_a_float_is_no_exact_delta() -> None:
    with pytest.raises(DpcertError, match="delta: 1e-08 is not of type 'string', 'integer'"):
        context({"delta": 1e-8})


def test_what_is_neither_file_nor_table_is_refused() -> None:
    with pytest.raises(DpcertError, match="a context as a file or a table but got context=3"):
        examine(TwoRound()).in_context(3)  # type: ignore[arg-type]


PIECES = [
    "[unit]", "[registry]", "[unit", "[[unit]]", "[registry.name]", "delta = 1e-6", "delta = 'x'", "delta = [1]",
    "delta = '1/0'", "delta = inf", "trust_model = 'central'", "trust_model = 'CENTRAL'", "trust = '<script>'",
    'trust = "\\u001b[31m"', 'trust = "\\u0000"', "trust = 1", "name = 'a visit'", "name = {}", "situations = [1, 2]",
    "situations = ['a', 'b', 'c']", "resets = 1979-05-27", "code = 'mine'", "= 3", "\x00", "\x1b", "registry = 1",
    "data_curators = [1]", "data_curators = [{}]", "data_curators = []", "number_of_privacy_units = -1",
    "\"\\u001b[31m\" = 1", "'<b>' = 2", "url_slug = 'a/b'", f"number_of_privacy_units = {10**30}", "unit = [[]]",
]  # fmt: skip


def malformed(seed: int) -> bytes:
    """Pieces in any order, or a whole context with bytes changed, cut or doubled."""
    chance = random.Random(seed)
    if seed % 2:
        return "\n".join(chance.choice(PIECES) for _ in range(chance.randint(1, 6))).encode()
    text = bytearray(CONTEXT.encode())
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text))
        match chance.randrange(3):
            case 0:
                text[at] = chance.randrange(256)
            case 1:
                del text[at : at + chance.randint(1, 30)]
            case _:
                text[at:at] = text[chance.randrange(len(text)) :][: chance.randint(1, 30)]
    return bytes(text)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(300)))
def test_a_malformed_context_ends_in_one_line_and_leaves_nothing(
    seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, malformed(seed))
    monkeypatch.chdir(tmp_path)
    line = refusal(file)
    if line is None:  # a change that says something else
        made = examine(TwoRound()).in_context(file)
        assert read(made.to_json()) == made
        return
    assert line.isprintable()
    assert run(["audit", "two-round", "--context", "context.toml", "--json", "o.json", "--registry", "o.yaml"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("dpcert: Expected")
    assert [path.name for path in tmp_path.iterdir()] == ["context.toml"]


def test_malformed_contexts_are_mostly_refused(tmp_path: Path) -> None:
    """Else the test above would say little."""
    refused = [refusal(written(tmp_path, malformed(seed))) is not None for seed in range(0, 300, 5)]
    assert sum(refused) > len(refused) // 2


def leaves(node: Any, names: bool = False) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every leaf of a schema with its path, descriptions apart."""
    if isinstance(node, dict):
        for key, value in node.items():
            if names or key != "description":
                yield from (((key, *path), leaf) for path, leaf in leaves(value, key == "properties"))
    else:
        yield (), node


def test_a_record_takes_what_a_context_may_be() -> None:
    """Its schema says of its context what the context's own schema says; a delta is written as in a record."""
    text = files("dpcert.audit.records").joinpath("schemas/audit-1.json").read_text(encoding="utf-8")
    ours, whole = schema(), json.loads(text)
    other = dict(leaves(whole["$defs"]["context"]["properties"], names=True))
    mine = dict(leaves(ours["properties"], names=True))
    assert {path for path in other.keys() ^ mine.keys() if path[0] != "delta"} == set()
    differ = {path for path in other.keys() & mine.keys() if other[path] != mine[path]}
    assert {(mine[path], other[path]) for path in differ} == {("#/$defs/text", "#/$defs/declared")}
    assert whole["$defs"]["declared"] == ours["$defs"]["text"]


def test_a_record_without_a_context_is_as_it_was_and_with_one_it_is_read(tmp_path: Path) -> None:
    bare = examine(TwoRound())
    assert "context" not in bare.document
    made = bare.in_context(written(tmp_path, CONTEXT))
    assert read(made.to_json()) == made
    assert {key: value for key, value in made.document.items() if key != "context"} == bare.document
    assert made.in_context({})["context"] == {}


@pytest.mark.parametrize(
    ("delta", "said"), [("3", "is none"), ("-1", "is none"), ("1/0", "other than 0"), ("x", "delta")]
)
def test_a_record_whose_declared_delta_is_none_is_refused(delta: str, said: str) -> None:
    document = json.loads(examine(TwoRound()).in_context({"delta": "1/2"}).to_json())
    document["context"]["delta"] = delta
    with pytest.raises(DpcertError, match=said):
        read(json.dumps(document))


def test_cases_of_a_suite_have_the_context_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = '[defaults]\ncontext = "declared/context.toml"\n[audit.a]\ntarget = "two-round"\nstatus = "refuted"\n'
    suite = repository(tmp_path, text)
    (tmp_path / "declared").mkdir()
    file = written(tmp_path / "declared", CONTEXT)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert run(["audit", "--suite", str(suite), "--json", "out.jsonl", "--quiet"]) == 0
    lines = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["record"]["context"] for line in lines if "record" in line] == [context(file)]
    file.write_text("trst = 'x'", encoding="utf-8")
    assert run(["audit", "--suite", str(suite), "--json", "no.jsonl"]) == 2
    err = capfd.readouterr().err
    assert "did you mean trust?" in err
    assert "(in [audit.a] of" in err
    assert run(["audit", "--suite", str(suite), "--context", str(file)]) == 2
    assert "Expected --context in the suite" in capfd.readouterr().err
    assert not Path("no.jsonl").exists()
