"""A record as one HTML page: no network, no script, everything folds without JavaScript."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from dpcert.audit.render import (
    certificate,
    conditions,
    context,
    evidence,
    facts,
    figures,
    headline,
    numbers,
    plainly,
    reproduction,
    risk,
    tables,
    words,
)
from dpcert.audit.render.cells import Table, plain
from dpcert.audit.render.conditions import Block
from dpcert.audit.render.explained import Explainer, glossary
from dpcert.audit.render.shades import shades_svg
from dpcert.audit.render.tree import chosen, tree, winning
from dpcert.audit.render.words import Document

if TYPE_CHECKING:
    from jinja2 import Environment


MOST_CARRIED = 8_000_000
"""Characters of a certificate past which a page names it by its digest, and does not carry it."""


def page(document: Mapping[str, Any], certificate: str = "") -> str:
    """The report of one audit as a self-contained HTML page, with its certificate to download where there is one."""
    first = chosen(document)
    return _made(
        "page.html.j2",
        title=words.title(document),
        target=plain(document["target"]),
        own=_own(document.get("page", {})),
        about=plain((document["provenance"].get("subject") or {}).get("about", "")),
        badge=headline.badge(document),
        anybody=plainly.anybody(document),
        odds=plainly.odds(document),
        headline=words.headline(document),
        remarks=words.remarks(document),
        facts=facts.facts(document),
        requirements=[replace(one, caption="") for one in tables.present([tables.requirements(document)])],
        certificate_first=bool(document["bound"]),
        bound=tables.present([tables.bound(document)]),
        sections=_sections(document["sections"]),
        checklist=tables.conditions(document),
        lifts=tables.present([tables.lifts(document)]),
        figures=_figures(document),
        risk=_risk(document),
        numbers=_numbers(document),
        blocks=_blocks(document),
        sampled="sampled" in document,
        adversaries=[_adversary(s, s is first) for s in sorted(winning(document), key=lambda s: s is not first)],
        unfolded=document["verdict"] == "REFUTED",
        idle=words.idle(document),
        fixed_streams=evidence.fixed_streams(document),
        methods=words.METHODS,
        context=context.tables(document),
        certificate=_carried(certificate),
        glossary=glossary(),
        **_origin(document),
    )


def _origin(document: Mapping[str, Any]) -> dict[str, Any]:
    """Where the record is from, and how it is made again."""
    return {
        "made": _made_when(document["provenance"]),
        "subject": _subject(document["provenance"]),
        "digests": [plain(document[name]) for name in ("source_digest", "kernel_digest")],
        "location": tables.provenance(document),
        "steps": reproduction.steps(document),
        "command": reproduction.command(document),
        "digest": reproduction.digest(document),
    }


def _carried(certificate: str) -> dict[str, str]:
    """A certificate as a link that holds it, and its digest; no link where it is too long."""
    if not certificate:
        return {}
    content = certificate.encode()
    link = f"data:application/jsonl;base64,{b64encode(content).decode()}" if len(content) <= MOST_CARRIED else ""
    return {"digest": f"sha256:{sha256(content).hexdigest()}", "link": link}


def _subject(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The user's code as text, without what a terminal or a page would act on."""
    subject = provenance.get("subject") or {}
    lines = str(subject.get("code", "")).splitlines()
    return {"code": "\n".join(map(plain, lines)), "lines": len(lines), "cut": bool(subject.get("cut"))}


def _made_when(provenance: Mapping[str, Any]) -> str:
    """The day, and the versions that ran."""
    day = plain(provenance.get("time", "on an unknown day")).partition("T")[0]
    version, python = provenance.get("versions", {}).get("dpcert", "unknown"), provenance.get("python", "unknown")
    return f"{day} · dpcert {plain(version)} · Python {plain(python)}"


def page_of_sections(
    title: str,
    lead: str,
    sections: Sequence[Mapping[str, Any]],
    *,
    facts: Mapping[str, str],
    provenance: Mapping[str, Any],
) -> str:
    """Titled tables and figures, as a record's `sections` holds them, as a page of their own.

    Args:
        title: The page's.
        lead: What they show, in a sentence.
        sections: The tables and figures.
        facts: What they answer, name by name.
        provenance: As in a record.
    """
    return _made(
        "sections.html.j2",
        title=plain(title),
        lead=plain(lead),
        asked=tables.facts(facts),
        sections=_sections(sections),
        provenance=tables.provenance_of(provenance),
    )


def page_of_cases(
    title: str,
    lead: str,
    cases: Sequence[Mapping[str, Any]],
    failures: Sequence[Mapping[str, Any]],
    provenance: Mapping[str, Any],
    own: Mapping[str, Any],
) -> str:
    """Many audits as one page that leads to the page of each.

    Args:
        title: The page's.
        lead: What they come to, in a sentence.
        cases: Each with `name`, `page` (a relative address, or None), `result`, `badge`, `certified`, `epsilon` and
            `seconds`.
        failures: What is not as it should be: `name`, `page` and `lines`.
        provenance: As in a record.
        own: What its author says: `title`, `note`.
    """
    return _made(
        "cases.html.j2",
        title=plain(title),
        lead=plain(lead),
        own=_own(own),
        cases=cases,
        failed=failures,
        provenance=tables.provenance_of(provenance),
    )


def _own(page: Mapping[str, Any]) -> dict[str, Any]:
    """What the author of a page says, line by line."""
    note = page.get("note", "")
    return {"title": plain(page.get("title", "")), "note": [plain(line) for line in note.split("\n")] if note else []}


def _made(template: str, **given: Any) -> str:
    """A template filled in; every page explains words where it first uses them."""
    return _environment().get_template(template).render(explain=Explainer(), **given)


def _sections(sections: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Heading, text, table and picture of each."""
    return [
        {
            "title": plain(one.get("title", "")),
            "text": plain(one.get("text", "")),
            "table": tables.section(one),
            "svg": _picture(one, f"section-{i}"),
        }
        for i, one in enumerate(sections, 1)
    ]


def _picture(one: Mapping[str, Any], name: str) -> Markup | str:
    """The curves of a section, or its shaded cells."""
    if one.get("figure"):
        return Markup(figures.lines_svg(one["figure"], name))
    return Markup(shades_svg(one["shades"], name)) if one.get("shades") else ""


def _numbers(document: Document) -> list[Any]:
    if headline.nothing_known(document):
        return []
    made = (numbers.epsilons, numbers.deltas, numbers.deltas_at_epsilons, tables.constants)
    return [numbers.aligned(table) for table in tables.present(make(document) for make in made)]


def _risk(document: Document) -> list[Table]:
    """What the curves mean for one person; what gives an input away for sure stands apart."""
    if headline.nothing_known(document):
        return []
    return [replace(numbers.aligned(risk.risk(document)), caption=""), numbers.aligned(risk.disclosure(document))]


def _figures(document: Document) -> list[dict[str, Any]]:
    """The pictures, each with its numbers, where anything is known; foreign text in them is escaped."""
    note = evidence.thinned(document)
    if headline.nothing_known(document):
        return []
    vertices = [evidence.vertices(document, side) for side in words.SIDES]
    drawings = [
        _figure(
            figures.power_svg(document), "True against false positives: a better test lies higher.", note, vertices
        ),
        _figure(figures.rare_svg(document), "The same for rare alarms, on logarithmic axes, for either world.", note),
    ]
    if not document["vacuous"]:
        caption = "δ against ε, δ on a logarithmic axis. The upper axis shows e^ε."
        drawings.insert(0, _figure(figures.profile_svg(document), caption, note, [evidence.profile(document)]))
    if rounds := certificate.leakage(document):
        caption = (
            "What the core's release of each round tells by itself, in the worst case; given the inputs, these are "
            "independent, and what is published is made of them."
        )
        drawings.append(_figure(figures.leakage_svg(rounds), caption))
    return [one | {"number": number} for number, one in enumerate(drawings, 1)]


def _figure(picture: str, caption: str, note: str = "", behind: Sequence[Table] = ()) -> dict[str, Any]:
    return {"svg": Markup(picture), "caption": caption, "note": note, "tables": behind}


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
    makers = {"claims": conditions.claims, "refuted": conditions.refuted, "certified": conditions.certified}
    return {
        place: [
            _drawn(block, f"{place}-{i}", i == 1 and place == "refuted") for i, block in enumerate(make(document), 1)
        ]
        for place, make in makers.items()
    }


def _drawn(block: Block, name: str, unfolded: bool) -> dict[str, Any]:
    picture = Markup(figures.rounds_svg(block.curves, name)) if block.curves else ""
    return {"block": block, "svg": picture, "open": unfolded}


def _raised(text: object) -> Markup:
    """Our own words with e^ε raised; everything else escaped."""
    return Markup(escape(text).replace("e^ε", Markup("e<sup>ε</sup>")))


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here, for a record without a page needs none of it

    from dpcert.audit.render.compiled import KeptBeside

    environment = Environment(
        loader=PackageLoader("dpcert.audit.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.bytecode_cache = KeptBeside(environment)
    environment.filters["powers"] = _raised
    return environment
