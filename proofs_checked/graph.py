"""What rests on what: a claim is worth no more than the weakest statement it uses."""

from collections.abc import Mapping

from dpcert.proofs_checked.ledger import Claim, LedgerError, Standing

WEAKEST_FIRST = (
    Standing.REFUTED,
    Standing.UNDECIDED,
    Standing.AMBIGUOUS,
    Standing.CONDITIONAL,
    Standing.CITED,
    Standing.HOLDS,
)


def parents(entry: Claim, claims: Mapping[str, Claim]) -> list[str]:
    """The ids that a claim uses directly; a label stands for all the claims under it.

    Raises: LedgerError: a label or id that no claim has.
    """
    found: list[str] = []
    for used in entry.uses:
        ids = [used] if used in claims else [other.id for other in claims.values() if other.label == used]
        ids = [other for other in ids if other != entry.id]
        if not ids:
            raise LedgerError(f"Expected the label or id of a claim but got uses={used} in {entry.id}")
        found.extend(ids)
    return found


def transitive(direct: Mapping[str, Standing], claims: Mapping[str, Claim]) -> dict[str, Standing]:
    """The weakest standing among a claim and everything it rests on. Raises: LedgerError: a circle."""
    done: dict[str, Standing] = {}

    def settle(name: str, path: tuple[str, ...]) -> Standing:
        if name in path:
            raise LedgerError(f"Expected claims that do not rest on themselves but got {' -> '.join((*path, name))}")
        if name not in done:
            own = direct.get(name, Standing.UNDECIDED)
            below = [settle(parent, (*path, name)) for parent in parents(claims[name], claims)]
            done[name] = min([own, *below], key=WEAKEST_FIRST.index)
        return done[name]

    return {name: settle(name, ()) for name in claims}
