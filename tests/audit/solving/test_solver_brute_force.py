"""The solver against brute force over all deterministic adversaries, curve by curve, on random mechanisms."""

from fractions import Fraction
from typing import Any

import pytest
from instances.random_core import RandomCore, random_core
from instances.seeds import chosen
from oracles.paired import (
    curve_points,
    fixed_stream_hockey_stick,
    hamming,
    hamming_at,
    hockey_stick_of_vertices,
    literal_hockey_stick,
    transcript_tree_hockey_stick,
)

from dpcert import Pmf, PowerFunction
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.audit.solving.adaptive import Solution, solve
from dpcert.audit.solving.fixed import fixed_stream
from dpcert.audit.solving.replay import replay
from dpcert.audit.solving.strategy import Search


def solved(core: RandomCore, horizon: int, relation: Any) -> Solution:
    return solve(explore(PairedGame(core_of(core), relation, horizon)))


def assert_same_curve(power: PowerFunction, brute_force: Any) -> None:
    """Agreement at the points at which it implies that the two curves coincide."""
    assert power.vertices[0] == (0, 0)
    assert power.vertices[-1] == (1, 1)
    assert PowerFunction.from_vertices(power.vertices) == power
    for exp_epsilon in curve_points(power.vertices):
        expected = brute_force(exp_epsilon)
        assert power.hockey_stick(exp_epsilon, "1-0") == expected
        assert hockey_stick_of_vertices(power.vertices, exp_epsilon, "1-0") == expected


# (inputs, outputs, horizon, number of mechanisms); 2,072 in all
SHAPES = [
    (2, 2, 1, 200), (2, 3, 1, 150), (3, 2, 1, 150), (3, 3, 1, 150), (2, 2, 2, 700), (2, 3, 2, 250), (3, 2, 2, 250),
    (3, 3, 2, 40), (2, 2, 3, 160), (2, 3, 3, 12), (3, 2, 3, 10),
]  # fmt: skip


@pytest.mark.in_turns
@pytest.mark.parametrize(("inputs", "outputs", "horizon", "count"), SHAPES)
def test_adaptive_and_fixed_curves_equal_brute_force(inputs: int, outputs: int, horizon: int, count: int) -> None:
    for seed in chosen(range(count)):
        core = random_core(seed, inputs, outputs, horizon)
        at = 1 + seed % horizon
        forced = seed % 3 == 0
        relation, legal = (ChallengeAt(HAMMING, at), hamming_at(at)) if forced else (HAMMING, hamming)
        solution = solved(core, horizon, relation)
        table = core.table()
        assert_same_curve(
            solution.power, lambda e, t=table, g=legal: transcript_tree_hockey_stick(t, horizon, g, e, "1-0")
        )
        streams = fixed_stream(solution.levels)
        assert streams.complete
        assert_same_curve(streams.power, lambda e, t=table, g=legal: fixed_stream_hockey_stick(t, horizon, g, e, "1-0"))
        assert streams.power <= solution.power


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(25)))
def test_solver_equals_the_literal_list_of_adversaries(seed: int) -> None:
    core = random_core(1000 + seed, 2, 2, 2)
    power = solved(core, 2, HAMMING).power
    for exp_epsilon in (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(4)):
        for order in ORDERS:
            expected = literal_hockey_stick(core.table(), 2, hamming, exp_epsilon, order)
            assert power.hockey_stick(exp_epsilon, order) == expected


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", range(60))
def test_every_extracted_adversary_replays_to_the_supremum(seed: int) -> None:
    core = random_core(2000 + seed, 2 + seed % 2, 2 + seed % 3, 3)
    view = core_of(core)
    solution = solved(core, 3, HAMMING)
    search = Search(solution)
    for exp_epsilon in (Fraction(1), Fraction(7, 5), Fraction(3)):
        for order in ORDERS:
            strategy = search.strategy(exp_epsilon, order, most_nodes=10_000)
            assert strategy is not None
            expected = solution.power.hockey_stick(exp_epsilon, order)
            assert strategy.delta == expected
            assert replay(strategy, view, HAMMING, 3).delta(exp_epsilon, order) == expected


@pytest.mark.parametrize("seed", range(40))
def test_fixed_stream_witnesses_attain_the_supremum(seed: int) -> None:
    core = random_core(3000 + seed, 2, 3, 3)
    streams = fixed_stream(solved(core, 3, HAMMING).levels)
    for exp_epsilon in (Fraction(1), Fraction(2)):
        for order in ORDERS:
            pairs = streams.witness(exp_epsilon, order)
            assert hamming(pairs)
            laws = []
            for world in (0, 1):
                stream = tuple(pair[world] for pair in pairs)
                law: Pmf[Any] = core.law(stream[:1]).map(lambda y: (y,))
                for t in range(2, 4):
                    law = law.product(core.law(stream[:t])).map(lambda both: (*both[0], both[1]))
                laws.append(law)
            attained = PowerFunction.from_laws(*laws).hockey_stick(exp_epsilon, order)
            assert attained == streams.power.hockey_stick(exp_epsilon, order)
