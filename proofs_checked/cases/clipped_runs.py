"""Raw and clipped prefix sums under an adaptive adversary, path by path, with the sums that either world would have."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import product
from typing import Any

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.relations.adjacency import UNIT_HAMMING, Adjacency
from dpcert.proofs_checked.cases.hybrid import cover

Transcript = tuple[int, ...]
Pair = tuple[int, int]
Adversary = Callable[[Transcript], Pair]
"""The inputs of both worlds, after the releases so far."""


@dataclass(frozen=True)
class Setting:
    """`noise` in every round of the hybrid's schedule, B(t) and E(t) = B(t) + `margin` for t = 1, 2, ..."""

    noise: Pmf[int]
    bounds: tuple[int, ...]
    margin: int

    @property
    def error(self) -> tuple[int, ...]:
        """E(1), E(2), ..."""
        return tuple(bound + self.margin for bound in self.bounds)

    @cached_property
    def paths(self) -> list[tuple[Transcript, Fraction]]:
        """(raw errors Y_t - Q_t of every round, probability), every path of the noise."""
        paths = []
        for draws in product(self.noise.items(), repeat=len(self.bounds)):
            weight = Fraction(1)
            for _, w in draws:
                weight *= w
            errors = tuple(sum(draws[end - 1][0] for end in cover(t)) for t in range(1, len(draws) + 1))
            paths.append((errors, weight))
        return paths

    def good(self, errors: Transcript) -> bool:
        """Whether the raw error is at most B(t) in every round."""
        return all(abs(off) <= bound for off, bound in zip(errors, self.bounds, strict=True))

    @property
    def failure(self) -> Fraction:
        """P(|Y_t - Q_t| > B(t) for some t)."""
        return sum((w for errors, w in self.paths if not self.good(errors)), Fraction(0))

    def run(self, adversary: Adversary, world: int, errors: Transcript, *, clipped: bool) -> Transcript:
        """The releases on one path of the noise: Y, or Y clipped to within E(t) of Q_t."""
        transcript: Transcript = ()
        exact = 0
        for off, most in zip(errors, self.error, strict=True):
            exact += adversary(transcript)[world]
            transcript = (*transcript, exact + (max(-most, min(most, off)) if clipped else off))
        return transcript

    def law(self, adversary: Adversary, world: int, *, clipped: bool) -> Pmf[Transcript]:
        """P_c, or with clipping the other one, of the releases."""
        return Pmf([(self.run(adversary, world, errors, clipped=clipped), w) for errors, w in self.paths])

    def off(self, adversary: Adversary, world: int, v: Transcript) -> list[int]:
        """v_t - Q_t^(c)(v[1..t-1]) in every round."""
        sums = counterfactual(adversary, world, v)
        return [value - exact for value, exact in zip(v, sums, strict=True)]

    def safe(self, adversary: Adversary, v: Transcript, *, worlds: tuple[int, ...] = (0, 1), end: int = 0) -> bool:
        """v is in G_T: less than E(t) off in each of the worlds; with `end` 1, at most E(t)."""
        offs = [zip(self.off(adversary, c, v), self.error, strict=True) for c in worlds]
        return all(abs(off) < most + end for listed in offs for off, most in listed)


def counterfactual(adversary: Adversary, world: int, v: Transcript) -> list[int]:
    """Q_t^(c)(v[1..t-1]) for every t: what the inputs of a world would add up to, had v been released."""
    sums, exact = [], 0
    for t in range(len(v)):
        exact += adversary(v[:t])[world]
        sums.append(exact)
    return sums


def every_adversary(setting: Setting, relation: Adjacency[Any], alphabet: tuple[int, ...]) -> Iterator[Adversary]:
    """All deterministic adversaries over two rounds, as far as some release asks them.

    World 0 has the smaller of two first inputs, and 0 at first: the checks try either world, and sums shift alike.
    """
    for first, state in relation.legal(relation.initial, 1, alphabet):
        if first[0] > min(0, first[1]):
            continue
        offs = {sign for errors, _ in setting.paths for sign in (errors[0], _within(errors[0], setting.error[0]))}
        releases = sorted({x + off for x in first for off in offs})
        seconds = [pair for pair, _ in relation.legal(state, 2, alphabet)]
        for chosen in product(seconds, repeat=len(releases)):
            plan: dict[Transcript, Pair] = {(): first}
            plan |= {(v,): pair for v, pair in zip(releases, chosen, strict=True)}
            yield plan.__getitem__


def _within(off: int, most: int) -> int:
    return max(-most, min(most, off))


def by_the_last_sign(relation: Adjacency[Any], alphabet: tuple[int, ...]) -> Iterator[Adversary]:
    """All deterministic adversaries over three rounds that look at whether the last release is positive.

    World 0 has the smaller of two inputs and 0 at first: the checks try either world, and sums shift alike.
    """

    def options(state: Any, round_: int) -> list[tuple[Pair, Any]]:
        return [(pair, after) for pair, after in relation.legal(state, round_, alphabet) if pair[0] <= pair[1]]

    for first, state in options(relation.initial, 1):
        for second in product(options(state, 2), repeat=2) if first[0] == 0 else ():
            states = sorted({after for _, after in second})
            for thirds in product(*(product(options(after, 3), repeat=2) for after in states)):
                yield partial(_looking, first, second, dict(zip(states, thirds, strict=True)))


def _looking(first: Pair, second: Any, thirds: Any, transcript: Transcript) -> Pair:
    if not transcript:
        return first
    pair, state = second[transcript[0] > 0]
    answer: Pair = pair if len(transcript) == 1 else thirds[state][transcript[1] > 0][0]
    return answer


def settings(margin: int) -> tuple[Setting, Setting]:
    """Two rounds with noise -2, -1, 1, 2, and three with noise -3, 0, 2; B(t) = 1."""
    small, large = from_weights({-2: 1, -1: 3, 1: 3, 2: 1}), from_weights({-3: 1, 0: 4, 2: 1})
    return Setting(small, (1, 1), margin), Setting(large, (1, 1, 1), margin)


def cases(
    margin: int, relation: Adjacency[Any] = UNIT_HAMMING, alphabet: tuple[int, ...] = (0, 1)
) -> Iterator[tuple[Setting, Adversary]]:
    """Every adversary of the two rounds, and those of the three that look at the last sign."""
    small, large = settings(margin)
    for adversary in every_adversary(small, relation, alphabet):
        yield small, adversary
    for adversary in by_the_last_sign(relation, alphabet):
        yield large, adversary


CASES = (
    "B = 1: noise -2, -1, 1, 2 over two rounds, every adversary on bits; noise -3, 0, 2 over three, every adversary "
    "that looks at the signs of the releases"
)
PAPER, TIGHT = 2, 1
"""E - B as printed, for whole B, and as much as suffices."""
