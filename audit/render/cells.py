"""Cells and tables: short exact fractions as they are, long ones as decimals rounded up, bounds rounded outward."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.decimals import down, near, up
from dpcert.audit.algebra.rational import parse
from dpcert.audit.errors import one_line
from dpcert.audit.frozen import frozen

LONGEST_FRACTION = 24
"""Characters up to which a fraction is shown in full."""
LONGEST_WORDS = 300
"""Characters of a sentence past which it is cut in a table."""
MOST_LISTED = 12
"""Values that one cell lists."""
_LONG_FRACTION = re.compile(r"\d+/\d+")
_UNBOUNDED = 10**9


@frozen
class Cell:
    """One entry of a table: a text, perhaps a decimal beside it, perhaps the full text behind it, and what stands in
    for digits that a longer number of its column has."""

    text: str
    aside: str = ""
    full: str = ""
    number: bool = False
    verdict: bool = False
    marked: bool = False
    pad: str = ""

    @property
    def lead(self) -> str:
        """What a page shows first: of a number with a decimal beside it, the decimal."""
        return self.aside if self.number and self.aside else self.text

    @property
    def rest(self) -> str:
        """What a page shows second: the fraction behind a decimal, or the aside."""
        return self.text if self.number and self.aside else self.aside

    @property
    def inline(self) -> str:
        """On one line: `991/10000 (0.0991)`."""
        return f"{self.text} ({self.aside})" if self.aside else self.text


@frozen
class Table:
    """Columns and rows of cells, under a caption, with a note below; where it is `narrow`, rows have headings; `spans`
    are headings over several columns, each with how many."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    narrow: bool = False
    spans: tuple[tuple[str, int], ...] = ()


def plain(value: object) -> str:
    """A foreign string on one line, without control or formatting characters.

    >>> plain("a" + chr(27) + "[31m")
    'a\\\\x1b[31m'
    """
    return one_line(str(value), _UNBOUNDED)


def words(value: object) -> Cell:
    """A foreign string as a cell; fractions too long to read become decimals, what is too long is cut, with the full
    text behind."""
    full = plain(value)
    brief = _LONG_FRACTION.sub(lambda match: _readable(match[0]), full)
    brief = shortened(brief, LONGEST_WORDS)
    return Cell(full) if brief == full else Cell(brief.replace("= ≈", "≈"), full=full)


def shortened(text: str, longest: int) -> str:
    """A text of which what is past its bound is counted, where that is shorter.

    >>> shortened("a" * 50, 9), shortened("a" * 99, 9)
    ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'aaaaaaaaa and 90 more characters, in the JSON record')
    """
    short = f"{text[:longest]} and {len(text) - longest} more characters, in the JSON record"
    return min(text, short, key=len)


def listing(values: Sequence[object]) -> str:
    """Foreign strings one after the other, the first MOST_LISTED of them.

    >>> listing(range(20))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 8 more'
    """
    left = len(values) - MOST_LISTED
    shown = ", ".join(map(plain, values[:MOST_LISTED]))
    return f"{shown} and {left} more" if left > 0 else shown


def number(text: str | None) -> Cell:
    """A rational of a record, exact where it is short; nothing or `infinite` stands for infinity.

    >>> number("991/10000").inline, number("2021/25200").inline
    ('991/10000 (0.0991)', '2021/25200 (≈ 0.0801985)')
    """
    if text is None or text == "infinite":
        return Cell("infinite", number=True)
    value = parse(text, "number")
    if len(text) > LONGEST_FRACTION:
        return Cell(near(value), full=plain(text), number=True)
    return Cell(plain(text), "" if value.denominator == 1 else near(value), number=True)


def short(text: str | None) -> str:
    """A rational inside a sentence, without a decimal beside it."""
    return number(text).text


def stated(name: str, cell: Cell) -> str:
    """`name` and its value as part of a sentence: `δ = 9/100 (0.09)`, `δ ≈ 0.286681`, `δ between 0.1 and 0.2`."""
    return f"{name} {'' if cell.text.startswith(('≈', 'between')) else '= '}{cell.inline}"


def bracket(low: str | None, high: str | None) -> Cell:
    """A number known between two rationals; their decimals are rounded outward."""
    if low == high:
        return number(low)
    ends = outward(low, high)
    return Cell(f"between {ends[0]} and {ends[1]}", full=f"{_exact(low)} to {_exact(high)}", number=True)


def enclosure(low: str, high: str) -> Cell:
    """A real number in a rational interval, as the interval; its decimals are rounded outward."""
    if low == high:
        return number(low)
    ends = outward(low, high)
    return Cell(f"[{ends[0]}, {ends[1]}]", full=f"[{_exact(low)}, {_exact(high)}]", number=True)


def outward(low: str | None, high: str | None) -> tuple[str, str]:
    """Both ends as decimals, the lower one rounded down and the upper one up."""
    return _end(low, down), _end(high, up)


def ends_of(curve: Mapping[str, Any], key: str) -> tuple[str | None, str | None]:
    """A number of a curve; where the curve is only enclosed, of its lower and its upper bound."""
    return curve.get("lower", curve)[key], curve[key]


def _end(text: str | None, rounded: Callable[[Fraction], str]) -> str:
    return "infinite" if text in {None, "infinite"} else rounded(parse(str(text), "bound"))


def _exact(text: str | None) -> str:
    return "infinite" if text is None else plain(text)


def _readable(fraction: str) -> str:
    if len(fraction) <= LONGEST_FRACTION or not fraction.rpartition("/")[2].strip("0"):
        return fraction
    return near(parse(fraction, "number"))
