"""The digest of laws: what releases can be, by the state they come from, the same in every process."""

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import Stopped
from dpcert.audit.identity import held
from dpcert.audit.kernels.label import exactly, in_full


def digest_of_laws(laws: Iterable[tuple[object, Pmf[Any]]], limit: Callable[[], None] = lambda: None) -> str:
    """SHA-256 over the laws met in scope, by state, in canonical order; of those that are read within the limit, which
    raises Stopped: for an audit that ended early, which did not meet them all."""
    lines: list[str] = []
    text_of: dict[Pmf[Any], str] = {}
    with suppress(Stopped):
        for state, law in laws:
            if law not in text_of:
                text_of[law] = _law(law, limit)
            lines.append(f"{exactly(held(state, copying=True))}\t{text_of[law]}")
    return digest_of_lines(lines)


def digest_of_lines(lines: Iterable[str]) -> str:
    """SHA-256 over texts of one line each, in whatever order they come."""
    return "sha256:" + hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def _law(law: Pmf[Any], limit: Callable[[], None]) -> str:
    outcomes = []
    weights, denominator = law.token_weights()
    for number, (y, w) in enumerate(weights.items()):
        if number % 100 == 0:
            limit()
        outcomes.append(f"{exactly(y)}:{in_full(Fraction(w, denominator))}")
    return " ".join(sorted(outcomes))
