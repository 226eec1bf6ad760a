"""alg:randbin: when bins leave, and what the moment tells."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import sympy

from dpcert.audit.algebra.common_laws import point
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.noise.geometric import level_for, truncated_geometric
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.proofs_checked.cases.bin_runs import KERNELS, RUNS, Round, Slack, every_round
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.symbols import Expression, equal, settled
from dpcert.proofs_checked.ledger import claim, found

LABEL = "alg:randbin"
Make = Callable[..., RandBin]


@dataclass(frozen=True)
class Named:
    """A scheduler of which nothing is known: it goes from (S, E) to (S + U + more, E + growth)."""

    before: tuple[Expression, Expression]
    after: tuple[Expression, Expression]

    @property
    def initial(self) -> Any:
        """Before the load that is watched."""
        return self.before

    def error(self, state: Any) -> Any:
        """E."""
        return state[1]

    def step(self, state: Any, load: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
        """The step from `before` to `after`."""
        del load, draw
        return Release(self.after[0] - state[0]), self.after


def _next_bin_leaves_on_time(make: Make) -> bool:
    """Whether the algorithm's own step, run on symbols, leads from t = S + E + 2U to the same for the next bin."""
    half, more, growth, load, rest, noisy, error = sympy.symbols("u a d c m S E", nonnegative=True, integer=True)
    level = 2 + 2 * half
    scheduler = Named((noisy, error), (noisy + level + more, error + growth))
    mechanism = make(Fraction(2), level, scheduler)
    vars(mechanism)["loads"] = point(load)
    leaves = noisy + error + 2 * level
    _, after = mechanism.step((1, load, load + rest, scheduler.before), "event", _first)
    following = sum(scheduler.after) + 2 * level
    return equal(mechanism.initial[0], 2 * level) and equal(leaves + after[0], following)


def _first(law: Pmf[Any]) -> Any:
    return law.support[0]


@claim(LABEL, row=43, method=Method.SYMBOLIC, subject=RandBin, mutant=partial(Slack, slack=1),
       scope=f"every U, load, S and E, by induction over bins, on the algorithm's code; {RUNS}",
       uses=("def:truncated_geom/loads_fill_U_to_2U",))  # fmt: skip
def bins_leave_at_their_threshold(subject: Make) -> Finding:
    """Bin i leaves exactly at t = S[i] + E[i] + 2U, so that its time tells S[i] to anyone who knows E."""

    def exactly(mechanism: RandBin, step: Round) -> bool:
        return step.left is None or step.t == step.current.noisy + step.current.error + 2 * mechanism.level

    made = tuple(subject(kernel.exp_epsilon, kernel.level, kernel.scheduler) for kernel in KERNELS)
    proof = "Bin 0 leaves at 2U, and the step in which bin i leaves puts the next bin at its own threshold."
    return settled(_next_bin_leaves_on_time(subject), proof, every("steps", every_round(made), exactly))


Level = Callable[[Fraction, Fraction], int]
"""(e^(epsilon/2), delta) -> the U of the algorithm."""


@claim(LABEL, row=38, method=Method.EXHAUSTIVE, uses=("def:truncated_geom/loads_fill_U_to_2U",),
       scope="e^(epsilon/2) 2, 3/2, 3, 10 with delta 1/2, 1/3, 1/10, 1/1000",
       readings={"U of (epsilon, delta)": lambda root, delta: level_for(root**2, delta),
                 "U of (epsilon, delta/2)": lambda root, delta: level_for(root**2, delta / 2),
                 "U of (epsilon/2, delta)": level_for,
                 "U of (epsilon/2, delta/2)": lambda root, delta: level_for(root, delta / 2)})  # fmt: skip
def loads_fill_the_level_that_is_meant(subject: Level) -> Finding:
    """3U/2 + G(epsilon/2, delta/2) has support [U..2U]: true of U(epsilon/2, delta/2) alone, for G's own U is that."""
    cases = [(root, Fraction(1, d)) for root in (Fraction(2), Fraction(3, 2), Fraction(3), Fraction(10))
             for d in (2, 3, 10, 1000)]  # fmt: skip
    for root, delta in cases:
        level = subject(root, delta)
        inside = truncated_geometric(root, level_for(root, delta / 2)).support
        low, high = (3 * level // 2 + end for end in (min(inside), max(inside)))
        if (low, high) != (level, 2 * level):
            detail = f"e^epsilon = {text(root**2)}, delta = {text(delta)}: U = {level}, and loads from {low} to {high}."
            return found(False, detail, exp_epsilon=text(root**2), delta=text(delta), level=level, support=[low, high])
    return found(True, f"All {len(cases)} cases.")
