"""The bounds of the enclosed tier as a checkpoint has them: a killed audit goes on from its last grid."""

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.beliefs.belief_refining import BeliefRefining, BeliefSide
from dpcert.audit.beliefs.difference_refining import DifferenceRefining
from dpcert.audit.beliefs.hidden import HiddenGame
from dpcert.audit.grids.closing import Closing, Side
from dpcert.audit.limits import look
from dpcert.audit.relations.adjacency import OVER
from dpcert.audit.solving.checkpoint import Checkpoint


def said_of(steps: int, closing: Sequence[Closing]) -> dict[str, Any]:
    """All parts as JSON values."""
    return {
        "steps": steps,
        "parts": [
            {
                "slopes": [text(s) for s in one.bounding.slopes],
                "lines": _pairs_said(one.lines),
                "points": sorted(_pairs_said(one.points)),
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
        one.known.lines, one.known.points = _pairs_of(said["lines"]), set(_pairs_of(said["points"]))
        one.upper, one.lower = _restored(said["upper"]), _restored(said["lower"])
    return int(document["steps"])


def _restored(said: dict[str, Any]) -> Side:
    steps = [float.fromhex(step) for step in said["steps"]]
    return Side(steps, [tuple(_rational(v) for v in row) for row in said["values"]], said["done"])


def told_of(hidden: HiddenGame) -> Iterator[str]:
    """All that bounds on a game depend on: who may hand in what, round by round, and what each pair shows."""
    pairs: dict[Any, int] = {}
    yield f"{hidden.game.horizon} rounds, {len(hidden.states)} states, {hidden.denominator}"
    for round_ in range(1, hidden.game.horizon + 1):
        number = {relation: i for i, relation in enumerate(hidden.relations(round_ + 1))}
        for relation in hidden.relations(round_):
            look()
            moves = hidden.legal(relation, round_)
            yield repr([(pairs.setdefault(p, len(pairs)), None if t is OVER else number[t]) for p, t in moves])
    for pair in pairs:
        for froms in (hidden.game.view.initial,), hidden.states:
            for over in (False, True):
                look()
                shown = hidden.seen(froms, pair, over)
                yield repr((pair[0] == pair[-1], [(one.over, [w.tolist() for w in one.worlds]) for one in shown]))


def keep(refining: BeliefRefining | DifferenceRefining, file: Checkpoint) -> None:
    """Takes up what a checkpoint has, and keeps what is found from now on."""
    said = file.load()
    document = json.loads(said["bounds"]) if "bounds" in said else {}
    if isinstance(refining, BeliefRefining):
        if document:
            _restore_beliefs(document, refining)
        refining.save = lambda one: file.save({"bounds": json.dumps(_beliefs_said(one))})
        return
    if document:
        _restore_differences(document, refining)
    refining.save = lambda one: file.save({"bounds": json.dumps(_differences_said(one))})


def _beliefs_said(refining: BeliefRefining) -> dict[str, Any]:
    """What is known on grids of beliefs, as JSON values."""
    return {
        "steps": refining.steps,
        "lines": _pairs_said(refining.lines),
        "points": sorted(_pairs_said(refining.points)),
        "sides": [_belief_side(one) for one in (refining.upper, refining.lower)],
    }


def _restore_beliefs(document: dict[str, Any], refining: BeliefRefining) -> None:
    """Puts what was saved into the same game."""
    refining.steps = int(document["steps"])
    refining.lines, refining.points = _pairs_of(document["lines"]), set(_pairs_of(document["points"]))
    refining.upper, refining.lower = (_restored_belief_side(one) for one in document["sides"])


def _belief_side(side: BeliefSide) -> dict[str, Any]:
    change = [one.hex() for one in side.change]
    return {"parts": side.parts, "step": text(side.step), "change": change, "tries": side.tries, "done": side.done}


def _restored_belief_side(said: dict[str, Any]) -> BeliefSide:
    change = [float.fromhex(one) for one in said["change"]]
    return BeliefSide(said["parts"], _rational(said["step"]), change, said["tries"], said["done"])


def _differences_said(refining: DifferenceRefining) -> dict[str, Any]:
    """What is known on grids of differences, as JSON values."""
    return {
        "steps": refining.steps,
        "parts": refining.parts,
        "lines": _pairs_said(refining.lines),
        "points": [[text(slope), _pair_said(point)] for slope, point in refining.points.items()],
    }


def _restore_differences(document: dict[str, Any], refining: DifferenceRefining) -> None:
    """Puts what was saved into the same game."""
    refining.steps, refining.parts = int(document["steps"]), int(document["parts"])
    refining.lines = _pairs_of(document["lines"])
    found: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for slope, (x, y) in document["points"]:
        found[_rational(slope)] = _rational(x), _rational(y)
    refining.points = found


def _pair_said(pair: tuple[Fraction, Fraction]) -> list[str]:
    """A point, or a line by its slope and value."""
    return [text(pair[0]), text(pair[1])]


def _pairs_said(pairs: Iterable[tuple[Fraction, Fraction]]) -> list[list[str]]:
    """Several of them."""
    return [_pair_said(one) for one in pairs]


def _pairs_of(said: Iterable[Sequence[str]]) -> list[tuple[Fraction, Fraction]]:
    """What was said of several."""
    return [(_rational(one), _rational(other)) for one, other in said]


def _rational(said: str) -> Fraction:
    """A number of a checkpoint."""
    return parse(said, "checkpoint")
