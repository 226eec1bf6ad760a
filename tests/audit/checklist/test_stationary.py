"""The curve of a certified core at any horizon, from its repeating per-round curves, against the game played out.

Random cores whose law depends on the inputs so far through a window, a first input or a count of rounds, so that rungs
3 and 4 hold often; the oracle is the game itself, and for claims about every horizon the game at many rounds.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from instances.seeds import chosen

from dpcert import Budget, Pmf, PowerFunction, examine, from_weights
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.checklist import horizons as module
from dpcert.audit.checklist.closure import closure
from dpcert.audit.checklist.contexts import Curves
from dpcert.audit.checklist.stationary import Stationary, stationary
from dpcert.audit.kernels.view import core_of
from dpcert.audit.records.record import read
from dpcert.audit.verdicts.requirements import Requirements, claim, required_delta

F = Fraction
HORIZONS = range(1, 7)


@dataclass(frozen=True)
class Shifted:
    """Noise around a sum modulo m of inputs that leave again: of the last `window`, of all, or of the first ones.

    What is in the sum in round t depends on t modulo `period` alone after a while, so rung FUTURE_STABLE holds.
    """

    modulus: int
    window: int
    period: tuple[int, ...]
    noise: tuple[int, ...]
    keeps: bool
    alphabet: tuple[int, ...] = (0, 1)

    @property
    def initial(self) -> tuple[int, tuple[int, ...], int]:
        return 0, (), 0

    def advance(self, state: tuple[int, tuple[int, ...], int], x: int) -> tuple[int, tuple[int, ...], int]:
        t, last, kept = state
        kept = x if self.keeps and t == 0 else kept
        following = t + 1 if t < 1 + len(self.period) else 2 + (t - 1) % len(self.period)
        return following, (*last, x)[-self.window :], kept

    def law(self, state: tuple[int, tuple[int, ...], int]) -> Pmf[int]:
        t, last, kept = state
        weight = self.period[t % len(self.period)]
        total = weight * (sum(last) + kept)
        return from_weights({(total + i) % self.modulus: w for i, w in enumerate(self.noise)})


@dataclass(frozen=True)
class Tabled:
    """A random automaton with a random law in every state: now and then certified, mostly not."""

    moves: tuple[tuple[int, ...], ...]
    laws: tuple[tuple[int, ...], ...]
    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def advance(self, state: int, x: int) -> int:
        return self.moves[state][x]

    def law(self, state: int) -> Pmf[int]:
        return from_weights(dict(enumerate(self.laws[state])))


def drawn(seed: int) -> Any:
    generator = Random(seed)
    if seed % 3:
        modulus = generator.choice([2, 3, 4])
        return Shifted(
            modulus,
            generator.choice([1, 2, 3]),
            tuple(generator.randint(0, modulus - 1) for _ in range(generator.choice([1, 2, 3]))),
            tuple(generator.randint(1, 5) if generator.random() < 0.9 else 0 for _ in range(modulus)) or (1,),
            generator.random() < 0.5,
        )
    states = generator.choice([2, 3])
    few = [tuple(generator.choice([1, 1, 2, 3]) for _ in range(2)) for _ in range(2)]
    return Tabled(
        tuple(tuple(generator.randrange(states) for _ in range(2)) for _ in range(states)),
        tuple(generator.choice(few) for _ in range(states)),
    )


def certain(mechanism: Any) -> Stationary | None:
    core, curves = core_of(mechanism), Curves()
    found = closure(core, curves, Budget())
    return stationary(core, curves, Budget()) if found.open is None and found.future is None else None


def played(mechanism: Any, horizon: int) -> tuple[PowerFunction, PowerFunction]:
    record = examine(mechanism, horizon=horizon, exp_epsilons=())
    curves = [[(F(x), F(y)) for x, y in record[side]["power"]] for side in ("adaptive", "fixed_stream")]
    adaptive, fixed = (PowerFunction.from_vertices(points) for points in curves)
    return adaptive, fixed


def usable(seed: int) -> Any:
    mechanism = drawn(seed)
    return (
        mechanism if not isinstance(mechanism, Shifted) or any(mechanism.noise) else Shifted(2, 1, (1,), (1, 2), True)
    )


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(120)))
def test_the_closed_form_is_the_game_at_every_horizon_that_is_played(seed: int) -> None:
    mechanism = usable(seed)
    known = certain(mechanism)
    if known is None:
        return
    for horizon in HORIZONS if seed < 20 else (1 + seed % 3, 4):
        at = known.at(horizon, Budget())
        assert at is not None
        assert played(mechanism, horizon) == (at.power, at.power)
        for order in ORDERS:
            pairs = at.witness(F(3, 2), order)
            assert len(pairs) == horizon
            assert along(mechanism, pairs).hockey_stick(F(3, 2), order) == at.power.hockey_stick(F(3, 2), order)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(120, 1500))
def test_the_closed_form_is_the_game_for_many_more(seed: int) -> None:
    mechanism = usable(seed)
    known = certain(mechanism)
    for horizon in HORIZONS if known is not None else ():
        at = known.at(horizon, Budget()) if known is not None else None
        assert at is not None
        assert played(mechanism, horizon) == (at.power, at.power)


def along(mechanism: Any, pairs: Any) -> PowerFunction:
    """The power function of two fixed streams, round by round."""
    states, product = [mechanism.initial, mechanism.initial], PowerFunction.identity()
    for pair in pairs:
        states = [mechanism.advance(state, x) for state, x in zip(states, pair, strict=True)]
        product = product.tensor(PowerFunction.from_laws(*map(mechanism.law, states)))
    return product


def test_enough_of_the_random_cores_are_certified_and_of_either_kind() -> None:
    found = [certain(usable(seed)) for seed in range(120)]
    settled = [one.settled for one in found if one is not None]
    assert len(settled) >= 70
    assert sum(one is not None for one in settled) >= 25
    assert sum(one is None for one in settled) >= 20


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(60)))
def test_a_long_game_is_what_it_is_by_theorem(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the threshold at 4 rounds, 7 are answered by theorem where that is possible, with the same numbers."""
    mechanism = usable(seed)
    full = examine(mechanism, horizon=7)
    monkeypatch.setattr(module, "LONG_HORIZON", 4)
    short = examine(mechanism, horizon=7)
    for side in ("adaptive", "fixed_stream"):
        kept = {name: value for name, value in full[side].items() if name not in ("witnesses", "strategies")}
        assert {name: short[side][name] for name in kept} == kept
    assert full["verdict"] == short["verdict"]
    assert [w["delta"] for w in full["fixed_stream"]["witnesses"]] == [
        w["delta"] for w in short["fixed_stream"]["witnesses"]
    ]


@pytest.mark.parametrize("seed", chosen(range(60)))
def test_a_claim_for_every_horizon_holds_only_if_it_does_at_many_rounds(seed: int) -> None:
    mechanism = usable(seed)
    generator = Random(seed)
    asked = required_delta(f"{generator.choice(['1', '3/2', '4'])}:{F(generator.randint(0, 20), 20)}")
    record = examine(mechanism, horizon="inf", requirements=Requirements((asked,)), exp_epsilons=())
    (found,) = record["requirements"]
    assert asked.exp_epsilon is not None
    known = certain(mechanism)
    if found["verdict"] == "HOLDS" and asked.delta < 1:
        assert known is not None
        assert found["method"] == "SYMBOLIC"
        assert found["scope"] == "every horizon"
        assert all(
            at.power.delta(asked.exp_epsilon) <= asked.delta
            for horizon in (1, 2, 5, 40)
            if (at := known.at(horizon, Budget())) is not None
        )
    elif found["verdict"] == "REFUTED":
        horizon = int(found["witness"].get("horizon", record["scope"]["horizon"]))
        if horizon <= 8:
            assert played(mechanism, horizon)[0].delta(asked.exp_epsilon) == F(found["witness"]["delta"]) > asked.delta
        else:
            assert known is not None
            at = known.at(horizon, Budget())
            assert at is not None
            assert at.power.delta(asked.exp_epsilon) == F(found["witness"]["delta"]) > asked.delta
    elif known is not None and known.settled is not None:
        pytest.fail("a curve that is known for every horizon leaves nothing open, unless nothing can happen")


def test_randomised_response_at_a_thousand_rounds_and_for_ever() -> None:
    from dpcert.mechanisms.randomized_response import RandomizedResponse

    one = examine(RandomizedResponse(), horizon=1)
    long = examine(RandomizedResponse(), horizon=1000)
    assert long["adaptive"]["power"] == one["adaptive"]["power"] == long["fixed_stream"]["power"]
    assert long["scope"]["horizon"] == 1000
    asked = Requirements((claim("eps=1.0987"), claim("eps=1.0986")), no_gap=True, certified=True)
    record = examine(RandomizedResponse(), horizon="inf", requirements=asked)
    assert [r["verdict"] for r in record["requirements"]] == ["HOLDS", "REFUTED", "HOLDS", "HOLDS"]
    assert [r["scope"] for r in record["requirements"][:3]] == ["every horizon"] * 3


class Kept:
    """The first input, with fresh noise in every round."""

    alphabet = (0, 1)
    initial = None

    def advance(self, state: int | None, x: int) -> int:
        return x if state is None else state

    def law(self, state: int) -> Pmf[int]:
        return Pmf({1 - state: F(1, 4), state: F(3, 4)})


@pytest.mark.in_turns
@pytest.mark.parametrize("written", ["eps=20,delta=0.99", "eps=500", "mu=5", "rho=20"])
def test_what_leaks_for_ever_refutes_every_claim_at_some_horizon(written: str) -> None:
    record = examine(Kept(), horizon="inf", requirements=Requirements((claim(written),)))
    (found,) = record["requirements"]
    assert record.exit_status == 1
    assert found["witness"]["horizon"] > 3
    if not written.startswith("rho"):
        assert (found["witness"]["challenge_round"], found["witness"]["afterwards"]) == (1, "0")
    assert found["requirement"] in record.to_html()
    assert read(record.to_json()).to_text() == record.to_text()


def test_a_thousand_rounds_that_all_leak_are_a_tensor_power() -> None:
    record = examine(Kept(), horizon=1000)
    exact = PowerFunction.from_laws(Pmf({0: F(3, 4), 1: F(1, 4)}), Pmf({0: F(1, 4), 1: F(3, 4)})).tensor_power(1000)
    assert [(F(x), F(y)) for x, y in record["adaptive"]["power"]] == list(exact.vertices)
    assert all(len(w["stream0"]) == 1000 for w in record["fixed_stream"]["witnesses"])


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("lie", [F(1, 4), F(99, 200), F(10**6 - 1, 2 * 10**6)])
@pytest.mark.parametrize("epsilon", [1, 100, 10_000])
def test_a_pure_claim_is_refuted_at_a_horizon_at_which_the_ratio_is_larger(lie: Fraction, epsilon: int) -> None:
    """The ratio after t rounds is that of one round to the power t: by logarithms in floats, well apart."""

    class Noisy(Kept):
        def law(self, state: int) -> Pmf[int]:
            return Pmf({1 - state: lie, state: 1 - lie})

    record = examine(Noisy(), horizon="inf", requirements=Requirements((claim(f"eps={epsilon}"),)))
    (found,) = record["requirements"]
    assert found["verdict"] == "REFUTED"
    horizon = found["witness"].get("horizon", 3)
    assert horizon * math.log((1 - lie) / lie) > epsilon
    assert read(record.to_json()).exit_status == 1
