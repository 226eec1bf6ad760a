"""Thinned curves lie on or above what they stand for, and near it at the slopes that count."""

import io
from fractions import Fraction
from itertools import accumulate, pairwise
from random import Random
from typing import Any

import pytest
from instances.certified import SLOPES, audited
from instances.seeds import chosen

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.certificates import certificate as certificates
from dpcert.audit.certificates.bounding import mirrors
from dpcert.audit.certificates.certificate import bounds_of
from dpcert.audit.certificates.heights import Heights, Ray
from dpcert.audit.certificates.outward import Outward, live_corners
from dpcert.audit.certificates.reach import RequestedRays
from dpcert.audit.certificates.tolerances import TOLERANCE_UNIT
from dpcert.audit.certificates.touching import touching
from dpcert.audit.solving.adaptive import Solution
from dpcert.verify_certificate import verify


def random_chain(rng: Random, length: int) -> Chain:
    zeros, ones = ([rng.randrange(6) for _ in range(length)] for _ in range(2))
    return chains.ordered([*zeros, 1], [*ones, 1], sum(zeros) + 1, sum(ones) + 1)


def height(corners: list[tuple[Fraction, Fraction]], ray: Ray) -> Fraction:
    """max b y - a x."""
    return max(ray[1] * y - ray[0] * x for x, y in corners)


def corners_of(chain: Chain) -> list[tuple[Fraction, Fraction]]:
    xs, ys = [0, *accumulate(map(int, chain.mass0))], [0, *accumulate(map(int, chain.mass1))]
    return [(Fraction(x, chain.total0), Fraction(y, chain.total1)) for x, y in zip(xs, ys, strict=True)]


def random_rays(rng: Random, count: int) -> list[Ray]:
    return [(rng.randrange(1, 9), rng.randrange(1, 9)) for _ in range(count)]


@pytest.mark.parametrize("seed", chosen(range(200)))
def test_live_corners_meet_the_chain_where_it_counts_and_nowhere_lie_below(seed: int) -> None:
    rng = Random(seed)
    chain, rays = random_chain(rng, rng.randrange(1, 12)), random_rays(rng, rng.randrange(5))
    drawn = live_corners(chain, rays)
    t0, t1, own = chain.total0, chain.total1, corners_of(chain)
    ends = [(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))]
    made = ends + [(Fraction(x, t0 * below), Fraction(y, t1 * below)) for x, y, below in drawn]
    assert all(height(made, ray) == height(own, ray) for ray in rays)
    assert all(height(made, ray) >= height(own, ray) for ray in random_rays(rng, 40))
    assert len(drawn) <= min(2 * len(rays) + 3, 2 * len(own))


@pytest.mark.parametrize("seed", chosen(range(200)))
def test_a_curve_touches_the_chain_where_it_counts_in_its_own_units(seed: int) -> None:
    rng = Random(seed)
    chain, rays = random_chain(rng, rng.randrange(1, 40)), random_rays(rng, rng.randrange(4))
    drawn = touching(chain, rays)
    made, own = corners_of(drawn), corners_of(chain)
    assert (drawn.total0, drawn.total1) == (chain.total0, chain.total1)
    assert made[-1] == (1, 1)
    assert all(height(made, ray) == height(own, ray) for ray in rays)
    assert all(height(made, ray) >= height(own, ray) for ray in random_rays(rng, 40))
    assert all(y0 * x1 > x0 * y1 for (x0, y0), (x1, y1) in pairwise(zip(drawn.mass0, drawn.mass1, strict=True)))
    assert len(drawn) <= len(chain)


def test_two_segments_for_each_slope_that_counts_are_enough_in_fine_units() -> None:
    """In coarse ones there is no corner where they would meet, and the chain stays as it is."""
    fine = 1 << 40
    chain = chains.ordered([fine] * 100, [fine * m for m in range(200, 0, -2)], 100 * fine, 10_100 * fine)
    coarse = chains.ordered([1] * 100, list(range(200, 0, -2)), 100, 10_100)
    rays = [(101, k) for k in (150, 100, 70)]
    assert len(touching(chain, rays)) == 2 * (len(rays) + 1)
    assert len(touching(coarse, rays)) > 40


@pytest.mark.parametrize("seed", chosen(range(200)))
def test_a_thinned_curve_loses_no_more_than_it_says(seed: int) -> None:
    rng = Random(seed)
    chain, rays = random_chain(rng, rng.randrange(1, 12)), random_rays(rng, rng.randrange(5))
    outward = Outward(within=rng.choice((8, 40)), grid=rng.choice((64, 1 << 20)))
    share = Fraction(rng.randrange(1, 5), 4)
    made, own = corners_of(outward.of(chain, share, rays)), corners_of(chain)
    for a, b in (*rays, *random_rays(rng, 40)):
        assert height(made, (a, b)) >= height(own, (a, b))
    for a, b in rays:
        most = min(a, b) * share / outward.within + Fraction(2 * (a + b), outward.grid)
        assert height(made, (a, b)) <= height(own, (a, b)) + most


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(200)))
def test_a_curve_is_as_near_as_it_has_to_be(seed: int) -> None:
    """At slopes that are asked more of, and at all others; never below."""
    rng = Random(seed)
    chain, rays = random_chain(rng, rng.randrange(1, 20)), random_rays(rng, rng.randrange(8))
    everywhere, at = (
        rng.choice((0, TOLERANCE_UNIT // 8, TOLERANCE_UNIT // 40)),
        {ray: rng.randrange(TOLERANCE_UNIT // 100) for ray in rays},
    )
    outward = Outward(within=1, grid=1 << 30)
    made, own = corners_of(outward.near(chain, everywhere, at)), corners_of(chain)
    for a, b in (*rays, *random_rays(rng, 40)):
        most = min(everywhere, at.get((a, b), everywhere)) * Fraction(min(a, b), TOLERANCE_UNIT)
        assert 0 <= height(made, (a, b)) - height(own, (a, b)) <= most + Fraction(2 * (a + b), outward.grid)
        assert Fraction(Heights(chain).of((a, b)), chain.total0 * chain.total1) == height(own, (a, b))


def rays_plainly(solution: Solution, ends: set[Ray]) -> dict[int, set[Fraction]]:
    """a / b at every value, along every path from the root."""
    made: dict[int, set[Fraction]] = {}
    left = [(solution.value_of[0][0], Fraction(a, b)) for a, b in ends]
    while left:
        v, slope = left.pop()
        if slope not in made.setdefault(v, set()):
            made[v].add(slope)
            for d0, d1, runs in solution.values[v].options:
                left += [(w, slope * k0 * d1 / (k1 * d0)) for w, k0, k1 in runs if k0 and k1]
    return made


def solved(seed: int) -> Any:
    return audited(seed).found.facts.analysis.solution


@pytest.mark.parametrize("seed", chosen([s for s in range(32) if s % 8 != 7]))
def test_every_slope_that_a_path_leads_to_counts(seed: int) -> None:
    solution = solved(seed)
    mirror = mirrors(solution.values)
    reach = RequestedRays.of(solution, SLOPES, mirror)
    ends = {ray for e in SLOPES for ray in ((e.numerator, e.denominator), (e.denominator, e.numerator))}
    for v, slopes in rays_plainly(solution, ends).items():
        listed = reach.rays[v]
        assert v == 0 or (listed is not None and {Fraction(a, b) for a, b in listed} >= slopes)
    for path in solution.value_of:
        assert all(0 < reach.shares[v] <= 1 for v in path)
    assert sum(max((reach.shares[v] for v in level), default=Fraction(0)) for level in solution.value_of) <= 1


def within(solution: Solution, gap: Fraction) -> bool:
    """Whether the bound at the root is delta, and less than the gap more, at all slopes; it may not be exact."""
    bounds = bounds_of(solution, SLOPES, Outward.of_gap(gap, len(solution.levels), max(SLOPES)))
    root, orders = PowerFunction(bounds.of(solution.value_of[0][0])), ("0-1", "1-0")
    pairs = [(root.hockey_stick(e, order), solution.power.hockey_stick(e, order)) for e in SLOPES for order in orders]  # type: ignore[arg-type]  # of ORDERS
    return all(exact <= made <= exact + gap for made, exact in pairs)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("gap", [Fraction(1, 10), Fraction(1, 10**4), Fraction(1, 10**9)])
@pytest.mark.parametrize("seed", chosen(range(32)))
def test_bounds_exceed_delta_by_less_than_the_gap(seed: int, gap: Fraction) -> None:
    assert within(solved(seed), gap)


@pytest.mark.parametrize("seed", chosen(range(8)))
def test_what_is_overdrawn_too_far_is_not_kept(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Curves that may be off by anything are worked out once more, from what the gap leaves."""
    monkeypatch.setattr(certificates, "OVERDRAWN", (10**12, 1))
    assert within(solved(seed), Fraction(1, 10**6))


@pytest.mark.parametrize("seed", chosen(range(8)))
def test_curves_too_long_to_be_held_at_once_are_bounded_as_well(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without exact curves nothing is known of how much worse a move is; the gap is kept all the same."""
    monkeypatch.setattr(certificates, "MOST_SEGMENTS_AT_ONCE", 2)
    assert within(solved(seed), Fraction(1, 100))
    assert verify(io.StringIO(audited(seed).certificate(Fraction(1, 100))))[0] == (
        ["relation:edit"] if seed == 7 else []
    )
