"""Two rounds of the hybrid prefix sum with Geom(alpha) on all integers, clipped: the exact law, in closed form."""

from fractions import Fraction
from itertools import product

from dpcert.audit.algebra.pmf import Pmf

Errors = tuple[int, int]
Pair = tuple[int, int]
EQUAL, UNEQUAL = ((0, 0), (1, 1)), ((0, 1), (1, 0))


def _mass(r: Fraction, k: int) -> Fraction:
    """P(eta = k)."""
    return (1 - r) / (1 + r) * r ** abs(k)


def _at_least(r: Fraction, k: int) -> Fraction:
    """P(eta >= k)."""
    return r**k / (1 + r) if k > 0 else 1 - r ** (1 - k) / (1 + r)


def _end_mass(r: Fraction, d: int) -> Fraction:
    """P(G + eta = d), P(G = g) = (1 - r) r^g for g >= 0."""
    first = r ** abs(d) / (1 - r * r)
    return (1 - r) ** 2 / (1 + r) * (first if d <= 0 else d * r**d + first)


def _end_at_most(r: Fraction, d: int) -> Fraction:
    """P(G + eta <= d) for d <= 0."""
    return r ** (-d) / (1 + r) ** 2


def clipped_errors(alpha: Fraction, limits: Errors) -> Pmf[Errors]:
    """The law of (clip(eta_1), clip(eta_1 + eta_2)), clipped to within the two limits, of at least 1."""
    r = 1 / alpha
    most, last = limits
    weights: dict[Errors, Fraction] = {}
    for first in range(1 - most, most):
        here = _mass(r, first)
        for second in range(1 - last, last):
            weights[first, second] = here * _mass(r, second - first)
        weights[first, last] = here * _at_least(r, last - first)
        weights[first, -last] = here * _at_least(r, last + first)
    for sign in (1, -1):  # eta_1 is most + G, or that with the opposite sign
        end = r**most / (1 + r)
        low = _end_at_most(r, -last - most)
        inner = {m: _end_mass(r, m - most) for m in range(1 - last, last)}
        for m, mass in {-last: low, **inner, last: 1 - low - sum(inner.values())}.items():
            weights[sign * most, sign * m] = end * mass
    return Pmf(weights)


def cut_errors(noise: Pmf[int], limits: Errors) -> Pmf[Errors]:
    """The same for noise from a finite law."""
    drawn = noise.product(noise)
    return drawn.map(lambda etas: (_clip(etas[0], limits[0]), _clip(sum(etas), limits[1])))


def _clip(value: int, most: int) -> int:
    return max(-most, min(most, value))


def deltas(errors: Pmf[Errors], exp_epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """(delta for fixed streams, delta for adaptive adversaries) at e^epsilon, bits that differ in at most one round.

    The second pair is chosen once for all, or after the first release; the pairs' order covers both orders of worlds.
    """
    fixed_stream, adaptive = Fraction(0), Fraction(0)
    for first in (*EQUAL, *UNEQUAL):
        seconds = (*EQUAL, *UNEQUAL) if first in EQUAL else EQUAL
        gains = [_gains(errors, first, second, exp_epsilon) for second in seconds]
        fixed_stream = max(fixed_stream, *(sum(gain.values(), Fraction(0)) for gain in gains))
        releases = {v for gain in gains for v in gain}
        adaptive = max(adaptive, sum((max(gain.get(v, Fraction(0)) for gain in gains) for v in releases), Fraction(0)))
    return fixed_stream, adaptive


def _gains(errors: Pmf[Errors], first: Pair, second: Pair, exp_epsilon: Fraction) -> dict[int, Fraction]:
    """First release -> sum over the second of max(0, P_0 - e^epsilon P_1)."""
    laws = [_moved(errors, first[c], first[c] + second[c]) for c in (0, 1)]
    gains: dict[int, Fraction] = {}
    for v in laws[0].support:
        gain = laws[0].probability(v) - exp_epsilon * laws[1].probability(v)
        gains[v[0]] = gains.get(v[0], Fraction(0)) + max(Fraction(0), gain)
    return gains


def _moved(errors: Pmf[Errors], first: int, both: int) -> Pmf[Errors]:
    """The releases, given the exact sums."""
    return errors.map(lambda e: (first + e[0], both + e[1]))


def failure(alpha: Fraction, bound: int) -> Fraction:
    """P(|eta_1| > B or |eta_1 + eta_2| > B)."""
    errors = clipped_errors(alpha, (bound + 1, bound + 1))
    within = range(-bound, bound + 1)
    return 1 - sum((errors.probability((e, f)) for e, f in product(within, within)), Fraction(0))


def failure_of_three(alpha: Fraction, bound: int) -> Fraction:
    """The same with a third round, whose error is eta_1 + eta_3: given eta_1, both are alike and independent."""
    errors = clipped_errors(alpha, (bound + 1, bound + 1))
    within = range(-bound, bound + 1)
    good = Fraction(0)
    for first in within:
        both = sum((errors.probability((first, second)) for second in within), Fraction(0))
        good += both * both / _mass(1 / alpha, first)
    return 1 - good


def one_round_delta(alpha: Fraction, limit: int, exp_epsilon: Fraction) -> Fraction:
    """delta at e^epsilon of Geom(alpha) clipped to within a limit of at least 1, against itself moved by 1."""
    r = 1 / alpha
    ends = r**limit / (1 + r)
    mass = {-limit: ends, limit: ends} | {k: _mass(r, k) for k in range(1 - limit, limit)}
    return sum((max(Fraction(0), w - exp_epsilon * mass.get(k + 1, 0)) for k, w in mass.items()), Fraction(0))
