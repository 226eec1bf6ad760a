"""The enclosed tier against exact values: nothing lies outside, on any grid, and bounds close in on the truth."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest
from instances.enclosed_games import game_of, no_bound
from instances.played_policies import played_exactly
from instances.random_core import random_core
from instances.random_markov import RandomMarkov, random_markov
from instances.seeds import chosen
from oracles.paired import hamming, transcript_tree_hockey_stick

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.power import ORDERS, PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.grids import windows
from dpcert.audit.grids.bounding import PartBounds
from dpcert.audit.grids.closing import Closing
from dpcert.audit.grids.grid import Grid
from dpcert.audit.grids.parts import parts
from dpcert.audit.grids.refining import Refining
from dpcert.audit.grids.stages import StageRound, Stages, stages
from dpcert.audit.grids.units import RelativeUnits
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING, ZERO_OUT
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

SLOPES = tuple(map(Fraction, ("1", "3/2", "2", "5", "20")))
GAP = Fraction(1, 10**6)
QUICK, ALL = 250, 10_000


def once(game: PairedGame, grid: Grid | None, deviations: float, slopes: Sequence[Fraction] = SLOPES) -> Bracket:
    """Bounds from one grid on either side."""
    made = Refining(stages(game, Budget()), slopes, (), GAP, Budget())
    closing = made.begun()
    for one in closing:
        one.bounding = PartBounds(one.bounding.stages, one.bounding.slopes, deviations, one.bounding.units)
        on = grid or one.bounding.grid(one.bounding.first_step(64))
        one.bound(on, no_bound)
        one.attain(on, no_bound)
    return made.bracket(closing)


def around(seed: int) -> None:
    """One random game on one random grid, with windows that may be far too short."""
    rng, game = random.Random(-seed), game_of(seed)
    step = Fraction(rng.randint(1, 400), 1000)
    drift = rng.choice([Fraction(0), Fraction(rng.randint(0, 1023), 1024)])
    found = once(game, rng.choice([None, Grid(step, drift), Grid(step, drift)]), rng.choice([9, 9, 1, 0.1]))
    exact = solve(explore(game)).power
    assert found.lower <= exact <= found.upper, seed


@pytest.mark.in_turns
@pytest.mark.parametrize("block", range(5))
def test_nothing_lies_outside(block: int) -> None:
    for seed in range(block, QUICK, 5):
        around(seed)


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(20))
def test_nothing_lies_outside_of_ten_thousand(block: int) -> None:
    for seed in range(QUICK + block, QUICK + ALL, 20):
        around(seed)


STEEP = tuple(map(Fraction, (1, 10**3, 10**7, 10**12, 10**40)))


def steep(seed: int) -> None:
    """The same at slopes where roundings count: with the worlds swapped as well."""
    rng, game = random.Random(-seed), game_of(seed)
    found = once(game, rng.choice([None, Grid(Fraction(rng.randint(1, 400), 1000))]), rng.choice([9, 9, 1, 0.1]), STEEP)
    exact = solve(explore(game)).power
    assert found.lower <= exact <= found.upper, seed


@pytest.mark.parametrize("seed", chosen(range(24)))
def test_nothing_lies_outside_at_steep_slopes(seed: int) -> None:
    steep(seed)


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(4))
def test_nothing_lies_outside_at_steep_slopes_of_many(block: int) -> None:
    for seed in range(24 + block, 2_000, 4):
        steep(seed)


REMEMBERED = RandomMarkov((0, 1), ((1, 2), (1, 1), (2, 2)), ((1, 1, 1), (50, 7, 2), (1, 9, 31)))
"""The first input, told again in every round."""


@pytest.mark.parametrize("e", [10**6, 10**10, 10**14])
def test_bounds_close_in_at_a_steep_slope(e: int) -> None:
    """Relatively, so that the gap has to be as small as delta is."""
    game, gap = PairedGame(core_of(REMEMBERED), HAMMING, 12), Fraction(1, 10**6)
    exact = solve(explore(game)).power.delta(e)
    assert 0 < exact < 1
    found = Refining(stages(game, Budget()), (Fraction(e),), (), gap * exact, Budget()).run()
    assert found.bracket.lower.delta(e) <= exact <= found.bracket.upper.delta(e)
    assert found.gap <= gap * exact
    (x, y) = found.events[Fraction(e), "1-0"]
    assert exact - y + e * x <= gap * exact


def test_every_run_counts_among_what_is_rounded() -> None:
    """Sixty outcomes of nearly one ratio are a few chords, and as many sums."""
    rng = random.Random(1)
    rows = [tuple(2**20 + rng.randint(0, 99) for _ in range(60)) for _ in range(3)]
    core = RandomMarkov((0, 1), ((1, 2), (1, 1), (2, 2)), tuple(rows))
    made = Refining(stages(PairedGame(core_of(core), HAMMING, 3), Budget()), (Fraction(10**9),), (), GAP, Budget())
    slack = 0
    for one in made.begun():
        grid = Grid(Fraction(1, 10))
        _, rows_ = one.bounding.attained(one.bounding.policy(grid, no_bound))
        assert isinstance(rows_.units, RelativeUnits)
        slack = max(slack, rows_.slack)
        (x, y), (x1, y1) = one.bounding.replayed(grid, Fraction(10**9), no_bound)
        x2, y2 = played_exactly(one.bounding, grid, Fraction(10**9))
        assert x2 <= min(x, x1)
        assert y2 >= max(y, y1)
    assert slack > 50


def test_a_release_is_not_chosen_for_what_chords_lie_above_it() -> None:
    """With its worlds swapped one of two releases lies on nodes: the other, by its chords, was chosen far too often."""
    game = PairedGame(core_of(TwoRoundRepeated()), HAMMING, 100)
    made = Refining(stages(game, Budget()), (Fraction(100),), (), Fraction(1, 10**12), Budget())
    (swapped,) = [one for one in made.begun() if one.swapped and one.mirrored]
    grid = swapped.bounding.grid(0.03)
    (slope, upper), *_ = swapped.bounding.upper(grid, no_bound)
    (x, y), *_ = swapped.bounding.lower(grid, no_bound)
    assert 0 <= upper - (y - slope * x) <= Fraction(1, 10**5)


def extreme(seed: int) -> PairedGame:
    """Two rounds of laws with what hardly ever, nearly always, or never happens, some of many outcomes."""
    rng = random.Random(seed)
    weights = (0, 0, 1, 1, 2, 2**60, 2**60 - 1, 2**1000)
    outputs = rng.choice((2, 3, 3, 4, 300))
    rows = [tuple(rng.choice(weights) for _ in range(outputs)) for _ in range(3)]
    rows = [row if any(row) else (1, *row[1:]) for row in rows]
    core = RandomMarkov((0, 1), tuple((rng.randrange(3), rng.randrange(3)) for _ in rows), tuple(rows))
    return PairedGame(core_of(core), HAMMING, rng.randint(1, 3))


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", range(16))
def test_extremes_lie_between(seed: int) -> None:
    asked = tuple(map(Fraction, ("1", "2", "10", 2**300, Fraction(2**60 + 1, 2**60))))
    found = once(extreme(seed), Grid(Fraction(1, 10)) if seed % 2 else None, 9, asked)
    exact = solve(explore(extreme(seed))).power
    assert found.lower <= exact <= found.upper


@pytest.mark.parametrize("seed", range(6))
def test_brute_force_lies_between(seed: int) -> None:
    core = random_core(seed, 2, 2, 2)
    found = once(PairedGame(core_of(core), HAMMING, 2), None, 9)
    for e in SLOPES:
        for order in ORDERS:
            truth = transcript_tree_hockey_stick(core.table(), 2, hamming, e, order)
            assert found.lower.hockey_stick(e, order) <= truth <= found.upper.hockey_stick(e, order)


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", [2, 3, 7, 12])
def test_bounds_close_in(seed: int) -> None:
    game = game_of(seed)
    found = Refining(stages(game, Budget()), SLOPES, (), Fraction(1, 10**5), Budget()).run()
    exact = solve(explore(game)).power
    assert found.bracket.lower <= exact <= found.bracket.upper
    assert 0 <= found.gap <= Fraction(1, 10**5)


def test_each_step_keeps_the_best_of_both_sides() -> None:
    seen: list[Bracket] = []
    made = Refining(stages(game_of(3), Budget()), SLOPES, (), Fraction(1, 10**7), Budget())

    def saved(step: int, closing: Sequence[Closing]) -> None:
        assert step == len(seen) + 1
        seen.append(made.bracket(closing))

    made.save = saved
    made.run()
    assert len(seen) > 2
    for before, after in pairwise(seen):
        assert before.lower <= after.lower
        assert after.upper <= before.upper


def test_a_game_that_tells_nothing_is_enclosed_by_nothing() -> None:
    core = random_markov(2)
    same = type(core)(core.alphabet, core.after, (core.weights[0],) * len(core.weights))
    found = Refining(stages(PairedGame(core_of(same), HAMMING, 50), Budget()), SLOPES, (), Fraction(1, 9), Budget())
    assert found.run().bracket.upper == PowerFunction.identity()


def test_repeated_rounds_are_one_table() -> None:
    made = stages(PairedGame(core_of(random_markov(8)), HAMMING, 100_000), Budget())
    assert len(made.levels) < 12
    assert len({id(table) for table in made.tables()}) < 30


@pytest.mark.in_turns
def test_rounds_that_come_again_share_their_tables() -> None:
    """The mutant: each round on its own, whose tables are equal one by one."""
    made = stages(npp_game(simulated(RandBinToy()), 30), Budget())
    apart = Stages(made.rounds, tuple(StageRound(level.positions, level.moves) for level in made.levels))
    for shared, alone in zip((made, parts(made)[0].stages), (apart, parts(apart)[0].stages), strict=True):
        tables, others = list(shared.tables()), list(alone.tables())
        assert tables == others
        assert len(set(map(id, tables))) < len(set(map(id, others))) == 30
        assert len(set(map(id, shared.levels))) < 20


def test_merged_rounds_are_those_that_are_explored() -> None:
    """A game of few rounds by its tables, solved exactly, is the game by its positions."""
    for seed in range(2, 40, 5):
        game = game_of(seed)
        made = stages(game, Budget())
        assert sum(1 for _ in made.tables()) == game.horizon
        levels = explore(game).levels
        assert [len(made.level(t).positions) for t in range(1, game.horizon + 1)][: len(made.levels) - 1] == [
            len(level.positions) for level in levels
        ][: len(made.levels) - 1]


def test_a_window_that_grows_too_fast_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: rows that were never written are read."""
    monkeypatch.setattr(windows.Windows, "pad", 1)
    with pytest.raises(RuntimeError, match="window"):
        once(game_of(12), None, 9)


def test_zero_out_is_enclosed_in_both_orders() -> None:
    game = PairedGame(core_of(random_markov(9)), type(ZERO_OUT)(null=0), 4)
    found = once(game, None, 9)
    exact = solve(explore(game)).power
    for e in SLOPES:
        for order in ORDERS:
            assert found.lower.hockey_stick(e, order) <= exact.hockey_stick(e, order)
            assert exact.hockey_stick(e, order) <= found.upper.hockey_stick(e, order)
