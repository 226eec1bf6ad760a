"""What a claim takes for granted: cited facts, conditions, readings, refuted statements and axioms that it rests on."""

from collections.abc import Iterable, Mapping

from dpcert.proofs_checked.graph import WEAKEST_FIRST, ancestors
from dpcert.proofs_checked.ledger import Claim, Standing
from dpcert.proofs_checked.proofs import theorems


def assumed(names: Iterable[str], claims: Mapping[str, Claim], standings: Mapping[str, str]) -> list[str]:
    """A line for everything below some claims, themselves included, that does not simply hold, the weakest first.

    Args:
        names: Ids of claims.
        claims: The ledger.
        standings: Id -> standing, as it is pinned; UNDECIDED without.
    Raises: LedgerError: claims that rest on themselves.
    """
    entries: list[tuple[int, str]] = []
    axioms: dict[str, list[str]] = {}
    below = ancestors(names, claims)
    for name in below:
        entry, standing = claims[name], Standing(standings.get(name, "UNDECIDED"))
        if standing is not Standing.HOLDS:
            entries.append((WEAKEST_FIRST.index(standing), f"{standing.value:12}{name}: {_taken(entry)}"))
        for theorem in entry.theorems:
            if theorem in theorems():
                axioms.setdefault(theorems()[theorem].assumptions, []).append(theorem)
    lines = [line for _, line in sorted(entries)]
    lines += [f"PROVED      by Coq, axioms: {what} ({len(set(by))} theorems)" for what, by in sorted(axioms.items())]
    return lines or [f"Nothing: each of the {len(below)} claims holds by its own check."]


def _taken(entry: Claim) -> str:
    """What is assumed with a claim that does not simply hold."""
    if entry.condition is not None:
        return f"if {entry.condition}"
    if entry.readings:
        return f"read as {' or as '.join(entry.readings)}"
    if entry.source is not None:
        return f"{entry.statement} ({entry.source})"
    return (entry.corrected and f"as corrected: {entry.corrected}") or entry.statement
