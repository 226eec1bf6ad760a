"""Streaming factorisations against dense matrices in fractions: rows exactly, sums, and sensitivities."""

from fractions import Fraction
from math import comb
from random import Random

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.aggregators.buffered_sums import BufferedSums, buffered_sums
from dpcert.mechanisms.aggregators.core import VectorCore, root_above
from dpcert.mechanisms.aggregators.toeplitz_sums import ToeplitzSums, square_root_sums
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.matrices.participations import AdjacentBins, Once, Separated
from dpcert.mechanisms.matrices.square_root import square_root
from dpcert.mechanisms.matrices.toeplitz import ToeplitzEncoder

Matrix = list[list[Fraction]]
DECAYS, SCALES = [Fraction(9, 10), Fraction(1, 3)], [Fraction(1, 5), Fraction(1, 7)]


def tree(rounds: int) -> Matrix:
    return [[Fraction(t - (t & -t) < i <= t) for i in range(1, rounds + 1)] for t in range(1, rounds + 1)]


def toeplitz(coefficients: list[Fraction]) -> Matrix:
    rounds = len(coefficients)
    return [[coefficients[t - i] if t >= i else Fraction(0) for i in range(rounds)] for t in range(rounds)]


def root(rounds: int, width: int, bits: int) -> Matrix:
    exact = [Fraction(comb(2 * k, k), 4**k) if k < width else Fraction(0) for k in range(rounds)]
    return toeplitz([Fraction((c * 2**bits + Fraction(1, 2)).__floor__(), 2**bits) for c in exact])


def buffered(rounds: int) -> Matrix:
    decays = [Fraction(round(d * 2**20), 2**20) for d in DECAYS]
    scales = [Fraction(round(s * 2**16), 2**16) for s in SCALES]
    later = [sum(s * d**k for s, d in zip(scales, decays, strict=True)) for k in range(rounds - 1)]
    return toeplitz([Fraction(1), *later])


def times(matrix: Matrix, x: np.ndarray) -> list[list[Fraction]]:
    return [[sum(r * int(v) for r, v in zip(row, column, strict=True)) for column in x.T] for row in matrix]


def solved(matrix: Matrix, y: list[list[Fraction]]) -> list[list[Fraction]]:
    """Prefix sums of the solution of R w = y, by forward substitution: the matrix is square and lower triangular."""
    found: list[list[Fraction]] = []
    for t, row in enumerate(matrix):
        before = [sum(row[i] * found[i][j] for i in range(t)) for j in range(len(y[0]))]
        found.append([(v - b) / row[t] for v, b in zip(y[t], before, strict=True)])
    return [[sum(w[j] for w in found[: t + 1]) for j in range(len(y[0]))] for t in range(len(matrix))]


CASES = [
    pytest.param(TreeSums(37, 3, 1000), tree(37), id="tree"),
    pytest.param(square_root_sums(37, 3, 1000, bits=12), root(37, 37, 12), id="square root"),
    pytest.param(square_root_sums(37, 3, 1 << 40, bits=12), root(37, 37, 12), id="square root, past floats"),
    pytest.param(square_root_sums(37, 3, 1000, bandwidth=5), root(37, 5, 20), id="band"),
    pytest.param(square_root_sums(9, 1, 3, bandwidth=1), root(9, 1, 20), id="no noise shared"),
]


@pytest.mark.parametrize(("core", "matrix"), CASES)
def test_rows_are_those_of_the_dense_product_and_sums_those_of_the_dense_decoder(
    core: VectorCore, matrix: Matrix
) -> None:
    dice, memory = np.random.default_rng(7), core.start()
    x = dice.integers(-core.largest, core.largest + 1, size=(core.rounds, core.dimension))
    noise = dice.integers(-99, 99, size=x.shape)
    rows = times(matrix, x)
    noised = [
        [v + Fraction(int(z), 2**core.row_bits) for v, z in zip(*both, strict=True)]
        for both in zip(rows, noise, strict=True)
    ]
    sums = solved(matrix, noised)
    for t in range(1, core.rounds + 1):
        row = core.measure(memory.inputs, t, x[t - 1])
        assert [Fraction(int(v), 2**core.row_bits) for v in row] == rows[t - 1]
        value = core.publish(memory.outputs, t, (row + noise[t - 1]).astype(float))
        near = [float(v) for v in sums[t - 1]]
        assert value == (pytest.approx(near, rel=0, abs=0) if core.row_bits == 0 else pytest.approx(near, rel=1e-9))


@pytest.mark.in_turns
def test_buffers_are_off_the_dense_product_by_what_is_charged_and_sums_follow_the_rows() -> None:
    core, matrix = buffered_sums(DECAYS, SCALES, 60, 2, 1000), buffered(60)
    dice, memory = np.random.default_rng(8), core.start()
    x = dice.integers(-1000, 1001, size=(60, 2))
    exact, unit, rows, off = times(matrix, x), 2**core.row_bits, [], []
    for t in range(1, 61):
        row = core.measure(memory.inputs, t, x[t - 1])
        off += [e * unit - int(v) for e, v in zip(exact[t - 1], row, strict=True)]
        rows.append([Fraction(int(v), unit) for v in row])
        value = core.publish(memory.outputs, t, row.astype(float))
        assert value == pytest.approx([float(v) for v in solved(matrix[:t], rows)[-1]], rel=1e-9, abs=1e-6)
    assert 0 <= min(off) < max(off) <= core.unevenness  # both signs of x, and errors of one sign: buffers round down
    assert max(off) > core.unevenness / 4


def worst_pair(matrix: Matrix, changes: int) -> Fraction:
    """The largest squared norm of a column, or of two adjacent ones together: no entry is negative."""
    columns = list(zip(*matrix, strict=True))
    sums = [[sum(parts) for parts in zip(*columns[i : i + changes], strict=True)] for i in range(len(columns))]
    return max(sum(v * v for v in column) for column in sums)


@pytest.mark.parametrize("rounds", [2, 3, 4, 7, 8, 9, 31, 32, 33])
def test_the_trees_sensitivity_is_that_of_its_nodes(rounds: int) -> None:
    core = TreeSums(rounds, 1, 1)
    assert core.shift(Fraction(3), Once()) == 3 * root_above(worst_pair(tree(rounds), 1))
    assert core.shift(Fraction(3), AdjacentBins()) == 3 * root_above(worst_pair(tree(rounds), 2))
    with pytest.raises(ArgumentError, match="one participation, or two adjacent bins"):
        core.shift(Fraction(1), Separated(2, 1))


@pytest.mark.parametrize("width", [1, 3, 20])
def test_the_sensitivity_of_a_rounded_square_root_is_its_own(width: int) -> None:
    core, matrix = square_root_sums(20, 1, 9, bandwidth=width, bits=4), root(20, width, 4)
    assert core.shift(Fraction(5), Once()) == 80 * root_above(worst_pair(matrix, 1))
    assert core.shift(Fraction(5), AdjacentBins()) == 80 * root_above(worst_pair(matrix, 2))
    if width == 20:
        assert core.shift(Fraction(5), Once()) != 80 * root_above(worst_pair(root(20, 20, 40), 1))


def test_neighbouring_inputs_move_the_rows_of_buffers_by_at_most_what_is_said() -> None:
    core = BufferedSums((1_000_000, 5), (3_000, 60_000), 50, 3, 100)
    dice = np.random.default_rng(9)
    for participation, changed in ((Once(), 1), (AdjacentBins(), 2)):
        bound = core.shift(root_above(Fraction(3 * 200**2)), participation)
        for at in range(0, 49, 6):
            x = dice.integers(-100, 101, size=(50, 3))
            other = x.copy()
            x[at : at + changed], other[at : at + changed] = 100, -100
            first, second = core.start(), core.start()
            moved = [
                core.measure(first.inputs, 1, a) - core.measure(second.inputs, 1, b)
                for a, b in zip(x, other, strict=True)
            ]
            length = sum(int(v) ** 2 for row in moved for v in row)
            assert length <= bound**2
            assert at or length > bound**2 * Fraction(99, 100)


def test_what_is_published_is_worked_out_of_released_rows_alone() -> None:
    """Other inputs under noise that makes up for them: the rows are the same, and so is every bit of the sums."""
    dice = Random(2)
    for core in (TreeSums(16, 1, 99), square_root_sums(16, 1, 99), buffered_sums(DECAYS, SCALES, 16, 1, 99)):
        seen = []
        rows = [dice.randrange(-(10**9), 10**9) for _ in range(16)]
        for _ in range(2):
            memory, out = core.start(), b""
            for t in range(1, 17):
                row = core.measure(memory.inputs, t, np.array([dice.randrange(-99, 99)]))
                noise = rows[t - 1] - row
                out += core.publish(memory.outputs, t, (row + noise).astype(float)).tobytes()
            seen.append(out)
        assert seen[0] == seen[1]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: TreeSums(0, 1, 1), "from 1 to 4194304 rounds but got rounds=0"),
        (lambda: TreeSums(1, 0, 1), "components but got dimension=0"),
        (lambda: TreeSums(1, 1, 0), "a largest component of at least 1"),
        (lambda: TreeSums(1 << 20, 1, 1 << 45), "whose sums stay below"),
        (lambda: TreeSums(1 << 20, 1 << 26, 1), "remembers at most"),
        (lambda: square_root_sums(1 << 20, 1000, 1), "remembers at most"),
        (lambda: square_root_sums(10, 1, 1 << 59, bits=20), "whose sums stay below"),
        (lambda: ToeplitzSums(ToeplitzEncoder((0, 1), 0), 1, 1), "exact coefficients"),
        (lambda: ToeplitzSums(ToeplitzEncoder((2, 1), 0, 1), 1, 1), "exact coefficients"),
        (lambda: BufferedSums((1 << 20,), (1,), 4, 1, 1), "decays of at least 0 and below 1"),
        (lambda: BufferedSums((1,), (1, 2), 4, 1, 1), "as many decays as scales"),
        (lambda: BufferedSums(((1 << 20) - 1,), (1,), 4, 1, 1 << 20), "whose sums stay below"),
    ],
)
def test_what_does_not_fit_is_refused(make: object, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        make()  # type: ignore[operator]


def test_the_square_root_that_is_kept_whole_remembers_every_input_and_a_band_its_width() -> None:
    assert [a.shape for a in square_root_sums(50, 3, 9).start().inputs] == [(50, 3)]
    assert [a.shape for a in square_root_sums(50, 3, 9, bandwidth=4).start().inputs] == [(4, 3)]
    assert square_root(50, 4).bandwidth == 4
