"""defn:NPDO_mech: the cost of the best neighbour-preserving simulation, the hidden pair counted as seen."""

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.paired import PAIRS, SEEDS, Simulation, copied, same_seed
from dpcert.proofs_checked.ledger import claim, found


def _augmented(simulation: Simulation, pair: tuple[int, int]) -> PowerFunction:
    """The curve of (v, y_0, y_1) between the branches, for one pair of inputs."""
    x0, x1 = pair
    law0, law1 = (Pmf((simulation(b, seed, x0, x1), w) for seed, w in SEEDS.items()) for b in (0, 1))
    return PowerFunction.from_laws(law0, law1)


@claim("defn:NPDO_mech", row=28, method=Method.EXHAUSTIVE, scope="one round of two noisy bits: every pair of inputs",
       subject=same_seed, mutant=copied, uses=("def:npp", "defn:power_mech"))  # fmt: skip
def the_simulation_decides_the_cost(subject: Simulation) -> Finding:
    """With one seed the augmented view costs what v alone costs, e^epsilon = 3; with the real output twice, more."""
    curves = {pair: _augmented(subject, pair) for pair in PAIRS}
    ratios = [
        f"{pair}: {'infinite' if curve.largest_ratio is None else text(curve.largest_ratio)}"
        for pair, curve in curves.items()
    ]
    return found(all(curve <= dp_power(3) for curve in curves.values()), f"Largest ratios {', '.join(ratios)}.")
