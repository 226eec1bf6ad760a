"""The first two sentences of a page, for anybody: what was found, and how often an observer guesses right."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.power import dp_power
from dpcert.audit.algebra.rational import parse
from dpcert.audit.games.horizon import rounds_in_words
from dpcert.audit.render import headline
from dpcert.audit.render.cells import ends_of
from dpcert.audit.render.context import EVERY_HORIZON

Document = Mapping[str, Any]

ASKED = {
    "HOLDS": "Everything that was asked for holds in this scope.",
    "REFUTED": "Not everything that was asked for holds; below stands a way to see it.",
    "UNDECIDED": "Not everything that was asked for could be decided.",
}
PROMISED = {
    "HOLDS": "The mechanism keeps what it promises.",
    "REFUTED": "The mechanism does not keep what it promises.",
    "UNDECIDED": "Whether the mechanism keeps what it promises was not decided.",
}
FEEDBACK = {
    "HOLDS": "Whoever chooses inputs after seeing what was released learns no more than somebody who does not.",
    "REFUTED": "Whoever chooses inputs after seeing what was released learns more than an analysis with fixed inputs "
    "says.",
    "UNDECIDED": "Whether choosing inputs after seeing what was released helps an observer was not decided.",
}
NOTHING = "Nothing happens in this scope that could tell the worlds apart, which says nothing of wider ones."
DIGITS = 4
"""Digits of a number of right guesses in 100."""


def anybody(document: Document) -> str:
    """What was found, without a formula."""
    first = _first(document)
    if document["vacuous"]:
        return f"{first if document['requirements'] else ''} {NOTHING}".strip()
    return f"{first} {FEEDBACK[document['lifts']['curve']['verdict']]}".strip()


def odds(document: Document) -> str:
    """How often an observer who reacts, one who does not, and a coin guess right; nothing where nothing is known."""
    return " ".join(filter(None, (_in_scope(document), _as_promised(document))))


def _in_scope(document: Document) -> str:
    if headline.nothing_known(document):
        return ""
    within, what = _within(document), headline.changed(document)
    if document["vacuous"]:
        return f"{within} of this scope nobody guesses {what} right more often than a coin, 50 times in 100."
    reacting, fixed_stream = (_times(document[side]) for side in ("adaptive", "fixed_stream"))
    if document["lifts"]["curve"]["verdict"] == "HOLDS" and reacting == fixed_stream:
        return (
            f"{within} an observer guesses {what} right {reacting} times in 100, whether reacting or not; a coin, 50."
        )
    return (
        f"{within} an observer who reacts guesses {what} right {reacting} times in 100, "
        f"one who does not {fixed_stream}; a coin, 50{headline.confidence(document)}."
    )


def _within(document: Document) -> str:
    """How long an observer looks on for the curves of a record."""
    known = (document.get("headline") or {}).get("privacy") or {}
    if known.get("scope") == EVERY_HORIZON:
        return "In any number of rounds"
    return f"In {rounds_in_words(document['scope']['horizon'])}"


def _as_promised(document: Document) -> str:
    """The most that somebody who keeps to the promise lets be guessed: (1 + TV)/2 of DP_{eps,delta}."""
    dp = (document["bound"] or {}).get("dp")
    if not dp:
        return ""
    power = dp_power(parse(dp["exp_epsilon"], "promise"), parse(dp["delta"], "promise"))
    most = up(50 * (1 + power.total_variation), DIGITS)
    return f"The mechanism promises that {headline.changed(document)} is guessed right at most {most} times in 100."


def _first(document: Document) -> str:
    if document["requirements"]:
        return ASKED[document["verdict"]]
    return PROMISED[document["verdict"]] if document["bound"] else ""


def _times(curve: Mapping[str, Any]) -> str:
    low, high = (50 * (1 + parse(str(end), "total_variation")) for end in ends_of(curve, "total_variation"))
    if low == high:
        shown = up(high, DIGITS)
        return shown if Fraction(shown) == high else f"about {shown}"
    return f"between {down(low, DIGITS)} and {up(high, DIGITS)}"
