"""Whether a certificate is about a mechanism: its game is built again, and compared line by line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, zip_longest
from typing import Any, TextIO

from dpcert.audit.certificates.game_lines import GameLines
from dpcert.audit.certificates.lines import Lines
from dpcert.audit.errors import expected
from dpcert.audit.examine import examination
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import PairedGame
from dpcert.audit.kernels import targets
from dpcert.audit.records.assembled import AuditFacts

GAME = frozenset({"round", "state", "kernel", "moves", "position"})
"""Kinds of lines that say what the game is."""


def differs(
    lines: TextIO, header: Mapping[str, Any], target: str, parameters: dict[str, str], adjacency: str | None = None
) -> str:
    """How the game of a valid certificate differs from that of a mechanism; nothing where it does not.

    Args:
        lines: The certificate.
        header: Its header.
        target: The mechanism.
        parameters: What its class or factory is given.
        adjacency: The relation, where it is not one that the header names.
    Raises: DpcertError: a mechanism that cannot be used in this scope.
    """
    audit = _played(header, target, parameters, adjacency)
    if audit.analysis.stopped is not None:
        raise expected("a game that can be explored to its end", stopped=audit.analysis.stopped)
    mine, theirs = _renumbered(_game(audit)), _renumbered(map(json.loads, islice(lines, header["lines"])))
    for one, (number, other) in zip_longest(mine, theirs, fillvalue=(0, None)):
        if one[1] != other:
            where = f"line {number}" if number else "more lines"
            return f"{where}: expected the game of {target}, from its last round to its first"
    return ""


def game_of_lines(lines: Iterable[str]) -> list[object]:
    """What the lines of a valid certificate say of the game, whatever their numbers are."""
    return [said for _, said in _renumbered(map(json.loads, lines))]


def _played(header: Mapping[str, Any], target: str, parameters: dict[str, str], adjacency: str | None) -> AuditFacts:
    entry = targets.find(target, dict(parameters))
    return examination(
        entry.mechanism,
        horizon=header["horizon"],
        game=header["game"],
        adjacency=targets.relation(header["adjacency"] if adjacency is None else adjacency),
        hops=header["hops"],
        challenge_round=header["challenge_round"],
        exp_epsilons=(1,),
        epsilons=(),
        deltas=(),
        target=entry.name,
        parameters=entry.parameters,
    ).facts


def _game(audit: AuditFacts) -> Iterator[Mapping[str, Any]]:
    """The lines of the game, without curves; each with a number that is its place among all."""
    rules, levels, lines = audit.rules, audit.analysis.solution.levels, Lines()
    if not isinstance(rules, PairedGame | BeliefGame):
        raise expected("a game of rounds", target=audit.request.target)
    alphabet = rules.core.alphabet if isinstance(rules, PairedGame) else rules.view.alphabet
    game = GameLines(lines, rules, alphabet, {} if audit.game == "npp" else {x: i for i, x in enumerate(alphabet)})
    after: list[int] = []
    for round_ in range(len(levels), 0, -1):
        level = levels[round_ - 1]
        game.begin(round_)
        pairs = zip(level.positions, level.moves, strict=True)
        after = [game.position(position, round_, moves, None, after) for position, moves in pairs]
    yield {"schema": ""}
    yield from lines.documents()


def _renumbered(lines: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, Any]]:
    """(line number, what it says of the game), lines numbered as if there were no others."""
    places: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        kind = next(iter(line))
        if kind not in GAME:
            continue
        places[number] = len(places)
        yield number, (kind, *_said(kind, line, places))


def _said(kind: str, line: Mapping[str, Any], places: Mapping[int, int]) -> tuple[Any, ...]:
    if kind == "kernel":
        state, x = line["kernel"]
        return places[state], x, tuple((v, places[s], w) for v, s, w in line["to"]), line["of"]
    if kind == "position":
        relation, *beliefs = line["position"]
        parts = [[part.split(":") for part in belief.split(" ")] for belief in beliefs]
        return relation, *(tuple((places[int(s)], w) for s, w in part) for part in parts), places[line["moves"]]
    return (tuple(map(tuple, line["moves"])) if kind == "moves" else line[kind],)
