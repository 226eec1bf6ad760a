"""Hidden games whose streams part once, between bounds on a grid of differences, against the exact curves."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from instances.modes import TWO_MODES
from instances.seeds import chosen
from instances.small_hidden import differences, small_hidden

from dpcert import Budget, Pmf, Release, bernoulli, examine
from dpcert.audit.beliefs import difference_refining, difference_streams
from dpcert.audit.beliefs.difference_fixed import DifferenceStreamBounds
from dpcert.audit.beliefs.difference_play import DifferencePlay
from dpcert.audit.beliefs.difference_policies import DifferencePolicies
from dpcert.audit.beliefs.difference_refining import DifferenceRefining, attained, largest
from dpcert.audit.beliefs.difference_streams import DifferenceStreams
from dpcert.audit.beliefs.differences import DifferenceGame, DifferenceGrid
from dpcert.audit.beliefs.directions import Directions, count
from dpcert.audit.beliefs.faces import Faces, largest_of
from dpcert.audit.enclosed import tiers
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import closed, explore
from dpcert.audit.grids.units import MACHINE_BITS, Units
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.relations.adjacency import ANY, HAMMING, ChallengeAt
from dpcert.audit.relations.hops import Hops
from dpcert.audit.solving.adaptive import solve
from dpcert.audit.solving.analysis import NOTHING_KNOWN
from dpcert.audit.solving.fixed_hidden import fixed_pairs

ASKED = (Fraction(1), Fraction(3, 2), Fraction(5))


@dataclass(frozen=True)
class Walk:
    """A hidden walk on four places, pushed by the inputs, of which is seen whether it stands at the upper end."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 1

    def step(self, state: int, x: int, draw: Callable[[Pmf[Any]], Any]) -> tuple[Release[Any, Any], int]:
        """Moves, and says whether it is at the end."""
        place = min(3, max(0, state + 2 * draw(bernoulli(Fraction(1 + x, 2 + x))) - 1))
        return Release(int(place == 3)), place


def of(mechanism: object, rounds: int) -> DifferenceGame:
    """That of a mechanism."""
    found = differences(BeliefGame(any_view_of(mechanism), HAMMING, rounds))  # type: ignore[arg-type]
    assert found is not None
    return found


def around(seed: int) -> None:
    """Bounds on adaptive adversaries from one coarse grid lie around the exact curve."""
    game = differences(small_hidden(seed))
    if game is None:
        return
    bounds = DifferenceRefining(game, ASKED, Fraction(1), Budget())
    found = bounds.run(first=random.Random(seed).randint(1, 4))
    exact = solve(explore(small_hidden(seed))).power
    assert found.bracket.lower <= exact <= found.bracket.upper, seed
    assert found.steps == 1


def around_streams(seed: int) -> None:
    """Bounds on fixed streams lie around the exact supremum, and streams around which they lie reach their curves."""
    game, rng = differences(small_hidden(seed)), random.Random(seed)
    if game is None:
        return
    gap = Fraction(1, rng.choice((3, 100, 10_000)))
    bounds = DifferenceStreamBounds(game, ASKED, NOTHING_KNOWN, gap, Budget(), most_steps=rng.randint(1, 4))
    found, exact = bounds.run(), fixed_pairs(closed(explore(small_hidden(seed))))
    assert exact.complete
    assert found is not None
    assert found.lower <= exact.power <= found.upper, seed
    for number, pairs in bounds.reached.pairs.items():
        curves = [curve for streams, curve in exact.curves.items() if streams == pairs[: len(streams)]]
        assert curves, seed
        assert bounds.reached.curves[number] <= curves[0], seed


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(16)))
def test_nothing_lies_outside(seed: int) -> None:
    around(seed)
    around_streams(seed)


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(20))
def test_nothing_lies_outside_of_many(block: int) -> None:
    for seed in range(16 + 250 * block, 266 + 250 * block):
        around(seed)
        around_streams(seed)


@pytest.mark.parametrize("seed", chosen(range(8)))
def test_streams_that_are_folded_are_bounded_still(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difference_streams, "MOST_POINT_ROW_BYTES", 1)
    around_streams(seed)


def test_vectors_lie_between_points() -> None:
    rng = random.Random(3)
    for _ in range(60):
        directions = Directions(rng.randint(1, 4), rng.randint(1, 6))
        most = rng.choice((3, 50, 2**90))
        vectors = np.array([[rng.randint(-most, most) for _ in range(directions.size)] for _ in range(5)], dtype=object)
        found = directions.around(vectors)
        assert len(directions.points) == count(directions.size, directions.parts)
        for vector, ids, weights in zip(vectors, found.ids, found.weights, strict=True):
            assert min(weights) >= 0
            assert sum(weights) == sum(map(abs, vector))
            met = sum(w * directions.points[i].astype(object) for i, w in zip(ids, weights, strict=True))
            assert (met == vector * directions.parts).all()


@pytest.mark.in_turns
def test_bounds_close_in() -> None:
    game = of(TWO_MODES, 4)
    found = DifferenceRefining(game, ASKED, Fraction(1, 10**5), Budget()).run()
    streams = DifferenceStreamBounds(game, ASKED, NOTHING_KNOWN, Fraction(1, 10**4), Budget())
    explored = explore(game.hidden.game)
    exact, fixed = solve(explored).power, fixed_pairs(closed(explored)).power
    assert found.gap <= Fraction(1, 10**5)
    assert found.bracket.lower <= exact <= found.bracket.upper
    bracket = streams.run()
    assert bracket is not None
    assert bracket.lower <= fixed <= bracket.upper
    assert max(bracket.upper.delta(e) - bracket.lower.delta(e) for e in ASKED) <= Fraction(1, 10**4)


def test_events_of_played_policies_are_worth_their_bound() -> None:
    found = DifferenceRefining(of(TWO_MODES, 3), (Fraction(1),), Fraction(1, 1000), Budget()).run()
    ((e, order),) = found.events
    x, y = found.events[e, order]
    assert (y - x if order == "1-0" else x - y) == found.bracket.lower.delta(e) > 0


def test_a_policy_that_is_worth_less_than_was_claimed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difference_refining, "PLAYED_WITHIN", Fraction(-1))
    with pytest.raises(RuntimeError, match="another value"):
        attained(DifferenceGrid(of(TWO_MODES, 2), 2, lambda: None), ASKED)


@pytest.mark.parametrize(
    ("relation", "parts_once"),
    [(HAMMING, True), (ChallengeAt(HAMMING, 2), True), (ANY, False), (Hops(HAMMING, 2, 3), False)],
)
def test_differences_are_of_games_whose_streams_part_once(relation: Any, parts_once: bool) -> None:
    game = BeliefGame(any_view_of(TWO_MODES), relation, 3)  # type: ignore[arg-type]
    assert (differences(game) is not None) == parts_once


def test_grids_keep_to_what_can_be_left_open() -> None:
    """An end that is seen is no mixture with other places."""
    game = of(Walk(), 5)
    assert sorted(map(len, game.faces)) == [1, 3]
    assert largest(game, 1 << 20, 1) < 1 << 20


@pytest.mark.in_turns
def test_a_hidden_walk_is_refuted_by_bounds() -> None:
    """Of four places, of more rounds than are solved: adaptive adversaries reach more than any fixed streams."""
    record = examine(Walk(), horizon=8, exp_epsilons=(1,), tier="enclosed")
    for curve, exact in (("adaptive", Fraction(986, 6561)), ("fixed_stream", Fraction(940, 6561))):
        (bounds,) = record[curve]["delta"]
        assert Fraction(bounds["lower"]) <= exact <= Fraction(bounds["upper"])
        assert Fraction(bounds["upper"]) - Fraction(bounds["lower"]) <= Fraction(1, 10**6)
    found = record["lifts"]["curve"]
    assert (found["verdict"], found["method"]) == ("REFUTED", "ENCLOSED")
    assert all(len(one["stream0"]) == 8 for one in record["fixed_stream"]["witnesses"])


@pytest.mark.in_turns
def test_a_hidden_game_of_many_positions_is_enclosed_where_nobody_bounds_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tiers, "MOST_BELIEFS_FIRST", 20)
    monkeypatch.setattr(tiers, "MOST_BELIEFS_UNASKED", 60)
    found = examine(Walk(), horizon=6, exp_epsilons=(1,))
    (bounds,) = found["adaptive"]["delta"]
    assert "more than 60 positions (MOST_BELIEFS_UNASKED)" in found["scope"]["text"]
    assert Fraction(bounds["lower"]) <= Fraction(34, 243) <= Fraction(bounds["upper"])
    assert found["verdict"] == "REFUTED"
    for options in ({"hops": 2}, {"adjacency": "any"}, {"budget": Budget(max_positions=10**6)}):
        assert examine(Walk(), horizon=4, exp_epsilons=(1,), **options)["adaptive"]["tier"] == "exact"  # type: ignore[arg-type]


def test_after_an_interrupt_it_is_explored_as_far_as_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interrupt came before the game, in the examination."""
    monkeypatch.setattr(tiers, "MOST_BELIEFS_FIRST", 20)
    monkeypatch.setattr(tiers, "MOST_BELIEFS_UNASKED", 60)
    budget = Budget()
    budget.cut()
    found = examine(Walk(), horizon=5, exp_epsilons=(1,), budget=budget)
    assert "MOST_BELIEFS_UNASKED" not in found["scope"]["text"]
    assert found["adaptive"]["tier"] == "exact"


@pytest.mark.parametrize("seed", [48, 68, 265])
def test_what_ways_that_are_left_out_may_bring_is_added(seed: int) -> None:
    """In these games the best streams are left out for others: without what is added a bound would be too small."""
    game, tolerance, slope = differences(small_hidden(seed)), 0.02, Fraction(3, 2)
    assert game is not None
    bound, _ = DifferenceStreams(DifferenceGrid(game, 8, lambda: None), [slope], tolerance).run().bound(0)
    most = fixed_pairs(closed(explore(small_hidden(seed)))).power.hockey_stick(slope, "1-0")
    assert bound - game.rounds * Fraction(tolerance) < most <= bound


def test_vectors_lie_on_a_face_that_holds_them() -> None:
    faces = Faces(4, largest_of([(0, 1), (0, 1, 2), (3,), (1,)]), 3)
    assert faces.faces == ((0, 1, 2), (3,))
    assert (faces.points[: faces.beliefs] >= 0).all()
    for vectors in ([[2, -1, 0, 0], [0, 0, 5, 0]], [[0, 0, 0, -7]]):
        ids_, weights_ = faces.shares(np.array(vectors), 1)
        for vector, ids, weights in zip(vectors, ids_, weights_, strict=True):
            assert (weights @ faces.points[ids] == 3 * np.array(vector)).all()
    with pytest.raises(RuntimeError, match="not among those"):
        faces.shares(np.array([[1, 0, 0, 1]]), 1)


def test_what_a_policy_has_is_rounded_outward() -> None:
    policies = DifferencePolicies(DifferenceGrid(of(Walk(), 4), 3, lambda: None), [Fraction(1)]).run()
    (x, y), (fine_x, fine_y) = (DifferencePlay(policies, 0, Units(bits)).point() for bits in (MACHINE_BITS, 400))
    assert fine_x < x <= fine_x + Fraction(1, 2**50)
    assert fine_y - Fraction(1, 2**50) <= y < fine_y
