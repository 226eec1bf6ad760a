"""sec:prefixsum_factor: prefix sums as L R, by the tree and by the square root."""

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, product
from typing import Any

import sympy

from dpcert.audit.algebra.enclosure import ball
from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.orders import at_most, ln
from dpcert.proofs_checked.cases.symbols import equal, settled
from dpcert.proofs_checked.cases.trees import Cover, adjacent, counts, partition, row, without_the_rest
from dpcert.proofs_checked.claims.lem_factor_privacy_constants import Rows, matrices
from dpcert.proofs_checked.ledger import cited, claim, found

LABEL = "sec:prefixsum_factor"
HEIGHTS = range(10)


@claim(LABEL, row=87, method=Method.EXHAUSTIVE, scope="every T up to 512", subject=partition, mutant=without_the_rest)
def the_tree_makes_prefix_sums(subject: Cover) -> Finding:
    """M = L_tree R_tree, and causally: [1..t] is a sum of nodes that are complete by t."""

    def made(t: int) -> bool:
        nodes = subject(t)
        return row(nodes, 512) == [1] * t + [0] * (512 - t) and all(last <= t for _, last in nodes)

    return every("prefixes", ((t,) for t in range(1, 513)), made)


@claim(LABEL, row=87, method=Method.EXHAUSTIVE, scope="T = 2^h, h from 0 to 9", subject=lambda h: max(h, 1),
       mutant=lambda h: max(h - 1, 1), uses=(f"{LABEL}/the_tree_makes_prefix_sums",))  # fmt: skip
def few_nodes_make_a_prefix(subject: Callable[[int], int]) -> Finding:
    """Each prefix is a sum of at most max(h, 1) nodes, attained; h + 1 are never needed but for h = 0."""

    def most(h: int) -> bool:
        return max(len(partition(t)) for t in range(1, 2**h + 1)) == subject(h)

    return every("heights", ((h,) for h in HEIGHTS), most)


@claim(LABEL, row=88, method=Method.EXHAUSTIVE, scope="T from 1, or from 2, to 512, the constants 1 and 2",
       readings={"for every T": 1, "for T >= 2": 2}, uses=("prop:tree_zcdp_rdp/norm_of_released_nodes",))  # fmt: skip
def norm_of_the_tree_has_the_printed_order(subject: int) -> Finding:
    """s(R_tree)^2 = Theta(log2 T): false at T = 1, where it is 1 and log2 T is 0."""

    def within(rounds: int) -> bool:
        norm = max(counts(rounds))
        return bool(rounds <= 1 << norm <= rounds**2)  # log2 T <= s^2 <= 2 log2 T

    answer = every("numbers of rounds", ((rounds,) for rounds in range(subject, 513)), within)
    if answer.verdict is Verdict.HOLDS:
        return answer
    norm, order = max(counts(subject)), subject.bit_length() - 1
    detail = f"At T = {integer_text(subject)} the norm is {integer_text(norm)}, and log2 T is {order}."
    return found(False, detail, rounds=subject, norm=norm, order=order)


K = sympy.Symbol("k", nonnegative=True)
"""A symbol for any k >= 0."""
Step = Callable[[Any], Any]


@claim(LABEL, row=89, method=Method.SYMBOLIC, scope="every T; 400 coefficients evaluated",
       subject=lambda k: (2 * k - 1) / (2 * k), mutant=lambda k: 2 * k / (2 * k + 1))  # fmt: skip
def the_square_root_makes_prefix_sums(subject: Step) -> Finding:
    """L R = M for L = R with f(0) = 1 and f(k) = (2k - 1)/(2k) f(k - 1).

    For F(z) = sum f(k) z^k, (k + 1) f(k + 1) - k f(k) = f(k)/2 says 2 (1 - z) F' = F, so that (1 - z) (F^2)' = F^2, and
    the coefficients g of F^2 have (k + 1) g(k + 1) = (k + 1) g(k): all are g(0) = 1.
    """
    recurrence = equal((K + 1) * subject(K + 1) - K, sympy.Rational(1, 2))
    f = list(accumulate(range(1, 400), lambda value, k: value * subject(Fraction(k)), initial=Fraction(1)))

    def one(n: int) -> bool:
        return sum(f[k] * f[n - k] for k in range(n + 1)) == 1

    proof = "The generating function is that of (1 - z)^(-1/2)."
    return settled(recurrence, proof, every("entries of a column", ((n,) for n in (*range(60), 199, 399)), one))


@cited(LABEL, "Definitions: Mironov (2017), Bun and Steinke (2016), whose Proposition 1.4 is tried", row=92,
       scope="randomised response at e^epsilon 5/4, 3/2, 2, 5, Renyi orders 2 to 6: rho = epsilon^2 / 2",
       subject=Fraction(1, 2), mutant=Fraction(1, 4))  # fmt: skip
def notions(subject: Fraction) -> Finding:
    """RDP and zCDP by the Rényi divergence of order alpha > 1; rho-zCDP is (alpha, alpha rho)-RDP for every alpha."""

    def kept(a: Fraction, order: int) -> bool:
        p, q = a / (1 + a), 1 / (1 + a)
        divergence = ln(p**order / q ** (order - 1) + q**order / p ** (order - 1)) / (order - 1)
        return at_most(divergence, order * ball(subject) * ln(a) ** 2)

    return every(
        "ratios and orders", product((Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(5)), range(2, 7)), kept
    )


@claim(LABEL, row=97, method=Method.SYMBOLIC, scope="every h >= 1; h up to 8 node by node", subject=lambda h: 4 * h + 2,
       mutant=lambda h: 4 * h + 4, uses=("prop:tree_zcdp_rdp/norm_of_the_whole_tree",))  # fmt: skip
def two_adjacent_inputs_of_the_tree(subject: Step) -> Finding:
    """max over i of ||R_tree (e_i + e_{i+1})||^2 is 4h + 2, less than the (2s)^2 = 4h + 4 of two hops.

    Both leaves have h + 1 ancestors or are themselves, c in common: 4c + 2 (h + 1 - c). At most h are, of siblings.
    """
    h = K + 1
    proved = equal(subject(h), 4 * h + 2 * (h + 1 - h))
    examples = every("heights", ((h,) for h in range(1, 9)), lambda h: max(adjacent(h)) == subject(h))
    return settled(proved, "Siblings share all nodes but themselves.", examples)


Longest = Callable[[Rows], int]
"""Of a matrix, the squared length that bounds ||R x||^2."""


def longest_row(rows: Rows) -> int:
    """max_t ||R^T e_t||^2, the square of the norm from 2 to infinity."""
    return max(sum(entry**2 for entry in row) for row in rows)


@claim(LABEL, row=92, method=Method.EXHAUSTIVE, subject=lambda rows: longest_row(tuple(zip(*rows, strict=True))),
       mutant=longest_row, scope="146 causal matrices of three rounds, every x of 1-norm 1 in quarters")  # fmt: skip
def the_longest_column_is_the_norm_from_1_to_2(subject: Longest) -> Finding:
    """s(R) = max_i ||R e_i|| = max ||R x|| over all x of 1-norm 1: the longest column, not the longest row."""
    quarters = [x for x in product(range(-4, 5), repeat=3) if sum(map(abs, x)) == 4]

    def bounds(rows: Rows) -> bool:
        lengths = (sum(sum(r * x for r, x in zip(row, q, strict=True)) ** 2 for row in rows) for q in quarters)
        return bool(max(lengths) == 16 * subject(rows))

    return every("matrices", ((rows,) for rows in matrices()), bounds)
