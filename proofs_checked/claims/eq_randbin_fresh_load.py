"""eq:randbin_fresh_load: a load has its own law, whatever came before it."""

from typing import Any

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.finding import Finding, Method
from dpcert.audit.kernels.draws import Draw, enumerated
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.randbin.on_geometric_loads import Bin, RandBin, State
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.cases.bin_runs import ALPHAS, reached, toys
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim


class Sticky(RandBin):
    """RandBin that takes the load of the bin before once more."""

    def step(self, state: State, x: object, draw: Draw) -> tuple[Release[bool, Bin], State]:
        """The algorithm's step with a draw that repeats the load."""

        def again(law: Pmf[Any]) -> Any:
            return state[1] if state[1] and law is self.loads else draw(law)

        return super().step(state, x, again)


def _next(mechanism: RandBin, state: State) -> Pmf[State]:
    """The law of the state after one step."""
    weights: Any = enumerated("RandBin", lambda draw: mechanism.step(state, "event", draw)[1])[0]
    return from_weights(weights)


@claim("eq:randbin_fresh_load", row=52, method=Method.EXHAUSTIVE, subject=tuple(toys()),
       mutant=(Sticky(ALPHAS[0], 2, ToyScheduler()),),
       uses=("def:truncated_geom/loads_fill_U_to_2U", "alg:randbin/bins_leave_at_their_threshold"),
       scope="toy scheduler, e^epsilon 2, 3/2, 3 and U 2, 4, 6: every state that is ever reached")  # fmt: skip
def every_load_is_fresh(subject: tuple[RandBin, ...]) -> Finding:
    """Given all that happened before it is drawn, the next load has the law of Z."""
    cases = ((mechanism, state) for mechanism in subject for state in reached(mechanism) if state[0] == 1)
    return every("states", cases, lambda mechanism, state: _load(mechanism, state) == dict(mechanism.loads.items()))


def _load(mechanism: RandBin, state: State) -> dict[int, Any]:
    return dict(_next(mechanism, state).map(lambda after: after[1]).items())
