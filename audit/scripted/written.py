"""Ways and states of code as bytes, for another process that has the same code: exact, and with nothing of a user's.

What is written is numbers, texts and tuples; outputs are those alone that come back as they were.
"""

import marshal
import pickle
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.errors import ArgumentError
from dpcert.audit.identity import held, value_of
from dpcert.audit.scripted.tape import Interval, Key
from dpcert.audit.scripted.unknown import Unknown

WrittenDraws = tuple[tuple[int, ...], ...]
"""Of each draw: its round, its number, and numerators and denominators of both ends."""
_PLAIN = (int, bool, str, bytes, float, type(None), Fraction)
_OURS = ("dpcert.audit.kernels.release.Halt", "dpcert.audit.scripted.code.Raised")
"""Values of ours that code releases."""


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
        values = [value_of(token) for token in self._numbers]
        if not all(map(_is_data, values)):
            raise Unknown("an output is no number or text, nor a tuple of these")
        data = pickle.dumps(values)
        if read_tokens(data) != list(self._numbers):
            raise Unknown("an output is another one when it is handed between processes")
        return data


def read_tokens(data: bytes) -> list[Any]:
    """Outputs as tokens, by number. Raises: Unknown: one that is none here."""
    try:
        return [held(value, "output") for value in pickle.loads(data)]
    except ArgumentError as error:
        raise Unknown(str(error)) from None


def _is_data(value: Any) -> bool:
    """Whether there is nothing inside that does anything when it is read."""
    kind = type(value)
    if kind is tuple:
        return all(map(_is_data, value))
    return any(kind is one for one in _PLAIN) or f"{kind.__module__}.{kind.__qualname__}" in _OURS
