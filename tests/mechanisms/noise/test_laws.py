"""Public laws: against closed forms, sums over all integers, brute force, and scipy's floats."""

import itertools
import random
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpcert import ArgumentError, MechanismError, Pmf, laws, scripted
from dpcert.audit.scripted import generators, generators_numpy
from dpcert.audit.scripted.law_names import LAW_OF, instead_of
from dpcert.mechanisms.noise.geometric import geometric_mass, truncated_geometric
from dpcert.mechanisms.noise.rounded_gaussian import RoundedGaussian

FAR = 400
"""Beyond that nothing of these laws is left that would show."""
FITS = ("clipped", "wrapped", "truncated")
SOME = random.Random(11)
TWO_SIDED = [
    (Fraction(SOME.randint(9, 30), 8), first := SOME.randint(-6, 4), first + SOME.randint(0, 7), SOME.randint(-8, 8))
    for _ in range(60)
]


def fitted(masses: dict[int, Fraction], first: int, last: int, fit: str) -> dict[int, Fraction]:
    """The definition of each fit, applied to a table of masses, what was cut of the table left out."""
    law: dict[int, Fraction] = defaultdict(Fraction)
    for k, mass in masses.items():
        if fit == "clipped":
            law[min(max(k, first), last)] += mass
        elif fit == "wrapped":
            law[first + (k - first) % (last - first + 1)] += mass
        elif first <= k <= last:
            law[k] += mass
    return {k: mass / sum(law.values()) for k, mass in law.items()}


def near(law: Pmf[int], table: dict[int, Fraction], within: Fraction = Fraction(1, 10**15)) -> bool:
    """Whether two laws have the same support and nearly the same masses."""
    return set(law.support) == set(table) and all(abs(mass - table[k]) <= within * mass for k, mass in law.items())


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize(("alpha", "first", "last", "center"), [(a + 1, *rest) for a, *rest in TWO_SIDED])
def test_two_sided_geometric_is_the_fit_of_the_law_on_all_integers(
    alpha: Fraction, first: int, last: int, center: int, fit: Any
) -> None:
    masses = {center + k: geometric_mass(alpha, k) for k in range(-60, 61)}
    law = laws.two_sided_geometric(alpha, first=first, last=last, center=center, fit=fit)
    assert near(law, fitted(masses, first, last, fit), Fraction(1, 10**9))
    assert sum(mass for _, mass in law.items()) == 1


@pytest.mark.parametrize("half", [1, 2, 7])
def test_clipped_about_zero_is_the_closed_form_of_the_paper(half: int) -> None:
    alpha = Fraction(5, 3)
    tail = alpha ** (1 - half) / (alpha + 1)
    inner = {k: geometric_mass(alpha, k) for k in range(1 - half, half)}
    assert truncated_geometric(alpha, 2 * half) == Pmf({-half: tail, **inner, half: tail})
    assert laws.discrete_laplace(alpha, first=-half, last=half) == truncated_geometric(alpha, 2 * half)


@pytest.mark.parametrize("fit", ["clipped", "wrapped"])
def test_centers_next_to_each_other_are_epsilon_apart(fit: Any) -> None:
    one, two = (laws.two_sided_geometric(3, first=0, last=5, center=c, fit=fit) for c in (2, 3))
    ratios = [one.probability(k) / two.probability(k) for k in range(6)]
    assert max(*ratios, *(1 / r for r in ratios)) == 3 if fit == "clipped" else max(ratios) <= 3


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize(
    ("p", "last"), [(Fraction(1, 2), 0), (Fraction(2, 3), 4), (Fraction(1), 2), (Fraction(1, 3), 7)]
)
def test_geometric_is_the_fit_of_the_law_on_all_whole_numbers(p: Fraction, last: int, fit: Any) -> None:
    table = fitted({k: p * (1 - p) ** k for k in range(FAR) if p < 1 or k == 0}, 0, last, fit)
    assert near(laws.geometric(p, last=last, fit=fit), table)


@pytest.mark.parametrize(("n", "p"), [(0, Fraction(1, 2)), (5, Fraction(1, 3)), (4, Fraction(0)), (3, Fraction(1))])
def test_binomial_is_a_sum_of_coins(n: int, p: Fraction) -> None:
    total: Pmf[int] = laws.point(0)
    for _ in range(n):
        total = total.convolve(laws.bernoulli(p))
    assert laws.binomial(n, p) == total


def test_poisson_sample_keeps_each_by_a_coin_of_its_own() -> None:
    p, items = Fraction(2, 7), "abca"
    table: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for coins in itertools.product((0, 1), repeat=4):
        table[tuple(itertools.compress(items, coins))] += p ** sum(coins) * (1 - p) ** (4 - sum(coins))
    assert laws.poisson_sample(items, p) == Pmf(table)
    assert laws.poisson_sample(items, p).map(len) == laws.binomial(4, p)


@pytest.mark.parametrize(
    ("make", "ideal"),
    [(laws.rounded_laplace, stats.laplace), (laws.rounded_gaussian, stats.norm)],
)
@pytest.mark.parametrize("spread", [Fraction(1, 2), Fraction(3), Fraction(17, 5)])
@pytest.mark.parametrize(
    ("first", "last", "center"),
    [(-5, 5, Fraction(0)), (0, 3, Fraction(1, 3)), (0, 4, Fraction(5, 2)), (2, 2, Fraction(0)), (1, 4, Fraction(-1))],
)
def test_cells_have_the_mass_of_the_continuous_law(
    make: Callable[..., Pmf[int]], ideal: Any, spread: Fraction, first: int, last: int, center: Fraction
) -> None:
    law = make(spread, first=first, last=last, center=center)
    for k in range(first, last + 1):
        low = 0.0 if k == first else ideal.cdf(k - 0.5, float(center), float(spread))
        high = 1.0 if k == last else ideal.cdf(k + 0.5, float(center), float(spread))
        assert float(law.probability(k)) == pytest.approx(high - low, abs=1e-12)
    assert sum(mass for _, mass in law.items()) == 1


@pytest.mark.parametrize("make", [laws.rounded_laplace, laws.rounded_gaussian])
def test_cells_are_rounded_down_but_for_the_nearest(make: Callable[..., Pmf[int]]) -> None:
    coarse, fine = (make(2, first=-4, last=6, center=1, denominator=d) for d in (997, 2**200))
    for k in range(-4, 7):
        off = fine.probability(k) - coarse.probability(k)
        assert (off <= 0) if k == 1 else 0 <= off < Fraction(2, 997)
    assert all(coarse.probability(1 - k) == coarse.probability(1 + k) for k in range(6))


def test_the_rounded_gaussian_that_runs_is_this_one_with_its_tails_cut() -> None:
    full = RoundedGaussian(Fraction(2)).law
    law = laws.rounded_gaussian(2, first=-9, last=9)
    assert all(law.probability(k) == full.probability(k) for k in range(-8, 9) if k)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: laws.geometric(Fraction(0), last=2), "chance of success"),
        (lambda: laws.geometric(0.5, last=2), "exact rational"),  # type: ignore[arg-type]
        (lambda: laws.geometric(Fraction(1, 2), last=-1), "a last of at least first"),
        (lambda: laws.geometric(Fraction(1, 2), last=2, fit="cut"), "clipped"),  # type: ignore[arg-type]
        (lambda: laws.two_sided_geometric(1, first=0, last=1), "above 1"),
        (lambda: laws.two_sided_geometric(2, first=0, last=True), "a whole number"),
        (lambda: laws.two_sided_geometric(2, first=0, last=1, center=0.5), "a whole number"),  # type: ignore[arg-type]
        (lambda: laws.binomial(-1, Fraction(1, 2)), "trials"),
        (lambda: laws.binomial(1, Fraction(3, 2)), "probability"),
        (lambda: laws.poisson_sample(range(21), Fraction(1, 2)), "at most 20 items"),
        (lambda: laws.rounded_laplace(0, first=0, last=1), "above 0"),
        (lambda: laws.rounded_gaussian(1, first=1, last=0), "a last of at least first"),
        (lambda: laws.rounded_gaussian(1, first=-3, last=3, denominator=10), "rounds down to 0"),
        (lambda: laws.rounded_gaussian(1, first=-30, last=30), "rounds down to 0"),
        (lambda: laws.rounded_gaussian(1, first=-3, last=3, denominator=0), "denominator"),
    ],
)
def test_what_is_outside_a_domain_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        make()


def test_every_public_law_is_documented() -> None:
    assert all(getattr(laws, name).__doc__ for name in laws.__all__)


DRAWS_NOTHING = {"bytes", "getstate", "permuted", "randbytes", "seed", "setstate", "spawn"}


@pytest.mark.parametrize(("kind", "known"), [
    (random.Random, generators.SUPPORTED), (np.random.Generator, generators_numpy.SUPPORTED)
])  # fmt: skip
def test_every_draw_that_is_refused_names_a_law_to_use_instead(kind: type, known: tuple[str, ...]) -> None:
    for name in dir(kind):
        if name.startswith("_") or not callable(getattr(kind, name)) or name in {*known, *DRAWS_NOTHING}:
            continue
        law = LAW_OF[name]
        assert law in laws.__all__
        assert f"dpcert.laws.{law}(...)" in instead_of(f"x.{name}")


def test_a_law_is_named_in_the_refusal() -> None:
    for generator, call, law in [
        ("random", "expovariate", "geometric"), ("numpy", "laplace", "rounded_laplace"),
        ("numpy", "geometric", "geometric"), ("random", "uniform", "uniform"), ("numpy", "poisson", "from_weights"),
    ]:  # fmt: skip
        code = scripted(lambda r, c=call: lambda _: getattr(r, c)(1), alphabet=(0,), generator=generator)  # type: ignore[misc]
        with pytest.raises(MechanismError, match=rf"draws from dpcert\.laws\.{law}\(.*test_laws\.py:\d+\)"):
            code.seeds(1)
