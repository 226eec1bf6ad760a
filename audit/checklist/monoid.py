"""Whether a declared pair is an invariant pair: a monoid of aggregates whose distances common inputs do not change."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from dpcert.audit.budget import Budget
from dpcert.audit.checklist.hints import Hints
from dpcert.audit.kernels.label import label

MOST_QUADRUPLES = 100_000
"""Quadruples (a, u, v, b) of aggregates up to which each of them is tried; past it, the inputs one by one."""
MOST_COMPARISONS = 2_000_000
"""Comparisons of sums and distances past which a declared pair is left unchecked, and is not used."""


class Fault(Exception):
    """Where a declared certificate does not fit."""


class Unchecked(Exception):
    """Why a declared certificate was not checked."""


@dataclass
class DeclaredPair:
    """A declared pair, asked once for each sum and each distance."""

    hints: Hints
    budget: Budget
    _sums: dict[tuple[Any, Any], Any] = field(default_factory=dict)
    _distances: dict[tuple[Any, Any], Any] = field(default_factory=dict)

    @property
    def zero(self) -> Any:
        """The aggregate of no inputs."""
        return self.hints.zero

    def plus(self, u: Any, v: Any) -> Any:
        """u ⊕ v."""
        if (u, v) not in self._sums:
            self.budget.check()
            self._sums[u, v] = self.hints.aggregate(u, v)
        return self._sums[u, v]

    def distance(self, u: Any, v: Any) -> Any:
        """d(u, v)."""
        if (u, v) not in self._distances:
            self.budget.check()
            self._distances[u, v] = self.hints.distance(u, v)
        return self._distances[u, v]

    def check_again(self) -> None:
        """Asks everything once more, the last question first. Raises: Fault: another answer."""
        for name, answers, ask in (
            ("distance", self._distances, self.hints.distance),
            ("aggregate", self._sums, self.hints.aggregate),
        ):
            for (u, v), first in reversed(answers.items()):
                self.budget.check()
                again = ask(u, v)
                if again != first:
                    asked = f"{name}({label(u)}, {label(v)})"
                    raise Fault(f"{asked} changed between two askings: {label(first)}, then {label(again)}")


def check_again(pair: DeclaredPair, sets: Sequence[Any], first: Sequence[Any]) -> None:
    """The pair and the index sets, asked for a second time. Raises: Fault: another answer."""
    if list(sets) != list(first):
        raise Fault("index_set changed between two askings")
    pair.check_again()


def check_pair(pair: DeclaredPair, letters: Sequence[Any], most: int) -> None:
    """Whether ⊕ is a monoid and d(a ⊕ u ⊕ b, a ⊕ v ⊕ b) = d(u, v), for all sums a, u, v, b of up to `most` inputs.

    Either all of them are tried; or it is enough that one more input, on either side, changes no distance of sums of
    up to 3 `most` inputs, and that brackets around one input do not matter. Source: paper.tex, defn:inv_pair.
    Raises: Fault: no. Unchecked: more comparisons than MOST_COMPARISONS.
    """
    letters = letters if most else ()
    narrow = _Sums(pair, letters, most)
    lengths = list(narrow.lengths)
    if narrow.complete and len(lengths) ** 4 <= MOST_QUADRUPLES:
        _literally(pair, lengths)
        return
    wide = _Sums(pair, letters, 3 * most)
    if not wide.complete or len(wide.lengths) ** 2 * 3 * (len(letters) + 1) > MOST_COMPARISONS:
        few = next(n for n in range(len(lengths), 0, -1) if n**4 <= MOST_QUADRUPLES)
        _literally(pair, lengths[:few])  # what refutes it may still be seen
        raise Unchecked(f"it takes more than {MOST_COMPARISONS} comparisons of sums and distances (MOST_COMPARISONS)")
    _by_letters(pair, letters, wide)


class _Sums:
    """Sums of up to `most` inputs, each with the least number of inputs that it takes; 0 is neutral for all of them."""

    def __init__(self, pair: DeclaredPair, letters: Sequence[Any], most: int) -> None:
        self.lengths: dict[Any, int] = {pair.zero: 0}
        self.complete = True
        self.most: int | None = most
        _neutral(pair, pair.zero)
        newest = [pair.zero]
        for length in range(1, most + 1):
            following = []
            for u, x in product(newest, letters):
                total = pair.plus(u, x)
                if total not in self.lengths:
                    _neutral(pair, total)
                    self.lengths[total] = length
                    following.append(total)
                if 6 * len(self.lengths) ** 2 > MOST_COMPARISONS:
                    self.complete = False
                    return
            newest = following
            if not newest:
                self.most = None  # no sum of more inputs is another one
                return

    def below(self, *sums: Any) -> bool:
        """Whether all of them together leave room for one more input."""
        return self.most is None or sum(self.lengths[u] for u in sums) < self.most


def _neutral(pair: DeclaredPair, u: Any) -> None:
    for one, two in ((pair.zero, u), (u, pair.zero)):
        total = pair.plus(one, two)
        if total != u:
            raise Fault(f"its aggregate is no monoid, {label(one)} ⊕ {label(two)} is {label(total)}")


def _associative(pair: DeclaredPair, u: Any, v: Any, w: Any) -> None:
    left, right = pair.plus(pair.plus(u, v), w), pair.plus(u, pair.plus(v, w))
    if left != right:
        names = f"({label(u)} ⊕ {label(v)}) ⊕ {label(w)} is {label(left)} and with the other brackets {label(right)}"
        raise Fault(f"its aggregate is no monoid, {names}")


def _unchanged(pair: DeclaredPair, a: Any, u: Any, v: Any, b: Any) -> None:
    before = pair.distance(u, v)
    after = pair.distance(*(pair.plus(pair.plus(a, w), b) for w in (u, v)))
    if before != after:
        raise Fault(
            f"common inputs change the distance of {label(u)} and {label(v)}, which is {label(before)}: between "
            f"{label(a)} and {label(b)} it is {label(after)}"
        )


def _literally(pair: DeclaredPair, sums: Sequence[Any]) -> None:
    for u, v, w in product(sums, repeat=3):
        pair.budget.check()
        _associative(pair, u, v, w)
    for a, u, v, b in product(sums, repeat=4):
        pair.budget.check()
        _unchanged(pair, a, u, v, b)


def _by_letters(pair: DeclaredPair, letters: Sequence[Any], sums: _Sums) -> None:
    for u, v in product(sums.lengths, repeat=2):
        pair.budget.check()
        if sums.below(u, v):
            for x in letters:
                _associative(pair, u, v, x)
    for u, v in product(sums.lengths, repeat=2):
        pair.budget.check()
        if sums.below(u) and sums.below(v):
            for x in letters:
                _unchanged(pair, x, u, v, pair.zero)
                _unchanged(pair, pair.zero, u, v, x)
