"""What is known of a mechanism's use, from the guarantee down to the data, and how: computed, proved, declared or not.

The order is that of the pyramid in NIST SP 800-226: what stands above is worth no more than what it rests on.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.rational import parse
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import rounds_in_words
from dpcert.audit.games.question import differing
from dpcert.audit.render import headline
from dpcert.audit.render.cells import Cell, Table, bracket, ends_of, number, plain, stated, words
from dpcert.audit.render.curves import CurveBracket
from dpcert.audit.render.words import Document, curve_sentence, verdict_of

EVERY_HORIZON = "every horizon"
IDLE = "Nothing can happen in these rounds, so this says nothing of longer use."
SETTLED_BY_FORM = ("BY_CONSTRUCTION", "SYMBOLIC")
"""Methods that say something of all cases at once."""


class KnownBy(StrEnum):
    """How something is known: by numbers of this audit, by a theorem, by somebody's word, or not at all."""

    COMPUTED = "computed"
    PROVED = "proved"
    DECLARED = "declared"
    NOT_EXAMINED = "not examined"


@frozen
class PyramidRow:
    """One item of the table.

    Attributes:
        level: The part of the pyramid.
        item: What it is about.
        standing: How it is known.
        text: What is known, or why nothing is.
        field: Where the record has it, as `scope.horizon`; empty where nothing is known.
    """

    level: str
    item: str
    standing: KnownBy
    text: str
    field: str = ""


Found = tuple[KnownBy, str, str]
"""How something is known, what, and where the record has it."""
GUARANTEE, ALGORITHM, DEPLOYMENT = "The guarantee", "The algorithm", "The deployment"
SAMPLED = {
    "sampler": "Runs of the sampler itself were seen, from seeds of the audit; where it gets its own is not seen.",
    "floating_point": "Runs were compared as they came; what rounding tells beyond the learnt events is not seen.",
}
"""What is said of two items where only samples were seen."""
LEVELS = {
    GUARANTEE: "What is promised, to whom, for how long.",
    ALGORITHM: "Whether what is audited keeps the promise, and what of the program no audit of laws sees.",
    DEPLOYMENT: "What the promise rests on, and dpcert cannot see.",
}
"""Levels of the pyramid from its top, each with what it is about."""


def rows(document: Document) -> tuple[PyramidRow, ...]:
    """The table of a record, from the top of the pyramid to its ground.

    Args:
        document: A record; what it declares stands in its `context`, if it has one.
    """
    return tuple(
        PyramidRow(level, item, *found)
        for level, item, find in (*_GUARANTEE, *_ALGORITHM, *_DEPLOYMENT)
        if (found := find(document)) is not None
    )


def tables(document: Document) -> list[Table]:
    """The same as tables, one a level."""
    pyramid = rows(document)
    return [
        Table(
            level,
            ("item", "known by", "what is known"),
            tuple(_cells(row) for row in pyramid if row.level == level),
            note,
        )
        for level, note in LEVELS.items()
    ]


def _cells(row: PyramidRow) -> tuple[Cell, ...]:
    open_ = row.standing is KnownBy.NOT_EXAMINED
    return Cell(row.item), Cell(row.standing.value, marked=open_), words(row.text)


def epsilon_at_most(document: Document, delta: Fraction) -> Fraction | None:
    """An epsilon that adaptive adversaries do not exceed at a delta, over the record's rounds; None if none is known.

    Args:
        document: A record.
        delta: In [0, 1].
    """
    return CurveBracket.of(document["adaptive"]).upper.epsilon_for(delta).upper


def covered(document: Document) -> str:
    """How long a mechanism is observed for the record's numbers to hold, in words."""
    return EVERY_HORIZON if settled(document) else rounds_in_words(document["scope"]["horizon"])


def settled(document: Document) -> bool:
    """Whether the record's curve is that of every horizon, by theorem."""
    known = document.get("headline") or {}
    said = (
        known.get("privacy", {}).get("scope") == EVERY_HORIZON and document["lifts"]["curve"]["scope"] == EVERY_HORIZON
    )
    return bool(document["scope"].get("every_horizon") and said and _rung(document) and _holds(document))


def declared(document: Document, *keys: str) -> Any:
    """What the record's context says under a key, or a key of a table of it; None where it says nothing."""
    found: Any = document.get("context") or {}
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _rung(document: Document) -> str | None:
    """The certificate that holds, by its rung; None where another condition does not, for it proves nothing then."""
    if any(verdict_of(one) != "HOLDS" for one in document["checklist"]):
        return None
    return next((plain(one["rung"]) for one in document["checklist"] if one.get("rung")), None)


def _holds(document: Document) -> bool:
    return verdict_of(document["lifts"]["curve"]) == "HOLDS"


def _loss(document: Document) -> Found:
    if headline.nothing_known(document):
        return KnownBy.NOT_EXAMINED, f"Not known. {plain(document['lifts']['curve'].get('detail', ''))}".strip(), ""
    where = "headline.privacy" if document.get("headline") else "adaptive.total_variation"
    text = f"{headline.privacy(document)} Against adversaries that adapt.{_idle(document)}"
    return KnownBy.COMPUTED, text, where


def _idle(document: Document) -> str:
    return f" {IDLE}" if document["vacuous"] else ""


def _at_own_delta(document: Document) -> Found | None:
    """epsilon at the delta that the organisation goes by."""
    own = declared(document, "delta")
    if own is None:
        return None
    delta = parse(own, "delta")
    most, at = epsilon_at_most(document, delta), stated("δ", number(own))
    if most is not None:
        text = f"ε of at most {up(most)} at {at}, over {covered(document)}.{_idle(document)}"
        return KnownBy.COMPUTED, text, "adaptive.power"
    if parse(str(ends_of(document["adaptive"], "delta_at_infinity")[0]), "delta") > delta:
        return KnownBy.COMPUTED, f"None: there is no ε at {at}.", "adaptive.delta_at_infinity"
    return KnownBy.NOT_EXAMINED, f"Not decided: no upper bound of ε is known at {at}.", ""


def _disclosure(document: Document) -> Found:
    low, high = ends_of(document["adaptive"], "delta_at_infinity")
    if (low, high) == ("0", "1"):
        return KnownBy.NOT_EXAMINED, "Not decided: nothing is known of δ as ε grows without bound.", ""
    text = f"δ as ε grows without bound: {bracket(low, high).inline}."
    return KnownBy.COMPUTED, text, "adaptive.delta_at_infinity"


def _relation(document: Document) -> Found:
    scope = document["scope"]
    challenge, hops = scope["challenge_round"], "" if scope["hops"] == 1 else f", {scope['hops']} hops apart"
    where = differing(scope["adjacency"]) if challenge is None else f"in round {challenge}"
    text = f"The numbers are for streams that differ {where} ({plain(scope['adjacency'])}{hops})."
    return KnownBy.COMPUTED, f"{text} That one unit changes no more than this is not examined.", "scope.adjacency"


def _rounds(document: Document) -> Found:
    scope = document["scope"]
    said = plain(scope["text"])
    seen = f"{said[:1].upper()}{said[1:]}; {scope['positions']} positions solved."
    cut = f" Cut short, so that numbers are bounds: {plain(scope['stopped'])}." if "stopped" in scope else ""
    return KnownBy.COMPUTED, seen + cut, "scope.horizon"


def _later(document: Document) -> Found:
    if settled(document):
        return (
            KnownBy.PROVED,
            f"The curve is that of every horizon, by theorem, from rung {_rung(document)}.",
            "lifts.curve",
        )
    return KnownBy.NOT_EXAMINED, f"The numbers are of {covered(document)}; longer use may leak more.", ""


def _adaptive(document: Document) -> Found:
    """Do adversaries that adapt learn more than fixed streams?"""
    finding = document["lifts"]["curve"]
    text = f"{curve_sentence(document)} Scope: {plain(finding['scope'])}."
    if verdict_of(finding) == "UNDECIDED":
        return KnownBy.NOT_EXAMINED, f"Not decided. {text}", ""
    proved = _holds(document) and (_rung(document) is not None or finding["method"] in SETTLED_BY_FORM)
    return (KnownBy.PROVED if proved else KnownBy.COMPUTED), text, "lifts.curve"


def _certificate(document: Document) -> Found:
    """Checklist 1 in a line."""
    entries = document["checklist"]
    if not entries:
        return KnownBy.NOT_EXAMINED, "Checklist 1 is no part of this game.", ""
    conditions = {
        verdict: [_item(one) for one in entries if verdict_of(one) == verdict] for verdict in ("REFUTED", "UNDECIDED")
    }
    count = f"{len(entries) - sum(map(len, conditions.values()))} of {len(entries)} conditions of Checklist 1 hold"
    if conditions["REFUTED"]:
        sort = "exact" if document["adaptive"]["tier"] == "exact" else "bounds"
        failed, left = (", ".join(conditions[verdict]) for verdict in ("REFUTED", "UNDECIDED"))
        open_ = f"; not decided: {left}" if left else ""
        text = f"{count}; refuted: {failed}{open_}. The numbers above are {sort} without it, for their rounds."
        return KnownBy.COMPUTED, text, "checklist"
    if conditions["UNDECIDED"]:
        return KnownBy.NOT_EXAMINED, f"Not decided: {', '.join(conditions['UNDECIDED'])}. {count}.", ""
    scopes = "; ".join(dict.fromkeys(plain(one["scope"]) for one in entries))
    return KnownBy.PROVED, f"{count}, stable cost by rung {_rung(document)}. Scope: {scopes}.", "checklist"


def _item(condition: Mapping[str, Any]) -> str:
    return plain(condition["item"]).replace("_", " ").lower()


def _bound(document: Document) -> Found | None:
    """The mechanism's own bound, in the game that has one."""
    bound = document["bound"]
    if not bound:
        return None
    text = f"{verdict_of(bound)}: {plain(bound['detail'])}"
    if verdict_of(bound) == "UNDECIDED":
        return KnownBy.NOT_EXAMINED, f"Not decided. {text}", ""
    return KnownBy.COMPUTED, text, "bound"


def _asked_for(document: Document) -> Found | None:
    """What the caller asked to hold."""
    requirements = document["requirements"]
    if not requirements:
        return None
    text = headline.asked_for(document)
    if all(verdict_of(one) == "UNDECIDED" for one in requirements):
        return KnownBy.NOT_EXAMINED, text, ""
    return KnownBy.COMPUTED, text, "requirements"


def _code(document: Document) -> Found:
    kind, which = declared(document, "code"), declared(document, "implementation")
    parts = [{"own": "Own code.", "library": "A library."}[kind]] if kind else []
    parts += [plain(which)] if which else []
    if parts:
        return KnownBy.DECLARED, " ".join(parts), "context.code" if kind else "context.implementation"
    return KnownBy.NOT_EXAMINED, "Not declared: whether what runs is own code or a library.", ""


def _unit(document: Document) -> Found:
    name = declared(document, "unit", "name")
    if name:
        return KnownBy.DECLARED, plain(name), "context.unit.name"
    return KnownBy.NOT_EXAMINED, "Not declared: what one unit is, a person or a visit.", ""


def _situations(document: Document) -> Found:
    both = declared(document, "unit", "situations")
    if both:
        return KnownBy.DECLARED, " | ".join(map(plain, both)), "context.unit.situations"
    return KnownBy.NOT_EXAMINED, "Not declared: which two situations nobody is to tell apart.", ""


def _contribution(document: Document) -> Found:
    bound, resets = declared(document, "unit", "contribution"), declared(document, "unit", "resets")
    parts = [plain(bound)] if bound else ["Not declared: how many inputs one unit contributes."] if resets else []
    if not parts:
        return (
            KnownBy.NOT_EXAMINED,
            "Not declared: how many inputs one unit contributes, and when that starts anew.",
            "",
        )
    parts.append(f"Starts anew: {plain(resets)}" if resets else "Whether it starts anew is not declared.")
    return KnownBy.DECLARED, " / ".join(parts), f"context.unit.{'contribution' if bound else 'resets'}"


def _said(missing: str, *keys: str) -> Callable[[Document], Found]:
    """What the context says under some keys, one after the other."""

    def found(document: Document) -> Found:
        said = {key: plain(value) for key in keys if (value := declared(document, key)) is not None}
        if said:
            return KnownBy.DECLARED, ": ".join(said.values()), f"context.{next(iter(said))}"
        return KnownBy.NOT_EXAMINED, SAMPLED.get(keys[0], missing) if "sampled" in document else missing, ""

    return found


_Row = tuple[str, str, Callable[[Document], Found | None]]


def _level(level: str, items: Mapping[str, Callable[[Document], Found | None]]) -> Iterator[_Row]:
    yield from ((level, item, find) for item, find in items.items())


_GUARANTEE = tuple(
    _level(
        GUARANTEE,
        {
            "Privacy loss": _loss,
            "Privacy loss at the organisation's δ": _at_own_delta,
            "Chance of certain disclosure": _disclosure,
            "Unit of privacy": _unit,
            "Situations not to be told apart": _situations,
            "Contribution of one unit": _contribution,
            "Neighbouring relation": _relation,
            "Rounds": _rounds,
            "Later rounds": _later,
        },
    )
)
_ALGORITHM = tuple(
    _level(
        ALGORITHM,
        {
            "Adversaries that adapt": _adaptive,
            "Certificate": _certificate,
            "Proven bound": _bound,
            "What was asked for": _asked_for,
            "Code": _code,
            "Sampler": _said("The audit is of the laws; how a program draws from them is not seen.", "sampler"),
            "Floating point": _said(
                "The audit is of exact laws; what rounding in the program tells is not seen.", "floating_point"
            ),
            "Timing and other side channels": _said(
                "Releases alone are observed, not time, memory, traffic or errors.", "side_channels"
            ),
            "Utility and bias": _said("Not declared: how useful releases are, and for whom less.", "utility"),
        },
    )
)
_DEPLOYMENT = tuple(
    _level(
        DEPLOYMENT,
        {
            "Query model": _said("Not declared: what may be asked, and by whom.", "query_model", "queries"),
            "Trust model": _said("Not declared: who sees data before noise.", "trust_model", "trust"),
            "Other releases from the same data": _said(
                "Not declared, and not in the numbers: every other release adds to them.", "other_releases"
            ),
            "At exhaustion": _said("Not declared: what happens once the rounds are used up.", "at_exhaustion"),
            "Security and access control": _said("Not declared: who can reach data and machine.", "security"),
            "Data collection": _said("Not declared: who sees data on their way in.", "collection"),
        },
    )
)
