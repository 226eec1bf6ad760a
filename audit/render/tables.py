"""The tables of a report, for the page and the text alike."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from json import dumps
from typing import Any

from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.frozen import frozen
from dpcert.audit.games.question import differing
from dpcert.audit.render.cells import Cell, Table, bracket, enclosure, ends_of, listing, number, plain, words
from dpcert.audit.render.words import SIDES, Document, delta_cell, verdict_of

CHECKLIST = "Checklist 1"


def scope(document: Document) -> Table:
    """What the audit covers."""
    scope_document = document["scope"]
    challenge = scope_document["challenge_round"]
    game = {
        "paired": "paired: in each round the adversary submits one input for each world",
        "npp": "neighbour-preserving: both branches take both streams, and the observer sees both hidden outputs",
    }
    differ = differing(scope_document["adjacency"]) if challenge is None else f"in round {challenge}"
    pairs = {
        "Mechanism": document["target"],
        "Scope": scope_document["text"],
        "Horizon": f"{scope_document['horizon']} round{'s' if scope_document['horizon'] > 1 else ''}",
        "Alphabet": listing(scope_document["alphabet"]),
        "Adjacency": scope_document["adjacency"]
        + (f", {scope_document['hops']} hops" if scope_document["hops"] > 1 else ""),
        "Streams differ": differ,
        "Game": game.get(document["game"], document["game"]),
        "Positions solved": scope_document["positions"],
    } | {f"Parameter {name}": value for name, value in document["parameters"].items()}
    return _pairs("Scope", pairs)


def provenance(document: Document) -> Table:
    """Where the record comes from."""
    location, origin = document["location"], document["provenance"]
    line = "" if location["line"] is None else f", line {location['line']}"
    pairs = {
        "Source digest": document["source_digest"],
        "Kernel digest": document["kernel_digest"],
        "Location": "unknown" if location["file"] is None else f"{location['file']}{line}",
        "Record": document["schema"],
    }
    return _pairs("Provenance", pairs | _computed(origin))


def provenance_of(origin: Mapping[str, Any]) -> Table:
    """Where a page comes from that no record is behind."""
    return _pairs("Provenance", _computed(origin))


def facts(pairs: Mapping[str, str]) -> Table:
    """What was asked, name by name."""
    return _pairs("Asked", pairs)


def _computed(origin: Mapping[str, Any]) -> dict[str, str]:
    """The command, the time, what it ran on, and the commit."""
    git = origin.get("git")
    return ({} if git is None else {"Commit": commit(git)}) | {
        "Command": " ".join(["dpcert", *origin["command"]]) if origin.get("command") else "called from Python",
        "Computed": f"{origin.get('time', 'unknown')}, in {origin.get('seconds', 'unknown')} s",
        "Versions": ", ".join(f"{name} {version}" for name, version in origin.get("versions", {}).items()),
        "Platform": f"Python {origin.get('python', 'unknown')}, {origin.get('platform', 'unknown')}",
    }


def commit(git: Mapping[str, Any]) -> str:
    """The commit that was audited, and whether all of it was committed."""
    if git["commit"] is None:
        return f"not known: {git.get('why', 'git does not say')}"
    changed = {True: "with changes that are not in it", False: "with nothing changed", None: "changed or not, unknown"}
    return f"{git['commit']}, {changed[git['dirty']]}"


def _pairs(caption: str, pairs: Mapping[str, Any]) -> Table:
    return Table(caption, ("", ""), tuple((Cell(plain(name)), words(value)) for name, value in pairs.items()))


def deltas(document: Document) -> Table:
    """delta at each e^epsilon asked for, and how much feedback adds."""
    adaptive, fixed = (document[side] for side in SIDES)
    rows = tuple(
        (number(one["exp_epsilon"]), delta_cell(adaptive, i), delta_cell(fixed, i), _gap(adaptive, fixed, i))
        for i, one in enumerate(adaptive["delta"])
    )
    return Table("δ against e^ε", ("e^ε", "adaptive δ", "fixed-stream δ", "gap"), rows, deltas_note(document))


def deltas_note(document: Document) -> str:
    """How the numbers are to be read."""
    note = "δ is two-sided: the larger over both orders of the worlds. "
    note += "Fractions are exact; ≈ marks a decimal that is rounded up."
    if any(document[side]["tier"] != "exact" for side in SIDES):
        note += " Where a number is known between two bounds, their decimals are rounded outward."
    return note


def _gap(adaptive: Mapping[str, Any], fixed: Mapping[str, Any], row: int) -> Cell:
    low = parse(adaptive["delta"][row]["lower"], "delta") - parse(fixed["delta"][row]["upper"], "delta")
    high = parse(adaptive["delta"][row]["upper"], "delta") - parse(fixed["delta"][row]["lower"], "delta")
    return bracket(text(max(low, Fraction(0))), text(high))


def constants(document: Document) -> Table:
    """Numbers that need no epsilon."""
    keys = {
        "largest likelihood ratio": "largest_ratio",
        "total variation (δ at ε = 0)": "total_variation",
        "δ as ε grows without bound": "delta_at_infinity",
    }
    rows = [(Cell(name), *(bracket(*ends_of(document[side], key)) for side in SIDES)) for name, key in keys.items()]
    return Table("Whole curves", ("", "adaptive", "fixed stream"), tuple(rows))


def epsilons(document: Document) -> Table:
    """The least epsilon for each delta asked for."""
    rows = []
    for i, one in enumerate(document["adaptive"]["epsilon"]):
        sides = [_ends(document[side], "epsilon", i) for side in SIDES]
        slopes = [bracket(low["exp_epsilon"], high["exp_epsilon"]) for low, high in sides]
        adaptive, fixed = ((_interval(*s), e) for s, e in zip(sides, slopes, strict=True))
        rows.append((number(one["delta"]), *adaptive, *fixed))
    columns = ("δ", "adaptive ε", "adaptive e^ε", "fixed-stream ε", "fixed-stream e^ε")
    note = "Intervals hold the true ε; decimals are rounded outward."
    return Table("Least ε for a given δ", columns, tuple(rows), note)


def deltas_at_epsilons(document: Document) -> Table:
    """delta at each epsilon asked for in nats."""
    rows = tuple(
        (number(one["epsilon"]), *(_interval(*_ends(document[side], "delta_at_epsilon", i)) for side in SIDES))
        for i, one in enumerate(document["adaptive"]["delta_at_epsilon"])
    )
    note = "Intervals hold the true δ; decimals are rounded outward."
    return Table("δ at a given ε", ("ε", "adaptive δ", "fixed-stream δ"), rows, note)


def _ends(curve: Mapping[str, Any], key: str, row: int) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    low, high = curve.get("lower", curve)[key][row], curve[key][row]
    return low, high


def _interval(low: Mapping[str, Any], high: Mapping[str, Any]) -> Cell:
    return enclosure(low["lower"], high["upper"])


def lifts(document: Document) -> Table:
    """Does the fixed-stream guarantee carry over to adaptive adversaries?"""
    names = {"curve": "the whole curve", "pure": "pure ε"}
    rows = tuple(_finding(names.get(name, name), found) for name, found in document["lifts"].items() if found)
    return Table("Does the fixed-stream guarantee lift?", ("what", "verdict", "method", "detail"), rows)


PURE_LIFTS = "Pure-ε guarantees lift anyway."


@frozen
class ConditionRows:
    """One condition of Checklist 1: its name, its row, and a row for each rung that was tried."""

    name: str
    row: tuple[Cell, ...]
    rungs: tuple[tuple[Cell, ...], ...]


def conditions(document: Document) -> list[ConditionRows]:
    """The five conditions, each with the strongest rung that was decided and those that were tried."""
    rows = []
    for one in document["checklist"]:
        name = one["item"].replace("_", " ").lower()
        rung = f", rung {plain(one['rung'])}" if one.get("rung") else ""
        tried = (each for each in one.get("rungs", ()) if isinstance(each, Mapping))
        rungs = tuple(_finding(f"- {each.get('rung', 'rung')}", each) for each in tried)
        rows.append(ConditionRows(name, _finding(name + rung, one | _pure_lifts(document, one)), rungs))
    return rows


def checklist(document: Document) -> Table:
    """The five conditions, and for each the strongest rung that was decided."""
    rows = tuple(row for one in conditions(document) for row in (one.row, *one.rungs))
    return Table(CHECKLIST, ("condition", "verdict", "method", "detail"), rows)


def _pure_lifts(document: Document, condition: Mapping[str, Any]) -> dict[str, str]:
    """The detail of a failed condition, with what it leaves standing. Source: claim 71."""
    pure = document["lifts"].get("pure") or {}
    none = (pure.get("witness") or {}).get("largest_ratio") == "infinite"
    if verdict_of(condition) != "REFUTED" or verdict_of(pure) != "HOLDS" or none:
        return {}
    return {"detail": f"{condition.get('detail', '')} {PURE_LIFTS}".strip()}


def undecided_checklist(document: Document) -> str:
    """The whole checklist in one line when nothing in it was decided."""
    if not document["checklist"] or any(verdict_of(one) != "UNDECIDED" for one in document["checklist"]):
        return ""
    details = {plain(one["detail"]) for one in document["checklist"]}
    return f"{CHECKLIST}: all {len(document['checklist'])} conditions UNDECIDED ({'; '.join(sorted(details))})."


def requirements(document: Document) -> Table:
    """What the caller asked to hold, and whether it does."""
    rows = tuple(_finding(_named(one), one) for one in document["requirements"])
    return Table("Requirements", ("requirement", "verdict", "method", "detail"), rows)


def _named(one: Mapping[str, Any]) -> str:
    return next((str(one[key]) for key in ("requirement", "name", "claim", "item") if key in one), "requirement")


def _finding(name: str, finding: Mapping[str, Any]) -> tuple[Cell, ...]:
    verdict = Cell(verdict_of(finding), verdict=True)
    method = plain(finding.get("method") or "none")
    if finding.get("scope") == "every horizon" and method != "none":
        method += ", every horizon"
    return words(name), verdict, Cell(method), words(finding.get("detail", ""))


def section(one: Mapping[str, Any]) -> Table:
    """The table of a section that a mechanism adds."""
    columns = tuple(plain(c) for c in one.get("columns", ()))
    return Table("", columns, tuple(tuple(_value(v) for v in row) for row in one.get("rows", ())))


def titled(one: Mapping[str, Any]) -> Table:
    """The same under its title, for text."""
    return replace(section(one), caption=plain(one.get("title", "")))


def bound(document: Document) -> Table:
    """What is proven of the mechanism, and how much of it the exact curve uses."""
    rows = []
    for one in (document["bound"] or {}).get("used", ()):
        share = "none allowed" if one["used"] is None else f"{up(100 * parse(one['used'], 'used'), 3)} %"
        rows.append((number(one["exp_epsilon"]), number(one["exact"]), number(one["bound"]), Cell(share)))
    at_most = "" if document["adaptive"]["tier"] == "exact" else ", at most"
    columns = ("e^ε", f"adaptive δ{at_most}", "bound δ", f"used{at_most}")
    return Table("Exact curve against the proven bound", columns, tuple(rows))


def _value(value: Any) -> Cell:
    return words(value if isinstance(value, str) else dumps(value, ensure_ascii=False))


def present(tables: Iterable[Table]) -> list[Table]:
    """The tables that have rows."""
    return [table for table in tables if table.rows]
