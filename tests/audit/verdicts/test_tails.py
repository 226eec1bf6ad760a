"""mu-GDP and rho-zCDP of curves whose corners come as near to 0 and 1 as 2^-1000, against mpmath at high precision."""

from fractions import Fraction
from pathlib import Path
from random import Random

import mpmath
import pytest
from instances.seeds import chosen

from dpcert import PowerFunction
from dpcert.audit.algebra.renyi import concentrated, gaussian, renyi
from dpcert.audit.commands.cli import run

F = Fraction
BITS = 1_200


def tiny(generator: Random) -> Fraction:
    return F(generator.randint(1, 1 << 20), 1 << generator.randint(21, 1000))


def corner(generator: Random) -> tuple[Fraction, Fraction]:
    """A corner above the diagonal: both near 0, both near 1, one at either end, or anywhere."""
    x = tiny(generator)
    y = generator.choice([x * generator.randint(2, 9), 1 - tiny(generator), F(generator.randint(1, 999), 1000)])
    x, y = min(x, y), max(x, y)
    if x == y or y >= 1:
        return F(1, 4), F(3, 4)
    return generator.choice([(x, y), (1 - y, 1 - x)])


def needed(x: Fraction, y: Fraction) -> mpmath.mpf:
    """Phi^-1(y) - Phi^-1(x), by bisection of log Phi: no inverse of the error function takes part."""

    def quantile(level: Fraction) -> mpmath.mpf:
        tail = min(level, 1 - level)
        wanted = mpmath.log(mpmath.mpf(tail.numerator) / tail.denominator)
        low, high = mpmath.mpf(0), mpmath.mpf(200)
        for _ in range(96):
            middle = (low + high) / 2
            if mpmath.log(mpmath.erfc(middle / mpmath.sqrt(2)) / 2) > wanted:
                low = middle
            else:
                high = middle
        return -low if 2 * level <= 1 else low

    return quantile(y) - quantile(x)


def as_fraction(value: mpmath.mpf) -> Fraction:
    sign, man, exp, _ = value._mpf_
    return F(-int(man) if sign else int(man)) * F(2) ** exp


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(150)))
def test_gaussian_privacy_ends_where_mpmath_says_however_near_the_corner_is_to_an_end(seed: int) -> None:
    x, y = corner(Random(seed))
    power = PowerFunction.from_vertices([(F(0), F(0)), (x, y), (F(1), F(1))])
    with mpmath.workprec(140):
        truth = as_fraction(needed(x, y))
    near = F(1, 10**25)
    assert gaussian(power, truth + near) == (True, None)
    kept, found = gaussian(power, truth - near)
    assert kept is False
    assert found is not None
    assert found.vertex == (x, y)


@pytest.mark.parametrize("seed", range(60))
def test_renyi_divergences_of_tiny_masses_and_huge_orders_hold_the_truth(seed: int) -> None:
    generator = Random(seed)
    x, y = corner(generator)
    power = PowerFunction.from_vertices([(F(0), F(0)), (x, y), (F(1), F(1))])
    order = generator.choice([F(3, 2), F(10) ** 9, F(10) ** 60, 1 + F(1, 10**12)])
    found = renyi(power, order)
    with mpmath.workprec(BITS):
        truth = max(divergence(power, order), divergence(power.reversed(), order))
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= truth + F(1, 10**60)
    assert truth - F(1, 10**60) <= found.upper
    assert found.upper - found.lower < F(1, 10**15)


def divergence(power: PowerFunction, order: Fraction) -> Fraction:
    def real(value: Fraction) -> mpmath.mpf:
        return mpmath.mpf(value.numerator) / value.denominator

    total = mpmath.fsum(real(a) * mpmath.power(real(b / a), real(order)) for a, b in power.segments)
    return as_fraction(mpmath.log(total) / real(order - 1))


def test_a_claim_far_below_what_is_reached_is_a_verdict() -> None:
    power = PowerFunction.from_vertices([(F(0), F(0)), (F(1, 4), F(3, 4)), (F(1), F(1))])
    assert concentrated(power, F(1, 10**200)).kept is False


TINY = """
from fractions import Fraction
from dpcert import Pmf

class Tiny:
    alphabet = (0, 1)
    def law(self, prefix):
        p = Fraction(1, 2**140) * (2 if prefix[-1] else 1)
        return Pmf({0: 1 - p, 1: p})

class Plain:
    alphabet = (0, 1)
    initial = 0
    def advance(self, s, x):
        return x if s == 0 else s
    def law(self, s):
        return Pmf({1 - s: Fraction(1, 100), s: Fraction(99, 100)})
"""


@pytest.mark.parametrize(("name", "horizon", "status"), [("Tiny", "1", 0), ("Tiny", "3", 0), ("Plain", "25", 1)])
def test_mu_claims_with_corners_near_the_ends_are_verdicts(
    name: str, horizon: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tiny.py").write_text(TINY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["audit", f"tiny.py:{name}", "--horizon", horizon, "--claim", "mu=1", "--quiet"]) == status
