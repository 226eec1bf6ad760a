"""What floats of long chains may be off by, stated anew from how they are made; and that nothing more is settled."""

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from math import log, nextafter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra import envelope, long_chain
from dpcert.audit.algebra.chain import Chain, HullChoice
from dpcert.audit.algebra.enclosure import at_precision
from dpcert.audit.algebra.envelope import (
    Envelope,
    Piece,
    _joined,
    _lost,
    _relative_error,
    _sure_signs,
    _tangent,
    _Union,
)
from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.algebra.lattice import Lattice
from dpcert.audit.algebra.long_chain import (
    Lengthened,
    LongChain,
    MergedRuns,
    Sums,
    Unsettled,
    clusters,
    key_error_of,
    lengthened,
    merged,
    running,
    running_error,
    shift_error,
)

ULP = 2.0**-52
"""What a float of size 1 may be off by, at most."""


def longer(*factors: Fraction) -> Lengthened:
    lattice = Lattice.of_levels([factors or (Fraction(1),)])
    return Lengthened(lambda: lattice)


def release_of(atoms: list[tuple[int, int]], total0: int, total1: int) -> MergedRuns:
    chain = chains.ordered([a for a, _ in atoms], [b for _, b in atoms], total0, total1)
    return merged([(1, 1, chain)], total0, total1, longer())


PAIR = release_of([(1, 4), (3, 6), (6, 2)], 10, 12), release_of([(2, 6), (2, 5), (6, 1)], 10, 12)
BY_ONE = release_of([(2, 6), (8, 4)], 10, 10), release_of([(1, 6), (9, 4)], 10, 10)
"""Releases that are made once, for tests that are short."""


def pair() -> tuple[MergedRuns, MergedRuns]:
    return PAIR


# --- bounds


def test_the_bound_of_a_key_is_that_of_four_logarithms_as_large_as_those_of_the_totals() -> None:
    """Each is off by a unit of its size at most, the sums of them by half a unit of theirs; eight times as much."""
    assert key_error_of(1, 1) == 16 * ULP
    for total0, total1 in ((2, 1), (1, 2), (10**9, 10**30), (3, 10**400)):
        expected = 16 * ULP * (1 + log(total0) + log(total1))
        assert key_error_of(total0, total1) == pytest.approx(expected, rel=1e-12, abs=0)


def test_the_bound_of_a_shift_is_that_of_two_logarithms() -> None:
    assert shift_error(Fraction(1)) == 4 * ULP
    for numerator, denominator in ((2, 1), (1, 2), (10**30, 7**50), (10**400 + 1, 10**400)):
        expected = 2 * ULP * (2 + log(numerator) + log(denominator))
        assert shift_error(Fraction(numerator, denominator)) == pytest.approx(expected, rel=1e-12, abs=0)


def test_the_bound_of_a_running_sum_counts_the_sums_that_a_number_goes_through() -> None:
    """Those of its row, those of the rows, and eight more."""
    assert running_error(0) == ULP * (512 + 8)
    assert running_error(512 * 40) == ULP * (512 + 40 + 8)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 8, 9, 13])
def test_running_sums_are_those_of_rows(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_chain, "ROW", 4)
    values = np.arange(1.0, count + 1)
    assert running(values, 7.0).tolist() == [7.0 + sum(range(1, n + 1)) for n in range(count + 1)]


def test_a_share_is_rounded_four_times_and_once_for_each_run_that_it_is_added_up_of() -> None:
    shares = [(1, 1, SimpleNamespace(share_error=error)) for error in (1e-9, 1e-12, 1e-12)]
    for given in (shares, shares[::-1]):
        assert long_chain._share_error(given) == 1e-9 + ULP * 7  # type: ignore[arg-type]


def of_keys(keys: list[float], error: float) -> Any:
    """What a run's chain has for its segments to be put in order."""
    count = np.zeros(len(keys), dtype=np.int64)
    return SimpleNamespace(keys=np.array(keys), key_error=error, code=count, root=count)


@pytest.mark.parametrize("turned", [False, True])
def test_a_key_is_shifted_and_off_by_what_the_worst_run_is(turned: bool) -> None:
    """By its own error and its shift's, and by roundings of the shift, of the key and of their sum."""
    runs = [(1, 1, of_keys([1.0, -3.0], 1e-13)), (1, 1, of_keys([0.5], 1e-14))]
    factors = [Fraction(7, 2), Fraction(3, 5)]
    if turned:
        runs, factors = runs[::-1], factors[::-1]
    members, error = long_chain._by_keys(runs, factors, SimpleNamespace(factor_code=lambda _: 0))  # type: ignore[arg-type]
    shift = log(7) - log(2)
    assert error == 1e-13 + shift_error(Fraction(7, 2)) + ULP * (2 * shift + 4 + 2 * 3.0)
    assert members.keys.tolist() == [1.0 + shift, 0.5 + log(3) - log(5), -3.0 + shift]
    assert members.index.tolist() == [0, 0, 1]


def test_the_keys_of_a_release_are_those_of_its_ratios() -> None:
    release = merged([(3, 1, PAIR[0].runs[0][2]), (1, 2, PAIR[1].runs[0][2])], 40, 36, longer())
    atoms = zip(*release.masses(0, len(release)), strict=True)
    ratios = [log(Fraction(int(b) * 40, int(a) * 36)) for a, b in atoms]
    assert release.keys.tolist() == pytest.approx(ratios, rel=1e-12)
    assert release.share_error == PAIR[0].runs[0][2].share_error + ULP * 6


@pytest.mark.parametrize("seed", range(8))
def test_what_floats_are_off_by_is_within_the_bounds(seed: int) -> None:
    """Keys against logarithms in balls, shares and their sums against fractions, of masses of up to 900 bits."""
    rng = random.Random(seed)
    runs, bits = [], rng.choice((20, 300, 900))
    for _ in range(3):
        sides = [[rng.randint(1, 2 ** rng.randint(1, bits)) for _ in range(5)] for _ in range(2)]
        runs.append((rng.randint(1, 2**bits), rng.randint(1, 2**bits), chains.ordered(*sides, *map(sum, sides))))
    total0, total1 = (sum(run[world] * (run[2].total0, run[2].total1)[world] for run in runs) for world in (0, 1))
    release = merged(runs, total0, total1, longer())
    atoms = list(zip(*release.masses(0, len(release)), strict=True))
    for key, (a, b) in zip(release.keys.tolist(), atoms, strict=True):
        true = at_precision(200, lambda a=a, b=b: arb(int(b * total0)).log() - arb(int(a * total1)).log())
        assert abs(at_precision(200, lambda true=true, key=key: arb(key) - true)) < release.key_error
    for shares, total, world in ((release.share0, total0, 0), (release.share1, total1, 1)):
        masses = [int(atom[world]) for atom in atoms]
        for share, mass in zip(shares.tolist(), masses, strict=True):
            assert abs(Fraction(share) * total / mass - 1) < release.share_error
        exact = accumulate(map(Fraction, shares.tolist()), initial=Fraction(0))
        for found, true in zip(running(shares, 0.0).tolist(), exact, strict=True):
            assert abs(Fraction(found) - true) <= true * Fraction(running_error(len(shares)))


def test_the_bound_of_a_difference_of_supports_is_made_of_those_of_shares_sums_and_keys() -> None:
    one, two = pair()
    for first, second in ((one, replace(two, share_error=1e-3, key_error=1e-5)), (replace(one, share_error=1e-3), two)):
        for given in ((first, second), (second, first)):
            largest = max(first.key_error, second.key_error)
            expected = 1e-3 + running_error(999) + 32 * (largest + ULP)
            assert _relative_error(*given, 999) == pytest.approx(expected, rel=1e-14, abs=0)


def test_what_floats_lose_adds_up_over_all_slopes_and_the_four_ends() -> None:
    one, two = pair()
    assert _lost(one, two, 10, 12, 6) == 0
    assert _lost(one, replace(two, head=1), 10, 10**280, 6) == 10 * 1e-270


@pytest.mark.parametrize("turned", [False, True])
def test_no_sign_is_sure_where_sums_may_be_off_by_all_that_they_are(
    turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is relative to the sums of both releases, in both worlds; at the flattest slope nothing is left."""
    monkeypatch.setattr(envelope, "_relative_error", lambda *_: 1.0)
    one, two = pair()[::-1] if turned else pair()
    union = _Union.of(one, two)
    signs, open_ = _sure_signs(one, two, union, 10, 12)
    assert not signs.any()
    assert open_.tolist() == list(range(len(union.keys) - 1))


@pytest.mark.parametrize("rank", range(5))
def test_what_is_lost_counts_in_world_1_and_times_the_slope_in_world_0(
    rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sign is open if the difference of both supports is no more than this."""
    one, two = pair()
    union = _Union.of(one, two)
    slope = float(np.exp(union.keys[rank]))
    sides = [[(a / 10, b / 12) for a, b in zip(*r.masses(0, len(r)), strict=True)] for r in (one, two)]
    first, second = (sum(max(0.0, b - slope * a) for a, b in side) for side in sides)
    monkeypatch.setattr(envelope, "_relative_error", lambda *_: 0.0)
    for times, is_open in ((0.999, False), (1.001, True)):
        monkeypatch.setattr(envelope, "_lost", lambda *_, n=times: n * abs(first - second) / (1 + slope))
        assert (rank in _sure_signs(one, two, union, 10, 12)[1]) is (is_open and first != second)


def test_signs_in_integers_where_corners_differ_by_one_in_one_world() -> None:
    one, two = BY_ONE
    assert envelope._exact_signs(one, two, _Union.of(one, two), np.array([1]), Sums()).tolist() == [-1]
    assert envelope._exact_signs(two, one, _Union.of(two, one), np.array([1]), Sums()).tolist() == [1]
    lower = release_of([(1, 5), (9, 5)], 10, 10)
    assert envelope._exact_signs(two, lower, _Union.of(two, lower), np.array([1]), Sums()).tolist() == [1]


# --- what is near, and what is settled in integers


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Stretches that were put in order in integers, of one release."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(long_chain, "_settle", lambda _, __, span, ___: asked.append((span.start, span.stop)))
    return asked


def members(keys: list[float], codes: list[int], roots: list[int]) -> Any:
    count = len(keys)
    every = np.arange(count)
    return long_chain._Members(
        every, np.array(keys), np.zeros(count, dtype=np.int32), every, np.array(codes), np.array(roots)
    )


KEYS = [2.0, 1.5, 1.0, -5.0]


@pytest.mark.parametrize(
    ("codes", "roots", "error", "has_codes", "same", "spans"),
    [
        ([1, 1, 1, 1], [0, 0, 0, 0], 0.25, True, [True, True, False], []),
        ([1, 1, 1, 1], [0, 0, 0, 0], 0.25, False, [False, False, False], [(0, 3)]),
        ([1, 1, 2, 2], [0, 0, 0, 0], 0.25, True, [True, False, False], [(0, 3)]),
        ([1, 1, 1, 1], [0, 0, 3, 3], 0.25, True, [True, False, False], [(0, 3)]),
        ([1, 2, 3, 4], [0, 0, 0, 0], 0.25, True, [False, False, False], [(0, 3)]),
        ([1, 1, 1, 1], [0, 1, 2, 3], 0.25, True, [False, False, False], [(0, 3)]),
        ([1, 1, 1, 1], [0, 0, 0, 0], nextafter(0.25, 0), True, [False, False, False], []),
        ([1, 2, 3, 4], [0, 1, 2, 3], nextafter(0.25, 0), False, [False, False, False], []),
    ],
)
def test_what_is_near_and_not_known_to_be_equal_is_settled(
    codes: list[int], roots: list[int], error: float, has_codes: bool, same: list[bool], spans: list[tuple[int, int]],
    settled: list[tuple[int, int]],
) -> None:  # fmt: skip
    """Keys that are no more than twice their error apart are near; equal codes and roots are equal ratios."""
    given = members(KEYS, codes, roots)
    assert long_chain._settled(given, (), error, has_codes).tolist() == same
    assert settled == spans


@pytest.mark.parametrize(
    ("codes", "roots", "errors", "coded", "repeated", "asked"),
    [
        ([[1, 1], [1, 9]], [[0, 0], [0, 0]], (0.25, 0.0), (True, True), [False, True, True, False], []),
        ([[1, 1], [1, 9]], [[0, 0], [0, 0]], (0.125, 0.125), (True, True), [False, True, True, False], []),
        ([[1, 1], [1, 9]], [[0, 0], [0, 0]], (0.125, 0.125), (True, False), [False, False, False, False], [[0, 2, 1]]),
        ([[1, 1], [1, 9]], [[0, 0], [0, 0]], (0.125, 0.125), (False, True), [False, False, False, False], [[0, 2, 1]]),
        ([[1, 1], [2, 9]], [[0, 0], [0, 0]], (0.125, 0.125), (True, True), [False, False, False, False], [[0, 2, 1]]),
        ([[1, 1], [1, 9]], [[0, 0], [4, 0]], (0.125, 0.125), (True, True), [False, False, False, False], [[0, 2, 1]]),
        ([[1, 1], [1, 1]], [[0, 0], [0, 0]], (0.125, 0.124), (True, True), [False, False, False, False], []),
        ([[1, 2], [3, 4]], [[0, 0], [0, 0]], (0.0, 0.249), (False, False), [False, False, False, False], []),
    ],
)
def test_slopes_of_two_releases_that_are_near_are_settled_where_they_are_not_known_to_be_equal(
    codes: list[list[int]], roots: list[list[int]], errors: tuple[float, float], coded: tuple[bool, bool],
    repeated: list[bool], asked: list[list[int]], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Near are those no more than twice both errors apart; codes tell only where both releases have them."""
    seen: list[list[int]] = []

    def in_order(_: MergedRuns, __: MergedRuns, numbers: Any) -> tuple[Any, list[bool]]:
        seen.append(numbers.tolist())
        return numbers, [False] * (len(numbers) - 1)

    monkeypatch.setattr(envelope, "_in_order", in_order)
    base = release_of([(1, 4), (3, 6)], 4, 10)
    one, two = (
        replace(base, keys=np.array(keys), code=np.array(code), root=np.array(root), key_error=error, coded=has)
        for keys, code, root, error, has in zip(([2.0, 1.0], [1.5, -5.0]), codes, roots, errors, coded, strict=True)
    )
    union = _Union.of(one, two)
    assert union.repeated.tolist() == repeated
    assert seen == asked
    assert union.first.tolist() == [True, False, True, False]


def test_keys_are_trusted_up_to_a_size() -> None:
    base = release_of([(1, 4), (3, 6)], 4, 10)
    widest = replace(base, keys=np.array([600.0, -600.0]))
    assert _Union.of(base, widest).keys[0] == 600
    for keys in ([nextafter(600.0, 601), 0.0], [0.0, nextafter(-600.0, -601)]):
        with pytest.raises(Unsettled):
            _Union.of(replace(base, keys=np.array(keys)), base)


def test_a_cluster_ends_where_neighbours_are_not_near_and_is_given_once() -> None:
    near = np.array([True, True, True, False, False, True, True, False])
    for doubtful, expected in (
        ([0, 1, 2], [(0, 4)]),
        ([2, 6], [(0, 4), (5, 8)]),
        ([0, 1, 5, 6], [(0, 4), (5, 8)]),
        ([], []),
    ):
        flags = np.isin(np.arange(8), doubtful)
        assert [(span.start, span.stop) for span in clusters(near, flags)] == expected


@pytest.mark.parametrize("side", ["above", "below"])
def test_a_bridge_may_be_off_its_place_by_twice_what_keys_are_off_by(side: str) -> None:
    hulls, bridge = Envelope(10, 10, longer()), (2, 4)
    key, error = hulls._key(bridge), key_error_of(10, 10)

    def check(away: float, own: float = 0.0) -> None:
        ends = (key - away, key - 1) if side == "above" else (key + 1, key + away)
        hulls._check_place(bridge, *ends, own)

    even = 2.0**-41 - error  # so that twice the sum of both is a power of 2, and the place of the end exact
    check(2.0**-40, even)
    check(1.9 * error)
    check(1.9 * (error + 1e-9), 1e-9)
    for away, own in ((2.1 * error, 0.0), (2.1 * (error + 1e-9), 1e-9)):
        with pytest.raises(Unsettled):
            check(away, own)


# --- parts of a hull


def test_the_place_of_a_bridge_and_the_errors_of_a_hull_are_those_of_the_worse_release(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[float] = []
    monkeypatch.setattr(Envelope, "_check_place", lambda _, __, ___, ____, error: given.append(error))
    one, two = release_of([(1, 5), (7, 3)], 8, 8), release_of([(2, 4), (3, 4), (3, 0)], 8, 8)
    for first, second in ((replace(one, key_error=1e-6), two), (one, replace(two, key_error=1e-6))):
        Envelope(8, 8, longer())._pieces(first, second)
        Envelope(8, 8, longer())._pieces(second, first)
    assert given == [1e-6] * 4


@pytest.mark.parametrize("turned", [False, True])
def test_a_hull_is_off_by_what_the_worst_of_its_pieces_is(turned: bool) -> None:
    one, two = pair()
    errors = ((1e-3, 1e-4), (1e-5, 1e-2))[:: -1 if turned else 1]
    (key0, share0), (key1, share1) = errors
    pieces = [
        Piece(replace(one, key_error=key0, share_error=share0), 0, 1, (1, 1)),
        Piece(replace(two, key_error=key1, share_error=share1), 1, 2),
    ]
    written = Envelope(10, 12, longer())._written(pieces)
    assert (written.key_error, written.share_error) == (1e-3, 1e-2)


def test_a_hull_is_off_by_no_less_than_the_key_of_a_bridge() -> None:
    exact = replace(pair()[0], key_error=0.0, share_error=0.0)
    assert Envelope(10, 12, longer())._written([Piece(exact, 0, 2)]).key_error == key_error_of(10, 12)


@pytest.mark.parametrize(("first", "leads"), [(1, 0), (0, 0), (-1, 1)])
def test_the_higher_at_the_steepest_slope_leads(first: int, leads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever is the higher at the next one; of two that are equal the first."""
    given: list[MergedRuns] = []

    def tangent(leader: MergedRuns, *_: Any) -> Any:
        given.append(leader)
        raise Unsettled

    monkeypatch.setattr(Envelope, "_signs", lambda *_: np.array([first, -first or 1, -first or 1]))
    monkeypatch.setattr(envelope, "_tangent", tangent)
    with pytest.raises(Unsettled):
        Envelope(10, 12, longer())._pieces(*PAIR)
    assert given[0] is PAIR[leads]


def test_of_two_that_are_equal_the_first_is_chosen() -> None:
    chain = chains.ordered((1, 3), (3, 1), 4, 4)
    same = chains.ordered((1, 3), (3, 1), 4, 4)
    assert Envelope(4, 4, longer())._long([[(1, 1, chain)], [(1, 1, same)]])[1] == HullChoice(0)


@pytest.mark.parametrize(
    "options",
    [
        ([(2, 5), (6, 4), (2, 1)], [(5, 8), (5, 2)]),  # the second has one corner above the first
        ([(1, 5), (9, 5)], [(3, 8), (7, 2)]),  # it is the higher from the second slope on
        ([(4, 6), (6, 4)], [(1, 3), (9, 7)]),
        ([(1, 2), (4, 5), (5, 3)], [(5, 8), (5, 2)]),
        ([(3, 5), (2, 1), (1, 0)], [(0, 3), (5, 3), (1, 0)]),  # the other one leads from the second slope on
        ([(0, 1), (3, 4), (3, 2), (1, 0)], [(2, 4), (5, 3)]),  # two bridges meet in a corner
    ],
)
def test_hulls_of_few_segments_need_no_plain_integers(options: tuple[list[tuple[int, int]], ...]) -> None:
    total = sum(a for a, _ in options[0])
    made = [chains.ordered([a for a, _ in atoms], [b for _, b in atoms], total, total) for atoms in options]
    for asked in (made, made[::-1]):
        expected, _ = chains.hull(asked)
        found, choice = Envelope(total, total, longer())._long([[(1, 1, one)] for one in asked])
        assert (list(found.mass0), list(found.mass1)) == (list(expected.mass0), list(expected.mass1))
        for dx, dy in zip(found.mass0, found.mass1, strict=True):
            best = max(y * dx - x * dy for x, y in found.vertices())
            assert max(y * dx - x * dy for x, y in asked[choice.at(dy, dx)].vertices()) == best


def test_switches_of_a_part_count_from_its_first_bridge_to_before_its_last() -> None:
    """An own switch at the slope of the bridge before is one still; at that of the bridge after, the next part's is."""
    one, two = pair()
    own = HullChoice(7, ((1, 9, 10), (1, 3, 11), (2, 3, 12), (1, 1, 13)))
    for pieces, expected in (
        ([Piece(one, 0, 1, (1, 3)), Piece(two, 1, 2)], [(1, 3, 0), (1, 3, 11), (2, 3, 12), (1, 1, 13)]),
        ([Piece(two, 0, 1, (2, 3)), Piece(one, 1, 2)], [(1, 9, 10), (1, 3, 11), (2, 3, 0)]),
        ([Piece(one, 0, 1, (2, 8)), Piece(two, 1, 2, (2, 2)), Piece(one, 2, 3)],
         [(2, 8, 10), (1, 3, 11), (2, 3, 12), (2, 2, 0)]),
    ):  # fmt: skip
        found = _joined(pieces, two, HullChoice(0), own)
        if pieces[0].release is one and pieces[0].bridge == (1, 3):
            expected[0] = (1, 3, 10)
        assert found.switches == tuple(expected)
        assert found.first == (7 if pieces[0].release is two else 0)


def test_a_tangent_is_walked_to_over_segments_that_cross_it_by_the_least() -> None:
    """By 1 in whole numbers, on either side of either corner; where none does nothing moves."""
    upper, lower = release_of([(1, 3), (1, 2), (8, 5)], 10, 10), release_of([(3, 6), (2, 2), (5, 2)], 10, 10)
    corners = [[(0, 0)], [(0, 0)]]
    for at, release in enumerate((upper, lower)):
        for a, b in zip(*release.masses(0, 3), strict=True):
            corners[at].append((corners[at][-1][0] + a, corners[at][-1][1] + b))
    found = {
        _tangent(upper, lower, end, begin, corners[0][end], corners[1][begin])
        for end in range(1, 3)
        for begin in range(2, 4)
    }
    assert len(found) == 1
    ((end, begin, (dx, dy)),) = found
    for release, at in ((upper, end), (lower, begin)):
        for n, (a, b) in enumerate(zip(*release.masses(0, 3), strict=True)):
            assert (b * dx >= dy * a) if n < at else (b * dx <= dy * a)


def test_a_tangent_steps_back_to_the_beginning_and_on_by_the_least() -> None:
    upper, lower = release_of([(0, 3), (4, 4), (6, 3)], 10, 10), release_of([(1, 7), (9, 3)], 10, 10)
    assert _tangent(upper, lower, 1, 1, (4, 7), (1, 7)) == (0, 1, (1, 4))
    same = [release_of([(1, 2), (1, 1), (2, 1)], 4, 4) for _ in range(2)]
    assert _tangent(*same, 0, 2, (0, 0), (2, 3)) == (1, 2, (1, 1))


# --- long chains by themselves


def test_the_body_of_a_long_chain_has_neither_head_nor_foot() -> None:
    lattice = Lattice.of_levels([[Fraction(1)]])
    for (mass0, mass1), body in (
        (((0, 1, 2, 5), (3, 3, 2, 0)), ([1, 2], [3, 2])),
        (((3, 5), (5, 3)), ([3, 5], [5, 3])),
        (((0, 8), (3, 5)), ([8], [5])),
        (((3, 5), (8, 0)), ([3], [8])),
    ):
        long = lengthened(chains.ordered(mass0, mass1, 8, 8), lattice)
        assert tuple(list(side) for side in long.body) == body
        assert isinstance(long, LongChain)
        assert longer().of(long) is long


def test_a_release_needs_one_run_with_a_segment_that_both_worlds_produce() -> None:
    apart, plain = chains.ordered((0, 4), (4, 0), 4, 4), chains.ordered((1, 3), (3, 1), 4, 4)
    release = merged([(1, 1, apart), (1, 1, plain)], 8, 8, longer())
    assert (release.head, release.foot, len(release)) == (4, 4, 2)
    with pytest.raises(Unsettled):
        merged([(1, 1, apart), (1, 1, apart)], 8, 8, longer())


def test_corners_are_reached_by_the_segments_of_each_run() -> None:
    """The first group is of the first run alone."""
    one, two = chains.ordered((1, 7), (5, 3), 8, 8), chains.ordered((3, 5), (5, 3), 8, 8)
    release = merged([(1, 1, one), (1, 1, two)], 16, 16, longer())
    assert [list(side) for side in release.reached(np.arange(5), Sums())] == [[0, 1, 4, 9, 16], [0, 5, 10, 13, 16]]
    assert release.least_share == 1 / 16
    turned = merged([(1, 1, one.reversed()), (1, 1, two.reversed())], 16, 16, longer())
    assert turned.least_share == 1 / 16


def test_codes_are_made_for_long_options_alone_and_chains_let_go() -> None:
    """The lattice of a game is asked for by the first position that needs it."""
    asked: list[int] = []
    hulls = Hulls(lambda: asked.append(1) or Lattice.of_levels([[Fraction(1)]]))  # type: ignore[func-returns-value]
    short = chains.ordered((1, 3), (3, 1), 4, 4)
    hulls.let_go()
    assert hulls.of(4, 4, [[(1, 1, short)]])[0].mass0 == (1, 3)
    assert not asked
    size = 500
    long = chains.ordered(range(1, size + 1), range(size, 0, -1), size * (size + 1) // 2, size * (size + 1) // 2)
    found, _ = hulls.of(long.total0, long.total1, [[(1, 1, long)]])
    assert asked == [1]
    assert (list(found.mass0), list(found.mass1)) == (list(long.mass0), list(long.mass1))
    assert hulls._longer._known
    hulls.let_go()
    assert not hulls._longer._known


def test_nothing_is_compared_exactly_where_keys_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    falling: Callable[..., int] = chains.falling
    monkeypatch.setattr(chains, "falling", lambda s, t: asked.append(1) or falling(s, t))  # type: ignore[func-returns-value]
    assert chains.ordered((1, 3, 4), (4, 3, 1), 8, 8) == Chain((1, 3, 4), (4, 3, 1), 8, 8)
    assert not asked
    fine = 2**80
    steeper, flatter = (fine, fine + 1), (fine + 1, fine + 1)
    for given in ([steeper, flatter], [flatter, steeper]):
        found = chains.ordered([a for a, _ in given], [b for _, b in given], 2 * fine + 1, 2 * fine + 2)
        assert found.mass0 == (fine, fine + 1)
    assert asked
