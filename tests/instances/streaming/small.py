"""Streaming code in which something is small, or hidden behind something large: what is rounding, and what is not."""

import numpy as np


class Drawing:
    """Has a generator."""

    def __init__(self, rng):
        self.rng = rng


class LowBits(Drawing):
    """The input again, without noise, in the last bits."""

    def step(self, x):
        noisy = x + self.rng.normal()
        return [noisy, noisy + x * 2.0**-45]


class LowBitsOfSingle(Drawing):
    """The same in float32."""

    def step(self, x):
        noisy = np.float32(x + self.rng.normal())
        return np.array([noisy, noisy + np.float32(x) * np.float32(2.0**-19)], dtype=np.float32)


class Blanket(Drawing):
    """One huge draw hides every release, and no difference of two."""

    def __init__(self, rng):
        self.rng, self.huge = rng, rng.normal(scale=2.0**46)

    def step(self, x):
        return self.huge + x + self.rng.normal()


class NoiseTold(Drawing):
    """The noise of an input in the last bits of another release."""

    def step(self, x):
        one, other = self.rng.normal(size=2)
        return [one, one + other * 2.0**-45, x + other]


class LowSquare(Drawing):
    """The square of the input in the last bits: linear on no run, and too small to be seen in one."""

    def step(self, x):
        noisy = x + self.rng.normal()
        return [noisy, noisy + x * x * 2.0**-45]


class LongBits(Drawing):
    """The input in bits past those of a float64."""

    def step(self, x):
        noisy = np.longdouble(x + self.rng.normal())
        return np.array([noisy, noisy + np.longdouble(x) * np.longdouble(2) ** -60])


class LargeWhole(Drawing):
    """A whole number that is no float."""

    def step(self, x):
        return int(2**60 * x) + 1


def ahead_of_one(inputs, rng):
    """Beside noisy inputs a constant, with the next input in its last bits."""
    return np.stack([inputs + rng.normal(size=len(inputs)), 1 + 2.0**-46 * np.append(inputs[1:], 0)], axis=1)


class Halved(Drawing):
    """The deviation is handed over, and halved after."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma = rng, sigma

    def step(self, x):
        return x + 0.5 * self.rng.normal(0, self.sigma)


class Momentum(Drawing):
    """Noisy inputs, and the momentum of them: their combination but for rounding."""

    def __init__(self, rng, sigma=1.3):
        self.rng, self.sigma, self.m = rng, sigma, 0.0

    def step(self, x):
        noisy = x + self.sigma * self.rng.standard_normal()
        self.m = 0.9 * self.m + noisy
        return [noisy, self.m]

    def restart(self):
        self.m *= 0.7


def summed_twice(inputs, rng, sigma=1.3):
    """C (C x + z) by FFT, and its sums, which are known to within rounding."""
    count = len(inputs)
    root = np.fft.rfft(np.cumprod([1.0] + [(2 * k - 1) / (2 * k) for k in range(1, count)]), 2 * count)

    def times(values):
        return np.fft.irfft(root * np.fft.rfft(values, 2 * count), 2 * count)[:count]

    released = times(times(inputs) + sigma * rng.standard_normal(count))
    return np.stack([released, np.cumsum(released)], axis=1)
