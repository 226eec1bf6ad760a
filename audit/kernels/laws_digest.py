"""The digest of laws: what releases can be, by the state they come from, the same in every process."""

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction
from operator import gt
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import Stopped
from dpcert.audit.identity import held
from dpcert.audit.kernels.label import exactly, in_full
from dpcert.audit.kernels.prefix_laws import PrefixLaws


def digest_of_laws(laws: Iterable[tuple[object, Pmf[Any]]], limit: Callable[[], None] = lambda: None) -> str:
    """SHA-256 over the laws met in scope, by state, in canonical order; of those that are read within the limit, which
    raises Stopped: for an audit that ended early, which did not meet them all."""
    text_of = _Texts(limit)
    if isinstance(laws, PrefixLaws):
        return _digest_of_prefixes(laws, text_of)
    lines: list[str] = []
    with suppress(Stopped):
        lines.extend(f"{_state(state)}\t{text_of(law)}" for state, law in laws)
    return digest_of_lines(lines)


class Written(str):
    """A state that is text already, as `exactly` writes it: made by who can tell that in less time."""

    __slots__ = ()


def _state(state: object) -> str:
    return state if type(state) is Written else exactly(held(state, copying=True))


def _digest_of_prefixes(laws: PrefixLaws, text_of: "_Texts") -> str:
    """The same as of any laws; lines that come in order need not be held all at once to be put in order."""
    digest, last = hashlib.sha256(), ""
    with suppress(Stopped):
        for block in laws.lines(text_of):
            text_of.limit()
            if any(map(gt, (last, *block), block)):
                return digest_of_lines(line for some in laws.lines(text_of) for line in some)
            digest.update("\n".join(("", *block) if last else block).encode())
            last = block[-1]
    return f"sha256:{digest.hexdigest()}"


def digest_of_lines(lines: Iterable[str]) -> str:
    """SHA-256 over texts of one line each, in whatever order they come."""
    return "sha256:" + hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


class _Texts:
    """Laws as texts, each distinct one once."""

    def __init__(self, limit: Callable[[], None]) -> None:
        self.limit = limit
        self._known: dict[Pmf[Any], str] = {}

    def __call__(self, law: Pmf[Any]) -> str:
        if law not in self._known:
            self._known[law] = _law(law, self.limit)
        return self._known[law]


def _law(law: Pmf[Any], limit: Callable[[], None]) -> str:
    outcomes = []
    weights, denominator = law.token_weights()
    for number, (y, w) in enumerate(weights.items()):
        if number % 100 == 0:
            limit()
        outcomes.append(f"{exactly(y)}:{in_full(Fraction(w, denominator))}")
    return " ".join(sorted(outcomes))
