"""th:prefix_sum: what clipping around the private sum costs, and how far E has to be from B."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

import sympy

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.audit.relations.adjacency import UNIT_HAMMING
from dpcert.mechanisms.noise.geometric import geometric_mass, geometric_tail, truncated_geometric
from dpcert.mechanisms.sums.ideal_stream_sum import IdealStreamSum
from dpcert.proofs_checked.cases.clipped_runs import CASES, PAPER, TIGHT, Adversary, Setting, cases
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import adaptive, curves
from dpcert.proofs_checked.cases.symbols import equal, settled
from dpcert.proofs_checked.cases.two_clipped_rounds import (
    clipped_errors,
    cut_errors,
    deltas,
    failure,
    failure_of_three,
    one_round_delta,
)
from dpcert.proofs_checked.ledger import claim, found

LABEL = "th:prefix_sum"
ALPHAS = (Fraction(3, 2), Fraction(2), Fraction(3), Fraction(10))
STAGE_TWO = ("eq:raw_prefix_sum_bad_set", "eq:restricted_prefix_sum_laws")
ONE_AND_TWO = "Geom(alpha) on all integers, alpha 3/2, 2, 3, 10, B 1 to 5, two rounds, and three at alpha 2, B 1, 2"


@cache
def _of_three(limit: int) -> PowerFunction:
    """The curve of three clipped releases at alpha 2."""
    return adaptive(IdealStreamSum(Fraction(2), limit), 3, UNIT_HAMMING)


def within_the_failure(margin: int) -> Finding:
    """Whether with E = B + margin the exact delta is at most P(an error above B), at the e^epsilon that an item pays.

    That is alpha over one round or two, and alpha^2 over three, where item 2 is counted twice.
    """

    def private(alpha: Fraction, bound: int) -> bool:
        limit = bound + margin
        one = one_round_delta(alpha, limit, alpha), geometric_tail(alpha, bound + 1)
        two = deltas(clipped_errors(alpha, (limit, limit)), alpha)[1], failure(alpha, bound)
        return one[0] <= one[1] and two[0] <= two[1] and (alpha != 2 or bound > 2 or over_three(bound))

    def over_three(bound: int) -> bool:
        return _of_three(bound + margin).delta(4) <= failure_of_three(Fraction(2), bound)

    return every("pairs alpha, B", product(ALPHAS, range(1, 6)), private)


@claim(LABEL, row=81, method=Method.EXHAUSTIVE, subject=PAPER, mutant=0, scope=ONE_AND_TWO,
       uses=(*STAGE_TWO, f"{LABEL}/raw_sums_are_adaptively_safe"))  # fmt: skip
def clipped_releases_are_private(subject: int) -> Finding:
    """With E = ceil(B) + 2 the clipped release is adaptively (epsilon, delta)-private, delta the raw sum's failure."""
    return within_the_failure(subject)


@claim(LABEL, row=82, method=Method.EXHAUSTIVE, subject=TIGHT, mutant=0, scope=ONE_AND_TWO,
       uses=(f"{LABEL}/why_one_more_suffices", f"{LABEL}/raw_sums_are_adaptively_safe"))  # fmt: skip
def one_more_than_the_bound_suffices(subject: int) -> Finding:
    """With E = floor(B) + 1, less than is printed, the clipped release is as private."""
    return within_the_failure(subject)


@claim(LABEL, row=82, method=Method.EXHAUSTIVE, subject=TIGHT, mutant=0, scope=f"{CASES}; every transcript",
       uses=("eq:counterfactual_prefix_close",
             "thm:dp_unbounded_prefix_sum/the_error_is_the_noises_alone"))  # fmt: skip
def why_one_more_suffices(subject: int) -> Finding:
    """Where raw errors are at most B in one world, nothing is clipped there, and the other one is no less likely.

    There the other world is within B + 1 = E, which clipping leaves as it is: P^_0(A) <= P_0(A and H_0) + delta
    <= e^epsilon P_1(A and H_0) + delta <= e^epsilon P^_1(A) + delta, H_0 the transcripts within B of world 0's sums.
    """

    def suffices(setting: Setting, adversary: Adversary) -> bool:
        for world in (0, 1):
            raw_laws, clipped_laws = (
                [setting.law(adversary, c, clipped=clipped) for c in (0, 1)] for clipped in (False, True)
            )
            good = {
                setting.run(adversary, world, errors, clipped=False)
                for errors, _ in setting.paths
                if setting.good(errors)
            }
            own = all(clipped_laws[world].probability(v) >= raw_laws[world].probability(v) for v in good)
            other = all(clipped_laws[1 - world].probability(v) >= raw_laws[1 - world].probability(v) for v in good)
            unclipped = all(
                setting.run(adversary, world, errors, clipped=True) in good
                for errors, _ in setting.paths
                if setting.good(errors)
            )
            if not (own and other and unclipped):
                return False
        return True

    return every("adversaries", cases(subject), suffices)


@claim(LABEL, row=82, method=Method.EXHAUSTIVE, subject=0, mutant=TIGHT, scope="alpha 3, B 1, one round",
       uses=("sec:randbin/geometric_law_sums_to_1",))  # fmt: skip
def the_bound_alone_does_not_suffice(subject: int) -> Finding:
    """With E = B the clipped release may have a delta above the raw sum's failure: 1/4 against 1/6."""
    alpha, bound = Fraction(3), 1
    delta, tail = one_round_delta(alpha, bound + subject, alpha), geometric_tail(alpha, bound + 1)
    failure = f"an error above {bound} has probability {text(tail)}"
    detail = f"E = {bound + subject}: delta {text(delta)} at e^epsilon 3, and {failure}."
    return found(delta > tail, detail, delta=text(delta), failure=text(tail))


def cut_off(alpha: Fraction, limit: int) -> Pmf[int]:
    """The geometric law given that it lies in -E..E."""
    inside = {k: geometric_mass(alpha, k) for k in range(-limit, limit + 1)}
    return Pmf({k: w / sum(inside.values()) for k, w in inside.items()})


@claim(LABEL, row=83, method=Method.SYMBOLIC, subject=1, mutant=2,
       scope="every alpha > 1 and E >= 1; alpha 3/2, 2, 3, 10, E 1 to 6 evaluated",
       uses=(f"{LABEL}/clipping_needs_a_delta",))  # fmt: skip
def every_clipping_needs_a_delta(subject: int) -> Finding:
    """For every alpha and E what lies at one end of -E..E weighs alpha^(1-E)/(alpha+1), and is never seen shifted.

    It is the sum of (alpha - 1)/(alpha + 1) alpha^-k over k >= E, a geometric series.
    """
    alpha, w = 1 + sympy.Symbol("a", positive=True), sympy.Symbol("w", positive=True)  # w = alpha^-E
    first, ratio = (alpha - 1) / (alpha + 1) * w, 1 / alpha
    identity = equal(first / (1 - ratio), w * alpha**subject / (alpha + 1))

    def weighs(a: Fraction, limit: int) -> bool:
        law = truncated_geometric(a, 2 * limit)
        return law.probability(limit) == law.probability(-limit) == a ** (subject - limit) / (a + 1)

    return settled(identity, "The series has this sum.", every("cases", product(ALPHAS, range(1, 7)), weighs))


@claim(LABEL, row=83, method=Method.EXHAUSTIVE, subject=lambda alpha, limit: truncated_geometric(alpha, 2 * limit),
       mutant=cut_off, scope="one round, alpha 3/2, 2, 3, 10, E 1 to 6",
       uses=("sec:randbin/geometric_law_sums_to_1",))  # fmt: skip
def clipping_needs_a_delta(subject: Callable[[Fraction, int], Pmf[int]]) -> Finding:
    """A clipped release has a delta at every epsilon, alpha^(1-E)/(alpha+1): 1/3, 1/6, 1/12 at alpha 2, E 1, 2, 3.

    One end of the clipping interval is never released in the other world.
    """

    def leaks(alpha: Fraction, limit: int) -> bool:
        law = subject(alpha, limit)
        limit_ = PowerFunction.from_laws(law, law.map(lambda y: y + 1)).delta_at_infinity
        return limit_ == alpha ** (1 - limit) / (alpha + 1) == one_round_delta(alpha, limit, Fraction(10**9))

    answer = every("cases", product(ALPHAS, range(1, 7)), leaks)
    listed = [text(Fraction(2) ** (1 - limit) / 3) for limit in (1, 2, 3)]
    return answer if listed == ["1/3", "1/6", "1/12"] else found(False, f"At alpha 2: {listed}.", deltas=listed)


GAPS = {"unbounded": ["25/216", "35/216"], "clipped to -5..5": ["263/2304", "23/144"]}


@claim(LABEL, row=84, method=Method.EXHAUSTIVE, subject=4, mutant=5,
       uses=("thm:dp_unbounded_prefix_sum/one_interval_a_round_makes_every_prefix",),
       scope="alpha 2, two rounds, E = 4, e^epsilon 2: every adversary on bits, in closed form and solved")  # fmt: skip
def feedback_helps_against_clipping(subject: int) -> Finding:
    """The clipped release is less private under feedback: delta 25/216 for fixed streams, 35/216 adaptively.

    With the noise itself clipped to -5..5 the two are 263/2304 and 23/144.
    """
    alpha, limits = Fraction(2), (subject, subject)
    laws = {
        "unbounded": clipped_errors(alpha, limits),
        "clipped to -5..5": cut_errors(truncated_geometric(alpha, 10), limits),
    }
    gaps = {name: [text(delta) for delta in deltas(law, alpha)] for name, law in laws.items()}
    for name, cut in (("unbounded", 0), ("clipped to -5..5", 5)):
        solved = curves(IdealStreamSum(alpha, subject, cut=cut), 2, UNIT_HAMMING)
        if [text(power.delta(alpha)) for power in solved] != gaps[name]:
            return found(False, f"The solver finds another delta, noise {name}.", noise=name)
    shown = "; ".join(f"noise {name}: {' and '.join(pair)}" for name, pair in gaps.items())
    return found(gaps == GAPS, f"delta at e^epsilon 2, fixed streams and adaptive: {shown}.", deltas=gaps)


@claim(LABEL, row=85, method=Method.EXHAUSTIVE, subject=IdealStreamSum(Fraction(2), 4, projected=True),
       mutant=IdealStreamSum(Fraction(2), 3), scope="alpha 2, E = 4, three rounds on bits: every adversary",
       uses=("defn:power/data_processing",))  # fmt: skip
def the_projection_costs_nothing(subject: IdealStreamSum) -> Finding:
    """The consistent release is no less private than the clipped one with E = 4 that it is made from."""
    projected = adaptive(subject, 3, UNIT_HAMMING)
    clipped = _of_three(4)
    detail = f"Total variation {text(projected.total_variation)} and {text(clipped.total_variation)}."
    return found(projected <= clipped, detail)
