"""One matrix mechanism R x + z with Gaussian noise, audited: what was asked, and everything that was found."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from dpcert.audit.algebra.enclosure import Enclosure, Ends
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.checklist.conditions import Entry
from dpcert.audit.errors import expected
from dpcert.audit.finding import Verdict, worst
from dpcert.audit.verdicts.requirements import Claimed, Judgement
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.participations import AdjacentBins, EpochOrder, Once, Participation
from dpcert.mechanisms.matrices.record_change import RecordChange
from dpcert.mechanisms.matrices.released_error import SumErrors, sum_errors
from dpcert.mechanisms.matrices.sensitivity import Attainment, Sensitivity, Stream
from dpcert.mechanisms.matrices.workloads import NamedWorkload
from dpcert.mechanisms.matrix_audit.claimed import decided
from dpcert.mechanisms.matrix_audit.conditions import conditions


class PeerSensitivity(NamedTuple):
    """What a library makes of the sensitivity s(R) of its own object, and by which of its functions."""

    value: Fraction
    by: str


@dataclass(frozen=True)
class MatrixQuestion:
    """What is asked of one matrix mechanism.

    Args:
        file: Where the encoder was read from, as it was named.
        encoder: R.
        sigma: The deviation of the noise in every coordinate.
        clip: G, the norm that records are clipped to.
        change: How neighbouring streams differ in a participation.
        participation: In which rounds one person's records may stand.
        stream: Whether records are numbers or vectors.
        workload: M, what is published.
        deltas: Each with an epsilon to enclose.
        claims: Guarantees to decide.
        theirs: What the library that the encoder is of makes of its sensitivity.
        decoder: L, where it is given.
    Raises: ArgumentError: a sigma, clip or delta outside its domain.
    """

    file: str
    encoder: Encoder
    sigma: Fraction
    clip: Fraction
    change: RecordChange
    participation: Participation
    stream: Stream
    workload: NamedWorkload
    deltas: tuple[Fraction, ...]
    claims: tuple[Claimed, ...] = ()
    theirs: PeerSensitivity | None = None
    decoder: Floats | None = None

    def __post_init__(self) -> None:
        if self.sigma <= 0:
            raise expected("a sigma above 0", sigma=self.sigma)
        self.change.most(self.clip)
        for delta in self.deltas:
            if not 0 < delta < 1:
                raise expected("a delta above 0 and below 1", delta=delta)

    @property
    def most(self) -> Fraction:
        """The norm of a participation's change at most: G or 2 G."""
        return self.change.most(self.clip)

    @property
    def pattern(self) -> str:
        """The participations in words."""
        return participations_in_words(self.participation)


def participations_in_words(of: Participation) -> str:
    """The participations that one person may have.

    >>> participations_in_words(AdjacentBins())
    'two, in adjacent rounds'
    """
    if isinstance(of, Once):
        return "one"
    if isinstance(of, AdjacentBins):
        return "two, in adjacent rounds"
    if isinstance(of, EpochOrder):
        return f"{of.epochs}, one an epoch of {of.rounds_an_epoch} rounds, in a fixed order"
    return f"at most {of.max_participations}, any two at least {of.min_separation} rounds apart"


@dataclass(frozen=True)
class MatrixAudit:
    """What was found.

    Args:
        question: The question.
        sensitivity: s(R), in L2 and in L1, for changes of norm at most 1.
        shift: f_mu for mu = s(R) times the change over sigma: at least, by fixed inputs; at most, by inputs that adapt.
        epsilons: epsilon for every delta.
        entries: Checklist 1.
        judgements: The claims.
        errors: Of the sums, for noise of deviation 1, or why they were not worked out.
    """

    question: MatrixQuestion
    sensitivity: Sensitivity
    shift: GaussianShift
    epsilons: tuple[tuple[Fraction, Enclosure], ...]
    entries: tuple[Entry, ...]
    judgements: tuple[Judgement, ...]
    errors: SumErrors | str

    @property
    def peer_is_below(self) -> bool:
        """Whether the library's own sensitivity lies below what is attained, so that it promises too much."""
        theirs = self.question.theirs
        return theirs is not None and theirs.value**2 < self.sensitivity.l2_squared.lower

    @property
    def is_causal(self) -> bool:
        """Whether no row looks ahead, so that inputs may adapt at all."""
        return self.entries[0].finding.verdict is Verdict.HOLDS

    @property
    def verdict(self) -> Verdict:
        """Of Checklist 1 and the claims together."""
        found = [entry.finding.verdict for entry in self.entries]
        return worst([*found, *(one.finding.verdict for one in self.judgements)])


def audited(
    question: MatrixQuestion,
    *,
    checklist: tuple[Entry, ...] | None = None,
    errors: SumErrors | str | None = None,
    budget: Budget | None = None,
) -> MatrixAudit:
    """Everything of one question.

    Args:
        question: The question.
        checklist: Checklist 1, where more is known than the matrix alone tells.
        errors: Of the sums, or why there are none, where the encoder does not tell.
        budget: What bounds the work, where anything does.
    Raises: ArgumentError: participations that do not fit, or a matrix without entries.
    Source: paper.tex, sec:prefixsum_factor.
    """
    encoder = question.encoder
    sensitivity = column_sensitivity(encoder, question.participation, stream=question.stream)
    if sensitivity.l2_squared.upper == 0:
        raise expected("an encoder with an entry other than 0", encoder="a matrix of 0")
    squares = Ends(*(question.most**2 * end for end in sensitivity.l2_squared))
    shift = GaussianShift.of_noise(squares, question.sigma)
    entries = conditions(encoder) if checklist is None else checklist
    causal = entries[0].finding.verdict is Verdict.HOLDS
    scope, witness = f"{encoder.rounds} rounds, {question.pattern}", _witness(sensitivity.attained_by)
    claims = (decided(one, shift, scope, is_causal=causal, witness=witness) for one in question.claims)
    product = GaussianProduct(shift)
    epsilons = tuple((delta, product.epsilon_for(delta)) for delta in question.deltas)
    known = _errors(question, budget or Budget()) if errors is None else errors
    return MatrixAudit(question, sensitivity, shift, epsilons, entries, tuple(claims), known)


def _errors(question: MatrixQuestion, budget: Budget) -> SumErrors | str:
    """Of the sums; where the time ends with them, the rest is known all the same."""
    found = list[SumErrors | str]()
    with best_so_far(budget) as part:
        found.append(sum_errors(question.encoder, question.workload, question.decoder))
    return found[0] if found else part.stopped


def _witness(attained: Attainment) -> dict[str, Any]:
    return {"rounds": list(attained.rounds), "signs": list(attained.signs)}
