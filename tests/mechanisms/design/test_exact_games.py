"""The neighbour-preserving game of the RandBin that really runs, at small size: exact, and how tight the proof is.

Every curve is at most the bound with the scheduler's game solved, at most the one by theorem, and at most the promise.
"""

from fractions import Fraction
from typing import Any

import pytest

from dpcert.audit.algebra.decimals import measured
from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.audit.budget import Budget
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.games.paired import explore
from dpcert.audit.identity import value_of
from dpcert.audit.solving.adaptive import Solution, solve
from dpcert.audit.solving.strategy import Search
from dpcert.mechanisms.design.certified import Certified
from dpcert.mechanisms.design.gaussian import RandBinGaussian
from dpcert.mechanisms.design.paper import RandBinPaper
from dpcert.mechanisms.randbin.bound import load_power

LOOSE = RandBinPaper(delta=Fraction(4, 5), error_function="convolution", truncation=Fraction(1, 2))
"""U = 2, three loads, noise on -1..1 and then on -2..2."""
HALF = RandBinPaper(delta=Fraction(1, 2), error_function="convolution", truncation=Fraction(1, 4))
"""U = 4: e^eps = 16 and delta = 1/2 as they are without arguments, with noise that ends soon."""
SLOPES = (Fraction(1), Fraction(4), Fraction(16))
GAMES = [
    (LOOSE, 13, ("0", "0", "0"), None),
    (LOOSE, 16, ("1/5", "67/500", "57/500"), ("11/15", "3/5", "1/3")),
    (LOOSE, 19, ("5803/9375", "1179/3125", "16147/75000"), ("101/125", "89/125", "13/25")),
    (LOOSE, 21, ("2473/3750", "15091/37500", "17401/75000"), ("101/125", "89/125", "13/25")),
    (LOOSE, 23, ("25141/37500", "15227/37500", "17401/75000"), ("101/125", "89/125", "13/25")),
    (HALF, 20, ("0", "0", "0"), ("33/52", "53/104", "9/104")),
    (HALF, 24, ("4731/119600", "5769/239200", "5099/478400"), ("33/52", "53/104", "9/104")),
    (HALF, 26, ("2727/11960", "2379/18400", "4573/119600"), ("33/52", "53/104", "9/104")),
]


def played(mechanism: Certified, horizon: int) -> Solution:
    """The whole game."""
    return solve(explore(npp_game(simulated(mechanism), horizon)))


def deltas(power: PowerFunction) -> tuple[str, ...]:
    return tuple(str(power.delta(e)) for e in SLOPES)


def two_bins(solution: Solution, exp_epsilon: Fraction) -> bool:
    """Whether the best adversary edits, and by that two neighbouring bins, J and K, differ, of which K is longer in one
    stream: after a bin that holds the same events but one."""
    found = Search(solution).strategy(exp_epsilon, "0-1", 100_000)
    assert found is not None
    edits = any(node.pair[0].pair[0] != node.pair[0].pair[1] for node in found.nodes)
    seen = [value_of(branch.observation) for node in found.nodes for branch in node.branches]
    unequal = [one for one in seen if isinstance(one, tuple) and one[0] and one[1][1] != one[2][1]]
    assert all(abs(bins[0][1] - bins[1][1]) == 1 for _, *bins in unequal)
    return edits and bool(unequal)


@pytest.mark.thorough  # a quick one is among those of test_designed_npp
@pytest.mark.parametrize(
    ("mechanism", "horizon", "exact", "bound"),
    GAMES,
)
def test_exact_curve_bound_certificate_and_promise(
    mechanism: RandBinPaper, horizon: int, exact: tuple[str, ...], bound: tuple[str, ...] | None
) -> None:
    solution = played(mechanism, horizon)
    assert deltas(solution.power) == exact
    proven = mechanism.bound(horizon, Budget())
    by_theorem = load_power(mechanism.loads).tensor(mechanism.certificate.scheduler)
    assert bound in (None, deltas(proven))
    for allowed in (proven, by_theorem, dp_power(*mechanism.guarantee)):
        assert solution.power <= allowed
    assert proven <= by_theorem
    assert two_bins(solution, Fraction(1)) == (exact[0] != "0")


def test_how_tight_the_bound_is() -> None:
    """Shares of the bound's delta in per cent, by horizon: what the goldens above come to. From 19 to 23 rounds on, an
    adversary that may not choose loads reaches about five sixths of what both parts allow one that may."""
    shares: dict[Any, list[str]] = {}
    for mechanism, horizon, exact, bound in GAMES:
        if bound is not None and exact[0] != "0":
            used = [100 * Fraction(a) / Fraction(b) for a, b in zip(exact, bound, strict=True)]
            shares[mechanism.level, horizon] = [measured(share, 3) for share in used]
    assert shares == {
        (2, 16): ["27.3", "22.3", "34.2"],
        (2, 19): ["76.6", "53", "41.4"],
        (2, 21): ["81.6", "56.5", "44.6"],
        (2, 23): ["83", "57", "44.6"],
        (4, 24): ["6.23", "4.73", "12.3"],
        (4, 26): ["35.9", "25.4", "44.2"],
    }


@pytest.mark.thorough
@pytest.mark.parametrize("horizon", [11, 13])
def test_gaussian_noise_of_next_to_nothing(horizon: int) -> None:
    """RandBin on Gaussian noise with U = 2 and E = 1: its loads are hidden, its schedule next to open."""
    mechanism = RandBinGaussian(2, Fraction(1), Fraction(0), Fraction(0), Fraction(1, 16), 1, 16, 1)
    power = played(mechanism, horizon).power
    bound = mechanism.bound(horizon, Budget())
    assert power <= bound
    assert bound <= load_power(mechanism.loads).tensor(mechanism.scheduler_curve(9, Budget()))
    for e in SLOPES:
        assert power.delta(e) <= mechanism.delta_at(e)
    assert power.delta(Fraction(1)) > 0
