"""Laplace noise, discrete and continuous, as power functions between bounds with rational masses.

w = e^-a is irrational for a rational a, so it is enclosed. Discrete Laplace noise of a larger w is that of a smaller
one with independent noise added: (1 + w^2 - 2 w cos t) / (1 + v^2 - 2 v cos t) is w/v plus a positive multiple of
1 / (1 + v^2 - 2 v cos t) for w < v < 1. So curves fall as w rises, whatever is done to the noisy value.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.enclosure import exponential
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.errors import expected

WEIGHT_BITS, LAPLACE_BITS = 64, 36
"""Bits of e^-a past its leading zeros, at both of its ends: of discrete noise, and of a part of continuous noise."""
MOST_DECAY = 60
"""The largest a of Laplace noise that is told from a release without noise."""
MOST_SHIFT = 1_000
"""The largest whole number that discrete Laplace noise is to hide."""
Weights = Sequence[tuple[int, Fraction]]
"""A law on whole numbers: values with their probabilities."""


def between(decay: Fraction, make: Callable[[Fraction], PowerFunction], bits: int = WEIGHT_BITS) -> Bracket:
    """What `make` makes of w = e^-decay, from both of its ends; it has to fall as w rises.

    Raises: ArgumentError: no decay above 0, or one above MOST_DECAY.
    """
    if not 0 < decay <= MOST_DECAY:
        raise expected(f"a noise parameter above 0 and at most {MOST_DECAY}", decay=decay)
    ends = exponential(-decay).finite()
    scale = 1 << bits + (1 / ends.lower).__ceil__().bit_length()
    low, high = Fraction(ends.lower * scale // 1, scale), -Fraction(-ends.upper * scale // 1, scale)
    return Bracket(make(high), make(low))


def noised(law0: Weights, law1: Weights, w: Fraction) -> PowerFunction:
    """Pow of x + Z for x drawn from either law and Z of mass (1 - w)/(1 + w) w^|z|: exact.

    Beyond all values both masses fall by w a step, so one atom stands for each side.

    >>> noised([(0, Fraction(1))], [(1, Fraction(1))], Fraction(1, 2)).largest_ratio
    Fraction(2, 1)
    """
    values = [x for law in (law0, law1) for x, _ in law]
    low, high = min(values), max(values)
    laws = [list(_masses(law, low, high, w)) for law in (law0, law1)]
    return PowerFunction.from_segments(zip(*laws, strict=True))


def _masses(law: Weights, low: int, high: int, w: Fraction) -> Iterator[Fraction]:
    """P(x + Z <= low), P(x + Z = y) for y between, P(x + Z >= high)."""
    yield sum((p * w ** (x - low) for x, p in law), Fraction(0)) / (1 + w)
    for y in range(low + 1, high):
        yield sum((p * w ** abs(x - y) for x, p in law), Fraction(0)) * (1 - w) / (1 + w)
    if high > low:
        yield sum((p * w ** (high - x) for x, p in law), Fraction(0)) / (1 + w)
    else:
        yield 1 - sum((p for _, p in law), Fraction(0)) / (1 + w)


def discrete_laplace(decay: Fraction, shift: int) -> Bracket:
    """Discrete Laplace noise of mass proportional to e^(-decay |z|), added to 0 or to `shift`.

    Raises: ArgumentError: a decay or a shift out of range.

    >>> found = discrete_laplace(Fraction(1), 2)
    >>> found.lower <= found.upper, round(found.lower.largest_ratio, 6), round(found.upper.largest_ratio, 6)
    (True, Fraction(115454, 15625), Fraction(115454, 15625))
    """
    if not 0 <= shift <= MOST_SHIFT:
        raise expected(f"a sensitivity from 0 to {MOST_SHIFT}", sensitivity=shift)
    at = [[(x, Fraction(1))] for x in (0, shift)]
    return between(decay, lambda w: noised(at[0], at[1], w))


def laplace(decay: Fraction, parts: int) -> Bracket:
    """Laplace noise of density proportional to e^(-decay |z|), added to 0 or to 1, over so many equal parts of [0, 1].

    From below the part is released alone; from above, its mass is moved to the likelihood ratios at its two ends.

    Raises: ArgumentError: a decay out of range.

    >>> found = laplace(Fraction(1), 32)
    >>> 0 < found.upper.total_variation - found.lower.total_variation < Fraction(1, 1000)
    True
    """
    below, above = (
        between(decay / parts, lambda w: PowerFunction.from_segments(way(w, parts)), LAPLACE_BITS)  # noqa: B023 - at once
        for way in (_parts, _at_ends)
    )
    return Bracket(below.lower, above.upper)


def _parts(w: Fraction, parts: int) -> Iterator[tuple[Fraction, Fraction]]:
    """The masses of (-oo, 0], of every part, and of [1, oo), for e^(-decay / parts) = w."""
    yield Fraction(1, 2), w**parts / 2
    for j in range(parts):
        yield w**j * (1 - w) / 2, w ** (parts - j - 1) * (1 - w) / 2
    yield w**parts / 2, Fraction(1, 2)


def _at_ends(w: Fraction, parts: int) -> Iterator[tuple[Fraction, Fraction]]:
    """The same with every part's masses, of ratio r, at the ratios r / w and r w: 1 / (1 + w) of the first world's."""
    first, *middle, last = _parts(w, parts)
    yield first
    for p, q in middle:
        yield p / (1 + w), q * w / (1 + w)
        yield p * w / (1 + w), q / (1 + w)
    yield last
