"""Probed code, audited: the matrices that were recovered, what is wrong with them, and what they give away."""

from dataclasses import dataclass, replace
from fractions import Fraction

from dpcert.audit.algebra.decimals import up
from dpcert.audit.errors import expected
from dpcert.audit.finding import Finding, Method, Verdict, worst
from dpcert.audit.verdicts.families import Concentration, Gaussian
from dpcert.audit.verdicts.requirements import Claimed, Judgement
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.correlated import Residuals
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.participations import Participation
from dpcert.mechanisms.matrices.record_change import RecordChange
from dpcert.mechanisms.matrices.sensitivity import Stream
from dpcert.mechanisms.matrices.whitened import levelled
from dpcert.mechanisms.matrices.workloads import named_workload
from dpcert.mechanisms.matrix_audit.audited import MatrixAudit, MatrixQuestion, audited
from dpcert.mechanisms.probe.borne_out import is_borne_out
from dpcert.mechanisms.probe.claimed_noise import NOISE_TOLERANCE, deviation_fault, noise_faults, strategy_noise
from dpcert.mechanisms.probe.conditions import probed_conditions
from dpcert.mechanisms.probe.coordinates import Coordinate, coordinate
from dpcert.mechanisms.probe.faults import NamedFault
from dpcert.mechanisms.probe.noise_faults import drawn_again, drawn_anew, looks_ahead, without_noise
from dpcert.mechanisms.probe.pure import PureLoss, pure_claim, pure_loss
from dpcert.mechanisms.probe.recovered import ProbeResult, recovered
from dpcert.mechanisms.probe.restarted import after_restart
from dpcert.mechanisms.probe.script import Family
from dpcert.mechanisms.probe.target import ProbeTarget
from dpcert.mechanisms.probe.uneven import on_uneven_runs

LARGEST_CLIP = 1 << 512
"""The largest clip norm of a probe, and the inverse of the least: inputs are floats."""
MOST_CONSTANT = 1 << 16
"""The size of a release without inputs and noise, over the largest entry of A and B, past which those are not told."""
BARE = "inputs are told without noise"
NO_WORKLOAD = "of what is released, the variances stand above"


@dataclass(frozen=True)
class ProbeQuestion:
    """What is asked of probed code.

    Args:
        target: The code.
        horizon: Rounds.
        dimension: Of inputs; None for numbers.
        clip: G, the norm that inputs are clipped to.
        change: How neighbouring streams differ in a participation.
        participation: In which rounds one person's records may stand.
        deltas: Each with an epsilon to enclose.
        claims: Guarantees to decide.
        sigma: The deviation that noise is claimed to have.
        strategy: The encoder that it is claimed to be, with its name.
        restart: After which round it is restarted.
    Raises: ArgumentError: a number outside its domain, or a strategy without a deviation.
    """

    target: ProbeTarget
    horizon: int
    dimension: int | None
    clip: Fraction
    change: RecordChange
    participation: Participation
    deltas: tuple[Fraction, ...]
    claims: tuple[Claimed, ...] = ()
    sigma: Fraction | None = None
    strategy: tuple[str, Encoder] | None = None
    restart: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.clip * LARGEST_CLIP <= LARGEST_CLIP**2:
            raise expected("a clip norm that is a float, from 2^-512 to 2^512 (LARGEST_CLIP)", clip=self.clip)
        if self.strategy is not None and self.sigma is None:
            raise expected("a sigma with a strategy", sigma=None)
        if self.strategy is not None and self.dimension is not None:
            raise expected("a strategy for a stream of numbers, not of vectors", dimension=self.dimension)
        if self.restart is not None and not 1 <= self.restart < self.horizon:
            raise expected(f"a restart after a round from 1 to {self.horizon - 1}", restart=self.restart)
        self.participation.check(self.horizon)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of all inputs."""
        return (self.horizon,) if self.dimension is None else (self.horizon, self.dimension)

    @property
    def width(self) -> int:
        """Numbers of an input."""
        return self.dimension or 1


@dataclass(frozen=True)
class ProbeAudit:
    """What was found.

    Args:
        question: The question.
        matrices: A, B and c, or what refutes them.
        remainder: What is left of every release given those before; None where there are no matrices.
        gaussian: The audit of the recovered strategy, where its noise is Gaussian.
        pure: The loss, where its noise is Laplace.
        why: Why there is neither.
        faults: What is wrong, by name.
        judgements: What was claimed, in any way.
    """

    question: ProbeQuestion
    matrices: ProbeResult
    remainder: Residuals | None
    gaussian: MatrixAudit | None
    pure: PureLoss | None
    why: str | None
    faults: tuple[NamedFault, ...]
    judgements: tuple[Judgement, ...]

    @property
    def scope(self) -> str:
        """What all of it rests on."""
        return _runs(self.question, self.matrices)

    @property
    def verdict(self) -> Verdict:
        """Of faults, Checklist 1 and claims together; without a loss it is never that all holds.

        What contradicts the model alone leaves it open how much is given away: that is undecided.
        """
        said = [one.finding.verdict for one in self.judgements]
        said += [entry.finding.verdict for entry in self.gaussian.entries] if self.gaussian else []
        said += [Verdict.REFUTED] if any(fault.refutes and not fault.is_of_model for fault in self.faults) else []
        said += [Verdict.UNDECIDED] if self.gaussian is None and self.pure is None else []
        return worst([Verdict.HOLDS, *said])


def _runs(question: ProbeQuestion, matrices: ProbeResult) -> str:
    return f"as probed on {matrices.runs} runs of {question.horizon} rounds"


def _rounded(remainder: Residuals) -> str:
    """What is taken for rounding, where anything is."""
    if not remainder.rounded:
        return ""
    many = f"{len(remainder.rounded)} release{'s' if len(remainder.rounded) > 1 else ''}"
    return f", with {many} taken for combinations of others, to within rounding"


def probed(question: ProbeQuestion) -> ProbeAudit:
    """Everything of one question. Raises: MechanismError, TargetError: the code fails, or draws what is unsupported."""
    matrices = recovered(
        question.target,
        horizon=question.horizon,
        dimension=question.dimension,
        clip=question.clip,
        restart=question.restart,
    )
    scope = f"{_runs(question, matrices)}, to within {up(matrices.resolution, 4)} of a release"
    if matrices.fault is not None:
        why = f"{matrices.fault.name.value}: there are no matrices to audit"
        return _outside(question, matrices, matrices.fault, why, scope)
    small = on_uneven_runs(question.target, matrices, question.shape, question.clip, question.restart)
    remainder, scope = small.remainder, f"{scope}{_rounded(small.remainder)}"
    is_bare = bool(remainder.noiseless) and is_borne_out(
        question.target, matrices, remainder.noiseless[0], question.shape, question.restart
    )
    faults = list(_faults(question, matrices, remainder, is_bare))
    families = {d.family for j, d in enumerate(matrices.draws) if any(row[j] for row in matrices.noise)}
    reason = _unknown_loss(matrices, remainder, small.doubt, is_bare, len(families))
    if reason is not None:
        return _without_loss(question, matrices, remainder, reason, tuple(faults), scope, bare=reason == BARE)
    if Family.LAPLACE in families:
        return _with_laplace(question, matrices, remainder, faults, scope)
    return _with_gaussian(question, matrices, remainder, faults, scope)


def _unknown_loss(
    matrices: ProbeResult, remainder: Residuals, doubt: str | None, is_bare: bool, families: int
) -> str | None:
    """Why no number says what is given away; None where one does."""
    if max(map(abs, matrices.constant)) > MOST_CONSTANT * matrices.largest:
        return "a constant hides what inputs and noise do"
    if doubt is not None:
        return doubt
    if remainder.noiseless:
        return BARE if is_bare else "releases without noise by the matrices were not borne out by other runs"
    if families > 1:
        return "noise of several families is not accounted for"
    return None if any(any(row) for row in remainder.rows) else "no release depends on an input"


def _faults(question: ProbeQuestion, matrices: ProbeResult, remainder: Residuals, is_bare: bool) -> list[NamedFault]:
    """What the matrices show, but for claims about their noise; releases without noise if other runs bear it out."""
    made = [looks_ahead(matrices, question.width), *(without_noise(matrices, remainder) if is_bare else ())]
    if question.restart is not None:
        made.append(after_restart(matrices, question.restart, question.width))
    return [fault for fault in (*made, *drawn_again(matrices), *drawn_anew(matrices, remainder)) if fault is not None]


def _without_loss(
    question: ProbeQuestion,
    matrices: ProbeResult,
    remainder: Residuals | None,
    why: str,
    faults: tuple[NamedFault, ...],
    scope: str,
    *,
    bare: bool = False,
) -> ProbeAudit:
    """No number is told; claims are open, or refuted where a release gives inputs away."""
    checks = tuple(_bare(claim, faults, scope) if bare else _open(claim.name, why, scope) for claim in question.claims)
    more, about = _noise_claims(question, matrices, scope) if remainder is not None and not bare else ((), ())
    return ProbeAudit(question, matrices, remainder, None, None, why, (*faults, *more), (*checks, *about))


def _outside(question: ProbeQuestion, matrices: ProbeResult, fault: NamedFault, why: str, scope: str) -> ProbeAudit:
    """Of code that is no A x + B z: no strategy's, whose loss is open unless two neighbours were told apart."""
    checks = [
        _apart(one, fault, scope) if fault.tells_apart else _open(one.name, why, scope) for one in question.claims
    ]
    if question.strategy is not None:
        checks.append(_told(f"the noise of {question.strategy[0]}", fault, scope))
    return ProbeAudit(question, matrices, None, None, None, why, (fault,), tuple(checks))


def _apart(claim: Claimed, fault: NamedFault, scope: str) -> Judgement:
    if not isinstance(claim, Concentration | Gaussian) and claim.delta >= 1:
        return Judgement(
            claim.name, Finding(Verdict.HOLDS, Method.BY_CONSTRUCTION, scope, "A delta of 1 is no promise.")
        )
    found = Finding(Verdict.REFUTED, Method.SAMPLED, scope, f"Exceeded: {fault.detail}", dict(fault.witness))
    return Judgement(claim.name, found)


def _open(name: str, why: str, scope: str) -> Judgement:
    return Judgement(name, Finding(Verdict.UNDECIDED, None, scope, f"Open: {why}."))


def _bare(claim: Claimed, faults: tuple[NamedFault, ...], scope: str) -> Judgement:
    """Two neighbours are told apart for certain."""
    if not isinstance(claim, Concentration | Gaussian) and claim.delta >= 1:
        return Judgement(
            claim.name, Finding(Verdict.HOLDS, Method.BY_CONSTRUCTION, scope, "A delta of 1 is no promise.")
        )
    witness = next(fault.witness for fault in faults if "combination" in fault.witness)
    detail = "Exceeded: a combination of releases tells two neighbours apart for certain."
    return Judgement(claim.name, Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, dict(witness)))


def _with_laplace(
    question: ProbeQuestion, matrices: ProbeResult, remainder: Residuals, faults: list[NamedFault], scope: str
) -> ProbeAudit:
    more, about = _noise_claims(question, matrices, scope)
    if question.dimension is not None:
        return _without_loss(
            question, matrices, remainder, "Laplace noise on vectors is not accounted for", tuple(faults), scope
        )
    loss = pure_loss(matrices, remainder, question.participation, question.change.most(question.clip))
    if loss is None:
        why = "more Laplace draws than releases tell apart are not accounted for"
        return _without_loss(question, matrices, remainder, why, tuple(faults), scope)
    causal = looks_ahead(matrices, question.width) is None
    claims = tuple(pure_claim(claim, loss, scope, is_causal=causal) for claim in question.claims)
    return ProbeAudit(question, matrices, remainder, None, loss, None, (*faults, *more), (*claims, *about))


def _with_gaussian(
    question: ProbeQuestion, matrices: ProbeResult, remainder: Residuals, faults: list[NamedFault], scope: str
) -> ProbeAudit:
    one = Coordinate(remainder.rows, remainder.variances, tuple(matrices.rounds[t] for t in remainder.places))
    if question.dimension is not None:
        alike = coordinate(remainder, matrices.rounds, question.dimension)
        if alike is None:
            why = "coordinates of a vector that are not treated alike and apart are not accounted for"
            return _without_loss(question, matrices, remainder, why, tuple(faults), scope)
        one = alike
    more, about = _noise_claims(question, matrices, scope)
    audit = audited(
        _matrix_question(question, one),
        checklist=probed_conditions(matrices, question.width, scope),
        errors=NO_WORKLOAD,
    )
    loss = _loss_claim(question, audit, scope)
    return ProbeAudit(
        question, matrices, remainder, audit, None, None, (*faults, *more), (*_as_probed(audit, scope), *about, *loss)
    )


def _as_probed(audit: MatrixAudit, scope: str) -> tuple[Judgement, ...]:
    """The claims, with what they rest on in their scope."""
    return tuple(
        replace(one, finding=replace(one.finding, scope=f"{one.finding.scope}, {scope}")) for one in audit.judgements
    )


def _matrix_question(question: ProbeQuestion, one: Coordinate) -> MatrixQuestion:
    """The recovered strategy, with the deviation that makes it exact."""
    encoder, deviation = levelled(one.rows, one.variances, one.rounds)
    stream = Stream.SCALAR if question.dimension is None else Stream.VECTOR
    return MatrixQuestion(
        question.target.name, encoder, deviation, question.clip, question.change, question.participation, stream,
        named_workload("prefix"), question.deltas, question.claims,
    )  # fmt: skip


def _noise_claims(
    question: ProbeQuestion, matrices: ProbeResult, scope: str
) -> tuple[tuple[NamedFault, ...], tuple[Judgement, ...]]:
    """Whether the noise is what sigma and the strategy say."""
    if question.sigma is None:
        return (), ()
    if question.strategy is not None:
        name, encoder = question.strategy
        title = f"the noise of {name}"
        noise = strategy_noise(encoder, matrices.response, question.sigma)
        if noise is None:
            why = "the releases are no sums of the strategy's rows that are known to be meant"
            return (), (_open(title, why, scope),)
        faults = tuple(noise_faults(matrices, noise, question.sigma))
        return faults, (_told(title, faults[0] if faults else None, scope),)
    fault = deviation_fault(matrices, question.sigma)
    if isinstance(fault, str):
        return (), (_open("the deviation sigma", fault, scope),)
    return ((fault,) if fault else ()), (_told("the deviation sigma", fault, scope),)


def _told(name: str, fault: NamedFault | None, scope: str) -> Judgement:
    if fault is None:
        detail = "Kept: every covariance is as claimed, to within rounding."
        return Judgement(name, Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail))
    detail = f"{fault.name.value}: {fault.detail}"
    return Judgement(name, Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, dict(fault.witness)))


def _loss_claim(question: ProbeQuestion, audit: MatrixAudit, scope: str) -> tuple[Judgement, ...]:
    """Whether no more is lost than by the strategy."""
    if question.strategy is None or question.sigma is None:
        return ()
    name, encoder = question.strategy
    squared = column_sensitivity(encoder, question.participation, stream=audit.question.stream).l2_squared
    most = question.change.most(question.clip) ** 2
    bound = GaussianShift.of_noise(type(squared)(*(most * end for end in squared)), question.sigma).mu_squared
    came = audit.shift.mu_squared
    words = f"mu^2 = {up(came.upper, 10)}, where the strategy has {up(bound.upper, 10)}"
    title = f"the loss of {name}"
    if came.lower > bound.upper * (1 + NOISE_TOLERANCE):
        witness = {"rounds": list(audit.sensitivity.attained_by.rounds)}
        return (Judgement(title, Finding(Verdict.REFUTED, Method.ENCLOSED, scope, f"Exceeded: {words}.", witness)),)
    if came.upper <= bound.lower * (1 + NOISE_TOLERANCE) and audit.is_causal:
        return (
            Judgement(title, Finding(Verdict.HOLDS, Method.ENCLOSED, scope, f"Kept, to within rounding: {words}.")),
        )
    return (Judgement(title, Finding(Verdict.UNDECIDED, None, scope, f"Open: {words}.")),)
