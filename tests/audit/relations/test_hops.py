"""Row 26: k-hop games stay below the one-hop curve composed k times, and reach it for shifts of log-concave noise.

Source: paper.tex, fact:multi_hop_DP.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from instances.hidden_state import random_interactive, random_law

from dpcert import (
    HAMMING,
    UNIT_HAMMING,
    Adjacency,
    ArgumentError,
    Pmf,
    PowerFunction,
    Verdict,
    examine,
    from_weights,
    supremum,
)
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import ZeroOut
from dpcert.audit.relations.hops import Hops
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.interval_sums import IntervalSums
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.two_round import TwoRound

RELATIONS: list[Adjacency[Any]] = [HAMMING, UNIT_HAMMING, ZeroOut(null=0)]
IDENTITY = PowerFunction.identity()


def hop_curve(mechanism: object, hops: int, horizon: int, relation: Adjacency[Any] = HAMMING) -> PowerFunction:
    """The adaptive curve between the first and the last of hops + 1 streams."""
    return solve(explore(game_of(view_of(mechanism), Hops(relation, hops), horizon))).power


def composed(power: PowerFunction, hops: int) -> PowerFunction:
    """f applied `hops` times."""
    return power if hops == 1 else composed(power, hops - 1).then(power)


@dataclass(frozen=True)
class RandomCore:
    """A PrefixCore whose law at a prefix is random but fixed by `seed`; without zeros for odd seeds."""

    seed: int
    inputs: int

    @property
    def alphabet(self) -> tuple[int, ...]:
        return tuple(range(self.inputs))

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        rng = Random(repr((self.seed, prefix)))
        law: Pmf[int] = random_law(rng, [0, 1, 2])
        return from_weights({y: rng.randint(1, 5) for y in range(3)}) if self.seed % 2 else law


def random_mechanisms(kind: str) -> Iterator[Any]:
    for seed in range(100):
        inputs = 2 + seed % 2
        if kind == "cores":
            yield RandomCore(seed, inputs)
        else:
            yield random_interactive(30_000 + seed, inputs, 3, 2, allow_halt=seed % 5 == 0)[0]


@pytest.mark.in_turns
@pytest.mark.parametrize("kind", ["cores", "hidden"])
def test_hops_stay_below_the_composed_curve(kind: str) -> None:
    further = strict = 0
    for number, mechanism in enumerate(random_mechanisms(kind)):
        relation, horizon = RELATIONS[number % 3], 1 + number // 3 % 2
        one, two, three = (hop_curve(mechanism, hops, horizon, relation) for hops in (1, 2, 3))
        assert one <= two <= three
        assert two <= composed(one, 2)
        assert three <= composed(one, 3)
        assert three <= two.then(one)
        assert three <= one.then(two)
        further += not three <= two or not two <= one
        strict += two < composed(one, 2)
    assert further >= 20
    assert strict >= 20


@dataclass(frozen=True)
class Shifted:
    """Y_t = x_t + noise, inputs 0..3."""

    noise: tuple[int, ...]
    alphabet: tuple[int, ...] = (0, 1, 2, 3)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return from_weights({prefix[-1] + k: w for k, w in enumerate(self.noise)})


@pytest.mark.parametrize("noise", [(1, 2, 1), (1, 4, 6, 4, 1), (1, 2, 4, 8, 4, 2, 1), (1, 3, 3, 1)])
@pytest.mark.parametrize("hops", [2, 3])
def test_shifts_of_log_concave_noise_are_tight(noise: tuple[int, ...], hops: int) -> None:
    """Every step moves the same way, and tails map onto tails: one step carries P(noise >= k) to P(noise >= k - 1)."""
    mechanism = Shifted(noise)
    one = hop_curve(mechanism, 1, 1, UNIT_HAMMING)
    law = mechanism.law((0,))
    assert one == PowerFunction.from_laws(law, mechanism.law((1,)))
    attained = hop_curve(mechanism, hops, 1, UNIT_HAMMING)
    assert attained == composed(one, hops) == PowerFunction.from_laws(law, mechanism.law((hops,)))
    assert IDENTITY < one < attained


def test_noise_that_is_not_log_concave_is_not_tight() -> None:
    mechanism = Shifted((1, 5, 1, 5, 1))
    one, two = (hop_curve(mechanism, hops, 1, UNIT_HAMMING) for hops in (1, 2))
    assert two < composed(one, 2)


def test_two_inputs_are_strictly_below() -> None:
    """One round with two inputs: a second hop leads nowhere new, and the bound squares the odds, 3 to 9."""
    one, two, three = (hop_curve(RandomizedResponse(), hops, 1) for hops in (1, 2, 3))
    assert one == two == three < composed(one, 2) < composed(one, 3)
    assert composed(one, 2).largest_ratio == 9
    assert composed(one, 3).largest_ratio == 27


@pytest.mark.parametrize("seed", range(20))
def test_one_round_is_the_supremum_over_chains_of_neighbours(seed: int) -> None:
    mechanism = RandomCore(seed, 3)
    chains = [x for x in product(range(3), repeat=3) if abs(x[0] - x[1]) <= 1 and abs(x[1] - x[2]) <= 1]
    expected = supremum(PowerFunction.from_laws(mechanism.law((x[0],)), mechanism.law((x[-1],))) for x in chains)
    assert hop_curve(mechanism, 2, 1, UNIT_HAMMING) == expected


TARGETS = [TwoRound(), IntervalSums(), SharedCoin(), RandomizedResponse(Fraction(2, 3))]


@pytest.mark.parametrize("mechanism", TARGETS, ids=lambda mechanism: type(mechanism).__name__)
def test_examine_plays_the_two_hop_game(mechanism: Any) -> None:
    once, twice = (examine(mechanism, horizon=2, hops=hops, exp_epsilons=[1, 2]) for hops in (1, 2))
    one, two = (
        PowerFunction.from_vertices((Fraction(x), Fraction(y)) for x, y in record["adaptive"]["power"])
        for record in (once, twice)
    )
    assert two == hop_curve(mechanism, 2, 2)
    assert one <= two <= composed(one, 2)
    assert twice["scope"]["hops"] == 2
    assert "2 hops apart" in twice["scope"]["text"]
    for strategy in twice["adaptive"]["strategies"]:
        assert strategy["delta"] == strategy["replayed"]
        assert all(len(node["pair"]) == 2 for node in strategy["nodes"])
    assert twice["lifts"]["pure"]["verdict"] == Verdict.HOLDS


def test_two_hops_of_the_counterexample() -> None:
    """Both rounds may differ, yet the columns of the second table already hold its extremes: nothing is gained."""
    record = examine(TwoRound(), hops=2, exp_epsilons=[1])
    assert record["adaptive"]["total_variation"] == "991/10000"
    assert record["fixed_stream"]["total_variation"] == "9/100"
    one = hop_curve(TwoRound(), 1, 2)
    assert one == hop_curve(TwoRound(), 2, 2) < composed(one, 2)
    spread = TwoRound(second=((Fraction(1, 5), Fraction(7, 25)), (Fraction(6, 25), Fraction(2, 5))))
    one = hop_curve(spread, 1, 2)
    assert one < hop_curve(spread, 2, 2) < composed(one, 2)


@pytest.mark.parametrize("hops", [0, 9, -1])
def test_hops_out_of_range(hops: int) -> None:
    with pytest.raises(ArgumentError, match=f"^Expected a number of hops from 1 to 8 but got hops={hops}$"):
        examine(TwoRound(), hops=hops)
