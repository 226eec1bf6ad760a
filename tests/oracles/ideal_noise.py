"""Laws of clipped noisy sums with Geom noise, and the best adversary against them, worked out without the package.

The released errors R_t = clip(Y_t - Q_t, -E, E) are made of noise alone. So a game is a walk through transcripts: the
sum is 0 in world 0 and the shift d of -1, 0 or 1 in world 1, where the transcript r of world 0 is r - d.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

Law = dict[tuple[int, ...], Fraction]
COVERS = {1: (1,), 2: (1, 2), 3: (1, 3), 4: (1, 3, 4), 5: (1, 3, 5)}
"""Which rounds' noises Y_t adds up."""
SHIFTS = (-1, 0, 1)


def mass(alpha: Fraction, k: int) -> Fraction:
    """P(Geom = k)."""
    return (alpha - 1) / (alpha + 1) * alpha ** -abs(k)


def mass_beyond(alpha: Fraction, most: int) -> Fraction:
    """P(|Geom| > most), 1 less what is not."""
    return 1 - sum(mass(alpha, k) for k in range(-most, most + 1))


def clip(y: int, bound: int) -> int:
    return max(-bound, min(bound, y))


def enumerated_law(alphas: Sequence[Fraction], bounds: Sequence[int], most: int) -> tuple[Law, Fraction]:
    """The law of (R_1, ..., R_T) on the event that every noise is in [-most..most], and the mass of the rest."""
    laws = [[(k, mass(alpha, k)) for k in range(-most, most + 1)] for alpha in alphas]
    law: Law = defaultdict(Fraction)
    for noises in product(*laws):
        weight = Fraction(1)
        for _, w in noises:
            weight *= w
        released = tuple(clip(sum(noises[i - 1][0] for i in COVERS[t]), bound) for t, bound in enumerate(bounds, 1))
        law[released] += weight
    return dict(law), 1 - sum(law.values())


def summed_law(alpha: Fraction, bound: int, rounds: int) -> Law:
    """The law of (R_1, ..., R_T), T at most 3, as a geometric series over the tails of the first noise.

    Given Z_1 = z >= E, the mass of R_t = v is a + b s with s = alpha^-z, so the series of their product is a sum of
    alpha^-(k z) over z. Below -E all is the other way round.
    """
    law: Law = {}
    for first in range(-bound, bound + 1):
        for rest in product(range(-bound, bound + 1), repeat=rounds - 1):
            if abs(first) == bound:
                sign = 1 if first > 0 else -1
                law[(first, *rest)] = _series(alpha, bound, [sign * v for v in rest])
            else:
                weight = mass(alpha, first)
                for v in rest:
                    weight *= _clipped_mass(alpha, bound, first, v)
                law[(first, *rest)] = weight
    return law


def _upper(alpha: Fraction, k: int) -> Fraction:
    """P(Geom >= k)."""
    return alpha ** (1 - k) / (alpha + 1) if k > 0 else 1 - alpha**k / (alpha + 1)


def _clipped_mass(alpha: Fraction, bound: int, z: int, v: int) -> Fraction:
    """P(clip(z + Geom, -bound, bound) = v)."""
    if v == bound:
        return _upper(alpha, bound - z)
    return _upper(alpha, bound + z) if v == -bound else mass(alpha, v - z)


def _series(alpha: Fraction, bound: int, rest: Sequence[int]) -> Fraction:
    """P(Z >= bound, R_t = v_t for every v_t of `rest`)."""
    coefficients = [Fraction(0), (alpha - 1) / (alpha + 1)]  # of powers of s = alpha^-z: the mass of z itself
    for v in rest:
        if v == bound:
            one, s = Fraction(1), -(alpha**bound) / (alpha + 1)
        elif v == -bound:
            one, s = Fraction(0), alpha ** (1 - bound) / (alpha + 1)
        else:
            one, s = Fraction(0), (alpha - 1) / (alpha + 1) * alpha**v
        longer = [Fraction(0)] * (len(coefficients) + 1)
        for k, c in enumerate(coefficients):
            longer[k] += one * c
            longer[k + 1] += s * c
        coefficients = longer
    return sum(
        (c * alpha ** (-k * bound) / (1 - alpha**-k) for k, c in enumerate(coefficients) if k), start=Fraction(0)
    )


def adaptive_delta(law: Law, bounds: Sequence[int], exp_epsilon: Fraction) -> Fraction:
    """sup over adversaries of sum max(0, P0 - e^eps P1): backward through all transcripts."""

    def best(released: tuple[int, ...], shifts: tuple[int, ...]) -> Fraction:
        t = len(released)
        if t == len(bounds):
            other = tuple(r - d for r, d in zip(released, shifts, strict=True))
            return max(Fraction(0), law.get(released, Fraction(0)) - exp_epsilon * law.get(other, Fraction(0)))
        choices = SHIFTS if not shifts or shifts[-1] == 0 else (shifts[-1],)
        width = range(-bounds[t], bounds[t] + 1)
        return max(sum(best((*released, r), (*shifts, d)) for r in width) for d in choices)

    return best((), ())


def fixed_delta(law: Law, bounds: Sequence[int], exp_epsilon: Fraction) -> Fraction:
    """The same over streams that differ in a round chosen beforehand."""
    rounds, best = len(bounds), Fraction(0)
    for start in range(rounds):
        for d in (-1, 1):
            shifts = (0,) * start + (d,) * (rounds - start)
            shifted = {tuple(r + e for r, e in zip(released, shifts, strict=True)): w for released, w in law.items()}
            best = max(best, sum(max(Fraction(0), w - exp_epsilon * shifted.get(r, 0)) for r, w in law.items()))
    return best
