"""sec:randbin: the symmetric geometric law, which has no label of its own."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.noise.geometric import geometric_mass, geometric_tail
from dpcert.proofs_checked.cases.bin_runs import ALPHAS
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.symbols import equal, settled
from dpcert.proofs_checked.ledger import claim


@claim("sec:randbin", row=35, method=Method.SYMBOLIC, scope="every e^epsilon above 1; also 2, 3/2, 3 up to |k| = 12",
       subject=lambda a: (a - 1) / (a + 1), mutant=lambda a: (a - 1) / a)  # fmt: skip
def geometric_law_sums_to_1(subject: Callable[[Any], Any]) -> Finding:
    """(a - 1)/(a + 1) a^-|k| is a probability mass function on the integers, a = e^epsilon above 1."""
    a, w = 1 + sympy.Symbol("a", positive=True), sympy.Symbol("w", positive=True)
    head, here = subject(a), 2 * subject(a) * w  # P(0), and P(|k| = n) with w = a^-n
    tail, after = 2 * a * w / (a + 1), 2 * w / (a + 1)  # P(|k| >= n), and P(|k| >= n + 1)
    proved = equal(tail - after, here) and equal(tail / a, after) and equal(head + tail.subs(w, 1 / a), 1)

    def sums(base: Fraction, n: int) -> bool:
        masses = [subject(base) / base ** abs(k) for k in range(1 - n, n)]
        total = sum(masses) + geometric_tail(base, n)
        return bool(total == 1 and masses[0] == geometric_mass(base, n - 1))

    proof = "P(|k| >= n) = 2 a^(1-n)/(a + 1): it falls by P(|k| = n), is a times smaller for n + 1, and 1 - P(0) at 1."
    return settled(proved, proof, every("partial sums", product(ALPHAS, range(1, 13)), sums))
