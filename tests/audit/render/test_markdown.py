"""A report as Markdown: read by a parser of Markdown into whole tables, in which no name of a user is markup."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from instances.real_records import KINDS, made
from instances.rendered import IMAGE, SCRIPT, Hostile
from instances.seeds import chosen
from markdown_it import MarkdownIt
from markdown_it.token import Token

from dpcert import examine
from dpcert.audit.records.beside import said, with_page
from dpcert.audit.records.record import Record
from dpcert.audit.render.markdown import escaped, markdown

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ALLOWED = {
    "heading", "paragraph", "table", "thead", "tbody", "tr", "th", "td", "inline", "fence", "text", "strong",
    "blockquote", "hardbreak", "softbreak",
}  # fmt: skip
"""All that our own words are made of: no links, pictures, HTML, lists, code spans or emphasis."""
PIECES = ("|", "\\", "`", "```", "<", ">", "<b>", "&lt;", "&amp;", "[a](b)", "![a](b)", "*", "_", "**", "~~", "#", "-",
          "1.", "1)", "+", "=", ":", "http://e.org", "www.e.org", "a@e.org", "$x$", "\n", "\r", "\x1b[31m", "‮", " ",
          "    ", "\t", "é", "a", "===", "---", "> ", SCRIPT, IMAGE, "<!--", "]]>", "^", "{#id}")  # fmt: skip


def flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from flat(token.children or [])


def kinds(text: str) -> set[str]:
    return {token.type.removesuffix("_open").removesuffix("_close") for token in flat(PARSER.parse(text))}


def tables(text: str) -> list[list[list[str]]]:
    """The words of every cell, row by row, table by table."""
    found: list[list[list[str]]] = []
    tokens = PARSER.parse(text)
    for i, token in enumerate(tokens):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type in ("td_open", "th_open"):
            found[-1][-1].append(words(tokens[i + 1]))
    return found


def words(inline: Token) -> str:
    return "".join(child.content for child in inline.children or () if child.type == "text")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_record_is_whole_tables(kind: str) -> None:
    document = json.loads(made(kind))
    text = markdown(document)
    assert kinds(text) <= ALLOWED
    found = tables(text)
    for lines in text.split("\n\n"):  # a row with a cell too many would be cut by a reader without a word
        rows = [line for line in lines.split("\n") if line.startswith("| ")]
        assert len({row.replace("\\|", "").count("|") for row in rows}) <= 1
    for table in found:
        assert len({len(row) for row in table}) == 1
    cells = {cell for table in found for row in table for cell in row}
    assert {document["target"], document["source_digest"], document["kernel_digest"]} <= cells
    assert {one["requirement"] for one in document["requirements"]} <= cells
    assert document["headline"]["badge"] in text
    named = {row["exp_epsilon"] for row in document["adaptive"]["delta"]}
    shown = [table for table in found if table[0][:2] == ["e^ε", "adaptive δ"]]
    assert [{row[0].split(" ")[0] for row in table[1:]} for table in shown] in ([named], [named] * 2)


def random_text(generator: Random) -> str:
    return "".join(generator.choice(PIECES) for _ in range(generator.randrange(1, 9)))


@pytest.mark.parametrize("seed", chosen(range(300)))
def test_whatever_a_name_holds_it_is_words_in_its_own_cell(seed: int) -> None:
    generator = Random(seed)
    name = random_text(generator)
    line = escaped(name)
    assert kinds(line) <= {"paragraph", "inline", "text"} or not line.strip()
    assert kinds(f"> {line}") <= {"paragraph", "inline", "text", "blockquote"}
    table = tables(f"| a | b |\n| --- | --- |\n| {line} | c |\n")
    assert table[0][0] == ["a", "b"]
    assert len(table[0][1]) == 2
    assert table[0][1][1] == "c"
    if name.isprintable():
        assert table[0][1][0].strip() == name.strip()


def test_hostile_names_and_words_stay_words() -> None:
    made_ = examine(Hostile(), target=f"{SCRIPT} [x](http://e.org)").document
    text = markdown(with_page(made_, said("# <b>[a](b)", "first | line\n\n- ![x](y)\n# no heading\n```\n> <i>")))
    assert kinds(text) <= ALLOWED
    read = [words(t) for t in PARSER.parse(text) if t.type == "inline"]
    assert read[0] == "# <b>[a](b)"
    assert f"{SCRIPT} [x](http://e.org)" in read


def test_a_note_keeps_its_lines() -> None:
    text = markdown(with_page(json.loads(made("gap")), said(None, "one\ntwo\n\nthree")))
    html = PARSER.render(text)
    assert "<blockquote>\n<p>one<br />\ntwo</p>\n<p>three</p>\n</blockquote>" in html


def test_a_record_writes_what_the_module_does() -> None:
    document: dict[str, Any] = json.loads(made("asked"))
    assert Record(document).to_markdown() == markdown(document)


def test_a_row_may_be_shorter_than_the_others(two_round: dict[str, Any]) -> None:
    section = {"title": "Own", "columns": ["a", "b"], "rows": [["1", "2"], ["3"], []]}
    assert "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 |\n" in markdown(two_round | {"sections": [section]})
