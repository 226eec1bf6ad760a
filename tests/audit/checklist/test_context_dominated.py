"""CONTEXT_DOMINATED computed literally, also with far more curves a round than the ladder once kept."""

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from instances.random_core import random_core
from instances.seeds import chosen

from dpcert import Pmf, PowerFunction, bernoulli, examine, supremum
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.checklist import contexts, ladder


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


@pytest.mark.in_turns
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
    for seed in chosen(range(count)):
        core = random_core(70_000 + seed, inputs, outputs, horizon)
        verdict = rung(core, horizon)["verdict"]
        assert verdict == ("HOLDS" if Literal(core, horizon).holds() else "REFUTED"), seed
        held += verdict == "HOLDS"
    assert held


class Crowd:
    """The first input is a bit or not; the next two, of n each, say how much of it leaks in rounds 4 and 5.

    Most of the n^2 ways leak early, one may leak late: a hull over a part of them alone may look dominated.
    """

    initial = (0, 0, 0)

    def __init__(self, letters: int, much: list[Fraction], little: list[Fraction]) -> None:
        self.alphabet, self.much, self.little = tuple(range(letters)), much, little

    def advance(self, state: tuple[int, int, int], x: int) -> tuple[int, int, int]:
        t, b, q = state
        return (1, int(x != 0), 0) if t == 0 else (t + 1, b, q * len(self.alphabet) + x if t < 3 else q)

    def law(self, state: tuple[int, int, int]) -> Pmf[int]:
        t, b, q = state
        leak = Fraction(0) if t < 4 else (self.much if t == 4 else self.little)[q]
        return bernoulli(Fraction(1, 2) + (leak if b else -leak))


def random_crowd(seed: int, letters: int) -> Crowd:
    generator = Random(seed)
    size = letters**2
    much = [Fraction(1, generator.randint(4, 9)) - Fraction(q, 10**4) for q in range(size)]
    little = [Fraction(1, 100) - Fraction(q, 10**5) for q in range(size)]
    if generator.random() < 0.7:
        late = generator.randrange(size)
        much[late], little[late] = Fraction(0), Fraction(1, generator.randint(4, 8))
    return Crowd(letters, much, little)


def crowd_dominated(core: Crowd) -> bool:
    """As in Literal, over what tells histories apart: the bit and the two letters after it."""
    n = len(core.alphabet)

    def curves(one: tuple[int, int], two: tuple[int, int]) -> tuple[PowerFunction, PowerFunction]:
        early, late = (PowerFunction.from_laws(*(core.law((t, *way)) for way in (one, two))) for t in (4, 5))
        return early, late

    challenges = [[curves((b, q), (1 - b, q)) for q in range(n * n)] for b in (0, 1)]
    for x, y in product(range(n), repeat=2):
        if x != y:
            challenges.append([curves((b, x * n + z), (b, y * n + z)) for b in (0, 1) for z in range(n)])
            challenges.append([curves((b, z * n + x), (b, z * n + y)) for b in (0, 1) for z in range(n)])
    fixed = supremum(f.tensor(g) for ways in challenges for f, g in ways)
    hulls = [supremum(f for f, _ in ways).tensor(supremum(g for _, g in ways)) for ways in challenges]
    return all(hull <= fixed for hull in hulls)


@pytest.mark.in_turns
@pytest.mark.parametrize(("letters", "count"), [(3, 20), (4, 4), pytest.param(9, 6, marks=pytest.mark.thorough)])
def test_crowds_of_curves(letters: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "AT_ONCE", 3)
    found = {"HOLDS": 0, "REFUTED": 0}
    for seed in range(count):
        core = random_crowd(seed, letters)
        expected = "HOLDS" if crowd_dominated(core) else "REFUTED"
        assert rung(core, 5)["verdict"] == expected, seed
        found[expected] += 1
    assert found["REFUTED"]


def last_one_leaks_late(letters: int) -> Crowd:
    last = letters**2 - 1
    much = [Fraction(1, 4) - Fraction(q, 10**4) for q in range(last)] + [Fraction(0)]
    return Crowd(letters, much, [Fraction(1, 100) - Fraction(q, 10**5) for q in range(last)] + [Fraction(1, 4)])


@pytest.mark.parametrize("letters", [4, pytest.param(9, marks=pytest.mark.thorough)])
def test_the_last_of_many_curves_counts(letters: int) -> None:
    core = last_one_leaks_late(letters)
    assert not crowd_dominated(core)
    assert rung(core, 5)["verdict"] == "REFUTED"


def test_past_the_cap_nothing_is_decided_and_the_cap_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "MOST_FACTS", 50)
    record = examine(last_one_leaks_late(3), horizon=5, exp_epsilons=[1])
    entry = next(e for e in record["checklist"] if e["item"] == "STABLE_COST")
    assert entry["verdict"] == "UNDECIDED"
    assert "more than 50 curves by context" in entry["detail"]


def test_a_refuted_product_shows_where_it_is_above() -> None:
    witness = rung(last_one_leaks_late(3), 5)["witness"]
    assert witness["order"] in ORDERS
    above, fixed = map(Fraction, witness["deltas"])
    assert above > fixed
