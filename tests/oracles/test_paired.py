"""Self-tests of the brute-force oracle: closed forms, a worked example, and mutual agreement."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise, product
from math import comb
from typing import Any

import pytest
from instances.seeds import chosen, spread
from oracles.paired import (
    Law,
    Legal,
    Order,
    Pairs,
    Table,
    adversaries,
    curve_points,
    deterministic_adversaries,
    fixed_stream_hockey_stick,
    fixed_stream_pairs,
    hamming,
    hamming_at,
    hockey_stick_of_vertices,
    literal_hockey_stick,
    transcript_tree_hockey_stick,
)

ORDERS: tuple[Order, ...] = ("0-1", "1-0")
F = Fraction
Point = tuple[Fraction, Fraction]


def bernoulli(one: Fraction) -> dict[int, Fraction]:
    """Law of a bit that is 1 with the given probability."""
    return {0: 1 - one, 1: one}


def anything(_pairs: Pairs) -> bool:
    """True: every history is legal."""
    return True


def example_law(prefix: tuple[Any, ...]) -> Mapping[Any, Fraction]:
    """Law of the two-round example, where the best second query depends on the first answer."""
    if len(prefix) == 1:
        return bernoulli(F((68, 65)[prefix[0]], 100))
    return bernoulli(F({(0, 0): 28, (0, 1): 20, (1, 0): 19, (1, 1): 28}[prefix], 100))


EXAMPLE = Table((0, 1), example_law)


def randomized_response(keep: Fraction) -> Table:
    """Mechanism that reports the current bit correctly with probability `keep`."""
    return Table((0, 1), lambda prefix: bernoulli(keep if prefix[-1] == 1 else 1 - keep))


def random_table(rng: random.Random, horizon: int, symbols: int = 2) -> Table:
    """Mechanism with independent random binary laws for all prefixes, some of them degenerate."""
    prefixes = [p for t in range(1, horizon + 1) for p in product(range(symbols), repeat=t)]
    laws = {prefix: bernoulli(F(rng.randint(0, 6), 6)) for prefix in prefixes}
    return Table(tuple(range(symbols)), laws.__getitem__)


def random_weight(rng: random.Random) -> Fraction:
    """A positive rational on either side of 1."""
    return F(rng.randint(1, 12), rng.randint(1, 8))


def power_vertices(every: list[tuple[Law, Law]]) -> list[Point]:
    """Vertices of the least concave chain above the power curves of all the given pairs of laws."""
    points = [(F(1), F(1))]
    for law0, law1 in every:
        x = y = F(0)
        for view in sorted(law0, key=lambda v: law0[v] / (law0[v] + law1[v])):
            x, y = x + law0[view], y + law1[view]
            points.append((x, y))
    return concave_hull(points)


def concave_hull(points: list[Point]) -> list[Point]:
    """Vertices of the least concave chain from (0,0) above all the given points."""
    origin = (F(0), F(0))
    highest = {x: max(y for x1, y in [origin, *points] if x1 == x) for x, _ in [origin, *points]}
    hull: list[Point] = []
    for x, y in sorted(highest.items()):
        while len(hull) > 1 and is_below(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    return hull if hull[0] == origin else [origin, *hull]


def is_below(left: Point, middle: Point, right: Point) -> bool:
    """Whether the middle point lies on or below the line from the left one to the right one."""
    rise, run = right[1] - left[1], right[0] - left[0]
    return (middle[1] - left[1]) * run <= rise * (middle[0] - left[0])


@pytest.mark.parametrize("order", ORDERS)
def test_two_round_example(order: Order) -> None:
    assert fixed_stream_hockey_stick(EXAMPLE, 2, hamming, F(1), order) == F(9, 100)
    assert literal_hockey_stick(EXAMPLE, 2, hamming, F(1), order) == F(991, 10000)
    assert transcript_tree_hockey_stick(EXAMPLE, 2, hamming, F(1), order) == F(991, 10000)
    weight = F(265, 252)
    assert fixed_stream_hockey_stick(EXAMPLE, 2, hamming, weight, order) == F(2021, 25200)
    assert literal_hockey_stick(EXAMPLE, 2, hamming, weight, order) == F(2021, 25200)
    assert transcript_tree_hockey_stick(EXAMPLE, 2, hamming, weight, order) == F(2021, 25200)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(30)))
def test_literal_equals_tree_and_dominates_fixed(seed: int) -> None:
    rng = random.Random(seed)
    horizon = 1 + (seed % 5 > 0)
    table = random_table(rng, horizon)
    for legal in (hamming, hamming_at(1), hamming_at(2), anything):
        for order in ORDERS:
            weight = random_weight(rng)
            literal = literal_hockey_stick(table, horizon, legal, weight, order)
            assert literal == transcript_tree_hockey_stick(table, horizon, legal, weight, order)
            fixed = fixed_stream_hockey_stick(table, horizon, legal, weight, order)
            assert fixed == literal if horizon == 1 else fixed <= literal
            assert max(F(0), 1 - weight) <= literal <= 1


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("seed", "legal"), spread([(100, hamming), (101, hamming_at(1)), (102, hamming_at(2)), (103, hamming_at(3))], 2)
)
def test_literal_equals_tree_in_three_rounds(seed: int, legal: Legal) -> None:
    rng = random.Random(seed)
    table, weight = random_table(rng, 3), random_weight(rng)
    literal = literal_hockey_stick(table, 3, legal, weight, "1-0")
    assert literal == transcript_tree_hockey_stick(table, 3, legal, weight, "1-0")
    assert fixed_stream_hockey_stick(table, 3, legal, weight, "1-0") <= literal


def test_three_symbols_and_outcomes() -> None:
    rows = [{"a": F(1, 2), "b": F(1, 2)}, {"b": F(1, 3), "c": F(2, 3)}, {"a": F(1)}]
    table = Table((0, 1, 2), lambda prefix: rows[(sum(prefix) + len(prefix)) % 3])
    for order in ORDERS:
        literal = literal_hockey_stick(table, 2, hamming_at(1), F(3, 2), order)
        assert literal == transcript_tree_hockey_stick(table, 2, hamming_at(1), F(3, 2), order)


@pytest.mark.parametrize("seed", range(200, 206))
def test_swapping_worlds_inverts_the_weight(seed: int) -> None:
    rng = random.Random(seed)
    table, weight = random_table(rng, 2), random_weight(rng)
    forward = transcript_tree_hockey_stick(table, 2, hamming, weight, "0-1")
    backward = transcript_tree_hockey_stick(table, 2, hamming, 1 / weight, "1-0")
    assert forward == 1 - weight + weight * backward
    assert forward == transcript_tree_hockey_stick(table, 2, hamming, weight, "1-0")  # legality is symmetric


@pytest.mark.in_turns
@pytest.mark.parametrize("weight", [F(1, 9), F(1, 2), F(1), F(2), F(3), F(5), F(9), F(10)])
@pytest.mark.parametrize("order", ORDERS)
def test_randomized_response(weight: Fraction, order: Order) -> None:
    keep, flip = F(3, 4), F(1, 4)
    table = randomized_response(keep)
    single = max(F(0), keep - weight * flip) + max(F(0), flip - weight * keep)
    for legal in (hamming, hamming_at(1), hamming_at(2)):
        assert literal_hockey_stick(table, 2, legal, weight, order) == single
        assert transcript_tree_hockey_stick(table, 3, legal, weight, order) == single
        assert fixed_stream_hockey_stick(table, 3, legal, weight, order) == single
    terms = ((comb(2, k), keep**k * flip ** (2 - k), keep ** (2 - k) * flip**k) for k in range(3))
    composed = sum((count * max(F(0), p - weight * q) for count, p, q in terms), F(0))
    assert literal_hockey_stick(table, 2, anything, weight, order) == composed
    assert transcript_tree_hockey_stick(table, 2, anything, weight, order) == composed
    assert fixed_stream_hockey_stick(table, 2, anything, weight, order) == composed


def test_orders_are_not_confused() -> None:
    table = Table((0, 1), lambda prefix: bernoulli(F(prefix[-1], 4)))

    def zero_then_one(pairs: Pairs) -> bool:
        return pairs[0] == (0, 1)

    for value in (literal_hockey_stick, transcript_tree_hockey_stick, fixed_stream_hockey_stick):
        assert value(table, 1, zero_then_one, F(2), "1-0") == F(1, 4)
        assert value(table, 1, zero_then_one, F(1), "0-1") == F(1, 4)
        assert value(table, 1, zero_then_one, F(4, 3), "0-1") == 0


def test_counts() -> None:
    table = randomized_response(F(3, 4))
    assert len(list(adversaries(table, 2, anything))) == 4 * 4**2
    assert len(list(adversaries(table, 2, hamming))) == 2 * 4**2 + 2 * 2**2
    assert len(fixed_stream_pairs(table, 2, hamming)) == 4 + 2 * 4
    assert len(fixed_stream_pairs(table, 3, hamming_at(2))) == 8
    constant = Table((0, 1), lambda _prefix: {0: F(1), 1: F(0)})
    assert len(list(adversaries(constant, 2, anything))) == 4 * 4
    for law0, law1 in deterministic_adversaries(EXAMPLE, 2, hamming):
        assert set(law0) == set(law1)
        assert sum(law0.values()) == sum(law1.values()) == 1


def test_legality() -> None:
    assert hamming(())
    assert hamming(((0, 1), (1, 1)))
    assert not hamming(((0, 1), (1, 0)))
    assert hamming_at(2)(((0, 0),))
    assert not hamming_at(2)(((0, 1),))
    assert hamming_at(2)(((0, 0), (1, 0)))
    assert not hamming_at(2)(((0, 0), (1, 1)))
    assert not hamming_at(1)(((0, 1), (1, 0)))


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", range(300, 308))
def test_vertices_reproduce_the_adaptive_values(seed: int) -> None:
    rng = random.Random(seed)
    table = EXAMPLE if seed == 300 else random_table(rng, 2)
    vertices = power_vertices(list(deterministic_adversaries(table, 2, hamming)))
    weights = curve_points(vertices)
    assert all(weight > 0 for weight in weights)
    for weight in [*weights, *(1 / weight for weight in weights), random_weight(rng)]:
        for order in ORDERS:
            value = transcript_tree_hockey_stick(table, 2, hamming, weight, order)
            assert hockey_stick_of_vertices(vertices, weight, order) == value


def agree(first: list[Point], second: list[Point], weights: list[Fraction]) -> bool:
    """Whether two chains have the same "1-0" hockey stick at all the given weights."""
    pairs = ([hockey_stick_of_vertices(chain, weight, "1-0") for chain in (first, second)] for weight in weights)
    return all(one == two for one, two in pairs)


def test_curve_points_notice_a_missing_vertex() -> None:
    vertices = power_vertices(list(deterministic_adversaries(EXAMPLE, 2, hamming)))
    assert len(vertices) > 4
    for index in range(1, len(vertices) - 1):
        smaller = vertices[:index] + vertices[index + 1 :]
        assert not agree(smaller, vertices, curve_points(smaller))
        assert not agree(smaller, vertices, curve_points(vertices))


def test_curve_points_notice_a_small_extra_vertex() -> None:
    vertices = power_vertices(list(deterministic_adversaries(EXAMPLE, 2, hamming)))
    for (x0, y0), (x1, y1) in pairwise(vertices):
        bump = ((x0 + x1) / 2, (y0 + y1) / 2 + F(1, 10**9))
        larger = concave_hull([*vertices, bump])
        assert not agree(vertices, larger, curve_points(vertices))
        assert not agree(vertices, larger, curve_points(larger))


@pytest.mark.parametrize("seed", range(400, 410))
def test_curve_points_separate_unrelated_chains(seed: int) -> None:
    rng = random.Random(seed)
    tables = [random_table(rng, 2) for _ in range(2)]
    first, second = (power_vertices(list(deterministic_adversaries(t, 2, hamming_at(1)))) for t in tables)
    assert agree(first, second, curve_points(first)) == (first == second)
    assert agree(first, second, curve_points(second)) == (first == second)


def test_curve_points() -> None:
    kinked = [(F(0), F(0)), (F(0), F(1, 8)), (F(1, 4), F(3, 4)), (F(3, 4), F(1)), (F(1), F(1))]
    assert curve_points(kinked) == [F(1, 4), F(1, 2), F(3, 2), F(5, 2), F(7, 2)]
    assert curve_points([(F(0), F(0)), (F(1, 2), F(1, 2)), (F(1), F(1))]) == [F(1, 2), F(1), F(2)]
    assert curve_points([(F(0), F(0)), (F(0), F(1)), (F(1), F(1))]) == [F(1)]


def test_hockey_stick_of_vertices() -> None:
    chain = [(F(0), F(0)), (F(1, 4), F(3, 4)), (F(1), F(1))]
    for weight in (F(1, 4), F(1, 3), F(1), F(2), F(4)):
        single = max(F(0), F(3, 4) - weight / 4) + max(F(0), F(1, 4) - weight * F(3, 4))
        for order in ORDERS:
            assert hockey_stick_of_vertices(chain, weight, order) == single
    skewed = [(F(0), F(0)), (F(0), F(1, 4)), (F(1), F(1))]
    assert hockey_stick_of_vertices(skewed, F(5), "1-0") == F(1, 4)
    assert hockey_stick_of_vertices(skewed, F(5), "0-1") == 0
    for weight in (F(1, 7), F(1), F(9, 2)):
        gains = (max(F(0), y1 - y0 - weight * (x1 - x0)) for (x0, y0), (x1, y1) in pairwise(skewed))
        assert hockey_stick_of_vertices(skewed, weight, "1-0") == sum(gains)


@pytest.mark.parametrize("value", [literal_hockey_stick, transcript_tree_hockey_stick, fixed_stream_hockey_stick])
def test_rejected_queries(value: Callable[..., Fraction]) -> None:
    table = randomized_response(F(3, 4))
    with pytest.raises(ValueError, match="exp_epsilon > 0"):
        value(table, 1, hamming, F(0), "0-1")
    with pytest.raises(ValueError, match="horizon >= 0"):
        value(table, -1, hamming, F(1), "0-1")
    with pytest.raises(ValueError, match="order"):
        value(table, 1, hamming, F(1), "1-1")
    with pytest.raises(TypeError, match="exact rational"):
        value(table, 1, hamming, 1.5, "0-1")
    with pytest.raises(TypeError, match="exact rationals"):
        value(Table((0, 1), lambda _prefix: {0: 1.0}), 1, hamming, F(1), "0-1")  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="sum to 1"):
        value(Table((0, 1), lambda _prefix: {0: F(1, 2)}), 1, hamming, F(1), "0-1")
    with pytest.raises(ValueError, match="no legal"):
        value(Table((0,), lambda _prefix: {0: F(1)}), 1, hamming_at(1), F(1), "0-1")
    assert value(table, 0, hamming, F(1, 3), "0-1") == F(2, 3)


def test_rejected_round_and_chains() -> None:
    with pytest.raises(ValueError, match="counted from 1"):
        hamming_at(0)
    with pytest.raises(ValueError, match="from"):
        curve_points([(F(0), F(0)), (F(1), F(1, 2))])
    with pytest.raises(ValueError, match="concave"):
        curve_points([(F(0), F(0)), (F(3, 4), F(1, 4)), (F(1), F(1))])
    with pytest.raises(ValueError, match="nondecreasing"):
        curve_points([(F(0), F(0)), (F(1, 2), F(3, 2)), (F(1), F(1))])
