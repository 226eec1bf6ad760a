"""The pattern of participations whose products of columns sum to the most: max over patterns (and signs) of s^T G s.

A label is what was chosen so far: its weight, and for every later round what that would add through products with the
chosen. Labels of one size that promise the same are one, and one that another beats whatever follows is dropped, so
that this is dynamic programming where columns far enough apart are orthogonal, or a tree's. Elsewhere labels differ,
and those that cannot beat the best known are dropped: branch and bound. All in whole numbers.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from dpcert.audit.limits import look
from dpcert.mechanisms.matrices.dyadic import Integers

MOST_STEPS = 100_000_000
"""Sums of numbers after which a search for the worst pattern answers with a bracket."""
COMPARED = 24
"""Labels of its size that a new one is compared with."""
MOST_IMPROVEMENTS = 50
"""Times a pattern that serves as a first guess is improved."""


@dataclass(frozen=True)
class Heaviest:
    """lower <= max s^T G s <= upper; `lower` is attained by the rounds (from 0) with the signs."""

    lower: int
    upper: int
    rounds: tuple[int, ...]
    signs: tuple[int, ...]


@dataclass
class _Label:
    """Chosen rounds with signs: their weight, what they add to later ones, and the most that each next one leads to.

    Both of the latter begin with the round `start`, the first that may be next.
    """

    weight: int
    start: int
    heading: Integers
    next: Integers
    chosen: tuple[tuple[int, int], ...]

    def most(self, at: int) -> int:
        """The most that it leads to if the next round is not before `at`."""
        return self.weight + int(self.next[max(0, at - self.start) :].max())


@dataclass
class _PatternSearch:
    """The labels of one search, by how many rounds they have and from when on they may go on."""

    values: Integers
    count: int
    apart: int
    signed: bool
    own: list[Integers]
    best: Heaviest
    steps: int = 0
    waiting: list[list[_Label]] = field(default_factory=list)
    coming: defaultdict[int, list[_Label]] = field(default_factory=lambda: defaultdict(list))


def heaviest(values: Integers, count: int, apart: int, *, signed: bool, most_steps: int = MOST_STEPS) -> Heaviest:
    """The most that s^T G s is over at most `count` rounds, any two `apart` rounds apart, s = 1 or, signed, +-1 there.

    Args:
        values: G, symmetric and positive semidefinite up to rounding; of numbers of at least 0 unless signed.
        count: Participations at most, so many that fit.
        apart: Rounds from one to the next, at least.
        signed: Whether signs are chosen too.
        most_steps: The work after which it answers with a bracket.

    >>> heaviest(np.array([[1, 0, 3], [0, 9, 0], [3, 0, 4]]), 2, 2, signed=False)
    Heaviest(lower=11, upper=11, rounds=(0, 2), signs=(1, 1))
    """
    own = _own(abs(values), count, apart)
    search = _PatternSearch(values, count, apart, signed, own, _guess(values, count, apart, own[-1], signed))
    root = _root(search)
    search.waiting = [[root], *([] for _ in range(count - 1))]
    for at in range(len(values)):
        look()
        for label in search.coming.pop(at, ()):
            _admit(search, label, at)
        if search.steps > most_steps:
            return _unfinished(search, at)
        for label in [one for group in search.waiting for one in group]:
            if label.weight + int(label.next[at - label.start]) > search.best.lower:
                _choose(search, label, at)
    return search.best


def heavier(values: Integers, count: int, apart: int, *, above: int, most: int) -> list[tuple[int, ...]] | None:
    """Patterns among which are all of the longest whose values sum to more than a bound; None if more than `most`.

    Args:
        values: Numbers of at least 0.
        count: Participations at most.
        apart: Rounds from one to the next, at least.
        above: The bound.
        most: Patterns that are of use.

    >>> heavier(np.array([[1, 0, 3], [0, 9, 0], [3, 0, 4]]), 2, 2, above=8, most=5)
    [(1,), (0, 2)]
    """
    none = Heaviest(above, above, (), ())
    search = _PatternSearch(values, count, apart, False, _own(values, count, apart), none)
    patterns, labels = list[tuple[int, ...]](), [_root(search)]
    while labels:
        look()
        label = labels.pop()
        following = list[_Label]()
        for at in (label.start + np.flatnonzero(label.weight + label.next > above)).tolist():
            if len(label.chosen) + 1 == count or at + apart >= len(values):
                patterns.append((*(i for i, _ in label.chosen), at))
            else:
                following.append(_following(search, label, at, 1))
            if len(patterns) > most or search.steps > MOST_STEPS:
                return None
        labels.extend(reversed(following))
    return patterns


def _own(size: Integers, count: int, apart: int) -> list[Integers]:
    """For r = 1, 2, ...: what a round adds at most by itself and through products with r - 1 later ones."""
    rounds = len(size)
    diagonal = size.diagonal()
    rest, gains = np.zeros_like(size), [diagonal.copy()]
    for _ in range(count - 1):
        rest = _falling(2 * size + _moved(rest, apart))
        later = np.arange(rounds) + apart
        inside = later < rounds
        through = np.zeros_like(diagonal)
        through[inside] = rest[np.arange(rounds)[inside], later[inside]]
        gains.append(diagonal + through)
    return gains


def _falling(numbers: Integers) -> Integers:
    """The largest from each place on."""
    return np.asarray(np.maximum.accumulate(numbers[..., ::-1], axis=-1)[..., ::-1])


def _moved(numbers: Integers, apart: int) -> Integers:
    """What stands `apart` places later; 0 past the end."""
    moved = np.zeros_like(numbers)
    moved[..., : max(0, numbers.shape[-1] - apart)] = numbers[..., apart:]
    return moved


def _root(search: _PatternSearch) -> _Label:
    """The label of nothing chosen."""
    zero = np.zeros_like(search.values[0])
    return _Label(0, 0, zero, _next(search, zero, 0, search.count), ())


def _next(search: _PatternSearch, heading: Integers, start: int, rest: int) -> Integers:
    """For every round from `start` on, as the next of `rest` more: at least what all of those can add."""
    added = 2 * (abs(heading) if search.signed else heading)
    best = np.zeros_like(heading)
    for r in range(rest):
        one = search.own[r][start:] + added + _moved(best, search.apart)
        best = _falling(one) if r + 1 < rest else best
    search.steps += rest * len(heading)
    return one


def _following(search: _PatternSearch, label: _Label, at: int, sign: int) -> _Label:
    """The label with one more round."""
    weight = label.weight + search.values[at, at] + 2 * sign * label.heading[at - label.start]
    start, pattern = at + search.apart, (*label.chosen, (at, sign))
    heading = label.heading[start - label.start :] + sign * search.values[at, start:]
    rest = search.count - len(pattern)
    following = _next(search, heading, start, rest) if rest and len(heading) else heading
    return _Label(int(weight), start, heading, following, pattern)


def _choose(search: _PatternSearch, label: _Label, at: int) -> None:
    """Follows a label into a participation at this round, with every sign that matters."""
    better = 1 if label.heading[at - label.start] >= 0 else -1
    for sign in (better, -better) if search.signed and label.chosen else (1,):
        following = _following(search, label, at, sign)
        if following.weight > search.best.lower:
            search.best = _found(following.weight, following.chosen)
        rest = search.count - len(following.chosen)
        if rest == 0 or not len(following.heading) or following.most(0) <= search.best.lower:
            continue
        if rest > 1:
            search.coming[following.start].append(following)
            continue
        place = int(np.argmax(following.next))  # of one more round the most is what it adds
        turn = -1 if search.signed and following.heading[place] < 0 else 1
        search.best = _found(following.most(0), (*following.chosen, (following.start + place, turn)))


def _found(weight: int, chosen: tuple[tuple[int, int], ...]) -> Heaviest:
    return Heaviest(weight, weight, tuple(i for i, _ in chosen), tuple(s for _, s in chosen))


def _admit(search: _PatternSearch, label: _Label, at: int) -> None:
    """Lets a label wait for its next participation, unless another of its size beats it; drops those that it beats."""
    if label.most(at) <= search.best.lower:
        return
    group, rest = search.waiting[len(label.chosen)], search.count - len(label.chosen)
    beaten = set[int]()
    for other in group[-COMPARED:]:
        worse, better = _lead(search, other, label, at), _lead(search, label, other, at)
        if other.weight - label.weight >= 2 * rest * worse:
            return
        if label.weight - other.weight >= 2 * rest * better:
            beaten.add(id(other))
    search.steps += min(len(group), COMPARED) * len(label.heading)
    kept = [o for o in group if id(o) not in beaten and o.most(at) > search.best.lower]
    search.waiting[len(label.chosen)] = [*kept, label]


def _lead(search: _PatternSearch, of: _Label, over: _Label, at: int) -> int:
    """The most that any later round adds to `over` beyond what it adds to `of`, or to `of` with all signs turned."""
    one, other = of.heading[at - of.start :], over.heading[at - over.start :]
    ahead = int((other - one).max())
    if not search.signed:
        return max(0, ahead)
    return min(max(ahead, int((one - other).max())), int(abs(other + one).max()))


def _unfinished(search: _PatternSearch, at: int) -> Heaviest:
    """The bracket that is known before the participations of a round."""
    waiting = [label for group in search.waiting for label in group]
    coming = [label for labels in search.coming.values() for label in labels]
    upper = max((label.most(at) for label in (*waiting, *coming)), default=0)
    best = search.best
    return Heaviest(best.lower, max(best.lower, upper), best.rounds, best.signs)


def _guess(values: Integers, count: int, apart: int, own: Integers, signed: bool) -> Heaviest:
    """A good pattern: several first ones, each made better while its own gradient leads to a heavier one."""
    tight = tuple(range(0, len(values), apart))[:count]
    starts = [tight, spaced(values.diagonal(), count, apart), spaced(own, count, apart)]
    return max((_improved(values, count, apart, start, signed) for start in starts), key=lambda one: one.lower)


def _improved(values: Integers, count: int, apart: int, start: tuple[int, ...], signed: bool) -> Heaviest:
    """Signs by turns, then the pattern heaviest by the gradient: for a convex form that is never lighter."""
    best: Heaviest | None = None
    rounds, signs = start, _turned(values, start) if signed else (1,) * len(start)
    for _ in range(MOST_IMPROVEMENTS):
        gradient = (np.array(signs, dtype=values.dtype)[:, None] * values[list(rounds)]).sum(axis=0)
        weight = sum(s * gradient[i] for i, s in zip(rounds, signs, strict=True))
        one = _found(int(weight), tuple(zip(rounds, signs, strict=True)))
        if best is not None and one.lower <= best.lower:
            break
        best = one
        rounds = spaced(abs(gradient) if signed else gradient, count, apart)
        signs = tuple(-1 if signed and gradient[i] < 0 else 1 for i in rounds)
    assert best is not None
    return best


def _turned(values: Integers, rounds: Sequence[int]) -> tuple[int, ...]:
    """Signs chosen one after the other, each for what came before it."""
    signs = list[int]()
    for i in rounds:
        through = sum(s * values[i, j] for s, j in zip(signs, rounds, strict=False))
        signs.append(-1 if through < 0 else 1)
    return tuple(signs)


def spaced(weights: Integers, count: int, apart: int) -> tuple[int, ...]:
    """At most `count` rounds, any two `apart` rounds apart, whose weights (of at least 0) sum to the most.

    >>> spaced(np.array([2, 3, 2, 0]), 2, 2)
    (0, 2)
    """
    levels, best = list[Integers](), np.zeros_like(weights)
    for _ in range(count):
        levels.append(weights + _moved(best, apart))
        best = _falling(levels[-1])
    return tuple(_traced(levels, apart))


def _traced(levels: list[Integers], apart: int) -> Iterator[int]:
    at = 0
    for level in reversed(levels):
        if at >= len(level):
            return
        place = at + int(np.argmax(level[at:]))
        yield place
        at = place + apart
