"""One-round curves of challenges as lines: what makes fixed streams as good as any adversary, by a theorem."""

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import integer_text, text
from dpcert.audit.budget import Budget
from dpcert.audit.certificates.game_lines import GameLines
from dpcert.audit.checklist.contexts import Challenge, Curves, challenges
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import Level, Pair
from dpcert.audit.records.game_digest import start, state_label

Ahead = tuple[PowerFunction, ...]
"""The curve of every round from a challenge on."""
CurvesAhead = dict[tuple[int, Pair], set[Ahead]]
DISTANCES: dict[str, Callable[[list[int]], int]] = {"sum": sum, "largest": max}
"""How large a vector of differences is, by what the certificate calls it."""


@frozen
class AggregateDifference:
    """Inputs that add up: as vectors of whole numbers, modulo `modulus` if it is not 0, of some rounds each."""

    values: tuple[tuple[int, ...], ...]
    modulus: int
    index_sets: tuple[tuple[int, ...], ...]

    def of(self, round_: int, first: int, pair: tuple[int, int], distance: str | None) -> Any:
        """The difference of the aggregates of a round, or how large it is, after a challenge in the first."""
        inside, m = first in self.index_sets[round_ - 1], self.modulus
        steps = [(u - v) * inside for u, v in zip(*(self.values[x] for x in pair), strict=True)]
        vector = [d % m if m else d for d in steps]
        return (
            tuple(vector) if distance is None else DISTANCES[distance]([min(d, m - d) if m else abs(d) for d in vector])
        )

    def decides(self, ahead_of: CurvesAhead, game: GameLines, distance: str | None) -> bool:
        """Whether it decides the curve of every round; by a distance, with curves that rise with it."""
        costs: dict[tuple[int, Any], PowerFunction] = {}
        for (first, pair), (ahead,) in ahead_of.items():
            x0, x1 = game.pair(pair)
            for round_, curve in enumerate(ahead, first):
                key = round_, self.of(round_, first, (x0, x1), distance)
                if costs.setdefault(key, curve) != curve:
                    return False
        keys = sorted(costs) if distance is not None else []
        return all(a[0] < b[0] or costs[a] <= costs[b] for a, b in pairwise(keys))


def rung_lines(game: GameLines, levels: Sequence[Level], stable: dict[str, Any]) -> tuple[str, str]:
    """The strongest rung that holds, and the lines that show it.

    Args:
        game: Where the game of a core was written, with one hop of the Hamming relation.
        levels: The game.
        stable: What the record says of STABLE_COST.
    Raises: ArgumentError: neither CONTEXT_STABLE nor FUTURE_STABLE holds.
    """
    curves = Curves()
    ahead_of: CurvesAhead = {}
    for challenge in challenges(levels, curves, Budget()):
        ahead_of.setdefault((len(challenge.before) + 1, challenge.pair), set()).add(_curves(challenge, curves))
    lines: list[dict[str, Any]] = [*_laws(game, levels)]
    if any(len(ahead) > 1 for ahead in ahead_of.values()):
        return "FUTURE_STABLE", _written(lines)
    rung, aggregate = next(_aggregates(game, ahead_of, len(levels), stable), ("CONTEXT_STABLE", None))
    lines += [] if aggregate is None else [aggregate]
    for (round_, pair), (ahead,) in ahead_of.items():
        masses = [[_masses(power.chain.mass0), _masses(power.chain.mass1)] for power in ahead]
        lines.append({"challenge": [round_, *game.pair(pair)], "curves": masses})
    return rung, _written(lines)


def _aggregates(
    game: GameLines, ahead_of: CurvesAhead, horizon: int, stable: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """SCALAR and VECTOR, where the record has them by sums of whole numbers: the rung, and its line."""
    rungs = {rung["rung"]: rung["witness"] or {} for rung in stable["rungs"] or () if rung["verdict"] == "HOLDS"}
    vectors = [x if type(x) is tuple else (x,) for x in game.inputs]
    if not all(type(n) is int for one in vectors for n in one) or len({len(one) for one in vectors}) != 1:
        return
    for rung, distances in (("SCALAR", DISTANCES), ("VECTOR", (None,))):
        if rung not in rungs:
            continue
        modulus = str(rungs[rung].get("aggregate")).rpartition("the sum modulo ")[2]
        difference = AggregateDifference(
            tuple(vectors), int(modulus) if modulus.isdigit() else 0, _index_sets(ahead_of, horizon)
        )
        for distance in distances:
            if difference.decides(ahead_of, game, distance):
                line = {"aggregate": vectors, "modulus": difference.modulus, "distance": distance}
                yield rung, {**line, "index_sets": difference.index_sets}


def _index_sets(ahead_of: CurvesAhead, horizon: int) -> tuple[tuple[int, ...], ...]:
    """Per round, the rounds whose challenges change its curve."""
    same = PowerFunction.identity()
    index_sets: list[set[int]] = [set() for _ in range(horizon)]
    for (first, _), (ahead,) in ahead_of.items():
        for round_, curve in enumerate(ahead, first):
            if curve != same:
                index_sets[round_ - 1].add(first)
    return tuple(tuple(sorted(rounds)) for rounds in index_sets)


def _laws(game: GameLines, levels: Sequence[Level]) -> Iterator[dict[str, Any]]:
    """The state in which a core starts, and its laws by state and input."""
    states: dict[int, str] = {}
    yield {"start": state_label(start(game.game, levels[0].positions[0]))}
    for number, line in enumerate(game.lines.documents(), 2):
        if "state" in line:
            states[number] = line["state"]
        elif "kernel" in line:
            (state, x), total, to = line["kernel"], int(line["of"]), line["to"]
            law = {visible: text(Fraction(int(weight), total)) for visible, _, weight in to}
            yield {"law": [states[state], x], "to": law, "then": states[to[0][1]]}


def _curves(challenge: Challenge, curves: Curves) -> Ahead:
    """The curve of every round from the challenge on. Raises: ArgumentError: common inputs change one."""
    rounds = [future.here for future in challenge.future.rounds()]
    if any(len(here) > 1 for here in rounds):
        raise expected(
            "a mechanism with CONTEXT_STABLE or FUTURE_STABLE, for --certificate-rung,",
            round=len(challenge.before) + 1 + next(t for t, here in enumerate(rounds) if len(here) > 1),
        )
    return tuple(curves.powers[number] for (number,) in rounds)


def _masses(masses: Sequence[Any]) -> str:
    return " ".join(integer_text(int(mass)) for mass in masses)


def _written(lines: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n" for line in lines)
