"""Mechanisms that pages are made of, and what a page holds."""

from dataclasses import dataclass
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.examine import examine

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'


@dataclass(frozen=True)
class Hostile:
    """Every name that a mechanism chooses is an attack on the page."""

    note: str = IMAGE
    alphabet: tuple[str, ...] = (SCRIPT, IMAGE)
    horizon: int = 1

    def law(self, prefix: tuple[str, ...]) -> Pmf[str]:
        """Tells the two inputs apart."""
        p = Fraction(3, 4) if prefix[-1] == SCRIPT else Fraction(1, 4)
        return Pmf({SCRIPT: p, IMAGE: 1 - p})


@dataclass(frozen=True)
class Silent:
    """Never looks at its input."""

    alphabet: tuple[int, ...] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """A fair coin."""
        del prefix
        return bernoulli(Fraction(1, 2))


@dataclass(frozen=True)
class Open:
    """Releases its input as it is."""

    alphabet: tuple[int, ...] = (0, 1)
    horizon: int = 1

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """No noise."""
        return bernoulli(Fraction(prefix[-1]))


def document(mechanism: object, **asked: Any) -> dict[str, Any]:
    return dict(examine(mechanism, **asked).document)


class Elements(HTMLParser):
    """All start tags with their attributes, and the text in reading order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)
