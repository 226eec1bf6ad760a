"""Hidden state: the solver against brute force over transcripts that carries unnormalised masses, curve by curve."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from instances.hidden_state import random_interactive
from instances.same_curve import RELATIONS, assert_same_curve
from instances.seeds import chosen
from oracles.hidden import hidden_fixed_hockey_stick, hidden_tree_hockey_stick, hops, zero_out
from oracles.paired import curve_points

from dpcert import HALT, Draw, Release, uniform
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.games import beliefs
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt, ZeroOut
from dpcert.audit.relations.hops import Hops
from dpcert.audit.solving.adaptive import Solution, solve
from dpcert.audit.solving.fixed_hidden import fixed_pairs
from dpcert.audit.solving.replay import replay
from dpcert.audit.solving.strategy import Search


def either_way(legal: Any) -> Any:
    """Neighbours in one order of the streams or in the other."""
    return lambda pairs: legal(pairs) or legal(tuple((y, x) for x, y in pairs))


def solved(mechanism: Any, relation: Any, horizon: int) -> Solution:
    return solve(explore(game_of(view_of(mechanism), relation, horizon)))


def check(seed: int, inputs: int, states: int, visibles: int, horizon: int) -> None:
    mechanism, alphabet = random_interactive(seed, inputs, states, visibles, allow_halt=seed % 2 == 0)
    relation, legal = RELATIONS[seed % len(RELATIONS)]
    solution = solved(mechanism, relation, horizon)
    assert_same_curve(
        solution.power,
        lambda e: hidden_tree_hockey_stick(mechanism, alphabet, horizon, legal, e, "1-0", halt=HALT),
    )
    if seed % 4 == 0:
        streams = fixed_pairs(solution.levels)
        assert streams.complete
        assert_same_curve(
            streams.power,
            lambda e: hidden_fixed_hockey_stick(mechanism, alphabet, horizon, legal, e, "1-0", halt=HALT),
        )


# (inputs, states, visibles, horizon, number of mechanisms): 5,000 in all, of which every fifth here
SHAPES = [
    (2, 2, 2, 1, 1200), (2, 2, 2, 2, 2000), (2, 3, 2, 2, 900), (2, 2, 3, 2, 500), (3, 2, 2, 2, 200), (2, 2, 2, 3, 200),
]  # fmt: skip


@pytest.mark.in_turns
@pytest.mark.parametrize(("inputs", "states", "visibles", "horizon", "count"), SHAPES)
def test_curves_equal_brute_force(inputs: int, states: int, visibles: int, horizon: int, count: int) -> None:
    for seed in chosen(range(count // 5)):
        check(seed, inputs, states, visibles, horizon)


@pytest.mark.in_turns
@pytest.mark.parametrize("relation", [ZeroOut(null=0), ChallengeAt(ZeroOut(null=0), 2, forced=False)])
def test_hops_of_a_directed_relation_go_either_way(relation: Any) -> None:
    """Two zero-out hops lead from any input over the null input to any other; brute force over whole streams."""
    legal = zero_out(0)
    if isinstance(relation, ChallengeAt):

        def legal(pairs: Any) -> bool:
            return zero_out(0)(pairs) and all(x == y for t, (x, y) in enumerate(pairs, 1) if t != 2)

    for seed in chosen(range(12)):
        mechanism, alphabet = random_interactive(60_000 + seed, 3, 2, 2, allow_halt=seed % 2 == 0)
        power = solved(mechanism, Hops(relation, 2), 2).power
        two_hops = hops(either_way(legal), 2)
        for order in ORDERS:
            oriented = power if order == "1-0" else power.reversed()
            for exp_epsilon in curve_points(oriented.vertices):
                found = hidden_tree_hockey_stick(mechanism, alphabet, 2, two_hops, exp_epsilon, order, halt=HALT)
                assert found == power.hockey_stick(exp_epsilon, order)


@pytest.mark.thorough
@pytest.mark.parametrize(("inputs", "states", "visibles", "horizon", "count"), SHAPES)
def test_all_curves_equal_brute_force(inputs: int, states: int, visibles: int, horizon: int, count: int) -> None:
    for seed in range(count // 5, count):
        check(seed, inputs, states, visibles, horizon)


@dataclass(frozen=True)
class TwoAlarms:
    """In round 2 input 0 of the round before shows by going on, in round 4 input 1 does: each the other's mirror."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[tuple[int, int]] = (0, 0)

    def step(self, state: tuple[int, int], x: int, draw: Draw) -> tuple[Release[Any, None], tuple[int, int]]:
        played, last = state
        visible: Any = None
        if played in (1, 3):
            shows = last == (played == 3)
            visible = draw(uniform((HALT, played))) if shows else HALT
        return Release(visible), (played + 1, x)


@pytest.mark.parametrize(("relation", "legal"), RELATIONS[:4:3])
def test_the_mirror_of_a_round_long_done_is_solved_again(relation: Any, legal: Any) -> None:
    """Zero-out is directed: round 2 meets the worlds of round 4 swapped, whose chain was let go two levels before."""
    power = solved(TwoAlarms(), relation, 4).power
    mechanism = TwoAlarms()
    assert_same_curve(power, lambda e: hidden_tree_hockey_stick(mechanism, (0, 1), 4, legal, e, "1-0", halt=HALT))


@pytest.mark.parametrize("seed", chosen(range(100)))
def test_adversaries_replay_on_unnormalised_masses(seed: int) -> None:
    mechanism, _ = random_interactive(10_000 + seed, 2, 3, 2, allow_halt=seed % 2 == 0)
    relation, _ = RELATIONS[seed % len(RELATIONS)]
    view = view_of(mechanism)
    solution = solved(mechanism, relation, 3)
    for exp_epsilon in (Fraction(1), Fraction(9, 5)):
        for order in ORDERS:
            strategy = Search(solution).strategy(exp_epsilon, order, most_nodes=10_000)
            assert strategy is not None
            attained = replay(strategy, view, relation, 3).delta(exp_epsilon, order)
            assert attained == strategy.delta == solution.power.hockey_stick(exp_epsilon, order)


@pytest.mark.in_turns
def test_beliefs_are_exact_and_reduced() -> None:
    for seed in range(50):
        mechanism, _ = random_interactive(seed, 2, 3, 2, allow_halt=True)
        view = view_of(mechanism)
        assert isinstance(view, Hidden)
        game = BeliefGame(view, HAMMING, 3)
        for level in explore(game).levels:
            for position, moves in zip(level.positions, level.moves, strict=True):
                for belief in position[1:]:
                    assert Fraction(1) == sum(Fraction(w, sum(w for _, w in belief)) for _, w in belief)
                    assert beliefs.normalised(dict(belief)) == belief
                for move in moves:
                    assert sum(o.weight0 for o in move.outcomes) == move.denominator0
                    assert sum(o.weight1 for o in move.outcomes) == move.denominator1


def test_a_fault_in_the_scaling_of_beliefs_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: weights halved, rounded down, before they are normalised."""
    true = beliefs.normalised
    monkeypatch.setattr(beliefs, "normalised", lambda m: true({s: max(1, w // 2) for s, w in m.items()}))
    with pytest.raises(AssertionError):
        check_many()


def check_many() -> None:
    for seed in range(60):
        check(seed, 2, 3, 2, 2)
