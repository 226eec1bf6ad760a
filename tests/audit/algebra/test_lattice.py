"""Codes of likelihood ratios: whole numbers that add up where ratios multiply, and tell ratios apart."""

import random
from fractions import Fraction
from typing import Any

import pytest

from dpcert.audit.algebra.lattice import Lattice, coprime_base, echelon, factored


def test_factors_over_a_base() -> None:
    assert coprime_base([6, 10, 15]) == (2, 3, 5)
    assert coprime_base([1]) == ()
    assert factored(Fraction(12, 175), (2, 3, 5)) == ((2, 1, -2), Fraction(1, 7))
    assert echelon([(1, 2, 0), (0, 1, 1)], (0, 1, 2)) == {0: [1, 0, -2], 1: [0, 1, 1]}
    assert echelon([], (0,)) == echelon([()], ()) == {}


def _within(exponents: tuple[int, ...], lattice: Lattice) -> bool:
    return all(abs(e) <= most for e, most in zip(exponents, lattice.reach, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_codes_add_up_and_tell_ratios_apart(seed: int) -> None:
    """Over all products of a few factors, and ratios next to them: equal code and root are equal ratios."""
    rng = random.Random(seed)
    factors = [Fraction(rng.randint(1, 12), rng.randint(1, 12)) for _ in range(3)]
    lattice = Lattice.of_levels([factors] * 2)
    ratios = {a * b for a in factors for b in factors} | {Fraction(n, d) for n in range(1, 14) for d in range(1, 14)}
    coded: dict[Any, Fraction] = {}
    for ratio in sorted(ratios):
        code, root = lattice.atom_code(ratio)
        assert coded.setdefault((code, root), ratio) == ratio
        assert lattice.atom_code(1 / ratio) == (-code, -root)
        for factor in factors:
            parts = [factored(r, lattice.base) for r in (ratio, ratio * factor)]
            if parts[0][1] == parts[1][1] and all(_within(exponents, lattice) for exponents, _ in parts):
                assert lattice.atom_code(ratio * factor) == (code + lattice.factor_code(factor), root)
    for a in factors:
        for b in factors:
            assert lattice.atom_code(a * b) == (lattice.factor_code(a) + lattice.factor_code(b), 0)


def test_a_lattice_that_is_not_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    lattice, three = (Lattice.of_levels([[Fraction(2)], [Fraction(n)]]) for n in (4, 3))
    assert (three.base, three.reach, three.usable) == ((2, 3), (1, 1), True)
    assert (lattice.base, lattice.reach, lattice.usable) == ((2,), (3,), True)
    monkeypatch.setattr("dpcert.audit.algebra.lattice.CODE_LIMIT", 13)
    assert not Lattice.of_levels([[Fraction(2)], [Fraction(4)]]).usable
    assert (Lattice.of_levels([[Fraction(2)], [Fraction(4)]]).factor_code(Fraction(2)), lattice.usable) == (0, False)
    assert lattice.atom_code(Fraction(2)) == (0, 0)
    monkeypatch.setattr("dpcert.audit.algebra.lattice.CODE_LIMIT", 14)
    assert Lattice.of_levels([[Fraction(2)], [Fraction(4)]]).usable
    monkeypatch.setattr("dpcert.audit.algebra.lattice.MOST_FACTORS", 2)
    assert not Lattice.of_levels([[Fraction(2), Fraction(3)]]).crowded
    crowded = Lattice.of_levels([[Fraction(2), Fraction(3)], [Fraction(5)]])
    assert (crowded.crowded, crowded.usable) == (True, False)


def test_codes_are_forgotten_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.algebra.lattice.MOST_CODES", 3)
    lattice = Lattice.of_levels([[Fraction(2)]] * 4)
    codes = [lattice.atom_code(Fraction(2) ** k) for k in range(5)]
    assert codes == [lattice.atom_code(Fraction(2) ** k) for k in range(5)]
    assert len(set(codes)) == 5
    assert len(lattice._codes) <= 3


def test_a_code_counts_each_factor_in_a_place_of_its_own() -> None:
    """Each place has room for twice the reach either way; what lies past the reach of any factor is a root."""
    lattice = Lattice.of_levels([[Fraction(2)], [Fraction(3)], []])
    assert (lattice.base, lattice.reach) == ((2, 3), (1, 1))
    assert [lattice.factor_code(Fraction(n)) for n in (2, 3)] == [1, 5]
    assert lattice.atom_code(Fraction(2, 3)) == (1 - 5, 0)
    assert lattice.atom_code(Fraction(12)) == (0, 1)  # 2 twice, 3 once
    assert lattice.atom_code(Fraction(1, 12)) == (0, -1)
    assert lattice.atom_code(Fraction(7)) == (0, 2)
    assert lattice.atom_code(Fraction(1, 7)) == (0, -2)
    assert lattice.atom_code(Fraction(14)) == (1, 2)
    assert lattice.atom_code(Fraction(11)) == (0, 3)


def test_the_reach_is_that_of_the_largest_exponent_of_each_level() -> None:
    assert Lattice.of_levels([[Fraction(2), Fraction(8)], [], [Fraction(1, 4), Fraction(2)]]).reach == (5,)


def test_what_the_factors_do_not_span_is_a_root_though_the_base_has_it() -> None:
    lattice = Lattice.of_levels([[Fraction(2, 3)]])
    assert lattice.atom_code(Fraction(2, 3)) == (1, 0)
    code, root = lattice.atom_code(Fraction(2))
    assert root != 0
    assert lattice.atom_code(Fraction(3)) != (code, root)
    assert lattice.atom_code(Fraction(1, 2)) == (-code, -root)


def test_rows_of_fractions_are_taken_over_one_denominator() -> None:
    """Of factors that are powers of 12 = 2^2 3, whose row is 1, 1/2."""
    lattice = Lattice((2, 3), (4, 4), ((2, 1),))
    assert lattice._whole_rows == (2, [(0, [2, 1])])
    assert [lattice.atom_code(Fraction(12) ** k)[1] for k in (1, -1, 2)] == [0, 0, 0]
    assert lattice.atom_code(Fraction(6))[1] != 0


def test_codes_are_kept_up_to_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.algebra.lattice.MOST_CODES", 2)
    lattice = Lattice.of_levels([[Fraction(2)]] * 3)
    sizes = []
    for k in (1, 2, 2, 3, 1):
        lattice.atom_code(Fraction(2) ** k)
        sizes.append(len(lattice._codes))
    assert sizes == [1, 2, 2, 1, 2]
