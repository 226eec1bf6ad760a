"""Exact laws of finite experiments: Fractions that sum to exactly 1."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import accumulate
from math import gcd, lcm
from numbers import Real
from typing import Any, Generic, TypeVar

from dpcert.audit.algebra.rational import exact, text
from dpcert.audit.errors import ArgumentError, expected, short
from dpcert.audit.identity import PLAIN, as_is, held, value_of, values_of

Y = TypeVar("Y")
Z = TypeVar("Z")


class Pmf(Generic[Y]):
    """P, a probability mass function on a finite set, with exact weights.

    Outcomes of weight 0 are dropped, outcomes that are the same are added up, and the order of first mention is kept.
    The same is what has one type and one exact value: 1, True and 1.0 are three outcomes.

    Args:
        weights: Outcome -> probability (dimensionless, int or Fraction), as a mapping or as pairs.
    Raises: ArgumentError: a float or negative weight, an outcome that is unhashable or has no canonical identity, or a
        sum other than exactly 1.
    Source: paper.tex, sec:prelim (finite sample spaces).

    >>> Pmf({"a": Fraction(1, 3), "b": Fraction(2, 3)}).probability("b")
    Fraction(2, 3)
    """

    __slots__ = ("_cumulative", "_denominator", "_hash", "_plain", "_weights")
    _weights: dict[Any, int]  # by token
    _plain: bool  # whether every outcome is its own token
    _denominator: int
    _hash: int | None
    _cumulative: tuple[list[int], tuple[Y, ...]] | None

    def __init__(self, weights: Mapping[Y, Fraction | int] | Iterable[tuple[Y, Fraction | int]]) -> None:
        pairs = list(weights.items() if isinstance(weights, Mapping) else weights)
        masses = [_weight(y, w) for y, w in pairs]
        denominator = lcm(*(m.denominator for m in masses))
        shares = [m.numerator * (denominator // m.denominator) for m in masses]
        if sum(shares) != denominator:
            raise ArgumentError(
                f"Expected weights that sum to exactly 1 but got {_missed(Fraction(sum(shares), denominator))}"
            )
        self._fill(((y, share) for (y, _), share in zip(pairs, shares, strict=True)), denominator)

    def _fill(self, weights: Iterable[tuple[Y, int]], denominator: int) -> None:
        """Takes integer weights that sum to `denominator`."""
        weight_of: dict[Any, int] = {}
        plain = True
        for y, w in weights:
            if type(y) in PLAIN:
                token: Any = y
            else:
                token = held(y, "outcome")
                plain = plain and token is y and type(token) is tuple
            if w:
                weight_of[token] = weight_of.get(token, 0) + w
        self._put(weight_of, plain, denominator)

    def _put(self, weight_of: dict[Any, int], plain: bool, denominator: int) -> None:
        """Takes weights above 0 by token, which sum to `denominator`, in a dictionary that is this law's own."""
        common = gcd(*weight_of.values())
        if common != 1:
            weight_of = {y: w // common for y, w in weight_of.items()}
        put = object.__setattr__
        put(self, "_plain", plain)
        put(self, "_weights", weight_of)
        put(self, "_denominator", denominator // common)
        put(self, "_hash", None)
        put(self, "_cumulative", None)

    @classmethod
    def _of_plain(cls, weight_of: dict[Any, int], denominator: int) -> "Pmf[Any]":
        """The law of weights above 0 whose outcomes are their own tokens."""
        made: Pmf[Any] = object.__new__(cls)
        made._put(weight_of, True, denominator)
        return made

    @classmethod
    def _of(cls, weights: Iterable[tuple[Y, int]], denominator: int) -> "Pmf[Y]":
        made: Pmf[Y] = object.__new__(cls)
        made._fill(weights, denominator)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("_hash", "_cumulative") or not hasattr(self, name):
            object.__setattr__(self, name, value)
        else:
            raise AttributeError("a Pmf is frozen")

    @property
    def support(self) -> tuple[Y, ...]:
        """The outcomes of positive probability, in the order of first mention.

        >>> from dpcert import uniform
        >>> uniform("ba").support
        ('b', 'a')
        """
        return tuple(self._weights) if self._plain else values_of(self._weights)

    def probability(self, outcome: Y) -> Fraction:
        """P(outcome); 0 outside the support.

        Args:
            outcome: Any value with an identity; 1, True and 1.0 are three outcomes.
        Returns: A probability in [0, 1].
        Raises: ArgumentError: an outcome that is unhashable or has no canonical identity.

        >>> from dpcert import bernoulli
        >>> bernoulli(Fraction(1, 4)).probability(1), bernoulli(Fraction(1, 4)).probability(True)
        (Fraction(1, 4), Fraction(0, 1))
        """
        return Fraction(self._weights.get(held(outcome, "outcome"), 0), self._denominator)

    def items(self) -> Iterator[tuple[Y, Fraction]]:
        """Outcomes with their probabilities, in the order of first mention.

        Returns: Pairs (outcome, probability), which sum to exactly 1.

        >>> from dpcert import uniform
        >>> list(uniform("ab").items())
        [('a', Fraction(1, 2)), ('b', Fraction(1, 2))]
        """
        return ((value_of(y), Fraction(w, self._denominator)) for y, w in self._weights.items())

    def integer_weights(self) -> tuple[Mapping[Y, int], int]:
        """The weights over their least common denominator, and that denominator.

        Returns: (outcome -> whole number above 0, their sum).
        Raises: ArgumentError: two outcomes that are told apart here and are equal as keys of a mapping.

        >>> from dpcert import bernoulli
        >>> bernoulli(Fraction(1, 4)).integer_weights()
        ({0: 3, 1: 1}, 4)
        """
        weights = {value_of(y): w for y, w in self._weights.items()}
        if len(weights) < len(self._weights):
            raise expected("outcomes that are no equal keys", outcomes=self.support)
        return weights, self._denominator

    def token_weights(self) -> tuple[Mapping[Any, int], int]:
        """The weights by token (see `held`) over their least common denominator, and that denominator."""
        return self._weights, self._denominator

    def outcome_at(self, number: int) -> Y:
        """The outcome that a whole number from 0 to the common denominator - 1 stands for, as many numbers each as it
        weighs: of a number drawn uniformly, exactly this law.

        Args:
            number: The whole number.
        Returns: An outcome of positive probability.
        Raises: ArgumentError: a number outside that range.

        >>> from dpcert import bernoulli
        >>> [bernoulli(Fraction(1, 4)).outcome_at(k) for k in range(4)]
        [0, 0, 0, 1]
        """
        if not 0 <= number < self._denominator:
            raise expected(f"a whole number from 0 to {short(self._denominator - 1)}", number=number)
        if self._cumulative is None:
            self._cumulative = list(accumulate(self._weights.values())), self.support
        up_to, outcomes = self._cumulative
        return outcomes[bisect_right(up_to, number)]

    def map(self, function: Callable[[Y], Z]) -> "Pmf[Z]":
        """The law of function(y), y drawn from this one (post-processing). Exact.

        Args:
            function: Outcome -> new outcome; asked once an outcome, in the order of the support.
        Returns: A law on the new outcomes; those that are the same are added up.
        Raises: ArgumentError: a new outcome that is unhashable or has no canonical identity.
        Source: paper.tex, defn:dpi.

        >>> from dpcert import uniform
        >>> uniform(range(4)).map(lambda y: y % 2)
        Pmf({0: 1/2, 1: 1/2})
        """
        return Pmf._of([(function(y), w) for y, w in self._pairs()], self._denominator)

    def product(self, other: "Pmf[Z]") -> "Pmf[tuple[Y, Z]]":
        """P(y) Q(z), the law of an independent pair (y, z). Exact.

        Args:
            other: Q, the law of z.
        Returns: A law on pairs.
        Source: paper.tex, sec:prelim (finite sample spaces).

        >>> from dpcert import bernoulli, point
        >>> point("a").product(bernoulli(Fraction(1, 4)))
        Pmf({('a', 0): 3/4, ('a', 1): 1/4})
        """
        return Pmf._of(
            (((y, z), v * w) for y, v in self._pairs() for z, w in other._pairs()),
            self._denominator * other._denominator,
        )

    def _pairs(self) -> Iterable[tuple[Y, int]]:
        """Outcomes with their integer weights."""
        if self._plain:
            return self._weights.items()
        return [(value_of(y), w) for y, w in self._weights.items()]

    def convolve(self, other: "Pmf[Any]") -> "Pmf[Any]":
        """The law of y + z, y from this law and z from `other`, independent. Exact.

        Args:
            other: The law of z. The outcomes of both are ints or Fractions; sums of floats round.
        Returns: A law on the sums.
        Raises: ArgumentError: other outcomes.
        Source: paper.tex, sec:prelim (finite sample spaces).

        >>> from dpcert import uniform
        >>> uniform((0, 1)).convolve(uniform((0, 1)))
        Pmf({0: 1/4, 1: 1/2, 2: 1/4})
        """
        for law in (self, other):
            _addable(law)
        return self.product(other).map(lambda pair: pair[0] + pair[1])

    def condition(self, event: Callable[[Y], object]) -> "Pmf[Y]":
        """The law of y given that event(y) is true, P(y) / P(event) on the event. Exact.

        Args:
            event: Whether an outcome belongs to the event; asked once an outcome, in the order of the support.
        Returns: A law on the outcomes of the event.
        Raises: ArgumentError: an event of probability 0.
        Source: paper.tex, sec:prelim (finite sample spaces).

        >>> from dpcert import uniform
        >>> uniform(range(6)).condition(lambda y: y >= 4)
        Pmf({4: 1/2, 5: 1/2})
        """
        kept = [(y, w) for y, w in self._pairs() if event(y)]
        if not kept:
            raise expected("an event of positive probability", event=event, law=self)
        return Pmf._of(kept, sum(w for _, w in kept))

    @staticmethod
    def mix(parts: Iterable[tuple[Fraction | int, "Pmf[Z]"]]) -> "Pmf[Z]":
        """sum_i w_i P_i, the law of a draw from one of `parts`, itself drawn and kept hidden. Exact.

        Args:
            parts: Pairs (w_i, P_i): its probability, an int or Fraction, and a law.
        Returns: A law on all outcomes of the laws that have a chance.
        Raises: ArgumentError: probabilities that do not sum to exactly 1, or are negative or floats.
        Source: paper.tex, fact:joint_convexity (the mixtures that it bounds).

        >>> from dpcert import bernoulli, point
        >>> Pmf.mix([(Fraction(1, 2), point(0)), (Fraction(1, 2), bernoulli(Fraction(1, 2)))])
        Pmf({0: 3/4, 1: 1/4})
        """
        pairs = [(exact(share, "share"), part) for share, part in parts]
        total = sum(share for share, _ in pairs)
        if total != 1 or any(share < 0 or not isinstance(part, Pmf) for share, part in pairs):
            return Pmf([(z, share * w) for share, part in pairs for z, w in part.items()])  # says what is wrong
        denominator = lcm(*(share.denominator * part._denominator for share, part in pairs))
        weights: list[tuple[Z, int]] = []
        for share, part in pairs:
            factor = share.numerator * (denominator // (share.denominator * part._denominator))
            weights.extend((z, factor * w) for z, w in part._pairs())
        return Pmf._of(weights, denominator)

    @staticmethod
    def from_floats(weights: "Mapping[Z, float]", *, normalise: bool) -> "Pmf[Z]":
        """The law of a table of floats, each read as the dyadic rational that it is. Exact.

        Args:
            weights: Outcome -> float (or whole number) of at least 0.
            normalise: Whether to divide by the exact sum, which rounding leaves next to 1, or to insist on a sum of 1.
        Returns: A law whose weights are those rationals, or their shares of the sum.
        Raises: ArgumentError: a weight that is negative, not finite or no float, or a sum other than exactly 1 (with
            normalise, a sum of 0).

        >>> Pmf.from_floats({"a": 0.75, "b": 0.25}, normalise=False)
        Pmf({'a': 3/4, 'b': 1/4})
        """
        masses = {y: _dyadic(y, w) for y, w in weights.items()}
        total = sum(masses.values(), Fraction(0))
        if not normalise and total != 1:
            raise ArgumentError(
                f"Expected floats that sum to exactly 1 but got {_missed(total)}; normalise=True divides by the sum"
            )
        if total == 0:
            raise expected("at least one positive weight", weights=dict(weights))
        return Pmf({y: mass / total for y, mass in masses.items()})

    def __len__(self) -> int:
        return len(self._weights)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Pmf):
            return NotImplemented
        return self._denominator == other._denominator and self._weights == other._weights

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self._denominator, frozenset(self._weights.items())))
        return self._hash

    def __repr__(self) -> str:
        return "Pmf({" + ", ".join(f"{y!r}: {text(w)}" for y, w in self.items()) + "})"


as_is(Pmf)


def _addable(law: "Pmf[Any]") -> None:
    """Refuses outcomes other than exact numbers."""
    for y in law.support:
        if type(y) is not int and type(y) is not Fraction:
            raise expected("outcomes that add up exactly, ints or Fractions,", outcome=y)


def _weight(outcome: object, weight: object) -> Fraction | int:
    mass = weight if type(weight) is int else exact(weight, "weight")
    if mass.numerator < 0:
        raise expected(f"a weight of at least 0 for outcome {short(outcome)}", weight=mass)
    return mass


def _dyadic(outcome: object, weight: object) -> Fraction:
    """A float as the fraction that it stands for."""
    ratio = getattr(weight, "as_integer_ratio", None)
    if ratio is None or not isinstance(weight, Real) or isinstance(weight, bool | Fraction):
        raise expected(f"a float for outcome {short(outcome)}", weight=weight)
    try:
        numerator, denominator = ratio()
    except (OverflowError, ValueError):
        raise expected(f"a finite weight for outcome {short(outcome)}", weight=weight) from None
    return Fraction(_weight(outcome, Fraction(numerator, denominator)))


def _missed(total: Fraction) -> str:
    """A sum other than 1 and by how much it misses 1."""
    off = f"short by {text(1 - total)}" if total < 1 else f"over by {text(total - 1)}"
    return f"sum={text(total)} ({off})"
