"""Policies of lower bounds, played forwards: they have what was claimed of them."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from instances.enclosed_games import game_of, no_bound
from instances.played_policies import played_exactly

from dpcert.audit.algebra.power import Point
from dpcert.audit.budget import Budget
from dpcert.audit.games.paired import END, Move, Outcome, PairedGame
from dpcert.audit.grids import bounding, choices, replay
from dpcert.audit.grids.lower import GridPolicy
from dpcert.audit.grids.refining import Refining
from dpcert.audit.grids.replay import PlayedPolicy
from dpcert.audit.grids.stages import StageRound, Stages, stages
from dpcert.audit.grids.units import RelativeUnits, Units
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

SLOPES = tuple(map(Fraction, ("1", "2", "1/2")))


def replayed(seed: int, units: Units) -> Iterator[tuple[Fraction, Point, Point, Point]]:
    """Slopes, what was worked out backwards, what forwards, and what the policy has in rationals."""
    made = Refining(stages(game_of(seed), Budget()), (Fraction(1), Fraction(2)), (), Fraction(1, 10**6), Budget())
    for one in made.begun():
        one.bounding.units = units
        grid = one.bounding.grid(one.bounding.first_step(64))
        for slope in SLOPES:
            yield slope, *one.bounding.replayed(grid, slope, no_bound), played_exactly(one.bounding, grid, slope)


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", [*range(0, 60, 6), 5030])
@pytest.mark.parametrize(
    ("units", "small"),
    [(Units(), Fraction(1, 10**9)), (Units(200), Fraction(1, 10**50)), (RelativeUnits(), Fraction(1, 10**11))],
    ids=["machine", "200", "relative"],
)
@pytest.mark.parametrize("long", [0, 10**9], ids=["spans", "places"])
def test_policies_have_what_is_said_and_no_less(
    seed: int, units: Units, small: Fraction, long: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "LONG_SPAN", long)
    monkeypatch.setattr(replay, "BLOCK_PLACES", 50)
    for slope, *claimed, (x, y) in replayed(seed, units):
        for x1, y1 in claimed:
            assert 0 <= x1 - x <= small, (seed, slope)
            assert 0 <= y - y1 <= small, (seed, slope)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", range(0, 60, 4))
@pytest.mark.parametrize("placewise", [False, True])
def test_what_is_known_for_many_starts_serves_for_each_of_them(seed: int, placewise: bool) -> None:
    """Where a slope alone is asked for, fewer places are reached, and the policy has the same there."""
    made = Refining(stages(game_of(seed), Budget()), (Fraction(1), Fraction(2)), (), Fraction(1, 10**6), Budget())
    for one, alone in zip(made.begun(), made.begun(), strict=True):
        grid = one.bounding.grid(one.bounding.first_step(64))
        policy = one.bounding.policy(grid, no_bound, placewise=placewise)
        root, rows = one.bounding.attained(policy)
        for slope in one.bounding.slopes:
            assert one.bounding.attained(policy, (slope,))[1] is rows
            fresh = alone.bounding.policy(grid, no_bound, placewise=placewise)
            fresh_root, fresh_rows = alone.bounding.attained(fresh, (slope,))
            assert fresh_root.attained(fresh_rows, slope) == root.attained(rows, slope), (seed, slope)
            alone.bounding._policies.clear()


def test_slopes_that_come_later_have_no_policy_worked_out_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """An epsilon for a delta is read closer at slopes of its own once bounds are known; they are not played."""
    worked_out: list[object] = []
    followed = GridPolicy._followed
    monkeypatch.setattr(GridPolicy, "_followed", lambda *asked: worked_out.append(asked) or followed(*asked))
    game = PairedGame(core_of(TwoRoundRepeated()), HAMMING, 30)
    refining = Refining(stages(game, Budget()), (Fraction(1),), (Fraction(1, 10**6),), Fraction(1, 100), Budget())
    parts = refining.begun()
    slopes = len(parts[0].bounding.slopes)
    found = refining.run(parts)
    assert len(parts[0].bounding.slopes) > slopes
    assert found.events
    assert len(worked_out) == sum(len(part.lower.steps) for part in parts)


@pytest.mark.in_turns(few=True)
def test_what_the_first_round_adds_up_counts_among_what_is_rounded() -> None:
    """Three hundred outcomes of the first round lead to one place: so many sums, and so few after them."""
    many = tuple(Outcome(i, 1, 20_000 + i, 0) for i in range(300))
    scale = sum(o.weight1 for o in many)
    first = Move((0, 1), (*many, Outcome("else", scale - 300, 0, 0)), scale, scale)
    last = Move((0, 1), (Outcome(0, 10_000, 10_001, END), Outcome(1, 10_001, 10_000, END)), 20_001, 20_001)
    made = Stages(2, (StageRound((0,), ((first,),)), StageRound((0,), ((last,),))))
    slope = Fraction(20_000)
    for one in Refining(made, (slope,), (), Fraction(1, 10**11), Budget()).begun():
        if not one.swapped:
            grid = one.bounding.grid(one.bounding.first_step(2_048))
            policy = one.bounding.policy(grid, no_bound)
            root, rows = one.bounding.attained(policy)
            played = PlayedPolicy(policy, one.bounding.tables[-1], root.attained(rows, slope)[1], one.bounding.units)
            (x, y), exact = played.point(), played_exactly(one.bounding, grid, slope)
            assert played.slack >= 300
            assert exact[0] <= x
            assert 0 < y <= exact[1]


@pytest.mark.in_turns
def test_where_one_side_falls_short_the_same_grid_is_tried_place_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounding, "MANY_ROUNDS", 40)
    monkeypatch.setattr(bounding, "FIRST_OF_MANY_ROUNDS", bounding.FIRST_PLACES)
    game, e, gap = PairedGame(core_of(TwoRoundRepeated()), HAMMING, 40), Fraction(10), Fraction(1, 10**8)
    refining = Refining(stages(game, Budget()), (e,), (), gap, Budget())
    parts = refining.begun()
    found = refining.run(parts)
    lower, (one_sided, by_places) = parts[0].lower, (values[0] for values in parts[0].lower.values[-2:])
    assert lower.again
    assert lower.steps[-1] == lower.steps[-2]
    assert by_places - one_sided > gap
    assert found.gap <= gap
    x, y = found.events[e, "1-0"]
    assert y - e * x >= by_places - Fraction(1, 10**12)
