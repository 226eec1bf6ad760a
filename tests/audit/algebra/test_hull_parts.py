"""Parts of a hull of long chains: bridges, tangents and switches, and what each may be off by."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from instances.merged_runs import PAIR, longer, pair, release_of

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra import envelope
from dpcert.audit.algebra.chain import Chain, HullChoice
from dpcert.audit.algebra.envelope import (
    Envelope,
    Piece,
    _joined,
    _tangent,
)
from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.algebra.lattice import Lattice
from dpcert.audit.algebra.long_chain import LongChain, key_error_of, lengthened
from dpcert.audit.algebra.merged_runs import MergedRuns, Sums, Unsettled, merged

ULP = 2.0**-52
"""What a float of size 1 may be off by, at most."""


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
