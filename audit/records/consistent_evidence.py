"""Is evidence what it claims to be? Moves of adversaries, fixed streams and witnesses, computed anew by themselves."""

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpcert.audit.algebra.gap import equal_from
from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.records.consistent_curves import Curve, through

Document = Mapping[str, Any]
Witness = Mapping[str, Any]

ONE_CHANGE = ("hamming", "unit-hamming")
"""Relations of streams over the alphabet that differ in one input, over one hop."""
IMPLIED = ("SCALAR", "VECTOR", "CONTEXT_STABLE", "FUTURE_STABLE")
"""Rungs, each of which implies the next."""
_SENTENCE = re.compile(
    r"every adversary over (?P<rounds>\d+) rounds?, streams that differ (?P<where>[^()]*) "
    r"\([^()]*?(?:, (?P<hops>\d+) hops apart)?\)"
)
_UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def moves(strategy: Mapping[str, Any], document: Document) -> Iterator[str]:
    """An adversary's rounds, slopes and bets: each follows from the node before it."""
    nodes, e = strategy["nodes"], parse(strategy["exp_epsilon"], "exp_epsilon")
    if strategy["complete"] and strategy["event"] is None:
        yield "an adversary that is complete, without an event"
    bounded = document["adaptive"]["tier"] == "enclosed" and strategy["delta"] != "0"  # played, and never written out
    if not strategy["complete"] and strategy["event"] is not None and not nodes and not bounded:
        yield "an adversary without moves that is said not to be complete"
    if not nodes:
        return
    if not strategy["complete"] and all((way["next"] or 0) < len(nodes) for node in nodes for way in node["branches"]):
        yield "an adversary with all its nodes that is said not to be complete"
    start = (Fraction(1), -e) if strategy["order"] == "0-1" else (-e, Fraction(1))
    slopes, rounds = {0: start}, {0: 1}
    for node in nodes:
        slope, here = slopes.get(node["id"]), rounds.get(node["id"])
        if slope is None or here is None:
            return  # an event that is not that of its nodes, which is said elsewhere
        written = [parse(c, "slope") for c in node["slope"]]
        if slope[0] * written[1] != slope[1] * written[0] or slope[0] * written[0] < 0 or written == [0, 0]:
            yield "a slope that does not follow from what was observed"
        if node["round"] != here or here > document["scope"]["horizon"]:
            yield "a node in another round than its own"
        if _plain(document) and not set(node["pair"]) <= set(document["scope"]["alphabet"]):
            yield "a pair of inputs that are not in the alphabet"
        yield from _ways(node, slope, here, slopes, rounds)


def _ways(
    node: Mapping[str, Any],
    slope: tuple[Fraction, Fraction],
    here: int,
    slopes: dict[int, tuple[Fraction, Fraction]],
    rounds: dict[int, int],
) -> Iterator[str]:
    """The branches of a node; fills in slope and round of the nodes that they lead to."""
    if len({way["observation"] for way in node["branches"]}) < len(node["branches"]):
        yield "an observation that leads two ways"
    for way in node["branches"]:
        p0, p1 = (parse(p, "probability") for p in way["probability"])
        after = slope[0] * p0, slope[1] * p1
        if way["next"] is not None:
            slopes.setdefault(way["next"], after)
            rounds.setdefault(way["next"], here + 1)
        elif bool(way["in_event"]) != (sum(after) > 0):
            yield "a bet that loses"
        if (way["next"] is None) == (way["in_event"] is None):
            yield "a branch that goes on and ends, or does neither"


def streams(witness: Witness, document: Document) -> Iterator[str]:
    """Fixed streams are no longer than the scope (what is told apart for sure may end early), and are neighbours."""
    scope = document["scope"]
    if len(witness["stream0"]) != len(witness["stream1"]):
        yield "streams of two lengths"
        return
    if not _plain(document):
        return
    pairs = list(zip(witness["stream0"], witness["stream1"], strict=True))
    differ = [t for t, (a, b) in enumerate(pairs, 1) if a != b]
    if len(pairs) > scope["horizon"]:
        yield "streams that are longer than the scope"
    if len(differ) > scope["hops"] or not set(differ) <= {scope["challenge_round"] or t for t in differ}:
        yield "streams that differ in more than the relation allows"
    if not {x for pair in pairs for x in pair} <= set(scope["alphabet"]):
        yield "streams of inputs that are not in the alphabet"


def _plain(document: Document) -> bool:
    return document["game"] == "paired" and document["scope"]["adjacency"] in ONE_CHANGE


def ladder(rungs: list[Mapping[str, Any]]) -> Iterator[str]:
    """A rung that is refuted shows it, and none below one that holds is."""
    verdicts = {rung["rung"]: rung["verdict"] for rung in rungs}
    if len(verdicts) < len(rungs):
        yield "a rung stands twice"
    for rung in rungs:
        if rung["verdict"] == "REFUTED" and (not rung["witness"] or "round_power" in rung["witness"]):
            yield "a rung is REFUTED without a witness against it"
    known = [name for name in IMPLIED if name in verdicts]
    for number, name in enumerate(known):
        if verdicts[name] == "HOLDS" and any(verdicts[below] == "REFUTED" for below in known[number:]):
            yield f"a rung is REFUTED although {name}, which implies it, holds"


def witness(finding: Mapping[str, Any], horizon: int) -> Iterator[str]:
    """Whether the witness of a condition or a rung shows what it is there to show."""
    evidence = finding["witness"]
    for needed, check in _CHECKS:
        if needed <= set(evidence):
            try:
                yield from check(evidence, horizon)
            except _UNREADABLE:
                yield "a witness that cannot be read"
            return


def _two_curves(witness: Witness, horizon: int) -> Iterator[str]:
    f, g = map(through, witness["curves"])
    if f == g or not 1 <= witness["round"] <= horizon:
        yield "a witness of two curves in which they are one, or of no round"
    if "contexts" in witness:
        for one in witness["contexts"]:
            at, pairs = one["round"], list(zip(one["history0"], one["history1"], strict=True))
            differ = [t for t, (a, b) in enumerate(pairs, 1) if a != b]
            if not at <= len(pairs) == witness["round"] or differ != [at] or list(pairs[at - 1]) != one["challenge"]:
                yield "a witness whose histories are none of its challenge"
    if "deltas" in witness:
        e = parse(witness["exp_epsilon"], "exp_epsilon")
        deltas = [parse(delta, "delta") for delta in witness["deltas"]]
        if deltas != [curve.hockey_stick(e, witness["order"]) for curve in (f, g)] or deltas[0] == deltas[1]:
            yield "a witness whose deltas are not those of its curves"


def excess(finding: Mapping[str, Any], fixed_stream: Curve) -> Iterator[str]:
    """What a product of hulls is held against is the fixed-stream curve."""
    witness = finding["witness"]
    if (
        {"challenge", "deltas"} <= set(witness)
        and "curves" not in witness
        and fixed_stream.exact
        and fixed_stream.complete
    ):
        try:
            e, allowed = parse(witness["exp_epsilon"], "exp_epsilon"), parse(witness["deltas"][1], "delta")
            if allowed != fixed_stream.upper.hockey_stick(e, witness["order"]):
                yield "a witness names a delta that the fixed-stream curve does not have"
        except _UNREADABLE:
            yield "a witness that cannot be read"


def _dominated(witness: Witness, horizon: int) -> Iterator[str]:
    product, fixed = (parse(delta, "delta") for delta in witness["deltas"])
    if not 0 <= fixed < product <= 1 or not 1 <= witness["round"] <= horizon:
        yield "a witness whose product is not above fixed streams"


def _laws(witness: Witness, horizon: int) -> Iterator[str]:
    if witness["laws"][0] == witness["laws"][1] or not 1 <= witness.get("round", 1) <= horizon:
        yield "a witness of two laws that are one"


def _seeds(witness: Witness, horizon: int) -> Iterator[str]:
    del horizon
    joint, apart = (parse(witness[name], name) for name in ("probability", "product"))
    if joint == apart or not 0 <= min(joint, apart) <= max(joint, apart) <= 1:
        yield "a witness of dependent seeds whose probability is the product"


def _certificate(witness: Witness, horizon: int) -> Iterator[str]:
    sets, powers = witness["index_sets"], witness["round_power"]
    if len(sets) != len(powers) or any(not set(one) <= set(range(1, t + 1)) for t, one in enumerate(sets, 1)):
        yield "a certificate whose index sets are none of its rounds"
    if any(x >= y for one in sets for x, y in pairwise(one)):
        yield "a certificate whose index sets are not in order"
    del horizon
    for each in powers:
        if len({one["difference"] for one in each}) < len(each):
            yield "a certificate with two curves for one difference"
        for one in each:
            through(one["power"])


Check = Callable[[Witness, int], Iterator[str]]
_CHECKS: tuple[tuple[frozenset[str], Check], ...] = (
    (frozenset({"round", "curves"}), _two_curves),
    (frozenset({"challenge", "deltas"}), _dominated),
    (frozenset({"laws"}), _laws),
    (frozenset({"probability", "product"}), _seeds),
    (frozenset({"index_sets", "round_power"}), _certificate),
)


def requirement(one: Mapping[str, Any], document: Document, adaptive: Curve) -> Iterator[str]:
    """The witness of a requirement that is not met: that of the finding it repeats, or one that the curve bears out."""
    witness, name = one["witness"], one["requirement"]
    if one["verdict"] != "REFUTED" or "horizon" in witness:
        return
    if name == "no gap between adaptive adversaries and fixed streams":
        if witness != document["lifts"]["curve"]["witness"]:
            yield f"the requirement {name!r} has another witness than lifts.curve"
    elif name == "every condition of Checklist 1":
        if witness not in [entry["witness"] for entry in document["checklist"] if entry["verdict"] == "REFUTED"]:
            yield f"the requirement {name!r} has another witness than its conditions"
    else:
        try:
            yield from (f"the requirement {name!r} has {fault}" for fault in _exceeded(witness, adaptive))
        except _UNREADABLE:
            yield f"the requirement {name!r} has a witness that cannot be read"
        yield from _shown_at(one, document)


def _exceeded(witness: Witness, adaptive: Curve) -> Iterator[str]:
    """mu-GDP and rho-zCDP: a corner of the curve; a divergence above what is claimed."""
    if {"level", "power"} <= set(witness) and adaptive.complete:
        corner = parse(witness["level"], "level"), parse(witness["power"], "power")
        if corner not in adaptive.lower.vertices:
            yield "a corner that is not the curve's"
        x, y = corner
        e = parse(witness["exp_epsilon"], "exp_epsilon")
        delta = y - e * x if witness["order"] == "1-0" else (1 - x) - e * (1 - y)
        if delta != adaptive.lower.hockey_stick(e, witness["order"]):
            yield "an adversary that does not attain its corner"
    if {"divergence", "claimed"} <= set(witness) and witness["divergence"] is not None:
        divergence, most = (parse(witness[end], end) for end in ("divergence", "claimed"))
        if divergence <= most or parse(witness["alpha"], "alpha") <= 1:
            yield "a divergence that is not above what is claimed"


def _shown_at(one: Mapping[str, Any], document: Document) -> Iterator[str]:
    """An excess is shown by an adversary at its e^epsilon; of a claim about e^epsilon, at that."""
    e = one["witness"].get("exp_epsilon")
    at = {strategy["exp_epsilon"] for strategy in document["adaptive"]["strategies"]}
    if e is not None and at and e not in at:
        yield f"the requirement {one['requirement']!r} is exceeded at an e^epsilon without an adversary"
    _, asked, slope = one["requirement"].partition(" at e^epsilon = ")
    if asked and e is not None and parse(slope, "requirement") != parse(e, "exp_epsilon"):
        yield f"the requirement {one['requirement']!r} is exceeded at another e^epsilon"


def words(scope: Mapping[str, Any]) -> Iterator[str]:
    """Rounds, hops and the challenge round, where the sentence of a scope names them."""
    said = _SENTENCE.match(scope["text"])
    if said is None:
        return
    rounds, where, hops = said["rounds"], said["where"], said["hops"]
    if rounds != str(scope["horizon"]) or (hops or "1") != str(scope["hops"]):
        yield "the scope in words is another one"
    named = re.fullmatch(r"in round (\d+)", where)
    if (named and named[1]) != (scope["challenge_round"] and str(scope["challenge_round"])):
        yield "the challenge round in words is another one"


def agreement(witness: Witness, adaptive: Curve, fixed_stream: Curve) -> Iterator[str]:
    """From where on two exact curves are said to agree."""
    if not (adaptive.complete and fixed_stream.complete and "equal_from" in witness):
        return
    again = equal_from(adaptive.lower, fixed_stream.upper) if adaptive.exact and fixed_stream.exact else None
    if witness["equal_from"] != (None if again is None else text(again)):
        yield "the witness of lifts.curve says wrongly from where on the curves agree"
