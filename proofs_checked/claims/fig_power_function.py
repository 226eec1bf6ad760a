"""fig:power_function and the paragraph it illustrates: DP_{epsilon,delta} as a power function."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from flint import arb

from dpcert.audit.algebra.enclosure import ball
from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.dp_lines import Line, at, lines
from dpcert.proofs_checked.cases.events import gap, points
from dpcert.proofs_checked.cases.laws import Law, experiments
from dpcert.proofs_checked.cases.symbols import equal, nonnegative, ratio, settled, share
from dpcert.proofs_checked.ledger import cited, claim, found

A, D = ratio("a"), share("d")
RATIOS = [Fraction(n, 4) for n in (4, 5, 8, 20)]
SIXTHS = [Fraction(n, 6) for n in range(7)]
EVERY = "every e^epsilon >= 1 and delta in [0, 1]"
Lines = Callable[[Any, Any], tuple[Line, Line, Line]]


@cited("fig:power_function", "A drawing whose file is not in the source; its caption says DP_{1, 3/10}", row=7,
       scope="where its two lines meet, enclosed", subject=Fraction(3, 10), mutant=Fraction(2, 5))  # fmt: skip
def figure(subject: Fraction) -> Finding:
    """The figure draws DP_{1, 3/10}, which turns at 0.7 / (1 + e) = 0.18826."""
    e, delta = arb(1).exp(), ball(subject)
    turn = (1 - delta) / (1 + e)
    met = bool(abs(delta + e * turn - (1 - turn)) < arb(10) ** -12)
    holds = met and bool(abs(turn - ball(Fraction(18826, 100_000))) < arb(10) ** -5)
    return found(holds, f"The lines of delta {text(subject)} meet at {turn}.", turn=str(turn))


def ends(exp_epsilon: Any, delta: Any) -> tuple[Any, Any, Any]:
    """Where each piece ends, as printed."""
    return (1 - delta) / (1 + exp_epsilon), 1 - delta, 1


def printed(pieces: Lines, exp_epsilon: Fraction, delta: Fraction, alpha: Fraction) -> Fraction:
    """The printed case distinction, evaluated."""
    where = zip(pieces(exp_epsilon, delta), ends(exp_epsilon, delta), strict=True)
    return next(Fraction(at(piece, alpha)) for piece, end in where if alpha <= end)


def second_piece_without_delta(exp_epsilon: Any, delta: Any) -> tuple[Line, Line, Line]:
    """The pieces, delta forgotten in the second one."""
    first, (_, slope), last = lines(exp_epsilon, delta)
    return first, (1 - 1 / exp_epsilon, slope), last


@claim(
    "fig:power_function", row=6, method=Method.SYMBOLIC, scope=EVERY, subject=lines, mutant=second_piece_without_delta,
)  # fmt: skip
def three_pieces(subject: Lines) -> Finding:
    """DP_{epsilon,delta} starts at (0, delta), turns on the line y = 1 - x and at (1 - delta, 1), and is concave."""
    (one, two, three), (knee, flat, _) = subject(A, D), ends(A, D)
    corners = [(one, 0, D), (one, knee, (A + D) / (1 + A)), (two, knee, 1 - knee), (two, flat, 1), (three, flat, 1)]
    continuity = all(equal(at(piece, x), y) for piece, x, y in corners)
    falling = nonnegative(one[1] - two[1]) and nonnegative(two[1] - three[1])
    ordered = nonnegative(knee) and nonnegative(flat - knee) and nonnegative(1 - flat)
    cases = product(RATIOS, SIXTHS, SIXTHS)
    examples = every("points", cases, lambda a, d, x: dp_power(a, d)(x) == printed(subject, a, d, x))
    return settled(continuity and falling and ordered, "Both neighbours agree at every corner; slopes fall.", examples)


Atoms = Callable[[Any, Any], list[tuple[Any, Any]]]


def four_atoms(exp_epsilon: Any, delta: Any) -> list[tuple[Any, Any]]:
    """(P, Q) of the four outcomes; Q is P read backwards."""
    low, high = (1 - delta) / (1 + exp_epsilon), exp_epsilon * (1 - delta) / (1 + exp_epsilon)
    return [(0, delta), (low, high), (high, low), (delta, 0)]


def equal_middle_atoms(exp_epsilon: Any, delta: Any) -> list[tuple[Any, Any]]:
    """The same with a middle that tells nothing."""
    half = (1 - delta) / 2
    return [(0 * exp_epsilon, delta), (half, half), (half, half), (delta, 0)]


@claim(
    "fig:power_function", row=6, method=Method.SYMBOLIC, scope=EVERY, subject=four_atoms, mutant=equal_middle_atoms,
    uses=("defn:power", "fig:power_function/three_pieces"),
)  # fmt: skip
def four_atoms_attain_it(subject: Atoms) -> Finding:
    """P = (0, (1-d)/(1+A), A(1-d)/(1+A), d) against its reverse has power function DP_{ln A, d}."""
    atoms = subject(A, D)
    laws = all(nonnegative(m) for atom in atoms for m in atom) and all(
        equal(sum(side), 1) for side in zip(*atoms, strict=True)
    )
    falling = all(nonnegative(s[1] * t[0] - t[1] * s[0]) for s, t in pairwise(atoms))
    (one, two, _), (knee, flat, end) = lines(A, D), ends(A, D)
    corners = [(0, D), (knee, at(one, knee)), (flat, at(two, flat)), (end, 1)]
    sums = [tuple(sum(side) for side in zip(*atoms[: i + 1], strict=True)) for i in range(4)]
    meets = all(equal(x, u) and equal(y, v) for (x, y), (u, v) in zip(sums, corners, strict=True))
    examples = every(
        "points",
        product(RATIOS, SIXTHS, SIXTHS),
        lambda a, d, x: PowerFunction.from_segments(subject(a, d))(x) == printed(lines, a, d, x),
    )
    return settled(
        laws and falling and meets, "The ratios fall, and the partial sums are the printed corners.", examples
    )


def both_orders(first: Law, second: Law, exp_epsilon: Fraction) -> Fraction:
    """The least delta of both inequalities."""
    return max(gap(first, second, exp_epsilon), gap(second, first, exp_epsilon))


@claim(
    "fig:power_function", row=8, method=Method.EXHAUSTIVE,
    uses=("defn:power", "fig:power_function/four_atoms_attain_it"),
    scope="every pair of laws on 3 outcomes in quarters, e^epsilon 1, 5/4, 2 and 5, delta at and just below the least",
    subject=both_orders, mutant=gap,
)  # fmt: skip
def curve_below_means_both_inequalities(subject: Callable[[Law, Law, Fraction], Fraction]) -> Finding:
    """Pow(P‖Q) <= DP_{epsilon,delta} if and only if P(S) <= e^epsilon Q(S) + delta and the reverse, for every S."""
    step = Fraction(1, 10**6)

    def holds(first: Law, second: Law, exp_epsilon: Fraction) -> bool:
        curve, least = PowerFunction.from_laws(first, second), subject(first, second, exp_epsilon)
        return curve <= dp_power(exp_epsilon, least) and not (least and curve <= dp_power(exp_epsilon, least - step))

    return every("pairs", ((p, q, a) for p, q in experiments(3, 4) for a in RATIOS), holds)


@claim(
    "fig:power_function", row=8, method=Method.SYMBOLIC, scope=f"{EVERY}, every event", uses=("defn:power",),
    subject=lambda p, q: (1 - p, 1 - q), mutant=lambda p, q: (p, q),
)  # fmt: skip
def complement_gives_the_second_line(subject: Callable[[Any, Any], tuple[Any, Any]]) -> Finding:
    """P(S) <= e^epsilon Q(S) + delta for the complement of S says that (P, Q) of S is below the second line."""
    p, q = share("p"), share("q")
    other_p, other_q = subject(p, q)
    identity = equal(A * other_q + D - other_p, A * (at(lines(A, D)[1], p) - q))

    def holds(first: Law, second: Law, a: Fraction) -> bool:
        d = gap(first, second, a) / 2
        return all(
            (x <= a * y + d) == (v <= at(lines(a, d)[1], u))
            for u, v in points(first, second)
            for x, y in [subject(u, v)]
        )

    examples = every("pairs", ((p, q, a) for p, q in experiments(3, 3) for a in RATIOS), holds)
    return settled(identity, "The two slacks differ by the factor e^epsilon > 0.", examples)
