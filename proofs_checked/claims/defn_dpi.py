"""defn:dpi: what a divergence is, and the data processing inequality."""

from collections.abc import Callable
from fractions import Fraction

from dpcert.audit.algebra.divergence import total_variation
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.laws import Channel, Law, channels, named_experiments, through
from dpcert.proofs_checked.ledger import claim

Divergence = Callable[[Law, Law], Fraction]


def squared_distance(first: Law, second: Law) -> Fraction:
    """sum (P - Q)^2, which merging two outcomes can raise."""
    outcomes = {*first.support, *second.support}
    return sum(((first.probability(y) - second.probability(y)) ** 2 for y in outcomes), Fraction(0))


@claim(
    "defn:dpi",
    row=1,
    method=Method.EXHAUSTIVE,
    scope="every pair of laws on 3 outcomes in thirds up to their names, every channel to 3 outcomes in halves",
    subject=total_variation,
    mutant=squared_distance,
)
def definition_is_met(subject: Divergence) -> Finding:
    """Total variation is a divergence that no channel raises: at least 0, and 0 for equal laws only."""

    def holds(first: Law, second: Law, channel: Channel) -> bool:
        value = subject(first, second)
        definite = value >= 0 and (value == 0) == (first == second)
        return definite and subject(through(first, channel), through(second, channel)) <= value

    return every(
        "pairs with a channel", ((p, q, t) for p, q in named_experiments(3, 3) for t in channels(3, 3, 2)), holds
    )
