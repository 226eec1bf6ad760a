"""Stand-ins for objects of other libraries, with the names and members that these have; nothing of theirs is needed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class GaussianDpEvent:
    noise_multiplier: float


@dataclass(frozen=True)
class LaplaceDpEvent:
    noise_multiplier: float


@dataclass(frozen=True)
class DiscreteLaplaceDpEvent:
    noise_parameter: float
    sensitivity: int


@dataclass(frozen=True)
class RandomizedResponseDpEvent:
    noise_parameter: float
    num_buckets: int


@dataclass(frozen=True)
class ZCDpEvent:
    rho: float
    xi: float = 0.0


@dataclass(frozen=True)
class NoOpDpEvent:
    pass


@dataclass(frozen=True)
class NonPrivateDpEvent:
    pass


@dataclass(frozen=True)
class SelfComposedDpEvent:
    event: Any
    count: int


@dataclass(frozen=True)
class ComposedDpEvent:
    events: list[Any]


@dataclass(frozen=True)
class PoissonSampledDpEvent:
    sampling_probability: float
    event: Any


@dataclass(frozen=True)
class SampledWithoutReplacementDpEvent:
    source_dataset_size: int
    sample_size: int
    event: Any


@dataclass(frozen=True)
class RepeatAndSelectDpEvent:
    event: Any
    mean: float
    shape: float


@dataclass(frozen=True)
class BufferedToeplitz:
    """As of jax-privacy: the parameters of a BLT."""

    buf_decay: Any
    output_scale: Any


@dataclass(frozen=True)
class StreamingMatrix:
    """As of jax-privacy: a lower-triangular matrix that writes out as much of itself as it is asked for."""

    entry: Callable[[int, int], float]
    multiply_next: None = None

    def materialize(self, n: int) -> Any:
        return np.array([[self.entry(t, i) if i <= t else 0.0 for i in range(n)] for t in range(n)], dtype=np.float32)


@dataclass(frozen=True)
class ToeplitzStrategy:
    """As of opake: it gives its coefficients, and says its own sensitivity."""

    listed: tuple[float, ...]
    said: float
    normalized: bool = False

    def coefficients(self, *, n_steps: int, min_sep: int, max_participations: int) -> Any:
        assert min_sep >= 1 <= max_participations
        return np.array([*self.listed, *[0.0] * n_steps][:n_steps])

    def sensitivity(self, *, n_steps: int, min_sep: int, max_participations: int) -> float:
        assert n_steps >= 1 <= min_sep
        assert max_participations >= 1
        return self.said


@dataclass(frozen=True)
class MfGaussian:
    """As of opake."""

    noise_multiplier: float
    strategy: Any
    n_steps: int | None = None
    min_sep: int = 1
    max_participations: int | None = None


@dataclass(frozen=True)
class CyclicPoisson:
    """As of opake: a mechanism that is amplified."""

    inner: Any = field(default=None)
