"""Laplace noise: pure epsilon of y = A x + B z where releases determine all draws, as the L1 sensitivity of B^-1 A."""

from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_mat

from dpcert.audit.algebra.decimals import down, near, up
from dpcert.audit.algebra.enclosure import Ends
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.verdicts.families import Concentration, Gaussian
from dpcert.audit.verdicts.requirements import Claimed, Judgement
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.correlated import Matrix, Residuals
from dpcert.mechanisms.matrices.participations import Participation
from dpcert.mechanisms.matrices.sensitivity import Attainment, Stream
from dpcert.mechanisms.matrices.whitened import WhitenedEncoder
from dpcert.mechanisms.probe.recovered import ProbeResult


@dataclass(frozen=True)
class PureLoss:
    """epsilon, at delta 0, between bounds, with the participations that attain the lower one."""

    epsilon: Ends
    attained_by: Attainment


def pure_loss(
    matrices: ProbeResult, remainder: Residuals, participation: Participation, most: Fraction
) -> PureLoss | None:
    """The loss of Laplace noise; None where there are more draws than releases tell apart.

    With as many releases that are told apart as draws, y and B^-1 y tell the same; that is B^-1 A x plus independent
    noise, whose largest loss is the L1 norm of a shift, in scales. Pure guarantees hold for inputs that adapt.

    Args:
        matrices: A and B, of draws of scale 1.
        remainder: The releases that tell noise of their own.
        participation: Where one person's records may stand.
        most: By how much each of them changes.
    Source: claims 71.
    """
    active = [j for j in range(len(matrices.draws)) if any(row[j] for row in matrices.noise)]
    if len(active) != len(remainder.places):
        return None
    rows = _solved(matrices, remainder, active)
    rounds = tuple(matrices.rounds[t] for t in remainder.places)
    encoder = WhitenedEncoder(rows, (Fraction(1),) * len(rows), rounds)
    sizes = column_sensitivity(encoder, participation, stream=Stream.SCALAR)
    return PureLoss(Ends(most * sizes.l1.lower, most * sizes.l1.upper), sizes.l1_attained_by)


def _solved(matrices: ProbeResult, remainder: Residuals, active: list[int]) -> Matrix:
    """B^-1 A, of the releases that tell all draws."""
    count, width = len(active), len(matrices.response[0])
    noise = [matrices.noise[t][j] for t in remainder.places for j in active]
    response = [x for t in remainder.places for x in matrices.response[t]]
    one, other = ([fmpq(x.numerator, x.denominator) for x in entries] for entries in (noise, response))
    solved = fmpq_mat(count, count, one).solve(fmpq_mat(count, width, other))
    return tuple(tuple(Fraction(int(x.p), int(x.q)) for x in line) for line in solved.tolist())


def pure_claim(claim: Claimed, loss: PureLoss, scope: str, *, is_causal: bool) -> Judgement:
    """One claim against pure epsilon."""
    low, high = loss.epsilon
    words = f"pure epsilon {near(low)}" if low == high else f"pure epsilon in [{down(low)}, {up(high)}]"
    if _keeps(claim, high) and is_causal:
        return Judgement(claim.name, Finding(Verdict.HOLDS, Method.ENCLOSED, scope, f"Kept: {words}."))
    if not isinstance(claim, Concentration | Gaussian) and claim.delta == 0 and low > (claim.epsilon or Fraction(0)):
        witness = {"rounds": list(loss.attained_by.rounds), "signs": list(loss.attained_by.signs)}
        detail = f"Exceeded: on fixed inputs, {words}."
        return Judgement(claim.name, Finding(Verdict.REFUTED, Method.ENCLOSED, scope, detail, witness))
    return Judgement(claim.name, Finding(Verdict.UNDECIDED, None, scope, f"Open: {words}, and no more is known."))


def _keeps(claim: Claimed, epsilon: Fraction) -> bool:
    """Whether pure epsilon is enough for it; rho = epsilon^2 / 2 follows, and no mu does."""
    if isinstance(claim, Gaussian):
        return False
    if isinstance(claim, Concentration):
        return epsilon**2 / 2 <= claim.rho
    return epsilon <= (claim.epsilon or Fraction(0))
