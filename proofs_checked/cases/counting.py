"""Answers of checks that go through every case of a family."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from inspect import signature
from typing import Any

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding
from dpcert.proofs_checked.ledger import found


def every(what: str, cases: Iterable[tuple[Any, ...]], holds: Callable[..., bool]) -> Finding:
    """HOLDS if `holds` is true of every case, with their number; REFUTED by the first that it is not true of.

    >>> every("halves", [(Fraction(1), 2), (Fraction(3), 1)], lambda whole, half: half * 2 == whole).witness
    {'whole': '1', 'half': '2'}
    """
    count = 0
    for count, case in enumerate(cases, 1):  # noqa: B007 - counted for the answer
        if not holds(*case):
            return found(False, f"Fails for one of the {what}.", **_named(holds, case))
    return found(count > 0, f"All {count} {what}.")


def _named(holds: Callable[..., bool], case: tuple[Any, ...]) -> dict[str, str]:
    """A case as a witness, its parts under the names that `holds` gives them."""
    names = list(signature(holds).parameters)
    names = names if len(names) == len(case) else [str(i) for i in range(1, len(case) + 1)]
    return {name: shown(value) for name, value in zip(names, case, strict=True)}


def shown(value: object) -> str:
    """A value of a case, for a reader."""
    if isinstance(value, tuple | list) and type(value).__str__ in (tuple.__str__, list.__str__):
        return "(" + ", ".join(shown(part) for part in value) + ")"
    if isinstance(value, PowerFunction):
        return shown(value.vertices)
    return text(value) if isinstance(value, Fraction) else str(value)
