"""sec:overview: Clip_G, at gradients that are 0 as well; which U the recipe means."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb

from dpcert.audit.algebra.enclosure import ball, exponential
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.noise.geometric import level_for, load_law
from dpcert.mechanisms.randbin.bound import load_power
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.orders import at_most, ln
from dpcert.proofs_checked.claims.def_truncated_geom import first_level
from dpcert.proofs_checked.ledger import cited, claim

LABEL = "sec:overview"
SIZES = (Fraction(-3), Fraction(-1, 2), Fraction(0), Fraction(4))
Factor = Callable[[arb], arb]


def smaller(length: arb) -> arb:
    """min(1, 1 / ||x||), by arithmetic with balls: 1 / 0 is no number."""
    return arb(1).min(1 / length)


@claim(LABEL, row=100, method=Method.EXHAUSTIVE, scope="16 gradients of two components, 0 among them, G = 1",
       readings={"the factor at 0 is 1": lambda length: smaller(length) if length > 0 else arb(1),
                 "as it is printed, G / ||x|| at every x": smaller})  # fmt: skip
def every_clipped_gradient_is_a_vector_within_the_norm(subject: Factor) -> Finding:
    """Clip_G(x) = x min(1, G / ||x||) has norm at most G: at x = 0 the quotient has to be given a meaning first."""

    def within(x: Fraction, y: Fraction) -> bool:
        length = ball(x * x + y * y).sqrt()
        factor = subject(length)
        return bool(factor.is_finite()) and bool(factor * length < 1 + ball(Fraction(1, 10**12)))

    return every("gradients", product(SIZES, repeat=2), within)


ROOTS = (Fraction(3, 2), Fraction(5, 3), Fraction(2), Fraction(3))
Level = Callable[[Fraction, Fraction], int]
"""(e^(epsilon_b / 2), delta_b) -> U, with epsilon_b = epsilon / 2 and delta_b = delta / 2."""


@claim(LABEL, row=38, method=Method.EXHAUSTIVE,
       uses=("alg:randbin/loads_fill_the_level_that_is_meant", "cor:adap_randbin/exact_delta_of_a_load"),
       scope="e^(epsilon_b/2) 3/2, 5/3, 2, 3 with delta_b 1/3 to 1/1000, half of the target each",
       readings={"U(epsilon, delta), as the recipe has it": lambda root, delta: level_for(root**4, 2 * delta),
                 "U of order (1/epsilon_b) ln(1/delta_b), as U(epsilon_b, delta_b)": lambda root, delta: level_for(
                     root**2, delta),
                 "U(epsilon_b/2, delta_b/2), as RandBin on (epsilon_b, delta_b) sets it":
                     lambda root, delta: level_for(root, delta / 2)})  # fmt: skip
def the_recipes_level_keeps_to_the_share_of_buffering(subject: Level) -> Finding:
    """At level U the noise on loads is (epsilon_b/2, delta_b/2)-private: half of what buffering may cost.

    The recipe takes U(epsilon, delta) of the whole target, the theorem one of (epsilon_b, delta_b), and the algorithm
    halves these once more. Only the last is enough.
    """

    def within(root: Fraction, delta: Fraction) -> bool:
        return load_power(load_law(root, subject(root, delta))).delta(root) <= delta / 2

    shares = [Fraction(1, d) for d in (3, 10, 37, 1000)]
    return every("shares", product(ROOTS, shares), within)


SIZES_OF_EPSILON = [Fraction(n) for n in (1, 2, 4, 40)]
DELTAS = [Fraction(1, 2), Fraction(1, 100), Fraction(1, 10**6)]
SPOT: dict[str, Any] = {
    "row": 37,
    "scope": "epsilon 1, 2, 4, 40, delta 1/2, 1/100, 10^-6: U from 2 to 6 times the order, the upper with a floor of 1",
    "subject": 1,
    "mutant": 0,
}


def _within_the_order(floor: int) -> Finding:
    """Whether U is between 2 and 6 times the order, with a floor added to the upper one."""

    def between(epsilon: Fraction, delta: Fraction) -> bool:
        order = -ln(delta) / ball(epsilon)
        level = first_level(exponential(epsilon).finite().lower, delta)
        return at_most(2 * order, level) and at_most(level, 6 * (floor + order))

    return every("epsilon and delta", product(SIZES_OF_EPSILON, DELTAS), between)


def level_has_the_printed_order(subject: int) -> Finding:
    """U = Theta((1/epsilon) ln(1/delta)): the lower half holds, the upper one not without a floor of 2 for U."""
    return _within_the_order(subject)


level_of_the_overview = cited(
    LABEL, "inherited from def:truncated_geom",
    uses=("def:truncated_geom/level_is_of_the_printed_order", "def:truncated_geom/level_is_at_least_the_logarithm"),
    **SPOT,
)(level_has_the_printed_order)  # fmt: skip
level_of_the_sketch = cited(
    "alg:randbin_sketch", "inherited from def:truncated_geom", uses=(f"{LABEL}/level_has_the_printed_order",), **SPOT
)(level_has_the_printed_order)


@cited("alg:dp_sgd_edit", "inherited from def:truncated_geom and lem:randbin_backlog", **SPOT,
       uses=(f"{LABEL}/level_has_the_printed_order", "lem:randbin_backlog/backlog_at_every_time"))  # fmt: skip
def level_and_delay_have_the_printed_order(subject: int) -> Finding:
    """U = Theta((1/epsilon) ln(1/delta)), but for the floor of 2 for U, and the delay's order but for t = 1."""
    return _within_the_order(subject)
