"""How near bounds on hidden games and on fixed streams come at steep slopes over 20 rounds, in 10 s by the clock.

Run as `python tests/benchmarks/steep_report.py`; prints the table of docs/benchmarks.md.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from enclosed_report import Drifting
from merging_game import Learner, Walk

from dpcert import Budget, Pmf, Release, bernoulli, from_weights
from dpcert.audit.beliefs.belief_refining import BeliefRefining
from dpcert.audit.beliefs.difference_fixed import DifferenceStreamBounds
from dpcert.audit.beliefs.difference_refining import DifferenceRefining
from dpcert.audit.beliefs.differences import DifferenceGame
from dpcert.audit.beliefs.hidden import HiddenGame
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import PairedGame
from dpcert.audit.grids.stages import stages
from dpcert.audit.grids.streams import StreamBounds
from dpcert.audit.kernels.view import any_view_of, core_of
from dpcert.audit.relations.adjacency import ANY, HAMMING
from dpcert.audit.solving.analysis import NOTHING_KNOWN
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

ROUNDS, GAP, SECONDS = 20, Fraction(1, 10**6), 10


@dataclass(frozen=True)
class Rare:
    """Two hidden places: an input of 1 leads to the other one a million times likelier; of which coins tell."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def step(self, state: int, x: int, draw: Callable[[Pmf[Any]], Any]) -> tuple[Release[Any, Any], int]:
        """Moves, and says by a coin where it stands."""
        place = draw(bernoulli(Fraction(9, 10) if state else Fraction(1, 100) if x else Fraction(1, 10**8)))
        return Release(draw(bernoulli(Fraction(1, 4) + Fraction(place, 2)))), place


@dataclass(frozen=True)
class Never:
    """Three hidden places, to the last of which an input of 0 never leads."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def step(self, state: int, x: int, draw: Callable[[Pmf[Any]], Any]) -> tuple[Release[Any, Any], int]:
        """Moves, and says by a coin where it stands."""
        place = draw(from_weights({0: 1, 2: 3} if state == 2 else {0: 5, 1: 3, 2: x}))
        return Release(draw(bernoulli(Fraction(1 + place, 4)))), place


def hidden(mechanism: Any, relation: Any) -> HiddenGame:
    """A game by its hidden states."""
    found = HiddenGame.of(BeliefGame(any_view_of(mechanism), relation, ROUNDS))
    assert found is not None
    return found


def differences(mechanism: Any) -> DifferenceGame:
    """The same by differences."""
    found = DifferenceGame.of(hidden(mechanism, HAMMING))
    assert found is not None
    return found


def bounds(kind: str, mechanism: Any, e: Fraction) -> Any:
    """Between which curves it lies."""
    budget = Budget(max_seconds=SECONDS)
    if kind == "adaptive":
        return DifferenceRefining(differences(mechanism), (e,), GAP, budget).run().bracket
    if kind == "any streams":
        return BeliefRefining(hidden(mechanism, ANY), (e,), GAP, budget).run().bracket
    if kind == "fixed":
        return DifferenceStreamBounds(differences(mechanism), (e,), NOTHING_KNOWN, GAP, budget).run()
    game = stages(PairedGame(core_of(mechanism), HAMMING, ROUNDS), Budget())
    return StreamBounds(game, (e,), GAP, budget).run()


CASES = (
    ("adaptive", Walk()),
    ("adaptive", Rare()),
    ("adaptive", Never()),
    ("fixed", Walk()),
    ("fixed", Rare()),
    ("fixed", Never()),
    ("any streams", Drifting()),
    ("any streams", Rare()),
    ("fixed, core", Learner()),
    ("fixed, core", TwoRoundRepeated()),
)


def main() -> None:
    """Prints a row for each game and slope."""
    print("| game | curve | e^epsilon | apart | CPU s |\n|---|---|---|---|---|")
    for kind, mechanism in CASES:
        for power in (0, 2, 6, 12):
            started = time.process_time()
            found = bounds(kind, mechanism, Fraction(10**power))
            apart = found.upper.delta(10**power) - found.lower.delta(10**power)
            spent = time.process_time() - started
            print(
                f"| {type(mechanism).__name__} | {kind} | 10^{power} | {float(apart):.1e} | {spent:.1f} |", flush=True
            )


if __name__ == "__main__":
    main()
