"""A core given by a table, and what it is worth to both kinds of adversaries. Exact."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import lcm

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import INTERRUPTED, Budget
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import PairedGame
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.analysis import analyse

Law = tuple[Fraction, ...]
"""The weights of the outputs 0, 1, ..."""


def prefixes(inputs: int, horizon: int) -> Iterator[tuple[int, ...]]:
    """The input prefixes of 1 to `horizon` rounds, shorter ones first, and in lexicographic order."""
    return (prefix for t in range(1, horizon + 1) for prefix in product(range(inputs), repeat=t))


@frozen
class Tabulated:
    """A core given by the law of each input prefix, in the order of `prefixes`."""

    inputs: int
    horizon: int
    laws: tuple[Law, ...]

    @property
    def alphabet(self) -> tuple[int, ...]:
        """0 to inputs - 1."""
        return tuple(range(self.inputs))

    @property
    def table(self) -> dict[tuple[int, ...], Law]:
        """Prefix -> law."""
        return dict(zip(prefixes(self.inputs, self.horizon), self.laws, strict=True))

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """The law of y_t given x[1..t]."""
        shorter = sum(self.inputs**t for t in range(1, len(prefix)))
        place = sum(x * self.inputs**i for i, x in enumerate(reversed(prefix)))
        return Pmf(enumerate(self.laws[shorter + place]))

    def with_law(self, number: int, law: Law) -> "Tabulated":
        """The same table but for one law."""
        return Tabulated(self.inputs, self.horizon, (*self.laws[:number], law, *self.laws[number + 1 :]))


@frozen
class Worth:
    """delta of a core at one e^epsilon, the larger of both orders of worlds, for both kinds of adversaries."""

    fixed: Fraction
    adaptive: Fraction

    @property
    def ratio(self) -> Fraction:
        """adaptive / fixed, at least 1.

        Where fixed streams reach delta 0, adaptive adversaries do too: every transcript's likelihood ratio is that of
        the fixed pair of streams which the adversary submitted on it. There the ratio counts as 1.
        """
        return self.adaptive / self.fixed if self.fixed else Fraction(1)


def worth(core: Tabulated, exp_epsilon: Fraction) -> Worth:
    """What both kinds of adversaries reach, under Hamming adjacency, by the solver.

    Raises: KeyboardInterrupt: there was one; nothing is known then.
    """
    analysis = analyse(PairedGame(core_of(core), HAMMING, core.horizon), Budget())
    if analysis.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    if not (analysis.fixed.exact and analysis.adaptive.exact):
        raise expected("a table small enough for exact curves", inputs=core.inputs, horizon=core.horizon)
    return Worth(analysis.fixed.lower.delta(exp_epsilon), analysis.adaptive.lower.delta(exp_epsilon))


def nearest(law: Sequence[Fraction], denominator: int) -> Law:
    """The law nearest to `law` whose weights are multiples of 1/d for one d <= `denominator`; the least such d.

    >>> nearest((Fraction(333, 1000), Fraction(667, 1000)), 10)
    (Fraction(1, 3), Fraction(2, 3))
    """
    unit = lcm(*(w.denominator for w in law))
    weights = [int(w * unit) for w in law]
    best, best_d, best_error = weights, unit, unit  # errors are over d * unit
    for d in range(1, denominator + 1):
        made = _multiples(weights, unit, d)
        error = max(abs(n * unit - w * d) for n, w in zip(made, weights, strict=True))
        if d == 1 or error * best_d < best_error * d:
            best, best_d, best_error = made, d, error
    return tuple(Fraction(n, best_d) for n in best)


def _multiples(weights: Sequence[int], unit: int, d: int) -> list[int]:
    """The weights (over `unit`) rounded to whole numbers over d: down, and up where the most was lost."""
    whole = [w * d // unit for w in weights]
    lost = sorted(range(len(whole)), key=lambda i: whole[i] * unit - weights[i] * d)
    for i in lost[: d - sum(whole)]:
        whole[i] += 1
    return whole
