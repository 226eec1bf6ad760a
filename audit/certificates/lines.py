"""Lines that refer to one another by number, each with the last line that uses it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.rational import integer_text, text
from dpcert.audit.limits import look


@dataclass
class Lines:
    """The lines of a certificate after its header, in order; their numbers begin at 2."""

    digits: int = 1
    """Digits of the longest number so far."""
    _written: list[dict[str, Any]] = field(default_factory=list)
    _last: dict[int, int] = field(default_factory=dict)

    def add(self, line: dict[str, Any], uses: Iterable[int] = (), *, kept: bool = True) -> int:
        """The number of a new line.

        Args:
            line: What it says.
            uses: Numbers of the lines that it refers to.
            kept: Whether later lines refer to it.
        """
        look()
        self._written.append(line)
        number = len(self._written) + 1
        for used in uses:
            self._last[used] = number
        if kept:
            self._last[number] = number
        return number

    def whole(self, value: int) -> str:
        """A whole number as a line holds it."""
        digits = integer_text(value)
        self.digits = max(self.digits, len(digits))
        return digits

    def rational(self, value: Fraction) -> str:
        """A rational number as a line holds it."""
        self.whole(value.numerator), self.whole(value.denominator)
        return text(value)

    def wholes(self, values: Iterable[int]) -> str:
        """Several of them, in one text."""
        return " ".join(self.whole(value) for value in values)

    def documents(self) -> Iterable[Mapping[str, Any]]:
        """What the lines say, in order, without where they are used last."""
        return self._written

    def written(self, header: Mapping[str, Any]) -> str:
        """The whole certificate.

        Args:
            header: What the first line says beside what is counted: digits, lines in use at once, lines.
        """
        counts = {"digits": self.digits, "live": self._live(), "lines": len(self._written) + 1}
        texts = [_line({**header, **counts})]
        for number, line in enumerate(self._written, 2):
            texts.append(_line({**line, "last": self._last[number]} if number in self._last else line))
        return "\n".join(texts) + "\n"

    def _live(self) -> int:
        """The most lines in use at once."""
        ends: dict[int, int] = {}
        for last in self._last.values():
            ends[last] = ends.get(last, 0) + 1
        live = most = 0
        for number in range(2, len(self._written) + 2):
            live += number in self._last
            most = max(most, live)
            live -= ends.get(number, 0)
        return most


def _line(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=True, separators=(",", ":"))
