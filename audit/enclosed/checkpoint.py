"""The bounds of the enclosed tier as a checkpoint has them: a killed audit goes on from its last grid."""

from collections.abc import Sequence
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
                "lines": [[text(s), text(v)] for s, v in one.lines],
                "points": sorted([text(x), text(y)] for x, y in one.points),
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
        one.bounding.slopes = tuple(_rational(s) for s in said["slopes"])
        one.lines = [(_rational(s), _rational(v)) for s, v in said["lines"]]
        one.points = {(_rational(x), _rational(y)) for x, y in said["points"]}
        one.upper, one.lower = _restored(said["upper"]), _restored(said["lower"])
    return int(document["steps"])


def _restored(said: dict[str, Any]) -> Side:
    steps = [float.fromhex(step) for step in said["steps"]]
    return Side(steps, [tuple(_rational(v) for v in row) for row in said["values"]], said["done"])


def _rational(said: str) -> Fraction:
    return parse(said, "checkpoint")
