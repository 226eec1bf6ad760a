"""Errors of released sums: against numpy's own inverses and least squares; lower bounds against other ways."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from instances.seeds import chosen

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.matrices import released_error
from dpcert.mechanisms.matrices.covers import node_counts
from dpcert.mechanisms.matrices.described_workloads import described_workload
from dpcert.mechanisms.matrices.dyadic import over
from dpcert.mechanisms.matrices.encoder import DenseEncoder, Encoder
from dpcert.mechanisms.matrices.inverse import inverse_of
from dpcert.mechanisms.matrices.least_norm import least_norm_decoder
from dpcert.mechanisms.matrices.nuclear import SUMMED_SINES, nuclear_norm, nuclear_of
from dpcert.mechanisms.matrices.released_error import SumErrors, sum_errors
from dpcert.mechanisms.matrices.square_root import square_root
from dpcert.mechanisms.matrices.toeplitz import inverse_toeplitz, toeplitz
from dpcert.mechanisms.matrices.tree import TreeEncoder
from dpcert.mechanisms.matrices.workloads import NamedWorkload, named_workload
from dpcert.mechanisms.matrices.written_out import written_out

SUMS = ("prefix", "momentum=0.9", "window=3")
RATES = described_workload({"rates": [1, 0.5, 0.25, 0.1, 2, 1, 1, 1, 0.3], "momentum": 0.5})


def floats(workload: NamedWorkload, rounds: int) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in workload.of(rounds).matrix()])


def found_of(encoder: Encoder, workload: NamedWorkload, decoder: np.ndarray | None = None) -> SumErrors:
    found = sum_errors(encoder, workload, decoder)
    assert isinstance(found, SumErrors)
    return found


def assert_errors(found: SumErrors, decoder: np.ndarray, share: float = 1e-8) -> None:
    rows = np.square(decoder).sum(axis=1)
    for ends, wanted in ((found.largest, rows.max()), (found.mean, rows.mean())):
        assert float(ends.lower) <= wanted * (1 + share)
        assert float(ends.upper) >= wanted * (1 - share)
        assert float(ends.upper - ends.lower) <= share * wanted


@pytest.mark.parametrize("workload", [*map(named_workload, SUMS), RATES])
def test_every_class_of_encoders_against_numpy(workload: NamedWorkload) -> None:
    random = np.random.default_rng(3)
    lower = np.tril(random.normal(size=(9, 9))) + 3 * np.eye(9)
    root = np.array([float(over(c, square_root(9).bits)) for c in square_root(9).values])
    toeplitz_root = np.array([[root[t - i] if t >= i else 0.0 for i in range(9)] for t in range(9)])
    wanted = floats(workload, 9)
    cases: list[tuple[Encoder, np.ndarray]] = [
        (DenseEncoder(lower), wanted @ np.linalg.inv(lower)),
        (inverse_of(lower), wanted @ lower),
        (square_root(9), wanted @ np.linalg.inv(toeplitz_root)),
        (inverse_toeplitz(root), wanted @ toeplitz_root),
    ]
    for encoder, decoder in cases:
        found = found_of(encoder, workload)
        assert_errors(found, decoder)
        assert found.difference is None or found.difference.upper < Fraction(1, 10**9)
        assert found.least is not None
        assert found.least.upper <= found.mean.upper


@pytest.mark.parametrize("arity", [2, 3])
@pytest.mark.parametrize("rounds", [1, 7, 12, 27])
def test_trees_sum_the_fewest_nodes(arity: int, rounds: int) -> None:
    """The fewest nodes that partition an interval, by a shortest path through all nodes that were released."""
    tree = TreeEncoder(rounds, arity)
    nodes = list(tree.nodes())
    for window in (1, 3, rounds, rounds + 4):
        counts = []
        for last in range(1, rounds + 1):
            first = max(1, last - window + 1)
            best = {first - 1: 0}
            for end in range(first, last + 1):
                best[end] = min(best[a - 1] + 1 for a, b in nodes if b == end and a - 1 in best)
            counts.append(best[last])
            assert node_counts(np.array([first]), np.array([last]), arity).tolist() == [best[last]]
        found = found_of(tree, named_workload(f"window={window}"))
        assert found.largest == (max(counts), max(counts))
        assert found.mean == (Fraction(sum(counts), rounds),) * 2
    prefix = found_of(tree, named_workload("prefix"))
    assert prefix.mean.upper == Fraction(sum(sum(1 for _ in tree.cover(t)) for t in range(1, rounds + 1)), rounds)


@pytest.mark.parametrize("seed", chosen(range(12)))
def test_the_decoder_of_least_norm_is_causal_and_the_shortest(seed: int) -> None:
    random = np.random.default_rng(seed)
    released = np.sort(np.concatenate([np.arange(1, 8), random.integers(1, 8, size=6)]))
    encoder = random.normal(size=(13, 7)) * (np.arange(1, 8) <= released[:, None])
    wanted = np.tril(random.normal(size=(7, 7)))
    found = least_norm_decoder(encoder, tuple(released.tolist()), wanted)
    for t in range(1, 8):
        kept = released <= t
        assert not found[t - 1, ~kept].any()
        shortest = wanted[t - 1] @ np.linalg.pinv(encoder[kept])
        assert found[t - 1, kept] == pytest.approx(shortest, rel=1e-6, abs=1e-8)
    errors = found_of(DenseEncoder(encoder, tuple(released.tolist())), named_workload("prefix"))
    assert errors.difference is not None
    assert errors.difference.upper < Fraction(1, 10**6)
    with pytest.raises(ArgumentError, match="tell the inputs of the first 2 rounds apart"):
        least_norm_decoder(np.array([[1.0, 0.0], [1.0, 0.0]]), (1, 2), np.eye(2))


def test_a_tree_with_momentum_has_the_decoder_of_least_norm() -> None:
    tree, workload = TreeEncoder(8), named_workload("momentum=0.9")
    found = found_of(tree, workload)
    entries = written_out(tree).entries
    released = np.array(tree.row_rounds)
    decoder = np.zeros((8, len(entries)))
    for t in range(1, 9):
        decoder[t - 1, released <= t] = floats(workload, 8)[t - 1] @ np.linalg.pinv(entries[released <= t])
    assert_errors(found, decoder)


@pytest.mark.parametrize("text", SUMS)
def test_the_nuclear_norm_is_enclosed(text: str) -> None:
    workload = named_workload(text)
    for rounds in (1, 2, 9, 60):
        singular = Fraction(float(np.linalg.svd(floats(workload, rounds), compute_uv=False).sum()))
        found = nuclear_of(workload.of(rounds))
        assert found.lower <= singular * (1 + Fraction(1, 10**12))
        assert found.upper >= singular * (1 - Fraction(1, 10**12))
        assert found.upper - found.lower < singular / 10**8
        if text == "prefix":
            assert found.lower <= nuclear_norm(rounds).upper
            assert nuclear_norm(rounds).lower <= found.upper


def test_the_bound_on_the_rest_of_a_nuclear_norm_holds_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = [nuclear_norm(rounds) for rounds in (50, 400)]
    monkeypatch.setattr("dpcert.mechanisms.matrices.nuclear.SUMMED_SINES", 8)
    assert SUMMED_SINES > 400
    for rounds, whole in zip((50, 400), exact, strict=True):
        found = nuclear_norm(rounds)
        assert found.lower <= whole.lower < whole.upper <= found.upper
        assert found.upper - found.lower < whole.upper / 100


@pytest.mark.in_turns
def test_the_error_of_many_rounds() -> None:
    """Of the square root L is R; of a band, the coefficients of M / R are worked out; a tree's nodes are counted."""
    root = found_of(square_root(20_000), named_workload("prefix"))
    squares = square_root(20_000).squared_norms()
    assert root.largest == (over(max(squares.lower), squares.bits), over(max(squares.upper), squares.bits))
    assert root.least is not None
    assert 0 < root.least.lower <= root.least.upper <= root.mean.lower
    band = found_of(toeplitz([Fraction(1), Fraction(1, 2)] + [Fraction(0)] * 4_999), named_workload("prefix"))
    coefficients = np.cumsum((-0.5) ** np.arange(5_001))
    assert float(band.largest.upper) == pytest.approx(np.square(coefficients).sum())
    tree = found_of(TreeEncoder(1 << 16), named_workload("prefix"))
    assert tree.largest == (16, 16)
    assert tree.mean == (8 + Fraction(1, 1 << 16),) * 2


@pytest.mark.in_turns
def test_dense_matrices_of_more_rounds() -> None:
    random = np.random.default_rng(0)
    entries = np.eye(700) + np.tril(random.normal(size=(700, 700)), -1) / 100
    found = found_of(DenseEncoder(entries), named_workload("prefix"))
    assert_errors(found, np.tril(np.ones((700, 700))) @ np.linalg.inv(entries), 1e-7)
    assert found.difference is not None
    assert found.difference.upper < Fraction(1, 10**6)


@pytest.mark.parametrize("doubt", [False, True])
def test_a_decoder_that_is_given_is_compared_entry_by_entry(doubt: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.mechanisms.matrices.product.EXACT_PRODUCT_ROUNDS", 0 if doubt else 256)
    random = np.random.default_rng(5)
    encoder = inverse_of(np.tril(random.normal(size=(12, 12))) + 3 * np.eye(12)) if doubt else None
    encoder = encoder or DenseEncoder(np.tril(random.integers(1, 5, (12, 12))) + 3 * np.eye(12))
    prefix = named_workload("prefix")
    decoder = np.tril(np.ones((12, 12)) @ np.eye(12)) @ np.linalg.inv(written_out(encoder).entries)
    assert_errors(found_of(encoder, prefix, np.tril(decoder)), np.tril(decoder))
    for row, column in ((4, 2), (11, 11)):
        wrong = np.tril(decoder)
        wrong[row, column] += 0.5
        off = np.abs(wrong @ written_out(encoder).entries - np.tril(np.ones((12, 12))))
        at = np.unravel_index(off.argmax(), off.shape)
        with pytest.raises(ArgumentError, match=f"in row {at[0] + 1} and column {at[1] + 1}"):
            sum_errors(encoder, prefix, wrong)
    with pytest.raises(ArgumentError, match="a decoder of 12 rounds by 12 rows"):
        sum_errors(encoder, prefix, np.eye(11))


def test_a_decoder_may_not_use_what_is_not_released() -> None:
    """Two rows that are alike, of which the first is released late: L R = M all the same."""
    encoder = DenseEncoder(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), (2, 1, 2))
    kept = np.array([[0, 1.0, 0], [0.5, 0.5, 1]])
    assert_errors(found_of(encoder, named_workload("prefix"), kept), kept)
    with pytest.raises(ArgumentError, match="row 1, column 1, which is released in round 2"):
        sum_errors(encoder, named_workload("prefix"), np.array([[1.0, 0, 0], [0.5, 0.5, 1]]))


def test_rates_are_those_of_the_rounds() -> None:
    with pytest.raises(ArgumentError, match="a rate for each of 8 rounds but got workload='9 rates'"):
        sum_errors(TreeEncoder(8), RATES)


def test_the_bound_on_rounds_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(released_error, "MOST_WORKLOAD_ROUNDS", 5)
    assert sum_errors(DenseEncoder(np.eye(6)), named_workload("prefix")) == "at most 5 rounds (MOST_WORKLOAD_ROUNDS)"


def test_errors_grow_with_rounds() -> None:
    largest = [found_of(square_root(t), named_workload("prefix")).largest.lower for t in (4, 5, 6, 7)]
    assert all(a < b for a, b in pairwise(largest))
