"""epsilon of composed events by dp-accounting's accountant of privacy loss distributions, with the seconds it takes.

A benchmark peer: it runs alone in an environment of its own (requirements.txt, nothing of ours) and prints one JSON
line per event; "pessimistic", as the accountant's losses are rounded up.
"""

import argparse
import json
import statistics
import time
from importlib.metadata import version

from dp_accounting import dp_event as e
from dp_accounting.pld import PLDAccountant

EVENTS = {
    "100 x Gaussian(10)": e.SelfComposedDpEvent(e.GaussianDpEvent(10.0), 100),
    "100 x DiscreteLaplace(0.1, 1)": e.SelfComposedDpEvent(e.DiscreteLaplaceDpEvent(0.1, 1), 100),
    "20 x DiscreteLaplace(0.1, 4)": e.SelfComposedDpEvent(e.DiscreteLaplaceDpEvent(0.1, 4), 20),
    "10 x Laplace(5)": e.SelfComposedDpEvent(e.LaplaceDpEvent(5.0), 10),
    "Gaussian(2), 20 x DiscreteLaplace(0.1, 1)": e.ComposedDpEvent(
        [e.GaussianDpEvent(2.0), e.SelfComposedDpEvent(e.DiscreteLaplaceDpEvent(0.1, 1), 20)]
    ),
}


def main() -> None:
    """Prints one JSON line per event."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delta", type=float, default=1e-5)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    for name, event in EVENTS.items():
        taken = []
        for _ in range(arguments.rounds):
            began = time.perf_counter()
            value = PLDAccountant().compose(event).get_epsilon(arguments.delta)
            taken.append(time.perf_counter() - began)
        peer = {"peer": "dp-accounting", "version": version("dp-accounting"), "setting": "PLD, grid 1e-4"}
        print(json.dumps({**peer, "name": name, "value": value, "seconds": statistics.median(taken)}))


if __name__ == "__main__":
    main()
