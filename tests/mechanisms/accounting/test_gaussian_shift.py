"""f_mu and what it gives away, against mpmath at many digits; where arb cannot decide, what is left is still true."""

from fractions import Fraction
from itertools import product
from random import Random

import mpmath
import pytest

from dpcert.audit.algebra.enclosure import TINY, Enclosure, Ends
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.accounting import narrowing
from dpcert.mechanisms.accounting.crossing import crossing
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.shift import GaussianShift, of_sensitivity

NARROW = Fraction(1, 10**14)
RANDOM = Random(14)
MUS = [Fraction(1, 10**6), Fraction(1, 30), Fraction(1), Fraction(7, 2), Fraction(40), Fraction(10**6)]
DRAWN = [
    (Fraction(RANDOM.randrange(1, 4000), 1000), Fraction(RANDOM.randrange(12000), 1000)) for _ in range(20)
]  # mu, epsilon


def number(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def phi(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def delta(mu: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """The closed form, at so many digits that nothing that is tested is lost in the difference."""
    m, e = number(mu), number(epsilon)
    return phi(m / 2 - e / m) - mpmath.exp(e) * phi(-m / 2 - e / m)


def contains(found: Enclosure, value: mpmath.mpf, share: Fraction = NARROW) -> bool:
    """Whether it holds the value, and is narrow."""
    low, high = found.finite()
    slack = value * mpmath.mpf(10) ** -40
    return bool(number(low) <= value + slack and value - slack <= number(high)) and high - low <= high * share


def of(mu: Fraction) -> GaussianProduct:
    return GaussianProduct(GaussianShift.of_mu(mu))


@pytest.mark.in_turns
@pytest.mark.parametrize("mu", MUS)
def test_delta_is_the_closed_form(mu: Fraction) -> None:
    """At epsilons from 0 to far out, where delta is near 10^-300."""
    with mpmath.workdps(700):
        for deviations in (-20, -1, 0, 3, 10, 37):
            epsilon = mu * mu / 2 + deviations * mu
            if epsilon >= 0:
                assert contains(of(mu).delta_at(epsilon), delta(mu, epsilon)), deviations
        assert contains(of(mu).delta_at(0), delta(mu, Fraction(0)))


@pytest.mark.in_turns
def test_delta_and_epsilon_at_random() -> None:
    with mpmath.workdps(80):
        for mu, epsilon in DRAWN:
            found = of(mu).delta_at(epsilon)
            assert contains(found, delta(mu, epsilon))
            assert not contains(found, delta(mu, epsilon) * (1 + mpmath.mpf(10) ** -13))
            wanted = found.finite().lower
            if wanted:
                low, high = of(mu).epsilon_for(wanted).finite()
                assert low <= high <= low * (1 + NARROW) + NARROW
                assert delta(mu, high) <= number(wanted)
                assert low == 0 or delta(mu, low) > number(wanted)


def test_a_rational_ratio_is_the_same_question() -> None:
    with mpmath.workdps(60):
        for ratio in (Fraction(1, 5), Fraction(1), Fraction(3, 2), Fraction(1000)):
            value = phi(mpmath.mpf(1) / 2 - mpmath.log(number(ratio))) - number(ratio) * phi(
                -mpmath.mpf(1) / 2 - mpmath.log(number(ratio))
            )
            assert contains(of(Fraction(1)).delta(ratio), value)
            orders = [of(Fraction(1)).hockey_stick(ratio, order) for order in ("0-1", "1-0")]
            assert orders[0] == orders[1] == of(Fraction(1)).delta(ratio)


@pytest.mark.in_turns
@pytest.mark.parametrize(("delta_exponent", "mu"), [*product((1, 5, 300), MUS)])
def test_epsilon_lies_where_delta_crosses(delta_exponent: int, mu: Fraction) -> None:
    wanted = Fraction(1, 10**delta_exponent)
    low, high = of(mu).epsilon_for(wanted).finite()
    assert high - low <= high * NARROW
    with mpmath.workdps(420):
        assert delta(mu, high) <= number(wanted)
        assert low == 0 or delta(mu, low) > number(wanted)


def test_the_golden_number() -> None:
    low, high = of(Fraction(1)).epsilon_for(Fraction(1, 10**5)).finite()
    assert Fraction("4.37717") < low <= high < Fraction("4.37718")
    assert (
        Fraction("9.9972561") < of(Fraction(2)).epsilon_for(Fraction(1, 10**5)).finite().lower < Fraction("9.9972562")
    )


@pytest.mark.in_turns
def test_the_power_and_the_trade_off() -> None:
    with mpmath.workdps(340):
        for mu, alpha in product(MUS[1:5], map(Fraction, ("1/1000", "1/2", "999/1000", "1e-300"))):
            shift, level = GaussianShift.of_mu(mu), number(alpha)
            at = -mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * level)
            assert contains(shift.power(alpha), phi(at + number(mu)))
            assert contains(shift.trade_off(alpha), phi(-at - number(mu)))
    assert shift.power(0).upper == 0
    assert shift.trade_off(1).upper == 0
    assert shift.power(1).lower == 1


def test_delta_supports_the_power() -> None:
    """f(alpha) <= delta(e) + e alpha for every slope e, and near one of them there is hardly any room."""
    shift, alpha = GaussianShift.of_mu(Fraction(3, 2)), Fraction(1, 7)
    slopes = [Fraction(101, 100) ** k for k in range(-100, 600)]
    rooms = [GaussianProduct(shift).delta(e).finite().upper + e * alpha for e in slopes]
    low, high = shift.power(alpha).finite()
    assert high <= min(rooms) < low + Fraction(1, 10**4)


def test_hops_add_and_independent_cores_add_their_squares() -> None:
    two, three = GaussianShift.of_mu(2), GaussianShift.of_mu(3)
    assert two.then(three) == GaussianShift.of_mu(5)
    assert two.hops(3) == two.then(two).then(two) == GaussianShift.of_mu(6)
    assert two.tensor(three).mu_squared == (13, 13)
    assert two.copies(4) == GaussianShift.of_mu(4)
    root2, root3 = GaussianShift.of_rho(1), GaussianShift.of_rho(Fraction(3, 2))
    low, high = root2.then(root3).mu_squared
    with mpmath.workdps(60):
        assert contains(Enclosure(low, high), (mpmath.sqrt(2) + mpmath.sqrt(3)) ** 2)
    assert low < high
    for alpha in (Fraction(1, 100), Fraction(1, 3)):
        inner = two.power(alpha).finite()
        outer = Enclosure(three.power(inner.lower).lower, three.power(inner.upper).upper)
        assert outer.finite().lower <= two.then(three).power(alpha).finite().upper
        assert two.then(three).power(alpha).finite().lower <= outer.finite().upper


def test_what_is_known_between_two_ends_stays_between_them() -> None:
    shift = GaussianShift.of_noise(Ends(Fraction(2), Fraction(3)), 1)
    low, high = GaussianShift.of_rho(1), GaussianShift.of_rho(Fraction(3, 2))
    for ask in (
        lambda f: GaussianProduct(f).delta_at(1),
        lambda f: GaussianProduct(f).epsilon_for(Fraction(1, 10**6)),
        lambda f: f.power(Fraction(1, 10)),
        lambda f: f.mu,
    ):
        assert ask(shift) == Enclosure(ask(low).lower, ask(high).upper)
    assert shift.trade_off(Fraction(1, 10)).lower == high.trade_off(Fraction(1, 10)).lower
    assert shift.trade_off(Fraction(1, 10)).upper == low.trade_off(Fraction(1, 10)).upper
    assert shift.rho == (1, Fraction(3, 2))
    assert shift.renyi(4) == (4, 6)


@pytest.mark.in_turns
def test_the_renyi_curve_by_integration() -> None:
    with mpmath.workdps(30):
        for alpha in (Fraction(3, 2), Fraction(5)):
            density = lambda x, m: mpmath.npdf(x, m)  # noqa: E731
            a = number(alpha)
            whole = mpmath.quad(lambda x: density(x, 2) ** a * density(x, 0) ** (1 - a), [-40, 0, 2 * a, 40])  # noqa: B023
            assert abs(mpmath.log(whole) / (a - 1) - number(GaussianShift.of_mu(2).renyi(alpha).upper)) < 1e-12


def test_too_few_bits_leave_an_interval_that_holds_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    """mu so small that 128 bits lose it beside epsilon: wide, never wrong; with more bits narrow again."""
    mu, epsilon = Fraction(1, 10**60), Fraction(3, 10**60)
    sharp = of(mu).delta_at(epsilon).finite()
    exact = of(mu).epsilon_for(sharp.lower).finite()
    monkeypatch.setattr(narrowing, "MOST_BALL_BITS", 128)
    wide, bracket = of(mu).delta_at(epsilon).finite(), of(mu).epsilon_for(sharp.lower).finite()
    assert wide.lower <= sharp.lower <= sharp.upper <= wide.upper
    assert wide.upper - wide.lower > sharp.upper - sharp.lower
    assert bracket.lower <= exact.lower <= exact.upper <= bracket.upper
    assert bracket.upper - bracket.lower > exact.upper - exact.lower
    assert of(mu).side(epsilon, sharp.lower) is None


def test_below_what_is_written_out_delta_lies_above_0() -> None:
    assert of(Fraction(1, 10**300)).delta_at(1) == Enclosure(Fraction(0), TINY)


def test_a_crossing_keeps_to_what_was_decided() -> None:
    def hazy(x: Fraction) -> int | None:
        return 1 if x < 5 else -1 if x > 6 else None

    low, high = crossing(hazy).finite()
    assert low < 5 < 6 < high
    assert crossing(lambda _: 1).upper is None
    assert crossing(lambda _: None) == Enclosure(Fraction(0), None)
    assert crossing(lambda x: 1 if x < Fraction(1, 2**900) else -1).finite().upper == Fraction(1, 2**900)
    assert crossing(lambda x: 1 if x < 2**900 else -1).finite().upper == 2**900


@pytest.mark.parametrize(
    "make",
    [
        lambda: GaussianShift.of_mu(0),
        lambda: GaussianShift.of_mu(-1),
        lambda: GaussianShift.of_mu(0.5),  # type: ignore[arg-type]
        lambda: GaussianShift.of_mu(10**301),
        lambda: GaussianShift.of_rho(Fraction(1, 10**700)),
        lambda: of_sensitivity(1, 0),
        lambda: of_sensitivity(0, 1),
        lambda: GaussianShift(Ends(Fraction(2), Fraction(1))),
        lambda: GaussianShift.of_mu(1).hops(0),
        lambda: GaussianShift.of_mu(1).renyi(1),
        lambda: GaussianShift.of_mu(1).power(2),
        lambda: of(Fraction(1)).delta_at(-1),
        lambda: of(Fraction(1)).delta(0),
        lambda: of(Fraction(1)).epsilon_for(2),
        lambda: of(Fraction(1)).hockey_stick(1, "both"),  # type: ignore[arg-type]
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(make: object) -> None:
    with pytest.raises(ArgumentError, match=r"\AExpected [^\n]* but got [^\n]*\Z"):
        make()  # type: ignore[operator]


def test_no_delta_of_0_has_a_finite_epsilon() -> None:
    assert of(Fraction(1)).epsilon_for(0) == Enclosure(None, None)
    assert of(Fraction(1)).epsilon_for(1).upper == 0
