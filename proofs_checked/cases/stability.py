"""What a certificate asks of the one-round curves of a core, read off every two histories that differ in one round."""

from collections.abc import Callable
from functools import cache, reduce
from itertools import product
from typing import Any, NamedTuple

from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.kernels.protocols import PrefixCore
from dpcert.proofs_checked.cases.curves import FixedAndAdaptive
from dpcert.proofs_checked.cases.laws import curve, law_of

Core = PrefixCore[Any, Any]


class OneRound(NamedTuple):
    """The curve of round `round` for a challenge (a, a') in round i, the common inputs before and after it given."""

    i: int
    challenge: tuple[Any, Any]
    round: int
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    curve: PowerFunction


@cache
def one_round_curves(mechanism: Any, horizon: int) -> tuple[OneRound, ...]:
    """Every one-round curve of every challenge in every context."""
    alphabet, law, curves = mechanism.alphabet, law_of(mechanism), []
    for t in range(1, horizon + 1):
        for i in range(1, t + 1):
            for a, b in product(alphabet, repeat=2):
                for before in product(alphabet, repeat=i - 1) if a != b else ():
                    for after in product(alphabet, repeat=t - i):
                        one = curve(law((*before, a, *after)), law((*before, b, *after)))
                        curves.append(OneRound(i, (a, b), t, before, after, one))
    return tuple(curves)


Condition = Callable[[Core, int, FixedAndAdaptive], bool]
"""Whether a core has a certificate up to a horizon; the exact curves of its game are given."""


def _one_value(mechanism: Any, horizon: int, key: Callable[[OneRound], Any], value: Callable[[OneRound], Any]) -> bool:
    values: dict[Any, Any] = {}
    return all(values.setdefault(key(one), value(one)) == value(one) for one in one_round_curves(mechanism, horizon))


def context_stable(mechanism: Core, horizon: int, curves: FixedAndAdaptive) -> bool:
    """For each challenge and round, one curve for every common context."""
    del curves
    return _one_value(mechanism, horizon, lambda one: one[:3], lambda one: one.curve)


def future_stable(mechanism: Core, horizon: int, curves: FixedAndAdaptive) -> bool:
    """For each challenge, each history before it and each round, one curve for every later common input."""
    del curves
    return _one_value(mechanism, horizon, lambda one: one[:4], lambda one: one.curve)


def stable_total_variation(mechanism: Core, horizon: int, curves: FixedAndAdaptive) -> bool:
    """As `context_stable`, for the total variation alone: too little."""
    del curves
    return _one_value(mechanism, horizon, lambda one: one[:3], lambda one: one.curve.total_variation)


def context_dominated(mechanism: Any, horizon: int, curves: FixedAndAdaptive) -> bool:
    """For each challenge, the product over rounds of the hulls over contexts is below the fixed-stream curve."""
    rounds: dict[Any, dict[int, list[PowerFunction]]] = {}
    for one in one_round_curves(mechanism, horizon):
        rounds.setdefault(one[:2], {}).setdefault(one.round, []).append(one.curve)
    hulls = [[supremum(listed) for listed in by_round.values()] for by_round in rounds.values()]
    return all(reduce(PowerFunction.tensor, listed) <= curves.fixed for listed in hulls)


def fresh_randomness_alone(mechanism: Core, horizon: int, curves: FixedAndAdaptive) -> bool:
    """What every core has."""
    del mechanism, horizon, curves
    return True


def exchanged(mechanism: Any, horizon: int) -> tuple[OneRound, OneRound] | None:
    """One challenge with two curves in one round, in two slots that each leave a trace there; None if there is none.

    No invariant pair of plain messages decides the curves of such a mechanism: d(a + u + b, a + v + b) = d(u, v).
    """
    traced = [one for one in one_round_curves(mechanism, horizon) if one.curve != PowerFunction.identity()]
    first: dict[Any, OneRound] = {}
    for one in traced:
        known = first.setdefault((one.challenge, one.round), one)
        if known.i != one.i and known.curve != one.curve:
            return known, one
    return None
