"""What floats of long chains may be off by, stated anew from how they are made; and that nothing more is settled."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from math import log, nextafter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb
from instances.merged_runs import BY_ONE, PAIR, longer, pair, release_of

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra import envelope, merged_runs
from dpcert.audit.algebra.enclosure import at_precision
from dpcert.audit.algebra.envelope import (
    Envelope,
    _lost,
    _relative_error,
    _sure_signs,
    _Union,
)
from dpcert.audit.algebra.long_chain import key_error_of
from dpcert.audit.algebra.merged_runs import (
    MergedRuns,
    Sums,
    Unsettled,
    clusters,
    merged,
    running,
    running_error,
    shift_error,
)

ULP = 2.0**-52
"""What a float of size 1 may be off by, at most."""


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
    monkeypatch.setattr(merged_runs, "ROW", 4)
    values = np.arange(1.0, count + 1)
    assert running(values, 7.0).tolist() == [7.0 + sum(range(1, n + 1)) for n in range(count + 1)]


def test_a_share_is_rounded_four_times_and_once_for_each_run_that_it_is_added_up_of() -> None:
    shares = [(1, 1, SimpleNamespace(share_error=error)) for error in (1e-9, 1e-12, 1e-12)]
    for given in (shares, shares[::-1]):
        assert merged_runs._share_error(given) == 1e-9 + ULP * 7  # type: ignore[arg-type]


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
    members, error = merged_runs._by_keys(runs, factors, SimpleNamespace(factor_code=lambda _: 0))  # type: ignore[arg-type]
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
    monkeypatch.setattr(merged_runs, "_settle", lambda _, __, span, ___: asked.append((span.start, span.stop)))
    return asked


def members(keys: list[float], codes: list[int], roots: list[int]) -> Any:
    count = len(keys)
    every = np.arange(count)
    return merged_runs._Members(
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
    assert merged_runs._settled(given, (), error, has_codes).tolist() == same
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
