"""Small cores as subjects of claims."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any, ClassVar

from dpcert.audit.algebra.common_laws import bernoulli, from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.mechanisms.interval_sums import noisy
from dpcert.mechanisms.two_round import TwoRound

BITS = (0, 1)
BINOMIAL = from_weights({-2: 1, -1: 4, 0: 6, 1: 4, 2: 1})


def as_it_is(t: int, y: Any) -> Any:
    """All of a release."""
    del t
    return y


def two_round_cores(grid: Sequence[Fraction], first: Sequence[Fraction] = ()) -> Iterator[TwoRound]:
    """Every two-round core on bits with probabilities from `grid`, one for each way to name the inputs of a round;
    those of round 1 are from `first` if it is given.

    Its second table depends on both inputs. A round's inputs in the other order swap the first chances and the rows, or
    the columns: the same games, but for the inputs' names.
    """
    for p0, p1, r00, r01, r10, r11 in product(*[first or grid] * 2, *[grid] * 4):
        if p0 <= p1 and r00 <= r01:
            yield TwoRound((p0, p1), ((r00, r01), (r10, r11)))


STABLE_TWO_ROUND = TwoRound(second=((Fraction(28, 100),) * 2, (Fraction(19, 100),) * 2))
"""The two-round mechanism whose second table no longer depends on the common input q."""


@dataclass(frozen=True)
class IndexedSums:
    """Y_t = sum of x over the index set I_t, plus fresh noise, modulo m; m noise weights, inputs 0 to m - 1."""

    index_sets: tuple[tuple[int, ...], ...]
    noise: tuple[int, ...]

    @property
    def alphabet(self) -> tuple[int, ...]:
        """Z_m."""
        return tuple(range(len(self.noise)))

    @property
    def horizon(self) -> int:
        """One round an index set."""
        return len(self.index_sets)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """The law of the noisy sum over I_t, t = len(prefix)."""
        return noisy(sum(prefix[i - 1] for i in self.index_sets[len(prefix) - 1]), self.noise)


def indexed_sums(horizon: int, noises: Sequence[tuple[int, ...]]) -> list[IndexedSums]:
    """One core for every sequence of index sets I_t within [1..t] and every noise."""
    subsets = [[s for k in range(t + 1) for s in combinations(range(1, t + 1), k)] for t in range(1, horizon + 1)]
    return [IndexedSums(sets, noise) for sets in product(*subsets) for noise in noises]


@dataclass(frozen=True)
class AddedNoise:
    """Y_t = sum of the inputs so far + fresh noise, seen through `shown(t, y)`; vectors add up by coordinate.

    Args:
        noise: The law of one round's noise, on whole numbers or on tuples of them.
        alphabet: The inputs, of the same kind.
        shown: What is released of y in round t; all of it by default.
    """

    noise: Pmf[Any]
    alphabet: tuple[Any, ...] = BITS
    shown: Callable[[int, Any], Any] = as_it_is

    def law(self, prefix: tuple[Any, ...]) -> Pmf[Any]:
        """The law of the noisy sum."""
        return self.noise.map(lambda eta: self.shown(len(prefix), _sum((*prefix, eta))))


def _sum(values: Sequence[Any]) -> Any:
    return tuple(map(sum, zip(*values, strict=True))) if isinstance(values[0], tuple) else sum(values)


@dataclass(frozen=True)
class SameBitAgain:
    """Fresh randomised response, `truth` the chance of the true bit, on x_1 in every round."""

    truth: Fraction = Fraction(3, 4)
    alphabet: ClassVar[tuple[int, ...]] = BITS

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """The law of the noisy first bit."""
        return bernoulli(self.truth if prefix[0] else 1 - self.truth)


@dataclass(frozen=True)
class BiasByThePast:
    """Fresh randomised response on x_t, whose bias x_{t-1} chooses: future-stable, not context-stable."""

    alphabet: ClassVar[tuple[int, ...]] = BITS

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """The law of the noisy newest bit."""
        truth = Fraction(2, 3) if prefix[-2:-1] == (1,) else Fraction(3, 4)
        return bernoulli(truth if prefix[-1] else 1 - truth)


@dataclass(frozen=True)
class Later:
    """What is left of a core once its first input is fixed: M^(c) in the proof of thm:noise-ind-DP."""

    core: Any
    first: Any

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """The core's own."""
        return tuple(self.core.alphabet)

    def law(self, prefix: tuple[Any, ...]) -> Pmf[Any]:
        """The core's law of the next round, for a core whose state is the prefix."""
        law: Pmf[Any] = self.core.law((self.first, *prefix))
        return law


@dataclass(frozen=True)
class AfterACoin:
    """A fair coin in round 1, whatever the input, and from then on a core that never saw that input."""

    core: Any

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """The core's own."""
        return tuple(self.core.alphabet)

    def law(self, prefix: tuple[Any, ...]) -> Pmf[Any]:
        """The coin, then the core's law, for a core whose state is the prefix."""
        law: Pmf[Any] = self.core.law(prefix[1:]) if prefix[1:] else bernoulli(Fraction(1, 2))
        return law


@dataclass(frozen=True)
class Mapped:
    """A core whose releases are shown through `shown(y, prefix)`, for a core whose state is the prefix."""

    core: Any
    shown: Callable[[Any, tuple[Any, ...]], Any]

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """The core's own."""
        return tuple(self.core.alphabet)

    def law(self, prefix: tuple[Any, ...]) -> Pmf[Any]:
        """The core's law, mapped."""
        law: Pmf[Any] = self.core.law(prefix)
        return law.map(lambda y: self.shown(y, prefix))


@dataclass(frozen=True)
class AllNodes:
    """Sums of the inputs over every set of `nodes[t - 1]`, released together, each with fresh noise of -1, 0 or 1."""

    nodes: tuple[tuple[tuple[int, ...], ...], ...]
    weights: tuple[tuple[int, ...], ...] = ()
    noise: tuple[int, ...] = (1, 2, 1)
    alphabet: ClassVar[tuple[int, ...]] = BITS

    @property
    def horizon(self) -> int:
        """One round an entry of `nodes`."""
        return len(self.nodes)

    def law(self, prefix: tuple[int, ...]) -> Pmf[Any]:
        """The law of the noisy sums; a round with a row in `weights` weighs its inputs by it."""
        t = len(prefix)
        row = self.weights[t - 1] if self.weights else (1,) * t
        law: Pmf[Any] = Pmf({(): Fraction(1)})
        for node in self.nodes[t - 1]:
            total = sum(row[i - 1] * prefix[i - 1] for i in node)
            noisy_sum = from_weights({total + k - 1: w for k, w in enumerate(self.noise)})
            law = law.product(noisy_sum).map(lambda y: (*y[0], y[1]))
        return law


@dataclass(frozen=True)
class OwnQuestions:
    """Round 1 tells x_1 mod 2 rightly with chance 2/3; round 2 tells x_2 mod 2 by `answers[x_2 // 2]`.

    An answer is (chance of the truth, chance of the other bit); the rest is silence.
    """

    answers: tuple[tuple[Fraction, Fraction], ...]
    alphabet: ClassVar[tuple[int, ...]] = (0, 1, 2, 3)

    def law(self, prefix: tuple[int, ...]) -> Pmf[Any]:
        """The law of the answer to the newest input."""
        which, bit = divmod(prefix[-1], 2)
        right, wrong = (Fraction(2, 3), Fraction(1, 3)) if len(prefix) == 1 else self.answers[which]
        chances = {bit: right, 1 - bit: wrong, "nothing": 1 - right - wrong}
        return Pmf({y: p for y, p in chances.items() if p})
