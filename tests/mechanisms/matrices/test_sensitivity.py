"""Sensitivities against all patterns and signs, against other classes of the same matrix, and golden values."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from instances.seeds import chosen
from oracles.participations import largest, separated

from dpcert.audit.algebra.enclosure import Enclosure
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.matrices.buffered import Buffers
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.encoder import Columns, DenseEncoder, Encoder, dense
from dpcert.mechanisms.matrices.gram import Gram
from dpcert.mechanisms.matrices.measured import size, squared
from dpcert.mechanisms.matrices.normalised import column_normalised
from dpcert.mechanisms.matrices.participations import AdjacentBins, EpochOrder, Once, Participation, Separated
from dpcert.mechanisms.matrices.record_change import RecordChange
from dpcert.mechanisms.matrices.sensitivity import Argument, Justification, Sensitivity, Stream
from dpcert.mechanisms.matrices.square_root import coefficients, psi, square_root, squared_norm_bound
from dpcert.mechanisms.matrices.toeplitz import banded, inverse_toeplitz, toeplitz
from dpcert.mechanisms.matrices.tree import TreeEncoder


def exactly(encoder: DenseEncoder) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in encoder.entries.tolist()]


def written_out(encoder: Encoder) -> DenseEncoder:
    """The same matrix as one of float64, where its values are."""
    _, bits, radius = encoder.columns([0])
    assert radius == 0
    return DenseEncoder(np.ldexp(dense(encoder).astype(np.float64), -bits), tuple(encoder.row_rounds))


def random_matrix(random: Random, rounds: int) -> np.ndarray:
    """Lower-triangular, of one of five kinds: mixed signs, floats or small whole numbers; none negative."""
    kind = random.randrange(5)
    entry = [
        lambda: random.gauss(0, 1),
        lambda: random.randint(-3, 3),
        lambda: random.choice((-1, 0, 0, 1)),
        lambda: abs(random.gauss(0, 1)),
        lambda: random.randint(0, 2),
    ][kind]
    found = np.array([[entry() if i <= t else 0.0 for i in range(rounds)] for t in range(rounds)], dtype=np.float64)
    found[-1, 0] += 1
    return found


@pytest.mark.parametrize("seed", chosen(range(48)))
def test_numbers_against_all_patterns_and_signs(seed: int) -> None:
    random = Random(seed)
    rounds = random.randint(2, 9)
    apart = random.randint(1, rounds)
    count = random.randint(1, min(5, (rounds - 1) // apart + 1))
    encoder = DenseEncoder(random_matrix(random, rounds))
    epochs = random.randint(1, rounds)
    order = EpochOrder(epochs, rounds // epochs)
    cases: list[tuple[Participation, Sequence[tuple[int, ...]]]] = [
        (Once(), [(i,) for i in range(rounds)]),
        (AdjacentBins(), [(i, i + 1) for i in range(rounds - 1)]),
        (order, [tuple(range(i, epochs * (rounds // epochs), rounds // epochs)) for i in range(rounds // epochs)]),
        (Separated(count, apart), list(separated(rounds, count, apart))),
    ]
    for participation, patterns in cases:
        most, most_size = largest(exactly(encoder), patterns)
        found = column_sensitivity(encoder, participation, stream=Stream.SCALAR)
        assert found.l2_squared == (most, most)
        assert found.l1.lower <= most_size <= found.l1.upper
        pattern = tuple(i - 1 for i in found.attained_by.rounds)
        assert any(set(pattern) <= set(one) for one in patterns)
        assert squared(encoder, pattern, found.attained_by.signs) == (most, most)
        if encoder.is_nonnegative:
            assert found.l1 == (most_size, most_size)
        vectors = column_sensitivity(encoder, participation)
        assert vectors.l2_squared.lower <= vectors.l2_squared.upper
        if vectors.argument is Argument.DIRECTIONS:
            assert most <= vectors.l2_squared.upper <= vectors.l2_squared.lower * (1 + Fraction(1, 10**7))
            assert_attained(encoder, vectors, patterns)
        else:
            assert vectors.l2_squared == (most, most)


def assert_attained(encoder: DenseEncoder, found: Sensitivity, patterns: Sequence[tuple[int, ...]]) -> None:
    """The lower end is what the vectors, or else the signs, of norm at most 1 give, by the columns themselves."""
    at = [i - 1 for i in found.attained_by.rounds]
    changes = found.attained_by.directions or tuple((Fraction(s),) for s in found.attained_by.signs)
    assert any(set(at) <= set(one) for one in patterns)
    assert all(sum(x * x for x in change) <= 1 for change in changes)
    total = Fraction(0)
    for row in exactly(encoder):
        for axis in zip(*changes, strict=True):
            total += sum((row[i] * x for i, x in zip(at, axis, strict=True)), Fraction(0)) ** 2
    assert total == found.l2_squared.lower


def test_where_patterns_are_too_many_for_directions_the_sum_of_sizes_is_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator = np.random.default_rng(12)
    encoder = DenseEncoder(np.tril(generator.normal(size=(11, 11))))
    participation = Separated(5, 2)
    whole = column_sensitivity(encoder, participation)
    assert whole.argument is Argument.DIRECTIONS
    monkeypatch.setattr("dpcert.mechanisms.matrices.worst_directions.MOST_DIRECTED", 0)
    short = column_sensitivity(encoder, participation)
    assert short.argument is Argument.SIZES
    assert short.l2_squared.lower <= whole.l2_squared.lower <= whole.l2_squared.upper < short.l2_squared.upper
    assert_attained(encoder, short, list(separated(11, 5, 2)))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(40))
def test_numbers_against_all_patterns_and_signs_of_sixteen_rounds(seed: int) -> None:
    random = Random(seed)
    encoder = DenseEncoder(random_matrix(random, 16))
    apart = random.randint(2, 6)
    count = random.randint(1, min(4, 15 // apart + 1))
    most, _ = largest(exactly(encoder), separated(16, count, apart))
    assert column_sensitivity(encoder, Separated(count, apart), stream=Stream.SCALAR).l2_squared == (most, most)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(24)))
def test_no_vectors_exceed_the_upper_end(seed: int) -> None:
    """Vectors of norm 1 that are turned, one after the other, to where the others point: a local maximum each."""
    generator = np.random.default_rng(seed)
    rounds = 7
    encoder = DenseEncoder(np.tril(generator.normal(size=(rounds, rounds))))
    found = column_sensitivity(encoder, Separated(4, 2))
    gram = encoder.entries.T @ encoder.entries
    best = 0.0
    for pattern in separated(rounds, 4, 2):
        part = gram[np.ix_(pattern, pattern)]
        for _ in range(4):
            vectors = generator.normal(size=(len(pattern), 4))
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            for _ in range(60):
                for i in range(len(pattern)):
                    pull = part[i] @ vectors - part[i, i] * vectors[i]
                    vectors[i] = pull / np.linalg.norm(pull) if np.linalg.norm(pull) else vectors[i]
            best = max(best, float(np.sum((vectors @ vectors.T) * part)))
    assert best <= float(found.l2_squared.upper) * (1 + 1e-12)
    assert best >= float(found.l2_squared.lower) * (1 - 1e-9)
    assert best >= float(found.l2_squared.upper) * (1 - 1e-6)


def test_vectors_do_more_than_numbers_and_less_than_sizes_where_signs_are_not_balanced() -> None:
    encoder = DenseEncoder(np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1]]), (3, 3, 3))
    participation = Separated(3, 1)
    numbers = column_sensitivity(encoder, participation, stream=Stream.SCALAR)
    vectors = column_sensitivity(encoder, participation)
    gram = encoder.entries.T @ encoder.entries
    at_120_degrees = np.array([[1.0, 0], [-1 / 2, np.sqrt(3) / 2], [-1 / 2, -np.sqrt(3) / 2]])
    witness = float(np.sum(at_120_degrees @ at_120_degrees.T * gram))
    assert numbers.l2_squared == (8, 8)
    assert witness == pytest.approx(9)
    assert 9 - Fraction(1, 10**9) < vectors.l2_squared.lower <= 9 <= vectors.l2_squared.upper < 9 + Fraction(1, 10**6)
    assert (numbers.argument, vectors.argument) == (Argument.SIGNS, Argument.DIRECTIONS)
    assert not vectors.attained_by.signs
    assert_attained(encoder, vectors, [(0, 1, 2)])


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("count", "between", "rounds", "value"),
    [(1, 7, 8, 4), (3, 3, 9, 11), (3, 2, 7, 9), (8, 2, 24, 88), (6, 313, 2000, 79)],
)
def test_the_binary_tree_with_several_participations(count: int, between: int, rounds: int, value: int) -> None:
    found = column_sensitivity(TreeEncoder(rounds), Separated(count, between + 1))
    assert found.l2_squared == (value, value)
    assert found.justification is Justification.FULLY_ADAPTIVE
    assert squared(TreeEncoder(rounds), [i - 1 for i in found.attained_by.rounds], (1,) * count) == (value, value)


def test_the_binary_tree_with_one_participation_and_with_two_adjacent_ones() -> None:
    """Claims 88 and 97."""
    for rounds in range(1, 200):
        assert column_sensitivity(TreeEncoder(rounds)).l2_squared.upper == rounds.bit_length()
    for h in range(1, 8):
        found = column_sensitivity(TreeEncoder(2**h), AdjacentBins())
        assert found.l2_squared == (4 * h + 2, 4 * h + 2)
        assert found.justification is Justification.PER_ROUND


@pytest.mark.parametrize("arity", [2, 3, 5])
def test_a_tree_is_the_matrix_of_its_nodes(arity: int) -> None:
    for rounds in (1, 2, 9, 14):
        tree = TreeEncoder(rounds, arity)
        same = written_out(tree)
        assert (tree.gram(1).values == same.gram(1).values * 2 ** -same.gram(1).bits).all()
        for participation in (Once(), Separated(1 + (rounds - 1) // 2, 2), EpochOrder(1, rounds)):
            assert both_ends(column_sensitivity(tree, participation)) == both_ends(
                column_sensitivity(same, participation)
            )


def both_ends(found: Sensitivity) -> object:
    return found.l2_squared, found.l1


@pytest.mark.parametrize("seed", chosen(range(16)))
def test_a_toeplitz_encoder_is_the_matrix_of_its_diagonals(seed: int) -> None:
    random = Random(seed)
    rounds = random.randint(2, 12)
    falling = sorted((random.random() for _ in range(rounds)), reverse=True)
    anything = [random.gauss(0, 1) for _ in range(rounds)]
    for numbers in (falling, anything, list(map(abs, anything))):
        for encoder in (toeplitz(np.array(numbers)), banded(toeplitz(np.array(numbers)), random.randint(1, rounds))):
            same = written_out(encoder)
            apart = random.randint(1, rounds)
            count = random.randint(1, min(4, (rounds - 1) // apart + 1))
            for participation in (Once(), AdjacentBins(), EpochOrder(2, rounds // 2), Separated(count, apart)):
                one, other = column_sensitivity(encoder, participation), column_sensitivity(same, participation)
                assert one.l2_squared == other.l2_squared
                assert one.l1.lower <= other.l1.upper
                assert other.l1.lower <= one.l1.upper


@pytest.mark.in_turns
def test_the_earliest_pattern_is_worst_for_coefficients_that_never_rise() -> None:
    for rounds in (5, 8):
        encoder = square_root(rounds)
        for apart in (1, 2, 3):
            count = (rounds - 1) // apart + 1
            most, size = largest(exactly(written_out(encoder)), separated(rounds, count, apart))
            found = column_sensitivity(encoder, Separated(count, apart))
            assert (found.l2_squared, found.l1) == ((most, most), (size, size))
            assert found.argument is Argument.EARLIEST


def test_the_earliest_pattern_is_not_worst_where_coefficients_rise() -> None:
    rising = toeplitz([Fraction(c) for c in (1, 0, 2, 0, 0)])
    for encoder in (rising, written_out(rising)):
        found = column_sensitivity(encoder, Separated(2, 1))
        assert found.l2_squared == (14, 14)
        assert found.attained_by.rounds == (1, 3)


def test_the_norm_of_the_square_root_is_above_the_papers_bound_from_eleven_rounds_on() -> None:
    """Claims 89 and 90; the correct bound is tested beside it."""
    norms = Fraction(0)
    for rounds, f in enumerate(coefficients(300), 1):
        norms += f * f
        assert column_sensitivity(square_root(rounds)).l2_squared == (norms, norms)
        assert (norms > psi(rounds).finite().upper) == (rounds >= 11)
        assert (norms < psi(rounds).finite().lower) == (rounds < 11)
        assert norms < squared_norm_bound(rounds).finite().lower
        if rounds == 11:
            assert norms == Fraction(125233642041, 68719476736)


@pytest.mark.thorough
def test_the_corrected_bound_is_above_the_norm_for_every_number_of_rounds_up_to_a_hundred_thousand() -> None:
    """Claim 90: one run of running sums, rounded up."""
    encoder = square_root(10**5)
    total, scale = 0, 1 << 2 * encoder.bits
    for rounds, value in enumerate(encoder.values, 1):
        total += (value + encoder.radius) ** 2
        assert Fraction(total, scale) < squared_norm_bound(rounds).finite().lower
        assert rounds < 11 or Fraction(total, scale) > psi(rounds).finite().upper


@pytest.mark.in_turns
def test_the_enclosed_square_root_holds_the_exact_one() -> None:
    long, exact = square_root(3000), list(coefficients(3000))
    assert long.radius == 2
    for f, value in zip(exact[::7], long.values[::7], strict=True):
        assert value <= f * 2**long.bits <= value + long.radius
    found = column_sensitivity(long)
    norm = sum((f * f for f in exact), Fraction(0))
    assert norm in interval(found)
    assert found.l2_squared.upper - found.l2_squared.lower < Fraction(1, 2**100)
    twice = column_sensitivity(long, Separated(2, 1000))
    ends = [f + (exact[k - 1000] if k >= 1000 else 0) for k, f in enumerate(exact)]
    assert sum((x * x for x in ends), Fraction(0)) in interval(twice)


def interval(found: Sensitivity) -> Enclosure:
    return Enclosure(*found.l2_squared)


def test_buffers_are_the_coefficients_that_they_say() -> None:
    buffers = Buffers((Fraction(9, 10), Fraction(1, 3)), (Fraction(1, 5), Fraction(1, 8)))
    encoder = buffers.encoder(12)
    exact = [Fraction(1)] + [
        sum((s * d**t for s, d in zip(buffers.scale, buffers.decay, strict=True)), Fraction(0)) for t in range(11)
    ]
    for c, value in zip(exact, encoder.values, strict=True):
        assert abs(c * 2**encoder.bits - value) <= encoder.radius
    assert sum((c * c for c in exact), Fraction(0)) in interval(column_sensitivity(encoder))
    most, _ = largest(
        [[exact[t - i] if i <= t else Fraction(0) for i in range(12)] for t in range(12)], separated(12, 3, 4)
    )
    assert most in interval(column_sensitivity(encoder, Separated(3, 4)))


def test_buffers_that_rise_are_enclosed_by_products() -> None:
    """Every value is rounded down, so that without their radius the products would be too small."""
    buffers = Buffers((Fraction(1, 3), Fraction(1, 7)), (Fraction(2), Fraction(1, 3)))
    encoder = buffers.encoder(9)
    exact = [Fraction(1)] + [Fraction(2, 3**t) + Fraction(1, 3 * 7**t) for t in range(8)]
    matrix = [[exact[t - i] if i <= t else Fraction(0) for i in range(9)] for t in range(9)]
    most, size = largest(matrix, separated(9, 3, 2))
    found = column_sensitivity(encoder, Separated(3, 2))
    assert most in interval(found)
    assert found.l1.lower <= size <= found.l1.upper
    assert found.l2_squared.upper - found.l2_squared.lower < Fraction(1, 10**12)


def test_the_radius_of_columns_counts_once_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = TreeEncoder(2)
    monkeypatch.setattr(TreeEncoder, "columns", lambda _, at: Columns([[1, 0, 1], [0, 1, 1]][: len(at)], 0, 3))
    assert squared(tree, (0, 1), (1, 1)) == (0, 7**2 + 7**2 + 8**2)
    assert size(tree, (0, 1), (1, -1)) == (0, 7 + 7 + 6)


def test_l1_norms_by_floats_hold_the_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(9)
    for entries in (generator.normal(size=(40, 40)), generator.random(size=(40, 40))):
        encoder = DenseEncoder(np.tril(entries))
        exact = column_sensitivity(encoder, Separated(3, 5)).l1
        with monkeypatch.context() as patched:
            patched.setattr("dpcert.mechanisms.matrices.worst_size.FEW_ENTRIES", 0)
            floats = column_sensitivity(encoder, Separated(3, 5)).l1
        assert floats.lower == exact.lower
        assert exact.upper < floats.upper < exact.upper * (1 + Fraction(1, 10**10))


def test_why_a_sensitivity_holds_against_inputs_that_adapt() -> None:
    mixed, none = DenseEncoder(np.array([[1.0, 0], [-1, 1]])), DenseEncoder(np.array([[1.0, 0], [1, 1]]))
    for encoder in (mixed, none):
        assert column_sensitivity(encoder).justification is Justification.ONE_COLUMN
        assert column_sensitivity(encoder, Separated(2, 1)).justification is Justification.FULLY_ADAPTIVE
    for participation in (AdjacentBins(), EpochOrder(2, 1)):
        assert column_sensitivity(mixed, participation).justification is Justification.FULLY_ADAPTIVE
        assert column_sensitivity(none, participation).justification is Justification.PER_ROUND


def test_an_encoder_by_its_inverse() -> None:
    found = inverse_toeplitz(np.array([1.0, -1.0, 0.0, 0.0]))
    assert [Fraction(v, 1 << found.bits) for v in found.values] == [1, 1, 1, 1]
    generator = np.random.default_rng(3)
    given = generator.normal(size=30)
    inverse = inverse_toeplitz(given)
    for t in range(30):
        total = (
            sum((Fraction(given[k].item()) * inverse.values[t - k] for k in range(t + 1)), Fraction(0))
            / 2**inverse.bits
        )
        doubt = Fraction(2, 2**inverse.bits) * sum(abs(Fraction(x)) for x in given.tolist())
        assert abs(total - (t == 0)) <= doubt


def test_column_normalised_bands_have_columns_of_length_one_up_to_rounding() -> None:
    encoder = column_normalised(square_root(60, 7))
    found = column_sensitivity(encoder, Separated(5, 12))
    assert abs(found.l2_squared.upper - 5) < Fraction(1, 2**40)
    assert found.is_exact
    assert column_sensitivity(encoder).l2_squared.upper != 1  # float64 is not exactly normalised, and it shows


@pytest.mark.parametrize("seed", range(6))
def test_enclosures_hold_the_exact_value(seed: int) -> None:
    random, generator = Random(seed), np.random.default_rng(seed)
    entries = np.tril(generator.normal(size=(300, 300))) * 2.0 ** random.choice((-500, -30, 0, 30, 500))
    entries[random.randrange(300), 0] *= 2.0**-600 if seed % 2 else 1
    encoder = DenseEncoder(abs(entries) if seed % 3 == 0 else entries)
    exact, enclosed = column_sensitivity(encoder), column_sensitivity(encoder, exact=False)
    for one, other in ((exact.l2_squared, enclosed.l2_squared), (exact.l1, enclosed.l1)):
        assert one.lower == one.upper
        assert other.lower <= one.lower <= other.upper
        assert 0 < other.upper - other.lower < one.lower / 2**35
    several = column_sensitivity(encoder, Separated(2, 200))
    assert several.l2_squared.lower <= several.l2_squared.upper
    pattern = [i - 1 for i in several.attained_by.rounds]
    assert squared(encoder, pattern, several.attained_by.signs).lower == several.l2_squared.lower
    assert several.l2_squared.upper - several.l2_squared.lower < several.l2_squared.lower / 2**30


@pytest.mark.parametrize("seed", range(4))
def test_what_products_may_be_off_by_is_within_the_upper_end(seed: int) -> None:
    """Falling coefficients have an exact value by a theorem, their matrix one of floats past 256 rounds."""
    falling = np.sort(np.random.default_rng(seed).random(300))[::-1]
    exact = column_sensitivity(toeplitz(falling), Separated(3, 100))
    enclosed = column_sensitivity(written_out(toeplitz(falling)), Separated(3, 100))
    assert exact.is_exact
    assert enclosed.l2_squared.lower <= exact.l2_squared.lower < enclosed.l2_squared.upper
    turned = DenseEncoder(written_out(toeplitz(falling)).entries * np.where(np.arange(300) % 2, -1.0, 1.0))
    signed = column_sensitivity(turned, Separated(3, 101))
    same = column_sensitivity(toeplitz(falling), Separated(3, 101))
    assert signed.argument is Argument.BALANCED
    assert signed.l2_squared.lower <= same.l2_squared.lower < signed.l2_squared.upper


def test_the_radius_of_products_counts_once_for_every_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    tree, gram = TreeEncoder(9), TreeEncoder(9).gram(3)
    monkeypatch.setattr(TreeEncoder, "gram", lambda *_: Gram(gram.values, 0, 2))
    assert column_sensitivity(tree, Separated(3, 4)).l2_squared == (11, 11 + 9 * 2)
    shifted = Gram(gram.values * 2**58 + 2**57, 58, 7).fitted(3)
    assert shifted.values.dtype == object  # few rounds stay exact
    large = Gram(np.kron(gram.values, np.ones((40, 40), dtype=object)) * 2**70 + 12345, 70, 7).fitted(3)
    assert large.values.dtype == np.int64
    wide = Fraction(large.radius) / Fraction(2) ** large.bits
    for found, value in zip(large.values[0, ::40].tolist(), gram.values[0].tolist(), strict=True):
        truth = value + Fraction(12345, 2**70)
        assert abs(Fraction(found) / Fraction(2) ** large.bits - truth) + Fraction(7, 2**70) <= wide


def test_a_search_that_meets_its_bound_on_work_answers_with_a_bracket(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(7)
    encoder = DenseEncoder(np.tril(generator.normal(size=(12, 12))))
    whole = column_sensitivity(encoder, Separated(5, 2), stream=Stream.SCALAR)
    monkeypatch.setattr("dpcert.mechanisms.matrices.patterns.heaviest.__kwdefaults__", {"most_steps": 0})
    short = column_sensitivity(encoder, Separated(5, 2), stream=Stream.SCALAR)
    assert short.l2_squared.lower <= whole.l2_squared.lower <= whole.l2_squared.upper < short.l2_squared.upper


def test_what_a_record_changes() -> None:
    assert RecordChange.ZERO_OUT.most(Fraction(3, 2)) == Fraction(3, 2)
    assert RecordChange.REPLACE_ONE.most(Fraction(3, 2)) == 3


@pytest.mark.parametrize(
    ("participation", "words"),
    [
        (Separated(3, 3), "that fit 6 rounds but got max_participations=3, min_separation=3"),
        (Separated(0, 3), "max_participations=0"),
        (Separated(1, 0), "min_separation=0"),
        (EpochOrder(2, 4), "epochs that fit 6 rounds"),
        (EpochOrder(0, 4), "epochs=0"),
    ],
)
def test_participations_that_do_not_fit_are_refused(participation: Participation, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        column_sensitivity(TreeEncoder(6), participation)


def test_two_bins_need_two_rounds() -> None:
    with pytest.raises(ArgumentError, match="two adjacent bins but got rounds=1"):
        column_sensitivity(TreeEncoder(1), AdjacentBins())
