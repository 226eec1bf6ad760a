"""One-round curves of challenges as lines: what makes fixed streams as good as any adversary, by a theorem."""

from collections.abc import Sequence
from typing import Any

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.certificates.game_lines import GameLines
from dpcert.audit.checklist.contexts import Challenge, Curves, challenges
from dpcert.audit.errors import expected
from dpcert.audit.games.paired import Level

Found = dict[tuple[int, tuple[Any, Any]], set[tuple[PowerFunction, ...]]]


def rung_lines(game: GameLines, levels: Sequence[Level]) -> str:
    """The strongest of CONTEXT_STABLE and FUTURE_STABLE that holds; the curves of the first are written.

    Args:
        game: Where the game of a core was written, with one hop of the Hamming relation.
        levels: The game.
    Raises: ArgumentError: neither holds.
    """
    curves = Curves()
    found: Found = {}
    for challenge in challenges(levels, curves, Budget()):
        found.setdefault((len(challenge.before) + 1, challenge.pair), set()).add(_curves(challenge, curves))
    if any(len(ahead) > 1 for ahead in found.values()):
        return "FUTURE_STABLE"
    lines: dict[PowerFunction, int] = {}
    for (round_, pair), (ahead,) in found.items():
        for power in ahead:
            if power not in lines:
                masses = [game.lines.wholes(map(int, m)) for m in (power.chain.mass0, power.chain.mass1)]
                lines[power] = game.lines.add({"curve": masses})
        numbers = [lines[power] for power in ahead]
        game.lines.add({"challenge": [round_, *game.pair(pair)], "curves": numbers}, numbers, kept=False)
    return "CONTEXT_STABLE"


def _curves(challenge: Challenge, curves: Curves) -> tuple[PowerFunction, ...]:
    """The curve of every round from the challenge on. Raises: ArgumentError: common inputs change one."""
    rounds = [future.here for future in challenge.future.rounds()]
    if any(len(here) > 1 for here in rounds):
        raise expected(
            "a mechanism with CONTEXT_STABLE or FUTURE_STABLE, for --certificate-rung,",
            round=len(challenge.before) + 1 + next(t for t, here in enumerate(rounds) if len(here) > 1),
        )
    return tuple(curves.listed[number] for (number,) in rounds)
