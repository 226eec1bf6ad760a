"""A record as one HTML page: no network, no script, everything folds without JavaScript."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from dpcert.audit.render import conditions, evidence, headline, svg, tables, words
from dpcert.audit.render.cells import plain
from dpcert.audit.render.conditions import Block
from dpcert.audit.render.tree import chosen, tree, winning
from dpcert.audit.render.words import Document

if TYPE_CHECKING:
    from jinja2 import Environment


def page(document: Mapping[str, Any]) -> str:
    """The report of one audit as a self-contained HTML page."""
    first = chosen(document)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=words.title(document),
            target=plain(document["target"]),
            own=_own(document.get("page", {})),
            badge=headline.badge(document),
            headline=words.headline(document),
            remarks=words.remarks(document),
            scope=tables.scope(document),
            numbers=_numbers(document),
            figures=_figures(document),
            adversaries=[_adversary(s, s is first) for s in sorted(winning(document), key=lambda s: s is not first)],
            idle=words.idle(document),
            fixed_streams=evidence.fixed_streams(document),
            requirements=tables.present([tables.requirements(document)]),
            findings=tables.present(make(document) for make in (tables.lifts, tables.bound)),
            checklist=tables.checklist(document),
            blocks=_blocks(document),
            methods=words.METHODS,
            sections=_sections(document["sections"]),
            provenance=tables.provenance(document),
        )
    )


def page_of_sections(
    title: str,
    lead: str,
    sections: Sequence[Mapping[str, Any]],
    *,
    asked: Mapping[str, str],
    provenance: Mapping[str, Any],
) -> str:
    """Titled tables and figures, as a record's `sections` holds them, as a page of their own.

    Args:
        title: The page's.
        lead: What they show, in a sentence.
        sections: The tables and figures.
        asked: What they answer, name by name.
        provenance: As in a record.
    """
    template = _environment().get_template("sections.html.j2")
    return template.render(
        title=plain(title),
        lead=plain(lead),
        asked=tables.facts(asked),
        sections=_sections(sections),
        provenance=tables.provenance_of(provenance),
    )


def page_of_cases(
    title: str,
    lead: str,
    cases: Sequence[Mapping[str, Any]],
    failed: Sequence[Mapping[str, Any]],
    provenance: Mapping[str, Any],
    own: Mapping[str, Any],
) -> str:
    """Many audits as one page that leads to the page of each.

    Args:
        title: The page's.
        lead: What they come to, in a sentence.
        cases: Each with `name`, `page` (a relative address, or None), `result`, `badge`, `certified`, `epsilon` and
            `seconds`.
        failed: What is not as it should be: `name`, `page` and `lines`.
        provenance: As in a record.
        own: What its author says: `title`, `note`.
    """
    template = _environment().get_template("cases.html.j2")
    return template.render(
        title=plain(title),
        lead=plain(lead),
        own=_own(own),
        cases=cases,
        failed=failed,
        provenance=tables.provenance_of(provenance),
    )


def _own(page: Mapping[str, Any]) -> dict[str, Any]:
    """What the author of a page says, line by line."""
    note = page.get("note", "")
    return {"title": plain(page.get("title", "")), "note": [plain(line) for line in note.split("\n")] if note else []}


def _sections(sections: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Heading, text, table and picture of each."""
    return [
        {
            "title": plain(one.get("title", "")),
            "text": plain(one.get("text", "")),
            "table": tables.section(one),
            "svg": Markup(svg.lines_svg(one["figure"], f"section-{i}")) if one.get("figure") else "",
        }
        for i, one in enumerate(sections, 1)
    ]


def _numbers(document: Document) -> list[Any]:
    if headline.nothing_known(document):
        return []
    made = (tables.deltas, tables.epsilons, tables.deltas_at_epsilons, tables.constants)
    return tables.present(make(document) for make in made)


def _figures(document: Document) -> list[dict[str, Any]]:
    """Both pictures, each with its numbers, where anything is known; matplotlib makes the SVG, without foreign text."""
    thinned = evidence.thinned(document)
    if headline.nothing_known(document):
        return []
    return [
        {
            "svg": Markup(svg.profile_svg(document)),
            "caption": "δ against ε. The upper axis shows e^ε.",
            "note": thinned,
            "tables": [evidence.profile(document)],
        },
        {
            "svg": Markup(svg.power_svg(document)),
            "caption": "Power functions: the most an event can weigh in world 1, given its weight in world 0.",
            "note": thinned,
            "tables": [evidence.vertices(document, side) for side in words.SIDES],
        },
    ]


def _adversary(strategy: Mapping[str, Any], shown: bool) -> dict[str, Any]:
    return {
        "title": words.strategy_title(strategy),
        "open": shown,
        "nodes": len(strategy["nodes"]),
        "tree": tree(strategy),
        "event": evidence.event(strategy),
        "check": words.hand_check(strategy),
    }


def _blocks(document: Document) -> dict[str, list[dict[str, Any]]]:
    """The evidence by where it stands, each piece with its picture; only the first that refutes is unfolded."""
    made = {"claims": conditions.claims, "refuted": conditions.refuted, "certified": conditions.certified}
    return {
        place: [
            _drawn(block, f"{place}-{i}", i == 1 and place == "refuted") for i, block in enumerate(make(document), 1)
        ]
        for place, make in made.items()
    }


def _drawn(block: Block, name: str, unfolded: bool) -> dict[str, Any]:
    picture = Markup(svg.rounds_svg(block.curves, name)) if block.curves else ""
    return {"block": block, "svg": picture, "open": unfolded}


def _powers(text: str) -> Markup:
    """Our own words with e^ε raised; everything else escaped."""
    return Markup(escape(text).replace("e^ε", Markup("e<sup>ε</sup>")))


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here, for a record without a page needs none of it

    made = Environment(
        loader=PackageLoader("dpcert.audit.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["powers"] = _powers
    return made
