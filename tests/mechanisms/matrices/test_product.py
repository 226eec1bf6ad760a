"""Workloads entry by entry, L R against them, and entries that look ahead."""

from fractions import Fraction

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.matrices import product as products
from dpcert.mechanisms.matrices.decoders import toeplitz_decoder, triangular_decoder
from dpcert.mechanisms.matrices.encoder import dense
from dpcert.mechanisms.matrices.product import Noncausal, check_product, first_noncausal, largest_difference
from dpcert.mechanisms.matrices.square_root import square_root
from dpcert.mechanisms.matrices.toeplitz import toeplitz
from dpcert.mechanisms.matrices.tree import TreeEncoder
from dpcert.mechanisms.matrices.workloads import (
    Workload,
    momentum_sums,
    prefix_sums,
    sliding_windows,
    weighted_sums,
)

THIRDS = [Fraction(n, 3) for n in (1, 2, 5, 7, 1)]


def by_hand(workload: Workload) -> list[list[Fraction]]:
    """Running the sums on unit inputs."""
    rounds, columns = workload.rounds, []
    for i in range(rounds):
        moved, velocity = list[Fraction](), Fraction(0)
        for t in range(rounds):
            velocity = workload.momentum * velocity + (1 if t == i else 0)
            moved.append(workload.rates[t] * velocity)
        back = workload.window or rounds
        columns.append([sum(moved[max(0, t - back + 1) : t + 1], Fraction(0)) for t in range(rounds)])
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize(
    "workload",
    [
        prefix_sums(5),
        momentum_sums(5, Fraction(9, 10)),
        momentum_sums(5, Fraction(9, 10), THIRDS),
        weighted_sums(THIRDS),
        sliding_windows(5, 1),
        sliding_windows(5, 3),
        sliding_windows(5, 9),
        Workload(tuple(THIRDS), Fraction(1, 2), 2),
    ],
)
def test_a_workload_is_what_runs(workload: Workload) -> None:
    assert workload.matrix() == by_hand(workload)
    whole, below = workload.whole()
    assert [[Fraction(x, below) for x in row] for row in whole] == workload.matrix()
    floats, doubt = products.workload_floats(workload)
    for row, floats_in, doubts in zip(workload.matrix(), floats.tolist(), doubt.tolist(), strict=True):
        assert all(abs(x - Fraction(f)) <= Fraction(d) for x, f, d in zip(row, floats_in, doubts, strict=True))


@pytest.mark.parametrize("arity", [2, 3])
def test_a_tree_and_its_decoder_make_prefix_sums_causally(arity: int) -> None:
    """Claim 87, of any number of rounds."""
    for rounds in (1, 2, 7, 8, 27, 30):
        tree = TreeEncoder(rounds, arity)
        encoder, decoder = dense(tree).astype(np.float64), tree.decoder()
        assert largest_difference(decoder, encoder, prefix_sums(rounds)).size == (0, 0)
        assert first_noncausal(encoder, tree.row_rounds) is None
        assert first_noncausal(decoder, range(1, rounds + 1), tree.row_rounds) is None
        height = (rounds - 1).bit_length()
        assert arity > 2 or decoder.sum(axis=1).max() <= max(height, 1)


def test_the_square_root_squared_makes_prefix_sums() -> None:
    """Claim 89, exactly: 20 rounds of coefficients are float64."""
    root = square_root(20)
    encoder = np.ldexp(dense(root).astype(np.float64), -root.bits)
    assert largest_difference(encoder, encoder, prefix_sums(20)).size == (0, 0)
    assert largest_difference(encoder, encoder, sliding_windows(20, 19)).size == (1, 1)


def test_decoders_make_the_workload() -> None:
    root = square_root(20)
    decoder = toeplitz_decoder(root, prefix_sums(20))
    for c, value in zip(root.values, decoder.values, strict=True):
        assert abs(Fraction(c, 1 << root.bits) - Fraction(value, 1 << decoder.bits)) <= Fraction(2, 1 << decoder.bits)
    workload = momentum_sums(20, Fraction(9, 10))
    enclosed = toeplitz_decoder(root, workload)
    product = [
        sum((Fraction(enclosed.values[k] * root.values[t - k]) for k in range(t + 1)), Fraction(0)) for t in range(20)
    ]
    for found, wanted in zip(product, workload.column(0), strict=True):
        assert abs(found / (1 << enclosed.bits + root.bits) - wanted) < Fraction(1, 2**120)
    encoder = np.ldexp(dense(root).astype(np.float64), -root.bits)
    for one in (workload, momentum_sums(20, Fraction(1, 3), THIRDS * 4), sliding_windows(20, 3)):
        assert largest_difference(triangular_decoder(encoder, one), encoder, one).size.upper < Fraction(1, 10**12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: toeplitz_decoder(square_root(3), prefix_sums(4)), "encoder=3, workload=4"),
        (lambda: toeplitz_decoder(square_root(5), weighted_sums(THIRDS)), "one rate for all rounds"),
        (lambda: toeplitz_decoder(toeplitz([Fraction(0)]), prefix_sums(1)), "a first coefficient other than 0"),
        (lambda: triangular_decoder(np.ones((2, 2)), prefix_sums(2)), "lower-triangular"),
        (lambda: triangular_decoder(np.tril(np.ones((2, 2)), -1), prefix_sums(2)), "no 0 on its diagonal"),
        (lambda: triangular_decoder(np.ones((3, 2)), prefix_sums(2)), r"shape \(3, 2\)"),
    ],
)
def test_what_has_no_decoder_is_refused(make: object, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("workload", [momentum_sums(40, Fraction(9, 10)), sliding_windows(40, 7), prefix_sums(40)])
def test_both_ways_of_comparing_agree(workload: Workload, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(4)
    encoder = np.tril(generator.normal(size=(40, 40))) + 4 * np.eye(40)
    wanted = np.array([[float(x) for x in row] for row in workload.matrix()])
    decoder = wanted @ np.linalg.inv(encoder)
    decoder[20, 5] += 1e-6
    exact = largest_difference(decoder, encoder, workload)
    monkeypatch.setattr(products, "EXACT_PRODUCT_ROUNDS", 0)
    enclosed = largest_difference(decoder, encoder, workload)
    assert exact.size.lower == exact.size.upper
    assert enclosed.size.lower <= exact.size.lower <= enclosed.size.upper
    assert (exact.row, exact.column) == (enclosed.row, enclosed.column)
    assert exact.row == 21
    assert enclosed.size.upper - enclosed.size.lower < Fraction(1, 10**10)


def test_a_product_that_is_not_the_workload_is_refused_with_its_largest_entry() -> None:
    encoder = np.tril(np.ones((4, 4)))
    encoder[2, 1] = 3.5
    with pytest.raises(
        ArgumentError, match=r"L R = M but got entries that differ by up to 2\.5, in row 3 and column 2"
    ):
        check_product(np.eye(4), encoder, prefix_sums(4), Fraction(1, 10**6))
    assert check_product(np.eye(4), encoder, prefix_sums(4), Fraction(3)).size.upper == Fraction(5, 2)
    with pytest.raises(ArgumentError, match=r"\(4, 4\) times \(3, 3\)"):
        largest_difference(np.eye(4), np.eye(3), prefix_sums(4))


def test_the_first_entry_that_looks_ahead_is_named() -> None:
    encoder = np.tril(np.ones((4, 4)))
    assert first_noncausal(encoder, (1, 2, 3, 4)) is None
    assert first_noncausal(encoder, (1, 2, 2, 4)) == Noncausal(3, 2, 3, Fraction(1))
    encoder[0, 3] = -0.5
    assert first_noncausal(encoder, (1, 2, 3, 4)) == Noncausal(1, 1, 4, Fraction(-1, 2))
    assert first_noncausal(np.ones((2, 3)), (1, 2), (1, 1, 2)) == Noncausal(1, 1, 3, Fraction(1))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: prefix_sums(0), "rounds=0"),
        (lambda: prefix_sums(10**9), "rounds=1000000000"),
        (lambda: momentum_sums(3, Fraction(1)), "momentum=1"),
        (lambda: momentum_sums(3, Fraction(1, 2), THIRDS), "a rate for each of 3 rounds but got rates='5 rates'"),
        (lambda: sliding_windows(3, 0), "window=0"),
        (lambda: weighted_sums([]), "rounds=0"),
    ],
)
def test_what_is_no_workload_is_refused(make: object, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        make()  # type: ignore[operator]
