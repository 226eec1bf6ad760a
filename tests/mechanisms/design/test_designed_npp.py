"""The neighbour-preserving game of the paper's RandBin equals literal enumeration: absolute sums, bins of tags.

Numbers that describe the mechanism are typed in here, not asked of it: e^eps 16 is 4 for loads and 4 for the scheduler,
whose first round spends all of it and whose second and third, each in segment 1, half.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from oracles import npp
from oracles.npp import Bin, Parameters, Run, Tag, clip
from oracles.paired import Order

from dpcert.audit.algebra.power import dp_power
from dpcert.audit.budget import Budget
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.solving.analysis import analyse
from dpcert.mechanisms.design.paper import RandBinPaper
from dpcert.mechanisms.randbin.bound import load_power

REAL = RandBinPaper(delta=Fraction(4, 5), error_function="convolution", truncation=Fraction(1, 2))
PARAMETERS = Parameters(alpha=Fraction(4), level=2, error=0, noise="none")
ERRORS = (0, 3, 7, 8)
NOISES = ({-1: 1, 0: 4, 1: 1}, {-2: 1, -1: 2, 0: 4, 1: 2, 2: 1}, {-2: 1, -1: 2, 0: 4, 1: 2, 2: 1})
COVERS = ((0,), (0, 1), (0, 2))
"""Which noises are in the raw sum of the first, second and third load."""


@dataclass(frozen=True)
class Noisy(Run):
    """A run that remembers every noise."""

    noises: tuple[int, ...] = ()


def algorithm(p: Parameters, run: Run, t: int, item: Tag) -> Iterator[tuple[Bin, Run, Fraction]]:
    """Every outcome of one step."""
    noises = run.noises if isinstance(run, Noisy) else ()
    buffer = (*run.buffer, item)
    if t < run.scheduled + ERRORS[run.index] + 2 * p.level:
        yield None, replace(run, buffer=buffer), Fraction(1)
        return
    assert run.load <= len(buffer)
    own, index = NOISES[run.index], run.index + 1
    for load, mass in p.load_law().items():
        for eta, weight in own.items():
            drawn = (*noises, eta)
            total, most = run.total + load, ERRORS[index]
            raw = total + sum(drawn[i] for i in COVERS[run.index])
            scheduled = clip(
                clip(raw, total - most, total + most), run.scheduled + p.level, run.scheduled + 2 * p.level
            )
            known = (run.first, run.longer, run.moved, run.bins)
            after = Noisy(buffer[run.load :], index, load, total, scheduled, *known, drawn)
            yield buffer[: run.load] or None, after, mass * Fraction(weight, sum(own.values()))


@pytest.fixture(autouse=True)
def _literal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This algorithm in place of the oracle's, and nothing remembered of either."""
    monkeypatch.setattr(npp, "algorithm", algorithm)
    for known in (npp.simulation, npp.law_of):
        known.cache_clear()
    yield
    for known in (npp.simulation, npp.law_of):
        known.cache_clear()


CASES = [
    pytest.param(13, Fraction(1), "0-1", marks=pytest.mark.thorough),
    (15, Fraction(1), "1-0"),
    pytest.param(16, Fraction(1), "0-1", marks=pytest.mark.thorough),
    pytest.param(16, Fraction(4), "1-0", marks=pytest.mark.thorough),
    pytest.param(17, Fraction(16), "0-1", marks=pytest.mark.thorough),
]


@pytest.mark.in_turns
@pytest.mark.parametrize(("horizon", "exp_epsilon", "order"), CASES)
def test_what_edits_win(horizon: int, exp_epsilon: Fraction, order: Order) -> None:
    """Adaptive ones, and those fixed in advance; at most what the proof allows."""
    found = analyse(npp_game(simulated(REAL), horizon), Budget())
    adaptive = npp.adaptive_hockey_stick(PARAMETERS, horizon, exp_epsilon, order)
    fixed = npp.fixed_hockey_stick(PARAMETERS, horizon, exp_epsilon, order)
    assert found.adaptive.lower.hockey_stick(exp_epsilon, order) == adaptive
    assert found.fixed.lower.hockey_stick(exp_epsilon, order) == fixed
    assert (adaptive > 0) == (horizon > 13)
    proven = REAL.bound(horizon, Budget())
    by_theorem = load_power(REAL.loads).tensor(REAL.certificate.scheduler)
    assert found.adaptive.lower <= proven <= by_theorem
    assert found.adaptive.lower <= dp_power(*REAL.guarantee)
