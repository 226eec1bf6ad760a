"""What is left of a release, as small as rounding: tried on runs whose numbers have many digits, and kept if it is not.

With u the combination that takes earlier releases out of one, u^T (y - c) of another run is u^T (A x + B z) if that is
what the code does, however small it is; of rounding it is another number as large.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpcert.mechanisms.matrices.correlated import Residuals, RoundedRelease, Row, decorrelated
from dpcert.mechanisms.probe.recovered import ProbeResult
from dpcert.mechanisms.probe.running import run_once
from dpcert.mechanisms.probe.target import ProbeTarget

UNEVEN_RUNS = 12
"""Runs on inputs and noise of all digits, by which rounding is told from small entries."""
PREDICTED = 16
"""What is left is told by A and B if it differs from what they say by a root of one over this of it."""
FINER = 16
"""Of what is not told by them, no more than this part of the resolution is rounding without doubt."""


@dataclass(frozen=True)
class UnevenRuns:
    """What is left of every release, small entries included.

    Args:
        remainder: It.
        runs: Runs that were made for it.
        doubt: Why it cannot be told, where it cannot.
    """

    remainder: Residuals
    runs: int = 0
    doubt: str | None = None


def on_uneven_runs(
    target: ProbeTarget, matrices: ProbeResult, shape: tuple[int, ...], clip: Fraction, restart: int | None
) -> UnevenRuns:
    """B z eliminated from A x + B z, with nothing taken for rounding that other runs bear out.

    Args:
        target: The code.
        matrices: A and B.
        shape: Of the inputs.
        clip: The largest norm of an input.
        restart: After which round it is restarted, if it is.
    Raises: MechanismError: the code fails.
    """
    remainder = decorrelated(matrices.response, matrices.noise, resolution=matrices.resolution)
    if not remainder.rounded:
        return UnevenRuns(remainder)
    runs = _uneven(target, matrices, shape, clip, restart)
    if runs is None:
        return UnevenRuns(remainder, UNEVEN_RUNS, "runs on uneven numbers draw or release otherwise")
    came, said = runs
    size = max(abs(y) for row in came for y in row)
    exempt = frozenset[int]()
    while True:
        remainder = decorrelated(
            matrices.response, matrices.noise, resolution=matrices.resolution, beside=(*came, *said), exempt=exempt
        )
        more = frozenset(one.place for one in remainder.rounded if _is_told(one))
        if not more:
            break
        exempt |= more
    least = matrices.resolution * size / FINER
    for one in remainder.rounded:
        if max(map(abs, one.beside)) > least:
            doubt = f"what is left of release {one.place + 1} is small, no rounding, and not what A and B say"
            return UnevenRuns(remainder, UNEVEN_RUNS, doubt)
    return UnevenRuns(remainder, UNEVEN_RUNS)


def _is_told(one: RoundedRelease) -> bool:
    """Whether A and B say what is left of it in other runs."""
    came, said = one.beside[:UNEVEN_RUNS], one.beside[UNEVEN_RUNS:]
    off = sum(((y - x) ** 2 for y, x in zip(came, said, strict=True)), Fraction(0))
    size = sum((x * x for x in said), Fraction(0))
    return size > 0 and off * PREDICTED <= size


def _uneven(
    target: ProbeTarget, matrices: ProbeResult, shape: tuple[int, ...], clip: Fraction, restart: int | None
) -> tuple[list[Row], list[Row]] | None:
    """What is released less c, and A x + B z, run by run; None where draws or rounds of releases are others."""
    random = np.random.default_rng(len(matrices.draws))
    most = float(clip) / (float(np.sqrt(shape[-1])) if shape[1:] else 1)
    came, said = list[Row](), list[Row]()
    for _ in range(UNEVEN_RUNS):
        inputs = random.uniform(-most, most, shape)
        noise = dict(zip((draw.place for draw in matrices.draws), random.normal(size=len(matrices.draws)), strict=True))
        run = run_once(target, inputs, noise, restart)
        if run.rounds != matrices.rounds or run.draws != matrices.draws:
            return None
        came.append(tuple(Fraction(y) - c for y, c in zip(run.released.tolist(), matrices.constant, strict=True)))
        said.append(_said(matrices, inputs.ravel().tolist(), list(noise.values())))
    return came, said


def _said(matrices: ProbeResult, inputs: list[float], noise: list[float]) -> Row:
    """A x + B z, exactly."""
    x, z = list(map(Fraction, inputs)), list(map(Fraction, noise))
    return tuple(
        sum((a * v for a, v in zip(row, x, strict=True) if a), Fraction(0))
        + sum((b * v for b, v in zip(draws, z, strict=True) if b), Fraction(0))
        for row, draws in zip(matrices.response, matrices.noise, strict=True)
    )
