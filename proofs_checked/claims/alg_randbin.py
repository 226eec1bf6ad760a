"""alg:randbin: when bins leave, and what the moment tells."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import sympy

from dpcert.audit.draws import Draw
from dpcert.audit.finding import Finding, Method
from dpcert.audit.pmf import Pmf, point
from dpcert.audit.release import Release
from dpcert.mechanisms.randbin import RandBin
from dpcert.proofs_checked.ledger import claim
from dpcert.proofs_checked.notes.bin_runs import KERNELS, RUNS, Round, Slack, every_round
from dpcert.proofs_checked.notes.cases import every
from dpcert.proofs_checked.notes.symbols import Expression, equal, settled

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
       uses=("def:truncated_geom",))  # fmt: skip
def bins_leave_at_their_threshold(subject: Make) -> Finding:
    """Bin i leaves exactly at t = S[i] + E[i] + 2U, so that its time tells S[i] to anyone who knows E."""

    def exactly(mechanism: RandBin, step: Round) -> bool:
        return step.left is None or step.t == step.current.noisy + step.current.error + 2 * mechanism.level

    made = tuple(subject(kernel.exp_epsilon, kernel.level, kernel.scheduler) for kernel in KERNELS)
    proof = "Bin 0 leaves at 2U, and the step in which bin i leaves puts the next bin at its own threshold."
    return settled(_next_bin_leaves_on_time(subject), proof, every("steps", every_round(made), exactly))
