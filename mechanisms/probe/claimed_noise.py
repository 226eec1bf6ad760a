"""The noise of probed code against what is claimed of it: a deviation, or a strategy with that deviation."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import fmpq, fmpq_mat

from dpcert.audit.algebra.decimals import measured
from dpcert.audit.algebra.rational import text
from dpcert.mechanisms.matrices.correlated import Matrix
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.tree import TreeEncoder
from dpcert.mechanisms.probe.faults import FaultName, NamedFault
from dpcert.mechanisms.probe.recovered import ProbeResult

NOISE_TOLERANCE = Fraction(1, 1 << 30)
"""The share by which a covariance or a scale may differ from what is claimed, for rounding."""


def deviation_fault(matrices: ProbeResult, sigma: Fraction) -> NamedFault | str | None:
    """Whether every draw has the claimed deviation, by what it does to its first release.

    Returns: None where all have, a fault where all have its square or its root, else why it cannot be told.
    """
    draw_scales = {draw.scale for draw in matrices.draws}
    first = {abs(next((row[j] for row in matrices.noise if row[j]), Fraction(0))) for j in range(len(matrices.draws))}
    first -= {Fraction(0)}
    if first and all(_near(scale, sigma) for scale in first):
        return None
    for scales in (first, draw_scales):
        if scales and all(_near(scale, sigma**2) for scale in scales):
            return _scaled(FaultName.VARIANCE, scales, sigma, "its square")
        if scales and all(_near(scale * scale, sigma) for scale in scales):
            return _scaled(FaultName.ROOT, scales, sigma, "its root")
    listed = (", ".join(sorted(measured(s) for s in scales)[:3]) for scales in (draw_scales, first))
    return "draws have scales {}, and are {} in their first release; a strategy would tell what they mean".format(
        *listed
    )


def _scaled(name: FaultName, scales: set[Fraction], sigma: Fraction, what: str) -> NamedFault:
    shown = measured(min(scales))
    detail = f"The deviation claimed is {measured(sigma)}, and noise has {shown}, {what}."
    return NamedFault(name, detail, {"claimed": text(sigma), "scale": text(min(scales))})


def _near(one: Fraction, other: Fraction) -> bool:
    return abs(one - other) <= NOISE_TOLERANCE * abs(other)


def strategy_noise(strategy: Encoder, response: Matrix, sigma: Fraction) -> Matrix | None:
    """The covariance that releases A x have where A = L R and the noise is L z; None where L is not known.

    Args:
        strategy: R.
        response: A.
        sigma: The deviation of z.
    """
    decoder = _as_rows(strategy, response) or _of_tree(strategy, response) or _by_inverse(strategy, response)
    if decoder is None:
        return None
    sparse = [{j: x for j, x in enumerate(row) if x} for row in decoder]
    variance = sigma**2
    return tuple(
        tuple(variance * sum((x * other[j] for j, x in row.items() if j in other), Fraction(0)) for other in sparse)
        for row in sparse
    )


def _entries(strategy: Encoder) -> list[list[Fraction]]:
    """R; an entry that is enclosed by its middle."""
    kept = strategy.columns(range(strategy.rounds))
    unit = Fraction(2) ** -kept.bits
    return [[unit * x for x in row] for row in zip(*kept.values, strict=True)]


def _as_rows(strategy: Encoder, response: Matrix) -> Matrix | None:
    """Where every release is one of R's rows."""
    rows = _entries(strategy)
    places: list[int] = []
    for released in response:
        at = next((k for k, row in enumerate(rows) if _alike(row, released)), None)
        if at is None:
            return None
        places.append(at)
    return tuple(tuple(Fraction(int(k == at)) for k in range(len(rows))) for at in places)


def _of_tree(strategy: Encoder, response: Matrix) -> Matrix | None:
    """Where they are prefix sums of a tree's nodes."""
    if not isinstance(strategy, TreeEncoder) or len(response) != strategy.rounds:
        return None
    for t, row in enumerate(response):
        if not _alike([Fraction(int(i <= t)) for i in range(strategy.rounds)], row):
            return None
    return tuple(tuple(map(Fraction, row)) for row in strategy.decoder().astype(int).tolist())


def _by_inverse(strategy: Encoder, response: Matrix) -> Matrix | None:
    """L = A R^-1."""
    count = strategy.rounds
    if len(strategy.row_rounds) != count:
        return None
    entries = [fmpq(x.numerator, x.denominator) for row in _entries(strategy) for x in row]
    wanted = [fmpq(row[i].numerator, row[i].denominator) for i in range(count) for row in response]
    try:
        solved = fmpq_mat(count, count, entries).transpose().solve(fmpq_mat(count, len(response), wanted))
    except ZeroDivisionError:
        return None
    table = [[Fraction(int(x.p), int(x.q)) for x in line] for line in solved.tolist()]
    return tuple(zip(*table, strict=True))


def _alike(one: Sequence[Fraction], other: Sequence[Fraction]) -> bool:
    size = max(map(abs, one), default=Fraction(0))
    return all(abs(a - b) <= NOISE_TOLERANCE * size for a, b in zip(one, other, strict=True))


def noise_faults(matrices: ProbeResult, claimed_noise: Matrix, sigma: Fraction) -> Iterator[NamedFault]:
    """How the covariance B B^T differs from the strategy's, by name."""
    came = _covariance(matrices.noise)
    if _all_near(came, claimed_noise, Fraction(1)):
        return
    if sigma != 1 and _all_near(came, claimed_noise, sigma**2):
        yield NamedFault(FaultName.VARIANCE, _of_scale(sigma, sigma**2), {"claimed": text(sigma)})
        return
    if sigma != 1 and _all_near(came, claimed_noise, 1 / sigma):
        yield NamedFault(
            FaultName.ROOT, f"All noise has a variance of sigma = {measured(sigma)}.", {"claimed": text(sigma)}
        )
        return
    yield from _pairs(matrices, came, claimed_noise)


def _of_scale(sigma: Fraction, came: Fraction) -> str:
    return f"The deviation claimed is {measured(sigma)}, and all noise is as of {measured(came)}, its square."


def _pairs(matrices: ProbeResult, came: Matrix, claimed_noise: Matrix) -> Iterator[NamedFault]:
    """The first pair of releases with less noise in common than claimed, and the first with more."""
    size = max(row[t] for t, row in enumerate(claimed_noise))
    doubt = NOISE_TOLERANCE * size
    names = set[FaultName]()
    for s in range(len(came)):
        for r in range(s + 1):
            less, more = (
                abs(came[s][r]) < abs(claimed_noise[s][r]) - doubt,
                abs(came[s][r]) > abs(claimed_noise[s][r]) + doubt,
            )
            if not less and not more:
                continue
            name = FaultName.OTHER_NOISE if r == s else FaultName.ANEW if less else FaultName.REUSED
            if name in names:
                continue
            names.add(name)
            witness = {"releases": [r + 1, s + 1], "came": text(came[s][r]), "claimed": text(claimed_noise[s][r])}
            yield NamedFault(name, _told(matrices, name, r, s, came[s][r], claimed_noise[s][r]), witness)


def _told(matrices: ProbeResult, name: FaultName, r: int, s: int, came: Fraction, wanted: Fraction) -> str:
    pair = f"releases {r + 1} and {s + 1}, of rounds {matrices.rounds[r]} and {matrices.rounds[s]},"
    numbers = f"{measured(came)}, where the strategy has {measured(wanted)}"
    if name is FaultName.OTHER_NOISE:
        return f"The noise of release {s + 1}, of round {matrices.rounds[s]}, has variance {numbers}."
    drawn = "noise that is claimed to be one is drawn anew" if name is FaultName.ANEW else "one draw serves both"
    return f"The noise of {pair} has covariance {numbers}: {drawn}."


def _covariance(noise: Matrix) -> Matrix:
    sparse = [{j: x for j, x in enumerate(row) if x} for row in noise]
    return tuple(
        tuple(sum((x * other[j] for j, x in row.items() if j in other), Fraction(0)) for other in sparse)
        for row in sparse
    )


def _all_near(came: Matrix, claimed_noise: Matrix, factor: Fraction) -> bool:
    doubt = NOISE_TOLERANCE * max(row[t] for t, row in enumerate(claimed_noise)) * factor
    return all(
        abs(x - factor * y) <= doubt
        for row, other in zip(came, claimed_noise, strict=True)
        for x, y in zip(row, other, strict=True)
    )
