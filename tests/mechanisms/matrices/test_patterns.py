"""The search for the worst pattern against all patterns, also where nothing good is guessed before it begins."""

from itertools import product
from random import Random

import numpy as np
import pytest
from instances.seeds import chosen
from oracles.participations import separated

from dpcert.mechanisms.matrices import patterns
from dpcert.mechanisms.matrices.patterns import Heaviest, heavier, heaviest, spaced


def form(random: Random, rounds: int, signed: bool) -> np.ndarray:
    """R^T R of small whole numbers, so that many patterns weigh about the same."""
    kind = random.randrange(3)
    low = -2 if signed else 0
    entry = [lambda: random.randint(low, 2), lambda: random.choice((low // 2, 0, 0, 1)), lambda: random.randint(low, 9)]
    matrix = np.array([[entry[kind]() for _ in range(rounds)] for _ in range(rounds)])
    return matrix.T @ matrix


def weight(values: np.ndarray, rounds: tuple[int, ...], signs: tuple[int, ...]) -> int:
    return int(sum(s * t * values[i, j] for s, i in zip(signs, rounds) for t, j in zip(signs, rounds)))  # noqa: B905


def nothing(values: np.ndarray, *_: object) -> Heaviest:
    del values
    return Heaviest(0, 0, (), ())


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("guessing", [True, False])
@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("seed", chosen(range(80)))
def test_the_heaviest_pattern_is_the_heaviest_of_all(
    seed: int, signed: bool, guessing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    rounds = random.randint(3, 9)
    apart = random.randint(1, 3)
    count = random.randint(1, min(5, (rounds - 1) // apart + 1))
    values = form(random, rounds, signed)
    if not guessing:
        monkeypatch.setattr(patterns, "_guess", nothing)
    best = max(
        weight(values, one, (1, *signs))
        for one in separated(rounds, count, apart)
        for signs in (product((1, -1), repeat=len(one) - 1) if signed else [(1,) * (len(one) - 1)])
    )
    for numbers in (values.astype(np.int64), values.astype(object)):
        found = heaviest(numbers, count, apart, signed=signed)
        assert (found.lower, found.upper) == (best, best)
        assert best == 0 or weight(values, found.rounds, found.signs) == best
        for most_steps in (0, 30, 60, 100, 150, 250):
            cut = heaviest(numbers, count, apart, signed=signed, most_steps=most_steps)
            assert cut.lower <= best <= cut.upper
            assert not cut.rounds or weight(values, cut.rounds, cut.signs) == cut.lower


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_all_heavier_patterns_are_among_those_found_or_part_of_one(seed: int) -> None:
    random = Random(seed)
    rounds = random.randint(3, 9)
    apart = random.randint(1, 3)
    count = random.randint(1, min(4, (rounds - 1) // apart + 1))
    values = form(random, rounds, False)
    weights = {one: weight(values, one, (1,) * len(one)) for one in separated(rounds, count, apart)}
    above = random.choice(sorted(weights.values()))
    found = heavier(values, count, apart, above=above, most=10**6)
    assert found is not None
    assert all(weights[one] > above for one in found)
    assert len(set(found)) == len(found)
    for one, heft in weights.items():
        assert heft <= above or any(set(one) <= set(other) for other in found)
    if found:
        assert heavier(values, count, apart, above=above, most=len(found) - 1) is None


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_spaced_rounds_have_the_largest_sum(seed: int) -> None:
    random = Random(seed)
    rounds = random.randint(1, 10)
    apart = random.randint(1, 4)
    count = random.randint(1, (rounds - 1) // apart + 1)
    weights = np.array([random.randint(0, 5) for _ in range(rounds)])
    found = spaced(weights, count, apart)
    assert found in set(separated(rounds, count, apart))
    assert weights[list(found)].sum() == max(weights[list(one)].sum() for one in separated(rounds, count, apart))


def test_a_bracket_is_of_all_that_was_left_open() -> None:
    values = np.eye(4, dtype=np.int64)
    search = patterns._PatternSearch(values, 2, 1, False, patterns._own(values, 2, 1), Heaviest(1, 1, (0,), (1,)))
    root = patterns._root(search)
    search.waiting = [[root], []]
    search.coming[2] = [patterns._Label(7, 2, values[0][2:], values[0][2:] + 5, ((1, 1),))]
    assert patterns._unfinished(search, 1) == Heaviest(1, 12, (0,), (1,))
    search.coming.clear()
    assert patterns._unfinished(search, 1) == Heaviest(1, 2, (0,), (1,))


@pytest.mark.parametrize("heavy_first", [True, False])
@pytest.mark.parametrize("signed", [True, False])
def test_what_weighs_less_and_promises_more_is_kept(
    heavy_first: bool, signed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(2, 0) or (0, 1), which are too near for both, before (0, 1) twice: 4 + 4 or 9."""
    monkeypatch.setattr(patterns, "_guess", nothing)
    first = [[2, 0], [0, 1]] if heavy_first else [[0, 1], [2, 0]]
    columns = np.array([*first, [0, 0], [0, 1], [0, 0], [0, 1]])
    found = heaviest(columns @ columns.T, 3, 2, signed=signed)
    assert (found.lower, found.upper) == (9, 9)
    assert found.rounds == (int(heavy_first), 3, 5)
