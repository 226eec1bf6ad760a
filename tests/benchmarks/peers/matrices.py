"""Sensitivities of matrices by jax-privacy, with the seconds that each takes.

A benchmark peer: it runs alone in an environment of its own (requirements.txt, nothing of ours) and prints one JSON
line per quantity: the squared sensitivity of a matrix of square-root coefficients, or of a dense one of a seed.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp
from jax_privacy.matrix_factorization import buffered_toeplitz, sensitivity, toeplitz

DECAY, SCALE = (0.9, 0.4), (0.3, 0.2)


def square_root(rounds: int) -> Any:
    """c_k = (2k choose k) / 4^k, as floats."""
    k = np.arange(1, rounds)
    return np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))])


def dense(rounds: int) -> Any:
    """A lower-triangular matrix of uniform numbers, the same as ours of this seed."""
    return np.tril(np.random.default_rng(0).random((rounds, rounds)))


def quantities(toeplitz_rounds: int, dense_rounds: int, patterns: int) -> dict[str, Callable[[], Any]]:
    """Each squared sensitivity by the function that jax-privacy has for it."""
    long, short = jnp.array(square_root(toeplitz_rounds)), jnp.array(square_root(patterns))
    whole, small = jnp.array(dense(dense_rounds)), jnp.array(dense(patterns))
    blt = buffered_toeplitz.BufferedToeplitz.build(DECAY, SCALE)
    apart, most = patterns // 8, 8
    return {
        f"Toeplitz, T = {toeplitz_rounds}": lambda: toeplitz.sensitivity_squared(long),
        f"BLT of two buffers, T = {toeplitz_rounds}": lambda: buffered_toeplitz.sensitivity_squared(
            blt, toeplitz_rounds
        ),
        f"dense, T = {dense_rounds}": lambda: sensitivity.single_participation_sensitivity(whole) ** 2,
        f"Toeplitz, {most} participations, T = {patterns}": lambda: toeplitz.minsep_sensitivity_squared(
            short, apart, most
        ),
        f"dense, {most} participations, T = {patterns}": lambda: (
            sensitivity.get_min_sep_sensitivity_upper_bound(small, apart, most) ** 2
        ),
    }


def main() -> None:
    """Prints one JSON line per quantity."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--toeplitz", type=int, default=100_000)
    parser.add_argument("--dense", type=int, default=2_048)
    parser.add_argument("--patterns", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    for name, work in quantities(arguments.toeplitz, arguments.dense, arguments.patterns).items():
        began = time.perf_counter()
        value = float(work())  # compiles
        first, taken = time.perf_counter() - began, []
        for _ in range(arguments.rounds):
            began = time.perf_counter()
            value = float(work())
            taken.append(time.perf_counter() - began)
        peer = {"peer": "jax-privacy", "version": version("jax-privacy"), "setting": "float64"}
        print(json.dumps({**peer, "name": name, "value": value, "first": first, "seconds": statistics.median(taken)}))


if __name__ == "__main__":
    main()
