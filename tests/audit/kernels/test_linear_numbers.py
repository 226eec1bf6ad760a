"""Linear cores of awkward numbers and unsteady answers: never certified by form, unless every number is exactly an int.

The twin with the same laws and no weights is the oracle: where it changes a curve, nothing holds by form.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from instances.seeds import chosen

from dpcert import Budget, Pmf, examine, from_weights
from dpcert.audit.errors import MechanismError


class Level(IntEnum):
    ZERO = 0
    ONE = 1
    TWO = 2


class Twice(int):
    """An int whose sums are others."""

    def __add__(self, other: int) -> int:
        return int(self) + 2 * int(other)

    __radd__ = __add__


AWKWARD: dict[str, Callable[[int], Any]] = {
    "float": float,
    "late float": lambda n: float(n + 2**53),
    "bool": bool,
    "numpy int": np.int64,
    "small numpy int": np.int8,
    "enum": lambda n: Level(n % 3),
    "subclass": Twice,
    "Fraction": Fraction,
    "Decimal": Decimal,
}


@dataclass
class Sums:
    """Weighted sums with noise of two or three values a round; in one place numbers are made by `made`."""

    alphabet: tuple[Any, ...]
    rows: tuple[tuple[Any, ...], ...]
    noise: tuple[dict[Any, int], ...]
    modulus: Any = None

    def weights(self, t: int) -> tuple[Any, ...]:
        return self.rows[t - 1]

    def noise_law(self, t: int) -> Pmf[Any]:
        return from_weights(self.noise[t - 1])


@dataclass
class Twin:
    """The same laws, written out."""

    sums: Sums

    @property
    def alphabet(self) -> tuple[Any, ...]:
        return self.sums.alphabet

    def law(self, prefix: tuple[Any, ...]) -> Pmf[Any]:
        t, m = len(prefix), self.sums.modulus
        total = sum(b * x for b, x in zip(self.sums.rows[t - 1], prefix, strict=True))
        return self.sums.noise_law(t).map(lambda eta: (eta + total) % m if m else eta + total)


def random_sums(seed: int, where: str, made: Callable[[int], Any]) -> tuple[Sums, int]:
    generator = Random(seed)
    horizon = generator.randint(1, 3)
    late = generator.randint(1, horizon)
    rows = [[generator.randint(0, 2) for _ in range(t)] for t in range(1, horizon + 1)]
    noise = [{k: generator.randint(1, 3) for k in range(generator.randint(2, 3))} for _ in range(horizon)]
    alphabet = [0, 1] if generator.random() < 0.7 else [0, 1, 2]
    modulus = generator.choice((None, None, 3))
    if where == "weights":
        rows[late - 1][-1] = made(rows[late - 1][-1])
    if where == "noise":
        noise[late - 1] = {made(k): w for k, w in noise[late - 1].items()}
    if where == "alphabet":
        alphabet[-1] = made(alphabet[-1])
    return Sums(
        tuple(alphabet), tuple(map(tuple, rows)), tuple(noise), made(3) if where == "modulus" else modulus
    ), horizon


def cost(record: Any) -> dict[str, Any]:
    return next(dict(entry) for entry in record["checklist"] if entry["item"] == "STABLE_COST")


def by_form(record: Any) -> bool:
    entry = cost(record)
    return "SYMBOLIC" in {entry["method"], *(rung["method"] for rung in entry["rungs"])}


@pytest.mark.in_turns
@pytest.mark.parametrize("where", ["weights", "noise", "alphabet", "modulus"])
@pytest.mark.parametrize("kind", AWKWARD)
def test_no_number_but_an_int_will_do(kind: str, where: str) -> None:
    for seed in chosen(range(6), 3):
        core, horizon = random_sums(seed, where, AWKWARD[kind])
        for asked, budget in ((horizon, None), (horizon, Budget(max_positions=1))):
            with pytest.raises(MechanismError) as error:
                examine(core, horizon=asked, budget=budget, exp_epsilons=[1])
            words = str(error.value)
            assert words.startswith("Expected ")
            assert "\n" not in words
            assert {"noise": "noise_law(", "weights": "weights("}.get(where, where) in words


@pytest.mark.in_turns
def test_ints_have_the_curves_and_rungs_of_their_twin() -> None:
    for seed in chosen(range(60)):
        core, horizon = random_sums(seed, "", int)
        one, other = (
            examine(core, horizon=horizon, exp_epsilons=[1]),
            examine(Twin(core), horizon=horizon, exp_epsilons=[1]),
        )
        assert by_form(one)
        for side in ("fixed_stream", "adaptive"):
            assert one[side]["power"] == other[side]["power"]
        rungs = {rung["rung"]: rung["verdict"] for rung in cost(other)["rungs"]}
        assert (rungs["CONTEXT_STABLE"], rungs["FUTURE_STABLE"]) == ("HOLDS", "HOLDS")


class Unsteady(Sums):
    """Answers otherwise from one asking of a round on."""

    def __init__(self, member: str, round_: int, asking: int) -> None:
        super().__init__((0, 1), ((1,), (1, 1), (1, 1, 1)), ({0: 1, 1: 2},) * 3)
        self.member, self.round, self.asking, self.asked = member, round_, asking, 0

    def _changed(self, member: str, t: int) -> bool:
        self.asked += (member, t) == (self.member, self.round)
        return (member, t) == (self.member, self.round) and self.asked >= self.asking

    def weights(self, t: int) -> tuple[Any, ...]:
        return (0,) * t if self._changed("weights", t) else super().weights(t)

    def noise_law(self, t: int) -> Pmf[Any]:
        return from_weights({0: 1}) if self._changed("noise_law", t) else super().noise_law(t)


@pytest.mark.in_turns
@pytest.mark.parametrize("member", ["weights", "noise_law"])
@pytest.mark.parametrize("round_", [1, 2, 3])
def test_what_changes_between_two_askings_is_no_mechanism(member: str, round_: int) -> None:
    for budget in (None, Budget(max_positions=2)):
        record = examine(Unsteady(member, round_, 2), horizon=3, budget=budget, exp_epsilons=[1])
        found = {entry["item"]: entry for entry in record["checklist"]}
        assert found["DETERMINISTIC_MAP"]["verdict"] == "REFUTED"
        assert found["DETERMINISTIC_MAP"]["witness"]["state"] == f"{member}({round_})"
        assert not by_form(record)
        assert record["lifts"]["curve"]["verdict"] == "UNDECIDED"


def test_every_horizon_looks_further_and_says_how_far() -> None:
    class Late:
        alphabet = (0, 1)

        def weights(self, t: int) -> tuple[int, ...]:
            return (1,) * t

        def noise_law(self, t: int) -> Pmf[Any]:
            return from_weights({0.5: 1, 1.5: 1} if t == 40 else {0: 1, 1: 1})

    with pytest.raises(MechanismError, match=r"noise_law\(40\)"):
        examine(Late(), horizon="inf", exp_epsilons=[1])
    record = examine(Late(), horizon=2, exp_epsilons=[1])
    vector = cost(record)["rungs"][1]
    assert "looked at in rounds 1 to 2, assumed later" in vector["scope"]
    assert "Assumed: after round 2" in vector["detail"]
    whole = type("Whole", (Late,), {"horizon": 3})()
    assert cost(examine(whole, exp_epsilons=[1]))["rungs"][1]["scope"] == "every horizon"


def test_floats_that_round_are_refuted_as_a_prefix_core_and_refused_as_a_linear_one() -> None:
    class Rounds(Sums):
        pass

    core = Rounds((0, 1), ((1,), (1, 2)), ({-1: 5, 0: 3, 1: 2, 2: 6}, {float(2**53 + 6): 3, float(2**53 + 4): 5}))
    twin = examine(Twin(core), horizon=2, exp_epsilons=[1])
    assert cost(twin)["verdict"] == "REFUTED"
    with pytest.raises(MechanismError, match=r"Rounds.noise_law\(2\) .* of type float"):
        examine(core, horizon=2, exp_epsilons=[1])
