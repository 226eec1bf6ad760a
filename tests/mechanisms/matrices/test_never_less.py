"""No upper end lies below what some inputs attain: every class of encoders, pattern and stream, by brute force."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from instances.seeds import chosen
from oracles.participations import separated

from dpcert.mechanisms.matrices.buffered import Buffers
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.encoder import DenseEncoder, Encoder
from dpcert.mechanisms.matrices.inverse import inverse_of
from dpcert.mechanisms.matrices.participations import AdjacentBins, EpochOrder, Once, Participation, Separated
from dpcert.mechanisms.matrices.rounded import rounded_inverse
from dpcert.mechanisms.matrices.sensitivity import Stream
from dpcert.mechanisms.matrices.toeplitz import inverse_toeplitz, toeplitz
from dpcert.mechanisms.matrices.tree import TreeEncoder

SLACK = 1 + 1e-9


def lower_triangular(random: np.random.Generator, rounds: int) -> np.ndarray:
    """Mixed signs, or none negative; in half of the cases numbers of float32."""
    found = np.tril(random.normal(size=(rounds, rounds)))
    found = np.abs(found) if random.random() < 0.3 else found
    found += (1 + random.random()) * np.eye(rounds) * np.sign(found.diagonal())
    return found.astype(np.float32).astype(np.float64) if random.random() < 0.5 else found


def some_encoder(random: np.random.Generator, rounds: int) -> tuple[Encoder, np.ndarray]:
    """An encoder, and the matrix that it is, by other means."""
    kind = int(random.integers(7))
    whole = lower_triangular(random, rounds)
    coefficients = random.normal(size=rounds)
    coefficients[0] = 1.0
    shifted = np.array([[coefficients[t - i] if t >= i else 0.0 for i in range(rounds)] for t in range(rounds)])
    if kind == 0:
        return DenseEncoder(whole), whole
    if kind == 1:
        return inverse_of(whole), np.linalg.inv(whole)
    if kind == 2:
        return rounded_inverse(whole), np.linalg.inv(whole)
    if kind == 3:
        return toeplitz(coefficients), shifted
    if kind == 4:
        return inverse_toeplitz(coefficients), np.linalg.inv(shifted)
    if kind == 5:
        decay, scale = random.uniform(-1, 1, size=(2, 2))
        blt = Buffers(tuple(map(Fraction, decay.tolist())), tuple(map(Fraction, scale.tolist()))).encoder(rounds)
        c = [1.0, *(float(scale @ decay**t) for t in range(rounds - 1))]
        return blt, np.array([[c[t - i] if t >= i else 0.0 for i in range(rounds)] for t in range(rounds)])
    released = np.sort(random.integers(1, rounds + 1, size=rounds + 3))
    rows = random.normal(size=(rounds + 3, rounds)) * (np.arange(1, rounds + 1) <= released[:, None])
    rows[-1, 0] += 1
    return DenseEncoder(rows, tuple(released.tolist())), rows


def some_pattern(random: np.random.Generator, rounds: int) -> tuple[Participation, list[tuple[int, ...]]]:
    apart = int(random.integers(1, rounds))
    count = int(random.integers(1, min(4, (rounds - 1) // apart + 1) + 1))
    epochs = int(random.integers(1, 5))
    each = rounds // epochs
    return [
        (Once(), [(i,) for i in range(rounds)]),
        (AdjacentBins(), [(i, i + 1) for i in range(rounds - 1)]),
        (EpochOrder(epochs, each), [tuple(range(i, epochs * each, each)) for i in range(each)]),
        (Separated(count, apart), [tuple(p) for p in separated(rounds, count, apart)]),
    ][int(random.integers(4))]


def attained(random: np.random.Generator, columns: np.ndarray, stream: Stream) -> float:
    """What some changes of norm 1 do: all signs, or vectors that are turned to where the others point."""
    count = columns.shape[1]
    if stream is Stream.SCALAR:
        signs = np.array(np.meshgrid(*[[1.0, -1.0]] * count)).reshape(count, -1)
        return float(np.square(columns @ signs).sum(axis=0).max())
    best, gram = 0.0, columns.T @ columns
    for _ in range(3):
        vectors = random.normal(size=(count, 4))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        for _ in range(25):
            for i in range(count):
                pull = gram[i] @ vectors - gram[i, i] * vectors[i]
                vectors[i] = pull / np.linalg.norm(pull) if np.linalg.norm(pull) else vectors[i]
        best = max(best, float(np.square(columns @ vectors).sum()))
    return best


@pytest.mark.parametrize("seed", chosen(range(160)))
def test_no_upper_end_is_below_what_inputs_attain(seed: int) -> None:
    random = np.random.default_rng(seed)
    rounds = int(random.integers(4, 9))
    encoder, matrix = some_encoder(random, rounds)
    participation, patterns = some_pattern(random, rounds)
    stream = random.choice([Stream.SCALAR, Stream.VECTOR])
    found = column_sensitivity(encoder, participation, stream=stream)
    best = max(attained(random, matrix[:, p], stream) for p in patterns)
    assert best <= float(found.l2_squared.upper) * SLACK
    assert float(found.l2_squared.lower) <= best * (1 + 1e-6)
    assert float(found.l2_squared.upper) <= best * (1 + 1e-5)
    sizes = max(
        np.abs(matrix[:, p] @ np.array(np.meshgrid(*[[1.0, -1.0]] * len(p))).reshape(len(p), -1)).sum(axis=0).max()
        for p in map(list, patterns)
    )
    assert sizes <= float(found.l1.upper) * SLACK


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", chosen(range(16)))
def test_sixteen_rounds_of_mixed_signs_in_both_kinds_of_streams(seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix = np.tril(random.normal(size=(16, 16)))
    apart = int(random.integers(3, 7))
    patterns = [list(p) for p in separated(16, 3, apart)]
    for stream in Stream:
        found = column_sensitivity(DenseEncoder(matrix), Separated(3, apart), stream=stream)
        best = max(attained(random, matrix[:, p], stream) for p in patterns)
        assert best == pytest.approx(float(found.l2_squared.upper), rel=1e-6)
        assert float(found.l2_squared.lower) == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_inputs_that_adapt_shift_releases_by_no_more(seed: int) -> None:
    """Changes chosen round by round, after what was released, towards what they shift the most: on every run."""
    random = np.random.default_rng(seed)
    rounds = int(random.integers(4, 9))
    encoder, matrix = some_encoder(random, rounds)
    count, apart = 3, int(random.integers(1, 3))
    if (count - 1) * apart >= rounds:
        count = 2
    most = float(column_sensitivity(encoder, Separated(count, apart)).l2_squared.upper)
    for _ in range(40):
        shift, last, left = np.zeros((len(matrix), 4)), -apart, count
        for i in range(rounds):
            if left and i - last >= apart and random.random() < 0.6:
                towards = matrix[:, i] @ shift + random.normal(size=4) * random.random()
                vector = towards / np.linalg.norm(towards)
                shift, last, left = shift + np.outer(matrix[:, i], vector), i, left - 1
        assert float(np.square(shift).sum()) <= most * SLACK


@pytest.mark.parametrize("rounds", [5, 8, 11])
def test_every_subset_of_a_trees_rounds(rounds: int) -> None:
    tree = TreeEncoder(rounds)
    nodes = list(tree.nodes())
    for count in (2, 3):
        found = column_sensitivity(tree, Separated(count, 2)).l2_squared
        best = max(
            sum(sum(a <= i <= b for i in p) ** 2 for a, b in nodes)
            for p in combinations(range(1, rounds + 1), count)
            if all(y - x >= 2 for x, y in pairwise(p))
        )
        assert found == (best, best)
