"""sec:overview: Clip_G, at gradients that are 0 as well; which U the recipe means."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from flint import arb

from dpcert.audit.algebra.enclosure import ball
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.noise.geometric import level_for, load_law
from dpcert.mechanisms.randbin.bound import load_power
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import cite, claim

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


PRINTED = "U = Theta((1/epsilon) ln(1/delta)): the lower half holds, the upper one not without a floor of 2 for U."
level_has_the_printed_order = cite(
    LABEL, "level_has_the_printed_order", PRINTED, row=37, source="inherited from def:truncated_geom",
    uses=("def:truncated_geom/level_is_of_the_printed_order", "def:truncated_geom/level_is_at_least_the_logarithm"),
)  # fmt: skip
level_of_the_sketch = cite(
    "alg:randbin_sketch", "level_has_the_printed_order", PRINTED, row=37, source="inherited from def:truncated_geom",
    uses=(f"{LABEL}/level_has_the_printed_order",),
)  # fmt: skip
level_of_the_updates = cite(
    "alg:dp_sgd_edit", "level_and_delay_have_the_printed_order", f"{PRINTED} The delay's order at t = 1 with it.",
    row=37, source="inherited from def:truncated_geom and lem:randbin_backlog",
    uses=(f"{LABEL}/level_has_the_printed_order", "lem:randbin_backlog/backlog_at_every_time"),
)  # fmt: skip
