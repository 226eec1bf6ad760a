"""The parts of long hulls one by one: what floats must not decide, in games of a few segments."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from math import log
from types import SimpleNamespace

import numpy as np
import pytest
from instances.merged_runs import longer, release_of
from instances.seeds import chosen

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra import envelope, long_chain, merged_runs
from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.envelope import Envelope, _absorbed, _filled, _may_lose, _tangent
from dpcert.audit.algebra.lattice import Lattice
from dpcert.audit.algebra.long_chain import lengthened
from dpcert.audit.algebra.merged_runs import MergedRuns, Sums, Unsettled, clusters, merged, running

UNSEEN = 2**1100
"""A share of one in so many is 0 as a float."""


def plain(chain: Chain) -> tuple[list[int], list[int]]:
    return list(chain.mass0), list(chain.mass1)


def tiny_ends(rng: random.Random, total: int) -> Chain:
    """A chain over total * UNSEEN whose steepest or flattest segment is too small for a float, in both worlds."""
    cuts = [sorted(rng.choices(range(1, total), k=3)) for _ in range(2)]
    sides = [[(b - a) * UNSEEN for a, b in zip([0, *cut], [*cut, total], strict=True)] for cut in cuts]
    for steep in rng.choice([(0,), (1,), (0, 1)]):
        small = rng.randint(1, 3), rng.randint(1, 3) * rng.choice((5, 10**6))
        for side, mass in zip(sides, small if steep else small[::-1], strict=True):
            at = max(range(4), key=side.__getitem__)
            side[at] -= mass
            side.append(mass)
    return chains.ordered(*sides, total * UNSEEN, total * UNSEEN)


@pytest.mark.parametrize("seed", chosen(range(80)))
def test_segments_inside_that_floats_lose(seed: int) -> None:
    rng = random.Random(seed)
    total = rng.choice((4, 8, 60))
    options = [tiny_ends(rng, total) for _ in range(2)]
    if rng.random() < 0.5:  # the second is the first but for what floats lose
        moved = [list(options[0].mass0), list(options[0].mass1)]
        for side in moved:
            side[0], side[-1] = side[0] + rng.randint(0, 2), side[-1] - rng.randint(0, 2)
        if min(map(min, moved)) >= 0 and sum(moved[0]) == sum(moved[1]) == total * UNSEEN:
            options[1] = chains.ordered(*moved, total * UNSEEN, total * UNSEEN)
    expected, _ = chains.hull(options)
    found, _ = Envelope(total * UNSEEN, total * UNSEEN, longer()).of([[(1, 1, option)] for option in options])
    assert plain(found) == plain(expected)


def test_a_steeper_segment_is_not_lost_for_being_small() -> None:
    """At the top the first option is higher by a share of 2^-1100, everywhere else the second is by much."""
    whole = 8 * UNSEEN
    first = [(1, 3 * 10**6), (4 * UNSEEN - 1, 5 * UNSEEN - 3 * 10**6), (4 * UNSEEN, 3 * UNSEEN)]
    second = [(1, 2), (4 * UNSEEN - 1, 6 * UNSEEN - 2), (4 * UNSEEN, 2 * UNSEEN)]
    options = [chains.ordered(*zip(*atoms, strict=True), whole, whole) for atoms in (first, second)]
    expected, _ = chains.hull(options)
    assert expected.mass0[0] == 1
    for asked in (options, options[::-1], [option.reversed() for option in options]):
        expected, _ = chains.hull(asked)
        found = Envelope(whole, whole, longer())._long([[(1, 1, option)] for option in asked])[0]
        assert plain(found) == plain(expected)


@pytest.mark.parametrize(("total0", "total1"), [(7, 10**40), (10**40, 7), (997, 3 * 10**300), (10**12, 10**12 + 1)])
def test_totals_that_are_far_apart(total0: int, total1: int) -> None:
    """No option needs the plain integers: the keys are those of shares, not of masses."""
    rng = random.Random(total0)

    def parts(total: int) -> list[int]:
        return [7 * total // 20 - 1, 8 * total // 20, 20 * total - 20 * (7 * total // 20 - 1 + 8 * total // 20)]

    for _ in range(6):
        options = []
        for _ in range(3):
            mass0, mass1 = ([rng.randint(1, 9) for _ in range(4)] for _ in range(2))
            scale0, scale1 = sum(mass0), sum(mass1)
            options.append((mass0, mass1, scale0, scale1))
        t0 = total0 * np.lcm.reduce([s for _, _, s, _ in options]).item()
        t1 = total1 * np.lcm.reduce([s for _, _, _, s in options]).item()
        made = [
            chains.ordered([a * (t0 // s0) for a in m0], [b * (t1 // s1) for b in m1], t0, t1)
            for m0, m1, s0, s1 in options
        ]
        expected, _ = chains.hull(made)
        found, _ = Envelope(t0, t1, longer())._long([[(1, 1, option)] for option in made])
        assert plain(found) == plain(expected)
        keys = [
            np.log(float(Fraction(b * t0, a * t1))) for a, b in zip(found.mass0, found.mass1, strict=True) if a and b
        ]
        assert np.allclose(found.keys, keys)
        assert np.allclose(found.share0, [a / t0 for a in found.mass0])
        assert np.allclose(found.share1, [b / t1 for b in found.mass1])


def test_a_bridge_has_the_code_of_its_ratio() -> None:
    """Of 3/4, 1/4 against 1/4, 3/4 and a flatter option: the bridge's code tells it from what it is not."""
    long = longer(Fraction(2), Fraction(3))
    one = chains.ordered((1, 7), (6, 2), 8, 8)
    two = chains.ordered((4, 4), (7, 1), 8, 8)
    found, choice = Envelope(8, 8, long)._long([[(1, 1, one)], [(1, 1, two)]])
    assert plain(found) == ([1, 3, 4], [6, 1, 1])
    assert (choice.first, choice.switches) == (0, ((3, 1, 1),))
    ratios = [Fraction(6), Fraction(1, 3), Fraction(1, 4)]
    assert list(zip(found.code.tolist(), found.root.tolist(), strict=True)) == [
        long.lattice.atom_code(r) for r in ratios
    ]


@pytest.mark.parametrize(
    ("signs", "filled"),
    [
        ([], []),
        ([0, 0], [0, 0]),
        ([0, 1, 0, -1, 0], [1, 1, 1, -1, -1]),
        ([-1, 0, 0, 1], [-1, -1, -1, 1]),
    ],
)
def test_ties_go_with_the_sign_before_them(signs: list[int], filled: list[int]) -> None:
    assert _filled(np.array(signs, dtype=np.int64)).tolist() == filled


def corners(release: MergedRuns) -> list[tuple[int, int]]:
    masses = release.masses(0, len(release))
    return [(0, 0), *zip(*(accumulate(side) for side in masses), strict=True)]


UPPER, LOWER = [(10, 60), (30, 25), (60, 15)], [(30, 70), (40, 25), (30, 5)]
"""Segments of two hulls whose common tangent goes from the second corner of the one to that of the other."""


@pytest.mark.parametrize(("end", "begin", "steps"), [(2, 2, 1), (1, 2, 2), (2, 3, 2), (1, 3, 3)])
def test_a_common_tangent_is_walked_to(end: int, begin: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many steps are enough, and with one less it is given up."""
    upper, lower = release_of(UPPER, 100, 100), release_of(LOWER, 100, 100)
    start = upper, lower, end, begin, corners(upper)[end], corners(lower)[begin]
    monkeypatch.setattr(envelope, "MOST_TANGENT_STEPS", steps)
    assert _tangent(*start) == (2, 2, (30, 10))
    monkeypatch.setattr(envelope, "MOST_TANGENT_STEPS", steps - 1)
    with pytest.raises(Unsettled):
        _tangent(*start)


def test_a_bridge_is_one_with_groups_of_its_slope() -> None:
    upper, lower = release_of([(1, 4), (3, 6), (6, 0)], 10, 10), release_of([(2, 6), (2, 3), (6, 1)], 10, 10)
    assert _absorbed(upper, lower, 2, 1, (1, 2)) == (1, 1, (4, 8))
    assert _absorbed(upper, lower, 1, 1, (2, 3)) == (1, 2, (4, 6))
    assert _absorbed(upper, lower, 1, 1, (1, 1)) == (1, 1, (1, 1))
    assert _absorbed(upper, lower, 2, 3, (2, 4)) == (1, 3, (5, 10))
    assert _absorbed(upper, lower, 0, 0, (2, 6)) == (0, 1, (4, 12))


@pytest.mark.parametrize(
    ("bridge", "settled"),
    [
        ((2, 4), True),
        ((1, 2), True),
        ((0, 0), False),
        ((2, 5), False),
        ((2, 2), False),
        ((0, 1), False),
        ((1, 0), False),
        ((-1, -2), False),
    ],
)
def test_a_bridge_lies_between_the_slopes_it_was_looked_for(bridge: tuple[int, int], settled: bool) -> None:
    hulls = Envelope(10, 10, longer())
    if settled:
        hulls._check_place(bridge, np.log(2.2), np.log(1.8), 0.01)
        hulls._check_place((1, 1), 0.01, -0.01, 0.01)
        return
    with pytest.raises(Unsettled):
        hulls._check_place(bridge, np.log(2.2), np.log(1.8), 0.01)


def test_slopes_past_what_floats_are_trusted_with_are_not_settled() -> None:
    total = 10**400
    one, two = (release_of([(1, 10**200 * k), (total - 1, total - 10**200 * k)], total, total) for k in (2, 3))
    assert envelope._Union.of(one, two).count1.tolist()[-1] == 2
    one, two = (release_of([(1, 10**300 * k), (total - 1, total - 10**300 * k)], total, total) for k in (2, 3))
    with pytest.raises(Unsettled):
        envelope._Union.of(one, two)


def test_long_sums_and_clusters() -> None:
    values = np.arange(1.0, 2000.0)
    assert np.allclose(running(values, 5.0), 5 + np.concatenate([[0.0], np.cumsum(values)]))
    assert running(np.zeros(0), 2.0).tolist() == [2.0]
    near = np.array([True, True, False, True, False, True, True])
    doubtful = np.array([False, True, False, False, False, True, True])
    assert [(span.start, span.stop) for span in clusters(near, doubtful)] == [(0, 3), (5, 8)]


@pytest.mark.parametrize("block", [1, 2, 100])
def test_masses_and_corners_of_a_release(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs with a ratio in common, heads and feet, and outcomes that one world never sees."""
    monkeypatch.setattr(merged_runs, "BLOCK", block)
    one = chains.ordered((0, 1, 2, 5), (3, 3, 2, 0), 8, 8)
    two = chains.ordered((2, 6), (6, 2), 8, 8)
    runs = [(1, 1, one), (2, 2, two), (0, 1, two), (1, 0, one)]
    release = merged(runs, 32, 32, longer())
    assert (release.head, release.foot) == (3 + 8, 5 + 8)
    assert [list(side) for side in release.masses(0, len(release))] == [[5, 2, 12], [15, 2, 4]]
    assert [list(side) for side in release.masses(1, 3)] == [[2, 12], [2, 4]]
    assert [list(side) for side in release.masses(1, 1)] == [[], []]
    assert [list(side) for side in release.reached(np.arange(4), Sums())] == [[0, 5, 7, 19], [11, 26, 28, 32]]
    ratios = [Fraction(b, a) for a, b in zip(*release.slopes(np.arange(3)), strict=True)]
    assert ratios == [3, 1, Fraction(1, 3)]
    assert np.allclose(release.share0, [5 / 32, 2 / 32, 12 / 32])
    assert np.allclose(release.share1, [15 / 32, 2 / 32, 4 / 32])
    assert release.least_share == 2 / 32
    found, _ = Envelope(32, 32, longer()).of([runs])
    assert plain(found) == plain(chains.release(runs, 32, 32))


def test_the_error_of_keys_covers_what_a_shift_rounds_away() -> None:
    """A sum of two floats is off by half a unit of its size, and the keys that are shifted are off before that."""
    total = 2**300
    chain = chains.ordered((1, total - 1), (2**250, total - 2**250), total, total)
    long = longer()
    own = long.of(chain)
    release = merged([(3, 5, chain), (2, 2**40, chain)], total * 5, total * (5 + 2**40), long)
    shift = max(abs(float(np.log(3 * (5 + 2**40) / (5 * 5)))), abs(float(np.log(2**39 * 5 / (5 + 2**40)))))
    least = own.key_error + long_chain.UNIT * (shift + float(np.max(np.abs(own.keys))))
    assert release.key_error >= least
    assert release.share_error > own.share_error


def test_a_release_has_the_codes_of_its_ratios() -> None:
    """Each run's codes are moved by the code of what its weights do to its ratios."""
    one, two = chains.ordered((1, 3), (3, 1), 4, 4), chains.ordered((1, 2), (2, 1), 3, 3)
    long = longer(Fraction(2), Fraction(3), Fraction(6))
    release = merged([(3, 6, one), (4, 2, two)], 24, 30, long)
    scale = Fraction(24, 30)
    ratios = [Fraction(b, a) * scale for a, b in zip(*release.masses(0, len(release)), strict=True)]
    assert len(ratios) == len(release.code) == 4
    lattice = long.lattice
    for ratio, code, root in zip(ratios, release.code.tolist(), release.root.tolist(), strict=True):
        run = 0 if ratio / scale in (6, Fraction(2, 3)) else 1
        factor = (Fraction(6, 3) if run == 0 else Fraction(2, 4)) * Fraction(4 * 24, 4 * 30)
        atom = lattice.atom_code(ratio / factor)
        assert (code, root) == (atom[0] + lattice.factor_code(factor), atom[1])


@pytest.mark.parametrize("seed", range(10))
def test_signs_in_integers(seed: int) -> None:
    """At every slope of either release, whose support is larger: by the largest of y - g x over all corners."""
    rng = random.Random(seed)
    sides = [[[rng.randint(1, 3) for _ in range(3)] for _ in range(2)] for _ in range(2)]
    for mass0, mass1 in sides:
        mass0.append(12 - sum(mass0))
        mass1.append(12 - sum(mass1))
    if seed % 2:  # one world alone differs in the first segment
        sides[1] = [list(sides[0][0]), [sides[0][1][0] + 1, *sides[0][1][1:3], sides[0][1][3] - 1]]
    one, two = (release_of([*zip(*side, strict=True)], 12, 12) for side in sides)
    union = envelope._Union.of(one, two)
    ranks = np.arange(len(union.keys))
    signs = envelope._exact_signs(one, two, union, ranks, Sums()).tolist()
    slopes = [Fraction(b, a) for r in (one, two) for a, b in zip(*r.masses(0, len(r)), strict=True)]
    at = [corners(release) for release in (one, two)]
    expected = []
    for g in sorted(slopes, reverse=True):
        first, second = (max(y - g * x for x, y in side) for side in at)
        expected.append((first > second) - (first < second))
    assert signs == expected


@pytest.mark.parametrize("name", ["share_error", "key_error"])
@pytest.mark.parametrize("which", [0, 1])
def test_what_either_release_may_be_off_by_leaves_signs_open(name: str, which: int) -> None:
    """A float's sign is that of whole numbers where it is sure; where a release may be off by all there is, none is."""
    pair = [release_of([(1, 4), (3, 6), (6, 2)], 10, 12), release_of([(2, 6), (2, 5), (6, 1)], 10, 12)]
    union = envelope._Union.of(*pair)
    ranks = np.arange(len(union.keys))
    exact = envelope._exact_signs(*pair, union, ranks, Sums())
    signs, left = envelope._sure_signs(*pair, union, 10, 12)
    sure = np.setdiff1d(ranks, left)
    assert len(sure) > 0
    assert (signs[sure] == exact[sure]).all()
    assert not signs[left].any()
    pair[which] = replace(pair[which], **{name: 1.0})
    assert not envelope._sure_signs(*pair, union, 10, 12)[0].any()


def test_bounds_of_errors_count_every_rounding() -> None:
    """A sum of rows has as many roundings as a row is long and as there are rows; a logarithm errs by its size."""
    for count in (0, 1, 1_000, 10**7):
        places = merged_runs.ROW + count / merged_runs.ROW
        assert long_chain.UNIT * places <= merged_runs.running_error(count) <= 2 * long_chain.UNIT * places
    for totals in ((1, 1), (10**9, 7), (7, 10**300), (10**300, 10**300)):
        size = sum(map(log, totals))
        assert 8 * long_chain.UNIT * size <= long_chain.key_error_of(*totals) <= 32 * long_chain.UNIT * (1 + size)


def test_a_chain_with_keys_turned_round() -> None:
    chain = chains.ordered((0, 1, 2, 5), (3, 3, 2, 0), 8, 8)
    long = lengthened(chain, Lattice.of_levels([[Fraction(3)]]))
    back = long.reversed()
    assert plain(back) == plain(chain.reversed())
    assert (long.head, long.foot, back.head, back.foot) == (3, 5, 5, 3)
    assert np.allclose(long.keys, [np.log(3), 0])
    assert np.allclose(back.keys, [0, -np.log(3)])
    assert back.share0.tolist() == long.share1.tolist()[::-1]
    assert [c + d for c, d in zip(long.code.tolist(), back.code.tolist()[::-1], strict=True)] == [0, 0]
    assert hash(long) == hash(chain)
    with pytest.raises(Unsettled):
        merged([(1, 1, chains.ordered((1, 0), (0, 1), 1, 1))], 1, 1, longer())


def test_runs_with_keys_are_made_once() -> None:
    long, chain = longer(), chains.ordered((1, 3), (2, 2), 4, 4)
    made = long.of(chain)
    assert long.of(chain) is made is long.of(made)
    long.let_go()
    assert long.of(chain) is not made


LEAST = 10**270


@pytest.mark.parametrize(
    ("masses", "shares", "lost"),
    [
        ((0, 0, 0, 0), (1.0, 1.0), False),
        ((LEAST, LEAST, LEAST, LEAST), (1.0, 1.0), False),
        ((1, 1, 1, 1), (1.0, 1.0), False),
        ((1, 0, 0, 0), (1e-270, 1e-270), False),
        ((0, 0, 0, 0), (0.99e-270, 1.0), True),
        ((0, 0, 0, 0), (1.0, 0.99e-270), True),
    ],
)
def test_a_float_may_have_lost_what_is_below_the_least_share(
    masses: tuple[int, int, int, int], shares: tuple[float, float], lost: bool
) -> None:
    one, two = (
        SimpleNamespace(head=h, foot=f, least_share=s)
        for h, f, s in zip(masses[::2], masses[1::2], shares, strict=True)
    )
    assert _may_lose(one, two, LEAST, LEAST) is lost  # type: ignore[arg-type]


@pytest.mark.parametrize("place", range(4))
def test_each_end_of_each_release_may_be_lost_against_its_own_total(place: int) -> None:
    """World 1's total is that of heads, world 0's that of feet; what is 1 part of 10^270 exactly is not lost."""
    masses = [0, 0, 0, 0]
    masses[place] = 1
    one, two = (SimpleNamespace(head=h, foot=f, least_share=1.0) for h, f in (masses[:2], masses[2:]))
    feet, heads = (LEAST + 1, LEAST) if place % 2 else (LEAST, LEAST + 1)
    assert _may_lose(one, two, feet, heads)  # type: ignore[arg-type]
    assert not _may_lose(one, two, heads, feet)  # type: ignore[arg-type]
