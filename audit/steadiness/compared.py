"""What comparing live runs found, and the bounds up to which they are compared."""

from collections.abc import Sequence
from typing import Any

from dpcert.audit.frozen import frozen

FEW, MANY = 8, 5_000
"""Live runs compared in fresh processes where nothing that the code can reach has changed, which rests on that; and
where something has, or not all could be seen, which rests on the runs: past so many the answer is open."""
MOST_CHANGES_NAMED = 3
"""Places that have changed of which a finding gives the names."""
FRESH, OTHER = "a fresh process", "another interpreter"


@frozen
class Difference:
    """A live run that went otherwise in a fresh process: its inputs, the round, what came here and what there."""

    inputs: tuple[Any, ...]
    round: int
    here: str
    there: str
    where: str = FRESH


def first_difference(
    inputs: tuple[Any, ...], here: Sequence[str], there: Sequence[str], where: str = FRESH
) -> Difference | None:
    """The first round in which one live run on these inputs went otherwise there than here."""
    for at, (one, other) in enumerate(zip(here, there, strict=False), 1):
        if one != other:
            return Difference(inputs[:at], at, one, other, where)
    return None


@frozen
class Comparison:
    """What comparing live runs found.

    Attributes:
        moved: What has changed since the audit began, by name.
        blind: Why what changes is not all seen; empty where it is.
        difference: A run that went otherwise, None if there is none.
        count: Runs compared.
        all: Whether these are all live runs there are.
        missing: Why no more were compared.
        cut: What ended the looking before its end; empty where nothing did.
        others: Other interpreters in which some live runs went alike.
        caches: What has changed and is no memory, by name: caches that say no more than they are asked.
    """

    moved: Sequence[str] = ()
    blind: str = ""
    difference: Difference | None = None
    count: int = 0
    all: bool = False
    missing: str = ""
    cut: str = ""
    others: int = 0
    caches: Sequence[str] = ()

    @property
    def rests_on_runs(self) -> bool:
        """Whether only all live runs can tell: something has changed, or may have unseen."""
        return bool(self.moved or self.blind)

    @property
    def most(self) -> int:
        """Runs that are compared at most."""
        return MANY if self.rests_on_runs else FEW

    @property
    def open(self) -> bool:
        """Whether something may outlive a run all the same."""
        return bool(self.cut) or (self.rests_on_runs and not self.all)

    @property
    def in_words(self) -> str:
        """What was compared, and what has changed."""
        if not self.count and not self.rests_on_runs and not self.missing and not self.cut:
            other = self._elsewhere.replace("some", "some live runs")
            return f"nothing that its code can reach changed, and it looks as if it changed nothing{other}."
        which = "all" if self.all else "some"
        compared = f"{self.count} live runs ({which} there are) went alike in fresh processes"
        reasons = "; ".join(reason for reason in (self.missing, self.cut) if reason)
        compared += f", no more were compared: {reasons}" if reasons else ""
        return f"{compared}{self._elsewhere}; {self.changes}."

    @property
    def _elsewhere(self) -> str:
        return f"; some went alike in {self.others} other interpreters" if self.others else ""

    @property
    def changes(self) -> str:
        """What has changed, in words."""
        names = ", ".join(self.moved[:MOST_CHANGES_NAMED])
        caches = ", ".join(self.caches[:MOST_CHANGES_NAMED])
        kept = f" but caches, which say no more than they are asked: {caches}" if caches else ""
        seen = (
            f"what it can reach has changed while it ran: {names}"
            if names
            else f"nothing that it can reach changed{kept}"
        )
        return f"{seen}, as far as could be seen ({self.blind})" if self.blind else seen
