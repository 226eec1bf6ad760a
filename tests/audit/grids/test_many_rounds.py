"""Games of many rounds: floats where they are off by next to nothing; rounds that change nothing are passed over."""

import random
from fractions import Fraction

import numpy as np
import pytest
from instances.enclosed_games import game_of, no_bound
from instances.played_policies import played_exactly
from instances.random_markov import random_markov
from instances.seeds import chosen

from dpcert.audit.budget import Budget
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.grids import bounding
from dpcert.audit.grids.bounding import MANY_ROUNDS, PartBounds
from dpcert.audit.grids.grid import Grid
from dpcert.audit.grids.passes import Choices, Runner, Steady, UpperPass
from dpcert.audit.grids.refining import Refining
from dpcert.audit.grids.stages import stages
from dpcert.audit.grids.units import RelativeUnits
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

SLOPES = tuple(map(Fraction, ("1", "3/2", "5", "20")))
LEAKS = Fraction(1), Fraction(1, 100)


def repeated(rounds: int, gap: Fraction, leak: Fraction = Fraction(1)) -> Refining:
    """The two-round mechanism with its second table repeated, at e^epsilon = 1."""
    game = PairedGame(core_of(TwoRoundRepeated(leak)), HAMMING, rounds)
    return Refining(stages(game, Budget()), (Fraction(1),), (), gap, Budget())


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(40)))
def test_no_curve_lies_outside_where_all_games_are_played_in_floats(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounding, "MANY_ROUNDS", 1)
    monkeypatch.setattr(bounding, "FEW_CLASSES", 10**6)
    game, gap = game_of(seed), Fraction(1, 10 ** random.Random(seed).randint(2, 5))
    made = Refining(stages(game, Budget()), SLOPES, (), gap, Budget(max_seconds=2))
    parts = made.begun()
    assert all(isinstance(one.bounding.units, RelativeUnits) and not one.bounding.steep for one in parts)
    found, exact = made.run(parts), solve(explore(game)).power
    assert found.bracket.lower <= exact <= found.bracket.upper
    for (e, order), (x, y) in found.events.items():
        assert y - e * x <= exact.hockey_stick(e, order)


@pytest.mark.parametrize("seed", chosen(range(12)))
def test_policies_in_floats_have_no_more_than_in_rationals(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounding, "MANY_ROUNDS", 1)
    monkeypatch.setattr(bounding, "FEW_CLASSES", 10**6)
    for one in Refining(stages(game_of(seed), Budget()), SLOPES, (), Fraction(1, 100), Budget()).begun():
        grid = one.bounding.grid(one.bounding.coarsest * 16)
        for slope in SLOPES:
            claimed, (x, y) = one.bounding.replayed(grid, slope, no_bound), played_exactly(one.bounding, grid, slope)
            assert all(x <= x1 and y1 <= y for x1, y1 in claimed)


def test_floats_are_for_many_rounds_of_gaps_that_they_leave_alone() -> None:
    for rounds, gap, floats in [
        (MANY_ROUNDS, Fraction(1, 10**6), True),
        (MANY_ROUNDS - 1, Fraction(1, 10**6), False),
        (MANY_ROUNDS, Fraction(1, 10**9), False),
    ]:
        parts = repeated(rounds, gap).begun()
        assert {isinstance(one.bounding.units, RelativeUnits) for one in parts} == {floats}


def passed(runner: Runner, *, choosing: bool) -> tuple[int, list[tuple[int, int, list[bytes | None]]], list[bytes]]:
    """Operations, choices by stage, and rows of a pass."""
    told: list[tuple[int, int, list[bytes | None]]] = []

    def listener(stage: int, taps: object, choices: list[Choices | None]) -> None:
        told.append((stage, id(taps), [None if one is None else one.tobytes() for one in choices]))

    rows = UpperPass(runner, listener if choosing else None).run()
    return runner.slack, told, [np.ascontiguousarray(row).tobytes() for row in rows.values[1:]]


def alike(bounds: PartBounds, grid: Grid, monkeypatch: pytest.MonkeyPatch) -> int:
    """Stages that were passed over; all else is as it is where none is."""
    skipped, again = [0], Steady.again

    def counted(self: Steady, stage: int, taps: object) -> bool:
        skipped[0] += (over := again(self, stage, taps))  # type: ignore[arg-type]
        return over

    for choosing in (False, True):
        with monkeypatch.context() as each:
            each.setattr(Runner, "unchanged", lambda *_: False)
            plain = passed(bounds.runner(grid, no_bound), choosing=choosing)
        with monkeypatch.context() as each:
            each.setattr(Steady, "again", counted)
            runner = bounds.runner(grid, no_bound)
            quick = passed(runner, choosing=choosing)
        assert quick[0] == plain[0]
        assert quick[2] == plain[2]
        assert [(stage, kept) for stage, _, kept in quick[1]] == [(stage, kept) for stage, _, kept in plain[1]]
    return skipped[0]


@pytest.mark.in_turns(few=True)
def test_a_round_that_changes_nothing_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    skipped = [
        alike(one.bounding, one.bounding.grid(one.bounding.coarsest), monkeypatch)
        for leak in LEAKS
        for one in repeated(200, Fraction(1, 10**6), leak).begun()
    ]
    assert min(skipped) == 0
    assert max(skipped) > 300


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(30)))
def test_a_pass_that_passes_rounds_over_ends_as_any_other(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    game = PairedGame(core_of(random_markov(seed)), HAMMING, rng.randint(2, 60))
    grid = Grid(Fraction(rng.randint(20, 900), 1000), rng.choice([Fraction(0), Fraction(0), Fraction(1, 3)]))
    for one in Refining(stages(game, Budget()), SLOPES, (), Fraction(1, 100), Budget()).begun():
        alike(one.bounding, grid, monkeypatch)
