"""The first words of a report: the badge, which is about what was asked, and the privacy itself in one sentence."""

from collections.abc import Mapping
from typing import Any

from dpcert.audit.algebra.decimals import ROUNDED_UP, down, equated, up
from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.render.cells import bracket, ends_of, plain

Document = Mapping[str, Any]

GAPS = {"HOLDS": "NO GAP", "REFUTED": "GAP"}
"""The badge where nothing was asked for: do adaptive adversaries gain anything?"""
ONE_INPUT = ("hamming", "unit-hamming", "zero-out")
"""Relations of streams that differ in one input, over one hop."""
SORTED = (("REFUTED", "Does not hold"), ("UNDECIDED", "Not decided"), ("HOLDS", "Holds"))


def badge(document: Document) -> str:
    """NO GAP, GAP or UNDECIDED where nothing was asked for; else, and of a bound, HOLDS, REFUTED or UNDECIDED."""
    verdict = plain(document["verdict"])
    return verdict if document["requirements"] or document["bound"] else GAPS.get(verdict, verdict)


def asked_for(document: Document) -> str:
    """Which requirements hold and which do not, by name, the worst first."""
    parts = []
    for verdict, words in SORTED:
        names = [plain(one["requirement"]) for one in document["requirements"] if one["verdict"] == verdict]
        parts += [f"{words}: {'; '.join(names)}."] if names else []
    return " ".join(parts)


def nothing_known(document: Document) -> bool:
    """Whether the bounds of both curves are 0 and 1."""
    ends = [ends_of(document[side], "total_variation") for side in ("adaptive", "fixed_stream")]
    return all(pair == ("0", "1") for pair in ends)


def privacy(document: Document) -> str:
    """The privacy itself: epsilon at one delta, or that there is none, and the chance of a right guess."""
    if nothing_known(document):
        return "Privacy: not known."
    privacy = (document.get("headline") or {}).get("privacy")
    low, high = ends_of(document["adaptive"], "total_variation")
    chance = bracket(*(text((1 + parse(str(end), "total_variation")) / 2) for end in (low, high))).inline
    guess = f"an observer guesses {changed(document)} right with chance {chance}{confidence(document)}."
    if privacy is None:
        return f"Privacy: {guess}"
    at = f"at δ {equated(parse(privacy['delta'], 'delta'))}"
    return f"Privacy over {plain(privacy['scope'])}: {_epsilon(privacy['epsilon'], at)}; {guess}"


def confidence(document: Document) -> str:
    """At which confidence the numbers of a sampled record are bounds; nothing for any other."""
    sampled = document.get("sampled")
    return f"; at confidence {down(parse(sampled['confidence'], 'confidence'))}" if sampled else ""


def changed(document: Document) -> str:
    """What an observer guesses, in words."""
    scope = document["scope"]
    if scope["adjacency"] == "edit":
        return "one item more or less"
    if scope["adjacency"] not in ONE_INPUT:
        return "which of two neighbouring streams it sees"
    if scope["challenge_round"] is not None:
        return f"the changed input of round {scope['challenge_round']}"
    return "one changed input" if scope["hops"] == 1 else f"{scope['hops']} changed inputs"


def _epsilon(ends: Mapping[str, str], at: str) -> str:
    low, high = ends["lower"], ends["upper"]
    if low == "infinite":
        return f"none, there is no ε {at}"
    least = parse(low, "epsilon")
    if high == "infinite":
        return f"ε of at least {down(least)} {at}, and no upper bound is known"
    most = parse(high, "epsilon")
    if least == most:
        return f"ε {equated(least)} {at}"
    if up(least) == up(most):
        return f"ε {ROUNDED_UP}{up(most)} {at}"
    return f"ε between {down(least)} and {up(most)} {at}"
