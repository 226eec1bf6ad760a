"""Does the fixed-stream guarantee lift to adaptive adversaries? The whole curve, and pure epsilon."""

from fractions import Fraction

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.gap import Gap, equal_from
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.render.words import ALREADY_PERFECT

NO_PURE = "There is no pure guarantee: some release rules a world out,"


def curve(adaptive: Bracket, fixed_stream: Bracket, gap: Gap | None, scope: str, reason: str) -> Finding:
    """lifts.curve: is the adaptive curve the fixed-stream curve? Decided by exhaustion of the scope.

    `gap` is one between what adaptive adversaries surely reach and what fixed streams surely do not exceed.
    """
    if gap is not None:
        return _refuted(adaptive, fixed_stream, gap, scope)
    if adaptive.exact and fixed_stream.exact:
        detail = "Adaptive adversaries learn no more than fixed streams do, at any epsilon."
        if fixed_stream.lower.total_variation == 1:  # so that even a game that was cut short is decided
            detail += f" {ALREADY_PERFECT}"
        return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)
    return Finding(Verdict.UNDECIDED, None, scope, reason)


def by_theorem(rung: str, certificate: Finding) -> Finding:
    """lifts.curve from a certificate: conditions 1 to 3 of Checklist 1, and a rung of its ladder.

    Source: paper.tex, thm:noise-ind-DP; claims 69, 70 and 107.
    """
    detail = f"Adaptive adversaries learn no more than fixed streams do, at any epsilon: by theorem, from rung {rung}."
    if certificate.scope.startswith(("every round", "rounds 1 to")):
        detail += f" In {certificate.scope}."
    return Finding(Verdict.HOLDS, certificate.method, certificate.scope, detail)


def no_certificate(scope: str) -> Finding:
    """lifts.curve for every horizon, where only one was computed."""
    detail = "No certificate for every horizon was found; over the rounds that were computed there is no gap."
    return Finding(Verdict.UNDECIDED, None, scope, detail)


def _refuted(adaptive: Bracket, fixed_stream: Bracket, gap: Gap, scope: str) -> Finding:
    agree = equal_from(adaptive.lower, fixed_stream.upper) if adaptive.exact and fixed_stream.exact else None
    detail = (
        f"At e^epsilon = {text(gap.exp_epsilon)} adaptive adversaries reach delta {text(gap.adaptive)}, "
        f"fixed streams {'' if fixed_stream.exact else 'at most '}{text(gap.fixed_stream)}."
    ) + ("" if agree is None else f" From e^epsilon = {text(agree)} on the two agree.")
    witness = {
        "exp_epsilon": text(gap.exp_epsilon),
        "order": gap.order,
        "fixed_stream": text(gap.fixed_stream),
        "adaptive": text(gap.adaptive),
        "gap": text(gap.size),
        "equal_from": None if agree is None else text(agree),
    }
    method = Method.EXHAUSTIVE if fixed_stream.exact else Method.ENCLOSED
    return Finding(Verdict.REFUTED, method, scope, detail, witness)


def pure(adaptive: Bracket, fixed_stream: Bracket, scope: str) -> Finding:
    """lifts.pure: does a pure-epsilon guarantee lift? By theorem for every causal mechanism; here checked as well.

    Source: claim 71, beyond the paper.
    """
    theorem = "as it must be for every causal mechanism."
    if not (adaptive.exact and fixed_stream.exact):
        detail = f"The largest likelihood ratio is the same for adaptive adversaries and fixed streams, {theorem}"
        return Finding(Verdict.HOLDS, Method.BY_CONSTRUCTION, scope, detail)
    largest = adaptive.lower.largest_ratio
    if largest != fixed_stream.lower.largest_ratio:
        raise RuntimeError("two largest likelihood ratios where theory allows one")
    ratio = NO_PURE if largest is None else f"The largest likelihood ratio is {_short(largest)}"
    detail = f"{ratio} for adaptive adversaries and fixed streams alike, {theorem}"
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail, {"largest_ratio": _ratio(largest)})


def _short(value: Fraction) -> str:
    """A ratio in a sentence; a whole number of very many digits as a decimal."""
    return f"about {up(value)}" if value.denominator == 1 and value >= 10**24 else text(value)


def _ratio(value: Fraction | None) -> str:
    return "infinite" if value is None else text(value)
