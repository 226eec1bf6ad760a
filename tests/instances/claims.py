"""Small claims made up to test the ledger with."""

from collections.abc import Callable
from typing import Any

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.ledger import Claim, claim, found

Stage = Callable[..., None]
FEW: dict[str, Any] = {"row": 1, "method": Method.EXHAUSTIVE, "scope": "a number"}


def even(label: str = "lem:even", uses: tuple[str, ...] = (), **given: Any) -> Claim:
    @claim(label, uses=uses, **(FEW | given))
    def is_even(subject: int) -> Finding:
        """The number is even."""
        return found(subject % 2 == 0, f"{subject} mod 2 is {subject % 2}.", number=subject)

    return is_even


HOLDS = even(subject=2, mutant=3)
REFUTED = even("lem:odd", subject=3, control=2)
