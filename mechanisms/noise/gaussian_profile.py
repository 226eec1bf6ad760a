"""The privacy profile of a load beside Gaussian noise, enclosed: f tensor G_mu at any rational e^epsilon."""

from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.enclosure import Enclosure, ball, enclosed
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.errors import expected

Masses = tuple[Fraction, Fraction]


def gaussian_delta(exp_epsilon: Fraction, mu_squared: Fraction) -> Enclosure:
    """delta of N(0, 1) against N(mu, 1), either order: Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).

    Args:
        exp_epsilon: e^eps, positive; below 1 it is the exact supremum still.
        mu_squared: mu^2, positive.
    Source: claims 93.

    >>> 0.38292 < gaussian_delta(Fraction(1), Fraction(1)).lower < 0.38293
    True
    """
    if exp_epsilon <= 0:
        raise expected("a positive number", exp_epsilon=exp_epsilon)
    return enclosed(lambda: _delta(ball(exp_epsilon), _root(mu_squared)))


def profile(power: PowerFunction, mu_squared: Fraction, exp_epsilon: Fraction) -> Enclosure:
    """delta of f tensor G_mu, two-sided: the larger of both orders.

    An atom of f with masses p and q adds p delta_mu(e^eps q / p), which is p where q is 0, and nothing where p is 0.

    >>> from dpcert.audit.algebra.power import dp_power
    >>> profile(PowerFunction.identity(), Fraction(1), Fraction(1)) == gaussian_delta(Fraction(1), Fraction(1))
    True
    >>> profile(dp_power(Fraction(2)), Fraction(1, 10**6), Fraction(2)).upper < Fraction(1, 10**3)
    True
    """
    if exp_epsilon <= 0:
        raise expected("a positive number", exp_epsilon=exp_epsilon)
    turned = tuple((q, p) for p, q in reversed(power.segments))
    orders = (turned,) if turned == power.segments else (power.segments, turned)
    found = [enclosed(lambda: _total(atoms, mu_squared, exp_epsilon)) for atoms in orders]  # noqa: B023  # used at once
    lowers, uppers = ([getattr(one, end) for one in found] for end in ("lower", "upper"))
    return Enclosure(max(lowers), max(uppers))


def _total(atoms: Iterable[Masses], mu_squared: Fraction, exp_epsilon: Fraction) -> arb:
    total, mu, factor = arb(0), _root(mu_squared), ball(exp_epsilon)
    for p, q in atoms:
        if p and q:
            total += ball(p) * _delta(factor * ball(q) / ball(p), mu)
        else:
            total += ball(p)
    return total


def _root(mu_squared: Fraction) -> arb:
    if mu_squared <= 0:
        raise expected("a positive number", mu_squared=mu_squared)
    return ball(Fraction(mu_squared)).sqrt()


def _delta(exp_epsilon: arb, mu: arb) -> arb:
    """delta_mu at a number of any size; a difference of nearly equal numbers at worst."""
    far, root = exp_epsilon.log() / mu, arb(2).sqrt()
    return (((far - mu / 2) / root).erfc() - exp_epsilon * ((far + mu / 2) / root).erfc()) / 2
