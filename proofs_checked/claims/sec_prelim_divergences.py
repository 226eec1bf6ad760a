"""sec:prelim: power functions capture every divergence that obeys data processing."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from dpcert.audit.algebra.divergence import hockey_stick, total_variation
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.laws import Channel, Experiment, Law, experiments, named_experiments, through
from dpcert.proofs_checked.claims.defn_dpi import Divergence, squared_distance
from dpcert.proofs_checked.ledger import cited, claim

SCOPE = "every pair of laws on 3 outcomes in sixths"


def chain_of(first: Law, second: Law) -> Experiment:
    """The laws of the two worlds on the segments of Pow(P‖Q)."""
    segments = PowerFunction.from_laws(first, second).segments
    return Pmf(enumerate(a for a, _ in segments)), Pmf(enumerate(b for _, b in segments))


def best_test_of(first: Law, second: Law) -> Experiment:
    """The laws of the best single test, which keep total variation and little else."""
    verdict = {y: int(first.probability(y) > second.probability(y)) for y in (*first.support, *second.support)}
    return first.map(verdict.__getitem__), second.map(verdict.__getitem__)


def by_ratio(one: Experiment, other: Experiment) -> Channel:
    """The channel that sends an outcome to the other pair's outcomes of equal likelihood ratio, by their P + Q."""
    (p, q), (r, s) = one, other
    channel: list[Law] = []
    for y in range(1 + max((*p.support, *q.support))):
        matching = [
            z
            for z in {*r.support, *s.support}
            if p.probability(y) * s.probability(z) == q.probability(y) * r.probability(z)
        ]
        total = sum((r.probability(z) + s.probability(z) for z in matching), Fraction(0))
        channel.append(Pmf({z: (r.probability(z) + s.probability(z)) / total for z in matching} if total else {0: 1}))
    return tuple(channel)


@claim(
    "sec:prelim", row=19, method=Method.EXHAUSTIVE, scope=f"{SCOPE} up to their names",
    uses=("defn:dpi", "defn:power"), subject=chain_of, mutant=best_test_of,
)  # fmt: skip
def channels_lead_to_the_curve_and_back(subject: Callable[[Law, Law], Experiment]) -> Finding:
    """A pair of laws and its power function are channel images of each other, so every divergence reads the latter."""

    def holds(*pair: Law) -> bool:
        first, second = pair
        ways = [((first, second), subject(first, second)), (subject(first, second), (first, second))]
        return all(tuple(through(law, by_ratio(one, other)) for law in one) == other for one, other in ways)

    return every("pairs", named_experiments(3, 6), holds)


def pearson(first: Law, second: Law) -> Fraction | None:
    """chi^2(P‖Q) = sum P^2 / Q - 1; None where it is infinite."""
    if any(second.probability(y) == 0 for y in first.support):
        return None
    return sum((w * w / second.probability(y) for y, w in first.items()), Fraction(-1))


def triangular(first: Law, second: Law) -> Fraction:
    """sum (P - Q)^2 / (P + Q)."""
    atoms = [(first.probability(y), second.probability(y)) for y in {*first.support, *second.support}]
    return sum(((a - b) ** 2 / (a + b) for a, b in atoms), Fraction(0))


def cubic(first: Law, second: Law) -> Fraction | None:
    """sum P^3 / Q^2, e^(2 D) of the Rényi divergence of order 3; None where it is infinite."""
    if any(second.probability(y) == 0 for y in first.support):
        return None
    return sum((w**3 / second.probability(y) ** 2 for y, w in first.items()), Fraction(0))


def doubled(first: Law, second: Law) -> Fraction:
    """The hockey stick at e^epsilon = 2."""
    return hockey_stick(first, second, exp_epsilon=2)


@claim(
    "sec:prelim", row=19, method=Method.EXHAUSTIVE, scope=f"{SCOPE}; five divergences with rational values",
    uses=("sec:prelim/channels_lead_to_the_curve_and_back",),
    subject=(total_variation, doubled, pearson, triangular, cubic), mutant=(total_variation, squared_distance),
)  # fmt: skip
def divergences_read_off_the_curve(subject: tuple[Divergence, ...]) -> Finding:
    """Total variation, hockey sticks, chi^2, triangular discrimination and Rényi moments depend on Pow(P‖Q) alone."""
    cases = ((p, q) for p, q in experiments(3, 6))
    return every("pairs", cases, lambda p, q: all(d(p, q) == d(*chain_of(p, q)) for d in subject))


Order = Callable[[PowerFunction, PowerFunction], bool]
SIXTHS = [Fraction(n, 6) for n in range(7)]


@cited("sec:prelim", "Blackwell's theorem on the comparison of experiments; the paper uses it of equal curves", row=19,
       scope="every two pairs of laws of two outcomes in sixths: the one channel that there can be, solved for",
       subject=lambda f, g: f <= g, mutant=lambda f, g: g <= f)  # fmt: skip
def a_channel_leads_down(subject: Order) -> Finding:
    """On finite spaces, a larger power function means that a channel leads from it to the smaller one."""

    def leads(p: Fraction, q: Fraction, r: Fraction, s: Fraction) -> bool:
        f, g = (PowerFunction.from_laws(*(Pmf({0: a, 1: 1 - a}) for a in pair)) for pair in ((r, s), (p, q)))
        if p == q or not subject(f, g):
            return True
        b = (p * s - q * r) / (p - q)  # of a p + b (1 - p) = r and a q + b (1 - q) = s
        a = b + (r - s) / (p - q)
        return 0 <= a <= 1 and 0 <= b <= 1

    return every("pairs of pairs of laws", product(SIXTHS[1:-1], SIXTHS[1:-1], SIXTHS[::2], SIXTHS[::2]), leads)
