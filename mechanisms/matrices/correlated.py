"""y = A x + B z with any matrices A and B, as L (R x + w): w independent, or a combination of releases without noise.

The noise B z has covariance C = B B^T. Eliminated in the order of release, C = L diag(v) L^T with L unit lower
triangular, and L^-1 y = L^-1 A x + w with w_t of variance v_t, independent. L and its inverse are fixed and lower
triangular, so y and L^-1 y tell the same at every time, to inputs that adapt as well. All in whole numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from flint import fmpq, fmpq_mat, fmpz

from dpcert.audit.limits import look

Row = tuple[Fraction, ...]
Matrix = tuple[Row, ...]


@dataclass(frozen=True)
class Noiseless:
    """A combination of releases in which no noise is left, though inputs are: sum_t u_t y_t = sum_i a_i x_i.

    Args:
        row: The last release in it, counted from 0.
        combination: u, one for every release.
        inputs: a, one for every input.
    """

    row: int
    combination: Row
    inputs: Row


@dataclass(frozen=True)
class RoundedRelease:
    """A release that is taken for a combination of earlier ones: what is left of it is as small as rounding.

    Args:
        place: Which, counted from 0.
        share: The largest entry that is left of its inputs, as a share of the largest entry of A.
        beside: What is left of the columns beside A, by the same combination.
    """

    place: int
    share: Fraction
    beside: Row


@dataclass(frozen=True)
class Residuals:
    """What is left of every release once those before it are known.

    Args:
        rows: a_t of the releases with noise of their own, in order.
        variances: v_t of that noise.
        places: Which releases those are, counted from 0.
        noiseless: What is told without noise, release by release.
        rounded: Releases of which no more is left than rounding may leave; nothing is counted of them.
    """

    rows: Matrix
    variances: Row
    places: tuple[int, ...]
    noiseless: tuple[Noiseless, ...]
    rounded: tuple[RoundedRelease, ...]


def decorrelated(
    response: Matrix,
    noise: Matrix,
    *,
    resolution: Fraction = Fraction(0),
    beside: Sequence[Row] = (),
    exempt: frozenset[int] = frozenset(),
) -> Residuals:
    """L^-1 A and the variances, release by release.

    Args:
        response: A, releases by inputs.
        noise: B, releases by independent draws of variance 1.
        resolution: Where no more is left of a release than this share of the largest entry of A, and of that of B, it
            is rounding.
        beside: Columns, an entry for every release, that are combined as those of A are.
        exempt: Releases of which nothing is rounding, however small.

    >>> half, one = Fraction(1, 2), Fraction(1)
    >>> found = decorrelated(((one,), (one,)), ((one,), (half,)))  # one draw as the noise of both
    >>> [str(u) for u in found.noiseless[0].combination], str(found.noiseless[0].inputs[0])
    (['-1/2', '1'], '1/2')
    """
    extra = tuple(zip(*beside, strict=True)) if beside else ((),) * len(response)
    below, below_extra = _below(response, noise), _below(extra)
    covariance, count, inputs = _covariance(_whole(noise, below)), len(response), len(response[0])
    right, more = _whole(response, below), _whole(extra, below_extra)
    lines = [[*covariance[t], *right[t], *more[t]] for t in range(count)]
    sizes = _size(response), _size(noise)
    before, places, rows, variances = fmpz(1), list[int](), list[Row](), list[Fraction]()
    noiseless, roundings = list[Noiseless](), list[RoundedRelease]()
    for t, line in enumerate(lines):
        look()
        own, variance = line[t], _over(line[t], before * below * below)
        rest = tuple(_over(x, before * below) for x in line[count : count + inputs])
        if not variance and not any(rest):
            continue
        if t not in exempt and _is_rounding(rest, variance, sizes, resolution):
            tried = tuple(_over(x, before * below_extra) for x in line[count + inputs :])
            roundings.append(RoundedRelease(t, _size((rest,)) / (sizes[0] or Fraction(1)), tried))
            continue
        if not variance:
            noiseless.append(_noiseless(t, places, covariance, rest))
            continue
        places.append(t)
        rows.append(rest)
        variances.append(variance)
        _eliminate(lines, t, before)
        before = own
    return Residuals(tuple(rows), tuple(variances), tuple(places), tuple(noiseless), tuple(roundings))


def _is_rounding(rest: Row, variance: Fraction, sizes: tuple[Fraction, Fraction], resolution: Fraction) -> bool:
    """Whether neither inputs nor noise are left that are more than rounding of entries of A, and of B."""
    return variance <= (resolution * sizes[1]) ** 2 and _size((rest,)) <= resolution * sizes[0]


def _size(matrix: Matrix) -> Fraction:
    """The largest entry."""
    return max((abs(x) for row in matrix for x in row), default=Fraction(0))


def _eliminate(lines: list[list[Any]], t: int, before: Any) -> None:
    """Takes release t out of all later ones, without fractions: every entry stays a minor of the whole matrix."""
    pivot, line = lines[t][t], lines[t][t + 1 :]
    for i in range(t + 1, len(lines)):
        row, factor = lines[i], lines[i][t]
        if factor:
            row[t + 1 :] = [(x * pivot - factor * y) // before for x, y in zip(row[t + 1 :], line, strict=True)]
        else:
            row[t + 1 :] = [x and x * pivot // before for x in row[t + 1 :]]


def _covariance(whole: list[list[Any]]) -> list[list[Any]]:
    """B B^T."""
    sparse = [{j: x for j, x in enumerate(row) if x} for row in whole]
    return [[sum((x * other[j] for j, x in row.items() if j in other), fmpz(0)) for other in sparse] for row in sparse]


def _noiseless(t: int, places: Sequence[int], covariance: list[list[Any]], rest: Row) -> Noiseless:
    """The combination: release t less what the kept ones before it tell of its noise."""
    combination = [Fraction(0)] * len(covariance)
    combination[t] = Fraction(1)
    if places:
        known = fmpq_mat(len(places), len(places), [fmpq(covariance[i][j]) for i in places for j in places])
        wanted = fmpq_mat(len(places), 1, [fmpq(covariance[i][t]) for i in places])
        for i, share in zip(places, known.solve(wanted).entries(), strict=True):
            combination[i] = -Fraction(int(share.p), int(share.q))
    return Noiseless(t, tuple(combination), rest)


def _below(*matrices: Matrix) -> int:
    """One denominator of all entries."""
    return lcm(*{entry.denominator for matrix in matrices for row in matrix for entry in row})


def _whole(matrix: Matrix, below: int) -> list[list[Any]]:
    return [[fmpz(x.numerator * (below // x.denominator)) for x in row] for row in matrix]


def _over(value: Any, below: Any) -> Fraction:
    return Fraction(int(value), int(below))
