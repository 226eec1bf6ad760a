"""Curves of a certificate: each is held against what follows at every slope, once."""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from instances.checking import MANY, checker, in_round
from instances.seeds import chosen

from dpcert import verify_certificate
from dpcert.verify_certificate import Curve, Invalid, holds, legal_costs


def height(curve: Curve, a: Fraction, b: Fraction) -> Fraction:
    """V(a, b), in fractions: the largest b y - a x over the corners."""
    corners = zip(curve.sum0, curve.sum1, strict=True)
    return max(b * Fraction(y, curve.total1) - a * Fraction(x, curve.total0) for x, y in corners)


def random_curve(rng: Random) -> Curve:
    """Of one to three segments, the first or the last perhaps along an axis."""
    segments = {(rng.randint(0, 3), rng.randint(0, 3)) for _ in range(rng.randint(1, 3))} - {(0, 0)} or {(1, 1)}
    by_slope = {Fraction(b, a) if a else MANY: (a, b) for a, b in segments}
    steps = [by_slope[slope] for slope in sorted(by_slope, reverse=True)]
    zeros, ones = [a for a, _ in steps], [b for _, b in steps]
    return Curve(2, zeros, ones) if any(zeros) and any(ones) else Curve(2, [1], [1])


@pytest.mark.parametrize("seed", chosen(range(80)))
def test_a_curve_bounds_what_follows_where_it_does_at_every_slope(seed: int) -> None:
    rng = Random(seed)
    for _ in range(4):
        count, total = rng.randint(1, 3), rng.randint(1, 5)
        weights = [Counter(rng.randrange(count) for _ in range(total)) for _ in (0, 1)]
        outcomes = [(weights[0][i], weights[1][i], random_curve(rng)) for i in range(count)]
        curve = random_curve(rng)
        slopes = {
            Fraction(y * curve.total0, x * curve.total1) for x, y in zip(curve.mass0, curve.mass1, strict=True) if x
        }
        for k0, k1, after in outcomes:
            steps = zip(after.mass0, after.mass1, strict=True)
            slopes |= {Fraction(y * after.total0 * k1, x * after.total1 * k0) for x, y in steps if x * k0}
        rays = [(slope, Fraction(1)) for slope in slopes] + [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
        exact = all(
            sum(height(n, a * k0, b * k1) for k0, k1, n in outcomes) <= total * height(curve, a, b) for a, b in rays
        )
        assert holds(curve, outcomes, total) is exact


def test_nothing_is_compared_twice_and_no_curve_passes_for_its_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one release showed of a curve shows as much of its mirror with the worlds swapped, and of nothing else."""
    compared: list[int] = []
    monkeypatch.setattr(verify_certificate, "holds", lambda *given: compared.append(1) or holds(*given))  # type: ignore[func-returns-value]
    one = in_round(1, checker())
    leaning, even = Curve(7, [0, 3], [1, 2]), Curve(8, [1, 2], [2, 1])
    mirror = one.on_mirror(leaning)
    release = 3, {"a": (0, 1, None), "b": (3, 2, None)}
    swapped = 3, {"a": (1, 0, None), "b": (2, 3, None)}
    for _ in range(2):
        one.compare(leaning, release, {})
        one.compare(mirror, swapped, {})
    assert len(compared) == 1
    for curve, other in ((leaning, swapped), (mirror, release)):
        with pytest.raises(Invalid, match="a curve bounds what follows"):
            one.compare(curve, other, {})
    compared.clear()
    for outcomes in ((1, 2), (2, 1)):
        k0, k1 = outcomes
        one.compare(even, (3, {"a": (k0, k1, None), "b": (k1, k0, None)}), {})
    assert len(compared) == 1  # it is its own mirror


def test_what_was_compared_is_known_in_the_next_round_and_then_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    monkeypatch.setattr(verify_certificate, "holds", lambda *given: compared.append(1) or holds(*given))  # type: ignore[func-returns-value]
    one = in_round(5, checker(horizon=5))
    curve, release = Curve(7, [0, 3], [1, 2]), (3, {"a": (0, 1, None), "b": (3, 2, None)})
    counts = []
    for compares in (True, True, True, False, True):
        for _ in range(compares):
            one.compare(curve, release, {})
        counts.append(len(compared))
        one.here["a position"] = 0
        if one.round > 1:
            one.read({"round": one.round - 1})
    assert counts == [1, 1, 1, 1, 2]


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_the_delta_of_a_curve_is_the_largest_over_its_corners_in_either_order(seed: int) -> None:
    curve = random_curve(Random(seed))
    corners = [
        (Fraction(x, curve.total0), Fraction(y, curve.total1)) for x, y in zip(curve.sum0, curve.sum1, strict=True)
    ]
    for e in (Fraction(1), Fraction(3, 2), Fraction(7)):
        assert curve.delta(e, "1-0") == max(y - e * x for x, y in corners)
        assert curve.delta(e, "0-1") == max((1 - x) - e * (1 - y) for x, y in corners)


@pytest.mark.parametrize(
    ("change", "known"),
    [
        ({}, True), ({"game": "npp"}, False), ({"null": "1"}, False), ({"adjacency": "zero-out"}, False),
        ({"adjacency": "zero-out", "null": "1"}, True), ({"adjacency": "edit"}, False),
    ],
)  # fmt: skip
def test_relations_are_known_of_plain_games_alone(change: dict[str, Any], known: bool) -> None:
    one = checker(**change)
    assert bool(legal_costs(one.header, one.inputs, 1)) is known
    assert not legal_costs(one.header | {"adjacency": "hamming", "null": None}, ["0", "0"], 1)  # two inputs of one name
