"""sec:randbin: the symmetric geometric law, which has no label of its own, and what the schedule does not look at."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import sympy

from dpcert.audit.finding import Finding, Method
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.noise.geometric import geometric_mass, geometric_tail
from dpcert.mechanisms.randbin.on_geometric_loads import NOTHING, Bin, RandBin, State
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.cases.bin_runs import ALPHAS, outcomes, reached, toys
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
    identities = equal(tail - after, here) and equal(tail / a, after) and equal(head + tail.subs(w, 1 / a), 1)

    def sums(base: Fraction, n: int) -> bool:
        masses = [subject(base) / base ** abs(k) for k in range(1 - n, n)]
        total = sum(masses) + geometric_tail(base, n)
        return bool(total == 1 and masses[0] == geometric_mass(base, n - 1))

    proof = "P(|k| >= n) = 2 a^(1-n)/(a + 1): it falls by P(|k| = n), is a times smaller for n + 1, and 1 - P(0) at 1."
    return settled(identities, proof, every("partial sums", product(ALPHAS, range(1, 13)), sums))


class Choosy(RandBin):
    """RandBin in which a bin that is due waits for one event more where the newest one is a "b"."""

    def step(self, state: State, x: object, draw: Draw) -> tuple[Release[bool, Bin], State]:
        """The algorithm's step, or none."""
        wait, load, backlog, scheduled = state
        if wait == 1 and x == "b":
            return NOTHING, (1, load, backlog + 1, scheduled)
        return super().step(state, x, draw)


@claim("sec:randbin", row=None, method=Method.EXHAUSTIVE, subject=tuple(toys()),
       mutant=(Choosy(ALPHAS[0], 2, ToyScheduler()),),
       scope="toy scheduler, e^epsilon 2, 3/2, 3 and U 2, 4, 6: every state that is ever reached, five kinds of items",
       uses=("alg:randbin/bins_leave_at_their_threshold",))  # fmt: skip
def the_schedule_does_not_look_at_items(subject: tuple[RandBin, ...]) -> Finding:
    """When bins leave, and how large, hangs on loads and the scheduler alone: every item leads to the same law."""

    def alike(mechanism: RandBin, state: State) -> bool:
        laws = [outcomes(partial(mechanism.step, state, item)) for item in ("a", "b", 0, (1, 2), None)]
        return all(law == laws[0] for law in laws)

    return every("states", ((mechanism, state) for mechanism in subject for state in reached(mechanism)), alike)
