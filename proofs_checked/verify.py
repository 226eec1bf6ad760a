"""Running the ledger: every claim decided, in several processes, and compared with what is expected."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypedDict

from dpcert.audit.errors import one_line
from dpcert.audit.finding import Finding, Verdict
from dpcert.audit.workers.workers import Workers
from dpcert.proofs_checked.discovery import ledger
from dpcert.proofs_checked.expected import expected_standings
from dpcert.proofs_checked.graph import ancestors, transitive
from dpcert.proofs_checked.ledger import Claim, ClaimOutcome, Standing, run
from dpcert.proofs_checked.proofs import is_stale, proof_words


class ClaimDocument(TypedDict):
    """A checked claim as it stands in a JSON report."""

    id: str
    label: str
    row: int | None
    statement: str
    verdict: str
    transitive: str
    expected: str | None
    method: str | None
    proof: str | None
    scope: str
    detail: str
    witness: dict[str, Any]


@dataclass(frozen=True)
class CheckedClaim:
    """One claim of a checked ledger: what was found, its transitive standing, and what was expected.

    `pinned` are the ids that it rests on and whose standing was not found here, but taken from expected.json.
    """

    entry: Claim
    outcome: ClaimOutcome
    transitive: Standing
    expected: str | None
    pinned: tuple[str, ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether the standing is the one that stands in expected.json, and no theorem that proves it is stale."""
        return self.outcome.standing.value == self.expected and not is_stale(self.entry.theorems)

    def document(self) -> ClaimDocument:
        """The claim as it stands in a JSON report."""
        finding = self.outcome.finding
        return {
            "id": self.entry.id,
            "label": self.entry.label,
            "row": self.entry.row,
            "statement": self.entry.statement,
            "verdict": self.outcome.standing.value,
            "transitive": self.transitive.value,
            "expected": self.expected,
            "method": None if finding.method is None else finding.method.value,
            "proof": proof_words(self.entry.theorems) or None,
            "scope": finding.scope,
            "detail": finding.detail,
            "witness": dict(finding.witness),
        }


def check(
    ids: Iterable[str], workers: Workers, progress: Callable[[str], None]
) -> tuple[list[CheckedClaim], list[str]]:
    """The claims named, decided; and the expected ids that the ledger does not have, where all were asked for.

    Args:
        ids: Of the claims.
        workers: Who decides the claims.
        progress: Told of each claim that is decided.
    Raises: ArgumentError: no Dask, no scheduler, no worker, or a worker that is not set up for this.
    """
    claims = ledger()
    names = list(ids)
    whole = set(names) == set(claims)
    closure = names if whole else ancestors(names, claims)  # a transitive standing needs both
    outcomes: dict[str, ClaimOutcome] = {}
    for done, (name, outcome) in enumerate(_outcomes(closure, workers), 1):
        outcomes[name] = outcome
        progress(f"{done} of {len(closure)} claims: {name}")
    standings = transitive({name: outcome.standing for name, outcome in outcomes.items()}, claims)
    expected = expected_standings()
    lines = [CheckedClaim(claims[name], outcomes[name], standings[name], expected.get(name)) for name in names]
    return lines, sorted(set(expected) - set(claims)) if whole else []


def alone(ids: Iterable[str]) -> list[CheckedClaim]:
    """The claims named, decided, and no other; what they rest on stands as expected.json has it, undecided without."""
    claims, words = ledger(), expected_standings()
    outcomes = {name: decide(name) for name in ids}
    pinned = {name: Standing(word) for name, word in words.items() if name in claims}
    standings = transitive(pinned | {name: outcome.standing for name, outcome in outcomes.items()}, claims)
    return [
        CheckedClaim(
            claims[name],
            outcome,
            standings[name],
            words.get(name),
            tuple(other for other in ancestors([name], claims) if other not in outcomes),
        )
        for name, outcome in outcomes.items()
    ]


def _outcomes(names: list[str], workers: Workers) -> Iterator[tuple[str, ClaimOutcome]]:
    """(id, outcome) as they come in."""
    if workers.here:
        yield from ((name, decide(name)) for name in names)
        return
    for reply in workers.calls(decide).replies(names):
        yield names[reply.number], reply.answer if reply.answer is not None else _undecided(reply.lost)


def _undecided(detail: str) -> ClaimOutcome:
    return ClaimOutcome(Standing.UNDECIDED, Finding(Verdict.UNDECIDED, None, "", detail))


def decide(name: str) -> ClaimOutcome:
    """One claim decided; a check that raises leaves it undecided, with the reason.

    Steps are tried once: a test decides the claims on hidden states with two passes.
    """
    from dpcert.audit.kernels.draws import tried_once  # only now is anything computed

    try:
        with tried_once():
            return run(ledger()[name])
    except Exception as error:  # noqa: BLE001 - one broken check must not hide what the others found
        return _undecided(f"The check raised {type(error).__name__}: {one_line(str(error))}")
