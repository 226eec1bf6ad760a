"""The n-fold tensor power against one product at a time, and against sums written out."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, pairwise
from math import factorial, prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from instances.experiments import (
    EXP_EPSILONS,
    EXPERIMENTS,
    POWERS,
    PROFILE,
    TIED,
    ZERO,
    Atom,
    Experiment,
    best_gap,
    power,
)

from dpcert import ArgumentError, Pmf, PowerFunction, bernoulli, dp_power, from_weights
from dpcert.audit.algebra import tensor_power as module

F = Fraction
IDENTITY = PowerFunction.identity()
COPIES = st.integers(0, 4)


def repeated(f: PowerFunction, n: int) -> PowerFunction:
    """f ⊗ ... ⊗ f, one product at a time."""
    return reduce(PowerFunction.tensor, [f] * n, IDENTITY)


def multinomial(segments: Sequence[Atom], n: int) -> Iterator[Atom]:
    """The atoms of n copies, one per multiset of segments, nothing merged."""
    for drawn in combinations_with_replacement(range(len(segments)), n):
        ways = factorial(n) // prod(factorial(drawn.count(i)) for i in set(drawn))
        yield (
            ways * prod((segments[i][0] for i in drawn), start=F(1)),
            ways * prod((segments[i][1] for i in drawn), start=F(1)),
        )


def summed(segments: Sequence[Atom], n: int, exp_epsilon: Fraction) -> Fraction:
    """delta of n copies as a multinomial sum, the larger of both orders."""
    atoms = list(multinomial(segments, n))
    return max(
        sum((max(ZERO, a - exp_epsilon * b) for a, b in atoms), ZERO),
        sum((max(ZERO, b - exp_epsilon * a) for a, b in atoms), ZERO),
    )


def falls_strictly(f: PowerFunction) -> bool:
    """Whether every slope is below the one before, in exact integers, and the masses sum to their totals."""
    c = f.chain
    atoms = list(zip(c.mass0, c.mass1, strict=True))
    strict = all(b * x > y * a for (a, b), (x, y) in pairwise(atoms))
    return strict and sum(c.mass0) == c.total0 and sum(c.mass1) == c.total1


def geometric(q: Fraction, apart: int, reach: int = 12) -> PowerFunction:
    """Two-sided geometric noise around 0 and around `apart`, clipped: ratios are powers of q^-2 and a common factor."""

    def law(centre: int) -> Pmf[int]:
        body = {y: q ** abs(y - centre) for y in range(-reach + 1, reach)}
        body[-reach], body[reach] = q ** (centre + reach) / (1 - q), q ** (reach - centre) / (1 - q)
        total = sum(body.values())
        return Pmf({y: w / total for y, w in body.items()})

    return PowerFunction.from_laws(law(0), law(apart))


def of_weights(weights0: Sequence[int], weights1: Sequence[int]) -> PowerFunction:
    """The power function of two laws given by whole-number weights."""
    return PowerFunction.from_laws(from_weights(dict(enumerate(weights0))), from_weights(dict(enumerate(weights1))))


RANK_ONE = of_weights([1, 2, 4], [4, 2, 1])
GAPS = of_weights([1, 2, 4], [2**100, 4, 1])
SKIPPED = of_weights([1, 2, 4], [8, 4, 4])
RANK_TWO = of_weights([2, 5, 7], [5, 7, 2])
RANK_TWO_OF_FOUR = of_weights([1, 2, 3, 6], [6, 3, 2, 1])
TIES = of_weights([TIED - 1, TIED, TIED + 1], [TIED, TIED + 1, TIED - 1])


@PROFILE
@given(POWERS, COPIES)
def test_it_is_the_repeated_product(f: PowerFunction, n: int) -> None:
    result = f.tensor_power(n)
    assert result == repeated(f, n)
    assert falls_strictly(result)


@PROFILE
@given(EXPERIMENTS, COPIES, EXP_EPSILONS)
def test_its_curve_is_the_multinomial_sum(experiment: Experiment, n: int, e: Fraction) -> None:
    law0, law1 = experiment
    atoms = [(law0.probability(y), law1.probability(y)) for y in dict.fromkeys([*law0.support, *law1.support])]
    assert power(experiment).tensor_power(n).delta(e) == summed(atoms, n, e)


@PROFILE
@given(POWERS, st.integers(0, 3), st.integers(0, 3))
def test_powers_multiply_and_add(f: PowerFunction, m: int, n: int) -> None:
    assert f.tensor_power(m).tensor(f.tensor_power(n)) == f.tensor_power(m + n)
    assert f.tensor_power(2).tensor_power(m) == f.tensor_power(2 * m)
    assert f.reversed().tensor_power(n) == f.tensor_power(n).reversed()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
@pytest.mark.parametrize(
    "f",
    [
        IDENTITY,
        dp_power(1, F(1, 3)),
        dp_power(F(3, 2), F(1, 10)),
        dp_power(5, 1),
        dp_power(2),
        PowerFunction.from_laws(bernoulli(F(68, 100)), bernoulli(F(65, 100))),
        PowerFunction.from_laws(bernoulli(F(1, 2)), bernoulli(0)),
        PowerFunction.from_laws(bernoulli(1), bernoulli(F(1, 2))),
        geometric(F(2, 3), 5),
        RANK_ONE,
        GAPS,
        SKIPPED,
        RANK_TWO,
        RANK_TWO_OF_FOUR,
        TIES,
    ],
)
def test_every_kind_of_chain(f: PowerFunction, n: int) -> None:
    result = f.tensor_power(n)
    assert result == repeated(f, n)
    assert falls_strictly(result)


def test_one_copy_is_the_curve_itself() -> None:
    assert RANK_TWO.tensor_power(1) == RANK_TWO
    assert RANK_TWO.tensor_power(0) == IDENTITY.tensor_power(5) == IDENTITY


def test_head_and_foot_are_what_one_world_never_produces() -> None:
    d, n = F(1, 10), 40
    result = dp_power(F(3, 2), d).tensor_power(n)
    assert result.segments[0] == (0, 1 - (1 - d) ** n)
    assert result.segments[-1] == (1 - (1 - d) ** n, 0)
    assert len(result.segments) == n + 3
    assert result.delta_at_infinity == 1 - (1 - d) ** n


def test_only_one_of_head_and_foot() -> None:
    f = PowerFunction.from_laws(bernoulli(F(1, 2)), bernoulli(0))
    assert f.tensor_power(10).segments == ((F(1, 1024), 1), (F(1023, 1024), 0))
    assert f.reversed().tensor_power(10).segments == ((0, F(1023, 1024)), (1, F(1, 1024)))


@pytest.mark.parametrize(
    ("f", "n", "segments"),
    [
        (PowerFunction.from_laws(bernoulli(F(68, 100)), bernoulli(F(65, 100))), 64, 65),
        (geometric(F(2, 3), 5), 20, 101),
        (RANK_ONE, 50, 101),
        (GAPS, 12, 91),
        (SKIPPED, 12, 36),
        (RANK_TWO, 30, 496),
        (TIES, 12, 91),
    ],
)
def test_equal_ratios_are_one_segment(f: PowerFunction, n: int, segments: int) -> None:
    result = f.tensor_power(n)
    assert len(result.segments) == segments
    assert falls_strictly(result)
    half = f.tensor_power(n // 2)
    assert half.tensor(half) == result


def test_two_relations_merge_four_segments() -> None:
    """6, 3/2, 2/3 and 1/6 multiply to fewer ratios than multisets: 6 * 1/6 = 3/2 * 2/3."""
    result = RANK_TWO_OF_FOUR.tensor_power(10)
    assert falls_strictly(result)
    assert len(result.segments) == 11**2 < len(list(multinomial(RANK_TWO_OF_FOUR.segments, 10)))
    assert result.delta(2) == summed(RANK_TWO_OF_FOUR.segments, 10, F(2))


@PROFILE
@given(EXPERIMENTS)
def test_neither_way_of_multiplying_matters(experiment: Experiment) -> None:
    """Wide laws are multiplied out, many copies follow a recurrence; n around the number of segments tries both."""
    f = power(experiment)
    for n in (2, 5):
        assert f.tensor_power(n).tensor(f) == f.tensor_power(n + 1)


def test_ties_beyond_the_leading_bits_are_settled_exactly() -> None:
    near = [(TIED, TIED + 1), (TIED + 1, TIED + 2), (1, 2), (3, 3)]
    assert module._leading_bits(*near[0]) == module._leading_bits(*near[1])
    assert list(module._by_leading_bits(reversed(near))) == [(1, 2), *near[:2], (3, 3)]
    assert list(module._by_leading_bits(near)) == [(1, 2), *near[:2], (3, 3)]


@PROFILE
@given(*[st.integers(1, 2**200)] * 4)
def test_leading_bits_never_fall_where_the_ratio_rises(a: int, b: int, c: int, d: int) -> None:
    low, high = sorted([(a, b), (c, d)], key=lambda atom: F(atom[1], atom[0]))
    assert module._leading_bits(*low) <= module._leading_bits(*high)


@pytest.mark.parametrize("n", [-1, True, F(2), "3", None])
def test_a_number_of_copies_is_whole(n: Any) -> None:
    with pytest.raises(ArgumentError, match="Expected a whole number of at least 0 but got n="):
        RANK_ONE.tensor_power(n)


@pytest.mark.parametrize(("f", "n"), [(dp_power(2), 10**9), (RANK_TWO, 5000), (RANK_TWO_OF_FOUR, 3000)])
def test_too_many_segments_are_refused_at_once(f: PowerFunction, n: int) -> None:
    with pytest.raises(ArgumentError, match=rf"at most 2000000 segments but got n={n}, at_least=\d+"):
        f.tensor_power(n)


@pytest.mark.parametrize(("f", "n"), [(dp_power(2), 10**5), (RANK_ONE, 10**5), (dp_power(1, F(1, 2)), 10**12)])
def test_too_many_bytes_are_refused_at_once(f: PowerFunction, n: int) -> None:
    with pytest.raises(ArgumentError, match=rf"at most 2048 MiB but got n={n}, about_mib=\d+"):
        f.tensor_power(n)


def test_merged_sums_are_counted_while_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SEGMENT_LIMIT", 100)
    with pytest.raises(ArgumentError, match="at most 100 segments but got n=10, at_least=102"):
        RANK_TWO_OF_FOUR.tensor_power(10)


def test_best_gap_of_two_copies_by_events() -> None:
    law0, law1 = bernoulli(F(68, 100)).map(str), bernoulli(F(65, 100)).map(str)
    two0, two1 = law0.product(law0).map("".join), law1.product(law1).map("".join)
    result = PowerFunction.from_laws(law0, law1).tensor_power(2)
    assert result.hockey_stick(F(21, 20)) == best_gap(two0, two1, F(21, 20))
    assert result.hockey_stick(F(21, 20), "1-0") == best_gap(two1, two0, F(21, 20))


# --- which of several ways is taken, and for how much room is asked


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The segments that room is asked for."""
    asked: list[int] = []
    monkeypatch.setattr(module._Copies, "check_room", lambda _, segments: asked.append(segments))
    return asked


def ways(monkeypatch: pytest.MonkeyPatch, *names: str) -> list[str]:
    """The functions of the module that were called, of some."""
    called: list[str] = []

    def watched(name: str) -> Any:
        function = getattr(module, name)
        return lambda *given: called.append(name) or function(*given)  # type: ignore[func-returns-value]

    for name in names:
        monkeypatch.setattr(module, name, watched(name))
    return called


def test_exponents_of_one_rho_are_found_whatever_common_divisor_they_have() -> None:
    assert module._powers_of_one([(4,), (2,), (0,)]) == [2, 1, 0]
    assert module._powers_of_one([(6, 4), (3, 2), (0, 0)]) == [2, 1, 0]
    assert module._powers_of_one([(8, -4), (2, -1), (0, 0)]) == [4, 1, 0]
    assert module._powers_of_one([(0, 3), (0, 1), (0, 0)]) == [3, 1, 0]
    assert module._powers_of_one([(1, 0), (0, 1), (0, 0)]) is None
    assert module._powers_of_one([(3, 2), (2, 1), (0, 0)]) is None


def test_codes_leave_each_coordinate_the_room_of_its_sums() -> None:
    assert module._codes([(1, 0), (0, 1)], 2) == [1, 3]
    assert module._codes([(2, 0, 1), (0, 1, 0), (0, -1, 0)], 3) == [2 + 7 * 7, 7, -7]


@pytest.mark.parametrize(("copies", "way"), [(2, "_multiplied"), (3, "_recurrence"), (4, "_recurrence")])
def test_few_copies_of_wide_laws_are_multiplied_one_after_the_other(
    copies: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = ways(monkeypatch, "_multiplied", "_recurrence", "_pivots")
    assert RANK_TWO.tensor_power(copies) == repeated(RANK_TWO, copies)
    assert called == [*(["_pivots"] if copies > 2 else []), way, way]


@pytest.mark.parametrize(
    ("powers", "copies", "limit", "dense"),
    [
        ((2, 1, 0), 2, 10**6, True),  # 4 of 6
        ((3, 1, 0), 2, 10**6, False),  # 6 of 6
        ((5, 2, 0), 2, 10**6, False),  # 10 of 6
        ((2, 1, 0), 2, 5, True),
        ((2, 1, 0), 2, 4, False),
        ((2, 1, 0), 1, 10**6, True),  # 2 of 3
        ((3, 1, 0), 1, 10**6, False),
    ],
)
def test_powers_of_one_rho_are_a_polynomial_where_it_has_few_coefficients(
    powers: tuple[int, ...], copies: int, limit: int, dense: bool, rooms: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more than products of segments there are, nor than segments may be."""
    monkeypatch.setattr(module, "SEGMENT_LIMIT", limit)
    called = ways(monkeypatch, "_dense", "_sparse")
    body = [(1, 2**power) for power in powers]
    atoms = list(module._body(body, module._Copies(copies, 1)))
    assert called == (["_dense"] * 2 if dense else ["_sparse"])
    assert rooms[:1] == [copies * powers[0] + 1] if dense else rooms
    products = {}
    for _, b in (products.setdefault(b, (a, b)) for a, b in multinomial([(F(1), F(b)) for _, b in body], copies)):
        assert b >= 1
    assert [F(b, a) for a, b in atoms] == sorted({F(b, a) for a, b in atoms}, reverse=True)


def test_room_is_asked_for_what_there_is_at_least(rooms: list[int]) -> None:
    """Products of n segments of m have at least n (m - 1) + 1 ratios; of rank r, up to (n + r choose r)."""
    RANK_ONE.tensor_power(4)
    assert rooms == [4 * 2 + 1, 4 * 2 + 1]
    rooms.clear()
    RANK_TWO.tensor_power(4)
    assert rooms[:2] == [4 * 2 + 1, 15]
    rooms.clear()
    PowerFunction.from_laws(bernoulli(0), bernoulli(1)).tensor_power(3)
    assert rooms == [1]


@pytest.mark.parametrize(("total0", "total1"), [(4, 5), (5, 4), (8, 8), (9, 9)])
def test_a_copy_adds_the_bits_of_the_least_numbers_below_both_totals(
    total0: int, total1: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mass is below its total, so those of n copies have at most n times the bits of the total less one."""
    found: list[int] = []
    body = module._body
    monkeypatch.setattr(module, "_body", lambda atoms, copies: found.append(copies.bits) or body(atoms, copies))  # type: ignore[func-returns-value]
    of_weights([1, total0 - 1], [total1 - 1, 1]).tensor_power(2)
    assert found == [(total0 - 1).bit_length() + (total1 - 1).bit_length()]


def test_as_many_bytes_as_are_allowed_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BYTE_LIMIT", 1000)
    module._Copies(4, 20).check_room(100)  # 8000 bits
    for segments, bits in ((101, 20), (100, 21)):
        with pytest.raises(ArgumentError, match="a tensor power of at most"):
            module._Copies(4, bits).check_room(segments)


@pytest.mark.parametrize(
    ("a", "b"), [(1, 1), (3, 1), (1, 3), (7, 2**300 + 1), (2**300 + 1, 7), (2**70 - 1, 2**70), (5, 2**66), (1, 2**63)]
)
def test_leading_bits_are_an_exponent_and_as_many_digits_rounded_down(a: int, b: int) -> None:
    exponent, digits = divmod(module._leading_bits(a, b), 2**module.KEY_BITS)
    assert digits.bit_length() == module.KEY_BITS
    assert digits * F(2) ** exponent <= F(b, a) < (digits + 1) * F(2) ** exponent
