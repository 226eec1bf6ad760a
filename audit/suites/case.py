"""One case of a suite: what is audited, in which scope, within which bounds, and what it has to come to."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from dpcert.audit.finding import Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import Asked
from dpcert.audit.sampled.sampling import Sampling
from dpcert.audit.verdicts.requirements import Requirements

if TYPE_CHECKING:
    from dpcert.audit.context.document import ContextDocument


class Status(StrEnum):
    """What a case has to come to; REFUTED is for controls that must fail, ANY for what a baseline alone watches."""

    HOLDS = "holds"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    ANY = "any"

    def met(self, verdict: Verdict) -> bool:
        """Whether an audit came to it."""
        return self is Status.ANY or self.value == verdict.value.lower()


@frozen
class Case:
    """One audit, as a suite or a command line asks for it.

    Attributes:
        name: What it is called in every output; no other case of the suite has this name.
        target: The target as it was written.
        place: The same, as it is found from the working directory.
        parameters: Values by name, as texts.
        horizon: Rounds, `inf`, or None for the mechanism's own.
        adjacency: The neighbouring relation as it was written; None for that of the game.
        relation: The same, as it is found from the working directory.
        game: The paired game, or the neighbour-preserving one.
        hops: How many neighbours apart the two streams are.
        challenge_round: The one round in which the streams differ; None for any.
        exp_epsilons: e^epsilon at which delta is exact; none for the usual ones.
        epsilons: epsilon at which delta is enclosed.
        deltas: delta for which epsilon is enclosed.
        requirements: What it has to show.
        status: What it has to come to.
        max_positions: Positions explored at most.
        max_seconds: Seconds at most.
        tier: How its curves are found.
        gap: What bounds may be apart; None for the usual.
        checkpoint: Where what was found is kept; empty for nowhere.
        cache: The folder in which its result is kept for later runs, and levels where it takes long; empty for none.
        sampling: How a black box is sampled; None where none is.
        context: What is declared of its use.
        command: The command that decides it, where that is no audit of a mechanism; its options are `parameters`.
        folder: Where the suite stands, from the working directory: paths in parameters begin there.
        certificate_gap: What the bounds of its certificate may exceed delta by; None for no certificate.
    """

    name: str
    target: str
    place: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    horizon: Asked = None
    adjacency: str | None = None
    relation: str | None = None
    game: Literal["paired", "npp"] = "paired"
    hops: int = 1
    challenge_round: int | None = None
    exp_epsilons: tuple[Fraction, ...] = ()
    epsilons: tuple[Fraction, ...] = ()
    deltas: tuple[Fraction, ...] = ()
    requirements: Requirements = field(default_factory=Requirements)
    status: Status = Status.HOLDS
    max_positions: int | None = None
    max_seconds: int | None = None
    tier: Literal["auto", "exact", "enclosed", "sampled"] = "auto"
    gap: Fraction | None = None
    checkpoint: str = ""
    cache: str = ""
    sampling: Sampling | None = None
    context: "ContextDocument | None" = None
    command: str = ""
    folder: str = ""
    certificate_gap: Fraction | None = None

    @property
    def scope(self) -> str:
        """The scope as it was asked for, on one line."""
        if self.command:
            return f"command={self.command} horizon={self.horizon or 'own'}"
        parts = {"game": self.game, "horizon": self.horizon or "own", "adjacency": self.adjacency or "usual"}
        rest = {"hops": self.hops, "challenge_round": self.challenge_round or "any"}
        sampled = {"tier": self.tier} if self.tier == "sampled" else {}
        return " ".join(f"{name}={value}" for name, value in (parts | rest | sampled).items())


def cases_in_words(count: int) -> str:
    """A number of cases, in words.

    >>> cases_in_words(1), cases_in_words(2)
    ('1 case', '2 cases')
    """
    return "1 case" if count == 1 else f"{count} cases"


@frozen
class Suite:
    """All cases of a file, in its order.

    Attributes:
        file: The file, as it was named.
        cases: Its cases.
        idle: Files that a pattern names and in which no mechanism was found.
        max_seconds: Seconds for all of them; None for no bound.
    """

    file: str
    cases: tuple[Case, ...]
    idle: tuple[str, ...] = ()
    max_seconds: int | None = None
