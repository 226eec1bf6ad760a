"""Fixed streams of cores between bounds, against the exact supremum over all of them."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from instances.enclosed_games import game_of
from instances.seeds import chosen

from dpcert import Budget, Pmf, examine, from_weights
from dpcert.audit.algebra.power import ORDERS, PowerFunction
from dpcert.audit.enclosed import tiers
from dpcert.audit.games.paired import PairedGame, closed, explore
from dpcert.audit.grids import stream_rows
from dpcert.audit.grids.stages import stages
from dpcert.audit.grids.stream_rows import undominated
from dpcert.audit.grids.streams import StreamBounds
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving import analysis
from dpcert.audit.solving.fixed import fixed_stream

ASKED = (Fraction(1), Fraction(3, 2), Fraction(10))


class Learner:
    """A parameter of five values that follows its inputs, released through a channel with five outputs."""

    alphabet = (-1, 0, 1)
    initial = 2

    def advance(self, state: int, x: int) -> int:
        """One step towards the input, within the range."""
        return min(4, max(0, state + x))

    def law(self, state: int) -> Pmf[int]:
        """More weight near the parameter."""
        return from_weights({y: 12 - 2 * abs(y - state) + (state == y == 2) for y in range(5)})


def enclosed(game: PairedGame, gap: Fraction) -> StreamBounds:
    """The bounds of a game, refined."""
    return StreamBounds(stages(game, Budget()), ASKED, gap, Budget())


def reached(game: PairedGame, pairs: Any) -> PowerFunction:
    """What a pair of streams reaches: the product of its rounds."""
    power, states = PowerFunction.identity(), (game.core.initial, game.core.initial)
    for pair in pairs:
        states = game.core.advance(states[0], pair[0]), game.core.advance(states[1], pair[-1])
        laws = [game.core.law(state).token_weights() for state in states]
        outcomes = {y for weights, _ in laws for y in weights}
        power = power.tensor(
            PowerFunction.from_segments([tuple(Fraction(w.get(y, 0), d) for w, d in laws) for y in outcomes])  # type: ignore[misc]
        )
    return power


def around(bounds: StreamBounds, game: PairedGame) -> None:
    """The bounds lie around the exact supremum, and each pair of streams around which they lie reaches its curve."""
    exact = fixed_stream(closed(explore(game)))
    found = bounds.run()
    assert exact.complete
    assert found is not None
    assert found.lower <= exact.power <= found.upper
    for number, pairs in bounds.reached.pairs.items():
        assert bounds.reached.curves[number] <= reached(game, pairs)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(16)))
def test_bounds_lie_around_the_exact_supremum(seed: int) -> None:
    game, gap = game_of(seed), Fraction(1, 100)
    bounds = enclosed(game, gap)
    around(bounds, game)
    assert bounds.apart() <= gap


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(20))
def test_bounds_lie_around_it_in_many_games(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        game = game_of(1000 + seed)
        around(enclosed(game, Fraction(1, 10**4)), game)


@pytest.mark.parametrize("seed", chosen(range(8)))
def test_what_is_folded_is_bounded_still(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_rows, "MOST_ROW_BYTES", 1)
    game = game_of(2000 + seed)
    bounds = replace(enclosed(game, Fraction(1)))
    around(bounds, game)


def test_what_coarse_bounds_say_stands_when_finer_ones_are_stopped() -> None:
    said: list[str] = []

    def hear(text: str) -> None:
        said.append(text)
        if len([one for one in said if one.endswith("apart")]) == 2:
            raise KeyboardInterrupt

    game = game_of(3)
    bounds = StreamBounds(stages(game, Budget()), ASKED, Fraction(1, 10**9), Budget(progress=hear))
    around(bounds, game)
    assert 0 < bounds.apart() <= Fraction(1, 100)


def test_rows_that_are_left_out_lie_below_one_that_is_kept() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        rows = rng.integers(0, 4, (30, 3)) / 4
        allowed = np.array([0.25, 0.0, 0.5])
        kept = undominated(rows, allowed)
        assert all((row <= rows[kept] + allowed).all(axis=1).any() for row in rows)
        assert len({tuple(row) for row in rows[kept]}) == len(kept)


@pytest.mark.in_turns
def test_a_learner_of_many_rounds_is_refuted_by_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its fixed streams are too many to be tried, and adaptive adversaries reach more than any of them."""
    monkeypatch.setattr(tiers, "MOST_HELD_SEGMENTS", 1)
    monkeypatch.setattr(analysis, "fixed_stream", partial(fixed_stream, most_products=2))
    record = examine(Learner(), horizon=5, exp_epsilons=(1,), gap=Fraction(1, 500))
    exact = fixed_stream(closed(explore(PairedGame(core_of(Learner()), HAMMING, 5)))).power
    assert record["fixed_stream"]["tier"] == "enclosed"
    (bounds,) = record["fixed_stream"]["delta"]
    assert Fraction(bounds["lower"]) <= exact.delta(Fraction(1)) <= Fraction(bounds["upper"])
    curve = record["lifts"]["curve"]
    assert (curve["verdict"], curve["method"]) == ("REFUTED", "ENCLOSED")
    assert "fixed streams at most" in curve["detail"]
    for one in record["fixed_stream"]["witnesses"]:
        assert one["order"] in ORDERS
        assert len(one["stream0"]) == 5
