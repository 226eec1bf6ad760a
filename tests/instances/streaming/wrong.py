"""Streaming code with noise that is wrong, in the ways that a probe names."""

import copy

import numpy as np


class Variance:
    """The variance is handed over as the scale."""

    def __init__(self, rng, sigma=0.5):
        self.rng, self.sigma = rng, sigma

    def step(self, x):
        return x + self.rng.normal(0, self.sigma**2)


class Root:
    """The root of the deviation is taken, as of a variance."""

    def __init__(self, rng, sigma=4.0):
        self.rng, self.sigma = rng, sigma

    def step(self, x):
        return x + np.sqrt(self.sigma) * self.rng.standard_normal()


class Redrawn:
    """Prefix sums of a tree's nodes whose noise is drawn at each read."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.inputs = rng, sigma, []

    def step(self, x):
        self.inputs.append(x)
        answer, done = 0.0, 0
        for level in reversed(range(len(self.inputs).bit_length())):
            if len(self.inputs) >> level & 1:
                answer += sum(self.inputs[done : done + 2**level]) + self.rng.normal(0, self.sigma)
                done += 2**level
        return answer


class ToldAgain:
    """The node of rounds 1 and 2 is released in round 2, and again, with other noise, in every second round."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.inputs = rng, sigma, []

    def step(self, x):
        self.inputs.append(x)
        nodes = [x] if len(self.inputs) % 2 else [x, sum(self.inputs[:2])]
        return np.array(nodes) + self.rng.normal(scale=self.sigma, size=len(nodes))


class Leaves:
    """One draw is the noise of two leaves, and every other node has its own."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.inputs = rng, sigma, []

    def step(self, x):
        self.inputs.append(x)
        if len(self.inputs) % 2:
            self.leaf = self.rng.normal(0, self.sigma)
            return x + self.leaf
        return [x + self.leaf, sum(self.inputs[-2:]) + self.rng.normal(0, self.sigma)]


class Noisy:
    """Inputs with noise; the ways of restarting follow."""

    def __init__(self, rng, sigma=2.0):
        self.rng, self.sigma, self.start, self.old, self.total = rng, sigma, copy.deepcopy(rng), 0.0, 0.0

    def step(self, x):
        self.noise = self.rng.normal(0, self.sigma)
        return x + self.noise


class Resumed(Noisy):
    """A restart goes back to the generator's state of the beginning."""

    def restart(self):
        self.rng.bit_generator.state = self.start.bit_generator.state


class Folded(Noisy):
    """A restart adds old noise to all new."""

    def step(self, x):
        return Noisy.step(self, x) + self.old

    def restart(self):
        self.old = self.noise


class Retold(Noisy):
    """A restart goes on from the true total."""

    def step(self, x):
        self.total += x
        self.tally = getattr(self, "tally", 0.0) + self.rng.normal(0, self.sigma)
        return self.total + self.tally

    def restart(self):
        self.tally = 0.0


def looks_ahead(inputs, rng, sigma=2.0):
    """Centred windows."""
    after = np.append(inputs[1:], 0.0)
    return inputs + after / 4 + rng.normal(0, sigma, len(inputs))


class Positive(Noisy):
    """Nothing below 0 is released."""

    def step(self, x):
        return max(0.0, Noisy.step(self, x))


class Bounded(Noisy):
    """The noise ends at twenty."""

    def step(self, x):
        return x + min(20.0, self.rng.normal(0, self.sigma))


class Clipped(Noisy):
    """Inputs are clipped further than was said."""

    def step(self, x):
        return Noisy.step(self, min(x, 0.75))


class Sparing(Noisy):
    """Noise where there is something to hide."""

    def step(self, x):
        return Noisy.step(self, x) if x else 0.0


class Fitted(Noisy):
    """The scale follows the data."""

    def step(self, x):
        self.sigma = 2.0 + abs(x)
        return Noisy.step(self, x)


class Multiplied:
    """So it does here, out of the generator's sight."""

    def __init__(self, rng):
        self.rng = rng

    def step(self, x):
        return x + (1 + abs(x)) * self.rng.standard_normal()


class Elsewhere(Noisy):
    """The noise comes from another generator."""

    def step(self, x):
        return Noisy.step(self, x) + np.random.default_rng().normal()


class Seeded(Noisy):
    """The noise comes from a seed that is no secret."""

    def __init__(self, rng):
        del rng
        Noisy.__init__(self, np.random.default_rng(0))


class Varying(Noisy):
    """How much is released tells."""

    def step(self, x):
        released = Noisy.step(self, x)
        return [released] if x <= 0 else [released, released]


class Wavering(Noisy):
    """How much is released depends on the noise as well."""

    def step(self, x):
        released = Noisy.step(self, x)
        return [released] if released <= 0 else [released, released]


def whispers(inputs, rng, sigma=2.0):
    """The next input, where nobody looks."""
    after = np.append(inputs[1:], 0.0)
    return inputs + rng.normal(0, sigma, len(inputs)) + 2.0**-46 * after


class Shifted(Noisy):
    """A large constant."""

    def step(self, x):
        return Noisy.step(self, x) + 1e9


class Mixed(Noisy):
    """Laplace noise in every second round."""

    def step(self, x):
        self.total += 1
        return x + (self.rng.laplace(0, 1) if self.total % 2 else self.rng.normal())


class Twice(Noisy):
    """Two Laplace draws a release."""

    def step(self, x):
        return x + self.rng.laplace() + self.rng.laplace()


class Broadcast(Noisy):
    """One number of noise for a vector."""

    def step(self, x):
        return x + self.rng.normal(0, self.sigma)


class Uneven(Noisy):
    """More noise on later coordinates."""

    def step(self, x):
        return x + self.rng.normal(0, 1.0 + np.arange(len(x)))
