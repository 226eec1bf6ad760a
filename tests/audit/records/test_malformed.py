"""300 malformed records: read, or refused in one line; never a traceback, never markup on the page."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from instances.real_records import KINDS, made
from instances.rendered import IMAGE, SCRIPT, Elements
from instances.seeds import chosen

from dpcert.audit.commands.cli import run

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 10**4000, 1.5, 1e308, "", "1/0", "0/1", "-1", "9" * 5000, "1/" + "9" * 5000, "infinite",
    "٣", " 1", "1e9", "HOLDS", "\x1b[31m", "\x00", "‮", "\ud800", "{}", "é" * 5000, SCRIPT, IMAGE,
    [], {}, [[]], [None], {"a": 1}, ["0", "0"], [["0", "0"], ["1", "1"]], {"lower": "0", "upper": "1"},
)  # fmt: skip
NUMBERS = ("9" * 5000, "1" + "0" * 400, "1e400", "NaN", "-Infinity", "00", "+1", "0x10", "1_000")


def parts(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a document: what holds it, and under which key."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [part for key in keys for part in parts(value[key])]


def nested(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = {"a": inner} if depth % 2 else [inner]
    return inner


def spoilt(document: Any, generator: Random) -> str:
    """The document with some of its places taken away, doubled, or filled with something else; or its text cut."""
    for _ in range(generator.choice((1, 1, 1, 2, 5))):
        holder, key = generator.choice(parts(document))
        way = generator.randrange(6)
        if way == 0:
            del holder[key]
        elif way == 1 and isinstance(holder, dict):
            holder[generator.choice((SCRIPT, "\x00", "surprise", "verdict", "witness"))] = holder[key]
        elif way == 2 and isinstance(holder, list):
            holder.append(holder[key])
        elif way == 3:
            holder[key] = nested(generator.choice((1, 40, 400)), holder[key])
        else:
            holder[key] = generator.choice(VALUES)
    text = json.dumps(document)
    at = generator.randrange(len(text))
    way = generator.randrange(8)
    if way == 0:
        return text[:at]
    if way == 1:
        return text[:at] + generator.choice(("\x00", '"', "}", "]", ",", "\\", "\n", "é", "<")) + text[at:]
    if way == 2:
        return text.replace('"positions": ', f'"positions": {generator.choice(NUMBERS)}, "x": ', 1)
    return text


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(300), 8))
def test_a_malformed_record_is_read_or_refused_in_one_line(
    seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    generator = Random(seed)
    path, page = tmp_path / "record.json", tmp_path / "page.html"
    text = spoilt(json.loads(made(KINDS[seed % len(KINDS)])), generator)
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    status = run(["report", str(path), "-o", str(page)])
    err = capfd.readouterr().err
    assert (status, err.count("\n"), page.exists()) in ((0, 0, True), (2, 1, False))
    assert err.isprintable() or err[:-1].isprintable()
    if status == 0:
        assert not Elements(page.read_text(encoding="utf-8")).count("script")
        assert not Elements(page.read_text(encoding="utf-8")).count("img")
    else:
        assert err.startswith("dpcert: Expected")
