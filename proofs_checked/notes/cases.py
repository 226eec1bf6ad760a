"""Answers of checks that go through every case of a family."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from dpcert.audit.finding import Finding
from dpcert.audit.rational import text
from dpcert.proofs_checked.ledger import found


def every(what: str, cases: Iterable[tuple[Any, ...]], holds: Callable[..., bool]) -> Finding:
    """HOLDS if `holds` is true of every case, with their number; REFUTED by the first that it is not true of.

    >>> every("halves", [(Fraction(1), 2), (Fraction(3), 1)], lambda whole, half: half * 2 == whole).witness
    {'case': ['1', '2']}
    """
    count = 0
    for count, case in enumerate(cases, 1):  # noqa: B007 - counted for the answer
        if not holds(*case):
            return found(
                False, f"Fails for {what}: {', '.join(shown(value) for value in case)}.", case=[*map(shown, case)]
            )
    return found(count > 0, f"All {count} {what}.")


def shown(value: object) -> str:
    """A value of a case, for a reader."""
    if isinstance(value, tuple | list):
        return "(" + ", ".join(shown(part) for part in value) + ")"
    return text(value) if isinstance(value, Fraction) else str(value)
