"""Small families of laws and channels, listed whole."""

from collections.abc import Callable, Iterator
from functools import cache, reduce
from itertools import product
from typing import Any

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.kernels.view import core_of

Law = Pmf[int]
Experiment = tuple[Law, Law]
Channel = tuple[Law, ...]
"""For each outcome 0, 1, ... the law of what it is turned into."""


@cache
def laws(outcomes: int, denominator: int) -> tuple[Law, ...]:
    """Every law on {0, ..., outcomes - 1} whose weights are multiples of 1/denominator."""
    weights = product(range(denominator + 1), repeat=outcomes)
    return tuple(from_weights(dict(enumerate(w))) for w in weights if sum(w) == denominator)


@cache
def falling_laws(outcomes: int, denominator: int) -> tuple[Law, ...]:
    """Those whose weights do not rise from one outcome to the next: each law is one of them, its outcomes renamed."""
    listed = laws(outcomes, denominator)
    weights = ([law.probability(y) for y in range(outcomes)] for law in listed)
    return tuple(law for law, w in zip(listed, weights, strict=True) if w == sorted(w, reverse=True))


def named_experiments(outcomes: int, denominator: int) -> Iterator[Experiment]:
    """Every ordered pair of laws up to the outcomes' names, some more than once: the first law is a falling one."""
    return product(falling_laws(outcomes, denominator), laws(outcomes, denominator))


@cache
def experiments(outcomes: int, denominator: int) -> tuple[Experiment, ...]:
    """Every ordered pair of such laws."""
    listed = laws(outcomes, denominator)
    return tuple((first, second) for first in listed for second in listed)


@cache
def curve(first: Law, second: Law) -> PowerFunction:
    """Pow(first‖second), remembered."""
    return PowerFunction.from_laws(first, second)


@cache
def curves(outcomes: int, denominator: int) -> tuple[PowerFunction, ...]:
    """The power function of every such pair, each listed once."""
    found = (PowerFunction.from_laws(*experiment) for experiment in experiments(outcomes, denominator))
    return tuple({f.vertices: f for f in found}.values())


def channels(inputs: int, outputs: int, denominator: int) -> Iterator[Channel]:
    """Every channel from `inputs` outcomes whose laws are those of `laws(outputs, denominator)`."""
    return product(laws(outputs, denominator), repeat=inputs)


@cache
def through(law: Law, channel: Channel) -> Law:
    """T(P), the law after a channel."""
    return Pmf.mix((w, channel[y]) for y, w in law.items())


@cache
def jointly(law: Law, channel: Channel) -> Pmf[tuple[int, int]]:
    """The law of an outcome together with what the channel turns it into."""
    return Pmf([((y, z), w * v) for y, w in law.items() for z, v in channel[y].items()])


def law_of(mechanism: Any) -> Callable[[tuple[Any, ...]], Pmf[Any]]:
    """(inputs so far) -> the law of the release, remembered; a law of prefixes as the mechanism has it."""
    if hasattr(mechanism, "law") and not hasattr(mechanism, "advance"):
        return cache(mechanism.law)
    core = core_of(mechanism)
    return cache(lambda inputs: core.law(reduce(core.advance, inputs, core.initial)))
