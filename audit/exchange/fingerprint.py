"""`primaryLocationLineHash`: what code scanning tells findings apart by when lines move, of each line of a file.

A rolling hash modulo 2^64 over the 100 characters from a line's start on, without blanks, with one kind of line break;
a second line with the same hash counts as 2, and so on. Characters are units of UTF-16.
"""

from collections import Counter

WINDOW = 100
FACTOR = 37
_MASK = (1 << 64) - 1
_FIRST = pow(FACTOR, WINDOW, 1 << 64)
_END = 65_535


def line_hashes(text: str) -> list[str]:
    """`HASH:COUNT` of every line, in order.

    >>> line_hashes("")
    ['c129715d7a2bc9a3:1']
    """
    units = _units(text)
    starts = [0, *(number + 1 for number, unit in enumerate(units) if unit == 10)]
    units = [*units, _END]
    counts: Counter[str] = Counter()
    hashes = []
    for value in _hashes(units, starts):
        name = f"{value:x}"
        counts[name] += 1
        hashes.append(f"{name}:{counts[name]}")
    return hashes


def _units(text: str) -> list[int]:
    """The units of a text that count: no blanks, and one line break for any kind of it."""
    plain = "".join(c for c in text.replace("\r\n", "\n").replace("\r", "\n") if c not in " \t")
    data = plain.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2)]


def _hashes(units: list[int], starts: list[int]) -> list[int]:
    """The hash over the window that begins at each start; behind the end there are zeros."""
    sequence = units + [0] * WINDOW
    ends = {start + WINDOW for start in starts}
    value, hashes = 0, []
    for position, unit in enumerate([*sequence, 0]):
        if position in ends:
            hashes.append(value)
        gone = sequence[position - WINDOW] if position >= WINDOW else 0
        value = (value * FACTOR + unit - _FIRST * gone) & _MASK
    return hashes
