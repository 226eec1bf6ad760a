"""Steps replayed outcome by outcome on plain values: a short way to the games of RandBin and of what it feeds.

What the npp game checks of a simulation in every step, and feeding of every slice, is not checked here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from math import lcm
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.games.npp import BranchInputs
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.release import Release
from dpcert.audit.relations.tags import aged
from dpcert.mechanisms.randbin.algorithm import Binning

Step = Callable[[Any, Any, Draw], tuple[Release[Any, Any], Any]]


def ways(step: Callable[[Draw], Any]) -> Iterator[tuple[Any, list[tuple[Pmf[Any], int]]]]:
    """What a step comes to, for every sequence of outcomes of its draws, with the laws and the numbers of outcomes."""
    stack: list[tuple[int, ...]] = [()]
    while stack:
        numbers = stack.pop()
        draws: list[tuple[Pmf[Any], int]] = []

        def draw(law: Pmf[Any], numbers: tuple[int, ...] = numbers, draws: Any = draws) -> Any:
            at, outcomes = len(draws), _weights(law)[0]
            if at >= len(numbers):
                before = tuple(number for _, number in draws)
                stack.extend((*before, other) for other in range(1, len(outcomes)))
            draws.append((law, numbers[at] if at < len(numbers) else 0))
            return outcomes[draws[at][1]]

        yield step(draw), draws


@cache
def _weights(law: Pmf[Any]) -> tuple[tuple[Any, ...], tuple[int, ...], int]:
    """The outcomes of a law, their whole weights, and what these sum to."""
    chances = dict(law.items())
    scale = lcm(*(chance.denominator for chance in chances.values()))
    return tuple(chances), tuple(int(chance * scale) for chance in chances.values()), scale


def kernel(step: Callable[[Draw], tuple[Any, Any]]) -> Kernel:
    """Every (visible output, state after it) of a step, with its weight."""
    by_result: dict[tuple[Any, Any], list[tuple[int, int]]] = {}
    for result, draws in ways(step):
        weight, scale = 1, 1
        for law, number in draws:
            _, weights, total = _weights(law)
            weight, scale = weight * weights[number], scale * total
        by_result.setdefault(result, []).append((weight, scale))
    common = lcm(*(scale for listed in by_result.values() for _, scale in listed))
    entries = ((*result, sum(w * (common // scale) for w, scale in listed)) for result, listed in by_result.items())
    return Kernel(tuple(entries), common)


@cache
def simulation_alone(mechanism: Binning) -> Hidden:
    """RandBin's simulation as a mechanism: it is handed pairs, and shows the visible output and both hidden ones."""

    @cache
    def stepped(state: Any, x: BranchInputs) -> Kernel:
        def step(draw: Draw) -> tuple[Any, Any]:
            release, after = mechanism.simulate(x.branch, state, x.pair, draw)
            hidden: Any = release.hidden
            return (release.visible, *hidden), aged(after)

        return kernel(step)

    return Hidden("simulation", mechanism.alphabet, mechanism.simulation, None, stepped)


@dataclass(frozen=True)
class FedBins:
    """RandBin feeding a second stage with the items of its bins.

    The state is (RandBin's, items not yet taken, the second's).
    """

    first: Binning
    second: Any

    def view(self, alphabet: tuple[Any, ...]) -> Hidden:
        """The whole as a mechanism on an alphabet."""
        head, tail = cache(partial(_shown, self.first)), cache(partial(_shown, self.second))

        @cache
        def fed(state: Any, x: Any) -> Kernel:
            own, queue, following = state
            first, queue = head(own, x), (*queue, x)
            entries: Any = first.entries
            weights: dict[tuple[Any, Any], int] = {}
            bins = {bin_ for (_, bin_), _, _ in entries if bin_}
            scale = lcm(*(tail(following, _taken(queue, bin_)[0]).denominator for bin_ in bins))
            for (visible, bin_), after, w in entries:
                items, rest = _taken(queue, bin_)
                second = tail(following, items) if bin_ else Kernel((((None, None), following, 1),), 1)
                answers: Any = second.entries
                for (seen, _), then, v in answers:
                    result = (visible, seen), (after, rest, then)
                    weights[result] = weights.get(result, 0) + w * v * (scale // second.denominator)
            return Kernel(tuple((*result, w) for result, w in weights.items()), first.denominator * scale)

        return Hidden("fed", alphabet, (self.first.initial, (), self.second.initial), None, fed)


def _shown(mechanism: Any, state: Any, x: Any) -> Kernel:
    """A step with both of its outputs shown."""

    def step(draw: Draw) -> tuple[Any, Any]:
        release, after = mechanism.step(state, x, draw)
        return (release.visible, release.hidden), after

    return kernel(step)


def _taken(queue: tuple[Any, ...], bin_: tuple[int, int] | None) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The items of a bin, and those after it."""
    if bin_ is None:
        return (), queue
    at = len(queue) - bin_[0]
    return queue[at : at + bin_[1]], queue[at + bin_[1] :]
