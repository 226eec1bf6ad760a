"""Ways and states of code as bytes, for another process that has the same code: exact, and with nothing of a user's.

What is written is numbers, texts and tuples; outputs are those alone that come back as they were.
"""

import marshal
from collections.abc import Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from dpcert.audit.identity import held, value_of
from dpcert.audit.kernels.release import HALT
from dpcert.audit.scripted.tape import Interval, Key
from dpcert.audit.scripted.unknown import Unknown

WrittenDraws = tuple[tuple[int, ...], ...]
"""Of each draw: its round, its number, and numerators and denominators of both ends."""
_PLAIN = (int, bool, str, bytes, float, type(None))
_SENT: list[type] = []
"""Types of ours made of texts, which code releases."""


def sent(kind: type) -> None:
    """Registers a type of ours whose values are made of texts: they can be written.

    Args:
        kind: A dataclass.
    """
    _SENT.append(kind)


def written_draws(draws: Mapping[Key, Interval]) -> WrittenDraws:
    """What is known of some draws."""
    return tuple((*key, *low.as_integer_ratio(), *high.as_integer_ratio()) for key, (low, high) in draws.items())


def read_draws(draws: WrittenDraws) -> dict[Key, Interval]:
    """The same, read."""
    return {(t, k): (Fraction(a, b), Fraction(c, d)) for t, k, a, b, c, d in draws}


def written(value: Any) -> bytes:
    """Numbers, texts and tuples of these. Raises: Unknown: there is something else."""
    try:
        return marshal.dumps(value)
    except ValueError:
        raise Unknown("a form cannot be written") from None


def read(data: bytes) -> Any:
    """The same, read."""
    return marshal.loads(data)


class Tokens:
    """Outputs by number, each once."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def number(self, token: Any) -> int:
        """Which of them it is."""
        return self._numbers.setdefault(token, len(self._numbers))

    def all(self, tokens: Iterable[Any]) -> tuple[int, ...]:
        """Which each of them is."""
        return tuple(map(self.number, tokens))

    def written(self) -> bytes:
        """All of them. Raises: Unknown: one that does not come back as it was, or may not be sent."""
        data = written(tuple(_closed(value_of(token)) for token in self._numbers))
        if read_tokens(data) != list(self._numbers):
            raise Unknown("an output is another one when it is handed between processes")
        return data


def read_tokens(data: bytes) -> list[Any]:
    """Outputs as tokens, by number."""
    return [held(_opened(told), "output") for told in read(data)]


def _closed(value: Any) -> tuple[Any, ...]:
    """A value with its kind. Nothing is pickled, which leaves marks on classes. Raises: Unknown: it may not be sent."""
    kind = type(value)
    if kind is tuple:
        return ("tuple", *map(_closed, value))
    if kind is Fraction:
        return "Fraction", *value.as_integer_ratio()
    if any(kind is one for one in _PLAIN):
        return "plain", value
    if value is HALT:
        return ("HALT",)
    if any(kind is one for one in _SENT):
        return _SENT.index(kind), *(getattr(value, one.name) for one in fields(kind))
    raise Unknown("an output is no number or text, nor a tuple of these")


def _opened(told: tuple[Any, ...]) -> Any:
    kind, *parts = told
    if kind == "tuple":
        return tuple(map(_opened, parts))
    if kind == "Fraction":
        return Fraction(*parts)
    if kind == "HALT":
        return HALT
    return parts[0] if kind == "plain" else _SENT[kind](*parts)
