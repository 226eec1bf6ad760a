"""The bounds of a game of hidden states as a checkpoint has them, and what such a checkpoint is bound to."""

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.rational import text
from dpcert.audit.enclosed.belief_refining import BeliefRefining, BeliefSide
from dpcert.audit.enclosed.checkpoint import pair_said, pairs_of, pairs_said, rational
from dpcert.audit.enclosed.difference_refining import DifferenceRefining
from dpcert.audit.enclosed.hidden import HiddenGame
from dpcert.audit.limits import look
from dpcert.audit.relations.adjacency import OVER
from dpcert.audit.solving.checkpoint import Checkpoint


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
        "lines": pairs_said(refining.lines),
        "points": sorted(pairs_said(refining.points)),
        "sides": [_side(one) for one in (refining.upper, refining.lower)],
    }


def _restore_beliefs(document: dict[str, Any], refining: BeliefRefining) -> None:
    """Puts what was saved into the same game."""
    refining.steps = int(document["steps"])
    refining.lines, refining.points = pairs_of(document["lines"]), set(pairs_of(document["points"]))
    refining.upper, refining.lower = (_restored(one) for one in document["sides"])


def _side(side: BeliefSide) -> dict[str, Any]:
    change = [one.hex() for one in side.change]
    return {"parts": side.parts, "step": text(side.step), "change": change, "tries": side.tries, "done": side.done}


def _restored(said: dict[str, Any]) -> BeliefSide:
    change = [float.fromhex(one) for one in said["change"]]
    return BeliefSide(said["parts"], rational(said["step"]), change, said["tries"], said["done"])


def _differences_said(refining: DifferenceRefining) -> dict[str, Any]:
    """What is known on grids of differences, as JSON values."""
    return {
        "steps": refining.steps,
        "parts": refining.parts,
        "lines": pairs_said(refining.lines),
        "points": [[text(slope), pair_said(point)] for slope, point in refining.points.items()],
    }


def _restore_differences(document: dict[str, Any], refining: DifferenceRefining) -> None:
    """Puts what was saved into the same game."""
    refining.steps, refining.parts = int(document["steps"]), int(document["parts"])
    refining.lines = pairs_of(document["lines"])
    found: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for slope, (x, y) in document["points"]:
        found[rational(slope)] = rational(x), rational(y)
    refining.points = found
