"""Private sums of vectors by dpcrpy (a tree) and jax-privacy (a band): rounds a second of CPU, as JSON lines."""

import argparse
import json
import time
from collections.abc import Iterator
from importlib.metadata import version

import jax
import numpy as np
from dpcrpy.treeMethods.binMech import BinMech
from jax_privacy.matrix_factorization import toeplitz
from jax_privacy.noise_addition import matrix_factorization_privatizer

BANDS = 8


class Normal:
    """Noise for vectors, as dpcrpy asks for it."""

    def __init__(self, dimension: int) -> None:
        self.dimension, self.generator = dimension, np.random.default_rng(1)

    def genNoise(self) -> np.ndarray:  # noqa: N802 - dpcrpy's name
        return self.generator.normal(size=self.dimension)

    def getMse(self) -> float:  # noqa: N802 - dpcrpy's name
        return 1.0

    def getSensType(self) -> int:  # noqa: N802 - dpcrpy's name
        return 0


def tree(dimension: int, rounds: int) -> float:
    run = BinMech(rounds.bit_length() - 1, Normal(dimension))
    x = np.ones(dimension)
    began = time.process_time()
    for _ in range(rounds):
        run.dpRelease(x)
    return rounds / (time.process_time() - began)


def band(dimension: int, rounds: int) -> float:
    coefficients = toeplitz.optimal_max_error_strategy_coefs(rounds)[:BANDS]
    privatizer = matrix_factorization_privatizer(
        toeplitz.inverse_as_streaming_matrix(coefficients), stddev=1.0, prng_key=1
    )
    x = jax.numpy.ones(dimension)
    update, state = jax.jit(privatizer.update), privatizer.init(x)
    whole, state = update(x, state)  # compiled before it is timed
    began = time.process_time()
    for _ in range(rounds):
        made, state = update(x, state)
        whole = whole + made
    whole.block_until_ready()
    return rounds / (time.process_time() - began)


def lines(dimension: int, rounds: int) -> Iterator[dict[str, object]]:
    for package, setting, work in (("dpcrpy", "tree", tree), ("jax-privacy", f"band of {BANDS}", band)):
        peer = {"peer": package, "version": version(package), "setting": setting}
        yield {**peer, "rate": work(dimension, rounds)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dimension", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=1 << 16)
    asked = parser.parse_args()
    for line in lines(asked.dimension, asked.rounds):
        print(json.dumps(line))
