"""The curve of a certified core at any horizon: per challenge, the product of its per-round curves, which repeat.

Where every challenge has one curve in every later round, whatever the common inputs, adaptive adversaries reach what
fixed streams do: the supremum over challenges of the product over rounds.
Source: paper.tex, thm:noise-ind-DP; claims 69 and 107.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from dpcert.audit.algebra.enclosure import logarithm
from dpcert.audit.algebra.power import ORDERS, Order, PowerFunction, supremum
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import Budget, Stopped, best_so_far
from dpcert.audit.checklist.closure import MOST_PAIRS, reachable
from dpcert.audit.checklist.contexts import Curves, Inputs
from dpcert.audit.errors import ArgumentError
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.label import label
from dpcert.audit.limits import within

MOST_SEGMENTS = 100_000
"""Segments of a product of per-round curves past which it is not written out."""
MOST_BYTES = 1 << 23
"""About so many bytes of such a product, past which it is not written out either."""
MOST_DOUBLINGS = 14
"""Horizons tried against a claim about every horizon: 1, 2, 4, ..., 2^13 rounds."""

Pairs = tuple[tuple[Any, Any], ...]


@frozen(slots=True)
class Start:
    """A challenge in the first round in which it can come, and the curves, by number, of every round from there on.

    They are those of `first`, and after them those of `again`, over and over.
    """

    before: Inputs
    pair: tuple[Any, Any]
    first: tuple[int, ...]
    again: tuple[int, ...]

    @property
    def settled(self) -> int | None:
        """The last round in which it leaks; None where it leaks for ever."""
        if any(self.again):
            return None
        return len(self.before) + max((t for t, number in enumerate(self.first, 1) if number), default=0)

    def counts(self, horizon: int) -> Counter[int]:
        """How often each curve other than the identity comes within a horizon."""
        rounds = max(0, horizon - len(self.before))
        counter = Counter(self.first[:rounds])
        whole, rest = divmod(max(0, rounds - len(self.first)), len(self.again))
        for number, times in Counter(self.again).items():
            counter[number] += whole * times
        counter.update(self.again[:rest])
        del counter[0]
        return +counter


@frozen
class TensorCurve:
    """The curve at one horizon, with the fixed streams that attain it: one pair for each challenge that matters."""

    horizon: int
    curves: Mapping[int, PowerFunction]
    streams: Callable[[int], Pairs]

    @cached_property
    def power(self) -> PowerFunction:
        """The supremum over all fixed streams, and over all adaptive adversaries."""
        return supremum([PowerFunction.identity(), *self.curves.values()])

    def challenge(self, exp_epsilon: Fraction) -> dict[str, Any]:
        """The streams that reach most at a slope, in either order, in few words: they differ in one round."""
        order = max(ORDERS, key=lambda one: self.power.hockey_stick(exp_epsilon, one))
        pairs = self.witness(exp_epsilon, order)
        at = next((t for t, (x0, x1) in enumerate(pairs) if x0 != x1), 0)
        return {
            "order": order,
            "challenge_round": at + 1,
            "before": [label(x) for x, _ in pairs[:at]],
            "challenge": [label(x) for x in pairs[at]],
            "afterwards": label(pairs[-1][0]),
        }

    def witness(self, exp_epsilon: Any, order: Order) -> Pairs:
        """Streams that attain the value at a slope and order."""
        if not self.curves:
            return self.streams(-1)
        return self.streams(max(self.curves, key=lambda key: self.curves[key].hockey_stick(exp_epsilon, order)))


@frozen
class Stationary:
    """A core of which every horizon is known.

    Attributes:
        starts: The challenges that differ in their curves, each as early as it can come.
        curves: What the curves are.
        depth: Rounds within which every state has been met.
        alphabet: The inputs.
    """

    starts: tuple[Start, ...]
    curves: Curves
    depth: int
    alphabet: tuple[Any, ...]

    @property
    def settled(self) -> int | None:
        """Rounds from which on the curve is that of every horizon; None where it grows for ever."""
        ends = [start.settled for start in self.starts]
        return None if None in ends else max((end for end in ends if end is not None), default=1) or 1

    def at(self, horizon: int, budget: Budget) -> TensorCurve | None:
        """The curve at a horizon; None where it is too long to be written out.

        Raises: Stopped: the time is over.
        """
        curves: dict[int, PowerFunction] = {}
        products: dict[frozenset[tuple[int, int]], PowerFunction] = {}
        for i, start in enumerate(self.starts):
            budget.check()
            counts = start.counts(horizon)
            key = frozenset(counts.items())
            if key and key not in products:
                tensored = product_of(self.curves, counts)
                if tensored is None:
                    return None
                curves[i] = products[key] = tensored
        return TensorCurve(horizon, curves, lambda i: self._streams(i, horizon))

    def doubling(self, budget: Budget) -> Iterator[TensorCurve]:
        """The curves at 1, 2, 4, ... rounds, as far as they can be written out in time."""
        with best_so_far(budget):
            for k in range(MOST_DOUBLINGS):
                found = self.at(2**k, budget)
                if found is None:
                    return
                yield found

    def ratio_above(self, epsilon: Fraction) -> dict[str, Any] | None:
        """A horizon at which some release is more than e^epsilon times as likely in one world; None if none is known.

        The largest likelihood ratio of independent rounds is the product of theirs.
        """
        found = [one for start in self.starts for order in ORDERS if (one := self._ratio(start, order, epsilon))]
        return min(found, key=lambda one: int(one["horizon"]), default=None)

    def _ratio(self, start: Start, order: Order, epsilon: Fraction) -> dict[str, Any] | None:
        logs = {number: self._log(number, order) for number in {*start.first, *start.again}}
        growth = sum((logs[number] for number in start.again), Fraction(0))
        if growth <= 0:
            return None
        cycles = int((epsilon + 1) / growth) + 1
        horizon = len(start.before) + len(start.first) + cycles * len(start.again)
        log_ratio = sum((times * logs[number] for number, times in start.counts(horizon).items()), Fraction(0))
        if log_ratio <= epsilon:
            return None
        return {
            "horizon": horizon,
            "log_ratio": text(log_ratio),
            "order": order,
            "challenge_round": len(start.before) + 1,
            "before": [label(x) for x in start.before],
            "challenge": [label(x) for x in start.pair],
            "afterwards": label(self.alphabet[0]),
        }

    def _log(self, number: int, order: Order) -> Fraction:
        """At most ln of the largest ratio of one order; more than any claim's epsilon of an infinite one."""
        power = self.curves.powers[number]
        a, b = power.segments[0] if order == "1-0" else power.segments[-1][::-1]
        return Fraction(10**5) if a == 0 else max(Fraction(0), logarithm(b / a).finite().lower)

    def _streams(self, i: int, horizon: int) -> Pairs:
        same = (self.alphabet[0], self.alphabet[0])
        if i < 0:
            return (same,) * horizon
        start = self.starts[i]
        here = (*((x, x) for x in start.before), start.pair)
        return (*here, *((same,) * (horizon - len(here))))


def product_of(curves: Curves, counts: Counter[int]) -> PowerFunction | None:
    """The product of numbered curves, each as often as it comes; None where it is too long to be written out."""
    size, bits = 1, 0
    for number, times in counts.items():
        chain = curves.powers[number].chain
        size *= times * (len(chain) - 1) + 1
        bits += times * (chain.total0.bit_length() + chain.total1.bit_length())
    if size > MOST_SEGMENTS or size * bits // 8 > MOST_BYTES:
        return None
    product = PowerFunction.identity()
    try:
        for number, times in counts.items():
            product = product.tensor(curves.powers[number].tensor_power(times))
    except ArgumentError:  # longer than tensor powers may be
        return None
    return product


def stationary(core: Core, curves: Curves, budget: Budget) -> Stationary:
    """Follows every challenge from every state, with one common input for ever, until a pair of states comes again.

    To be asked only where FUTURE_STABLE holds for every horizon: then one common input stands for all.

    Raises: Stopped: the time is over, or there are too many states.
    """
    with within(budget.check):
        return _stationary(core, curves, budget)


def _stationary(core: Core, curves: Curves, budget: Budget) -> Stationary:
    states = reachable(core, budget)
    steps = _Steps(core, curves, budget)
    starts: dict[tuple[tuple[int, ...], tuple[int, ...]], Start] = {}
    for state, before in sorted(states.items(), key=lambda item: len(item[1])):
        for a, b in product(core.alphabet, repeat=2):
            if a != b:
                first, again = steps.followed((core.advance(state, a), core.advance(state, b)))
                starts.setdefault((first, again), Start(before, (a, b), first, again))
    depth = max(len(before) for before in states.values()) + 1
    return Stationary(tuple(starts.values()), curves, depth, core.alphabet)


@dataclass
class _Steps:
    """Pairs of states under one common input, each asked for once; every step that is taken counts."""

    core: Core
    curves: Curves
    budget: Budget
    taken: int = 0
    known: dict[tuple[Any, Any], tuple[int, tuple[Any, Any]]] = field(default_factory=dict)

    def followed(self, pair: tuple[Any, Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The numbers of the curves up to the first pair that comes again, and from there on."""
        places: dict[tuple[Any, Any], int] = {}
        numbers: list[int] = []
        while pair not in places:
            self.taken += 1
            self.budget.check()
            if self.taken > MOST_PAIRS:
                raise Stopped(f"more than {MOST_PAIRS} pairs of states to follow (MOST_PAIRS)")
            places[pair] = len(numbers)
            number, pair = self._step(pair)
            numbers.append(number)
        return tuple(numbers[: places[pair]]), tuple(numbers[places[pair] :])

    def _step(self, pair: tuple[Any, Any]) -> tuple[int, tuple[Any, Any]]:
        if pair not in self.known:
            core, (state0, state1), common = self.core, pair, self.core.alphabet[0]
            number = self.curves.of_laws(core.law(state0), core.law(state1))
            self.known[pair] = number, (core.advance(state0, common), core.advance(state1, common))
        return self.known[pair]
