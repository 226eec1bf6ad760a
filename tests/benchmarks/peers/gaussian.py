"""The privacy of Gaussian noise by dp-accounting: in closed form, as a privacy loss distribution, and by its RDP.

A benchmark peer: it runs alone in an environment of its own (requirements.txt, nothing of ours) and prints one JSON
line per way of accounting, with (lower, estimate, upper) of epsilon for every mu and delta: rounded up a privacy loss
distribution is said to bound epsilon from above ("pessimistic"), rounded down from below.
"""

import argparse
import json
import logging
import math
import time
from collections.abc import Callable
from importlib.metadata import version

from dp_accounting import GaussianDpEvent, get_epsilon_gaussian
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.rdp import RdpAccountant

Bounds = tuple[float | None, float | None, float | None]


def finite(value: float) -> float | None:
    """The number, where it is one that JSON has."""
    return float(value) if math.isfinite(value) else None


def closed_form(mu: float, delta: float) -> Bounds:
    """A root of the closed form of delta."""
    return None, finite(get_epsilon_gaussian(1 / mu, delta)), None


def loss_distribution(interval: float, pessimistic: bool) -> Callable[[float, float], Bounds]:
    """The privacy loss distribution at this interval."""

    def epsilon(mu: float, delta: float) -> Bounds:
        made = privacy_loss_distribution.from_gaussian_mechanism(
            1 / mu, pessimistic_estimate=pessimistic, value_discretization_interval=interval
        )
        found = finite(made.get_epsilon_for_delta(delta))
        return (None, None, found) if pessimistic else (found, None, None)

    return epsilon


def by_rdp(mu: float, delta: float) -> Bounds:
    """The best of its orders, converted."""
    return None, None, finite(RdpAccountant().compose(GaussianDpEvent(1 / mu)).get_epsilon(delta))


def main() -> None:
    """Prints one JSON line per way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mus", type=float, nargs="+", default=[0.125, 1.0, 4.0])
    parser.add_argument("--deltas", type=float, nargs="+", default=[1e-2, 1e-5, 1e-10, 1e-18])
    parser.add_argument("--interval", type=float, default=1e-4)
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)  # rounding down, it says each time that it takes another algorithm
    ways = {
        "closed form": closed_form,
        f"losses rounded up to {arguments.interval:g}": loss_distribution(arguments.interval, True),
        f"losses rounded down to {arguments.interval:g}": loss_distribution(arguments.interval, False),
        "RDP": by_rdp,
    }
    for setting, epsilon in ways.items():
        began = time.perf_counter()
        found = [[epsilon(mu, delta) for delta in arguments.deltas] for mu in arguments.mus]
        seconds = (time.perf_counter() - began) / (len(arguments.mus) * len(arguments.deltas))
        peer = {"peer": "dp-accounting", "version": version("dp-accounting"), "setting": setting}
        print(json.dumps({**peer, "seconds": seconds, "epsilons": found}))


if __name__ == "__main__":
    main()
