"""Power functions of finite experiments, exactly: order, tensor, composition, supremum, DP curves."""

from collections.abc import Hashable, Iterable
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeVar

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.enclosure import INFINITE, Enclosure, exponential, logarithm
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import exact
from dpcert.audit.algebra.slope import nats, positive, probability, slope
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen

Y = TypeVar("Y", bound=Hashable)
Order = Literal["0-1", "1-0"]
ORDERS: tuple[Order, Order] = ("0-1", "1-0")
Point = tuple[Fraction, Fraction]
_START, _END = (Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))


@frozen
class PowerFunction:
    """Pow(P‖Q): [0,1] -> [0,1], the most world-1 mass that fits in a given world-0 mass.

    Concave and piecewise linear with rational vertices; f(0) is the world-1 mass of outcomes that world 0 never
    produces. Compare with `<=` (pointwise, a partial order) and `==`. Made by `from_laws`, `from_segments` or
    `from_vertices`.

    Args:
        chain: The segments by falling slope, world-0 and world-1 masses as whole numbers over a total each.
    Source: paper.tex, defn:power.

    >>> quarter = Fraction(1, 4)
    >>> f = PowerFunction.from_laws(Pmf({0: 1 - quarter, 1: quarter}), Pmf({0: quarter, 1: 1 - quarter}))
    >>> f.vertices == ((0, 0), (quarter, 1 - quarter), (1, 1))
    True
    """

    chain: Chain
    """The segments in integers; `segments` and `vertices` give them as Fractions."""

    @classmethod
    def from_laws(cls, law0: Pmf[Y], law1: Pmf[Y]) -> "PowerFunction":
        """Pow(law0‖law1) of two laws on the same outcomes. Exact.

        Args:
            law0: P, in world 0.
            law1: Q, in world 1; outcomes missing from either weigh 0 there.
        Returns: The power function of telling them apart.
        Source: paper.tex, defn:power.
        """
        weights0, total0 = law0.token_weights()
        weights1, total1 = law1.token_weights()
        outcomes = list(dict.fromkeys([*weights0, *weights1]))
        return cls(
            chains.ordered(
                [weights0.get(y, 0) for y in outcomes], [weights1.get(y, 0) for y in outcomes], total0, total1
            )
        )

    @classmethod
    def from_segments(cls, segments: Iterable[Point]) -> "PowerFunction":
        """The power function of atoms (world-0 mass, world-1 mass), in any order.

        Args:
            segments: Pairs of masses, ints or Fractions of at least 0; each side sums to 1.
        Returns: The power function with these atoms, equal likelihood ratios merged.
        Raises: ArgumentError: a mass that is negative or a float, or a side with another sum.

        >>> PowerFunction.from_segments([(1, Fraction(1, 2)), (0, Fraction(1, 2))]).delta_at_infinity
        Fraction(1, 2)
        """
        atoms = [(exact(a, "mass"), exact(b, "mass")) for a, b in segments]
        return cls.from_laws(
            Pmf([(i, a) for i, (a, _) in enumerate(atoms)]), Pmf([(i, b) for i, (_, b) in enumerate(atoms)])
        )

    @classmethod
    def from_vertices(cls, vertices: Iterable[Point]) -> "PowerFunction":
        """The power function through `vertices`.

        Args:
            vertices: Corners (alpha, power), ints or Fractions, listed from (0, 0) to (1, 1).
        Returns: The curve of straight lines between them.
        Raises: ArgumentError: the points do not rise from (0, 0) to (1, 1) or are not concave.
        """
        points = [(exact(x, "vertex"), exact(y, "vertex")) for x, y in vertices]
        if len(points) < 2 or points[0] != _START or points[-1] != _END:
            raise expected("vertices from (0, 0) to (1, 1)", vertices=points)
        steps = [(q[0] - p[0], q[1] - p[1]) for p, q in pairwise(points) if p != q]
        falling = all(s[1] * t[0] >= t[1] * s[0] for s, t in pairwise(steps))
        if not falling or any(a < 0 or b < 0 for a, b in steps):
            raise expected("vertices of a concave, nondecreasing curve", vertices=points)
        return cls.from_segments(steps)

    @classmethod
    def identity(cls) -> "PowerFunction":
        """Id, the power function of two equal laws: f(alpha) = alpha.

        >>> PowerFunction.identity().vertices == ((0, 0), (1, 1))
        True
        """
        return cls(chains.IDENTITY)

    @cached_property
    def segments(self) -> tuple[Point, ...]:
        """The atoms (world-0 mass, world-1 mass) by falling likelihood ratio, equal ratios merged."""
        c = self.chain
        return tuple((Fraction(a, c.total0), Fraction(b, c.total1)) for a, b in zip(c.mass0, c.mass1, strict=True))

    @cached_property
    def vertices(self) -> tuple[Point, ...]:
        """The corners from (0, 0) to (1, 1), world 0 on the x-axis."""
        c = self.chain
        return tuple((Fraction(x, c.total0), Fraction(y, c.total1)) for x, y in c.vertices())

    def __call__(self, alpha: Fraction | int) -> Fraction:
        """f(alpha), the power at type-I error alpha.

        Args:
            alpha: An int or Fraction in [0, 1].
        Returns: A probability of at least alpha.
        Raises: ArgumentError: an alpha of another kind, or outside [0, 1].
        """
        at = exact(alpha, "alpha")
        if not 0 <= at <= 1:
            raise expected("alpha in [0, 1]", alpha=at)
        value = Fraction(0)
        rest = at
        for a, b in self.segments:
            if a > rest:
                return value + b * rest / a
            value += b
            rest -= a
        return value

    def trade_off(self, alpha: Fraction | int) -> Fraction:
        """T(alpha) = 1 - f(alpha), the least type-II error at type-I error alpha.

        Args:
            alpha: An int or Fraction in [0, 1].
        Returns: A probability of at most 1 - alpha.
        Raises: ArgumentError: an alpha of another kind, or outside [0, 1].

        >>> dp_power(3).trade_off(Fraction(1, 4))
        Fraction(1, 4)
        """
        return 1 - self(alpha)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PowerFunction):
            return NotImplemented
        f, g = self.chain, other.chain
        return len(f) == len(g) and all(
            a * g.total0 == c * f.total0 and b * g.total1 == d * f.total1
            for a, b, c, d in zip(f.mass0, f.mass1, g.mass0, g.mass1, strict=True)
        )

    def __hash__(self) -> int:
        c = self.chain
        return hash((len(c), Fraction(c.mass0[0], c.total0), Fraction(c.mass1[0], c.total1)))

    def __le__(self, other: object) -> bool:
        if not isinstance(other, PowerFunction):
            return NotImplemented
        mine, theirs = chains.over_common_totals([self.chain, other.chain])
        return chains.below(mine, theirs)

    def __ge__(self, other: object) -> bool:
        return other <= self if isinstance(other, PowerFunction) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self <= other and self != other if isinstance(other, PowerFunction) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return other < self if isinstance(other, PowerFunction) else NotImplemented

    def reversed(self) -> "PowerFunction":
        """Pow(Q‖P), the same experiment with the worlds swapped.

        Returns: The inverse of the curve, turned about the diagonal from (0, 1) to (1, 0).

        >>> dp_power(3).reversed() == dp_power(3)
        True
        """
        return PowerFunction(self.chain.reversed())

    def tensor(self, other: "PowerFunction") -> "PowerFunction":
        """f ⊗ g, two independent experiments. Exact.

        Args:
            other: g.
        Returns: The power function of seeing the outcomes of both, equal likelihood ratios merged.
        Source: paper.tex, defn:tensor.

        >>> dp_power(3).tensor(PowerFunction.identity()) == dp_power(3)
        True
        """
        f, g = self.chain, other.chain
        runs = [(a, b, g) for a, b in zip(f.mass0, f.mass1, strict=True)]
        return PowerFunction(chains.release(runs, f.total0 * g.total0, f.total1 * g.total1))

    def tensor_power(self, n: int) -> "PowerFunction":
        """f ⊗ ... ⊗ f, n independent runs of one experiment, equal likelihood ratios merged. Exact.

        Args:
            n: The number of runs, at least 0; none give the identity.
        Returns: Their joint power function.
        Raises: ArgumentError: n is no whole number of at least 0, or the result is above 2 million segments or 2 GiB.
        Source: paper.tex, defn:tensor, applied n - 1 times.

        >>> dp_power(3).tensor_power(2) == dp_power(3).tensor(dp_power(3))
        True
        """
        from dpcert.audit.algebra.tensor_power import tensor_power

        return PowerFunction(tensor_power(self.chain, n))

    def then(self, other: "PowerFunction") -> "PowerFunction":
        """alpha -> other(self(alpha)), the bound of two hops: first this one, then the next. Exact.

        Args:
            other: What bounds the second hop.
        Returns: A bound on the power between the ends of both.
        Source: paper.tex, fact:triangle_power.

        >>> dp_power(3).then(dp_power(2)).hockey_stick(6)
        Fraction(0, 1)
        """
        inner = {x for x, _ in self.vertices}
        inner.update(self._preimage(y) for y, _ in other.vertices)
        points = [(x, other(self(x))) for x in sorted(inner)]
        return PowerFunction.from_vertices([(Fraction(0), Fraction(0)), *points])

    def _preimage(self, value: Fraction) -> Fraction:
        """The least alpha with f(alpha) >= value."""
        (x0, y0), (x, y) = next((p, q) for p, q in pairwise(self.vertices) if q[1] >= value)
        return x0 if y == y0 else x0 + (value - y0) * (x - x0) / (y - y0)

    def hockey_stick(self, exp_epsilon: Fraction | int, order: Order = "0-1") -> Fraction:
        """sup_S P(S) - e^epsilon Q(S) for order "0-1", sup_S Q(S) - e^epsilon P(S) for "1-0".

        Args:
            exp_epsilon: e^epsilon, positive; below 1 it is still the exact supremum.
            order: Which world stands first.
        Returns: A probability in [0, 1].
        Raises: ArgumentError: exp_epsilon is not above 0, or another order.
        Source: paper.tex, the fact after defn:power.

        >>> PowerFunction.from_vertices([(0, 0), (0, Fraction(1, 2)), (1, 1)]).hockey_stick(2, "1-0")
        Fraction(1, 2)
        """
        e = positive(exp_epsilon)
        if order not in ORDERS:
            raise expected("an order, '0-1' or '1-0'", order=order)
        delta = self._hockey_sticks.get((e, order))
        if delta is None:
            c = self.chain if order == "0-1" else self.chain.reversed()
            p, q = e.denominator * c.total1, e.numerator * c.total0
            delta = Fraction(chains.surplus(c, p, q), e.denominator * c.total0 * c.total1)
            self._hockey_sticks[e, order] = delta
        return delta

    @cached_property
    def _hockey_sticks(self) -> dict[tuple[Fraction, Order], Fraction]:
        """Values computed so far; a long chain takes a while to sum."""
        return {}

    def delta(self, exp_epsilon: Fraction | int) -> Fraction:
        """delta(epsilon), two-sided: the larger of both orders.

        Args:
            exp_epsilon: e^epsilon, dimensionless, above 0.
        Returns: A probability in [0, 1].
        Raises: ArgumentError: exp_epsilon is not above 0.
        Source: paper.tex, the fact after defn:power.

        >>> dp_power(Fraction(2), Fraction(1, 10)).delta(2)
        Fraction(1, 10)
        """
        return max(self.hockey_stick(exp_epsilon, order) for order in ORDERS)

    @property
    def delta_at_infinity(self) -> Fraction:
        """delta(infinity), the limit of delta as epsilon grows: the mass of outcomes that one world never produces."""
        (first, last), c = chains.extremes(self.chain), self.chain
        only1 = Fraction(first[1], c.total1) if first[0] == 0 else Fraction(0)
        only0 = Fraction(last[0], c.total0) if last[1] == 0 else Fraction(0)
        return max(only0, only1)

    @property
    def total_variation(self) -> Fraction:
        """TV(P, Q), which is delta at epsilon = 0."""
        return self.hockey_stick(1)

    @property
    def largest_ratio(self) -> Fraction | None:
        """The largest likelihood ratio of either order, e^epsilon of pure DP; None when it is infinite."""
        (a, b), (c, d) = chains.extremes(self.chain)
        if a == 0 or d == 0:
            return None
        scale = Fraction(self.chain.total0, self.chain.total1)
        return max(Fraction(b, a) * scale, Fraction(c, d) / scale)

    def satisfies(self, exp_epsilon: Fraction | int, delta: Fraction | int) -> bool:
        """Whether the experiment is (epsilon, delta)-DP, in both orders. Exact.

        Args:
            exp_epsilon: e^epsilon, dimensionless, at least 1.
            delta: A probability in [0, 1].
        Raises: ArgumentError: either is outside its domain.

        >>> dp_power(3).satisfies(3, 0), dp_power(3).satisfies(2, Fraction(1, 5))
        (True, False)
        """
        e, d = slope(exp_epsilon), probability(delta)
        return self.delta(e) <= d

    def delta_at(self, epsilon: Fraction | int) -> Enclosure:
        """delta at a rational epsilon in nats, where e^epsilon is irrational, as an enclosure.

        Args:
            epsilon: An int or Fraction of at least 0 and at most 10000.
        Returns: An enclosure of a probability.
        Raises: ArgumentError: an epsilon outside its domain.

        >>> dp_power(3).delta_at(0)
        Enclosure(lower=Fraction(1, 2), upper=Fraction(1, 2))
        """
        least, most = exponential(nats(epsilon)).finite()
        return Enclosure(self.delta(most), self.delta(max(least, Fraction(1))))

    def exp_epsilon_for(self, delta: Fraction | int) -> Fraction | None:
        """The least e^epsilon >= 1 at which the experiment is (epsilon, delta)-DP. Exact.

        Args:
            delta: A probability in [0, 1].
        Returns: A number of at least 1; None where no finite one will do.
        Raises: ArgumentError: a delta outside [0, 1].

        >>> dp_power(3).exp_epsilon_for(Fraction(1, 4))
        Fraction(2, 1)
        """
        d = probability(delta)
        if self.delta(1) <= d:
            return Fraction(1)
        one, other = (chains.least_slope(chain, d) for chain in (self.chain, self.chain.reversed()))
        return None if one is None or other is None else max(one, other, Fraction(1))

    def epsilon_for(self, delta: Fraction | int) -> Enclosure:
        """The least epsilon >= 0 at which the experiment is (epsilon, delta)-DP, in nats, as an enclosure.

        Args:
            delta: A probability in [0, 1].
        Returns: An enclosure, both ends of which are infinite where no finite epsilon will do.
        Raises: ArgumentError: a delta outside [0, 1].

        >>> dp_power(3).epsilon_for(Fraction(1, 2))
        Enclosure(lower=Fraction(0, 1), upper=Fraction(0, 1))
        """
        e = self.exp_epsilon_for(delta)
        return INFINITE if e is None else logarithm(e)


def dp_power(exp_epsilon: Fraction | int, delta: Fraction | int = 0) -> PowerFunction:
    """DP_{epsilon,delta}, the largest power function that (epsilon, delta)-DP allows. Exact.

    Args:
        exp_epsilon: e^epsilon, dimensionless, at least 1.
        delta: A probability in [0, 1].
    Returns: A power function that is its own reverse.
    Raises: ArgumentError: either is outside its domain.
    Source: paper.tex, defn:power and the fact after it ("DP in Terms of Power Function"); attained by four atoms.

    >>> dp_power(3).vertices == ((0, 0), (Fraction(1, 4), Fraction(3, 4)), (1, 1))
    True
    """
    e, d = slope(exp_epsilon), probability(delta)
    low, high = (1 - d) / (1 + e), e * (1 - d) / (1 + e)
    return PowerFunction.from_segments([(Fraction(0), d), (low, high), (high, low), (d, Fraction(0))])


def supremum(powers: Iterable[PowerFunction]) -> PowerFunction:
    """sup_i f_i, the least power function above all of `powers`: their concave hull. Exact.

    Args:
        powers: The power functions f_i, at least one.
    Returns: Their supremum in the order of power functions.
    Raises: ArgumentError: none is given.
    Source: paper.tex, defn:power_sup, for finite families.

    >>> supremum([dp_power(3), dp_power(1, Fraction(1, 4))]).delta(1)
    Fraction(1, 2)
    """
    listed = list(powers)
    if not listed:
        raise expected("at least one power function", powers=listed)
    return PowerFunction(chains.hull(chains.over_common_totals([f.chain for f in listed]))[0])
