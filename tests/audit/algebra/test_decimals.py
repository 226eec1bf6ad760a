"""Decimals of rationals against a search by whole numbers: never below, above by less than a unit, and marked then."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import floor
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instances.seeds import chosen

from dpcert.audit.algebra.decimals import READ_DIGITS, ROUNDED_UP, _exponent, down, equated, measured, near, up
from dpcert.audit.algebra.rational import text
from dpcert.audit.records.section import shown as in_section
from dpcert.audit.render.cells import LONGEST_FRACTION, bracket, enclosure, number, stated, words
from dpcert.audit.suites.baseline import _shown as in_baseline
from dpcert.audit.tables import formats
from dpcert.audit.tables.table import ExactTable, shown
from dpcert.mechanisms.design.plan_document import number as in_plan
from dpcert.proofs_checked.tables import formats as formats_of_claims


def unit(value: Fraction, digits: int = READ_DIGITS) -> Fraction:
    """One of the last digit of a number, by trial."""
    size, power = abs(value), Fraction(1)
    while size >= 10 * power:
        power *= 10
    while size < power:
        power /= 10
    return power / 10 ** (digits - 1)


def tiny(rng: Random) -> Fraction:
    """Between 10^-330 and 10^-1, past what floats know."""
    return Fraction(rng.randrange(1, 10**12), rng.randrange(1, 10**12)) / 10 ** rng.randrange(14, 330)


def near_one(rng: Random) -> Fraction:
    """1 less something, or more."""
    return 1 + rng.choice((-1, 1)) * Fraction(rng.randrange(1, 10**6), 10 ** rng.randrange(7, 40))


def huge(rng: Random) -> Fraction:
    return Fraction(rng.randrange(10**9, 10**12) ** rng.randrange(1, 30), rng.randrange(1, 10**6))


def negative(rng: Random) -> Fraction:
    return -rng.choice((tiny, near_one, huge, of_many_digits, by_a_hair))(rng)


def of_many_digits(rng: Random) -> Fraction:
    """A probability with thousands of digits above and below."""
    below = rng.getrandbits(20_000) | 1 << 20_000
    return Fraction(rng.randrange(1, below), below)


def by_a_hair(rng: Random) -> Fraction:
    """A short decimal, and so little more or less that every rounding to the nearest gives that decimal."""
    short = Fraction(rng.randrange(1, 10**6), 10 ** rng.randrange(0, 12))
    return short + rng.choice((-1, 0, 1)) * short / 10 ** rng.randrange(9, 60)


def short(rng: Random) -> Fraction:
    return Fraction(rng.randrange(1, 2_000), rng.randrange(1, 2_000))


KINDS: tuple[Callable[[Random], Fraction], ...] = (tiny, near_one, huge, negative, of_many_digits, by_a_hair, short)


def drawn() -> Iterator[Fraction]:
    """Numbers of every kind; what is lost by none of them is at most what is shown."""
    yield from (Fraction(0), Fraction(1), Fraction(28_668_040_000_000_000_000_001, 10**23), Fraction(33, 10**208))
    for kind in KINDS:
        for seed in chosen(range(80)):
            yield kind(Random(f"{kind.__name__} {seed}"))


def decimal_of(words: str) -> Fraction:
    """What stands beside the sign, or after an equals sign, or by itself."""
    return Fraction(words.replace(r"\approx", "≈").strip("$() ").removeprefix("≈").removeprefix("=").strip())


def aside(cell: str) -> str:
    """What stands beside a fraction in round brackets; of a whole number or a long one itself."""
    return cell.rpartition("(")[2].rstrip(")$") if "(" in cell else cell


def in_table(value: Fraction) -> ExactTable:
    """One number, and one that keeps its column numeric."""
    return ExactTable("one", "One", (("value", "value"),), ((value,),))


def only_row(table: str) -> str:
    """The row of numbers of a table in LaTeX."""
    return next(line for line in table.splitlines() if line.startswith("$")).removesuffix(r" \\")


WAYS: dict[str, Callable[[Fraction], str]] = {
    "near": near,
    "equated": equated,
    "a cell": lambda value: number(text(value)).aside or number(text(value)).text,
    "a bracket of one number": lambda value: bracket(text(value), text(value)).inline.rpartition("(")[2].rstrip(")"),
    "an upper end": lambda value: bracket(text(value - 1), text(value)).text.rpartition(" and ")[2],
    "an upper end of an interval": lambda value: enclosure(text(value - 1), text(value)).text[1:-1].split(", ")[1],
    "a sentence": lambda value: aside(stated("δ", number(text(value)))[1:].strip()),
    "a table's cell": lambda value: aside(shown(value)),
    "Markdown": lambda value: aside(formats.markdown(in_table(value)).splitlines()[-1].strip("| ")),
    "LaTeX": lambda value: aside(only_row(formats.latex(in_table(value), "tab:one"))),
    "CSV": lambda value: formats.comma_separated(in_table(value)).splitlines()[1].split(",")[1],
    "Markdown of claims": lambda value: aside(formats_of_claims.markdown(in_table(value)).splitlines()[-1].strip("| ")),
    "LaTeX of claims": lambda value: aside(
        formats_of_claims.latex(in_table(value)).splitlines()[5].removesuffix(r" \\")
    ),
    "CSV of claims": lambda value: formats_of_claims.comma_separated(in_table(value)).splitlines()[1].split(",")[1],
    "a baseline's line": lambda value: aside(in_baseline(text(value))),
    "a plan's fact": in_plan,
}
"""Ways to show a number, each with the decimal that stands for it."""


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("way", WAYS)
def test_no_way_of_showing_a_number_goes_below_it(way: str) -> None:
    """And none goes above it by one of its last digit."""
    for value in drawn():
        found = decimal_of(WAYS[way](value))
        assert value <= found, (way, value)
        assert found == value or (value != 0 and found - value < unit(value)), (way, value)


def test_what_a_number_is_shown_by_is_marked_where_it_is_above_and_nowhere_else() -> None:
    for value in drawn():
        assert near(value).startswith(ROUNDED_UP) is (Fraction(near(value).removeprefix(ROUNDED_UP)) > value)
        assert equated(value).startswith("= ") is not near(value).startswith(ROUNDED_UP)
        cell = number(text(value))
        assert cell.full or Fraction(cell.text) == value  # where there is no fraction there is the full text behind it


def test_cells_of_sections_and_fractions_in_sentences_are_rounded_up() -> None:
    for value in drawn():
        in_a_row = in_section(value)
        assert decimal_of(in_a_row) >= value
        assert in_a_row.startswith(ROUNDED_UP) is (decimal_of(in_a_row) > value)
        said = words(f"reaches {text(value)} of it").text.removeprefix("reaches ").removesuffix(" of it")
        if value.denominator > 1 and len(text(value).removeprefix("-")) > LONGEST_FRACTION and value > 0:
            assert value <= decimal_of(said) <= value + unit(value)


@settings(deadline=None)
@given(st.fractions() | st.fractions(max_denominator=10**40).map(lambda x: x / 10**30), st.integers(1, 12))
def test_decimals_of_both_ends_are_the_next_ones(value: Fraction, digits: int) -> None:
    step = unit(value, digits) if value else Fraction(1)
    below = floor(value / step) * step
    assert Fraction(down(value, digits)) == below
    assert Fraction(up(value, digits)) == (value if below == value else below + step)
    assert abs(Fraction(measured(value, digits)) - value) <= step / 2


def test_a_number_mirrored_is_rounded_the_other_way() -> None:
    for value in drawn():
        assert Fraction(up(-value)) == -Fraction(down(value))
        assert Fraction(down(value)) <= Fraction(measured(value)) <= Fraction(up(value))


@pytest.mark.parametrize(
    ("value", "least", "rounded", "most"),
    [
        (Fraction(9_999_994, 10), "999999", "999999", "1000000"),
        (Fraction(9_999_999, 10), "999999", "1000000", "1000000"),
        (Fraction(1, 3), "0.333333", "0.333333", "0.333334"),
        (Fraction(99_999_999, 10**8), "0.999999", "1", "1"),
        (Fraction(-1, 8), "-0.125", "-0.125", "-0.125"),
        (Fraction(1, 10**5), "0.00001", "0.00001", "0.00001"),
        (Fraction(9, 10**6), "9e-6", "9e-6", "9e-6"),
        (Fraction(1, 10**6), "1e-6", "1e-6", "1e-6"),
        (Fraction(10**9), "1e9", "1e9", "1e9"),
        (Fraction(10**8), "100000000", "100000000", "100000000"),
        (Fraction(0), "0", "0", "0"),
        (Fraction(12_345_678_999), "1.23456e10", "1.23457e10", "1.23457e10"),
        (Fraction(2, 3 * 10**7), "6.66666e-8", "6.66667e-8", "6.66667e-8"),
        (Fraction(33, 10**208) + Fraction(1, 10**300), "3.3e-207", "3.3e-207", "3.30001e-207"),
    ],
)
def test_a_decimal_has_an_exponent_only_past_five_zeros(value: Fraction, least: str, rounded: str, most: str) -> None:
    assert (down(value), measured(value), up(value)) == (least, rounded, most)


def test_the_exponent_is_that_of_the_largest_power_of_ten() -> None:
    for power in range(-30, 31):
        ten = Fraction(10) ** power
        for size in (ten, ten * 9, ten * Fraction(999_999, 100_000)):
            assert _exponent(size) == power
    assert _exponent(Fraction(3**700)) == len(str(3**700)) - 1
