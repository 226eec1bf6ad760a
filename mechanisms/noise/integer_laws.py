"""Laws on whole numbers, brought into a range in one of three ways; subsets of small sets; all with exact weights."""

from collections.abc import Iterable
from fractions import Fraction
from math import comb
from typing import Literal, TypeVar, get_args

from dpcert.audit.algebra.common_laws import bernoulli, from_weights, point
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected

Y = TypeVar("Y")
Fit = Literal["clipped", "wrapped", "truncated"]
"""How a law on more numbers comes into a range [first..last]: each end takes what lies beyond it; numbers are taken
modulo last - first + 1; or the law is conditioned on the range."""
MOST_ITEMS = 20
"""Items of which every subset is listed."""


def geometric(p: Fraction | int, *, last: int, fit: Fit = "clipped") -> Pmf[int]:
    """P(k) = p (1 - p)^k for k = 0, 1, ..., failures before the first success, brought into [0..last]. Exact.

    Without memory, what is wrapped has the law of what is truncated.

    Args:
        p: The chance of success, above 0 and at most 1.
        last: The largest number kept, at least 0.
        fit: "clipped", "wrapped" or "truncated", see `Fit`.
    Returns: A law with exact weights, on 0 to last.
    Raises: ArgumentError: a p, last or fit outside its domain.
    Source: paper.tex, sec:randbin (the symmetric law; this is one side of it).

    >>> geometric(Fraction(1, 2), last=2)
    Pmf({0: 1/2, 1: 1/4, 2: 1/4})
    >>> geometric(Fraction(1, 2), last=2, fit="wrapped")
    Pmf({0: 4/7, 1: 2/7, 2: 1/7})
    """
    chance = exact(p, "p")
    if not 0 < chance <= 1:
        raise expected("a chance of success above 0 and at most 1", p=chance)
    _range(0, last, fit)
    failure, of = (1 - chance).as_integer_ratio()
    success = of - failure if fit == "clipped" else 1
    weights = {k: success * failure**k * of ** (last - k) for k in range(last + 1)}
    if fit == "clipped":
        weights[last] = failure**last * of
    return from_weights(weights)


def two_sided_geometric(
    exp_epsilon: Fraction | int, *, first: int, last: int, center: int = 0, fit: Fit = "clipped"
) -> Pmf[int]:
    """P(k) proportional to e^(-epsilon |k - center|) on all integers, brought into [first..last]. Exact.

    Also called the discrete Laplace law, of scale 1 / epsilon. Clipped and wrapped it is what post-processing makes of
    center + noise: centers at a distance d are d epsilon apart at most. Truncated it is not: the factor that makes up
    for what is cut depends on the center.

    Args:
        exp_epsilon: e^epsilon, above 1; where a parameter alpha below 1 is given, it is 1 / alpha.
        first: The least number kept.
        last: The largest number kept, at least first.
        center: What the noise is added to; it may lie outside the range.
        fit: "clipped", "wrapped" or "truncated", see `Fit`.
    Returns: A law with exact weights, on first to last.
    Raises: ArgumentError: a parameter outside its domain.
    Source: paper.tex, sec:randbin, def:truncated_geom (clipped, about 0).

    >>> two_sided_geometric(Fraction(2), first=-1, last=1)
    Pmf({-1: 1/3, 0: 1/3, 1: 1/3})
    >>> two_sided_geometric(Fraction(2), first=-1, last=1, fit="truncated")
    Pmf({-1: 1/4, 0: 1/2, 1: 1/4})
    >>> two_sided_geometric(Fraction(2), first=0, last=2, fit="wrapped")
    Pmf({0: 3/7, 1: 2/7, 2: 2/7})
    """
    alpha = exact(exp_epsilon, "exp_epsilon")
    if alpha <= 1:
        raise expected("an e^epsilon above 1", exp_epsilon=alpha)
    _range(first, last, fit)
    _whole(center=center)
    p, q = alpha.as_integer_ratio()
    if fit == "wrapped":
        n = last - first + 1
        places = {k: (k - center) % n for k in range(first, last + 1)}
        return from_weights({k: p ** (n - d) * q**d + p**d * q ** (n - d) for k, d in places.items()})
    near, far = _distances(first, last, center)
    if fit == "truncated":
        return from_weights(
            {k: q ** (abs(k - center) - near) * p ** (far - abs(k - center)) for k in range(first, last + 1)}
        )
    weights = {k: (p - q) * q ** abs(k - center) * p ** (far - abs(k - center)) for k in range(first + 1, last)}
    if first == last:
        return point(first)
    return from_weights({first: _tail(p, q, center - first, far), **weights, last: _tail(p, q, last - center, far)})


discrete_laplace = two_sided_geometric
"""The same law by its other name."""


def binomial(n: int, p: Fraction | int) -> Pmf[int]:
    """P(k) = C(n, k) p^k (1 - p)^(n - k), successes in n independent trials. Exact.

    Args:
        n: The number of trials, at least 0.
        p: The chance of each, in [0, 1].
    Returns: A law with exact weights, on 0 to n.
    Raises: ArgumentError: an n or p outside its domain.
    Source: paper.tex, sec:prelim (finite sample spaces).

    >>> binomial(2, Fraction(1, 3))
    Pmf({0: 4/9, 1: 4/9, 2: 1/9})
    """
    _whole(n=n)
    chance = exact(p, "p")
    if n < 0:
        raise expected("a whole number of trials of at least 0", n=n)
    if not 0 <= chance <= 1:
        raise expected("a probability in [0, 1]", p=chance)
    won, of = chance.as_integer_ratio()
    return from_weights({k: comb(n, k) * won**k * (of - won) ** (n - k) for k in range(n + 1)})


def poisson_sample(items: Iterable[Y], p: Fraction | int) -> Pmf[tuple[Y, ...]]:
    """The law of the tuple of those items that a coin of their own keeps, each with chance p, in order. Exact.

    Args:
        items: What is sampled from, at most MOST_ITEMS of them.
        p: The chance of each, in [0, 1].
    Returns: A law with exact weights, on tuples.
    Raises: ArgumentError: more items, or a p outside its domain.
    Source: paper.tex, sec:prelim (finite sample spaces).

    >>> poisson_sample("ab", Fraction(1, 3))
    Pmf({(): 4/9, ('b',): 2/9, ('a',): 2/9, ('a', 'b'): 1/9})
    """
    population, coin = tuple(items), bernoulli(p)
    if len(population) > MOST_ITEMS:
        raise expected(f"at most {MOST_ITEMS} items, every subset of which is listed,", items=len(population))
    law: Pmf[tuple[Y, ...]] = point(())
    for item in population:
        law = law.product(coin).map(lambda pair, one=(item,): pair[0] + one * pair[1])  # type: ignore[misc]
    return law


def _distances(first: int, last: int, center: int) -> tuple[int, int]:
    """The least and the largest distance of a number in the range from the center."""
    ends = abs(first - center), abs(last - center)
    return (0 if first <= center <= last else min(ends)), max(ends)


def _tail(p: int, q: int, reach: int, far: int) -> int:
    """P(noise >= reach), in units of the masses inside; reach may be negative, and is at most `far` in size."""
    if reach >= 0:
        return int(q**reach * p ** (far - reach + 1))
    return int((p + q) * p**far - q ** (1 - reach) * p ** (far + reach))


def _range(first: int, last: int, fit: str) -> None:
    _whole(first=first, last=last)
    if last < first:
        raise expected("a last of at least first", first=first, last=last)
    if fit not in get_args(Fit):
        raise expected('fit="clipped", "wrapped" or "truncated"', fit=fit)


def _whole(**named: object) -> None:
    for name, value in named.items():
        if type(value) is not int:
            raise expected("a whole number", **{name: value})
