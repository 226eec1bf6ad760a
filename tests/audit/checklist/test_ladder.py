"""The ladder of certificates on random cores: a rung that holds means equal curves, and a gap means no rung holds."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from instances.random_core import random_core
from instances.seeds import chosen

from dpcert import Pmf, bernoulli, examine, from_weights
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.interval_sums import IntervalSums
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound

RUNGS = ("SCALAR", "VECTOR", "CONTEXT_STABLE", "FUTURE_STABLE", "CONTEXT_DOMINATED")


def stable_cost(mechanism: Any, horizon: int | None = None) -> dict[str, Any]:
    record = examine(mechanism, horizon=horizon, exp_epsilons=[1])
    return next(dict(entry) for entry in record["checklist"] if entry["item"] == "STABLE_COST")


def verdicts(entry: dict[str, Any]) -> dict[str, str]:
    return {rung["rung"]: rung["verdict"] for rung in entry["rungs"]}


GAPS = {(2, 2, 2, "hamming"): 21, (2, 3, 2, "hamming"): 24, (3, 2, 2, "hamming"): 74, (2, 2, 3, "hamming"): 16,
        (3, 2, 2, "unit-hamming"): 18}  # fmt: skip
"""A seed of each kind that has a gap, and is always taken: gaps are rare."""


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("inputs", "outputs", "horizon", "adjacency", "count"),
    [
        (2, 2, 2, "hamming", 400),
        (2, 3, 2, "hamming", 150),
        (3, 2, 2, "hamming", 100),
        (2, 2, 3, "hamming", 50),
        (3, 2, 2, "unit-hamming", 100),
        pytest.param(2, 2, 2, "hamming", 1200, marks=pytest.mark.thorough),
        pytest.param(2, 3, 2, "hamming", 400, marks=pytest.mark.thorough),
        pytest.param(2, 2, 3, "hamming", 150, marks=pytest.mark.thorough),
        pytest.param(3, 2, 2, "hamming", 250, marks=pytest.mark.thorough),
        pytest.param(3, 2, 2, "unit-hamming", 250, marks=pytest.mark.thorough),
    ],
)
def test_rungs_and_gaps_exclude_each_other(inputs: int, outputs: int, horizon: int, adjacency: str, count: int) -> None:
    held = gaps = silent = 0
    seeds = {*chosen(range(count)), GAPS[inputs, outputs, horizon, adjacency]}
    for seed in seeds:
        core = random_core(50_000 + seed, inputs, outputs, horizon)
        record = examine(core, horizon=horizon, adjacency=adjacency, exp_epsilons=[1])
        entry = next(e for e in record["checklist"] if e["item"] == "STABLE_COST")
        equal = record["lifts"]["curve"]["verdict"] == "HOLDS"
        found = verdicts(entry)
        assert list(found) == list(RUNGS)
        assert equal or "HOLDS" not in found.values()
        for strong, weak in (("SCALAR", "VECTOR"), ("VECTOR", "CONTEXT_STABLE"), ("CONTEXT_STABLE", "FUTURE_STABLE"),
                             ("CONTEXT_STABLE", "CONTEXT_DOMINATED")):  # fmt: skip
            assert found[strong] != "HOLDS" or found[weak] == "HOLDS"
        held += "HOLDS" in found.values()
        gaps += not equal
        silent += equal and "HOLDS" not in found.values()
    print(f"{len(seeds)} mechanisms: a rung holds for {held}, a gap for {gaps}, neither for {silent}")
    assert held
    assert gaps


def test_two_round_fails_every_rung_with_two_contexts() -> None:
    entry = stable_cost(TwoRound())
    assert entry["verdict"] == "REFUTED"
    assert set(verdicts(entry).values()) == {"REFUTED"}
    above = entry["rungs"][4]["witness"]
    assert (above["exp_epsilon"], above["deltas"]) == ("1", ["991/10000", "9/100"])
    for rung in entry["rungs"][:4]:
        witness = rung["witness"]
        assert witness["round"] == 2
        histories = [(tuple(map(int, c["history0"])), tuple(map(int, c["history1"]))) for c in witness["contexts"]]
        values = []
        for x0, x1 in histories:
            assert sum(a != b for a, b in zip(x0, x1, strict=True)) == 1
            law0, law1 = TwoRound().law(x0), TwoRound().law(x1)
            if witness["order"] == "1-0":
                law0, law1 = law1, law0
            e = Fraction(witness["exp_epsilon"])
            values.append(sum(max(Fraction(0), w - e * law1.probability(y)) for y, w in law0.items()))
        assert [str(v) for v in values] == witness["deltas"]
        assert values[0] != values[1]


def test_binary_tree_is_scalar_with_its_interval_sets() -> None:
    entry = stable_cost(BinaryTree(), 4)
    assert (entry["verdict"], entry["rung"]) == ("HOLDS", "SCALAR")
    assert entry["rungs"][0]["witness"]["index_sets"] == [[1], [1, 2], [3], [1, 2, 3, 4]]
    assert entry["rungs"][0]["witness"]["aggregate"] == "the sum modulo 3"
    assert stable_cost(IntervalSums(), 3)["rung"] == "SCALAR"
    assert stable_cost(RandomizedResponse(), 3)["rung"] == "SCALAR"


@dataclass(frozen=True)
class BiasByThePast:
    """y_t = randomised response on x_t, its bias chosen by x_{t-1}."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        truth = Fraction(2, 3) if prefix[-2:-1] == (1,) else Fraction(3, 4)
        return bernoulli(truth if prefix[-1] else 1 - truth)


@dataclass(frozen=True)
class Shifted:
    """One whole number a round with the given noise: symmetric noise is SCALAR, asymmetric noise only VECTOR."""

    noise: tuple[int, ...]
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return from_weights(dict(enumerate(self.noise))).map(lambda eta: prefix[-1] + eta)


@dataclass(frozen=True)
class Plane:
    """Geometric noise on both coordinates of a vector: shifts (2, 2) and (3, 0) have incomparable curves."""

    alphabet: ClassVar[tuple[tuple[int, int], ...]] = ((0, 0), (2, 2), (3, 0))
    horizon: ClassVar[int] = 1

    def law(self, prefix: tuple[tuple[int, int], ...]) -> Pmf[tuple[int, int]]:
        noise = from_weights({k: 2 ** (4 - abs(k)) for k in range(-4, 5)})
        u, v = prefix[-1]
        return noise.product(noise).map(lambda eta: (u + eta[0], v + eta[1]))


def test_rungs_below_the_first() -> None:
    past = stable_cost(BiasByThePast())
    assert past["rung"] == "FUTURE_STABLE"
    assert verdicts(past)["CONTEXT_STABLE"] == "REFUTED"
    asymmetric = stable_cost(Shifted((2, 1)), 2)
    assert (asymmetric["rung"], verdicts(asymmetric)["SCALAR"]) == ("VECTOR", "REFUTED")
    assert stable_cost(Shifted((1, 2, 1)), 2)["rung"] == "SCALAR"
    plane = stable_cost(Plane())
    assert (plane["rung"], verdicts(plane)["SCALAR"]) == ("VECTOR", "REFUTED")
    assert "incomparable" in plane["rungs"][0]["detail"]


def test_a_law_that_changes_is_noticed() -> None:
    class Clock:
        alphabet = (0, 1)
        ticks = 0

        def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
            del prefix
            Clock.ticks += 1
            return bernoulli(Fraction(1, 2 + (Clock.ticks > 4)))

    record = examine(Clock(), horizon=1)
    found = {entry["item"]: entry for entry in record["checklist"]}
    assert found["DETERMINISTIC_MAP"]["verdict"] == "REFUTED"
    witness = found["DETERMINISTIC_MAP"]["witness"]
    assert witness["fresh"].startswith("{0: 1, 1: 1} / 2 |")
    assert witness["here"].startswith("{0: 2, 1: 1} / 3 |")
    assert found["STABLE_COST"]["verdict"] == "UNDECIDED"
    assert record.exit_status == 3
