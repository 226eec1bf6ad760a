"""A combination of releases without noise, on other runs of the code: with other noise it comes out the same."""

from fractions import Fraction

import numpy as np

from dpcert.mechanisms.matrices.correlated import Noiseless
from dpcert.mechanisms.probe.recovered import ProbeResult
from dpcert.mechanisms.probe.running import run_once
from dpcert.mechanisms.probe.target import ProbeTarget

REPLAYED = 3
"""Runs on which a combination without noise is tried again."""


def is_borne_out(
    target: ProbeTarget, matrices: ProbeResult, one: Noiseless, shape: tuple[int, ...], restart: int | None
) -> bool:
    """Whether u^T (y - c) is a^T x on runs with random inputs and noise, to within rounding.

    Args:
        target: The code.
        matrices: c, the draws, and what is rounding.
        one: u and a.
        shape: Of the inputs.
        restart: After which round it is restarted, if it is.
    """
    random = np.random.default_rng(len(matrices.draws))
    for _ in range(REPLAYED):
        steps = random.integers(-8, 9, size=shape)
        inputs = steps * float(matrices.unit) / 8 / shape[-1] if len(shape) > 1 else steps * float(matrices.unit) / 8
        noise = {
            draw.place: float(z)
            for draw, z in zip(matrices.draws, random.normal(size=len(matrices.draws)), strict=True)
        }
        released = map(Fraction, run_once(target, inputs, noise, restart).released.tolist())
        told = sum((a * Fraction(x) for a, x in zip(one.inputs, inputs.ravel().tolist(), strict=True)), Fraction(0))
        terms = [u * (y - c) for u, y, c in zip(one.combination, released, matrices.constant, strict=True)]
        size = sum(map(abs, terms), Fraction(0)) + abs(told)
        if abs(sum(terms, Fraction(0)) - told) > matrices.resolution * size:
            return False
    return True
