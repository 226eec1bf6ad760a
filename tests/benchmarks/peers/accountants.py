"""The same composition by two numerical accountants: a privacy loss distribution, and a privacy random variable.

A benchmark peer: it runs alone in an environment of its own (dp-accounting and prv-accountant as pinned in
requirements.txt, nothing of ours) and prints one JSON line per run. ``deltas`` holds, for every number of copies and
every epsilon, (lower, estimate, upper) of sup_S P(S) - e^epsilon Q(S), null where the run gives none: privacy loss
distributions rounded up bound delta from above, rounded down from below; the random variable comes with errors in
epsilon and in delta that it turns into both bounds.
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
from dp_accounting.pld import privacy_loss_distribution
from prv_accountant import PRVAccountant
from prv_accountant.privacy_random_variables import PrivacyRandomVariable

Bounds = tuple[float | None, float | None, float | None]
Query = Callable[[float], Bounds]


def log_law(weights: list[int]) -> dict[int, float]:
    """Outcome -> ln of its probability, outcomes of weight 0 left out."""
    return {i: math.log(w) - math.log(sum(weights)) for i, w in enumerate(weights) if w}


def loss_distribution(arguments: argparse.Namespace, copies: int, pessimistic: bool) -> Query:
    """The composed privacy loss distribution, losses rounded up or down to the interval."""
    single = privacy_loss_distribution.from_two_probability_mass_functions(
        log_law(arguments.law1),
        log_law(arguments.law0),
        pessimistic_estimate=pessimistic,
        value_discretization_interval=arguments.interval,
    )
    composed = single.self_compose(copies)

    def query(epsilon: float) -> Bounds:
        delta = float(composed.get_delta_for_epsilon(epsilon))
        return (None, None, delta) if pessimistic else (delta, None, None)

    return query


class FiniteLoss(PrivacyRandomVariable):
    """ln P(y)/Q(y) for y drawn from P; what Q never produces is mass at infinity."""

    def __init__(self, weights0: list[int], weights1: list[int]) -> None:
        law0, law1 = log_law(weights0), log_law(weights1)
        finite = sorted((law0[y] - law1[y], math.exp(law0[y])) for y in law0 if y in law1)
        mass = sum(p for _, p in finite)
        self.losses = np.array([loss for loss, _ in finite])
        self.masses = np.array([p / mass for _, p in finite])
        self.below = np.concatenate([[0.0], np.cumsum(self.masses)])
        self.infinite = 0.0 if all(weights1[y] for y in law0) else 1 - mass

    def cdf(self, t: Any) -> Any:
        """The distribution function of the finite part."""
        return self.below[np.searchsorted(self.losses, t, side="right")]

    def rdp(self, alpha: float) -> float:
        """The Rényi divergence of the finite part, which sets the width of the grid."""
        return math.log(float(np.sum(self.masses * np.exp((alpha - 1) * self.losses)))) / (alpha - 1)

    @property
    def pm_inf(self) -> float:
        """The probability of an infinite loss."""
        return self.infinite


def random_variable(arguments: argparse.Namespace, copies: int) -> Query:
    """The composed privacy random variable; both its constructor and its queries transform."""
    accountant = PRVAccountant(
        FiniteLoss(arguments.law0, arguments.law1),
        eps_error=arguments.eps_error,
        delta_error=arguments.delta_error,
        max_self_compositions=copies,
    )

    def query(epsilon: float) -> Bounds:
        lower, estimate, upper = accountant.compute_delta(epsilon, [copies])
        return lower, estimate, upper

    return query


def timed(compose: Callable[[int], Query], arguments: argparse.Namespace) -> dict[str, Any]:
    """Every composition and its deltas, with the seconds that the two take together over all copies."""
    compose_seconds = delta_seconds = 0.0
    deltas = []
    for copies in arguments.copies:
        started = time.perf_counter()
        query = compose(copies)
        composed = time.perf_counter()
        deltas.append([query(epsilon) for epsilon in arguments.epsilons])
        compose_seconds += composed - started
        delta_seconds += time.perf_counter() - composed
    return {"seconds": compose_seconds, "deltas_seconds": delta_seconds, "deltas": deltas}


def runs(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One record per accountant and rounding."""
    for rounding in ("up", "down"):
        yield {
            "peer": "dp-accounting",
            "version": version("dp-accounting"),
            "setting": f"losses rounded {rounding} to {arguments.interval:g}",
            **timed(lambda n, up=rounding == "up": loss_distribution(arguments, n, up), arguments),
        }
    yield {
        "peer": "prv-accountant",
        "version": version("prv-accountant"),
        "setting": f"error {arguments.eps_error:g} in epsilon, {arguments.delta_error:g} in delta",
        **timed(lambda n: random_variable(arguments, n), arguments),
    }


def main() -> None:
    """Prints one JSON line per record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--law0", type=int, nargs="+", default=[68, 32], help="whole-number weights, world 0")
    parser.add_argument("--law1", type=int, nargs="+", default=[65, 35], help="whole-number weights, world 1")
    parser.add_argument("--copies", type=int, nargs="+", default=[4096])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[4.0, 8.0, 16.0, 24.0])
    parser.add_argument("--interval", type=float, default=1e-5, help="the grid of the privacy loss distribution")
    parser.add_argument("--eps-error", type=float, default=0.01)
    parser.add_argument("--delta-error", type=float, default=1e-10)
    for record in runs(parser.parse_args()):
        print(json.dumps(record))


if __name__ == "__main__":
    main()
