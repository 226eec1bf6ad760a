"""Does a record agree with itself? What it claims of its own curves, findings, verdict and badge, computed anew."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.power import ORDERS, PowerFunction
from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.checklist.ladder import EVERY_HORIZON
from dpcert.audit.defaults import DEFAULT_DELTA
from dpcert.audit.errors import one_line
from dpcert.audit.finding import Verdict, worst
from dpcert.audit.games.horizon import rounds_in_words
from dpcert.audit.records import consistent_evidence as evidence
from dpcert.audit.records import headline
from dpcert.audit.records.consistent_curves import Curve, close, curve_of, follow, through
from dpcert.audit.records.consistent_sampled import sampled
from dpcert.audit.render.headline import badge

Document = Mapping[str, Any]


def contradictions(document: Document) -> Iterator[str]:
    """What a record says of itself that is not so, one sentence each, the first ones first."""
    sides = {}
    for side in ("fixed_stream", "adaptive"):
        sides[side] = curve_of(document[side])
        yield from (f"{side}: {fault}" for fault in sides[side].faults())
    adaptive, fixed_stream = sides["adaptive"], sides["fixed_stream"]
    yield from _ordered(document, fixed_stream, adaptive)
    yield from _evidence(document, adaptive, fixed_stream)
    yield from _scope(document, adaptive)
    yield from _findings(document, fixed_stream)
    yield from _lifts(document, adaptive, fixed_stream)
    yield from _requirements(document, adaptive)
    yield from _bound(document, adaptive)
    yield from _verdict(document)
    yield from _headline(document, adaptive)
    yield from sampled(document, adaptive)
    yield from _sections(document)
    yield from _context(document)


def _ordered(document: Document, fixed_stream: Curve, adaptive: Curve) -> Iterator[str]:
    """Fixed streams are adversaries too; all curves are read off at the same points."""
    for low, high in zip(fixed_stream.deltas, adaptive.deltas, strict=False):
        if low.lower > high.upper:
            yield "fixed streams reach a larger delta than adaptive adversaries"
    if fixed_stream.complete and adaptive.complete and not fixed_stream.lower <= adaptive.upper:
        yield "the fixed-stream curve lies above the adaptive one"
    sides = [document["fixed_stream"], document["adaptive"]]
    sides += [side["lower"] for side in sides if "lower" in side]
    points = {"delta": "exp_epsilon", "delta_at_epsilon": "epsilon", "epsilon": "delta"}
    for table, point in points.items():
        if len({tuple(row[point] for row in side[table]) for side in sides}) > 1:
            yield "the curves are read off at different points"


def _evidence(document: Document, adaptive: Curve, fixed_stream: Curve) -> Iterator[str]:
    """Adversaries and fixed streams are worth what their curves are, and their events what their nodes say."""
    slopes_of_table = [row["exp_epsilon"] for row in document["adaptive"]["delta"]]
    witnessed = [finding["witness"].get("exp_epsilon") for finding in _all_findings(document)]
    shown = [slope for slope in witnessed if isinstance(slope, str)]
    for name, listed_adversaries, curve, slopes in (
        ("witnesses", document["fixed_stream"]["witnesses"], fixed_stream, slopes_of_table),
        ("strategies", document["adaptive"]["strategies"], adaptive, [*slopes_of_table, *shown]),
    ):
        there = [(adversary["exp_epsilon"], adversary["order"]) for adversary in listed_adversaries]
        due, most = set(product(slopes_of_table, ORDERS)), set(product(slopes, ORDERS))
        if listed_adversaries and not due <= set(there) <= most:
            yield f"{name}: not one for each e^epsilon and order"
        for adversary in listed_adversaries:
            value = parse(adversary["delta"], "delta")
            reached = curve.lower.hockey_stick(parse(adversary["exp_epsilon"], "exp_epsilon"), adversary["order"])
            if not 0 <= value <= 1:
                yield f"{name}: a delta that is none"
            if curve.complete and (value > reached or (curve.exact and value != reached)):
                yield f"{name}: a delta that is not the curve's"
            yield from (f"{name}: {fault}" for fault in follow(adversary))
            again = evidence.streams if name == "witnesses" else evidence.moves
            yield from (f"{name}: {fault}" for fault in again(adversary, document))


def _all_findings(document: Document) -> list[Mapping[str, Any]]:
    rungs = [rung for entry in document["checklist"] for rung in entry["rungs"]]
    bound = [document["bound"]] if document["bound"] else []
    return [*document["checklist"], *rungs, *document["lifts"].values(), *document["requirements"], *bound]


def _scope(document: Document, adaptive: Curve) -> Iterator[str]:
    scope = document["scope"]
    if scope["challenge_round"] is not None and not 1 <= scope["challenge_round"] <= scope["horizon"]:
        yield "the challenge round is not one of the horizon"
    yield from evidence.words(scope)
    if document["vacuous"] != (adaptive.upper == PowerFunction.identity()):
        yield "`vacuous` is not what the adaptive curve says"


def _findings(document: Document, fixed_curve: Curve) -> Iterator[str]:
    """Every finding has a method where it decides, none that samples; STABLE_COST is its ladder's."""
    for finding in _all_findings(document):
        if finding["verdict"] != "UNDECIDED" and finding["method"] is None:
            yield f"a finding is {finding['verdict']} by no method"
        if finding["verdict"] == "HOLDS" and finding["method"] == "SAMPLED":
            yield "a finding HOLDS by samples"
        if finding["verdict"] == "UNDECIDED" and finding["method"] is not None:
            yield "a finding that is UNDECIDED names the method that decided it"
    for finding in (*document["checklist"], *document["lifts"].values(), *document["requirements"]):
        if finding["verdict"] == "REFUTED" and not finding["witness"]:
            yield "a finding is REFUTED without a witness"
        if finding["verdict"] == "HOLDS" and finding.get("item", "STABLE_COST") != "STABLE_COST" and finding["witness"]:
            yield "a condition HOLDS with a witness against it"
    items = [entry["item"] for entry in document["checklist"]]
    if len(set(items)) < len(items) or (document["game"] == "paired" and len(items) != 5):
        yield "the checklist has not each of its five conditions once"
    for entry in document["checklist"]:
        yield from _ladder(entry)
        yield from evidence.ladder(entry["rungs"])
        for finding in (entry, *entry["rungs"]):
            yield from evidence.witness(finding, document["scope"]["horizon"])
            yield from evidence.excess(finding, fixed_curve)


def _ladder(entry: Mapping[str, Any]) -> Iterator[str]:
    strongest, verdict = entry["rung"], entry["verdict"]
    held = [rung["rung"] for rung in entry["rungs"] if rung["verdict"] == "HOLDS"]
    if strongest is not None and (verdict != "HOLDS" or strongest not in held):
        yield f"{entry['item']} rests on rung {strongest}, which does not hold"
    if entry["item"] != "STABLE_COST":
        return
    if verdict == "HOLDS" and strongest is None:
        yield "STABLE_COST holds by no rung"
    refuted = bool(entry["rungs"]) and all(rung["verdict"] == "REFUTED" for rung in entry["rungs"])
    if (verdict == "REFUTED") != refuted:
        yield "STABLE_COST is not what its rungs say"


def _lifts(document: Document, adaptive: Curve, fixed_stream: Curve) -> Iterator[str]:
    """lifts.curve and lifts.pure are what the two curves say."""
    curve, pure = document["lifts"]["curve"], document["lifts"]["pure"]
    exact = adaptive.exact and fixed_stream.exact and adaptive.complete and fixed_stream.complete
    equal = exact and adaptive.upper == fixed_stream.upper
    if curve["verdict"] == "HOLDS" and exact and not equal:
        yield "lifts.curve HOLDS although the curves differ"
    if curve["verdict"] == "UNDECIDED" and exact and not equal:
        yield "lifts.curve is UNDECIDED although the curves differ"
    if curve["verdict"] == "REFUTED":
        yield from _gap(curve["witness"], adaptive, fixed_stream)
    largest = document["adaptive"]["largest_ratio"]
    claimed = pure["witness"].get("largest_ratio")
    if claimed is not None and claimed != ("infinite" if largest is None else largest):
        yield "lifts.pure names another largest ratio than the curve has"
    if pure["verdict"] == "REFUTED":
        yield "lifts.pure is REFUTED although it is a theorem"


def _gap(witness: Mapping[str, Any], adaptive: Curve, fixed_stream: Curve) -> Iterator[str]:
    try:
        e, order = parse(witness["exp_epsilon"], "exp_epsilon"), witness["order"]
        high, low, gap = (parse(witness[name], name) for name in ("adaptive", "fixed_stream", "gap"))
    except (KeyError, TypeError, AttributeError):
        yield "lifts.curve is REFUTED without a witness"
        return
    if not high - low == gap > 0:
        yield "the witness of lifts.curve shows no gap"
    if adaptive.complete and high != adaptive.lower.hockey_stick(e, order):
        yield "the witness of lifts.curve names a delta that the adaptive curve does not have"
    if fixed_stream.complete and low != fixed_stream.upper.hockey_stick(e, order):
        yield "the witness of lifts.curve names a delta that the fixed-stream curve does not have"
    yield from evidence.agreement(witness, adaptive, fixed_stream)


def _requirements(document: Document, adaptive: Curve) -> Iterator[str]:
    """What was asked of the checklist and of the lift is what these found; what is exceeded is so by a curve."""
    certified = worst([Verdict(entry["verdict"]) for entry in document["checklist"]])
    verdicts = {
        "every condition of Checklist 1": certified.value,
        "no gap between adaptive adversaries and fixed streams": document["lifts"]["curve"]["verdict"],
    }
    for one in document["requirements"]:
        verdict = verdicts.get(one["requirement"])
        vacuous = document["vacuous"] and one["verdict"] == "UNDECIDED"
        if verdict is not None and one["verdict"] != verdict and not vacuous:
            yield f"the requirement {one['requirement']!r} is not what was found"
        if verdict is None:
            yield from _claim(one, adaptive, "every_horizon" in document["scope"])
        yield from evidence.requirement(one, document, adaptive)


def _claim(requirement: Mapping[str, Any], adaptive: Curve, every: bool) -> Iterator[str]:
    """delta <= D at e^epsilon = Q, and (E, D)-DP, against the curve; other claims are left to their findings."""
    name, verdict, witness = requirement["requirement"], requirement["verdict"], requirement["witness"]
    if verdict == "HOLDS" and witness and not _let_pass(witness):
        yield f"the requirement {name!r} HOLDS with a witness against it"
    asked = _asked(name)
    if asked is None or not adaptive.complete:
        return
    (e, delta, rational) = asked
    low, high = _at(adaptive.lower, e, rational)[0], _at(adaptive.upper, e, rational)[1]
    by_curve = requirement["method"] != "SYMBOLIC"
    if verdict == "HOLDS" and by_curve and not witness and high > delta:
        yield f"the requirement {name!r} HOLDS although the curve exceeds it"
    if verdict == "HOLDS" and by_curve and every and delta < 1:
        yield f"the requirement {name!r} HOLDS for every horizon by no theorem"
    if verdict == "REFUTED" and "horizon" not in witness and low <= delta:
        yield f"the requirement {name!r} is REFUTED although the curve does not exceed it"
    if verdict == "UNDECIDED" and low > delta and not high - delta > low - delta:
        yield f"the requirement {name!r} is UNDECIDED although the curve exceeds it"
    if verdict == "REFUTED" and "delta" in witness:
        shown = parse(witness["delta"], "delta")
        if shown - parse(witness["excess"], "excess") != delta or ("horizon" not in witness and shown != low):
            yield f"the witness of the requirement {name!r} is not the curve's"


def _let_pass(witness: Mapping[str, Any]) -> bool:
    """Whether a slack lets an excess pass."""
    return parse(str(witness.get("excess", "1")), "excess") <= parse(str(witness.get("slack", "0")), "slack")


def _at(power: PowerFunction, e: Fraction, rational: bool) -> tuple[Fraction, Fraction]:
    if rational:
        return power.delta(e), power.delta(e)
    found = power.delta_at(e)
    return found.lower or Fraction(0), Fraction(1) if found.upper is None else found.upper


def _asked(name: str) -> tuple[Fraction, Fraction, bool] | None:
    """e^epsilon or epsilon, delta, and whether it was the former."""
    try:
        if name.startswith("delta <= "):
            delta, _, e = name.removeprefix("delta <= ").partition(" at e^epsilon = ")
            return parse(e, "requirement"), parse(delta, "requirement"), True
        if name.startswith("(") and name.endswith(")-DP"):
            epsilon, _, delta = name[1:].removesuffix(")-DP").partition(", ")
            return parse(epsilon, "requirement"), parse(delta, "requirement"), False
    except ValueError:
        return None
    return None


def _bound(document: Document, adaptive: Curve) -> Iterator[str]:
    bound = document["bound"]
    if not bound:
        return
    if bound["verdict"] == "REFUTED":
        reached, allowed = (parse(bound["witness"].get(name, "0"), name) for name in ("reached", "allowed"))
        if reached <= allowed:
            yield "the bound is REFUTED without an excess"
    if bound["power"] is None or not bound["complete"] or not adaptive.complete:
        return
    try:
        allowed_curve = through(bound["power"])
    except ValueError:
        yield "the bound is no power function"
        return
    if bound["verdict"] == "HOLDS" and not document["vacuous"] and not adaptive.upper <= allowed_curve:
        yield "the bound HOLDS although the curve lies above it"
    if [row["exp_epsilon"] for row in bound["used"]] != [row["exp_epsilon"] for row in document["adaptive"]["delta"]]:
        yield "the bound is used at other points than the curve is read off at"
    for row in bound["used"]:
        e = parse(row["exp_epsilon"], "exp_epsilon")
        exact, most = parse(row["exact"], "exact"), parse(row["bound"], "bound")
        if exact != adaptive.upper.delta(e) or most != allowed_curve.delta(e):
            yield "the bound is used otherwise than its table says"
        if (
            row["used"] != (None if most == 0 else text(exact / most))
            and parse(row["used"] or "0", "used") * most != exact
        ):
            yield "the bound is used otherwise than its table says"


def _verdict(document: Document) -> Iterator[str]:
    asked = [Verdict(one["verdict"]) for one in document["requirements"]]
    bound = document["bound"]
    found = worst(asked) if asked else Verdict(bound["verdict"] if bound else document["lifts"]["curve"]["verdict"])
    if document["verdict"] != found.value:
        yield f"the verdict is {document['verdict']}, but its findings say {found.value}"


def _headline(document: Document, adaptive: Curve) -> Iterator[str]:
    said = document.get("headline")
    if said is None:
        return
    if said["badge"] != badge(document):
        yield f"the badge is {said['badge']}, but its findings say {badge(document)}"
    privacy, delta = said["privacy"], parse(said["privacy"]["delta"], "delta")
    if not 0 <= delta <= 1:
        yield "the privacy is said at a delta that is none"
        return
    by_rung = document["game"] == "paired" and any(entry["rung"] is not None for entry in document["checklist"])
    spans = [rounds_in_words(document["scope"]["horizon"]), *([EVERY_HORIZON] if by_rung else [])]
    if privacy["scope"] not in spans:
        scope = one_line(privacy["scope"], 60)
        yield f"the privacy is said over {scope}, but its curve is that of {' or '.join(spans)}"
    asked = [row["delta"] for row in document["adaptive"]["epsilon"]] or [text(DEFAULT_DELTA)]
    if privacy["delta"] not in asked:
        yield "the privacy is said at a delta that nobody asked for"
    ends = [adaptive.total_variation(low=True), adaptive.total_variation(low=False)]
    if [parse(privacy["guess"][end], "guess") for end in ("lower", "upper")] != [(1 + end) / 2 for end in ends]:
        yield "the chance of a right guess is not that of the total variation"
    if adaptive.complete:
        again = headline.privacy(Bracket(adaptive.lower, adaptive.upper), delta, privacy["scope"])["epsilon"]
        if any(not _near(privacy["epsilon"][end], again[end]) for end in ("lower", "upper")):
            yield "the epsilon that is said first is not the curve's"


def _sections(document: Document) -> Iterator[str]:
    """What a mechanism adds are tables, as far as it has any."""
    for one in document["sections"]:
        if not all(isinstance(grid, list) for grid in (one.get("columns", []), one.get("rows", []))):
            yield "a section's table has no columns or no rows"
        elif not all(isinstance(row, list) for row in one.get("rows", [])):
            yield "a section's table has a row that is none"


def _context(document: Document) -> Iterator[str]:
    declared = document.get("context", {}).get("delta")
    if declared is not None and not 0 <= parse(declared, "delta") <= 1:
        yield "the delta that is declared is none"


def _near(one: str, two: str) -> bool:
    """The same end of an enclosure, up to the rounding of one library or another."""
    if "infinite" in (one, two):
        return one == two
    return close(parse(one, "epsilon"), parse(two, "epsilon"))
