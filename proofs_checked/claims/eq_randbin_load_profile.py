"""eq:randbin_load_profile: how much one load of RandBin tells, Z against Z - theta."""

from collections.abc import Callable
from fractions import Fraction

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

THIRD, QUARTER, SIXTH = Fraction(1, 3), Fraction(1, 4), Fraction(1, 6)
EXPECTED = [
    (2, 2, [(0, THIRD), (2 * THIRD, 1)]),
    (2, 4, [(0, SIXTH), (SIXTH, 3 * SIXTH), (3 * SIXTH, 5 * SIXTH), (5 * SIXTH, 1)]),
    (3, 2, [(0, QUARTER), (QUARTER, 3 * QUARTER), (3 * QUARTER, 1)]),
]
"""e^epsilon, U, and the corners between (0, 0) and (1, 1)."""


def clipped(base: int, level: int) -> Pmf[int]:
    """Z = 3U/2 + Geom(e^epsilon) clipped to [-U/2, U/2]: P(k) is (e - 1)/(e + 1) e^-|k|, tails on the end points."""
    half, unit = level // 2, Fraction(base - 1, base + 1)
    inside = {k: unit / base ** abs(k) for k in range(1 - half, half)}
    tail = (1 - sum(inside.values())) / 2
    return Pmf({half + level + k: w for k, w in {-half: tail, **inside, half: tail}.items()})


def cut_off(base: int, level: int) -> Pmf[int]:
    """The same with the tails' mass spread over all values, not put on the end points."""
    half = level // 2
    weights = {k: Fraction(1, base ** abs(k)) for k in range(-half, half + 1)}
    return Pmf({half + level + k: w / sum(weights.values()) for k, w in weights.items()})


@claim(
    "eq:randbin_load_profile", row=42, method=Method.EXHAUSTIVE, uses=("defn:power",),
    scope="(e^epsilon, U) = (2, 2), (2, 4) and (3, 2), theta -1 and 1", subject=clipped, mutant=cut_off,
)  # fmt: skip
def load_curves(subject: Callable[[int, int], Pmf[int]]) -> Finding:
    """Pow(Z‖Z - theta) has the listed corners, is the same for either theta, and is symmetric."""

    def holds(base: int, level: int, corners: list[tuple[Fraction, Fraction]], theta: int) -> bool:
        law = subject(base, level)
        curve = PowerFunction.from_laws(law, law.map(lambda z: z - theta))
        return [*curve.vertices] == [(0, 0), *corners, (1, 1)] and curve.reversed() == curve

    return every("curves", ((*case, theta) for case in EXPECTED for theta in (-1, 1)), holds)
