"""Outputs of a round in classes, as learning saw them: one each, by size, or together where they are rare."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import Any

from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held, value_of
from dpcert.audit.kernels.label import label
from dpcert.audit.records.section import shown

MOST_OUTPUT_CLASSES = 24
"""Classes of the outputs of one round: numbers of which there are more are cut by size, other outputs put together."""


@frozen
class OutputClasses:
    """A partition of what one round can release.

    Attributes:
        single: Tokens of outputs that are a class each, by number.
        cuts: Where numbers are cut, if they are; class i has those from cut i - 1 on and below cut i.
    """

    single: tuple[Hashable, ...] = ()
    cuts: tuple[Fraction, ...] = ()

    @cached_property
    def _numbers(self) -> Mapping[Hashable, int]:
        return {token: i for i, token in enumerate(self.single)}

    @property
    def count(self) -> int:
        """How many classes there are; the last has all that no other has."""
        return len(self.cuts) + 2 if self.cuts else len(self.single) + 1

    def of(self, y: Any) -> int:
        """The class of an output."""
        if not self.cuts:
            return self._numbers.get(held(y), len(self.single))
        size = _size(y)
        return len(self.cuts) + 1 if size is None else bisect_right(self.cuts, size)

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes in words."""
        if not self.cuts:
            return (*(label(value_of(token)) for token in self.single), "any other")
        ends = [shown(cut) for cut in self.cuts]
        between = [f"from {a} to below {b}" for a, b in pairwise(ends)]
        return (f"below {ends[0]}", *between, f"from {ends[-1]} on", "no number")


def classes_of(outputs: Iterable[Any]) -> OutputClasses:
    """The partition that outputs of one round lead to."""
    counts = Counter(map(held, outputs))
    if len(counts) <= MOST_OUTPUT_CLASSES:
        return OutputClasses(tuple(sorted(counts, key=lambda token: (-counts[token], label(value_of(token))))))
    sizes = sorted((size, count) for token, count in counts.items() if (size := _size(value_of(token))) is not None)
    if 2 * len(sizes) < len(counts):
        return OutputClasses(tuple(token for token, _ in counts.most_common(MOST_OUTPUT_CLASSES)))
    total, below = sum(count for _, count in sizes), 0
    cuts: list[Fraction] = []
    for size, count in sizes:
        if below * MOST_OUTPUT_CLASSES >= total * (len(cuts) + 1):
            cuts.append(size)
        below += count
    return OutputClasses(cuts=tuple(cuts))


def _size(y: Any) -> Fraction | None:
    """The number, exactly; None of a truth value, of what is infinite, of nan, and of what is no number."""
    plain = y.item() if isinstance(y, Real) and hasattr(y, "item") else y
    if isinstance(plain, bool) or not isinstance(plain, (Real, Fraction)):
        return None
    try:
        return Fraction(plain)  # type: ignore[call-overload,no-any-return]  # of any other kind it raises
    except (ValueError, OverflowError, TypeError):
        return None
