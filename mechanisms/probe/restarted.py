"""Whether what is released after a restart uses more of before than what was released: noise, or inputs."""

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq, fmpq_mat

from dpcert.mechanisms.matrices.correlated import Row, decorrelated
from dpcert.mechanisms.probe.faults import FaultName, NamedFault
from dpcert.mechanisms.probe.recovered import ProbeResult


def after_restart(matrices: ProbeResult, restart: int, dimension: int) -> NamedFault | None:
    """The first release after the restart whose old part is no combination of releases before it.

    A restart from a noisy total is such a combination; noise that is kept, or folded into new noise, is none.

    Args:
        matrices: A and B.
        restart: The round after which it happened.
        dimension: Numbers of an input.
    """
    old = [j for j, draw in enumerate(matrices.draws) if draw.round <= restart]
    columns = restart * dimension
    before = [t for t, at in enumerate(matrices.rounds) if at <= restart]

    def part(t: int) -> Row:
        return (*matrices.response[t][:columns], *(matrices.noise[t][j] for j in old))

    known = [part(t) for t in before]
    for t in range(len(before), len(matrices.rounds)):
        if not _is_combination(part(t), known) and not _is_nearly(part(t), known, matrices.resolution):
            return _named(matrices, t, old)
    return None


def _is_combination(row: Row, rows: Sequence[Row]) -> bool:
    """Whether a row is in the span of others."""
    if not any(row):
        return True
    return _rank([*rows, row]) == _rank(rows)


def _is_nearly(row: Row, rows: Sequence[Row], resolution: Fraction) -> bool:
    """Whether it is to within rounding. What it gives away is counted in any case."""
    vectors = (*rows, row)
    left = decorrelated(((),) * len(vectors), vectors, resolution=resolution)
    return len(rows) not in left.places


def _rank(rows: Sequence[Row]) -> int:
    if not rows:
        return 0
    entries = [fmpq(x.numerator, x.denominator) for row in rows for x in row]
    return int(fmpq_mat(len(rows), len(rows[0]), entries).rref()[1])


def _named(matrices: ProbeResult, t: int, old: Sequence[int]) -> NamedFault:
    """By which part of before is in it."""
    row, subject = matrices.noise[t], f"Release {t + 1}, of round {matrices.rounds[t]},"
    old_draws = [j + 1 for j in old if row[j]]
    new = [j + 1 for j, b in enumerate(row) if b and j not in set(old)]
    witness = {"release": t + 1, "round": matrices.rounds[t], "old_draws": old_draws, "new_draws": new}
    if old_draws and new:
        detail = f"{subject} has draws from before the restart beside new ones, beyond what was released with them."
        return NamedFault(FaultName.FOLDS, detail, witness)
    if old_draws:
        detail = f"{subject} has draws from before the restart and no other, for inputs that they did not cover."
        return NamedFault(FaultName.KEEPS, detail, witness)
    detail = f"{subject} tells inputs from before the restart again, without the noise that they were told with."
    return NamedFault(FaultName.RETELLS, detail, witness)
