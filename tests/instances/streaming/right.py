"""Streaming code as people write it, with the noise that it should have."""

import copy

import numpy as np


class TreeNodes:
    """Releases every node of a binary tree in its last round, each with a draw of its own."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.round, self.waiting = rng, sigma, 0, {}

    def step(self, x):
        self.round += 1
        nodes, total, t, level = [x], x, self.round, 0
        while t % 2 == 0:
            total = self.waiting.pop(level) + total
            nodes.append(total)
            t, level = t // 2, level + 1
        self.waiting[level] = total
        return np.array(nodes) + self.rng.normal(scale=self.sigma, size=len(nodes))


class TreePrefix:
    """Releases prefix sums: of the nodes that cover the prefix, each with the noise it once got."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.round, self.nodes = rng, sigma, 0, {}

    def noise(self):
        return self.rng.normal(0, self.sigma)

    def step(self, x):
        self.round += 1
        total, t, level = x, self.round, 0
        self.nodes[level, self.round] = [total, self.noise()]
        while t % 2 == 0:
            left = self.nodes[level, self.round - 2**level][0]
            total = left + total
            t, level = t // 2, level + 1
            self.nodes[level, self.round] = [total, self.noise()]
        return self.read()

    def read(self):
        answer, done = 0.0, 0
        for level in reversed(range(self.round.bit_length())):
            if self.round >> level & 1:
                done += 2**level
                answer += sum(self.nodes[level, done])
        return answer


def coefficients(count):
    """Of (1 - z)^(-1/2)."""
    return np.cumprod([1.0] + [(2 * k - 1) / (2 * k) for k in range(1, count)])


def square_root_fft(inputs, rng, sigma=2.0):
    """C (C x + z) by FFT, all rounds at once."""
    count = len(inputs)
    root = np.fft.rfft(coefficients(count), 2 * count)

    def times(values):
        return np.fft.irfft(root * np.fft.rfft(values, 2 * count), 2 * count)[:count]

    return times(times(inputs) + sigma * rng.standard_normal(count))


class SquareRoot:
    """Prefix sums plus C z, with all z kept."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.total, self.drawn = rng, sigma, 0.0, []

    def step(self, x):
        self.total += x
        self.drawn.append(self.rng.standard_normal())
        weights = coefficients(len(self.drawn))[::-1]
        return self.total + self.sigma * float(np.dot(weights, self.drawn))


class Banded:
    """Gradients with noise C^-1 z, C banded with 1 and 1/2: the noise of the round before is taken back by half."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.before = rng, sigma, 0.0

    def step(self, x):
        self.before = self.sigma * self.rng.standard_normal() - self.before / 2
        return x + self.before


class Buffered:
    """C x + z with C of two buffers: c_0 = 1, c_t = sum_j s_j d_j^(t-1)."""

    decay, scale = (0.75, 0.25), (0.5, 0.25)

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.buffers = rng, sigma, np.zeros(2)

    def __call__(self, x):
        released = x + float(np.dot(self.scale, self.buffers)) + self.rng.normal(0.0, self.sigma)
        self.buffers = self.buffers * self.decay + x
        return released


class Momentum:
    """m = m / 2 + (x + z)."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.m = rng, sigma, 0.0

    def step(self, x):
        self.m = self.m / 2 + self.rng.normal(x, self.sigma)
        return self.m


class SlidingWindow:
    """Sums of the last three inputs, each with noise of its own: nothing in even rounds."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.last = rng, sigma, []

    def step(self, x):
        self.last = [*self.last, x][-3:]
        return sum(self.last) + self.rng.normal(0, self.sigma) if len(self.last) != 2 else None


class Restarted:
    """Nodes of trees of four rounds; a restart goes on from the noisy total that was released."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.noisy, self.base = rng, sigma, 0.0, 0.0

    def step(self, x):
        self.noisy += x + self.rng.normal(0, self.sigma)
        return self.base + self.noisy

    def restart(self):
        self.base, self.noisy = self.base + self.noisy, 0.0


class LaplaceSums:
    """Sums of a node at a time, with Laplace noise on every input."""

    def __init__(self, rng, scale=2.0):
        self.rng, self.scale, self.total = rng, scale, 0.0

    def step(self, x):
        self.total += x + self.rng.laplace(scale=self.scale)
        return self.total


class Vectors:
    """Prefix sums of vectors, noise on every input."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.total = rng, sigma, 0.0

    def step(self, x):
        self.total = self.total + x + self.rng.normal(0, self.sigma, size=x.shape)
        return self.total


class Spawned:
    """A generator of its own for every round."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma = rng, sigma

    def step(self, x):
        (own,) = self.rng.spawn(1)
        return x + own.normal(0, self.sigma)


class Copied:
    """Hands a copy of its generator to what draws, and takes it back."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma = rng, sigma

    def step(self, x):
        own = copy.deepcopy(self.rng)
        released = x + own.normal(0, self.sigma)
        self.rng = own
        return released
