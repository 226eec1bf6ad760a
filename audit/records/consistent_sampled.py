"""A sampled record held against itself: bounds from counts, proven anew, and no verdict that samples cannot give."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.binomial import covers
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.algebra.rational import parse
from dpcert.audit.records.consistent_curves import Curve

Document = Mapping[str, Any]


def sampled(document: Document, adaptive: Curve) -> Iterator[str]:
    """What a record that rests on samples says that they do not show; it is such a one in every part or in none."""
    tiers = {document[side]["tier"] for side in ("fixed_stream", "adaptive")}
    evidence = document.get("sampled")
    if (evidence is not None) != ("sampled" in tiers) or len(tiers & {"sampled"}) != len(tiers) * ("sampled" in tiers):
        yield "it is sampled in one part and not in another"
    if evidence is None:
        return
    if _upper_ends(document) != {"1"}:
        yield "samples bound something from above"
    yield from _verdicts(document)
    yield from _risks(evidence)
    points = [PowerFunction.identity()]
    for test in evidence["tests"]:
        yield from _test(test)
        low, high = _point(test)
        if high > low:
            points.append(PowerFunction.from_vertices([(0, 0), (low, high), (1, 1)]))  # type: ignore[list-item]
    if adaptive.complete and not adaptive.lower <= supremum(points):
        yield "its lower bound lies above what its tests show"


def _upper_ends(document: Document) -> set[str]:
    return {document[side]["total_variation"] for side in ("fixed_stream", "adaptive")} | {
        row["upper"] for row in document["adaptive"]["delta"]
    }


def _verdicts(document: Document) -> Iterator[str]:
    """Samples refute requirements, at a confidence that is said, and decide nothing else."""
    others = [*document["checklist"], *document["lifts"].values(), *([document["bound"]] if document["bound"] else [])]
    if any(one["verdict"] != "UNDECIDED" for one in others) or any(entry["rungs"] for entry in document["checklist"]):
        yield "samples decide what they cannot"
    for one in document["requirements"]:
        if one["verdict"] == "HOLDS":
            yield "a requirement HOLDS by samples"
        if one["verdict"] == "REFUTED" and (
            one["method"] != "SAMPLED" or one["witness"].get("confidence") != document["sampled"]["confidence"]
        ):
            yield "a requirement is REFUTED by samples without their confidence"


def _risks(evidence: Document) -> Iterator[str]:
    """All bounds together are wrong with no more than the confidence leaves."""
    confidence, tests = parse(evidence["confidence"], "confidence"), evidence["tests"]
    if not Fraction(1, 2) <= confidence < 1:
        yield "a confidence that is none"
    if sum(2 * parse(test["risk"], "risk") for test in tests) > 1 - confidence:
        yield "its bounds are wrong more often than its confidence says"
    used: dict[int, int] = {test["group"]: 2 * test["runs"] for test in tests}
    if sum(used.values()) + evidence["learning"] > evidence["runs"]:
        yield "its tests took more runs than there were"


def _test(test: Document) -> Iterator[str]:
    """The bounds on an event from its counts, proven anew; its policy leads on, round by round, to an end."""
    runs, hits, risk = test["runs"], test["hits"], parse(test["risk"], "risk")
    first, second = (parse(share, "share") for share in test["shares"])
    if not 0 < risk < 1 or max(hits) > runs:
        yield "a test with counts or a risk that are none"
        return
    counted = (hits[0], runs - hits[1]) if test["order"] == "0-1" else (runs - hits[0], hits[1])
    claimed = (first, 1 - second) if test["order"] == "0-1" else (1 - first, second)
    if any(share != 0 and not covers(n, runs, share, risk) for n, share in zip(counted, claimed, strict=True)):
        yield "a bound that does not follow from its counts"
    low, high = (second, first) if test["order"] == "0-1" else (first, second)
    if parse(test["delta"], "delta") != max(Fraction(0), high - parse(test["exp_epsilon"], "exp_epsilon") * low):
        yield "a delta that does not follow from its bounds"
    nodes = test["nodes"]
    for number, node in enumerate(nodes):
        for way in node["ways"]:
            there = way["next"]
            if (there is None) == (way["in_event"] is None):
                yield "a policy that goes on and ends, or does neither"
            elif there is not None and (there <= number or (test["complete"] and there >= len(nodes))):
                yield "a policy that leads nowhere"


def _point(test: Document) -> tuple[Fraction, Fraction]:
    """What an event shows of the curve, world 0 first: its own corner, or that of its complement."""
    first, second = (parse(share, "share") for share in test["shares"])
    return (1 - first, 1 - second) if test["order"] == "0-1" else (first, second)
