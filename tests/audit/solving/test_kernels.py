"""One-round kernels of fixed streams: what is numbered alike, what lies below what, and what of that is dropped."""

from fractions import Fraction
from itertools import permutations

import pytest
from instances.merged_runs import without_codes

from dpcert import Budget, PowerFunction, bernoulli
from dpcert.audit.games.paired import END, Level, Move, Outcome
from dpcert.audit.solving import fixed
from dpcert.audit.solving.fixed import Product, Step, _Kernels, fixed_stream

HALF = Fraction(1, 2)
OVER = frozenset({()})


def telling(gap: Fraction) -> PowerFunction:
    """A coin that is heads more often in world 1, by so much."""
    return PowerFunction.from_laws(bernoulli(HALF), bernoulli(HALF + gap))


def kernels_of(*gaps: int) -> _Kernels:
    """Kernels 1, 2, ... that tell ever so much, in tenths."""
    kernels = _Kernels(without_codes())
    kernels.powers += [telling(Fraction(gap, 10)) for gap in gaps]
    return kernels


def move(*weights: tuple[int, int], after: int = END) -> Move:
    outcomes = tuple(Outcome(y, w0, w1, after) for y, (w0, w1) in enumerate(weights))
    return Move((0, len(weights)), outcomes, sum(w for w, _ in weights), sum(w for _, w in weights))


def test_kernels_are_numbered_by_what_they_tell() -> None:
    kernels = _Kernels(without_codes())
    assert kernels.number(move((1, 1), (2, 2))) == 0  # nothing
    assert kernels.number(move((1, 2), (2, 1))) == 1
    assert kernels.number(move((2, 1), (1, 2))) == 1  # in whatever order
    assert kernels.number(move((1, 3), (2, 1))) == 2
    assert kernels.number(move((1, 2), (2, 1))) == 1
    assert kernels.powers[1] == PowerFunction.from_laws(bernoulli(Fraction(1, 3)), bernoulli(Fraction(2, 3)))
    assert len(kernels.powers) == 3


def test_of_two_kernels_one_is_below_where_its_curve_is_and_of_one_curve_the_later_is() -> None:
    kernels = kernels_of(1, 3, 3)
    below = {(one, two) for one, two in permutations((1, 2, 3), 2) if kernels._below(one, two)}
    assert below == {(1, 2), (1, 3), (3, 2)}
    assert {(one, two) for one, two in permutations((1, 2, 3), 2) if kernels._below(one, two)} == below  # once more


def test_a_step_goes_only_where_a_larger_kernel_leads_to_the_same() -> None:
    kernels = kernels_of(1, 3, 3, 2)
    other = frozenset({(1,)})
    steps: list[Step] = [(1, OVER), (3, OVER), (2, OVER), (4, OVER), (1, other), (4, other), (0, frozenset({(1,), ()}))]
    assert set(kernels.undominated(steps)) == {(2, OVER), (4, other), (0, frozenset({(1,), ()}))}
    assert kernels.undominated([(1, OVER)]) == [(1, OVER)]
    assert kernels.undominated([]) == []


def test_a_product_goes_where_another_has_a_kernel_more_or_a_larger_one() -> None:
    kernels = kernels_of(1, 3, 3)
    cases: list[tuple[set[Product], set[Product]]] = [
        ({(), (1,)}, {(1,)}),
        ({(1,), (2,)}, {(2,)}),
        ({(2,), (3,)}, {(2,)}),
        ({(1, 1), (1, 2)}, {(1, 2)}),
        ({(1, 1), (2, 2)}, {(1, 1), (2, 2)}),  # two steps apart: it is not looked so far
        ({(1, 1), (2,)}, {(1, 1), (2,)}),
        ({(1, 1), (1,), (1, 3)}, {(1, 3)}),
        ({(1, 1, 2), (1, 2)}, {(1, 1, 2)}),
        ({(1,), (1, 1, 1)}, {(1,), (1, 1, 1)}),
    ]
    for products, kept in cases:
        assert kernels.raised(products) == kept


def test_of_products_with_one_curve_the_first_stays() -> None:
    kernels = kernels_of(1, 3, 3)
    assert kernels.maximal({(2,), (3,), (1,)}, Budget()) == {(2,)}
    assert kernels.maximal({(1, 1), (1,), ()}, Budget()) == {(1, 1)}
    assert kernels.maximal({()}, Budget()) == {()}


def test_the_power_of_a_product_is_that_of_all_its_kernels() -> None:
    kernels = kernels_of(1, 3)
    one, two = kernels.powers[1:]
    assert kernels.power(()) == PowerFunction.identity()
    assert kernels.power((1,)) == one
    assert kernels.power((1, 1, 1, 2, 2)) == one.tensor(one).tensor(one).tensor(two).tensor(two)
    assert kernels.power((1, 2)) == two.tensor(one)


@pytest.mark.parametrize("gaps", [(1, 2, 2), (2, 1, 2), (2, 2, 1)])
def test_the_most_telling_move_of_each_round_is_found_in_whatever_order(gaps: tuple[int, ...]) -> None:
    """Where moves with one curve are all dropped, each for the other, nothing is left to find."""
    moves = tuple(move((10, 10 + 2 * gap), (10, 10 - 2 * gap)) for gap in gaps)
    moves += (move((20, 10 + 2 * max(gaps)), (20, 10 - 2 * max(gaps))),)  # the same over other totals
    level = Level((0,), (tuple(Move((0, i), m.outcomes, m.denominator0, m.denominator1) for i, m in enumerate(moves)),))
    found = fixed_stream((level,))
    assert found.complete
    assert found.power == telling(Fraction(2, 10))
    pair = found.witness(Fraction(1), "0-1")[0]
    assert moves[pair[1]].outcomes[0].weight1 == 14


@pytest.mark.parametrize(("most_ordered", "prune_to"), [(0, 10**9), (100, 10**9), (0, 0), (100, 0), (0, 5), (0, 4)])
def test_every_way_of_dropping_leaves_the_supremum(
    most_ordered: int, prune_to: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels, steps = kernels_of(1, 3, 2), [(1, frozenset({(1,), (2,), (3,)})), (2, frozenset({(1,), (3,)})), (0, OVER)]
    every = {(1, 1), (1, 2), (1, 3), (2, 3), ()}
    assert fixed._products(steps, kernels, Budget()) == every  # few are all kept
    monkeypatch.setattr(fixed, "PRUNE_FROM", len(every))
    monkeypatch.setattr(fixed, "MOST_ORDERED", most_ordered)
    monkeypatch.setattr(fixed, "PRUNE_TO", prune_to)
    pruned = {(2, 3)} if prune_to >= (2 if most_ordered else 5) else {(), (2, 3)} if most_ordered else every
    assert fixed._products(steps, kernels, Budget()) == pruned
    monkeypatch.setattr(fixed, "PRUNE_FROM", len(every) + 1)
    assert fixed._products(steps, kernels, Budget()) == every


def test_curves_are_worked_out_in_growing_batches_and_an_end_keeps_those_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    plain = fixed.supremum

    def noted(powers: list[PowerFunction]) -> PowerFunction:
        asked.append(len(powers) - 1)
        if len(asked) == stop:
            raise KeyboardInterrupt
        return plain(powers)

    monkeypatch.setattr(fixed, "supremum", noted)
    monkeypatch.setattr(fixed, "MOST_AT_ONCE", 3)
    corners = [(12 * x, x * (24 - x)) for x in range(1, 10)]  # of nine coins, on a parabola: none is below another
    moves = [move((x, y), (144 - x, 144 - y)) for x, y in corners]
    level = Level((0,), (tuple(Move((0, i), one.outcomes, 144, 144) for i, one in enumerate(moves)),))
    stop = 0
    every = fixed_stream((level,))
    assert every.complete
    assert len(every.curves) == 9
    assert asked == [1, 2, 3, 3]
    asked.clear()
    stop = 2
    part = fixed_stream((level,))
    assert not part.complete
    assert part.interrupted
    assert len(part.curves) == 1
    assert part.power == next(iter(part.curves.values())) <= every.power
