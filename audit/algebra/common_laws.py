"""Laws that mechanisms are made of: a coin, a draw from a list, one value, whole weights; small ones are kept."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from marshal import dumps
from typing import Any, TypeVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected, short
from dpcert.audit.identity import PLAIN

Y = TypeVar("Y")

_INTEGER = {int}
_WRITTEN = {int, str}
"""Types of outcomes that are written as nothing else is: bytes are written as all that has a buffer is."""
MOST_KEPT_LAWS, MOST_KEPT_OUTCOMES = 1_024, 64
"""Laws that are kept of `from_weights`, and outcomes of the largest: most mechanisms make few laws again and again."""
_KEPT: "dict[bytes, Pmf[Any]]" = {}
_COINS: "dict[tuple[int, int], Pmf[int]]" = {}
"""The first laws of `bernoulli`, by numerator and denominator; as many as laws are kept."""


def bernoulli(p: Fraction | int) -> Pmf[int]:
    """The law on {0, 1} with P(1) = p. Exact.

    Args:
        p: The chance of 1, dimensionless, an int or Fraction in [0, 1].
    Returns: A law on 0 and 1, on one of them where p is 0 or 1.
    Raises: ArgumentError: a p of another kind, or outside [0, 1].
    Source: paper.tex, sec:prelim (finite sample spaces).

    >>> bernoulli(Fraction(1, 4))
    Pmf({0: 3/4, 1: 1/4})
    """
    chance = exact(p, "p")
    ones, denominator = chance.numerator, chance.denominator
    kept = _COINS.get((ones, denominator))
    if kept is not None:
        return kept
    if not 0 <= ones <= denominator:
        raise expected("a probability in [0, 1]", p=chance)
    weights = {0: denominator - ones, 1: ones}
    made = Pmf._of_plain({y: w for y, w in weights.items() if w}, denominator)
    if len(_COINS) < MOST_KEPT_LAWS:
        _COINS[ones, denominator] = made
    return made


def uniform(outcomes: Iterable[Y]) -> Pmf[Y]:
    """P(y) = (times that y is listed) / (length of the list). Exact.

    Args:
        outcomes: The list, at least one outcome long, of any values with an identity (see `Pmf`).
    Returns: A law on the outcomes listed, in the order of first mention.
    Raises: ArgumentError: an empty list, or an outcome that is unhashable or has no canonical identity.
    Source: paper.tex, sec:prelim (finite sample spaces).

    >>> uniform("abb")
    Pmf({'a': 1/3, 'b': 2/3})
    """
    listed = list(outcomes)
    if not listed:
        raise expected("at least one outcome", outcomes=listed)
    return Pmf._of(((y, 1) for y in listed), len(listed))


def point(outcome: Y) -> Pmf[Y]:
    """The law that always gives `outcome`: P(outcome) = 1.

    Args:
        outcome: Any value with an identity (see `Pmf`).
    Returns: A law on that outcome alone.
    Raises: ArgumentError: an outcome that is unhashable or has no canonical identity.
    Source: paper.tex, sec:prelim (finite sample spaces).

    >>> point("a")
    Pmf({'a': 1})
    """
    return Pmf._of([(outcome, 1)], 1)


def from_weights(weights: Mapping[Y, int]) -> Pmf[Y]:
    """P(y) = w_y / (sum of all weights), the law proportional to integer weights. Exact.

    Args:
        weights: Outcome -> weight, a whole number of at least 0; a mapping.
    Returns: A law on the outcomes of positive weight, in their order.
    Raises: ArgumentError: a weight that is no whole number of at least 0, or all weights 0.
    Source: paper.tex, sec:prelim (finite sample spaces).

    >>> from_weights({-1: 1, 0: 2, 1: 1})
    Pmf({-1: 1/4, 0: 1/2, 1: 1/4})
    """
    key = _written(weights)
    kept = _KEPT.get(key)
    if kept is not None:
        return kept
    if _is_plain(weights):
        made = Pmf._of_plain(dict(weights), sum(weights.values()))
        if key and _WRITTEN.issuperset(map(type, weights)):
            if len(_KEPT) >= MOST_KEPT_LAWS:
                _KEPT.clear()
            _KEPT[key] = made
        return made
    for outcome, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int) or weight < 0:
            raise expected(f"a whole number of at least 0 for outcome {short(outcome)}", weight=weight)
    total = sum(weights.values())
    if total == 0:
        raise expected("at least one positive weight", weights=dict(weights))
    return Pmf._of(weights.items(), total)


def _written(weights: Mapping[Any, int]) -> bytes:
    """What a small dictionary of plain values holds, types and order included; empty for any other."""
    if type(weights) is dict and len(weights) <= MOST_KEPT_OUTCOMES:
        with suppress(ValueError):  # of values that are no plain ones
            return dumps(weights, 2)
    return b""


def _is_plain(weights: Mapping[Any, int]) -> bool:
    """Whether it is a dictionary of whole numbers above 0 under outcomes that are their own tokens, as most are."""
    if type(weights) is not dict or not weights or not PLAIN.issuperset(map(type, weights)):
        return False
    return _INTEGER.issuperset(map(type, weights.values())) and min(weights.values()) > 0
