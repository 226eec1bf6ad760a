"""The bounds of the enclosed tier as a checkpoint has them: a killed audit goes on from its last grid."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.enclosed.refining import Closing, Side


def said_of(steps: int, closing: Sequence[Closing]) -> dict[str, Any]:
    """All parts as JSON values."""
    return {
        "steps": steps,
        "parts": [
            {
                "slopes": [text(s) for s in one.bounding.slopes],
                "lines": pairs_said(one.lines),
                "points": sorted(pairs_said(one.points)),
                "upper": _side(one.upper),
                "lower": _side(one.lower),
            }
            for one in closing
        ],
    }


def _side(side: Side) -> dict[str, Any]:
    steps = [step.hex() for step in side.steps]
    return {"steps": steps, "values": [[text(v) for v in row] for row in side.values], "done": side.done}


def restore(document: dict[str, Any], closing: Sequence[Closing]) -> int:
    """Puts what was saved into the parts of the same game; the number of grids."""
    for one, said in zip(closing, document["parts"], strict=True):
        one.bounding.slopes = tuple(rational(s) for s in said["slopes"])
        one.lines, one.points = pairs_of(said["lines"]), set(pairs_of(said["points"]))
        one.upper, one.lower = _restored(said["upper"]), _restored(said["lower"])
    return int(document["steps"])


def _restored(said: dict[str, Any]) -> Side:
    steps = [float.fromhex(step) for step in said["steps"]]
    return Side(steps, [tuple(rational(v) for v in row) for row in said["values"]], said["done"])


def pair_said(pair: tuple[Fraction, Fraction]) -> list[str]:
    """A point, or a line by its slope and value."""
    return [text(pair[0]), text(pair[1])]


def pairs_said(pairs: Iterable[tuple[Fraction, Fraction]]) -> list[list[str]]:
    """Several of them."""
    return [pair_said(one) for one in pairs]


def pairs_of(said: Iterable[Sequence[str]]) -> list[tuple[Fraction, Fraction]]:
    """What was said of several."""
    return [(rational(one), rational(other)) for one, other in said]


def rational(said: str) -> Fraction:
    """A number of a checkpoint."""
    return parse(said, "checkpoint")
