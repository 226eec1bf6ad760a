"""CONTEXT_DOMINATED computed literally, also with far more curves a round than the ladder once kept."""

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from differential.test_solver_brute_force import random_core

from dpcert import Pmf, PowerFunction, bernoulli, examine, supremum
from dpcert.audit import contexts, decompose
from dpcert.audit.power import ORDERS


class Literal:
    """The rung by its definition: hulls over contexts, their product, and the supremum over fixed streams."""

    def __init__(self, core: Any, horizon: int) -> None:
        self.core, self.horizon = core, horizon
        self.known: dict[Any, PowerFunction] = {}

    def curve(self, x0: tuple[Any, ...], x1: tuple[Any, ...]) -> PowerFunction:
        laws = self.core.law(x0), self.core.law(x1)
        if laws not in self.known:
            self.known[laws] = PowerFunction.from_laws(*laws)
        return self.known[laws]

    def holds(self) -> bool:
        alphabet, horizon = self.core.alphabet, self.horizon
        products = {PowerFunction.identity()}
        tensors: dict[Any, PowerFunction] = {}
        over: dict[Any, dict[int, set[PowerFunction]]] = {}
        for i, (a, b) in product(range(horizon), product(alphabet, repeat=2)):
            if a == b:
                continue
            rounds = over.setdefault((i, a, b), {t: set() for t in range(i, horizon)})
            for before, after in product(product(alphabet, repeat=i), product(alphabet, repeat=horizon - i - 1)):
                curves = []
                for t in range(i, horizon):
                    x0, x1 = ((*before, x, *after)[: t + 1] for x in (a, b))
                    curves.append(self.curve(x0, x1))
                    rounds[t].add(curves[-1])
                key = tuple(curves)
                if key not in tensors:
                    tensors[key] = self._product(curves)
                products.add(tensors[key])
        fixed = supremum(products)
        hulls: dict[Any, bool] = {}
        for rounds in over.values():
            key = tuple(frozenset(seen) for seen in rounds.values())
            if key not in hulls:
                hulls[key] = self._product([supremum(seen) for seen in rounds.values()]) <= fixed
        return all(hulls.values())

    @staticmethod
    def _product(curves: list[PowerFunction]) -> PowerFunction:
        made = PowerFunction.identity()
        for curve in curves:
            made = made.tensor(curve)
        return made


def rung(core: Any, horizon: int) -> dict[str, Any]:
    entry = next(e for e in examine(core, horizon=horizon, exp_epsilons=[1])["checklist"] if e["item"] == "STABLE_COST")
    return next(dict(r) for r in entry["rungs"] if r["rung"] == "CONTEXT_DOMINATED")


@pytest.mark.parametrize(
    ("inputs", "outputs", "horizon", "count"),
    [
        (2, 2, 2, 100),
        (3, 2, 2, 60),
        (2, 3, 2, 60),
        (2, 2, 3, 40),
        pytest.param(3, 2, 3, 60, marks=pytest.mark.thorough),
    ],
)
def test_random_cores(inputs: int, outputs: int, horizon: int, count: int) -> None:
    held = 0
    for seed in range(count):
        core = random_core(70_000 + seed, inputs, outputs, horizon)
        verdict = rung(core, horizon)["verdict"]
        assert verdict == ("HOLDS" if Literal(core, horizon).holds() else "REFUTED"), seed
        held += verdict == "HOLDS"
    assert held


class Crowd:
    """The first input is a bit or not; the second of very many says how much of it leaks in rounds 2 and 3.

    Most leak early, some leak late: a hull over a part of them alone may look dominated.
    """

    def __init__(self, seed: int, size: int) -> None:
        generator = Random(seed)
        self.alphabet = tuple(range(size))
        late = generator.randrange(size)
        self.much = [Fraction(1, generator.randint(4, 9)) - Fraction(q, 10**4) for q in range(size)]
        self.little = [Fraction(1, 100) - Fraction(q, 10**5) for q in range(size)]
        if generator.random() < 0.7:
            self.much[late], self.little[late] = Fraction(0), Fraction(1, generator.randint(4, 8))

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        if len(prefix) == 1:
            return bernoulli(Fraction(1, 2))
        leak = (self.much if len(prefix) == 2 else self.little)[prefix[1]]
        return bernoulli(Fraction(1, 2) + (leak if prefix[0] else -leak))


class Merged(Crowd):
    """The same with few states."""

    initial = (0, 0, 0)

    def advance(self, state: tuple[int, int, int], x: int) -> tuple[int, int, int]:
        t, b, q = state
        return (1, int(x != 0), 0) if t == 0 else (2, b, x) if t == 1 else (3, b, q)

    def law(self, state: tuple[int, ...]) -> Pmf[int]:
        t, b, q = state
        return super().law((b, *(q,) * (t - 1)))


def crowd_dominated(core: Crowd) -> bool:
    """As in Literal, where contexts are the second input alone, and a challenge is one in round 1 that sets the bit.

    A challenge in round 2 differs by q under a bit; the hulls of round 2 and 3 are then over bits.
    """
    size = len(core.alphabet)
    made: dict[Any, PowerFunction] = {}

    def curve(t: int, one: tuple[int, int], two: tuple[int, int]) -> PowerFunction:
        laws = tuple(Crowd.law(core, (b, *(q,) * (t - 1))) for b, q in (one, two))
        return made.setdefault(laws, PowerFunction.from_laws(*laws))

    ways = [(((0, q), (1, q)), ((1, q), (0, q))) for q in range(size)]
    first = [[[curve(t, *way[order]) for way in ways] for t in (2, 3)] for order in (0, 1)]
    fixed = [f.tensor(g) for two, three in first for f, g in zip(two, three, strict=True)]
    pairs = [(q, r) for q in range(size) for r in range(size) if q != r]
    second = {(q, r): [[curve(t, (b, q), (b, r)) for b in (0, 1)] for t in (2, 3)] for q, r in pairs}
    fixed += [f.tensor(g) for two, three in second.values() for f, g in zip(two, three, strict=True)]
    top = supremum(fixed)
    hulls = [supremum(two).tensor(supremum(three)) for two, three in [*first, *second.values()]]
    return all(hull <= top for hull in hulls)


@pytest.mark.parametrize("size", [20, pytest.param(70, marks=pytest.mark.thorough)])
def test_crowds_of_curves(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompose, "AT_ONCE", 7)
    found = {"HOLDS": 0, "REFUTED": 0}
    for seed in range(12):
        core = Merged(seed, size)
        expected = "HOLDS" if crowd_dominated(core) else "REFUTED"
        assert rung(core, 3)["verdict"] == expected, seed
        found[expected] += 1
    assert found["REFUTED"]


def test_the_last_of_65_curves_counts() -> None:
    assert rung(last_one_leaks_late(64), 3)["verdict"] == "REFUTED"


def last_one_leaks_late(last: int) -> Merged:
    core = Merged(0, last + 1)
    core.much = [Fraction(1, 4) - Fraction(q, 10**4) for q in range(last)] + [Fraction(0)]
    core.little = [Fraction(1, 100) - Fraction(q, 10**5) for q in range(last)] + [Fraction(1, 4)]
    return core


def test_past_the_cap_nothing_is_decided_and_the_cap_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "MOST_FACTS", 50)
    record = examine(last_one_leaks_late(10), horizon=3, exp_epsilons=[1])
    entry = next(e for e in record["checklist"] if e["item"] == "STABLE_COST")
    assert entry["verdict"] == "UNDECIDED"
    assert "more than 50 curves by context" in entry["detail"]


def test_a_refuted_product_shows_where_it_is_above() -> None:
    witness = rung(last_one_leaks_late(6), 3)["witness"]
    assert witness["order"] in ORDERS
    above, fixed = map(Fraction, witness["deltas"])
    assert above > fixed
