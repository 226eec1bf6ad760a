"""Dropping products that a single other one dominates changes neither the fixed-stream curve nor its witnesses."""

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest
from instances.merged_runs import without_codes
from instances.random_core import random_core
from instances.seeds import chosen

from dpcert import Budget, Pmf, PowerFunction, bernoulli, supremum
from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra import hulls
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.audit.solving import fixed
from dpcert.audit.solving.fixed import FixedStream, fixed_stream


def streams(mechanism: object, horizon: int, relation: object = HAMMING) -> FixedStream:
    return fixed_stream(explore(PairedGame(core_of(mechanism), relation, horizon)).levels)  # type: ignore[arg-type]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(60)))
def test_pruning_changes_no_curve(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    core = random_core(seed, 3, 2, 3)
    monkeypatch.setattr(fixed._Kernels, "undominated", lambda _, steps: list(steps))
    monkeypatch.setattr(fixed, "PRUNE_FROM", 10**9)
    plain = streams(core, 3).power
    monkeypatch.undo()
    monkeypatch.setattr(fixed, "PRUNE_FROM", 2)
    pruned = streams(core, 3)
    assert pruned.power == plain
    for exp_epsilon in (Fraction(1), Fraction(2)):
        for order in ORDERS:
            pairs = pruned.witness(exp_epsilon, order)
            laws = [Pmf[tuple[int, ...]]({(): 1}) for _ in range(2)]
            for t in range(1, 4):
                for world in (0, 1):
                    law = core.law(tuple(pair[world] for pair in pairs[:t]))
                    laws[world] = laws[world].product(law).map(lambda both: (*both[0], both[1]))
            attained = PowerFunction.from_laws(*laws).hockey_stick(exp_epsilon, order)
            assert attained == plain.hockey_stick(exp_epsilon, order)


def random_products(seed: int) -> tuple[fixed._Kernels, set[fixed.Product]]:
    """Kernels of which some lie below others and some have one curve, and random products of them."""
    drawn = random.Random(seed)
    kernels = fixed._Kernels(without_codes())
    for _ in range(drawn.randint(3, 6)):
        lean = drawn.randint(1, 2)
        weights = ([lean, 6 - lean], [6 - lean, lean]) if drawn.randrange(2) else ([1, drawn.randint(1, 4)], [2, 1])
        scale = drawn.choice((1, 2))  # the same curve over other totals has a number of its own
        zeros, ones = ([scale * w for w in side] for side in weights)
        kernels.powers.append(PowerFunction(chains.ordered(zeros, ones, sum(zeros), sum(ones))))
    numbers = range(1, len(kernels.powers))
    sizes = [drawn.randint(0, 3) for _ in range(40)]
    return kernels, {tuple(sorted(drawn.choices(numbers, k=size))) for size in sizes}


@pytest.mark.parametrize("seed", chosen(range(60)))
def test_what_a_larger_kernel_rules_out_lies_below_what_stays(seed: int) -> None:
    kernels, products = random_products(seed)
    kept = kernels.raised(products)
    for gone in products - kept:
        assert any(kernels.power(gone) <= kernels.power(other) for other in kept)
    for left in (kept, kernels.maximal(kept, Budget())):  # which stay of those alike turns on the order
        assert supremum(map(kernels.power, left)) == supremum(map(kernels.power, products))


@pytest.mark.parametrize("seed", chosen(range(24)))
def test_long_products_are_those_of_short_ones(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merged by keys and codes, and by integers: the same curves of the same streams, witnesses too."""
    core = random_core(seed, 3, 2, 3)
    short = streams(core, 3)
    monkeypatch.setattr(hulls, "LONG", 0)
    long = streams(core, 3)
    assert long.curves == short.curves
    assert long.power == short.power
    for order in ORDERS:
        assert long.witness(Fraction(2), order) == short.witness(Fraction(2), order)


def test_the_other_way_round_it_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    below = fixed._Kernels._below
    monkeypatch.setattr(fixed._Kernels, "_below", lambda self, one, two: below(self, two, one))
    wrong = 0
    for kernels, products in map(random_products, range(20)):
        kept = kernels.raised(products)
        wrong += any(not any(kernels.power(g) <= kernels.power(k) for k in kept) for g in products - kept)
    assert wrong > 5


@dataclass(frozen=True)
class Scales:
    """The common input of a later round chooses how much that round tells about x_1: a chain of scales."""

    alphabet: ClassVar[tuple[int, ...]] = tuple(range(6))
    initial: ClassVar[tuple[int, ...]] = ()

    def advance(self, state: tuple[int, ...], x: int) -> tuple[int, ...]:
        return (*state[:1], x)

    def law(self, state: tuple[int, ...]) -> Pmf[int]:
        if len(state) == 1:
            return bernoulli(Fraction(1, 2))
        return bernoulli(Fraction(1, 2) + Fraction(state[0] % 2, 7 + 3 * state[1]))


@pytest.mark.in_turns
def test_pruning_tames_products_that_would_explode(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = ChallengeAt(HAMMING, 1)
    small = streams(Scales(), 12, relation)
    assert small.complete
    assert len(small.curves) < 10
    monkeypatch.setattr(fixed._Kernels, "undominated", lambda _, steps: list(steps))
    monkeypatch.setattr(fixed, "PRUNE_FROM", 10**9)
    many = fixed_stream(explore(PairedGame(core_of(Scales()), relation, 7)).levels)
    assert len(many.curves) > 400
    monkeypatch.undo()
    assert streams(Scales(), 7, relation).power == many.power


def test_what_only_a_hull_dominates_is_kept() -> None:
    """The third curve lies under the hull of the other two and under neither: fixed streams cannot mix, so it stays."""
    corners = [("1/10", "1/2"), ("1/2", "9/10"), ("3/10", "17/25")]
    curves = [
        PowerFunction.from_vertices(
            [(Fraction(0), Fraction(0)), (Fraction(x), Fraction(y)), (Fraction(1), Fraction(1))]
        )
        for x, y in corners
    ]
    assert curves[2] <= supremum(curves[:2])
    kernels = fixed._Kernels(without_codes())
    kernels.powers += [*curves, PowerFunction.identity()]
    products: set[fixed.Product] = {(1,), (2,), (3,), (4,)}
    assert kernels.maximal(products, Budget()) == {(1,), (2,), (3,)}
