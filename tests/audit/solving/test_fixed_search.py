"""Searching for fixed streams gives what trying all of them gives, and brute force over whole streams."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from instances.hidden_state import random_interactive
from instances.same_curve import RELATIONS, assert_same_curve
from instances.seeds import chosen
from oracles.hidden import hidden_fixed_hockey_stick

from dpcert import HALT, HAMMING, Budget, PowerFunction, Release, bernoulli
from dpcert.audit.algebra.power import supremum
from dpcert.audit.games.folding import first_rounds, folded
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import Exploration, Level, closed, explore
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.view import view_of
from dpcert.audit.solving import fixed_hidden, fixed_search
from dpcert.audit.solving.adaptive import solve
from dpcert.audit.solving.analysis import analyse
from dpcert.audit.solving.fixed_hidden import FixedPairs, count_streams, fixed_pairs
from dpcert.audit.solving.fixed_search import fixed_supremum
from dpcert.mechanisms.clipped_sum import ClippedSum
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.sparse_vector import SparseVector

SHAPES = [(2, 2, 2, 3), (3, 2, 2, 2), (2, 3, 2, 3), (2, 2, 3, 3)]
"""(inputs, hidden states, visible outputs, rounds)."""


def levels_of(seed: int, shape: tuple[int, int, int, int], rounds: int | None = None) -> tuple[Level, ...]:
    inputs, states, visibles, horizon = shape
    mechanism, _ = random_interactive(70_000 + seed, inputs, states, visibles, allow_halt=seed % 2 == 0)
    relation, _ = RELATIONS[seed % len(RELATIONS)]
    return explore(game_of(view_of(mechanism), relation, rounds or horizon)).levels


@pytest.fixture
def searching(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Every game is searched, however few streams it has."""
    monkeypatch.setattr(fixed_search, "FEW_STREAMS", 0)
    monkeypatch.setattr(fixed_search, "FEW_APART", 0)
    return monkeypatch


def assert_as_enumerated(levels: tuple[Level, ...]) -> FixedPairs:
    every, found = fixed_pairs(levels), fixed_supremum(levels)
    assert every.complete
    assert found.complete
    assert found.power == every.power
    assert found.curves.items() <= every.curves.items()  # whole streams, each with the curve that it has
    return found


def check(seeds: Sequence[int]) -> int:
    gaps = 0
    for seed in seeds:
        for shape in SHAPES[: 3 if seed % len(RELATIONS) == 4 else 4]:  # two hops make the last one slow
            levels = levels_of(seed, shape)
            gaps += assert_as_enumerated(levels).power != solve(Exploration(levels)).power
    return gaps


@pytest.mark.in_turns
@pytest.mark.usefixtures("searching")
def test_a_search_finds_what_trying_all_streams_finds() -> None:
    seeds = chosen(range(55))
    assert check(seeds) > len(seeds) // 2  # of nearly four times as many games, many of which have a gap


@pytest.mark.thorough
@pytest.mark.usefixtures("searching")
def test_many_searches_find_what_trying_all_streams_finds() -> None:
    assert check(range(55, 1_500)) > 1_400


@pytest.fixture
def following_all(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Beginnings are followed at once, or not at all."""
    monkeypatch.setattr(fixed_search, "FEW_STREAMS", 0)
    monkeypatch.setattr(fixed_search._Search, "_reached", refused)
    return monkeypatch


def refused(*_: object) -> bool:
    raise AssertionError("they were not few")


@pytest.mark.in_turns
@pytest.mark.usefixtures("following_all")
def test_beginnings_that_are_few_are_followed_at_once() -> None:
    assert check(chosen(range(2_000, 2_040)))


@pytest.mark.in_turns(few=True)
@pytest.mark.usefixtures("following_all")
def test_shared_inputs_that_only_shift_what_is_seen_leave_few_beginnings() -> None:
    """Every stream over five rounds, and over ten those whose shared inputs are all 0."""
    assert_as_enumerated(explore(game_of(view_of(ClippedSum()), HAMMING, 5)).levels)
    levels = explore(game_of(view_of(ClippedSum()), HAMMING, 10)).levels
    found, alone = fixed_supremum(levels), {}
    streams = [((0, 0),) * t + (pair,) + ((0, 0),) * (9 - t) for t in range(10) for pair in ((0, 1), (1, 0))]
    fixed_hidden._Suffixes(levels).try_all(streams, alone, Budget())
    assert found.complete
    assert found.power == supremum(alone.values())
    assert found.power != solve(Exploration(levels)).power
    assert len(found.curves) == 11 < count_streams(levels, 20_000) == 11_264


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(("name", "most"), [("FEW_APART", 10), ("FEW_ATOMS_APART", 500)])
def test_beginnings_that_are_not_few_are_searched(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    levels = explore(game_of(view_of(ClippedSum()), HAMMING, 10)).levels
    exact = fixed_supremum(levels).power
    monkeypatch.setattr(fixed_search, name, most)
    monkeypatch.setattr(fixed_search._Search, "_reached", lambda *_: False)
    found = fixed_supremum(levels)
    assert found.complete
    assert found.power == exact


@pytest.mark.usefixtures("searching")
def test_a_search_finds_what_brute_force_over_whole_streams_finds() -> None:
    for seed in chosen(range(40)):
        mechanism, alphabet = random_interactive(71_000 + seed, 2, 2, 2, allow_halt=seed % 2 == 0)
        relation, legal = RELATIONS[seed % len(RELATIONS)]
        found = fixed_supremum(explore(game_of(view_of(mechanism), relation, 2)).levels)

        def brute_force(e: Fraction, mechanism: Any = mechanism, legal: Any = legal) -> Fraction:
            return hidden_fixed_hockey_stick(mechanism, (0, 1), 2, legal, e, "1-0", halt=HALT)

        assert alphabet == (0, 1)
        assert_same_curve(found.power, brute_force)


def test_the_number_of_streams_is_counted_without_making_them() -> None:
    for seed in range(20):
        levels = levels_of(seed, SHAPES[seed % 4])
        streams = len(fixed_pairs(levels).curves)
        assert count_streams(levels, 10**9) == streams
        assert count_streams(levels, streams - 1) > streams - 1


@pytest.mark.in_turns
def test_a_folded_game_has_the_same_curves() -> None:
    for seed in chosen(range(60)):
        levels = levels_of(seed, SHAPES[seed % 4])
        small = folded(levels)
        assert sum(len(level.positions) for level in small) <= sum(len(level.positions) for level in levels)
        assert solve(Exploration(small)).power == solve(Exploration(levels)).power
        every, fewer = fixed_pairs(levels).curves, fixed_pairs(small).curves
        assert set(fewer.values()) == set(every.values())
        assert fewer.items() <= every.items()


class Twins:
    """Inputs 1 and 2 do the same in every state; input 3 does so only in states that are never met."""

    alphabet = (0, 1, 2, 3)
    initial = "off"

    def step(self, state: str, x: int, draw: Draw) -> tuple[Release[int, None], str]:
        kind = 1 if x == 2 or (x == 3 and state == "off") else x
        bias = Fraction(1 + kind, 5)
        return Release(draw(bernoulli(bias))), state if draw(bernoulli(Fraction(1, 3))) else "off"


def test_inputs_that_always_do_the_same_are_one() -> None:
    levels = explore(game_of(view_of(Twins()), HAMMING, 2)).levels
    small = folded(levels)
    assert len(levels[0].moves[0]) == 16
    assert len(small[0].moves[0]) == 4
    assert fixed_pairs(small).power == fixed_pairs(levels).power


@pytest.mark.in_turns
@pytest.mark.parametrize("most_atoms", [0, 60, 400, 2_000])
def test_more_rounds_never_reach_less_where_a_search_is_given_up(
    most_atoms: int, searching: pytest.MonkeyPatch
) -> None:
    searching.setattr(fixed_search, "MOST_ATOMS", most_atoms)
    searching.setattr(fixed_search, "MOST_SLOPES", 1)
    searching.setattr(fixed_search, "MOST_STREAMS", 7)
    decided = set()
    for seed in chosen(range(12)):
        whole = levels_of(seed, SHAPES[0], 4)
        found = [fixed_supremum(first_rounds(whole, rounds)) for rounds in range(1, 5)]
        assert all(fewer.power <= more.power for fewer, more in pairwise(found))
        for rounds, one in enumerate(found, 1):
            exact = fixed_pairs(first_rounds(whole, rounds)).power
            assert one.power == exact if one.complete else one.power <= exact
            decided.add(one.complete)
    assert most_atoms != 60 or decided == {True, False}


@pytest.mark.in_turns
@pytest.mark.usefixtures("searching")
def test_a_search_that_is_cut_short_keeps_what_it_found() -> None:
    class Ending(Budget):
        left = 0

        def check(self) -> None:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt

    for seed in range(6):
        levels = levels_of(seed, SHAPES[2])
        exact, before = fixed_pairs(levels).power, PowerFunction.identity()
        for checks in (1, 10, 30, 60, 100, 200, 400, 10**9):
            budget = Ending()
            budget.left = checks
            found = fixed_supremum(levels, budget)
            assert before <= found.power <= exact
            assert found.complete or found.interrupted
            before = found.power
        assert before == exact


class HiddenBit:
    """Releases x xor (a bit that was drawn once, or fresh noise)."""

    alphabet = (0, 1)
    initial = None

    def step(self, state: int | None, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        bit = draw(bernoulli(Fraction(1, 3))) if state is None else state
        return Release(x ^ (bit | draw(bernoulli(Fraction(1, 4))))), bit


class HiddenLevel:
    """Randomised response at one of two levels of noise, which was drawn once."""

    alphabet = (0, 1)
    initial = None

    def step(self, state: int | None, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        low = draw(bernoulli(Fraction(1, 3))) if state is None else state
        return Release(x ^ draw(bernoulli(Fraction(1, 4) if low else Fraction(1, 3)))), low


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("mechanism", "rounds"), [(SparseVector(), 12), (SharedCoin(), 40), (HiddenBit(), 40), (HiddenLevel(), 40)]
)
def test_many_rounds_are_decided(mechanism: Any, rounds: int) -> None:
    found = analyse(game_of(view_of(mechanism), HAMMING, rounds), Budget())
    assert found.stopped is None
    assert found.fixed.exact
    assert found.fixed.lower == found.adaptive.lower
    assert isinstance(found.streams, FixedPairs)
    assert len(found.streams.curves) < 100  # of 50,000 and of 2^45
    pairs = found.streams.witness(Fraction(1), "0-1")
    assert sum(x != y for x, y in pairs) == 1


def test_a_game_that_was_not_explored_to_its_end_is_searched_as_far_as_it_goes() -> None:
    explored = explore(game_of(view_of(HiddenLevel()), HAMMING, 30), Budget(max_positions=300))
    assert explored.beyond
    found = fixed_supremum(closed(explored))
    assert found.complete
    assert found.power == solve(explored).power
